/* Which sweeps a ring pays: see ring_pay.h. */
#include "ring/ring_pay.h"
#include "ring/ring_share.h"

/* Of one thread, and of a message and its answer where no CPU is busy. */
#define SECONDS_A_CELL 5e-11
#define MESSAGE_SECONDS 1e-4

/* Of each sequence, as simulated for a human/chimpanzee-like pair. */
#define LEAST_BASES 20e6

gboolean
cs_ring_pay_skipping_gpus(gint64 m, gint64 n)
{
    return (double)m * (double)n >= LEAST_BASES * LEAST_BASES;
}

gboolean
cs_ring_pay_skipping(const CsEngineOptions *options, double cells, double diagonals)
{
    const double seconds = cells * SECONDS_A_CELL;
    const double alone = seconds / options->threads;
    return seconds / cs_ring_share_threads(options) + diagonals * MESSAGE_SECONDS < alone;
}
