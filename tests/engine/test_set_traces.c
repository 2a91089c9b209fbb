/*
 * Traces of --all that are stopped go on in the next run, and what is kept of them is checked.
 */
#include <string.h>

#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "../unit/related.h"
#include "alignment_steps.h"
#include "checkpoint/found.h"
#include "compare/align_set.h"

#define NAME "plus-traces"

enum {
    BASES = 250,
    SCORE = 0, /* numbers of a trace */
    NODE_I = 3,
    NODE_STATE = 5,
    NODE_VALUE = 6,
    COMPLETE = 7,
    RUNS = 8,
    FIRST_RUN = 9,
};

typedef struct {
    CsSequence *target, *query;
    char *directory, *file, *wanted;
    gboolean stop; /* once a trace is kept */
    guint heard;   /* traces that went on */
} Trial;

/* A CsControlFunc. */
static CsControl
stop_in_trace(gpointer user_data)
{
    const Trial *trial = user_data;
    return trial->stop && g_file_test(trial->file, G_FILE_TEST_EXISTS) ? CS_CONTROL_STOP
                                                                       : CS_CONTROL_GO_ON;
}

/* A CsNoteFunc. */
static void
hear(CsNoteKind kind, const char *message, gpointer user_data)
{
    Trial *trial = user_data;
    g_assert_cmpint(kind, !=, CS_NOTE_WARNING);
    trial->heard += strstr(message, "going on with the trace") != NULL;
}

/* The first alignment as text; NULL if the run was stopped. */
static char *
run(Trial *trial, const char *directory)
{
    const CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ALL, .most = 1, .max_drop = -1};
    const CsSetSizes sizes = {
        .masked = {.side = 16, .unit = -1, .strip = 8, .distance = 4, .reach = -1}};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    options.threads = 1;
    options.checkpoint = directory;
    options.checkpoint_interval = 1e-6; /* after each tile */
    options.control = stop_in_trace;
    options.note = hear;
    options.control_data = options.note_data = trial;
    g_autoptr(GPtrArray) found =
        cs_set_find(trial->target, trial->query, &options, &set, &sizes, &error);
    if (found == NULL) {
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
        return NULL;
    }
    g_assert_cmpuint(found->len, ==, 1);
    const CsAlignment *one = g_ptr_array_index(found, 0);
    const CsAlignmentSummary *s = cs_alignment_get_summary(one);
    g_autofree char *steps = alignment_steps(one);
    return g_strdup_printf("%d at %d,%d: %s", (int)s->score, (int)s->target_start,
                           (int)s->query_start, steps);
}

static void
trial_init(Trial *trial)
{
    GRand *rand = g_rand_new_with_seed(7);
    g_autoptr(GString) bases = g_string_new(NULL);
    related_append(rand, bases, 4, BASES);
    g_autoptr(GString) copy = related_copy(rand, bases, 4, 40);
    g_rand_free(rand);
    *trial = (Trial){.target = cs_sequence_new("t", bases->str, -1, NULL),
                     .query = cs_sequence_new("q", copy->str, -1, NULL),
                     .directory = g_dir_make_tmp("chromosweep-traces-XXXXXX", NULL)};
    g_autofree char *name = cs_found_file_name(NAME);
    trial->file = g_build_filename(trial->directory, name, NULL);
    trial->wanted = run(trial, NULL);
    g_assert_cmpuint(strlen(trial->wanted), >, 150);
}

static void
trial_clear(Trial *trial)
{
    g_assert_true(cs_checkpoint_remove(trial->directory, NULL));
    cs_sequence_unref(trial->target);
    cs_sequence_unref(trial->query);
    g_free(trial->directory);
    g_free(trial->file);
    g_free(trial->wanted);
}

/* A run that is stopped while it traces. */
static void
run_as_far_as_the_trace(Trial *trial)
{
    trial->stop = TRUE;
    g_assert_null(run(trial, trial->directory));
    g_assert_true(g_file_test(trial->file, G_FILE_TEST_EXISTS));
    trial->stop = FALSE;
    trial->heard = 0;
}

static void
test_goes_on(void)
{
    Trial trial;
    trial_init(&trial);
    run_as_far_as_the_trace(&trial);
    g_autofree char *found = run(&trial, trial.directory);
    g_assert_cmpstr(found, ==, trial.wanted);
    g_assert_cmpuint(trial.heard, ==, 1);
    g_assert_false(g_file_test(trial.file, G_FILE_TEST_EXISTS));
    trial_clear(&trial);
}

/* What is kept has a checksum. If it is wrong all the same, the trace begins again. */
static void
test_crafted(void)
{
    static const struct {
        guint at;
        gint64 number;
    } changes[] = {
        {SCORE, 12},    {NODE_I, -3},       {NODE_STATE, 7},         {NODE_VALUE, 9999},
        {COMPLETE, 1},  {RUNS, G_MAXINT64}, {RUNS, G_MININT64},      {RUNS, 1},
        {FIRST_RUN, 3}, {FIRST_RUN, 0},     {FIRST_RUN, G_MAXINT64}, {FIRST_RUN, 5},
    };
    for (guint k = 0; k < G_N_ELEMENTS(changes); k++) {
        Trial trial;
        gint64 count = 0;
        trial_init(&trial);
        run_as_far_as_the_trace(&trial);
        const CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        const CsFingerprint identity = {.target = trial.target,
                                        .query = trial.query,
                                        .transposed = cs_sequence_get_length(trial.query) >
                                                      cs_sequence_get_length(trial.target),
                                        .scoring = options.scoring,
                                        .strand = CS_STRAND_PLUS};
        CsCheckpoint *checkpoint =
            cs_checkpoint_open(trial.directory, &identity, FALSE, NULL, NULL, NULL);
        g_assert_nonnull(checkpoint);
        g_autofree gint64 *numbers = cs_found_load(checkpoint, NAME, &count);
        g_assert_cmpint(count, >, FIRST_RUN);
        numbers[changes[k].at] = changes[k].number;
        g_assert_true(cs_found_save(checkpoint, NAME, numbers, count, NULL));
        cs_checkpoint_free(checkpoint);
        g_autofree char *found = run(&trial, trial.directory);
        g_assert_cmpstr(found, ==, trial.wanted);
        trial_clear(&trial);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/set-traces/goes-on", test_goes_on);
    g_test_add_func("/set-traces/crafted", test_crafted);
    return g_test_run();
}
