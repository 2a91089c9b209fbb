/*
 * What of each strand may be skipped. The search for it may take a minute, in which the caller may
 * ask to stop: it is then on a thread of its own.
 */
#include <chromosweep/error.h>

#include "compare/comparison.h"
#include "skipping/skip_forecast.h"
#include "system/parallel.h"

/* For both strands; what it reads of them is set before it begins. */
typedef struct {
    CsComparison *comparison;
    CsRectangle wholes[2];
    gboolean wanted[2];
    CsSkipSearch how;
    CsSkipWatch watch;
    atomic_int strand; /* whose stages are under way */
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
    return rectangle;
}

/* How much work is left of a strand. The chain has then served. */
static void
forecast_strand(CsComparison *comparison, CsStrand strand)
{
    CsSkip *skip = &comparison->skips[strand];
    const CsRectangle rectangle = cs_compare_skip_rectangle(comparison, strand);
    CsSweepOptions sweep = comparison->sweep;
    sweep.shape = comparison->wish;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    cs_skip_forecast_work(skip, &rectangle, grid, &comparison->forecasts[strand]);
    g_clear_pointer(&skip->chain, g_free);
}

/* The strands share the index, which goes before any is swept; a lower bound that is known is the
 * first one's. */
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
            search->strand = (int)strand;
            search->found = cs_skip_init(&search->comparison->skips[strand],
                                         &search->wholes[strand], &how, &search->error);
            how.known = 0;
            if (search->found)
                forecast_strand(search->comparison, strand);
        }
}

/* While it lasts. */
static void
ask_control(gpointer data)
{
    Search *search = data;
    const CsCompareOptions *options = search->comparison->options;
    CsControl control =
        options->control != NULL ? options->control(options->control_data) : CS_CONTROL_GO_ON;
    cs_compare_progress_stage(search->comparison, (CsStage)search->watch.stage,
                              (CsStrand)search->strand, search->watch.lower_bound);
    if (control == CS_CONTROL_STOP || search->comparison->stopped)
        g_atomic_int_set(&search->stop, 1);
    if (control == CS_CONTROL_SAVE)
        search->comparison->asked_to_save = TRUE;
}

static gboolean
run_search(Search *search, GError **error)
{
    gboolean takes_time = FALSE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        takes_time = takes_time || (search->wanted[strand] &&
                                    cs_skip_takes_time(&search->wholes[strand], &search->how));
    if (takes_time) {
        CsThread *thread = cs_thread_new("skip", search_strands, search, error);
        if (thread == NULL)
            return FALSE;
        cs_thread_join_asking(thread, ask_control, search);
    } else {
        search_strands(search);
    }
    cs_compare_progress_stage(search->comparison, CS_STAGE_SWEEP, CS_STRAND_PLUS,
                              search->watch.lower_bound);
    if (!search->found)
        g_propagate_error(error, search->error);
    else if (search->stop != 0)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped before the first cell");
    return search->found && search->stop == 0;
}

/* Tells what will be skipped; of memory that is short only once, and of many pairs. */
static void
tell_skip(const CsComparison *comparison, const CsSkip *skip, const char *on, gboolean noted)
{
    if (skip->note != NULL && !noted)
        cs_compare_note(comparison,
                        comparison->options->one_of_many ? CS_NOTE_DETAIL : CS_NOTE_WARNING, "%s",
                        skip->note);
    if (skip->mode != CS_SKIP_NONE && skip->lower.score > 0)
        cs_compare_note(comparison, CS_NOTE_DETAIL,
                        "%sskipping cells that cannot reach %" G_GINT64_FORMAT
                        ", the score of an alignment found first",
                        on, skip->lower.score);
    else if (skip->mode != CS_SKIP_NONE)
        cs_compare_note(comparison, CS_NOTE_DETAIL,
                        "%sskipping cells that cannot reach the best score so far", on);
    else if (skip->note == NULL && skip->lower.seconds_seeds + skip->seconds_bounds > 0)
        cs_compare_note(comparison, CS_NOTE_DETAIL, "%sskipping nothing: it would save little time",
                        on);
}

gboolean
cs_compare_skip_find(CsComparison *comparison, gboolean plus_complete, GError **error)
{
    CsState *state = &comparison->state;
    const gboolean both = comparison->options->strand == CS_STRAND_BOTH;
    Search search = {.comparison = comparison,
                     .how = {.wanted = comparison->options->skip,
                             .gpu = comparison->sweep.engine->gpu,
                             .threads = comparison->sweep.engine_options.threads,
                             .keep_chain = TRUE,
                             .known = plus_complete ? 0 : state->threshold}};
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        search.wholes[strand] = cs_comparison_rectangle(comparison, strand);
        search.wanted[strand] = strand == state->under_way || both;
    }
    if (plus_complete || state->under_way == CS_STRAND_MINUS)
        search.wanted[CS_STRAND_PLUS] = FALSE;
    if (!run_search(&search, error))
        return FALSE;
    gboolean noted = FALSE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsSkip *skip = &comparison->skips[strand];
        comparison->stages[strand] = (CsStageSeconds){
            .all = skip->seconds,
            .seeds = skip->lower.seconds_seeds,
            .chain = skip->lower.seconds_chain,
            .corridor = skip->lower.seconds_corridor,
            .bounds = skip->seconds_bounds,
        };
        state->work[strand].cells_corridor += skip->lower.cells_computed;
        if (search.wanted[strand])
            tell_skip(comparison, skip,
                      !both                      ? ""
                      : strand == CS_STRAND_PLUS ? "+: "
                                                 : "-: ",
                      noted);
        noted = noted || skip->note != NULL; /* the other strand's cause is the same */
    }
    return TRUE;
}
