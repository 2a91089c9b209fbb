/*
 * A comparison with checkpoints, seen from inside: what cannot be copied or saved now is warned of
 * and tried again, and only a last state that cannot be saved is an error.
 */
#include <glib/gstdio.h>

#include <chromosweep/error.h>

#include "../random_sequence.h"
#include "job.h"

/* Seconds that no run here takes. */
#define INTERVAL 1000

/* The scalar engine, short of memory for so many staircases. */
static CsEngineClass engine;
static guint short_of;
static const CsEngineClass *scalar;

static gboolean
no_memory(CsRun *run, CsStaircase *staircase, GError **error)
{
    if (short_of == 0)
        return scalar->staircase(run, staircase, error);
    short_of--;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "too little memory for a staircase");
    return FALSE;
}

typedef struct {
    guint warnings;
    guint events;
    guint diagonals;
    guint stop; /* after so many; 0: never */
} Seen;

static void
hear(CsNoteKind kind, const char *message, gpointer data)
{
    Seen *seen = data;
    g_test_message("%s", message);
    seen->warnings += kind == CS_NOTE_WARNING;
    seen->events += kind == CS_NOTE_EVENT;
}

static CsSweepAction
ask(const CsSweepState *state, double next, gpointer data)
{
    Seen *seen = data;
    (void)state;
    g_assert_cmpfloat(next, >=, 0);
    g_assert_cmpfloat(next, <=, INTERVAL);
    seen->diagonals++;
    return seen->stop > 0 && seen->diagonals >= seen->stop ? CS_SWEEP_STOP : CS_SWEEP_KEEP;
}

/* A run from the first row in a new directory; *best is what it found. */
static gboolean
run(Seen *seen, CsBest *best, GError **error)
{
    g_autoptr(CsSequence) a = random_sequence(900, 1), b = random_sequence(800, 2);
    g_autofree char *top = g_dir_make_tmp("chromosweep-job-XXXXXX", error);
    g_assert_nonnull(top);
    CsIdentity identity = {.target = a, .query = b, .scoring = CS_SCORING_DEFAULT};
    CsRectangle whole = {
        .rows = cs_view_of(a), .columns = cs_view_of(b), .scoring = CS_SCORING_DEFAULT};
    CsSweepOptions sweep = {
        .engine = &engine, .engine_options = {.threads = 2}, .shape = {30, 70, 3, 0, 0}};
    CsCheckpoint *checkpoint = cs_checkpoint_open(top, &identity, FALSE, hear, seen, error);
    g_assert_nonnull(checkpoint);
    CsJobOptions options = {.whole = &whole,
                            .sweep = &sweep,
                            .func = ask,
                            .func_data = seen,
                            .checkpoint = checkpoint,
                            .interval = INTERVAL,
                            .threads = 2,
                            .note = hear,
                            .note_data = seen};
    g_auto(CsState) state = {0};
    gboolean done = cs_job_run(&options, &state, error);
    *best = state.staircase.best;
    cs_checkpoint_free(checkpoint);
    g_assert_true(cs_checkpoint_remove(top, NULL));
    return done;
}

static void
test_short_of_memory(void)
{
    g_autoptr(GError) error = NULL;
    Seen calm = {0}, seen = {0};
    CsBest best, same;
    g_assert_true(run(&calm, &best, &error));
    g_assert_cmpuint(calm.warnings, ==, 0);
    g_assert_cmpuint(calm.events, >, 0); /* saved, as it was asked */
    g_assert_cmpint(best.score, >, 0);

    short_of = 2;
    g_assert_true(run(&seen, &same, &error));
    g_assert_cmpuint(seen.warnings, ==, 2);
    g_assert_cmpuint(short_of, ==, 0);
    g_assert_cmpint(same.score, ==, best.score);
    g_assert_cmpint(same.i, ==, best.i);
    g_assert_cmpint(same.j, ==, best.j);
}

static void
test_last_state(void)
{
    g_autoptr(GError) error = NULL;
    Seen seen = {.stop = 1};
    CsBest best;
    short_of = 1;
    g_assert_false(run(&seen, &best, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_cmpstr(error->message, ==,
                    "stopped, but the state could not be saved: too little memory for a staircase");
    g_clear_error(&error);

    seen = (Seen){.stop = 9};
    g_assert_false(run(&seen, &best, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scalar = cs_engine_find("scalar", NULL);
    engine = *scalar;
    engine.staircase = no_memory;
    g_test_add_func("/job/short-of-memory", test_short_of_memory);
    g_test_add_func("/job/last-state", test_last_state);
    return g_test_run();
}
