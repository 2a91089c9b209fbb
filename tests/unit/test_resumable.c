/*
 * A comparison with checkpoints, seen from inside. If a state cannot be copied or saved, there is a
 * warning and another try. Only a last state that cannot be saved is an error.
 */
#include <glib/gstdio.h>

#include <chromosweep/error.h>

#include "../random_sequence.h"
#include "compare/resumable.h"
#include "cpu/scalar.h"

/* More seconds than any run here takes. */
#define INTERVAL 1000

/* The scalar engine, which has no memory for the first so many staircases. */
static CsEngineClass engine;
static guint short_of;
static const CsEngineClass *scalar;

static gboolean
no_memory(CsRun *run, CsStaircase *staircase, GError **error)
{
    if (short_of == 0)
        return scalar->staircase(run, staircase, error);
    short_of--;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for a staircase");
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

/* A run from the first row in a new folder; *best is what it found. */
static gboolean
run(Seen *seen, CsBest *best, GError **error)
{
    g_autoptr(CsSequence) a = random_sequence(900, 1), b = random_sequence(800, 2);
    g_autofree char *top = g_dir_make_tmp("chromosweep-job-XXXXXX", error);
    g_assert_nonnull(top);
    CsFingerprint identity = {.target = a, .query = b, .scoring = CS_SCORING_DEFAULT};
    CsRectangle whole = {
        .rows = cs_view_of(a), .columns = cs_view_of(b), .scoring = CS_SCORING_DEFAULT};
    CsSweepOptions sweep = {
        .engine = &engine, .engine_options = {.threads = 2}, .shape = {30, 70, 3, 0, 0, FALSE}};
    CsCheckpoint *checkpoint = cs_checkpoint_open(top, &identity, FALSE, hear, seen, error);
    g_assert_nonnull(checkpoint);
    const CsSkip skip = {.mode = CS_SKIP_NONE};
    CsWorkMeter work = {0};
    CsResumableOptions options = {.whole = &whole,
                                  .skip = &skip,
                                  .work = &work,
                                  .sweep = &sweep,
                                  .func = ask,
                                  .func_data = seen,
                                  .checkpoint = checkpoint,
                                  .interval = INTERVAL,
                                  .threads = 2,
                                  .note = hear,
                                  .note_data = seen};
    g_auto(CsState) state = {0};
    gboolean done = cs_resumable_run(&options, &state, error);
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
                    "stopped, but the state could not be saved: not enough memory for a staircase");
    g_clear_error(&error);

    seen = (Seen){.stop = 9};
    g_assert_false(run(&seen, &best, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
}

/* Counts special rows: those with bounds, and all. */
typedef struct {
    guint bounds, all;
} Marks;

static gboolean
count_marks(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
            gboolean bounds, gpointer user_data, GError **error)
{
    Marks *marks = user_data;
    marks->bounds += bounds;
    marks->all++;
    return TRUE;
}

/* A run whose checkpoint keeps what skipping needs. The state that leaves is the one in the
 * checkpoint. */
static gboolean
run_once(const char *top, const CsSequence *a, const CsSkip *skip, guint stop, Marks *marks,
         CsState *state, GError **error)
{
    const gint64 rows[] = {500, 700};
    const CsFingerprint identity = {.target = a, .query = a, .scoring = CS_SCORING_DEFAULT};
    const CsRectangle whole = {.rows = cs_view_of(a),
                               .columns = cs_view_of(a),
                               .scoring = CS_SCORING_DEFAULT,
                               .special_rows = rows,
                               .n_special_rows = G_N_ELEMENTS(rows),
                               .row_func = count_marks,
                               .row_data = marks};
    const CsSweepOptions sweep = {
        .engine = scalar, .engine_options = {.threads = 2}, .shape = {20, 20, 3, 0, 0, FALSE}};
    Seen seen = {.stop = stop};
    gboolean found;
    g_autoptr(CsCheckpoint) checkpoint =
        cs_checkpoint_open(top, &identity, FALSE, hear, &seen, error);
    g_assert_nonnull(checkpoint);
    g_assert_true(cs_checkpoint_load(checkpoint, state, &found, error));
    CsWorkMeter work = {0};
    const CsResumableOptions options = {.whole = &whole,
                                        .skip = skip,
                                        .work = &work,
                                        .sweep = &sweep,
                                        .func = stop > 0 ? ask : NULL,
                                        .func_data = &seen,
                                        .checkpoint = checkpoint,
                                        .interval = INTERVAL,
                                        .threads = 2};
    gboolean done = cs_resumable_run(&options, state, error);
    cs_state_clear(state);
    *state = (CsState){0};
    g_assert_true(cs_checkpoint_load(checkpoint, state, &found, NULL));
    return done;
}

static void
test_skipping(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(900, 1);
    g_autofree char *top = g_dir_make_tmp("chromosweep-job-XXXXXX", &error);
    g_autoptr(CsSeedsIndex) index = NULL;
    g_auto(CsSkip) skip = {0};
    const CsRectangle whole = {
        .rows = cs_view_of(a), .columns = cs_view_of(a), .scoring = CS_SCORING_DEFAULT};
    const CsSkipSearch how = {.wanted = CS_SKIP_BOUNDS, .threads = 2, .index = &index};
    g_assert_true(cs_skip_init(&skip, &whole, &how, &error));
    Marks marks = {0};
    {
        g_auto(CsState) state = {0};
        g_assert_false(run_once(top, a, &skip, 40, &marks, &state, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
        g_clear_error(&error);
        g_assert_cmpint(state.threshold, ==, skip.lower.score);
        g_assert_true(state.skipped);
        g_assert_cmpint(state.staircase.row, <, 500);
    }
    /* Nothing is skipped any more, but the buses still hold bounds. */
    marks = (Marks){0};
    g_auto(CsState) state = {0};
    g_assert_true(run_once(top, a, NULL, 0, &marks, &state, &error));
    g_assert_cmpint(state.threshold, ==, skip.lower.score);
    g_assert_true(state.skipped);
    g_assert_cmpint(state.staircase.best.score, ==, 900);
    g_assert_cmpuint(marks.all, >, 0);
    g_assert_cmpuint(marks.bounds, ==, marks.all);
    g_assert_true(cs_checkpoint_remove(top, NULL));
}

/* A sweep that ends below the score of a known alignment is an error, and no complete state is
 * saved. */
static void
test_too_low(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(900, 1);
    g_autofree char *top = g_dir_make_tmp("chromosweep-job-XXXXXX", &error);
    const CsSkip skip = {.mode = CS_SKIP_NONE, .lower.score = 901};
    for (int run = 0; run < 2; run++) {
        Marks marks = {0};
        g_auto(CsState) state = {0};
        g_assert_false(run_once(top, a, &skip, 0, &marks, &state, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
        g_assert_nonnull(strstr(error->message, "found score 900, less than 901, the score of"));
        g_assert_cmpint(state.cells, <, 900 * 900);
        g_clear_error(&error);
    }
    g_assert_true(cs_checkpoint_remove(top, NULL));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scalar = &cs_scalar_engine;
    engine = *scalar;
    engine.staircase = no_memory;
    g_test_add_func("/job/short-of-memory", test_short_of_memory);
    g_test_add_func("/job/last-state", test_last_state);
    g_test_add_func("/job/skipping", test_skipping);
    g_test_add_func("/job/too-low", test_too_low);
    return g_test_run();
}
