/* Rings for tests: of CPU engines, and with GPUs. */
#ifndef SOME_RING_H
#define SOME_RING_H

#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "ring/ring.h"

/* Makes the options those of a ring of 1 to 4 members, perhaps more than there are threads. */
static inline const CsEngineClass *
some_ring(guint members, CsEngineOptions *options)
{
    static const CsMember all[] = {{&cs_simd_engine, NULL, 0},
                                   {&cs_scalar_engine, NULL, 0},
                                   {&cs_simd_engine, NULL, 0},
                                   {&cs_simd_engine, NULL, 0}};
    g_assert(members >= 1 && members <= G_N_ELEMENTS(all));
    options->members = all;
    options->n_members = members;
    return &cs_ring_engine;
}

/* The same with one to four members that are GPUs or, by lot, CPU engines beside a GPU. They share
 * the first `gpus` GPUs, which each may be several members, with unequal shares. */
static inline const CsEngineClass *
some_gpu_ring(guint lot, const CsEngineClass *gpu, guint gpus, CsEngineOptions *options)
{
    static const char *const devices[] = {"0", "1", "2", "3"};
    static CsMember members[4];
    const guint count = 1 + lot % 4, cpus = lot / 4 % 4;
    for (guint k = 0; k < count; k++) {
        members[k] = (CsMember){gpu, devices[(k + lot / 16) % gpus], 1 + (lot + k) % 3};
        if (cpus == k + 1 && count > 1)
            members[k] = (CsMember){&cs_simd_engine, NULL, 0};
    }
    options->members = members;
    options->n_members = count;
    return cs_ring_class(members, count);
}

#endif
