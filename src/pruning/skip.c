/* What a sweep may skip: stages before it, and whether they pay. */
#include <chromosweep/error.h>

#include "pruning/bounds_rule.h"
#include "system/memory.h"
#include "pruning/skip.h"
#include "system/parallel.h"
#include "system/stop.h"

/*
 * Below so many cells auto does not look: a sweep takes a fifth of a second on two CPU threads,
 * half a second on a GPU. Seeds and their chain, about 12 ns a letter, are then 2% of it at the
 * most, and a hundredth of that at 30 million letters; beside a GPU, if there are so many threads.
 */
#define LEAST_CELLS 2e10
#define LEAST_CELLS_GPU 3e12
#define THREADS_BESIDE_GPU 16

/* What a thread or a GPU sweeps a second, and the seconds of one thread that corridor and bounds
 * take a letter, all about: docs/performance.md. */
#define CELLS_A_SECOND 5e10
#define CELLS_A_SECOND_GPU 6e12
#define STAGES_A_LETTER 2.5e-7
/* What is saved must be so many times that: neither is known well. */
#define SURELY 1.5

/* Blocks to a side of the matrix when what will remain is estimated. */
#define PARTS 512
/*
 * What may remain: beyond, to skip blocks costs more than it saves. On a CPU the test costs next to
 * nothing, on a GPU cells in a band were computed at 0.5 (10 Mb) to 0.8 (30 Mb) of the dense rate.
 */
#define MOST_LEFT 0.97
#define MOST_LEFT_GPU 0.55

/*
 * Of the letters left an alignment can gain this share as a rule, since words are absent: so a
 * lower bound of x times that share of all leaves (1 - x)^2 of the cells at best. A chain promised
 * 0.6 to 1.1 of the lower bound; it is taken for as much.
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

/* The share of the cells where an alignment that brings nothing along could still be the best. What
 * brings more, the band, is a small part of the rest. */
static double
share_left(const CsSkip *skip, const CsRectangle *whole)
{
    const CsBounds *bounds = skip->bounds;
    const gint64 m = bounds->rows.length, n = bounds->columns.length;
    const CsScore enough = skip->lower.score - whole->scoring.gap_open;
    CsScore rows[PARTS], columns[PARTS];
    gint64 left = 0;
    highest_of_parts(&bounds->rows, rows);
    highest_of_parts(&bounds->columns, columns);
    for (gint64 r = 0; r < PARTS; r++)
        for (gint64 c = 0; c < PARTS; c++)
            left += rows[r] >= enough && columns[c] >= enough &&
                    cs_bounds_table_highest(bounds->table, m * r / PARTS, m * (r + 1) / PARTS,
                                            n * c / PARTS, n * (c + 1) / PARTS) >= enough;
    return (double)left / PARTS / PARTS;
}

static double
most_left(const CsSkipSearch *search)
{
    return search->gpu ? MOST_LEFT_GPU : MOST_LEFT;
}

/* Letters that match something. */
static double
count_letters(const CsView *view)
{
    gint64 letters = 0;
    for (gint64 k = 0; k < view->length; k++)
        letters += view->codes[k] != CS_CODE_AMBIGUOUS;
    return (double)letters;
}

/* Whether corridor and bounds pay for themselves if a chain promises so many letters. */
static gboolean
stages_pay(const CsRectangle *whole, const CsSkipSearch *search, gint64 letters)
{
    const double m = (double)cs_rectangle_m(whole), n = (double)cs_rectangle_n(whole);
    const double a_second = search->gpu ? CELLS_A_SECOND_GPU : CELLS_A_SECOND * search->threads;
    const double dense = m * n / a_second;
    const double stages = (m + n) * STAGES_A_LETTER / search->threads;
    const double most = MIN(count_letters(&whole->rows), count_letters(&whole->columns));
    const double without = most > 0 ? 1 - MIN(1, (double)letters / (GAINED_SHARE * most)) : 1;
    const double left = without * without;
    return left <= most_left(search) && (1 - left) * dense >= SURELY * stages;
}

/* Whether some words or letters cost an alignment more than a match. */
static gboolean
has_bounds(const CsRectangle *whole)
{
    const gint64 m = cs_rectangle_m(whole), n = cs_rectangle_n(whole);
    return cs_bounds_rule(&whole->scoring, m, n).word > 0 ||
           cs_bounds_rule(&whole->scoring, n, m).word > 0;
}

/* The mode to try; for CS_SKIP_AUTO that it is worth a look. */
static CsSkipMode
mode_to_try(const CsRectangle *whole, const CsSkipSearch *search)
{
    const gint64 m = cs_rectangle_m(whole), n = cs_rectangle_n(whole);
    const double few = MAX(1, (double)THREADS_BESIDE_GPU / search->threads);
    const double least = search->gpu ? LEAST_CELLS_GPU * few * few : LEAST_CELLS;
    if (m == 0 || n == 0 || search->wanted == CS_SKIP_NONE)
        return CS_SKIP_NONE;
    if (search->wanted == CS_SKIP_AUTO)
        return (double)m * (double)n >= least && has_bounds(whole) &&
                       stages_pay(whole, search, MIN(m, n))
                   ? CS_SKIP_AUTO
                   : CS_SKIP_NONE;
    return search->wanted == CS_SKIP_BOUNDS && !has_bounds(whole) ? CS_SKIP_BEST : search->wanted;
}

/* The bounds, found on a thread of their own. */
typedef struct {
    const CsRectangle *whole;
    guint threads;
    CsThread *thread;
    const gint *stop_all; /* of whoever wants them, or NULL */
    gint stop;
    double seconds;
    CsBounds *bounds;
    GError *error;
} BoundsWork;

static void
find_bounds(gpointer data)
{
    BoundsWork *work = data;
    const CsRectangle *whole = work->whole;
    const gint64 start = g_get_monotonic_time();
    work->bounds = cs_bounds_new(&whole->rows, &whole->columns, &whole->scoring, work->threads,
                                 &work->stop, &work->error);
    work->seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
}

static void
pass_stop_on(gpointer data)
{
    BoundsWork *work = data;
    if (cs_is_stopped(work->stop_all))
        g_atomic_int_set(&work->stop, 1);
}

/* Waits for them, unless they are not wanted any more. */
static CsBounds *
end_bounds(BoundsWork *work, gboolean wanted, GError **error)
{
    if (!wanted)
        g_atomic_int_set(&work->stop, 1);
    cs_thread_join_asking(work->thread, pass_stop_on, work);
    if (error != NULL && work->error != NULL)
        g_propagate_error(error, work->error);
    else
        g_clear_error(&work->error);
    return work->bounds;
}

/* Chain and corridor; pays leaves FALSE where the chain promises too little. */
static gboolean
find_lower_bound(CsSkip *skip, CsAnchors *anchors, const CsRectangle *whole,
                 const CsSkipSearch *search, gboolean *pays, GError **error)
{
    if (!cs_anchors_find_chain(anchors, &whole->scoring, search->stop, error))
        return FALSE;
    *pays = search->wanted != CS_SKIP_AUTO || stages_pay(whole, search, anchors->letters);
    if (*pays && !cs_anchors_sweep(anchors, &whole->rows, &whole->columns, &whole->scoring,
                                   search->threads, search->stop, error))
        return FALSE;
    skip->lower = anchors->bound;
    if (search->keep_chain) {
        skip->chain = g_steal_pointer(&anchors->chain);
        skip->chain_length = anchors->bound.chain;
    }
    return TRUE;
}

/* Lower bound and bounds, side by side once there are seeds. */
static gboolean
run_stages(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    g_auto(CsAnchors) anchors = {0};
    g_autoptr(CsSeedsIndex) own = NULL;
    CsSeedsIndex **index = search->index != NULL ? search->index : &own;
    BoundsWork work = {.whole = whole, .threads = search->threads, .stop_all = search->stop};
    gboolean pays = TRUE, success = TRUE;
    skip->lower.score = search->known;
    if (search->known == 0 && !cs_anchors_find_seeds(&anchors, &whole->rows, &whole->columns, index,
                                                     search->threads, search->stop, error))
        return FALSE;
    g_clear_pointer(&own, cs_seeds_index_free);
    work.thread = cs_thread_new("bounds", find_bounds, &work, error);
    if (work.thread == NULL)
        return FALSE;
    if (search->known == 0)
        success = find_lower_bound(skip, &anchors, whole, search, &pays, error);
    const gboolean wanted = success && pays;
    g_autoptr(CsBounds) bounds = end_bounds(&work, wanted, wanted ? error : NULL);
    skip->seconds_bounds = work.seconds;
    if (!wanted)
        return success;
    skip->bounds = g_steal_pointer(&bounds);
    skip->mode = CS_SKIP_BOUNDS;
    return skip->bounds != NULL;
}

/* The bounds of CS_SKIP_BEST; where not even they can be had, nothing is skipped. */
static void
take_best(CsSkip *skip, const CsRectangle *whole)
{
    skip->bounds = cs_bounds_new_of_matches(cs_rectangle_m(whole), cs_rectangle_n(whole),
                                            &whole->scoring, NULL);
    skip->mode = skip->bounds != NULL ? CS_SKIP_BEST : CS_SKIP_NONE;
}

/* Whether the stages' memory is there, as far as is known. */
static gboolean
check_memory(const CsRectangle *whole, guint threads, GError **error)
{
    const gint64 m = cs_rectangle_m(whole), n = cs_rectangle_n(whole);
    const char *limit = NULL;
    const gint64 reach = cs_memory_reach("/", &limit);
    const guint64 needed = cs_skip_memory(m, n, threads, NULL) + (guint64)(m + n);
    if (reach < 0 || needed <= (guint64)reach)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "%" G_GUINT64_FORMAT " MiB are needed, %" G_GINT64_FORMAT " MiB can be had (%s)",
                needed >> 20, reach >> 20, limit);
    return FALSE;
}

static gboolean
find(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    g_autoptr(GError) failure = NULL;
    const CsSkipMode mode = mode_to_try(whole, search);
    if (mode == CS_SKIP_NONE)
        return TRUE;
    if (mode == CS_SKIP_BEST) {
        take_best(skip, whole);
        return TRUE;
    }
    if (check_memory(whole, search->threads, &failure) &&
        run_stages(skip, whole, search, &failure)) {
        if (skip->bounds != NULL)
            skip->share_left = share_left(skip, whole);
        if (mode == CS_SKIP_AUTO && skip->share_left > most_left(search)) {
            g_clear_pointer(&skip->bounds, cs_bounds_free);
            skip->mode = CS_SKIP_NONE;
        }
        return TRUE;
    }
    if (!g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    skip->lower.score = MAX(skip->lower.score, search->known);
    take_best(skip, whole);
    if (skip->mode == CS_SKIP_NONE) { /* they serve nothing */
        skip->lower = (CsLowerBound){0};
        skip->seconds_bounds = 0;
    }
    skip->note = g_strdup_printf("%s skipped: for bounds %s",
                                 skip->mode == CS_SKIP_BEST
                                     ? "only blocks that cannot reach the best so far are"
                                     : "nothing is",
                                 failure->message);
    return TRUE;
}

gboolean
cs_skip_takes_time(const CsRectangle *whole, const CsSkipSearch *search)
{
    const CsSkipMode mode = mode_to_try(whole, search);
    return mode == CS_SKIP_AUTO || mode == CS_SKIP_BOUNDS;
}

gboolean
cs_skip_init(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    const gint64 start = g_get_monotonic_time();
    *skip = (CsSkip){.mode = CS_SKIP_NONE};
    gboolean found = find(skip, whole, search, error);
    skip->seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
    return found;
}

gboolean
cs_skip_wants_small_blocks(const CsSkip *skip, gboolean gpu)
{
    if (gpu)
        return skip->mode != CS_SKIP_NONE;
    return skip->mode == CS_SKIP_BOUNDS && skip->share_left <= 0.5;
}

gboolean
cs_skip_check_score(CsScore known, CsScore score, GError **error)
{
    if (score >= known)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "a sweep that skips found score %" G_GINT64_FORMAT ", below the %" G_GINT64_FORMAT
                " of an alignment found before it: please report "
                "this; with --skip none, and no checkpoint of it, all cells are computed",
                (gint64)score, (gint64)known);
    return FALSE;
}

guint64
cs_skip_memory(gint64 m, gint64 n, guint threads, guint64 *kept)
{
    return cs_lower_bound_memory(m, n, threads) + cs_bounds_memory(m, n, threads, kept);
}

void
cs_skip_clear(CsSkip *skip)
{
    g_clear_pointer(&skip->bounds, cs_bounds_free);
    g_clear_pointer(&skip->chain, g_free);
    g_clear_pointer(&skip->note, g_free);
}

void
cs_skip_attach(const CsSkip *skip, CsRectangle *part, const CsGrid *grid, gint64 above, gint64 left,
               CsScore best)
{
    if (skip == NULL || skip->bounds == NULL)
        return;
    part->row_bounds = cs_bounds_of_rows(skip->bounds, grid, above);
    part->column_bounds = cs_bounds_of_columns(skip->bounds, grid, left);
    part->bounds_table = skip->bounds->table;
    part->above = above;
    part->left_of = left;
    part->threshold = MAX(skip->lower.score, best);
}

void
cs_skip_detach(CsRectangle *part)
{
    g_free((CsScore *)part->row_bounds);
    g_free((CsScore *)part->column_bounds);
    part->row_bounds = part->column_bounds = NULL;
    part->bounds_table = NULL;
}
