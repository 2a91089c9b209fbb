/* What the stages cost and what they save: measured rates, and a coarse count of blocks. */
#include "skipping/skip_estimate.h"

#include <string.h>

#include "cpu/simd.h"

/*
 * With fewer cells auto does not look for seeds. A thread sweeps its part of this many in a twentieth of
 * a second, a GPU all in half a second. Seeds and their chain take about 12 ns per base, at most 3% of it,
 * and a hundredth of that at 30 million bases (with a GPU, if there are enough threads).
 */
#define LEAST_CELLS_A_THREAD 1e9
#define MOST_LEAST_THREADS 20
#define LEAST_CELLS_GPU 3e12
#define THREADS_BESIDE_GPU 16

/* Approximate cells per second of a thread and of a GPU, and seconds of one thread per base for
 * corridor and bounds (docs/performance.md). */
#define CELLS_A_SECOND 5e10
#define CELLS_A_SECOND_GPU 6e12
/* A thread of the machine of the stages' pace (stage_time.c), which has AVX-512. The one above is faster, so that
 * stages must save more. */
#define SURE_CELLS_A_SECOND 1.4e10
#define STAGES_A_BASE 2.5e-7
/* The stages must save this many times what they cost, because neither is known well. */
#define SURELY 1.5

/* Blocks along each side of the matrix, for the estimate of what will remain. */
#define PARTS 512
/*
 * The largest share of the cells that may remain. With more, skipping costs more than it saves. On
 * a CPU the test costs next to nothing. On a GPU, cells in a band were computed at 0.5 (10 Mb) to
 * 0.8 (30 Mb) of the dense rate.
 */
#define MOST_LEFT 0.97
#define MOST_LEFT_GPU 0.55

/*
 * Because k-mers are absent, an alignment can usually gain this share of the bases that are left.
 * So a lower bound of x times this share of all bases leaves (1 - x)^2 of the cells at best. Chains
 * promised 0.6 to 1.1 of the lower bound; here the promise is taken as the lower bound.
 */
#define GAINED_SHARE 0.6

/* The highest bound in each of PARTS parts of a side, borders included. */
static void
highest_of_parts(const CsBoundsSide *side, CsScore *highest)
{
    for (gint64 k = 0; k < PARTS; k++)
        highest[k] =
            cs_bounds_side_highest(side, side->length * k / PARTS, side->length * (k + 1) / PARTS);
}

double
cs_skip_estimate_share_left(const CsBounds *bounds, const CsGainTable *gains, CsScore lower_bound,
                            const CsScoring *scoring)
{
    const gint64 m = bounds->rows.length, n = bounds->columns.length;
    const CsScore enough = lower_bound - scoring->gap_open;
    CsScore rows[PARTS], columns[PARTS];
    gint64 left = 0;
    highest_of_parts(&bounds->rows, rows);
    highest_of_parts(&bounds->columns, columns);
    for (gint64 r = 0; r < PARTS; r++)
        for (gint64 c = 0; c < PARTS; c++) {
            const gint64 row = m * r / PARTS, row_end = m * (r + 1) / PARTS;
            const gint64 column = n * c / PARTS, column_end = n * (c + 1) / PARTS;
            left += rows[r] >= enough && columns[c] >= enough &&
                    cs_bounds_table_highest(bounds->table, row, row_end, column, column_end) >=
                        enough &&
                    cs_gain_table_highest(gains, row, row_end, column, column_end) >= enough;
        }
    return (double)left / PARTS / PARTS;
}

double
cs_skip_estimate_share_of_floor(gint64 m, gint64 n, double bases)
{
    const double needed = bases / GAINED_SHARE;
    return MAX(0, 1 - needed / (double)MAX(1, m)) * MAX(0, 1 - needed / (double)MAX(1, n));
}

double
cs_skip_estimate_cells_a_second(gboolean gpu, guint threads)
{
    return gpu ? CELLS_A_SECOND_GPU : SURE_CELLS_A_SECOND * MAX(1, threads);
}

double
cs_skip_estimate_slowness(gboolean gpu, gboolean wide)
{
    static const struct {
        const char *target;
        double slowness, wide;
    } known[] = {{"avx512", 1, 1}, {"avx2", 1.6, 1.2}, {"sse4.1", 2.7, 2.7}};
    const char *target = gpu ? NULL : cs_simd_target(NULL);
    for (guint k = 0; target != NULL && k < G_N_ELEMENTS(known); k++)
        if (strcmp(target, known[k].target) == 0)
            return wide ? known[k].wide : known[k].slowness;
    return 1;
}

double
cs_skip_estimate_dense(gboolean gpu, double cells)
{
    return gpu ? cells : cells * SURE_CELLS_A_SECOND / CELLS_A_SECOND;
}

static double
most_left(const CsSkipSearch *search)
{
    return search->gpu ? MOST_LEFT_GPU : MOST_LEFT;
}

gboolean
cs_skip_estimate_sweep_pays(const CsSkipSearch *search, double share_left)
{
    return share_left <= most_left(search);
}

/* The number of unambiguous bases. */
static gint64
count_bases(const CsView *view)
{
    return view->length - cs_view_count_ambiguous(view, 0, view->length);
}

/* Whether stages save enough if the sweep of `dense` seconds computes so much. */
static gboolean
stages_pay(const CsSkipSearch *search, double left, double dense, double stages)
{
    return left <= most_left(search) && (1 - left) * dense >= SURELY * stages;
}

gboolean
cs_skip_estimate_stages_pay(const CsRectangle *whole, const CsSkipSearch *search, gint64 bases)
{
    const gint64 m = cs_rectangle_m(whole), n = cs_rectangle_n(whole), both = MIN(m, n);
    const double a_second = search->gpu ? CELLS_A_SECOND_GPU : CELLS_A_SECOND * search->threads;
    const double dense = (double)m * (double)n / a_second;
    const double stages = (double)(m + n) * STAGES_A_BASE / search->threads;
    const double all = cs_skip_estimate_share_of_floor(both, both, (double)bases);
    /* The fewer bases, the less is left. So they are counted only where that matters. */
    if (stages_pay(search, all, dense, stages))
        return TRUE;
    const gint64 rows = count_bases(&whole->rows), columns = count_bases(&whole->columns);
    const gint64 most = MIN(rows, columns);
    const double left = cs_skip_estimate_share_of_floor(most, most, (double)bases);
    return stages_pay(search, left, dense, stages);
}

/* Whether absent k-mers cost an alignment anything under this scoring. */
static gboolean
has_bounds(const CsRectangle *whole)
{
    const gint64 m = cs_rectangle_m(whole), n = cs_rectangle_n(whole);
    return cs_bounds_rule(&whole->scoring, m, n).kmer > 0 ||
           cs_bounds_rule(&whole->scoring, n, m).kmer > 0;
}

CsSkipMode
cs_skip_estimate_mode(const CsRectangle *whole, const CsSkipSearch *search)
{
    const gint64 m = cs_rectangle_m(whole), n = cs_rectangle_n(whole);
    const double few = MAX(1, (double)THREADS_BESIDE_GPU / search->threads);
    const double least = search->gpu
                             ? LEAST_CELLS_GPU * few * few
                             : LEAST_CELLS_A_THREAD * MIN(search->threads, MOST_LEAST_THREADS);
    if (m == 0 || n == 0 || search->wanted == CS_SKIP_NONE)
        return CS_SKIP_NONE;
    if (search->wanted == CS_SKIP_AUTO)
        return (double)m * (double)n >= least && has_bounds(whole) &&
                       cs_skip_estimate_stages_pay(whole, search, MIN(m, n))
                   ? CS_SKIP_AUTO
                   : CS_SKIP_NONE;
    return search->wanted == CS_SKIP_BOUNDS && !has_bounds(whole) ? CS_SKIP_BEST : search->wanted;
}
