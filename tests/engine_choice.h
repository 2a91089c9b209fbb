/* Engines and vector targets as a user chooses them. */
#ifndef ENGINE_CHOICE_H
#define ENGINE_CHOICE_H

#include "engines/engine_registry.h"

/* The engine of this name, where it works here, else NULL and why. */
static inline const CsEngineClass *
engine_working(const char *name, GError **error)
{
    gboolean gpu;
    const CsEngineClass *engine = cs_engine_lookup(name, &gpu, error);
    return engine != NULL && engine->describe(NULL, error) != NULL ? engine : NULL;
}

/* Masks all vector targets above this one, or none (NULL). No sweep is under way meanwhile. */
static inline void
mask_simd(const char *target)
{
    if (target != NULL)
        g_setenv("CHROMOSWEEP_SIMD", target, TRUE);
    else
        g_unsetenv("CHROMOSWEEP_SIMD");
}

#endif
