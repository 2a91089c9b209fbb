/*
 * Traces that a checkpoint keeps (compare/align_keep.c). A right one is used. One that is wrong in a
 * way that no checksum shows is not: its path is scored anew, for a comparison's start, too.
 */
#include <string.h>

#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "checkpoint/found.h"
#include "checkpoint/found_trace.h"
#include "compare/comparison.h"
#include "related.h"

enum {
    LENGTH = 3000,
    KEPT = 1000, /* columns of the alignment that are traced, about */
};

/* The alignment as it is, and what a checkpoint may keep of it. */
typedef struct {
    CsSequence *target, *query;
    CsCompareOptions options;
    char *directory;
    CsCompareResult truth;
    GArray *runs; /* CsAlignmentRun */
    guint warnings;
    gint64 walked; /* cells of the last run */
} Trial;

typedef struct {
    gint64 numbers[CS_FOUND_TRACE_RUNS];
    GArray *runs; /* gint64, from the end */
} Kept;

static void
hear(CsNoteKind kind, const char *message, gpointer user_data)
{
    g_test_message("%s", message);
    ((Trial *)user_data)->warnings += kind == CS_NOTE_WARNING;
}

static GArray *
runs_of(const CsAlignment *alignment)
{
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(CsAlignmentRun));
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run = {0};
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run))
        g_array_append_val(runs, run);
    return runs;
}

static void
trial_init(Trial *trial)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autoptr(GString) a = g_string_new(NULL), b = NULL;
    g_autoptr(CsAlignment) alignment = NULL;
    related_append(rand, a, 4, LENGTH);
    b = related_copy(rand, a, 4, 60);
    g_string_truncate(b, LENGTH - 100); /* and so the target lies along the rows */
    *trial = (Trial){.target = cs_sequence_new("t", a->str, (gint64)a->len, NULL),
                     .query = cs_sequence_new("q", b->str, (gint64)b->len, NULL),
                     .options = CS_COMPARE_OPTIONS_INIT};
    trial->options.device = "cpu";
    trial->options.threads = 1;
    trial->options.note = hear;
    trial->options.note_data = trial;
    g_assert_true(
        cs_align(trial->target, trial->query, &trial->options, &trial->truth, &alignment, NULL));
    trial->runs = runs_of(alignment);
}

static void
trial_clear(Trial *trial)
{
    cs_sequence_unref(trial->target);
    cs_sequence_unref(trial->query);
    g_array_unref(trial->runs);
}

static void
append_run(GArray *runs, CsPathKind kind, gint64 length)
{
    const gint64 run = length << 2 | (gint64)kind;
    g_array_append_val(runs, run);
}

static CsScore
score_of(const CsAlignmentRun *run, const CsScoring *scoring)
{
    switch (run->op) {
    case '=': return scoring->match * run->length;
    case 'X': return -scoring->mismatch * run->length;
    default: return -scoring->gap_open - scoring->gap_extend * run->length;
    }
}

/* The last columns of the alignment, from a node between two runs on. */
static Kept
kept_new(const Trial *trial)
{
    Kept kept = {.runs = g_array_new(FALSE, FALSE, sizeof(gint64))};
    CsScore score = trial->truth.score;
    gint64 i = trial->truth.target_end, j = trial->truth.query_end, columns = 0;
    gboolean pairs = TRUE;
    for (guint k = trial->runs->len; k-- > 0 && (columns < KEPT || !pairs);) {
        const CsAlignmentRun *run = &g_array_index(trial->runs, CsAlignmentRun, k);
        pairs = run->op == '=' || run->op == 'X';
        append_run(kept.runs,
                   pairs            ? CS_PATH_PAIRS
                   : run->op == 'D' ? CS_PATH_ROWS
                                    : CS_PATH_COLUMNS,
                   run->length);
        i -= run->op != 'I' ? run->length : 0;
        j -= run->op != 'D' ? run->length : 0;
        score -= score_of(run, &trial->options.scoring);
        columns += run->length;
    }
    const gint64 numbers[CS_FOUND_TRACE_RUNS] = {trial->truth.score,
                                                 trial->truth.target_end,
                                                 trial->truth.query_end,
                                                 i,
                                                 j,
                                                 CS_NODE_H,
                                                 score,
                                                 FALSE};
    memcpy(kept.numbers, numbers, sizeof numbers);
    return kept;
}

/* A checkpoint of a comparison without starts, with this trace. */
static void
keep(Trial *trial, const Kept *kept)
{
    g_autoptr(GError) error = NULL;
    CsCompareResult result;
    const CsFingerprint identity = {
        .target = trial->target, .query = trial->query, .scoring = trial->options.scoring};
    trial->directory = g_dir_make_tmp("chromosweep-kept-XXXXXX", NULL);
    trial->options.checkpoint = trial->directory;
    trial->options.no_start = TRUE;
    g_assert_true(cs_compare(trial->target, trial->query, &trial->options, &result, &error));
    trial->options.no_start = FALSE;
    g_autoptr(CsCheckpoint) checkpoint =
        cs_checkpoint_open(trial->directory, &identity, FALSE, NULL, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_array_append_vals(all, kept->numbers, CS_FOUND_TRACE_RUNS);
    g_array_append_vals(all, kept->runs->data, kept->runs->len);
    g_assert_true(
        cs_found_save(checkpoint, "plus-trace", (const gint64 *)all->data, all->len, &error));
}

/* Aligns, or only finds the start. */
static void
run(Trial *trial, gboolean aligns)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsAlignment) alignment = NULL;
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, trial->target, trial->query, &trial->options);
    comparison.row_distance = 100;
    comparison.trace = (CsTrace){.height = 32, .width = 64, .short_cells = 1, .block = 32};
    comparison.traces = TRUE;
    trial->warnings = 0;
    const gboolean done = aligns ? cs_comparison_align(&comparison, NULL, &alignment, &error)
                                 : cs_comparison_run(&comparison, &error) &&
                                       cs_comparison_trace(&comparison, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(done);
    const CsCompareResult result = cs_compare_result(&comparison);
    trial->walked = comparison.traced.walked;
    g_assert_cmpint(result.target_start, ==, trial->truth.target_start);
    g_assert_cmpint(result.query_start, ==, trial->truth.query_start);
    if (!aligns)
        return;
    g_autoptr(GArray) runs = runs_of(alignment);
    g_assert_cmpmem(runs->data, runs->len * sizeof(CsAlignmentRun), trial->runs->data,
                    trial->runs->len * sizeof(CsAlignmentRun));
}

static void
leave_it(Kept *kept)
{
    (void)kept;
}

/* Shorter than it is, and said to be complete. */
static void
make_short(Kept *kept)
{
    kept->numbers[CS_FOUND_TRACE_COMPLETE] = TRUE;
}

/* Pairs become two gaps. The node is right. */
static void
make_gaps(Kept *kept)
{
    const gint64 last = g_array_index(kept->runs, gint64, 0), length = last >> 2;
    g_assert_cmpint(last & 3, ==, CS_PATH_PAIRS);
    g_assert_cmpint(length, >, 3);
    g_array_index(kept->runs, gint64, 0) = 1 << 2 | CS_PATH_PAIRS;
    const gint64 gaps[] = {(length - 1) << 2 | CS_PATH_ROWS, (length - 1) << 2 | CS_PATH_COLUMNS};
    g_array_insert_vals(kept->runs, 1, gaps, G_N_ELEMENTS(gaps));
}

static void
raise_value(Kept *kept)
{
    kept->numbers[CS_FOUND_TRACE_NODE_VALUE]++;
}

static void
move_node(Kept *kept)
{
    kept->numbers[CS_FOUND_TRACE_NODE_J]--;
    append_run(kept->runs, CS_PATH_COLUMNS, 1);
}

/* As of another end: the runs do not lead to the node. */
static void
move_end(Kept *kept)
{
    kept->numbers[CS_FOUND_TRACE_END_I]--;
}

static void
end_elsewhere(Kept *kept)
{
    kept->numbers[CS_FOUND_TRACE_NODE_I]--;
}

static const struct {
    const char *what;
    void (*change)(Kept *kept);
    gboolean told, used;
} cases[] = {
    {"another end", move_end, FALSE, FALSE}, {"runs", end_elsewhere, FALSE, FALSE},
    {"right", leave_it, FALSE, TRUE},        {"short", make_short, TRUE, FALSE},
    {"gaps", make_gaps, TRUE, FALSE},        {"value", raise_value, TRUE, FALSE},
    {"node", move_node, TRUE, FALSE},
};

static void
test_kept(void)
{
    Trial trial;
    gint64 all = 0; /* cells of a trace from the end */
    trial_init(&trial);
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++)
        for (guint aligns = 0; aligns < 2; aligns++) {
            Kept kept = kept_new(&trial);
            g_test_message("%s", cases[k].what);
            cases[k].change(&kept);
            keep(&trial, &kept);
            run(&trial, aligns);
            if (k == 0)
                all = trial.walked;
            g_assert_cmpint(trial.warnings > 0, ==, cases[k].told);
            if (!cases[k].told) /* else it begins anew, and without rows */
                g_assert_cmpint(trial.walked < all, ==, cases[k].used);
            run(&trial, !aligns); /* what is kept now is right, and complete */
            g_assert_cmpuint(trial.warnings, ==, 0);
            g_assert_cmpint(trial.walked, ==, 0);
            g_assert_true(cs_checkpoint_remove(trial.directory, NULL));
            g_clear_pointer(&trial.directory, g_free);
            g_array_unref(kept.runs);
        }
    trial_clear(&trial);
}

/* A second sweep that does not find the score leaves nothing behind that could be the reason. */
static void
test_failed(void)
{
    Trial trial;
    trial_init(&trial);
    Kept kept = kept_new(&trial);
    move_end(&kept); /* so that it is not used */
    keep(&trial, &kept);
    g_autofree char *file = cs_found_file_name(CS_FOUND_AGAIN "plus-bounds");
    g_autofree char *path = g_build_filename(trial.directory, file, NULL);
    g_assert_true(g_file_set_contents(path, "x", 1, NULL));
    {
        g_autoptr(GError) error = NULL;
        g_auto(CsComparison) comparison;
        cs_comparison_init(&comparison, trial.target, trial.query, &trial.options);
        comparison.trace.short_cells = 1;
        comparison.row_distance = 100;
        comparison.traces = TRUE;
        g_assert_true(cs_comparison_run(&comparison, &error));
        comparison.state.staircase.best.score++;
        g_assert_false(cs_comparison_trace(&comparison, NULL, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
        g_test_message("%s", error->message);
    }
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    run(&trial, TRUE);
    g_assert_true(cs_checkpoint_remove(trial.directory, NULL));
    g_free(trial.directory);
    g_array_unref(kept.runs);
    trial_clear(&trial);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/kept-trace/wrong", test_kept);
    g_test_add_func("/kept-trace/failed", test_failed);
    return g_test_run();
}
