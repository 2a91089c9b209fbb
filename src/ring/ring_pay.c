/* Which sweeps a ring pays: see ring_pay.h. */
#include "ring/ring_pay.h"
#include "ring/ring_share.h"

/* Of one thread, and of a message and its answer where no CPU is busy. */
#define SECONDS_A_CELL 5e-11
#define MESSAGE_SECONDS 1e-4

/*
 * Twice as many GPUs from so many bases of each sequence on, by a simulation of block maps of a pair like human and
 * chimpanzee (docs/performance.md), in which they save about 3 in 10 of the time there.
 */
static const double bases_for_twice[] = {20e6, 60e6, 100e6, 250e6};

guint
cs_ring_pay_skipping_gpus(gint64 m, gint64 n)
{
    guint gpus = 1;
    for (guint k = 0; k < G_N_ELEMENTS(bases_for_twice); k++)
        if ((double)m * (double)n >= bases_for_twice[k] * bases_for_twice[k])
            gpus *= 2;
    return gpus;
}

gboolean
cs_ring_pay_skipping(const CsEngineOptions *options, double cells, double diagonals)
{
    const double seconds = cells * SECONDS_A_CELL;
    const double alone = seconds / options->threads;
    return seconds / cs_ring_share_threads(options) + diagonals * MESSAGE_SECONDS < alone;
}
