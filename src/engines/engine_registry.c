/* Which engines there are. The only file that knows them all. */
#include <string.h>

#include <chromosweep/engine.h>
#include <chromosweep/error.h>

#include "config.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "engines/engine_registry.h"
#ifdef CS_CUDA
#include "cuda/cuda_device.h"
#include "cuda/cuda_engine.h"
#include "cuda/cuda_global.h"
#include "cuda/cuda_scores.h"
#endif

const CsEngineClass *const cs_engines[] = {
#ifdef CS_CUDA
    &cs_cuda_engine,
#endif
    &cs_simd_engine,
    &cs_scalar_engine,
    NULL,
};

/* Engines that a build may lack; all run on a GPU. */
static const char *const optional_engines[] = {"cuda"};

/* What the first that works here runs on; what is wrong with the arguments is no reason to take the
 * next. */
static const char *
describe_best(GError **error)
{
    for (guint k = 0; cs_engines[k] != NULL; k++) {
        g_autoptr(GError) failure = NULL;
        const char *phrase = cs_engines[k]->describe(NULL, &failure);
        if (phrase != NULL)
            return phrase;
        if (g_error_matches(failure, CS_ERROR, CS_ERROR_USAGE)) {
            g_propagate_error(error, g_steal_pointer(&failure));
            return NULL;
        }
    }
    g_assert_not_reached(); /* scalar works everywhere */
}

const CsEngineClass *
cs_engine_on_cpu(void)
{
    for (guint k = 0; cs_engines[k] != NULL; k++)
        if (!cs_engines[k]->gpu && cs_engines[k]->describe(NULL, NULL) != NULL)
            return cs_engines[k];
    g_assert_not_reached(); /* scalar works everywhere */
}

const CsEngineClass *
cs_engine_lookup(const char *name, gboolean *gpu, GError **error)
{
    for (guint k = 0; cs_engines[k] != NULL; k++)
        if (strcmp(name, cs_engines[k]->name) == 0) {
            *gpu = cs_engines[k]->gpu;
            return cs_engines[k];
        }
    for (guint k = 0; k < G_N_ELEMENTS(optional_engines); k++)
        if (strcmp(name, optional_engines[k]) == 0) {
            *gpu = TRUE;
            g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "this build has no engine '%s'", name);
            return NULL;
        }
    g_autofree char *names = g_strjoinv(", ", (char **)cs_engine_names());
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "unknown engine '%s'; the engines are auto, %s",
                name, names);
    return NULL;
}

gboolean
cs_engine_list_gpus(const char *device, GArray *devices, GError **error)
{
#ifdef CS_CUDA
    return cs_cuda_device_list(device, devices, error);
#else
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, CS_ENGINE_NO_GPU_ENGINE);
    return FALSE;
#endif
}

const CsScorerClass *
cs_engine_scorer(void)
{
#ifdef CS_CUDA
    return &cs_cuda_scorer;
#else
    return NULL;
#endif
}

const CsGlobalScorerClass *
cs_engine_global_scorer(void)
{
#ifdef CS_CUDA
    return &cs_cuda_global_scorer;
#else
    return NULL;
#endif
}

const char *const *
cs_engine_names(void)
{
    static const char *names[G_N_ELEMENTS(cs_engines)];
    static gsize done = 0;
    if (g_once_init_enter(&done)) {
        for (guint k = 0; cs_engines[k] != NULL; k++)
            names[k] = cs_engines[k]->name;
        g_once_init_leave(&done, 1);
    }
    return names;
}

const char *
cs_engine_describe(const char *name, GError **error)
{
    if (name == NULL || strcmp(name, "auto") == 0)
        return describe_best(error);
    gboolean gpu;
    const CsEngineClass *engine = cs_engine_lookup(name, &gpu, error);
    return engine != NULL ? engine->describe(NULL, error) : NULL;
}
