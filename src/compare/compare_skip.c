/*
 * Finds out what may be skipped on each strand. That may take a minute, and the caller may ask to
 * stop meanwhile, so it runs on a thread of its own.
 */
#include <chromosweep/error.h>

#include "compare/comparison.h"
#include "skipping/skip_forecast.h"
#include "system/memory.h"
#include "system/parallel.h"

/* The most cells of a comparison whose stages begin before an engine is chosen. */
#define MOST_AHEAD 1.5e14

/* The search for both strands. What it reads is set before it begins. */
typedef struct {
    CsComparison *comparison;
    CsRectangle wholes[2];
    gboolean wanted[2];
    CsSkipSearch how;
    const CsKeep *keeps; /* of both strands, or NULL */
    CsSkipWatch watch;
    atomic_int strand; /* whose stages are running */
    gint stop;
    gboolean found;
    GError *error;
} Search;

CsRectangle
cs_compare_skip_rectangle(const CsComparison *comparison, CsStrand strand)
{
    const CsSkip *skip = &comparison->skips[strand];
    CsRectangle rectangle = cs_comparison_rectangle(comparison, strand);
    rectangle.skipping = cs_skip_wants_small_blocks(skip, comparison->sweep.engine->gpu);
    rectangle.share_left = skip->share_left;
    rectangle.narrow = skip->gains != NULL;
    return rectangle;
}

/* Forecasts the work of a strand. Then chain and cuts are no longer needed. */
static void
forecast_strand(CsComparison *comparison, CsStrand strand)
{
    CsSkip *skip = &comparison->skips[strand];
    const CsRectangle rectangle = cs_compare_skip_rectangle(comparison, strand);
    CsSweepOptions sweep = comparison->sweep;
    sweep.shape = comparison->wish;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    cs_skip_forecast_work(skip, &rectangle, grid, comparison->sweep.engine->gpu,
                          sweep.engine_options.threads, &comparison->forecasts[strand]);
    cs_compare_foretell_forecast(comparison, strand,
                                 cs_compare_progress_forecast(comparison, strand), grid);
    g_clear_pointer(&skip->chain, g_free);
    g_clear_pointer(&skip->cuts, g_free);
}

/* The search of one of the strands. */
static CsSkipSearch
how_of(const Search *search, const CsSkipSearch *how, CsStrand strand)
{
    CsSkipSearch own = *how;
    own.keep = search->keeps != NULL ? &search->keeps[strand] : NULL;
    own.ahead = strand == search->comparison->state.under_way ? search->comparison->ahead : NULL;
    return own;
}

/* A strand does not matter below the score of an alignment on the other one. */
static void
share_floors(Search *search, const CsSkipSearch *how)
{
    CsSkip *skips = search->comparison->skips;
    for (CsStrand strand = CS_STRAND_PLUS; search->found && strand <= CS_STRAND_MINUS; strand++) {
        const CsStrand other = strand == CS_STRAND_PLUS ? CS_STRAND_MINUS : CS_STRAND_PLUS;
        const CsSkipSearch own = how_of(search, how, strand);
        if (!search->wanted[strand] || !search->wanted[other])
            continue;
        search->strand = (int)strand;
        search->found = cs_skip_raise_floor(&skips[strand], &search->wholes[strand], &own,
                                            skips[other].lower.score, &search->error);
    }
}

/* The strands share the index, which is freed before the first sweep. A lower bound that is already
 * known belongs to the first strand. */
static void
search_strands(gpointer data)
{
    Search *search = data;
    CsSkipSearch how = search->how;
    g_autoptr(CsSeedsIndex) index = NULL;
    how.index = &index;
    how.stop = &search->stop;
    how.watch = &search->watch;
    search->found = TRUE;
    for (CsStrand strand = CS_STRAND_PLUS; search->found && strand <= CS_STRAND_MINUS; strand++)
        if (search->wanted[strand]) {
            CsSkipSearch own = how_of(search, &how, strand);
            search->strand = (int)strand;
            CsForetoldStrand of = {search->comparison, strand};
            const CsSkipNews news = {cs_compare_foretell_news, &of};
            own.time = &search->comparison->foretold[strand].time;
            own.news = search->comparison->options->progress != NULL ? &news : NULL;
            search->found = cs_skip_init(&search->comparison->skips[strand],
                                         &search->wholes[strand], &own, &search->error);
            cs_compare_foretell_end(search->comparison, strand);
            how.known = 0;
        }
    share_floors(search, &how);
    for (CsStrand strand = CS_STRAND_PLUS; search->found && strand <= CS_STRAND_MINUS; strand++)
        if (search->wanted[strand])
            forecast_strand(search->comparison, strand);
}

/* Asks the caller's control function during the search. */
static void
ask_control(gpointer data)
{
    Search *search = data;
    cs_compare_notes_tell(search->comparison);
    const CsControl control = cs_compare_control(search->comparison);
    cs_compare_progress_stage(search->comparison, (CsStage)search->watch.stage,
                              (CsStrand)search->strand, search->watch.lower_bound);
    if (control == CS_CONTROL_STOP || search->comparison->stopped)
        g_atomic_int_set(&search->stop, 1);
    if (control == CS_CONTROL_SAVE)
        search->comparison->asked_to_save = TRUE;
}

/* Leaves the search out, because nobody could stop it. */
static void
do_without(Search *search, const char *cause)
{
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if (search->wanted[strand])
            cs_skip_give_way(&search->comparison->skips[strand], cause);
}

/* Whether the search of a strand takes so long that someone may want to stop it. */
static gboolean
takes_time(const Search *search)
{
    gboolean takes_time = FALSE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        takes_time = takes_time || (search->wanted[strand] &&
                                    cs_skip_takes_time(&search->wholes[strand], &search->how));
    return takes_time;
}

/* Tells the first progress, with the stage that comes first. */
static void
tell_first(Search *search)
{
    const CsStrand strand = search->wanted[CS_STRAND_PLUS] ? CS_STRAND_PLUS : CS_STRAND_MINUS;
    CsSkipSearch how = search->how;
    how.keep = search->keeps != NULL ? &search->keeps[strand] : NULL;
    const CsStage stage = cs_skip_first_stage(&search->wholes[strand], &how);
    search->strand = (int)strand;
    search->watch.stage = (int)stage;
    cs_compare_progress_first(search->comparison, stage, strand);
}

/* Runs the search. If it is asked to stop when all is found, the sweep still computes its first
 * blocks, so that short runs get further, too. */
static gboolean
run_search(Search *search, GError **error)
{
    if (takes_time(search))
        cs_compare_foretell_begin(search->comparison, search->wanted);
    tell_first(search);
    if (takes_time(search)) {
        g_autoptr(GError) failure = NULL;
        CsThread *thread = cs_thread_new("skip", search_strands, search, &failure);
        if (thread == NULL) {
            do_without(search, failure->message);
            return TRUE;
        }
        cs_thread_join_asking(thread, ask_control, search);
        cs_compare_notes_tell(search->comparison);
    } else {
        search_strands(search);
    }
    if (search->stop != 0)
        search->comparison->stopped = TRUE;
    cs_compare_progress_stage(search->comparison, CS_STAGE_SWEEP, CS_STRAND_PLUS,
                              search->watch.lower_bound);
    if (!search->found)
        g_propagate_error(error, search->error);
    return search->found;
}

/* Runs the search with what earlier runs found, and keeps what it finds for later ones. */
static gboolean
run_kept_search(Search *search, GError **error)
{
    CsCompareKeep keep;
    if (!cs_compare_keep_pays(search->comparison, &search->wholes[0], &search->how))
        return run_search(search, error);
    search->how.give_up = cs_compare_keep_begin(&keep, search->comparison, "");
    search->keeps = keep.strands;
    const gboolean found = run_search(search, error);
    cs_compare_keep_end(&keep, found);
    return found;
}

/* Says what will be skipped. Warns if memory is short, but not for one of many pairs. */
static void
tell_skip(const CsComparison *comparison, const CsSkip *skip, const char *on, gboolean warned)
{
    if (skip->note != NULL && !warned)
        cs_compare_note(comparison,
                        comparison->options->one_of_many ? CS_NOTE_DETAIL : CS_NOTE_WARNING, "%s%s",
                        on, skip->note);
    if (skip->mode != CS_SKIP_NONE && skip->floor > skip->lower.score)
        cs_compare_note(comparison, CS_NOTE_DETAIL,
                        "%sskipping cells that cannot reach %" G_GINT64_FORMAT
                        ", and lower scores do not matter",
                        on, skip->floor);
    else if (skip->mode != CS_SKIP_NONE && skip->lower.score > 0)
        cs_compare_note(comparison, CS_NOTE_DETAIL,
                        "%sskipping cells that cannot reach %" G_GINT64_FORMAT
                        ", the score of an alignment found first",
                        on, skip->lower.score);
    else if (skip->mode != CS_SKIP_NONE)
        cs_compare_note(comparison, CS_NOTE_DETAIL,
                        "%sskipping cells that cannot reach the best score so far", on);
    else if (skip->note == NULL && skip->lower.seconds_seeds + skip->seconds_bounds > 0)
        cs_compare_note(comparison, CS_NOTE_DETAIL,
                        "%snothing is skipped: skipping would save little time", on);
}

/* Says it for each strand. If memory is short for both alike, there is one warning. */
static void
tell_skips(const CsComparison *comparison, const gboolean *wanted)
{
    const CsSkip *skips = comparison->skips;
    const gboolean both = comparison->options->strand == CS_STRAND_BOTH;
    const gboolean same = wanted[CS_STRAND_PLUS] && wanted[CS_STRAND_MINUS] &&
                          skips[CS_STRAND_PLUS].note != NULL &&
                          skips[CS_STRAND_MINUS].note != NULL &&
                          skips[CS_STRAND_PLUS].mode == skips[CS_STRAND_MINUS].mode;
    if (same)
        cs_compare_note(comparison,
                        comparison->options->one_of_many ? CS_NOTE_DETAIL : CS_NOTE_WARNING, "%s",
                        skips[CS_STRAND_PLUS].note);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if (wanted[strand])
            tell_skip(comparison, &skips[strand],
                      !both                      ? ""
                      : strand == CS_STRAND_PLUS ? "+: "
                                                 : "-: ",
                      same);
}

/* Why only the first members of a ring sweep the rectangle. */
static const char *
why_left(const CsComparison *comparison, const CsRectangle *rectangle, guint members)
{
    const CsEngineOptions *options = &comparison->sweep.engine_options;
    return comparison->sweep.engine->gpu && members == cs_ring_share_skippers(rectangle, options, 0)
               ? "which only GPUs of one process share"
               : "and more would only wait for each other";
}

/* Finds out which strands' sweeps leave members of a ring alone, and tells it once. */
static void
leave_members(CsComparison *comparison, const gboolean *wanted)
{
    gboolean told = FALSE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsRectangle rectangle = cs_compare_skip_rectangle(comparison, strand);
        const double cells =
            cs_work_forecast_cells(cs_compare_progress_forecast(comparison, strand));
        const guint members =
            wanted[strand] ? cs_compare_engine_most_members(comparison, &rectangle, cells) : 0;
        comparison->most_members[strand] = members;
        if (told || members == 0 || members == comparison->choice.n_members)
            continue;
        told = TRUE;
        cs_compare_note(comparison,
                        comparison->options->one_of_many || comparison->any_device
                            ? CS_NOTE_DETAIL
                            : CS_NOTE_WARNING,
                        "computing on %u of %u devices: cells can be skipped, %s", members,
                        comparison->choice.n_members, why_left(comparison, &rectangle, members));
    }
}

/* Gives up the bounds if they leave not enough memory for the sweep. */
static void
make_room(CsComparison *comparison)
{
    const gsize threads = comparison->sweep.engine_options.threads;
    const gsize bytes = (gsize)comparison->sweep_bytes + cs_thread_stacks(threads);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if (comparison->skips[strand].bounds != NULL && !cs_memory_has_room(bytes))
            cs_skip_give_way(&comparison->skips[strand],
                             "the sweep needs all the memory that ulimit -v allows");
}

void
cs_compare_skip_begin(CsComparison *comparison)
{
    const CsCompareOptions *options = comparison->options;
    const CsRectangle whole = cs_comparison_rectangle(comparison, comparison->state.under_way);
    const CsSkipSearch search = {.wanted = options->skip,
                                 .gpu = TRUE,
                                 .threads = comparison->sweep.engine_options.threads,
                                 .keep_chain = TRUE,
                                 .floor = comparison->floor,
                                 .hopeless = comparison->hopeless};
    /* Others have a driver already, something to resume, or so much to do that a driver starts in no time. */
    if (comparison->choice.engines[0]->gpu && comparison->checkpoint == NULL &&
        !options->one_of_many && !comparison->shared &&
        comparison->target == comparison->whole_target && (double)comparison->cells <= MOST_AHEAD)
        comparison->ahead = cs_skip_ahead_new(&whole, &search);
}

gboolean
cs_compare_skip_find(CsComparison *comparison, gboolean plus_complete, GError **error)
{
    CsState *state = &comparison->state;
    const gboolean both = comparison->options->strand == CS_STRAND_BOTH;
    Search search = {.comparison = comparison,
                     .how = {.wanted = comparison->options->skip,
                             .gpu = comparison->sweep.engine->gpu,
                             .sweep = comparison->sweep.engine->gpu ? &comparison->sweep : NULL,
                             .threads = comparison->sweep.engine_options.threads,
                             .keep_chain = TRUE,
                             .sweep_bytes = comparison->sweep_bytes,
                             .gain_sizes = comparison->gain_sizes,
                             .known = plus_complete ? 0 : state->threshold,
                             .floor = MAX(comparison->floor, state->plus.score),
                             .hopeless = comparison->hopeless}};
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        search.wholes[strand] = cs_comparison_rectangle(comparison, strand);
        search.wanted[strand] = strand == state->under_way || both;
    }
    if (plus_complete || state->under_way == CS_STRAND_MINUS)
        search.wanted[CS_STRAND_PLUS] = FALSE;
    if (!comparison->sweep.engine->gpu)
        g_clear_pointer(&comparison->ahead, cs_skip_ahead_free);
    const gboolean found = run_kept_search(&search, error);
    g_clear_pointer(&comparison->ahead, cs_skip_ahead_free);
    if (!found)
        return FALSE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsSkip *skip = &comparison->skips[strand];
        comparison->stages[strand] = (CsStageSeconds){
            .all = skip->seconds,
            .seeds = skip->lower.seconds_seeds,
            .chain = skip->lower.seconds_chain,
            .corridor = skip->lower.seconds_corridor,
            .bounds = skip->seconds_bounds,
        };
        CsStrandWork *work = &state->work[strand];
        work->cells_corridor = MAX(work->cells_corridor, skip->lower.cells_kept) +
                               skip->lower.cells_computed + skip->cells_gains;
    }
    make_room(comparison);
    tell_skips(comparison, search.wanted);
    leave_members(comparison, search.wanted);
    return TRUE;
}
