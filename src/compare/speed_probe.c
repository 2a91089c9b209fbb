/* Which parts of a matrix are swept to find the speed: see speed_probe.h. */
#include "compare/speed_probe.h"

/* The first part has FIRST_CELLS cells, more on a GPU; each further one at most GROWTH_MOST times as
 * many as the one before. */
#define FIRST_CELLS ((gint64)1 << 24)
#define GPU_FIRST_CELLS ((gint64)1 << 26)
#define GROWTH_MOST 64.0
/* Seconds that a part should take. A GPU needs longer, because its wavefront must fill first. */
#define PART_SECONDS 0.6
#define GPU_PART_SECONDS 1.2
/* A part that takes this share of those seconds is large enough. */
#define ENOUGH 0.8
/* So does a part that keeps this share of a GPU's slots busy. */
#define BUSY 0.9

/* How many times as many cells the next part should have: enough for the time that it should take, and
 * on a GPU also for rows and columns that keep all slots busy. */
static double
find_growth(const CsProbed *probed, double seconds, double wanted, gint64 slots, gboolean gpu)
{
    const double more = gpu ? (double)slots / (double)MAX(1, probed->slots) : 0;
    return CLAMP(MAX(wanted / seconds, more * more), 2, GROWTH_MOST);
}

gboolean
cs_speed_probe(CsProbeFunc func, gpointer user_data, double cells, gint64 slots, gboolean gpu,
               double most, double *cells_a_second, GError **error)
{
    const double wanted = gpu ? GPU_PART_SECONDS : PART_SECONDS;
    double part = MIN((double)(gpu ? GPU_FIRST_CELLS : FIRST_CELLS), cells);
    gboolean again = FALSE; /* this part was swept before, and was large enough */
    *cells_a_second = 0;
    while (TRUE) {
        CsProbed probed = {0};
        if (!func(part, most, &probed, user_data, error))
            return FALSE;
        const double seconds = MAX(probed.seconds, 1e-6);
        *cells_a_second = MAX(*cells_a_second, (double)probed.cells / seconds);
        most -= seconds;
        const gboolean large =
            part >= cells ||
            (seconds >= ENOUGH * wanted && (!gpu || (double)probed.slots >= BUSY * (double)slots));
        if (most <= 0 || (large && (again || !gpu)))
            return TRUE;
        again = large;
        if (!large)
            part = MIN(cells, part * find_growth(&probed, seconds, wanted, slots, gpu));
    }
}
