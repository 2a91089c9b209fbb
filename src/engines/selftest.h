/* Whether an engine computes correctly here: problems with known answers. */
#ifndef CS_SELFTEST_H
#define CS_SELFTEST_H

#include "sweep/engine_class.h"

/*
 * Sweeps a few small problems on the engine and compares score, end cell and the whole bottom row
 * with known answers. A GPU computes them with 16 and with 32 bits, unless the options choose one.
 * Fails with CS_ERROR_DEVICE if an answer is wrong, and with the engine's own errors.
 */
gboolean cs_selftest_run(const CsEngineClass *engine, const CsEngineOptions *options,
                         GError **error);

#endif
