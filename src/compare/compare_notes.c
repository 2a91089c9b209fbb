/*
 * What a comparison tells on the way, and only on the thread that called cs_compare(): notes, those
 * of other threads once it looks for them, and progress.
 */
#include "lower_bound/sketch.h"
#include "compare/comparison.h"

/* Seconds between two calls of the progress function. */
#define PROGRESS_INTERVAL 0.1

/* A note that another thread left. */
typedef struct {
    CsNoteKind kind;
    char *message;
} Note;

static void
note_free(gpointer data)
{
    Note *left = data;
    g_free(left->message);
    g_free(left);
}

void
cs_compare_notes_init(CsComparison *comparison)
{
    comparison->caller = pthread_self();
    pthread_mutex_init(&comparison->lock, NULL);
    g_queue_init(&comparison->notes);
}

void
cs_compare_notes_clear(CsComparison *comparison)
{
    g_queue_clear_full(&comparison->notes, note_free);
    pthread_mutex_destroy(&comparison->lock);
}

void
cs_compare_note(const CsComparison *comparison, CsNoteKind kind, const char *format, ...)
{
    if (comparison->options->note == NULL)
        return;
    va_list values;
    va_start(values, format);
    g_autofree char *message = g_strdup_vprintf(format, values);
    va_end(values);
    comparison->options->note(kind, message, comparison->options->note_data);
}

void
cs_compare_notes_leave(CsNoteKind kind, const char *message, gpointer user_data)
{
    CsComparison *comparison = user_data;
    if (comparison->options->note == NULL)
        return;
    if (pthread_equal(pthread_self(), comparison->caller)) {
        comparison->options->note(kind, message, comparison->options->note_data);
        return;
    }
    Note *left = g_new(Note, 1);
    *left = (Note){kind, g_strdup(message)};
    pthread_mutex_lock(&comparison->lock);
    g_queue_push_tail(&comparison->notes, left);
    pthread_mutex_unlock(&comparison->lock);
}

static Note *
take_note(CsComparison *comparison)
{
    pthread_mutex_lock(&comparison->lock);
    Note *left = g_queue_pop_head(&comparison->notes);
    pthread_mutex_unlock(&comparison->lock);
    return left;
}

void
cs_compare_notes_tell(CsComparison *comparison)
{
    Note *left;
    while ((left = take_note(comparison)) != NULL) {
        comparison->options->note(left->kind, left->message, comparison->options->note_data);
        note_free(left);
    }
}

void
cs_compare_notes_look(const CsComparison *comparison)
{
    const CsCompareOptions *options = comparison->options;
    if (options->note == NULL)
        return;
    CsSketch sketch;
    cs_sketch_init(&sketch, comparison->target, comparison->query);
    if (options->one_of_many && cs_sketch_judge(&sketch) == CS_SKETCH_UNRELATED)
        return;
    g_autofree char *warning =
        cs_sketch_warning(&sketch, comparison->target, comparison->query, options->strand);
    if (warning != NULL)
        cs_compare_note(comparison, CS_NOTE_WARNING, "%s", warning);
}

/* Rounded down: 100.0 is all of them. */
static double
percent_done(const CsComparison *comparison)
{
    const double cells = (double)comparison->state.cells, all = (double)comparison->cells;
    return all > 0 ? (double)(gint64)(1000.0 * cells / all) / 10 : 100.0;
}

void
cs_compare_notes_begin(const CsComparison *comparison, gboolean found)
{
    const char *directory = comparison->options->checkpoint;
    if (found && comparison->state.cells == comparison->cells)
        cs_compare_note(comparison, CS_NOTE_EVENT, "%s is complete: nothing is left to compute",
                        directory);
    else if (found)
        cs_compare_note(comparison, CS_NOTE_EVENT, "resuming from %s, after %.1f%% of the cells",
                        directory, percent_done(comparison));
    else if (comparison->options->checkpoint_fresh)
        cs_compare_note(comparison, CS_NOTE_EVENT, "starting over; what %s holds stays there",
                        directory);
    else
        cs_compare_note(comparison, CS_NOTE_EVENT,
                        "starting with the first cell; saving states in %s", directory);
}

static void
tell_progress(CsComparison *comparison, const CsSweepState *sweep, double next)
{
    const CsCompareOptions *options = comparison->options;
    const CsState *state = &comparison->state;
    if (options->progress == NULL)
        return;
    comparison->next_progress = sweep->seconds + PROGRESS_INTERVAL;
    const gboolean behind = state->under_way == CS_STRAND_MINUS &&
                            options->strand == CS_STRAND_BOTH &&
                            cs_strand_better(&state->plus, &sweep->best) == CS_STRAND_PLUS;
    const CsStrand strand = behind ? CS_STRAND_PLUS : state->under_way;
    const CsStrandResult best =
        cs_compare_result_of(comparison, strand, behind ? &state->plus : &sweep->best);
    CsProgress progress = {
        .cells_done = sweep->cells,
        .cells = comparison->cells,
        .seconds = sweep->seconds,
        .score = best.score,
        .target_end = best.target_end,
        .query_end = best.query_end,
        .strand = strand,
        .cells_before = comparison->cells_resumed,
        .seconds_before = comparison->seconds_resumed,
        .next_checkpoint = next,
        .cells_computed = sweep->cells_computed,
        .cells_computed_before = comparison->computed_resumed,
    };
    if (!options->progress(&progress, options->progress_data))
        comparison->stopped = TRUE;
}

void
cs_compare_progress_tell(CsComparison *comparison, double next)
{
    const CsState *state = &comparison->state;
    const CsSweepState sweep = {.cells = state->cells,
                                .cells_computed = state->cells_computed,
                                .seconds = state->seconds,
                                .best = state->staircase.best};
    tell_progress(comparison, &sweep, next);
}

void
cs_compare_progress_sweep(CsComparison *comparison, const CsSweepState *sweep, double next)
{
    if (sweep->seconds >= comparison->next_progress)
        tell_progress(comparison, sweep, next);
}
