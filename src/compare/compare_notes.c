/*
 * Notes of a comparison. They are passed on only by the thread that called cs_compare(); it collects
 * those of other threads.
 */
#include "lower_bound/sketch.h"
#include "checkpoint/found_trace.h"
#include "compare/comparison.h"

/* A note left by another thread. */
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
    cs_compare_notes_leave(kind, message, (gpointer)comparison);
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

/* Rounded down. */
static double
percent_done(const CsComparison *comparison)
{
    const CsState *state = &comparison->state;
    const CsFoundLater later = cs_found_later_of(comparison->checkpoint, state);
    const double done = cs_state_done(state, comparison->cells, later.traced, later.proved);
    return (double)(gint64)(1000 * done) / 10;
}

void
cs_compare_notes_begin(const CsComparison *comparison, gboolean found)
{
    const char *directory = comparison->options->checkpoint;
    if (found && percent_done(comparison) >= 100)
        cs_compare_note(comparison, CS_NOTE_EVENT, "%s is complete: all cells are computed",
                        directory);
    else if (found)
        cs_compare_note(comparison, CS_NOTE_EVENT, "resuming from %s, after %.1f%% of the work",
                        directory, percent_done(comparison));
    else if (comparison->options->checkpoint_fresh)
        cs_compare_note(comparison, CS_NOTE_EVENT, "starting over; the states in %s are kept",
                        directory);
    else
        cs_compare_note(comparison, CS_NOTE_EVENT,
                        "starting with the first cell; saving states in %s", directory);
}
