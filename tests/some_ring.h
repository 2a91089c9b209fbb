/* Rings for tests: of CPU engines, of several processes, and with GPUs. */
#ifndef SOME_RING_H
#define SOME_RING_H

#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "loop_ranks.h"
#include "ring/ring.h"

/* Makes the options those of a ring of 1 to 4 members, perhaps more than there are threads. With
 * `processes` two of them are in another one. */
static inline const CsEngineClass *
some_ring(guint members, gboolean processes, CsEngineOptions *options)
{
    static CsMember rings[2][4] = {{{.engine = &cs_simd_engine},
                                    {.engine = &cs_scalar_engine},
                                    {.engine = &cs_simd_engine},
                                    {.engine = &cs_simd_engine}}};
    if (rings[1][0].engine == NULL) {
        memcpy(rings[1], rings[0], sizeof rings[0]);
        rings[1][1] = loop_member("cpu", "simd", 1);
        rings[1][3] = loop_member("cpu", "scalar", 2);
    }
    g_assert(members >= 1 && members <= G_N_ELEMENTS(rings[0]));
    options->members = rings[processes];
    options->n_members = members;
    return &cs_ring_engine;
}

/* The same with one to four members that are GPUs or, by lot, CPU engines beside a GPU. They share
 * the first `gpus` GPUs, which each may be several members, with unequal shares. By lot the GPU of the
 * second or third member is in another process. */
static inline const CsEngineClass *
some_gpu_ring(guint lot, const CsEngineClass *gpu, guint gpus, CsEngineOptions *options)
{
    static const char *const devices[] = {"0", "1", "2", "3"};
    static CsMember members[4];
    static CsMember remote;
    const guint count = 1 + lot % 4, cpus = lot / 4 % 4;
    if (remote.engine == NULL)
        remote = loop_member("gpu:0", gpu->name, 0);
    for (guint k = 0; k < count; k++) {
        members[k] = lot / 64 % 4 == k && k > 0
                         ? remote
                         : (CsMember){gpu, devices[(k + lot / 16) % gpus], 0, 0};
        members[k].speed = 1 + (lot + k) % 3;
        if (cpus == k + 1 && count > 1)
            members[k] = (CsMember){.engine = &cs_simd_engine};
    }
    options->members = members;
    options->n_members = count;
    return cs_ring_class(members, count);
}

#endif
