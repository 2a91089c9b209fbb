/* Chooses engines and vector targets as a user does. */
#ifndef ENGINE_CHOICE_H
#define ENGINE_CHOICE_H

#include <chromosweep/device.h>

#include "engines/engine_registry.h"

/* The engine of this name if it works here, else NULL and the reason. */
static inline const CsEngineClass *
engine_working(const char *name, GError **error)
{
    gboolean gpu;
    const CsEngineClass *engine = cs_engine_lookup(name, &gpu, error);
    return engine != NULL && engine->describe(NULL, error) != NULL ? engine : NULL;
}

/* How many GPUs tests use. */
static inline guint
count_gpus(void)
{
    static guint count = 0;
    if (count == 0) {
        g_autoptr(CsDeviceList) list = cs_device_list_new("gpu", NULL);
        for (guint k = 0; k < list->count && k < 4; k++)
            count += list->devices[k].fault == NULL;
    }
    return count;
}

/* Masks all vector targets above this one, or none (NULL). Must not be called during a sweep. */
static inline void
mask_simd(const char *target)
{
    if (target != NULL)
        g_setenv("CHROMOSWEEP_SIMD", target, TRUE);
    else
        g_unsetenv("CHROMOSWEEP_SIMD");
}

#endif
