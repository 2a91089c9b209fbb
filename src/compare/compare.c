/* The main job: a sweep over the whole matrix of two sequences, or one for each strand. */
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "checkpoint/found.h"
#include "compare/circle.h"
#include "compare/comparison.h"
#include "compare/far.h"
#include "compare/resumable.h"
#include "system/memory.h"

CsControl
cs_compare_control(const CsComparison *comparison)
{
    const CsCompareOptions *options = comparison->options;
    return options->control != NULL ? options->control(options->control_data) : CS_CONTROL_GO_ON;
}

static void
tell_threads(CsComparison *comparison, const CsSweepState *sweep)
{
    if (sweep->threads >= sweep->threads_wanted || comparison->threads_told)
        return;
    comparison->threads_told = TRUE;
    cs_compare_note(comparison, CS_NOTE_WARNING,
                    "computing on %u of %u threads: no more can be started", sweep->threads,
                    sweep->threads_wanted);
}

/* A CsResumableFunc: of all strands and runs. */
static CsSweepAction
watch(const CsSweepState *sweep, double next, gpointer user_data)
{
    CsComparison *comparison = user_data;
    cs_compare_notes_tell(comparison);
    tell_threads(comparison, sweep);
    const CsControl control = cs_compare_control(comparison);
    cs_compare_progress_sweep(comparison, sweep, next);
    if (comparison->stopped || control == CS_CONTROL_STOP)
        return CS_SWEEP_STOP;
    const gboolean save = control == CS_CONTROL_SAVE || comparison->asked_to_save;
    comparison->asked_to_save = FALSE;
    return save ? CS_SWEEP_KEEP : CS_SWEEP_GO_ON;
}

/* A CsSweepFunc, without a checkpoint: the state is that of a strand that is complete. */
static CsSweepAction
watch_at_once(const CsSweepState *sweep, gpointer user_data)
{
    CsComparison *comparison = user_data;
    const CsState *state = &comparison->state;
    CsSweepState all = *sweep;
    all.cells += state->cells;
    all.cells_computed += state->cells_computed;
    if (sweep->columns != NULL)
        cs_work_meter_stand(&comparison->work, sweep->block_rows, sweep->columns,
                            sweep->in_progress);
    all.cells_expected = cs_work_meter_expected(&comparison->work, sweep->diagonals,
                                                all.cells_computed, &sweep->best);
    all.seconds += state->seconds;
    return watch(&all, -1, comparison);
}

/* A sweep of the strand finds this score and higher ones; lower ones may have been skipped, in this
 * run or before. */
static CsScore
floor_of(const CsComparison *comparison, CsStrand strand)
{
    return MAX(comparison->state.work[strand].floor, comparison->skips[strand].floor);
}

/* Sweeps the whole matrix of the current strand at once. */
static gboolean
sweep_at_once(CsComparison *comparison, CsRectangle *rectangle, GError **error)
{
    CsState *state = &comparison->state;
    const CsSkip *skip = &comparison->skips[state->under_way];
    CsSweepOptions sweep = comparison->sweep;
    const CsGrid *grid = comparison->grid;
    g_autoptr(CsGrid) other = NULL;
    if (rectangle->skipping || rectangle->n_special_rows > 0) { /* in other blocks */
        sweep.shape = comparison->wish;
        grid = other = cs_sweep_plan(rectangle, &sweep);
    }
    CsSweepState swept;
    sweep.func = watch_at_once;
    sweep.func_data = comparison;
    const CsWorkPace pace = cs_work_meter_pace(rectangle, &sweep);
    cs_work_meter_begin_part(&comparison->work, grid, &pace, 0, 0, NULL);
    CsSkipBounds attached = cs_skip_attach(skip, rectangle, grid, 0, 0, 0);
    gboolean done = cs_sweep_run(rectangle, grid, &sweep, &swept, error);
    cs_skip_detach(&attached);
    if (!done)
        return FALSE;
    CsStrandWork *work = &state->work[state->under_way];
    state->staircase.best = swept.best;
    state->cells += swept.cells;
    state->cells_computed += swept.cells_computed;
    state->seconds += swept.seconds;
    work->cells_computed = swept.cells_computed;
    work->seconds = swept.seconds;
    state->engine = sweep.engine->name;
    state->device = sweep.engine->gpu ? comparison->phrase : NULL;
    state->threads = MAX(state->threads, swept.threads);
    return TRUE;
}

/* Keeps the marks that belong to a state, or to a later one. */
static void
keep_marks(const CsComparison *comparison, gint64 cells)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GError) failure = NULL;
    g_array_append_val(numbers, cells);
    cs_end_marks_write(comparison->marks, numbers);
    if (!cs_found_save(comparison->checkpoint, CS_FOUND_MARKS, (gint64 *)(gpointer)numbers->data,
                       numbers->len, &failure))
        cs_compare_note(comparison, CS_NOTE_WARNING,
                        "could not save where alignments end; continuing: %s", failure->message);
}

/* Marks what an earlier run marked before it saved the state. */
static gboolean
load_marks(const CsComparison *comparison, GError **error)
{
    gint64 count = 0;
    g_autofree gint64 *numbers = cs_found_load(comparison->checkpoint, CS_FOUND_MARKS, &count);
    if (numbers != NULL && count > 0 && numbers[0] >= comparison->state.cells &&
        cs_end_marks_read(comparison->marks, numbers + 1, count - 1))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                        "what was saved of where alignments end is missing or damaged");
    return FALSE;
}

/* A CsResumableMarkFunc. */
static void
mark_state(const CsStaircase *staircase, gboolean complete, gpointer user_data)
{
    CsComparison *comparison = user_data;
    cs_compare_rows_mark(comparison, staircase, complete);
    if (comparison->marks != NULL)
        keep_marks(comparison, complete ? comparison->cells : cs_staircase_cells(staircase));
}

/* Sweeps what is left of the current strand, from the state on, and saves states. */
static gboolean
sweep_resumable(CsComparison *comparison, const CsRectangle *rectangle, GError **error)
{
    CsState *state = &comparison->state;
    const gboolean second =
        state->under_way == CS_STRAND_MINUS && comparison->options->strand == CS_STRAND_BOTH;
    CsSweepOptions sweep = comparison->sweep;
    sweep.shape = comparison->wish; /* each part gets its own grid */
    CsResumableOptions options = {
        .whole = rectangle,
        .skip = &comparison->skips[state->under_way],
        .work = &comparison->work,
        .cells_before = second ? comparison->cells / 2 : 0,
        .sweep = &sweep,
        .func = watch,
        .mark = mark_state,
        .func_data = comparison,
        .floor = floor_of(comparison, state->under_way),
        .checkpoint = comparison->checkpoint,
        .interval = cs_compare_options_interval(comparison),
        .threads = cs_threads_granted(),
        .device = sweep.engine->gpu ? comparison->phrase : NULL,
        .note = cs_compare_notes_leave,
        .note_data = comparison,
    };
    gboolean done = cs_resumable_run(&options, state, error);
    cs_compare_notes_tell(comparison);
    return done;
}

/* Sweeps the current strand from the state on. */
static gboolean
sweep_strand(CsComparison *comparison, GError **error)
{
    CsState *state = &comparison->state;
    const CsSkip *skip = &comparison->skips[state->under_way];
    CsStrandWork *work = &state->work[state->under_way];
    CsRectangle rectangle = cs_compare_skip_rectangle(comparison, state->under_way);
    comparison->wish.members = comparison->most_members[state->under_way];
    work->skip = skip->mode;
    work->lower_bound = skip->mode != CS_SKIP_NONE ? skip->lower.score : 0;
    if (skip->mode != CS_SKIP_NONE)
        work->floor = MAX(work->floor, skip->floor);
    cs_compare_progress_strand(comparison);
    cs_compare_rows_attach(comparison, state->under_way, &rectangle);
    const gboolean swept = comparison->checkpoint != NULL
                               ? sweep_resumable(comparison, &rectangle, error)
                               : sweep_at_once(comparison, &rectangle, error);
    cs_compare_rows_detach(comparison);
    /* With a higher floor, not even the alignment behind the lower bound need be found. */
    const CsScore floor = floor_of(comparison, state->under_way);
    const CsScore known = skip->lower.score >= floor ? skip->lower.score : 0;
    return swept && cs_skip_check_score(known, state->staircase.best.score, error);
}

/* Sweeps all strands from the state on, in the grid of the first. */
static gboolean
sweep_strands(CsComparison *comparison, GError **error)
{
    CsState *state = &comparison->state;
    const gboolean both = comparison->options->strand == CS_STRAND_BOTH;
    const gboolean plus_complete = both && state->under_way == CS_STRAND_PLUS && state->cells > 0 &&
                                   state->cells == comparison->cells / 2;
    const CsRectangle rectangle = cs_comparison_rectangle(comparison, state->under_way);
    cs_compare_skip_begin(comparison);
    if (!cs_compare_engine_choose(comparison, &rectangle, error) ||
        !cs_compare_engine_check_needs(comparison, &rectangle, error) ||
        !cs_compare_skip_find(comparison, plus_complete, error) ||
        (!plus_complete && !sweep_strand(comparison, error)))
        return FALSE;
    if (!both || state->under_way == CS_STRAND_MINUS)
        return TRUE;
    cs_state_begin_minus(state);
    /* Minus is the result only if it scores more. Equal scores are found on both. */
    CsSkip *second = &comparison->skips[CS_STRAND_MINUS];
    second->floor = MAX(second->floor, state->plus.score);
    return sweep_strand(comparison, error);
}

/* Whether what the state covers will do for the least score that matters now. Scores below the one
 * that mattered then are not known. */
static gboolean
check_min_score(CsComparison *comparison, gboolean complete, GError **error)
{
    CsState *state = &comparison->state;
    const CsScore then = state->min_score, now = comparison->options->min_score;
    const CsScore score = MAX(state->plus.score, state->staircase.best.score);
    if (then > now && !(complete && score >= then)) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "checkpoint %s was begun for scores of at least %" G_GINT64_FORMAT
                    ", and lower ones cannot be told from it",
                    comparison->options->checkpoint, (gint64)then);
        return FALSE;
    }
    state->min_score = now;
    return TRUE;
}

/* Runs the comparison from the state in the checkpoint, if there is one, to the last row. */
static gboolean
run(CsComparison *comparison, GError **error)
{
    CsState *state = &comparison->state;
    const gboolean saves = comparison->checkpoint != NULL;
    gboolean found = FALSE;
    if (saves && comparison->options->checkpoint_fresh)
        (void)cs_found_remove(comparison->options->checkpoint, TRUE,
                              NULL); /* it belongs to an older chain */
    if (saves && (!cs_checkpoint_load(comparison->checkpoint, state, &found, error) ||
                  (found && comparison->marks != NULL && !load_marks(comparison, error))))
        return FALSE;
    state->no_start = !comparison->traces;
    state->best_start = comparison->traces && comparison->options->no_start;
    state->verifies = comparison->verifies;
    cs_compare_progress_begin(comparison);
    if (saves)
        cs_compare_notes_begin(comparison, found);
    const gboolean complete = found && state->cells == comparison->cells;
    const CsScore known =
        state->threshold >= floor_of(comparison, state->under_way) ? state->threshold : 0;
    if (!check_min_score(comparison, complete, error))
        return FALSE;
    if (complete && !cs_skip_check_score(known, state->staircase.best.score, error))
        return FALSE;
    if (!complete && comparison->target == comparison->whole_target)
        cs_compare_notes_look(comparison);
    if (!complete && !sweep_strands(comparison, error))
        return FALSE;
    if (saves)
        (void)cs_found_remove(comparison->options->checkpoint, FALSE, NULL); /* no longer needed */
    if (!comparison->traces) /* else it is not the end */
        cs_compare_progress_tell(comparison, -1);
    return TRUE;
}

/* With less than this even a small allocation may fail, which GLib does not survive. */
static gboolean
has_least_memory(GError **error)
{
    if (cs_memory_has_room(0))
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory: ulimit -v leaves less than %d MiB",
                (int)(CS_MEMORY_SPARE >> 20));
    return FALSE;
}

gboolean
cs_comparison_is_exact(const CsComparison *comparison, CsStrand strand)
{
    return comparison->cells_resumed == 0 && comparison->skips[strand].bounds == NULL;
}

gboolean
cs_comparison_run(CsComparison *comparison, GError **error)
{
    comparison->begun = g_get_monotonic_time();
    if (!cs_compare_options_read(comparison, error))
        return FALSE;
    if (comparison->options->checkpoint != NULL) {
        comparison->checkpoint = cs_compare_options_open_checkpoint(comparison, error);
        if (comparison->checkpoint == NULL)
            return FALSE;
    }
    return run(comparison, error);
}

gboolean
cs_compare(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
           CsCompareResult *result, GError **error)
{
    if (!has_least_memory(error))
        return FALSE;
    if (options != NULL && cs_far_is(options->device))
        return cs_far_compare(target, query, options, result, error);
    if (options != NULL && options->circular != CS_CIRCULAR_NONE)
        return cs_circular_align(target, query, options, result, NULL, error);
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, target, query, options);
    comparison.traces = !comparison.options->no_start;
    if (!cs_comparison_run(&comparison, error) ||
        (comparison.traces && !cs_comparison_trace(&comparison, NULL, error)))
        return FALSE;
    *result = cs_compare_result(&comparison);
    return TRUE;
}
