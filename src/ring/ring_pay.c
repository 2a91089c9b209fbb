/* Which sweeps a ring pays: see ring_pay.h. */
#include <math.h>

#include "ring/ring_pay.h"
#include "ring/ring_share.h"

/* The time of one thread, and of a message and its answer where no CPU is busy. */
#define SECONDS_A_CELL 5e-11
#define MESSAGE_SECONDS 1e-4

/*
 * Twice as many GPUs from so many bases of each sequence on, by a simulation of block maps of a pair like human and
 * chimpanzee (docs/performance.md), in which they save about 3 in 10 of the time there.
 */
static const double bases_for_twice[] = {20e6, 60e6, 100e6, 250e6};

/* Tests let small matrices count as large. */
static double
scaled(double bases)
{
    const char *wanted = g_getenv("CHROMOSWEEP_PAY_SCALE");
    return wanted != NULL ? bases * g_ascii_strtod(wanted, NULL) : bases;
}

guint
cs_ring_pay_skipping_gpus(gint64 m, gint64 n)
{
    const double bases = scaled(sqrt((double)m * (double)n));
    guint gpus = 1;
    for (guint k = 0; k < G_N_ELEMENTS(bases_for_twice); k++)
        if (bases >= bases_for_twice[k])
            gpus *= 2;
    return gpus;
}

/*
 * Each further GPU waits for as long as this many columns take one GPU. Measured on two H100 (docs/performance.md): they
 * were 1.63 times as fast as one for 4 x 4 Mb, and 1.82 times for 10 x 10 Mb, which is 0.9 and 1.0 million columns. For
 * more GPUs, the simulation has half of it.
 */
#define COLUMNS_A_GPU 1e6
#define LEAST_BUSY 0.7

guint
cs_ring_pay_gpus(gint64 m, gint64 n)
{
    const double columns = scaled((double)MIN(m, n));
    return (guint)MIN(1 + (1 / LEAST_BUSY - 1) * columns / COLUMNS_A_GPU, 1e6);
}

/* Ten seconds or so of a GPU. */
#define LEAST_MEASURED 3e13

gboolean
cs_ring_pay_measuring(gint64 m, gint64 n)
{
    return scaled((double)m) * scaled((double)n) >= LEAST_MEASURED;
}

gboolean
cs_ring_pay_skipping(const CsEngineOptions *options, double cells, double diagonals)
{
    const double seconds = cells * SECONDS_A_CELL;
    const double alone = seconds / options->threads;
    return seconds / cs_ring_share_threads(options) + diagonals * MESSAGE_SECONDS < alone;
}
