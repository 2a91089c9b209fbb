/*
 * What a sweep is likely to compute.
 *
 * A block is computed where H on its borders and what can still be gained reach the lower bound. H
 * is highest along the chain of seeds, on which it grows to the lower bound as the bases of the
 * seeds add up, and falls off on either side by what a gap costs:
 *
 *     \
 *      \-------> a block right of the chain: from where the chain leaves the block's rows
 *      |\
 *      v \       a block below it: from where the chain leaves the block's columns
 */
#include "lower_bound/seeds.h"
#include "skipping/skip_forecast.h"
#include "system/parallel.h"

/* Of a side: the blocks of the grid, or so many. */
#define MOST_PARTS 4000

/* What is found of one side: the highest bound in each part, and at each border between two where
 * the chain is on the other side, and the H that it has there. */
typedef struct {
    gint64 length, parts;
    CsScore *bounds;
    gint64 *places;
    CsScore *worths;
} Side;

static gint64
border_of(const Side *side, gint64 part)
{
    return side->length * part / side->parts;
}

static void
side_init(Side *side, const CsBoundsSide *bounds, gint64 blocks)
{
    *side = (Side){.length = bounds->length, .parts = MIN(blocks, MOST_PARTS)};
    side->bounds = g_new0(CsScore, side->parts);
    side->places = g_new0(gint64, side->parts + 1);
    side->worths = g_new0(CsScore, side->parts + 1);
    for (gint64 p = 0; p < side->parts; p++)
        side->bounds[p] =
            cs_bounds_side_highest(bounds, border_of(side, p), border_of(side, p + 1));
}

static void
side_clear(Side *side)
{
    g_free(side->bounds);
    g_free(side->places);
    g_free(side->worths);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Side, side_clear)

static gint64
along(const CsSeed *seed, gboolean columns)
{
    return columns ? seed->column : seed->row;
}

/* Where the chain is on the other side, next[0] being its first seed that ends beyond `at`; before
 * and behind the chain on the diagonal of its first and last seed. */
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

static void
follow_chain(Side *side, const CsSeed *chain, gint64 length, gboolean columns, CsScore score)
{
    gint64 total = 0, bases = 0, k = 0;
    for (gint64 s = 0; s < length; s++)
        total += chain[s].length;
    for (gint64 p = 0; p <= side->parts; p++) {
        const gint64 at = border_of(side, p);
        for (; k < length && along(&chain[k], columns) + chain[k].length <= at; k++)
            bases += chain[k].length;
        const gint64 within = k < length ? MAX(0, at - along(&chain[k], columns)) : 0;
        side->worths[p] = (CsScore)((double)score * (double)(bases + within) / (double)total);
        side->places[p] = place_at(&chain[k], k == 0, k == length, columns, at);
    }
}

/* The highest H on the borders of a block, as it is likely to be. */
static CsScore
likely_h(const Side *rows, const Side *columns, gint64 r, gint64 c, const CsScoring *scoring,
         gboolean *on_chain)
{
    const gint64 right = border_of(columns, c) - rows->places[r + 1];
    const gint64 below = border_of(rows, r) - columns->places[c + 1];
    *on_chain = right <= 0 && below <= 0;
    if (*on_chain)
        return MAX(rows->worths[r + 1], columns->worths[c + 1]);
    const CsScore from = right > 0 ? rows->worths[r + 1] : columns->worths[c + 1];
    const double gap = (double)scoring->gap_open +
                       (double)scoring->gap_extend * (double)(right > 0 ? right : below);
    return (double)from > gap ? from - (CsScore)gap : 0;
}

/* A block on the chain counts twice: of its strips most bring a new best, whose cell is found by
 * computing them again. */
static double
share_of(const CsSkipQuestion *question, const CsSkip *skip, const CsSeed *chain, gint64 length)
{
    if (length == 0)
        return 1;
    g_auto(Side) rows, columns;
    const CsScoring *scoring = &question->whole->scoring;
    gint64 left = 0;
    side_init(&rows, &skip->bounds->rows, question->grid->block_rows);
    side_init(&columns, &skip->bounds->columns, question->grid->block_columns);
    follow_chain(&rows, chain, length, FALSE, skip->lower.score);
    follow_chain(&columns, chain, length, TRUE, skip->lower.score);
    for (gint64 r = 0; r < rows.parts; r++)
        for (gint64 c = 0; c < columns.parts; c++) {
            gboolean on_chain;
            const CsScore h = likely_h(&rows, &columns, r, c, scoring, &on_chain);
            const CsScore enough = skip->lower.score - scoring->gap_open - h;
            if (MIN(rows.bounds[r], columns.bounds[c]) >= enough &&
                cs_bounds_table_highest(skip->bounds->table, border_of(&rows, r),
                                        border_of(&rows, r + 1), border_of(&columns, c),
                                        border_of(&columns, c + 1)) >= enough)
                left += on_chain ? 2 : 1;
        }
    return (double)left / (double)(rows.parts * columns.parts);
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
    forecast->cells_before = skip.lower.cells_computed;
    forecast->seconds = skip.seconds;
    forecast->small = cs_skip_wants_small_blocks(&skip, search.gpu);
    forecast->share_left = skip.share_left;
    forecast->share = skip.mode == CS_SKIP_NONE ? 1 : -1;
    forecast->lower_bound = skip.mode != CS_SKIP_NONE ? skip.lower.score : 0;
    if (skip.mode != CS_SKIP_BOUNDS)
        return TRUE;
    forecast->share = share_of(question, &skip, skip.chain, skip.chain_length);
    return TRUE;
}

/* The search, on a thread of its own where it takes time. */
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
