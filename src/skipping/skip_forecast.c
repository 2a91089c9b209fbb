/*
 * What a sweep is likely to compute.
 *
 * A block is computed if H on its borders plus what can still be gained reaches the lower bound. H
 * is highest along the chain of seeds, where it grows with the bases of the seeds. At the cuts of
 * the corridor it is known, and at the end it is the lower bound. On either side it falls by the
 * cost of a gap:
 *
 *     \
 *      \-------> a block right of the chain: from where the chain leaves the block's rows
 *      |\
 *      v \       a block below it: from where the chain leaves the block's columns
 */
#include "lower_bound/seeds.h"
#include "skipping/skip_estimate.h"
#include "skipping/skip_forecast.h"
#include "skipping/work_meter.h"
#include "system/parallel.h"

/* How many blocks are looked at: rows of blocks in each part of a forecast, and at most this many
 * columns of blocks. */
enum {
    ROWS_A_PART = 4,
    MOST_COLUMNS = 4000,
    FEW_COLUMNS = 200 /* of which a row takes less time than other threads take to start */
};

/* CsWorkForecast.more is for an H that is higher by this share of the lower bound. Less would be lost
 * between blocks; for more, cells grow faster than H. */
#define HIGHER (1.0 / 256)

/* Some blocks of one side. For each: its bases from .. to, the highest bound there, where the chain
 * is on the other side at the end of the block, and H of the chain there. */
typedef struct {
    gint64 count;
    gint64 *from, *to;
    CsScore *bounds;
    gint64 *places;
    CsScore *worths;
} Side;

/* The bases of the k-th block that is looked at. */
static void
range_of(const CsGrid *grid, gboolean columns, gint64 k, gint64 count, gint64 *from, gint64 *to)
{
    const gint64 blocks = columns ? grid->block_columns : grid->block_rows;
    const gint64 block = (gint64)(((double)k + 0.5) * (double)blocks / (double)count);
    *from = columns ? cs_grid_column_start(grid, block) : grid->row_starts[block];
    *to = columns ? cs_grid_column_start(grid, block + 1) : grid->row_starts[block + 1];
}

static void
side_init(Side *side, const CsBoundsSide *bounds, const CsGrid *grid, gboolean columns,
          gint64 count)
{
    *side = (Side){.count = count};
    side->from = g_new(gint64, count);
    side->to = g_new(gint64, count);
    side->bounds = g_new(CsScore, count);
    side->places = g_new0(gint64, count);
    side->worths = g_new0(CsScore, count); /* without a chain, H stays low */
    for (gint64 k = 0; k < count; k++) {
        range_of(grid, columns, k, count, &side->from[k], &side->to[k]);
        side->bounds[k] = cs_bounds_side_highest(bounds, side->from[k], side->to[k]);
    }
}

static void
side_clear(Side *side)
{
    g_free(side->from);
    g_free(side->to);
    g_free(side->bounds);
    g_free(side->places);
    g_free(side->worths);
}

static gint64
along(const CsSeed *seed, gboolean columns)
{
    return columns ? seed->column : seed->row;
}

/* Where the chain is on the other side. next[0] is its first seed that ends after `at`. Before the
 * chain it is on the diagonal of the first seed, after the chain on that of the last. */
static gint64
place_at(const CsSeed *next, gboolean is_first, gboolean is_end, gboolean columns, gint64 at)
{
    if (!is_end && (is_first || at >= along(next, columns)))
        return along(next, !columns) + at - along(next, columns);
    const CsSeed *before = next - 1;
    const gint64 x = along(before, columns) + before->length;
    const gint64 y = along(before, !columns) + before->length;
    if (is_end)
        return y + at - x;
    return y + (gint64)((double)(along(next, !columns) - y) * (double)(at - x) /
                        (double)(along(next, columns) - x));
}

/* What the chain pays for the gap before a seed. */
static double
gap_before(const CsSeed *chain, gint64 k, const CsScoring *scoring)
{
    if (k == 0)
        return 0;
    const gint64 before = chain[k - 1].column - chain[k - 1].row;
    const gint64 change = ABS(chain[k].column - chain[k].row - before);
    return change > 0 ? (double)scoring->gap_open + (double)scoring->gap_extend * (double)change
                      : 0;
}

/* The chain between two cells whose H is known, such as two cuts. */
typedef struct {
    const CsSkip *skip;
    const CsScoring *scoring;
    gint64 cut;    /* the one that comes next, or n_cuts */
    gint64 end;    /* the first seed after it */
    double h;      /* at the end of the seed before */
    double a_base; /* what a base of a seed adds */
} Growth;

/* Goes on to the next cut. On the way H grows with the bases of seeds to its known value there. */
static void
grow_on(Growth *growth, gint64 seed)
{
    const CsSkip *skip = growth->skip;
    const gboolean last = growth->cut == skip->n_cuts;
    const gint64 row = last ? G_MAXINT64 : skip->cuts[growth->cut].row;
    const CsScore score = last ? skip->lower.score : skip->cuts[growth->cut].score;
    double bases = 0, gaps = 0;
    gint64 k = seed;
    for (; k < skip->chain_length && skip->chain[k].row + skip->chain[k].length <= row; k++) {
        bases += (double)skip->chain[k].length;
        gaps += gap_before(skip->chain, k, growth->scoring);
    }
    growth->end = k;
    growth->a_base = bases > 0 ? ((double)score - growth->h + gaps) / bases : 0;
    growth->cut += !last;
}

static void
follow_chain(Side *side, const CsSkip *skip, const CsScoring *scoring, gboolean columns)
{
    const CsSeed *chain = skip->chain;
    const gint64 length = skip->chain_length;
    Growth growth = {.skip = skip, .scoring = scoring};
    gint64 k = 0;
    for (gint64 p = 0; p < side->count; p++) {
        const gint64 at = side->to[p];
        for (;; k++) {
            while (k == growth.end && k < length)
                grow_on(&growth, k);
            if (k == length || along(&chain[k], columns) + chain[k].length > at)
                break;
            growth.h += growth.a_base * (double)chain[k].length - gap_before(chain, k, scoring);
        }
        const gint64 within = k < length ? at - along(&chain[k], columns) : 0;
        const double more =
            within > 0 ? growth.a_base * (double)within - gap_before(chain, k, scoring) : 0;
        side->worths[p] = (CsScore)MAX(0, growth.h + more);
        side->places[p] = place_at(&chain[k], k == 0, k == length, columns, at);
    }
}

static CsScore
gain_at(const CsGainTable *gains, gint64 row, gint64 column)
{
    return cs_gain_table_highest(gains, row, row, column, column);
}

/* By how much H and the gain together exceed the lower bound at the chain's cells whose H is known: the first one,
 * each cut, and the last one, where it is 0. */
static CsScore *
find_slacks(const CsSkip *skip)
{
    const CsSeed *chain = skip->chain;
    const gint64 length = skip->chain_length, n = skip->gains->n;
    const CsScore lower = skip->lower.score;
    CsScore *slacks = g_new0(CsScore, skip->n_cuts + 2);
    slacks[0] = MAX(0, gain_at(skip->gains, chain->row, chain->column) - lower);
    for (gint64 cut = 0, k = 0; cut < skip->n_cuts; cut++) {
        const gint64 row = skip->cuts[cut].row;
        while (k < length && chain[k].row + chain[k].length <= row)
            k++;
        const gint64 column = place_at(&chain[k], k == 0, k == length, FALSE, row);
        const CsScore gain = gain_at(skip->gains, row, CLAMP(column, 0, n));
        slacks[cut + 1] = MAX(0, skip->cuts[cut].score + gain - lower);
    }
    return slacks;
}

/* With gains, H of the chain at a cell is at least the lower bound minus the gain there. It exceeds that by hardly
 * more than at the cuts before and after. Between these two limits, the bases of the seeds decide. */
static void
follow_gains(Side *side, const CsSkip *skip, gboolean columns, const CsScore *slacks)
{
    const gint64 most = columns ? skip->gains->m : skip->gains->n;
    gint64 cut = 0;
    for (gint64 p = 0; p < side->count; p++) {
        const gint64 at = side->to[p], place = CLAMP(side->places[p], 0, most);
        const gint64 row = columns ? place : at, column = columns ? at : place;
        while (cut < skip->n_cuts && skip->cuts[cut].row < row)
            cut++;
        const CsScore least = MAX(0, skip->lower.score - gain_at(skip->gains, row, column));
        side->worths[p] = CLAMP(side->worths[p], least, least + MAX(slacks[cut], slacks[cut + 1]));
    }
}

/* The likely highest H on the borders of a block that comes from the chain. Less than 0: what has left the
 * chain is lost, and H is 0. */
static CsScore
h_of_chain(const Side *rows, const Side *columns, gint64 r, gint64 c, const CsScoring *scoring,
           gboolean *on_chain)
{
    const gint64 right = columns->from[c] - rows->places[r];
    const gint64 below = rows->from[r] - columns->places[c];
    *on_chain = right <= 0 && below <= 0;
    if (*on_chain)
        return MAX(rows->worths[r], columns->worths[c]);
    const CsScore from = right > 0 ? rows->worths[r] : columns->worths[c];
    const double gap = (double)scoring->gap_open +
                       (double)scoring->gap_extend * (double)(right > 0 ? right : below);
    return from - (CsScore)gap;
}

/* An alignment that scores less than this does not matter. */
static CsScore
threshold_of(const CsSkip *skip)
{
    return MAX(skip->lower.score, skip->floor);
}

/* How much higher than h H has to be for a block to be computed. */
static CsScore
missing_of(const CsSkip *skip, const CsScoring *scoring, const Side *rows, const Side *columns,
           gint64 r, gint64 c, CsScore most, CsScore h)
{
    const CsScore enough = threshold_of(skip) - scoring->gap_open - h;
    CsScore bound = MIN(rows->bounds[r], columns->bounds[c]);
    if (enough - bound <= most)
        bound = MIN(bound, cs_bounds_table_highest(skip->bounds->table, rows->from[r], rows->to[r],
                                                   columns->from[c], columns->to[c]));
    if (enough - bound <= most)
        bound = MIN(bound, cs_gain_table_highest(skip->gains, rows->from[r], rows->to[r],
                                                 columns->from[c], columns->to[c]));
    return enough - bound;
}

/* What a part of a forecast (CsWorkForecast) is made of. */
typedef struct {
    double cells, low, more;
    gint64 from, to;
} Part;

/* Adds a row of blocks to a part of the forecast. Each stands for so many cells. A GPU computes the cells of
 * a block twice on the chain, because most strips there have a new best score, and its cell is found by
 * computing the strip again. */
static void
add_row(Part *part, double cells, const CsSkip *skip, const CsScoring *scoring, gboolean gpu,
        const Side *rows, const Side *columns, gint64 r)
{
    const CsScore higher = (CsScore)(HIGHER * (double)threshold_of(skip));
    for (gint64 c = 0; c < columns->count; c++) {
        gboolean on_chain; /* whether the chain goes through the block */
        const CsScore of_chain = h_of_chain(rows, columns, r, c, scoring, &on_chain);
        const CsScore h = MAX(0, of_chain), rise = MAX(0, of_chain + higher) - h;
        const CsScore missing = missing_of(skip, scoring, rows, columns, r, c, rise, h);
        if (missing > rise)
            continue;
        if (missing > 0) {
            part->more += cells;
            continue;
        }
        part->from = MIN(part->from, columns->from[c]);
        part->to = MAX(part->to, columns->to[c]);
        part->cells += (gpu && on_chain ? 2 : 1) * cells;
        part->low += h == 0 ? cells : 0;
    }
}

/* The parts of a forecast, which threads share. */
typedef struct {
    const CsSkip *skip;
    const CsScoring *scoring;
    gboolean gpu;
    Side rows, columns;
    CsWorkForecast *work;
} Parts;

/* A CsParallelFunc: one part, whatever the others are. */
static void
forecast_part(gint64 part, gpointer user_data)
{
    const Parts *parts = user_data;
    CsWorkForecast *work = parts->work;
    const gint64 height = cs_work_forecast_row(work, part + 1) - cs_work_forecast_row(work, part);
    const double cells = (double)height / ROWS_A_PART * (double)work->n /
                         (double)parts->columns.count; /* of a block, on the average */
    Part own = {.from = work->n};
    for (gint64 k = 0; k < ROWS_A_PART; k++)
        add_row(&own, cells, parts->skip, parts->scoring, parts->gpu, &parts->rows, &parts->columns,
                part * ROWS_A_PART + k);
    work->cells[part] = own.cells;
    work->low[part] = own.low;
    work->more[part] = own.more;
    work->from[part] = MIN(own.from, own.to);
    work->to[part] = own.to;
}

void
cs_skip_forecast_work(const CsSkip *skip, const CsRectangle *whole, const CsGrid *grid,
                      gboolean gpu, guint threads, CsWorkForecast *work)
{
    cs_work_forecast_init_all(work, cs_rectangle_m(whole), cs_rectangle_n(whole));
    if (skip->mode != CS_SKIP_BOUNDS || (skip->chain_length == 0 && skip->floor == 0))
        return;
    Parts parts = {.skip = skip, .scoring = &whole->scoring, .gpu = gpu, .work = work};
    Side *rows = &parts.rows, *columns = &parts.columns;
    side_init(rows, &skip->bounds->rows, grid, FALSE, CS_WORK_PARTS * ROWS_A_PART);
    side_init(columns, &skip->bounds->columns, grid, TRUE, MIN(grid->block_columns, MOST_COLUMNS));
    if (skip->chain_length > 0) {
        follow_chain(rows, skip, &whole->scoring, FALSE);
        follow_chain(columns, skip, &whole->scoring, TRUE);
    }
    if (skip->chain_length > 0 && skip->gains != NULL) {
        g_autofree CsScore *slacks = find_slacks(skip);
        follow_gains(rows, skip, FALSE, slacks);
        follow_gains(columns, skip, TRUE, slacks);
    }
    cs_parallel_run(CS_WORK_PARTS, columns->count < FEW_COLUMNS ? 1 : threads, NULL, forecast_part,
                    &parts);
    side_clear(rows);
    side_clear(columns);
}

static gboolean
find(const CsSkipQuestion *question, const gint *stop, CsSkipForecast *forecast, GError **error)
{
    g_auto(CsSkip) skip = {0};
    CsSkipSearch search = question->search;
    search.stop = stop;
    if (!cs_skip_init(&skip, question->whole, &search, error))
        return FALSE;
    forecast->mode = skip.mode;
    forecast->cells_before = skip.lower.cells_computed + skip.cells_gains;
    forecast->seconds = skip.seconds;
    forecast->small = cs_skip_wants_small_blocks(&skip, search.gpu);
    forecast->share_left = skip.share_left;
    forecast->narrow = skip.gains != NULL;
    forecast->share = skip.mode == CS_SKIP_NONE ? 1 : -1;
    forecast->lower_bound = skip.mode != CS_SKIP_NONE ? skip.lower.score : 0;
    if (skip.mode != CS_SKIP_BOUNDS)
        return TRUE;
    CsWorkForecast work;
    CsRectangle whole = *question->whole;
    CsSweepOptions sweep = *question->sweep;
    whole.skipping = forecast->small;
    whole.share_left = skip.share_left;
    whole.narrow = forecast->narrow;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&whole, &sweep);
    cs_skip_forecast_work(&skip, &whole, grid, search.gpu, search.threads, &work);
    forecast->share = cs_work_forecast_cells(&work) / ((double)work.m * (double)work.n);
    const double effort =
        cs_work_meter_effort(&work, grid, search.gpu, sweep.engine_options.threads);
    forecast->effort = effort / cs_skip_estimate_dense(search.gpu, 1);
    return TRUE;
}

/* The search, on a thread of its own if it takes long. */
typedef struct {
    const CsSkipQuestion *question;
    CsSkipForecast *forecast;
    gint stop;
    gboolean found;
} Search;

static void
search(gpointer data)
{
    Search *work = data;
    work->found = find(work->question, &work->stop, work->forecast, NULL);
}

void
cs_skip_forecast(const CsSkipQuestion *question, CsSkipForecast *forecast)
{
    const double most = question->most;
    const gint64 start = g_get_monotonic_time();
    const CsSkip wanted = {.mode = question->search.wanted};
    *forecast = (CsSkipForecast){
        .mode = wanted.mode,
        .share = -1,
        .effort = -1,
        .small = wanted.mode != CS_SKIP_AUTO &&
                 cs_skip_wants_small_blocks(&wanted, question->search.gpu),
    };
    Search work = {.question = question, .forecast = forecast, .stop = most <= 0};
    if (most <= 0) {
        search(&work);
        return;
    }
    CsThread *thread = cs_thread_new("forecast", search, &work, NULL);
    if (thread == NULL)
        return;
    if (!cs_thread_wait(thread, (gint64)(most * G_USEC_PER_SEC)))
        g_atomic_int_set(&work.stop, 1);
    cs_thread_join(thread);
    if (!work.found)
        forecast->seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
}
