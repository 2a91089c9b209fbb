/* What a sweep may skip: runs the stages before it, and gives each part its bounds. */
#include <chromosweep/error.h>

#include "skipping/gains.h"
#include "skipping/kept_bounds.h"
#include "skipping/kept_gains.h"
#include "skipping/skip.h"
#include "skipping/skip_estimate.h"
#include "skipping/skip_guess.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

/* The plan's seconds, with which it chooses, are those of a faster machine than those of the stages
 * (stage_time.c). */
#define GAINS_SLOWER 3.0

/* Bytes that have to be left where stages run ahead. */
#define PLENTY ((guint64)8 << 30)

/* A search for bounds, on a thread of its own if one can be started. */
typedef struct {
    CsSurvey survey;      /* with a stop of its own */
    CsThread *thread;     /* or NULL */
    const gint *stop_all; /* the caller's, or NULL */
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
enter_step(const CsSkipSearch *search, CsStageStep step)
{
    if (search->time != NULL)
        cs_stage_time_enter(search->time, step, g_get_monotonic_time());
}

static void
enter(const CsSkipSearch *search, CsStage stage)
{
    if (search->watch != NULL)
        search->watch->stage = (int)stage;
    enter_step(search, stage == CS_STAGE_SEEDS      ? CS_STEP_SEEDS
                       : stage == CS_STAGE_CHAIN    ? CS_STEP_CHAIN
                       : stage == CS_STAGE_CORRIDOR ? CS_STEP_CORRIDOR
                                                    : CS_STEP_BOUNDS);
}

static void
tell_news(const CsSkip *skip, const CsSkipSearch *search, const CsGainTable *table, gboolean follow)
{
    if (search->news != NULL)
        search->news->func(skip, table, follow, search->news->data);
}

static CsGainSearch
gain_search_of(const CsSkip *skip, const CsSurvey *survey, const CsSkipSearch *search)
{
    return (CsGainSearch){.survey = survey,
                          .bounds = skip->bounds,
                          .lower_bound = skip->lower.score,
                          .gpu = search->gpu,
                          .sweep = search->sweep,
                          .chain = skip->chain,
                          .chain_length = skip->chain_length,
                          .sizes = search->gain_sizes};
}

/* Tells what can be guessed from the chain, until more is known. */
static void
tell_guess(const CsLowerBoundSearch *lower, const CsSurvey *survey, const CsSkipSearch *search)
{
    g_auto(CsSkip) guess = {0};
    if (search->news == NULL || lower->bound.chain == 0)
        return;
    cs_skip_guess_init(&guess, survey, lower->chain, lower->bound.chain);
    guess.floor = search->floor;
    const CsGainSearch gains = gain_search_of(&guess, survey, search);
    tell_news(&guess, search, NULL, search->keep_chain && cs_gain_plan_pays(&gains));
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

/* Waits for the bounds, or stops the search if they are not wanted any more. If there is no
 * thread, finds them now. */
static CsBounds *
end_bounds(BoundsWork *work, gboolean wanted, GError **error)
{
    if (!wanted)
        g_atomic_int_set(&work->stop, 1);
    if (work->thread != NULL) {
        cs_thread_join_asking(work->thread, pass_stop_on, work);
    } else if (wanted) {
        work->survey.stop = work->stop_all;
        find_bounds(work);
    }
    if (error != NULL && work->error != NULL)
        g_propagate_error(error, work->error);
    else
        g_clear_error(&work->error);
    return work->bounds;
}

/* Finds the seeds, with an index that is kept if the caller has a place for it. */
static gboolean
find_seeds(CsLowerBoundSearch *lower, const CsSurvey *survey, CsSeedsIndex **kept, GError **error)
{
    g_autoptr(CsSeedsIndex) own = NULL;
    return cs_lower_bound_find_seeds(lower, survey, kept != NULL ? kept : &own, error);
}

/* Computes the chain, then the corridor, unless the chain promises too little (*pays is FALSE). */
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
    if (*pays)
        tell_guess(lower, survey, search);
    if (*pays && !cs_lower_bound_sweep(lower, survey, error))
        return FALSE;
    skip->lower = lower->bound;
    if (search->watch != NULL)
        search->watch->lower_bound = lower->bound.score;
    if (search->keep_chain) {
        skip->chain = g_steal_pointer(&lower->chain);
        skip->chain_length = lower->bound.chain;
        skip->cuts = g_steal_pointer(&lower->cuts);
        skip->n_cuts = lower->n_cuts;
    }
    return TRUE;
}

/* Finds the lower bound and the bounds at the same time: from the beginning where a GPU will sweep, else
 * once there are seeds, whose search may be all that auto does. If the chain promises too little, there
 * are no bounds. */
static gboolean
find_both(CsSkip *skip, const CsSurvey *survey, const CsRectangle *whole,
          const CsSkipSearch *search, GError **error)
{
    g_auto(CsLowerBoundSearch) lower = {0};
    BoundsWork work = {.survey = *survey, .stop_all = search->stop};
    work.survey.stop = &work.stop;
    enter(search, CS_STAGE_SEEDS);
    if (search->gpu)
        work.thread = cs_thread_new("bounds", find_bounds, &work, NULL);
    gboolean pays = FALSE, found = find_seeds(&lower, survey, search->index, error);
    if (found && !search->gpu)
        work.thread = cs_thread_new("bounds", find_bounds, &work, NULL);
    found = found && find_lower_bound(skip, &lower, survey, whole, search, &pays, error);
    const gboolean wanted = found && pays;
    if (found)
        enter(search, CS_STAGE_BOUNDS);
    g_autoptr(CsBounds) bounds = end_bounds(&work, wanted, wanted ? error : NULL);
    skip->seconds_bounds = work.seconds;
    if (!wanted)
        return found;
    skip->bounds = g_steal_pointer(&bounds);
    return skip->bounds != NULL;
}

struct _CsSkipAhead {
    CsRectangle whole;
    CsSurvey survey;
    CsSkipSearch search; /* with the three that follow */
    CsSeedsIndex *index;
    CsSkipWatch watch;
    gint stop;
    gint64 start;
    CsSkip skip; /* what is found */
    gboolean found;
    CsThread *thread;          /* NULL: has been joined */
    const CsSkipSearch *taker; /* who waits for it */
    int stage;                 /* that it was told */
};

static void
run_ahead(gpointer data)
{
    CsSkipAhead *ahead = data;
    ahead->found = find_both(&ahead->skip, &ahead->survey, &ahead->whole, &ahead->search, NULL);
}

/* Tells who waits the stage, and passes a stop on. */
static void
follow_ahead(gpointer data)
{
    CsSkipAhead *ahead = data;
    const int stage = ahead->watch.stage;
    if (stage != ahead->stage)
        enter(ahead->taker, (CsStage)stage);
    ahead->stage = stage;
    if (cs_is_stopped(ahead->taker->stop))
        g_atomic_int_set(&ahead->stop, 1);
}

/* Takes over what has begun. Returns FALSE if all is still to be done. */
static gboolean
take_ahead(CsSkip *skip, const CsSkipSearch *search)
{
    CsSkipAhead *ahead = search->ahead;
    if (ahead == NULL || ahead->thread == NULL)
        return FALSE;
    ahead->taker = search;
    cs_thread_join_asking(g_steal_pointer(&ahead->thread), follow_ahead, ahead);
    if (!ahead->found || cs_is_stopped(search->stop))
        return FALSE;
    skip->lower = ahead->skip.lower;
    skip->seconds_bounds = ahead->skip.seconds_bounds;
    skip->bounds = g_steal_pointer(&ahead->skip.bounds);
    skip->chain = g_steal_pointer(&ahead->skip.chain);
    skip->chain_length = ahead->skip.chain_length;
    skip->cuts = g_steal_pointer(&ahead->skip.cuts);
    skip->n_cuts = ahead->skip.n_cuts;
    if (search->index != NULL && *search->index == NULL)
        *search->index = g_steal_pointer(&ahead->index);
    if (search->watch != NULL)
        search->watch->lower_bound = skip->lower.score;
    return TRUE;
}

/* Finds the bounds alone, because the lower bound is known. */
static gboolean
find_bounds_alone(CsSkip *skip, const CsSurvey *survey, GError **error)
{
    const gint64 start = g_get_monotonic_time();
    skip->bounds = cs_bounds_new(survey, error);
    skip->seconds_bounds = seconds_since(start);
    return skip->bounds != NULL;
}

/* The bytes that the stages need on this many threads, or afterwards the sweep with what they
 * leave. */
static guint64
needed_bytes(const CsRectangle *whole, const CsSkipSearch *search, guint threads)
{
    const gint64 m = cs_rectangle_m(whole), n = cs_rectangle_n(whole);
    const gboolean indexed = search->index != NULL && *search->index != NULL;
    guint64 kept;
    /* Without gains: where memory is short those are left out first. */
    const guint64 stages = cs_skip_memory(m, n, FALSE, threads, &kept);
    return MAX(stages - (indexed ? cs_seeds_index_memory(m, n) : 0),
               kept + (guint64)search->sweep_bytes);
}

/* How many threads there is memory for, as far as is known, at most those of the search; 0 if even
 * one needs too much. A limit of address space counts the stacks of the threads, too. */
static guint
threads_that_fit(const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    const char *limit = NULL;
    const gint64 left = cs_memory_left("/", &limit);
    guint64 needed = 0;
    for (guint threads = search->threads; threads > 0; threads /= 2) {
        needed = needed_bytes(whole, search, threads);
        const guint64 stacks = cs_thread_stacks(2 * (gsize)threads + 2);
        if (!cs_memory_has_room(needed + stacks))
            needed += stacks + CS_MEMORY_SPARE;
        else if (left < 0 || needed <= (guint64)left)
            return threads;
    }
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory to find others: up to %" G_GUINT64_FORMAT
                " MiB are needed, %" G_GINT64_FORMAT " MiB are available (%s)",
                (needed >> 20) + 1, left >> 20, limit);
    return 0;
}

static CsSurvey
survey_of(const CsRectangle *whole, const CsSkipSearch *search)
{
    return (CsSurvey){.rows = whole->rows,
                      .columns = whole->columns,
                      .scoring = whole->scoring,
                      .threads = search->threads,
                      .stop = search->stop,
                      .keep = search->keep};
}

static void
use_bounds(CsSkip *skip, const CsScoring *scoring)
{
    skip->mode = CS_SKIP_BOUNDS;
    skip->share_left = cs_skip_estimate_share_left(skip->bounds, skip->gains,
                                                   MAX(skip->lower.score, skip->floor), scoring);
}

/* Takes the chain that is kept and its cuts, from which progress is forecast. A state, where the search's `known`
 * comes from, has its own forecast. */
static void
load_chain(CsSkip *skip, const CsSurvey *survey, const CsSkipSearch *search)
{
    if (!search->keep_chain || search->known != 0)
        return;
    skip->chain = cs_lower_bound_load_chain(survey, &skip->chain_length);
    skip->cuts = cs_lower_bound_load_cuts(survey, &skip->n_cuts);
}

/* Whether there is memory for the gains beside what the sweep will need, as far as is known. */
static gboolean
gains_fit(const CsSurvey *survey, const CsSkipSearch *search)
{
    const char *limit = NULL;
    const gint64 left = cs_memory_left("/", &limit);
    const guint64 needed = cs_gains_memory(survey->rows.length, survey->columns.length, NULL);
    return left < 0 || needed + (guint64)search->sweep_bytes <= (guint64)left;
}

/* Who is told of gains. */
typedef struct {
    const CsSkip *skip;
    const CsSkipSearch *search;
} GainNews;

/* A CsGainWatch's function. */
static void
tell_gains(double done, const CsGainTable *far, gpointer data)
{
    const GainNews *news = data;
    if (news->search->time != NULL)
        cs_stage_time_done(news->search->time, GAINS_SLOWER * done);
    if (far != NULL)
        tell_news(news->skip, news->search, far, TRUE);
}

/* Counts the gains by a plan, and tells how far that is. */
static CsGainTable *
count_gains(CsSkip *skip, const CsSurvey *survey, const CsSkipSearch *search, CsGainPlan *plan,
            GError **error)
{
    GainNews news = {skip, search};
    const CsGainWatch watch = {tell_gains, &news};
    if (search->time != NULL || search->news != NULL) {
        plan->watch = &watch;
        if (plan->far != NULL)
            plan->far->watch = &watch;
    }
    if (search->time != NULL)
        cs_stage_time_expect(
            search->time, CS_STEP_GAINS,
            GAINS_SLOWER * cs_gain_plan_all_seconds(plan, survey->columns.length, survey->threads));
    enter_step(search, CS_STEP_GAINS);
    return cs_gains_new(plan, survey, skip->bounds, &skip->cells_gains, error);
}

/*
 * Finds the gains along the chain that was found or one that is kept. They are a part of the bounds,
 * and without enough memory for them the others do.
 */
static gboolean
find_gains(CsSkip *skip, const CsSurvey *survey, const CsSkipSearch *search, GError **error)
{
    const gint64 start = g_get_monotonic_time();
    g_autofree CsSeed *kept = NULL;
    g_autoptr(GError) failure = NULL;
    CsGainSearch gains = gain_search_of(skip, survey, search);
    if (!search->keep_chain)
        return TRUE;
    skip->gains = cs_kept_gains_load(survey);
    if (skip->gains != NULL)
        return TRUE;
    if (gains.chain == NULL)
        gains.chain = kept = cs_lower_bound_load_chain(survey, &gains.chain_length);
    g_auto(CsGainPlan) plan = {0};
    const gboolean pays =
        gains.chain != NULL && gains_fit(survey, search) && cs_gain_plan_init(&plan, &gains);
    tell_news(skip, search, NULL, pays);
    if (!pays)
        return TRUE;
    skip->gains = count_gains(skip, survey, search, &plan, &failure);
    skip->seconds_bounds += seconds_since(start);
    if (skip->gains != NULL)
        cs_kept_gains_save(survey->keep, skip->gains);
    if (failure != NULL && !g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    return TRUE;
}

/* Where the chain promises too little, a floor may promise enough. */
static gboolean
find_bounds_for_floor(CsSkip *skip, const CsSurvey *survey, const CsRectangle *whole,
                      const CsSkipSearch *search, GError **error)
{
    const gint64 bases = skip->floor / whole->scoring.match;
    if (skip->bounds != NULL || bases <= 0 || !cs_skip_estimate_stages_pay(whole, search, bases))
        return TRUE;
    enter(search, CS_STAGE_BOUNDS);
    return find_bounds_alone(skip, survey, error);
}

static gboolean
run_stages(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    CsSurvey survey = survey_of(whole, search);
    survey.threads = threads_that_fit(whole, search, error);
    skip->lower.score = search->known;
    const gboolean known =
        search->known > 0 || search->hopeless || cs_lower_bound_load(&skip->lower, &survey);
    enter(search, known ? CS_STAGE_BOUNDS : CS_STAGE_SEEDS);
    if (survey.threads == 0 ||
        !(known ? find_bounds_alone(skip, &survey, error)
                : take_ahead(skip, search) || find_both(skip, &survey, whole, search, error)))
        return FALSE;
    if (!find_bounds_for_floor(skip, &survey, whole, search, error))
        return FALSE;
    if (known)
        load_chain(skip, &survey, search);
    if (skip->bounds == NULL)
        return TRUE;
    use_bounds(skip, &whole->scoring);
    if (search->wanted == CS_SKIP_AUTO && !cs_skip_estimate_sweep_pays(search, skip->share_left))
        return TRUE;
    if (!find_gains(skip, &survey, search, error))
        return FALSE;
    if (skip->gains != NULL)
        use_bounds(skip, &whole->scoring);
    return TRUE;
}

/* Falls back to the bounds of CS_SKIP_BEST. If there is no memory for those either, nothing is
 * skipped. */
static void
take_best(CsSkip *skip, const CsRectangle *whole)
{
    skip->bounds = cs_bounds_new_of_matches(cs_rectangle_m(whole), cs_rectangle_n(whole),
                                            &whole->scoring, NULL);
    skip->mode = skip->bounds != NULL ? CS_SKIP_BEST : CS_SKIP_NONE;
}

/* Skips less because memory is short, and says so. */
static void
fall_back(CsSkip *skip, const CsRectangle *whole, CsScore known, const char *cause)
{
    skip->lower.score = MAX(skip->lower.score, known);
    take_best(skip, whole);
    if (skip->mode == CS_SKIP_NONE) {
        cs_skip_give_way(skip, cause);
        return;
    }
    skip->note = g_strdup_printf("only blocks that cannot reach the best score so far are skipped: "
                                 "%s",
                                 cause);
}

void
cs_skip_give_way(CsSkip *skip, const char *cause)
{
    const double seconds = skip->seconds;
    cs_skip_clear(skip);
    *skip = (CsSkip){.mode = CS_SKIP_NONE, .seconds = seconds};
    skip->note = g_strdup_printf("nothing is skipped: %s", cause);
}

/* Leaves the stages out. What earlier runs found is still used. */
static void
give_up(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search)
{
    const CsSurvey survey = survey_of(whole, search);
    if (cs_lower_bound_load(&skip->lower, &survey))
        load_chain(skip, &survey, search);
    skip->lower.score = MAX(skip->lower.score, search->known);
    skip->bounds = cs_kept_bounds_load(&survey);
    if (skip->bounds != NULL)
        skip->gains = cs_kept_gains_load(&survey);
    if (skip->bounds != NULL)
        use_bounds(skip, &whole->scoring);
    else
        take_best(skip, whole);
}

static gboolean
find(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    g_autoptr(GError) failure = NULL;
    const CsSkipMode mode = cs_skip_estimate_mode(whole, search);
    const gint64 least = MIN(cs_rectangle_m(whole), cs_rectangle_n(whole));
    /* Matches alone do not reach the floor, so that nothing need be found or computed. */
    const gboolean too_short =
        search->wanted != CS_SKIP_NONE && least > 0 && search->floor / whole->scoring.match > least;
    if (mode == CS_SKIP_NONE && !too_short)
        return TRUE;
    if (mode == CS_SKIP_BEST || too_short) {
        take_best(skip, whole);
        return TRUE;
    }
    if (search->give_up) {
        give_up(skip, whole, search);
    } else if (!run_stages(skip, whole, search, &failure)) {
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

/* Finds bounds for the floor, or none where they cost more than they save. */
static gboolean
find_late(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    CsSurvey survey = survey_of(whole, search);
    g_autoptr(GError) failure = NULL;
    survey.threads = threads_that_fit(whole, search, &failure);
    if (survey.threads == 0 || !find_bounds_for_floor(skip, &survey, whole, search, &failure)) {
        if (g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE)) /* then nothing is skipped */
            return TRUE;
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    if (skip->bounds != NULL)
        use_bounds(skip, &whole->scoring);
    if (skip->bounds != NULL && !cs_skip_estimate_sweep_pays(search, skip->share_left)) {
        g_clear_pointer(&skip->bounds, cs_bounds_free);
        skip->mode = CS_SKIP_NONE;
    }
    return TRUE;
}

gboolean
cs_skip_raise_floor(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search,
                    CsScore floor, GError **error)
{
    const gint64 start = g_get_monotonic_time();
    if (floor <= skip->floor)
        return TRUE;
    skip->floor = floor;
    if (skip->mode == CS_SKIP_BOUNDS)
        use_bounds(skip, &whole->scoring);
    if (skip->mode != CS_SKIP_NONE || search->give_up ||
        cs_skip_estimate_mode(whole, search) != CS_SKIP_AUTO)
        return TRUE;
    const gboolean found = find_late(skip, whole, search, error);
    skip->seconds += seconds_since(start);
    return found;
}

gboolean
cs_skip_takes_time(const CsRectangle *whole, const CsSkipSearch *search)
{
    const CsSkipMode mode = cs_skip_estimate_mode(whole, search);
    return mode == CS_SKIP_AUTO || mode == CS_SKIP_BOUNDS;
}

CsStage
cs_skip_first_stage(const CsRectangle *whole, const CsSkipSearch *search)
{
    const CsSurvey survey = survey_of(whole, search);
    CsLowerBound kept;
    if (search->give_up || !cs_skip_takes_time(whole, search))
        return CS_STAGE_SWEEP;
    return search->known > 0 || cs_lower_bound_load(&kept, &survey) ? CS_STAGE_BOUNDS
                                                                    : CS_STAGE_SEEDS;
}

/* Whether the machine has so much more memory than all that runs ahead that nothing depends on it. */
static gboolean
has_plenty(guint64 bytes)
{
    const char *limit = NULL;
    const gint64 left = cs_memory_left("/", &limit);
    const guint64 plenty = 8 * bytes + PLENTY;
    return cs_memory_has_room(plenty) && (left < 0 || (guint64)left >= plenty);
}

CsSkipAhead *
cs_skip_ahead_new(const CsRectangle *whole, const CsSkipSearch *search)
{
    if (!cs_skip_takes_time(whole, search) || search->known > 0 || search->floor > 0 ||
        search->hopeless || search->keep != NULL || search->give_up || search->threads == 0 ||
        !has_plenty(needed_bytes(whole, search, search->threads)))
        return NULL;
    CsSkipAhead *ahead = g_new0(CsSkipAhead, 1);
    ahead->whole = *whole;
    ahead->search = *search;
    ahead->search.index = &ahead->index;
    ahead->search.watch = &ahead->watch;
    ahead->search.stop = &ahead->stop;
    ahead->survey = survey_of(whole, &ahead->search);
    ahead->start = g_get_monotonic_time();
    ahead->watch.stage = ahead->stage = CS_STAGE_SEEDS;
    ahead->thread = cs_thread_new("ahead", run_ahead, ahead, NULL);
    if (ahead->thread != NULL)
        return ahead;
    g_free(ahead);
    return NULL;
}

void
cs_skip_ahead_free(CsSkipAhead *ahead)
{
    if (ahead == NULL)
        return;
    g_atomic_int_set(&ahead->stop, 1);
    if (ahead->thread != NULL)
        cs_thread_join(ahead->thread);
    cs_skip_clear(&ahead->skip);
    g_clear_pointer(&ahead->index, cs_seeds_index_free);
    g_free(ahead);
}

gboolean
cs_skip_init(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search, GError **error)
{
    const gint64 start = search->ahead != NULL ? search->ahead->start : g_get_monotonic_time();
    *skip = (CsSkip){.mode = CS_SKIP_NONE, .floor = search->floor};
    gboolean found = find(skip, whole, search, error);
    enter_step(search, CS_STEPS);
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
cs_skip_memory(gint64 m, gint64 n, gboolean gains, guint threads, guint64 *kept)
{
    guint64 of_bounds, of_gains;
    const guint64 lower = cs_lower_bound_memory(m, n, threads);
    const guint64 bounds = cs_bounds_memory(m, n, threads, &of_bounds);
    const guint64 counting = cs_gains_memory(m, n, &of_gains);
    *kept = of_bounds + (gains ? of_gains : 0);
    if (!gains)
        return lower + bounds;
    /* The index may be kept for the other strand. */
    return MAX(lower + bounds, cs_seeds_index_memory(m, n) + of_bounds + counting);
}

void
cs_skip_clear(CsSkip *skip)
{
    g_clear_pointer(&skip->bounds, cs_bounds_free);
    g_clear_pointer(&skip->gains, cs_gain_table_free);
    g_clear_pointer(&skip->chain, g_free);
    g_clear_pointer(&skip->cuts, g_free);
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
    part->gain_table = skip->gains;
    part->above = above;
    part->left_of = left;
    part->threshold = MAX(MAX(skip->lower.score, skip->floor), best);
    return attached;
}

void
cs_skip_detach(CsSkipBounds *attached)
{
    if (attached->part != NULL) {
        attached->part->row_bounds = attached->part->column_bounds = NULL;
        attached->part->bounds_table = NULL;
        attached->part->gain_table = NULL;
    }
    g_free(attached->rows);
    g_free(attached->columns);
    *attached = (CsSkipBounds){0};
}
