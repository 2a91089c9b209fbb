/* The shape of a CPU engine's grid. */
#ifndef CS_CPU_SHAPE_H
#define CS_CPU_SHAPE_H

#include "sweep/engine_class.h"

/*
 * shape() of CsEngineClass: large blocks, or smaller ones if threads would be idle or if blocks
 * will be skipped. A size that was asked for is reduced only if one block would take too long.
 */
void cs_cpu_shape_fill(const CsRectangle *rectangle, const CsEngineOptions *options,
                       CsGridShape *shape);

#endif
