/* Which engines there are. */
#ifndef CS_ENGINE_REGISTRY_H
#define CS_ENGINE_REGISTRY_H

#include "scores/global_class.h"
#include "scores/scorer_class.h"
#include "sweep/engine_class.h"

/* The engines, best first, NULL-terminated. Only engine_registry.c knows them by name. */
extern const CsEngineClass *const cs_engines[];

/*
 * The engine with this name, whether it works here or not. Sets gpu to whether it runs on a GPU,
 * even if the build lacks it. Fails with CS_ERROR_USAGE if no engine has that name, and with
 * CS_ERROR_DEVICE if this build lacks it.
 */
const CsEngineClass *cs_engine_lookup(const char *name, gboolean *gpu, GError **error);

/* The best engine that works here on the CPU. There always is one. */
const CsEngineClass *cs_engine_on_cpu(void);

/*
 * Appends the GPUs (CsDevice), even those that cannot be used: all, or the one with this index or
 * UUID. Fails with CS_ERROR_DEVICE if there is none.
 */
gboolean cs_engine_list_gpus(const char *device, GArray *devices, GError **error);

/* What computes the scores of a search on a GPU; NULL if this build has none. */
const CsScorerClass *cs_engine_scorer(void);

/* What computes global alignments on a GPU; NULL if this build has none. */
const CsGlobalScorerClass *cs_engine_global_scorer(void);

#define CS_ENGINE_NO_GPU_ENGINE "built without CUDA"

#endif
