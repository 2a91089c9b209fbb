/* The shape of a CPU engine's grid. */
#ifndef CS_CPU_SHAPE_H
#define CS_CPU_SHAPE_H

#include "sweep/engine_class.h"

/*
 * CsEngineClass's shape(): large blocks, smaller where threads would starve or much is to be
 * skipped. A wish is rounded only where one block would take long.
 */
void cs_cpu_shape_fill(const CsRectangle *rectangle, const CsEngineOptions *options,
                       CsGridShape *shape);

#endif
