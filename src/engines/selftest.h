/* Whether an engine computes rightly here: problems whose answers are known. */
#ifndef CS_SELFTEST_H
#define CS_SELFTEST_H

#include "sweep/engine_class.h"

/*
 * Sweeps a few small problems on the engine and compares score, end cell and the whole bottom row
 * with what the scalar engine finds. A GPU does so with 16 bits and with 32 unless the options name
 * one. Fails with CS_ERROR_DEVICE when an answer is wrong, and with the engine's own errors.
 */
gboolean cs_selftest_run(const CsEngineClass *engine, const CsEngineOptions *options,
                         GError **error);

#endif
