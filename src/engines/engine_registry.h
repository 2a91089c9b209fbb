/* Which engines there are. */
#ifndef CS_ENGINE_REGISTRY_H
#define CS_ENGINE_REGISTRY_H

#include "sweep/engine_class.h"

/* The engines, best first, NULL-terminated; only this file's implementation knows them by name. */
extern const CsEngineClass *const cs_engines[];

/*
 * The engine of this name, whether it works here or not; gpu is whether it runs on a GPU, set also
 * when the build lacks it. Fails with CS_ERROR_USAGE for a name that no engine has, CS_ERROR_DEVICE
 * for one that this build lacks.
 */
const CsEngineClass *cs_engine_lookup(const char *name, gboolean *gpu, GError **error);

/* The best that works here on the CPU; there always is one. */
const CsEngineClass *cs_engine_on_cpu(void);

/*
 * Appends the GPUs (CsDevice), those that cannot be used included: all, or the one of this index or
 * UUID. Fails with CS_ERROR_DEVICE when there is none.
 */
gboolean cs_engine_list_gpus(const char *device, GArray *devices, GError **error);

#define CS_ENGINE_NO_GPU_ENGINE "this build has no CUDA"

#endif
