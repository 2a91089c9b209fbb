/* A ring of CPU engines for tests. */
#ifndef SOME_RING_H
#define SOME_RING_H

#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "ring/ring.h"

/* Makes the options those of a ring of 1 to 4 members, perhaps more than there are threads. */
static inline const CsEngineClass *
some_ring(guint members, CsEngineOptions *options)
{
    static const CsMember all[] = {{&cs_simd_engine, NULL},
                                   {&cs_scalar_engine, NULL},
                                   {&cs_simd_engine, NULL},
                                   {&cs_simd_engine, NULL}};
    g_assert(members >= 1 && members <= G_N_ELEMENTS(all));
    options->members = all;
    options->n_members = members;
    return &cs_ring_engine;
}

#endif
