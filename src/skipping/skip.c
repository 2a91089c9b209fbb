/* What a sweep may skip: the stages before it, and what they found as a part's bounds. */
#include <chromosweep/error.h>

#include "skipping/skip.h"
#include "skipping/skip_estimate.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

/* The bounds, found on a thread of their own. */
typedef struct {
    CsSurvey survey; /* with a stop of its own */
    CsThread *thread;
    const gint *stop_all; /* of whoever wants them, or NULL */
    gint stop;
    double seconds;
    CsBounds *bounds;
    GError *error;
} BoundsWork;

static double
seconds_since(gint64 time)
{
    return (double)(g_get_monotonic_time() - time) / G_USEC_PER_SEC;
}

static void
enter(const CsSkipSearch *search, CsStage stage)
{
    if (search->watch != NULL)
        search->watch->stage = (int)stage;
}

static void
find_bounds(gpointer data)
{
    BoundsWork *work = data;
    const gint64 start = g_get_monotonic_time();
    work->bounds = cs_bounds_new(&work->survey, &work->error);
    work->seconds = seconds_since(start);
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

/* The seeds, from an index that is kept if the caller has a place for it. */
static gboolean
find_seeds(CsLowerBoundSearch *lower, const CsSurvey *survey, CsSeedsIndex **kept, GError **error)
{
    g_autoptr(CsSeedsIndex) own = NULL;
    return cs_lower_bound_find_seeds(lower, survey, kept != NULL ? kept : &own, error);
}

/* Chain and corridor; pays leaves FALSE where the chain promises too little. */
static gboolean
find_lower_bound(CsSkip *skip, CsLowerBoundSearch *lower, const CsSurvey *survey,
                 const CsRectangle *whole, const CsSkipSearch *search, gboolean *pays,
                 GError **error)
{
    enter(search, CS_STAGE_CHAIN);
    if (!cs_lower_bound_find_chain(lower, survey, error))
        return FALSE;
    enter(search, CS_STAGE_CORRIDOR);
    *pays =
        search->wanted != CS_SKIP_AUTO || cs_skip_estimate_stages_pay(whole, search, lower->bases);
    if (*pays && !cs_lower_bound_sweep(lower, survey, error))
        return FALSE;
    skip->lower = lower->bound;
    if (search->watch != NULL)
        search->watch->lower_bound = lower->bound.score;
    if (search->keep_chain) {
        skip->chain = g_steal_pointer(&lower->chain);
        skip->chain_length = lower->bound.chain;
    }
    return TRUE;
}

/* Lower bound and bounds, side by side once there are seeds. There are no bounds where the chain
 * promises too little. */
static gboolean
find_both(CsSkip *skip, const CsSurvey *survey, const CsRectangle *whole,
          const CsSkipSearch *search, GError **error)
{
    g_auto(CsLowerBoundSearch) lower = {0};
    enter(search, CS_STAGE_SEEDS);
    if (!find_seeds(&lower, survey, search->index, error))
        return FALSE;
    BoundsWork work = {.survey = *survey, .stop_all = search->stop};
    work.survey.stop = &work.stop;
    work.thread = cs_thread_new("bounds", find_bounds, &work, error);
    if (work.thread == NULL)
        return FALSE;
    gboolean pays = FALSE;
    const gboolean found = find_lower_bound(skip, &lower, survey, whole, search, &pays, error);
    const gboolean wanted = found && pays;
    enter(search, CS_STAGE_BOUNDS);
    g_autoptr(CsBounds) bounds = end_bounds(&work, wanted, wanted ? error : NULL);
    skip->seconds_bounds = work.seconds;
    if (!wanted)
        return found;
    skip->bounds = g_steal_pointer(&bounds);
    return skip->bounds != NULL;
}

/* The bounds alone, where the lower bound is known. */
static gboolean
find_bounds_alone(CsSkip *skip, const CsSurvey *survey, GError **error)
{
    const gint64 start = g_get_monotonic_time();
    skip->bounds = cs_bounds_new(survey, error);
    skip->seconds_bounds = seconds_since(start);
    return skip->bounds != NULL;
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
run_stages(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    const CsSurvey survey = {.rows = whole->rows,
                             .columns = whole->columns,
                             .scoring = whole->scoring,
                             .threads = search->threads,
                             .stop = search->stop};
    skip->lower.score = search->known;
    enter(search, CS_STAGE_BOUNDS);
    if (!check_memory(whole, search->threads, error) ||
        !(search->known > 0 ? find_bounds_alone(skip, &survey, error)
                            : find_both(skip, &survey, whole, search, error)))
        return FALSE;
    if (skip->bounds == NULL)
        return TRUE;
    skip->mode = CS_SKIP_BOUNDS;
    skip->share_left =
        cs_skip_estimate_share_left(skip->bounds, skip->lower.score, &whole->scoring);
    return TRUE;
}

/* The bounds of CS_SKIP_BEST; where not even they can be had, nothing is skipped. */
static void
take_best(CsSkip *skip, const CsRectangle *whole)
{
    skip->bounds = cs_bounds_new_of_matches(cs_rectangle_m(whole), cs_rectangle_n(whole),
                                            &whole->scoring, NULL);
    skip->mode = skip->bounds != NULL ? CS_SKIP_BEST : CS_SKIP_NONE;
}

/* Where memory is short. */
static void
fall_back(CsSkip *skip, const CsRectangle *whole, CsScore known, const char *cause)
{
    skip->lower.score = MAX(skip->lower.score, known);
    take_best(skip, whole);
    if (skip->mode == CS_SKIP_NONE) { /* they serve nothing */
        skip->lower = (CsLowerBound){0};
        skip->seconds_bounds = 0;
    }
    skip->note = g_strdup_printf("%s skipped: for bounds %s",
                                 skip->mode == CS_SKIP_BEST
                                     ? "only blocks that cannot reach the best so far are"
                                     : "nothing is",
                                 cause);
}

static gboolean
find(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    g_autoptr(GError) failure = NULL;
    const CsSkipMode mode = cs_skip_estimate_mode(whole, search);
    if (mode == CS_SKIP_NONE)
        return TRUE;
    if (mode == CS_SKIP_BEST) {
        take_best(skip, whole);
        return TRUE;
    }
    if (!run_stages(skip, whole, search, &failure)) {
        if (!g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE)) {
            g_propagate_error(error, g_steal_pointer(&failure));
            return FALSE;
        }
        fall_back(skip, whole, search->known, failure->message);
    } else if (mode == CS_SKIP_AUTO && !cs_skip_estimate_sweep_pays(search, skip->share_left)) {
        g_clear_pointer(&skip->bounds, cs_bounds_free);
        skip->mode = CS_SKIP_NONE;
    }
    return TRUE;
}

gboolean
cs_skip_takes_time(const CsRectangle *whole, const CsSkipSearch *search)
{
    const CsSkipMode mode = cs_skip_estimate_mode(whole, search);
    return mode == CS_SKIP_AUTO || mode == CS_SKIP_BOUNDS;
}

gboolean
cs_skip_init(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    const gint64 start = g_get_monotonic_time();
    *skip = (CsSkip){.mode = CS_SKIP_NONE};
    gboolean found = find(skip, whole, search, error);
    skip->seconds = seconds_since(start);
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
                "the sweep found score %" G_GINT64_FORMAT ", less than %" G_GINT64_FORMAT
                ", the score of an alignment found before it: "
                "please report this; to compute every cell, use --skip none and a new checkpoint",
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

CsSkipBounds
cs_skip_attach(const CsSkip *skip, CsRectangle *part, const CsGrid *grid, gint64 above, gint64 left,
               CsScore best)
{
    if (skip == NULL || skip->bounds == NULL)
        return (CsSkipBounds){0};
    const CsSkipBounds attached = {.part = part,
                                   .rows = cs_bounds_of_rows(skip->bounds, grid, above),
                                   .columns = cs_bounds_of_columns(skip->bounds, grid, left)};
    part->row_bounds = attached.rows;
    part->column_bounds = attached.columns;
    part->bounds_table = skip->bounds->table;
    part->above = above;
    part->left_of = left;
    part->threshold = MAX(skip->lower.score, best);
    return attached;
}

void
cs_skip_detach(CsSkipBounds *attached)
{
    if (attached->part != NULL) {
        attached->part->row_bounds = attached->part->column_bounds = NULL;
        attached->part->bounds_table = NULL;
    }
    g_free(attached->rows);
    g_free(attached->columns);
    *attached = (CsSkipBounds){0};
}
