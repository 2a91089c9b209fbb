/* Plans a comparison: makes the same decisions as cs_compare(), and measures the speed. */
#include <unistd.h>

#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>
#include <chromosweep/plan.h>

#include "checkpoint/checkpoint_manifest.h"
#include "checkpoint/found_trace.h"
#include "compare/align_set.h"
#include "compare/circle.h"
#include "compare/comparison.h"
#include "compare/needs.h"
#include "compare/plan_range.h"
#include "ranks/remote.h"
#include "skipping/skip_forecast.h"
#include "system/display.h"

/* What a checkpoint holds: by default, nothing. */
typedef struct {
    gint64 cells;  /* that its newest good state covers */
    double swept;  /* the share of the sweeps' work */
    double traced; /* the share of tracing back the better strand */
    double again;  /* the share of the strands whose sweep begins without rows for that */
} Done;

/* Fills what depends on single strands. */
static void
add_strands(Done *done, const char *directory, const CsStateHead *head)
{
    const CsState *state = &head->state;
    const CsStrand wanted = head->record->strand;
    const double share = wanted == CS_STRAND_BOTH ? 0.5 : 1;
    const gboolean complete = done->cells >= cs_fingerprint_record_cells(head->record);
    done->traced = 1;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsBest *best = strand != state->under_way ? &state->plus : &state->staircase.best;
        if ((wanted != CS_STRAND_BOTH && wanted != strand) || strand > state->under_way)
            continue;
        /* A strand that scores less than the other is not traced. */
        const gboolean worse =
            best->score <
            MAX(state->min_score, MAX(state->plus.score, state->staircase.best.score));
        const double traced = !complete ? 0
                              : worse   ? 1
                                        : cs_found_traced(directory, head->record, strand, best);
        const gboolean begun = strand != state->under_way || state->staircase.row > 0;
        done->traced = MIN(done->traced, traced);
        if (begun && traced < 1 && !cs_found_has_rows(directory, strand))
            done->again += share;
    }
}

/* What the newest good state covers, and what stands beside it. */
static gboolean
read_checkpoint(const char *directory, Done *done, GError **error)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, TRUE, error);
    if (info == NULL)
        return FALSE;
    for (guint k = 0; k < info->n_generations; k++)
        if (info->generations[k].fault == NULL) {
            g_auto(CsStateHead) head = {0};
            const int fd =
                cs_generation_open(directory, info->generations[k].number, NULL, &head, error);
            if (fd < 0)
                return FALSE;
            close(fd); /* it was only read */
            done->cells = head.state.cells;
            done->swept = cs_state_fraction(&head.state, cs_fingerprint_record_cells(head.record));
            add_strands(done, directory, &head);
            return TRUE;
        }
    g_autofree char *shown = cs_display_name(directory);
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT, "checkpoint %s has no usable generation",
                shown);
    return FALSE;
}

/* The grid of a sweep that skips in small blocks. */
static CsGrid *
plan_skipping(const CsComparison *comparison, const CsSkipForecast *told)
{
    CsRectangle rectangle = cs_comparison_rectangle(comparison, comparison->state.under_way);
    CsSweepOptions sweep = comparison->sweep;
    const double cells = (double)cs_rectangle_m(&rectangle) * (double)cs_rectangle_n(&rectangle);
    rectangle.skipping = TRUE;
    rectangle.share_left = told->share_left;
    rectangle.narrow = told->narrow;
    sweep.shape = comparison->wish;
    sweep.shape.members =
        cs_compare_engine_most_members(comparison, &rectangle, MAX(told->share, 0) * cells);
    return cs_sweep_plan(&rectangle, &sweep);
}

/* What a strand's sweep can be expected to do, in what is left of `most` seconds. A score of the other strand
 * is its floor. */
static void
forecast_strand(CsPlan *plan, const CsComparison *comparison, CsStrand strand, double most,
                CsSkipQuestion *question, CsSkipForecast *forecast)
{
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, strand);
    question->whole = &rectangle;
    question->most = most - plan->seconds_before;
    question->search.floor = MAX(comparison->floor, plan->lower_bound);
    cs_skip_forecast(question, forecast);
    plan->lower_bound = MAX(plan->lower_bound, forecast->lower_bound);
    plan->seconds_before += forecast->seconds;
}

/*
 * Forecasts what a run will skip on each strand, within `most` seconds in all. The plan can tell
 * the mode of one strand only; *told is the forecast for that strand, with the cells that the stages
 * of all strands computed and the effort of all sweeps.
 */
static void
forecast_strands(CsPlan *plan, const CsComparison *comparison, double most, CsSkipForecast *told)
{
    const CsStrand wanted = comparison->options->strand;
    const gboolean both = wanted == CS_STRAND_BOTH;
    const double cells = (double)plan->cells / (both ? 2 : 1);
    CsSweepOptions sweep = comparison->sweep;
    g_autoptr(CsSeedsIndex) index = NULL; /* of both strands */
    CsSkipQuestion question = {.sweep = &sweep,
                               .search = {.wanted = comparison->options->skip,
                                          .gpu = comparison->sweep.engine->gpu,
                                          .sweep = sweep.engine->gpu ? &comparison->sweep : NULL,
                                          .threads = comparison->sweep.engine_options.threads,
                                          .sweep_bytes = cs_needs_of_sweep(plan),
                                          .keep_chain = TRUE,
                                          .index = both ? &index : NULL}};
    CsSkipForecast forecasts[2] = {0};
    double expected = 0, effort = 0;
    gint64 before = 0;
    sweep.shape = comparison->wish;
    plan->skip = CS_SKIP_NONE;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        if (both || wanted == strand)
            forecast_strand(plan, comparison, strand, most, &question, &forecasts[strand]);
    CsSkipForecast *plus = &forecasts[CS_STRAND_PLUS];
    if (both && plus->mode == CS_SKIP_NONE && plan->lower_bound > plus->lower_bound)
        forecast_strand(plan, comparison, CS_STRAND_PLUS, most, &question, plus);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsSkipForecast *forecast = &forecasts[strand];
        if (!both && wanted != strand)
            continue;
        /* If only one strand is skipped, its mode is told; but an unknown mode goes first. */
        if (plan->skip == CS_SKIP_NONE || forecast->mode == CS_SKIP_AUTO) {
            plan->skip = forecast->mode;
            *told = *forecast;
        }
        before += forecast->cells_before;
        /* A strand that is not skipped takes its cells. */
        effort += forecast->effort >= 0 ? forecast->effort : cells;
        expected = expected < 0 || forecast->share < 0
                       ? -1
                       : expected + forecast->share * cells + (double)forecast->cells_before;
    }
    plan->cells_expected = (gint64)MIN(expected, (double)G_MAXINT64 / 2);
    told->cells_before = before;
    told->effort = effort;
}

/* How long the sweeps take at the speed that was measured, and what comes before them. */
static void
fill_seconds(CsPlan *plan, const Done *done, const CsSkipForecast *told)
{
    const double cells = (double)plan->cells;
    if (plan->cells_a_second <= 0)
        return;
    double sweep = cells;
    if (plan->skip == CS_SKIP_BOUNDS && plan->cells_expected >= 0)
        sweep = MIN(cells, told->effort);
    sweep /= plan->cells_a_second;
    plan->seconds = sweep + plan->seconds_before;
    plan->seconds_left =
        done->cells < plan->cells ? sweep * (1 - done->swept) + plan->seconds_before : 0;
}

/* The share of the cells that a sweep will compute, as far as it is known. */
static double
share_expected(const CsPlan *plan)
{
    const double cells = (double)plan->cells;
    const gboolean skips = plan->skip == CS_SKIP_BOUNDS && plan->cells_expected >= 0 && cells > 0;
    return skips ? MIN(1, (double)plan->cells_expected / cells) : 1;
}

/* The distance of the rows that a sweep would keep, at least a second one; 0: none are kept. */
static gint64
row_distance(const CsPlan *plan, CsComparison *comparison)
{
    CsRectangle matrix = cs_comparison_rectangle(comparison, comparison->state.under_way);
    matrix.share_left = share_expected(plan);
    matrix.skipping = matrix.share_left < 1;
    g_autoptr(CsRows) rows =
        cs_compare_rows_new(comparison, comparison->state.under_way, &matrix, TRUE);
    return rows != NULL && cs_rows_count(rows) > 0 ? cs_rows_at(rows, 0) : 0;
}

/* The memory or disk that the rows of an alignment add. */
static void
add_rows(CsPlan *plan, const CsComparison *comparison)
{
    gint64 expected = 0;
    const gint64 packing = cs_compare_rows_packing_bytes(comparison);
    plan->row_bytes = cs_compare_rows_bytes(comparison, share_expected(plan), &expected);
    plan->host_bytes_engine += packing;
    plan->host_bytes += packing;
    if (comparison->options->checkpoint != NULL) {
        plan->disk_bytes += plan->row_bytes;
        plan->disk_bytes_expected += expected;
    } else {
        plan->host_bytes += plan->row_bytes;
    }
}

/* The time that an alignment adds: its trace, and a second sweep where the first keeps no rows, or
 * kept none. `compared` is that of comparing. */
static void
add_trace(CsPlan *plan, CsComparison *comparison, const Done *done, double compared)
{
    const gint64 distance = row_distance(plan, comparison);
    const double expected =
        distance > 0 ? cs_compare_progress_trace_seconds(comparison, distance) : -1;
    const double trace = expected >= 0 ? expected : compared * (1 / CS_PROGRESS_SWEEPS - 1);
    const gboolean always = cs_compare_rows_budget(comparison) == 0;
    if (plan->cells_a_second <= 0)
        return;
    plan->seconds += trace;
    plan->seconds_left += trace * (1 - done->traced);
    if (distance > 0 && always)
        plan->seconds += compared;
    if (distance > 0)
        plan->seconds_left += compared * (always ? 1 - done->traced : done->again);
}

/* What the proof adds: the work of the comparison once more, on the reversed sequences, after all
 * else and in memory that the sweep had. Its state in a checkpoint takes less than the generations
 * that are gone by then (GENERATIONS in needs.c). How far an earlier run came with it is not looked
 * at. */
static void
add_proof(CsPlan *plan, double compared)
{
    plan->seconds += compared;
    plan->seconds_left += compared;
}

/* What each device of a ring gets. */
static void
fill_members(CsPlan *plan, const CsComparison *comparison, const CsRectangle *rectangle,
             const CsGrid *grid)
{
    const CsDeviceChoice *choice = &comparison->choice;
    g_autofree CsShare *shares = g_new0(CsShare, CS_PLAN_MEMBERS);
    const guint working = cs_compare_engine_members(comparison, rectangle, grid, shares);
    G_STATIC_ASSERT(CS_PLAN_MEMBERS == CS_DEVICE_MEMBERS);
    plan->n_members = choice->n_members;
    for (guint k = 0; k < choice->n_members; k++) {
        const char *far = cs_remote_name(&choice->members[k]);
        plan->members[k] =
            (CsPlanMember){.device = far != NULL ? far : cs_device_choice_name(choice, k),
                           .threads = k < working ? shares[k].threads : 0,
                           .rows = k < working ? shares[k].grid.m : 0};
        cs_ring_share_clear(&shares[k]);
    }
}

static void
fill_grid(CsPlan *plan, const CsComparison *comparison, const CsRectangle *rectangle,
          const CsGrid *grid)
{
    fill_members(plan, comparison, rectangle, grid);
    plan->block_rows = grid->block_rows;
    plan->block_columns = grid->block_columns;
    plan->blocks_a_diagonal = grid->depth;
    plan->block_height = grid->block_height;
    plan->block_width = grid->block_width;
}

/* Memory may be enough and yet run out. */
static void
warn_of_memory(const CsPlan *plan, const CsComparison *comparison)
{
    g_autofree char *doubt = cs_needs_doubt(plan);
    if (doubt != NULL)
        cs_compare_note(comparison, CS_NOTE_WARNING, "%s", doubt);
}

/*
 * Makes the decisions that cs_compare() makes before it sweeps, except about memory. Leaves the
 * checkpoint as it is. *is_new says whether there is nothing to resume from.
 */
static gboolean
prepare(CsComparison *comparison, gboolean *is_new, GError **error)
{
    const CsCompareOptions *options = comparison->options;
    const char *directory = options->checkpoint;
    *is_new = TRUE;
    if (!cs_compare_options_read(comparison, error))
        return FALSE;
    if (!options->one_of_many)
        cs_compare_notes_look(comparison);
    /* The folder of one of many pairs is created when the pair is first run. Before that there is
     * nothing to open. */
    if (directory != NULL &&
        !(options->one_of_many && !g_file_test(directory, G_FILE_TEST_IS_DIR))) {
        g_autoptr(CsCheckpoint) checkpoint = cs_compare_options_open_checkpoint(comparison, error);
        if (checkpoint == NULL)
            return FALSE;
        *is_new = cs_checkpoint_is_new(checkpoint);
    }
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, comparison->state.under_way);
    return cs_compare_engine_choose(comparison, &rectangle, error);
}

/* Whether anything is left that takes a sweep, or time in proportion to one. */
static gboolean
is_something_left(const CsPlan *plan, const CsCompareOptions *options, const Done *done)
{
    return done->cells < plan->cells || options->verify || (!options->no_start && done->traced < 1);
}

/* Fills the plan for a comparison whose engine and grid are chosen; done is what is done of it. */
static gboolean
fill(CsPlan *plan, CsComparison *comparison, const Done *done, double probe, GError **error)
{
    const CsCompareOptions *options = comparison->options;
    CsRectangle rectangle = cs_comparison_rectangle(comparison, comparison->state.under_way);
    const CsEngineClass *engine = comparison->sweep.engine;
    plan->engine = engine->name;
    plan->device = engine->gpu ? comparison->phrase : NULL;
    if (probe > 0 && plan->cells > 0 &&
        !cs_compare_probe(comparison, &comparison->sweep, comparison->grid, probe,
                          &plan->cells_a_second, error))
        return FALSE;
    cs_needs_fill(plan, comparison, &rectangle);
    CsSkipForecast told = {0};
    const gboolean seek =
        probe > 0 && is_something_left(plan, options, done) && cs_needs_check_memory(plan, NULL);
    forecast_strands(plan, comparison, seek ? CS_PLAN_SKIP : 0, &told);
    if (plan->skip == CS_SKIP_NONE)
        cs_needs_drop_bounds(plan, comparison, &rectangle);
    g_autoptr(CsGrid) small = told.small ? plan_skipping(comparison, &told) : NULL;
    rectangle.skipping = told.small;
    fill_grid(plan, comparison, &rectangle, told.small ? small : comparison->grid);
    fill_seconds(plan, done, &told);
    const double compared = plan->seconds;
    if (!options->no_start) {
        add_rows(plan, comparison);
        add_trace(plan, comparison, done, compared);
    }
    if (options->verify)
        add_proof(plan, compared);
    warn_of_memory(plan, comparison);
    return TRUE;
}

/* For circular records: the comparison of doubled sequences, the first and usually the only one; or their
 * set, unless it is NULL. */
static gboolean
plan_circular(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
              const CsAlignSetOptions *set, double probe, CsPlan *plan, GError **error)
{
    g_auto(CsComparison) comparison;
    CsSetWork work = {.target = target, .query = query};
    CsCompareOptions linear = *options;
    linear.circular = CS_CIRCULAR_NONE;
    linear.checkpoint = NULL; /* what is left of a search on circles is not known */
    cs_comparison_init(&comparison, target, query, options);
    const gboolean done =
        cs_compare_options_read(&comparison, error) &&
        cs_circle_double(&work, options->circular, error) &&
        (set != NULL ? cs_plan_set(work.target, work.query, &linear, set, probe, plan, error)
                     : cs_plan(work.target, work.query, &linear, probe, plan, error));
    cs_circle_release(&work);
    return done;
}

gboolean
cs_plan(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
        double probe, CsPlan *plan, GError **error)
{
    if (options != NULL && options->circular != CS_CIRCULAR_NONE)
        return plan_circular(target, query, options, NULL, probe, plan, error);
    g_auto(CsComparison) comparison;
    gboolean is_new;
    cs_comparison_init(&comparison, target, query, options);
    if (!prepare(&comparison, &is_new, error))
        return FALSE;
    CsPlan made = {.cells = comparison.cells};
    Done done = {0};
    if (!is_new && !read_checkpoint(comparison.options->checkpoint, &done, error))
        return FALSE;
    made.cells_done = done.cells;
    if (!fill(&made, &comparison, &done, probe, error))
        return FALSE;
    *plan = made;
    return TRUE;
}

/* The same for all alignments of a set. */
static gboolean
fill_all(CsPlan *plan, CsComparison *comparison, CsScore least, double probe, GError **error)
{
    double borders;
    if (!cs_all_borders(comparison, least, &borders, error) ||
        (probe > 0 && plan->cells > 0 &&
         !cs_compare_probe(comparison, &comparison->sweep, comparison->grid, probe,
                           &plan->cells_a_second, error)))
        return FALSE;
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, comparison->state.under_way);
    cs_needs_fill(plan, comparison, &rectangle);
    cs_needs_fill_all(plan, comparison, borders);
    plan->engine = comparison->sweep.engine->name;
    plan->threads = comparison->sweep.engine_options.threads;
    plan->skip = CS_SKIP_NONE;
    plan->cells_expected = plan->cells;
    if (plan->cells_a_second > 0)
        plan->seconds = plan->seconds_left = (double)plan->cells / plan->cells_a_second;
    fill_grid(plan, comparison, &rectangle, comparison->grid);
    cs_plan_range_all(plan, (double)comparison->target->length + (double)comparison->query->length);
    warn_of_memory(plan, comparison);
    return TRUE;
}

static gboolean
plan_all(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
         CsScore least, double probe, CsPlan *plan, GError **error)
{
    CsCompareOptions dense = *options;
    g_auto(CsComparison) comparison;
    gboolean is_new;
    cs_comparison_init(&comparison, target, query, options);
    dense.skip = CS_SKIP_NONE;
    comparison.options = &dense;
    if (!prepare(&comparison, &is_new, error))
        return FALSE;
    CsPlan made = {.cells = comparison.cells};
    if (!fill_all(&made, &comparison, least, probe, error))
        return FALSE;
    *plan = made;
    return TRUE;
}

gboolean
cs_plan_set(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
            const CsAlignSetOptions *set, double probe, CsPlan *plan, GError **error)
{
    static const CsCompareOptions defaults = CS_COMPARE_OPTIONS_INIT;
    const CsCompareOptions *own = options != NULL ? options : &defaults;
    if (!cs_set_check(own, set, error))
        return FALSE;
    if (set->rule == CS_ALIGN_SET_ALL)
        return own->circular != CS_CIRCULAR_NONE
                   ? plan_circular(target, query, own, set, probe, plan, error)
                   : plan_all(target, query, own, MAX(1, set->min_score), probe, plan, error);
    if (!cs_plan(target, query, own, probe, plan, error))
        return FALSE;
    const CsScore match = own->scoring.match;
    if (own->circular != CS_CIRCULAR_BOTH)
        cs_plan_range_one_to_one(plan, target->length, query->length,
                                 own->strand == CS_STRAND_BOTH ? 2 : 1, plan->lower_bound / match,
                                 set->min_score / match);
    return TRUE;
}

gboolean
cs_plan_check(const CsPlan *plan, GError **error)
{
    return cs_needs_check_memory(plan, error) && cs_needs_check_disk(plan, error);
}
