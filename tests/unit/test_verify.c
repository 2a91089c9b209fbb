/* A score proved by the reversed sequences: a true one, and ones that are planted. */
#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "../case_count.h"
#include "checkpoint/checkpoint_private.h"
#include "checkpoint/found.h"
#include "checkpoint/found_state.h"
#include "compare/verify.h"
#include "related.h"

enum {
    TAIL = 1500, /* bases of 2,000 */
};

static CsSequence *
make(const char *name, const GString *bases)
{
    return cs_sequence_new(name, bases->str, (gint64)bases->len, NULL);
}

/* A score that is too high or too low is found out, and so is one that is not below what it should be. */
static void
expect_fault(CsComparison *comparison, CsStrand strand, const CsStrandResult *wrong)
{
    g_autoptr(GError) error = NULL;
    CsVerifyWatch watch = {0};
    g_auto(CsState) state = {.under_way = strand};
    g_assert_false(cs_verify_strand(comparison, wrong, &state, &watch, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_true(g_str_has_prefix(error->message, "internal error: a sweep of the reversed"));
}

/* The score of a strand, from every cell. */
static CsScore
score_of(const CsComparison *comparison, CsStrand strand)
{
    CsCompareOptions options = *comparison->options;
    CsCompareResult found;
    options.strand = strand;
    options.skip = CS_SKIP_NONE;
    options.no_start = TRUE;
    g_assert_true(cs_compare(comparison->target, comparison->query, &options, &found, NULL));
    return found.score;
}

static void
expect_faults(CsComparison *comparison, CsStrand strand, const CsStrandResult *result)
{
    const CsScore score = score_of(comparison, strand);
    if (result->below > 0)
        g_assert_cmpint(score, <, result->below);
    else
        g_assert_cmpint(score, ==, result->score);
    expect_fault(comparison, strand, &(CsStrandResult){.score = score + 1});
    if (score > 0)
        expect_fault(comparison, strand, &(CsStrandResult){.score = score - 1});
    if (score > 0)
        expect_fault(comparison, strand, &(CsStrandResult){.below = score});
    if (score > 1)
        expect_fault(comparison, strand, &(CsStrandResult){.score = score / 2});
}

static void
expect_proof(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options)
{
    g_autoptr(GError) error = NULL;
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, target, query, options);
    g_assert_true(cs_comparison_run(&comparison, &error));
    const CsCompareResult found = cs_compare_result(&comparison);
    g_assert_true(cs_verify_run(&comparison, &found, &error));
    g_assert_no_error(error);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsStrandResult *result = &found.strands[strand];
        if (!result->computed || comparison.cells == 0)
            continue;
        expect_faults(&comparison, strand, result);
    }
}

static void
test_random(void)
{
    static const CsScoring scorings[] = {{1, 3, 3, 2}, {1, 1, 0, 1}, {2, 3, 5, 2}, {3, 2, 2, 2}};
    static const char *const engines[] = {"scalar", "simd"};
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (guint k = 0; k < case_count(500); k++) {
        g_autoptr(GString) a = g_string_new(NULL), b = NULL;
        related_append(rand, a, g_rand_int_range(rand, 1, 5), g_rand_int_range(rand, 0, 300));
        b = related_copy(rand, a, 4, g_rand_int_range(rand, 1, 300));
        if (k % 4 == 0)
            related_add_ns(rand, b, 30);
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        options.scoring = scorings[g_rand_int_range(rand, 0, G_N_ELEMENTS(scorings))];
        options.engine = engines[g_rand_int_range(rand, 0, G_N_ELEMENTS(engines))];
        options.device = "cpu";
        options.threads = (guint)g_rand_int_range(rand, 1, 3);
        options.strand = (CsStrand)g_rand_int_range(rand, 0, 3);
        options.skip = (CsSkipMode)g_rand_int_range(rand, 0, 4);
        g_autoptr(CsSequence) target = make("t", a), query = make("q", b);
        expect_proof(target, query, &options);
    }
}

/* Long enough for the sweep to skip most of the matrix. */
static void
test_skipping(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(2);
    g_autoptr(GString) a = g_string_new(NULL);
    related_append(rand, a, 4, case_count_is_low() ? 12000 : 40000);
    g_autoptr(GString) b = related_copy(rand, a, 4, 20);
    g_autoptr(CsSequence) target = make("t", a), query = make("q", b);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.device = "cpu";
    options.strand = CS_STRAND_BOTH;
    options.skip = CS_SKIP_BOUNDS;
    expect_proof(target, query, &options);
}

static void
test_stop(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    g_autoptr(GString) a = g_string_new(NULL);
    related_append(rand, a, 4, 3000);
    g_autoptr(CsSequence) target = make("t", a);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.device = "cpu";
    options.skip = CS_SKIP_NONE;
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, target, target, &options);
    g_assert_true(cs_comparison_run(&comparison, &error));
    CsVerifyWatch watch = {.stop = 1};
    g_auto(CsState) state = {0};
    g_assert_false(
        cs_verify_strand(&comparison, &(CsStrandResult){.score = 3000}, &state, &watch, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
}

/* A comparison with a checkpoint, whose proof may be stopped as soon as it has begun. */
typedef struct {
    CsSequence *target, *query;
    CsCompareOptions options;
    char *directory;
    gboolean stops;     /* the proof */
    gboolean read_only; /* during the proof */
    guint warnings;
    CsState state; /* of the proof, after a run */
    gboolean swept;
} Kept;

static CsControl
control(gpointer user_data)
{
    return ((const Kept *)user_data)->stops ? CS_CONTROL_STOP : CS_CONTROL_GO_ON;
}

static void
hear(CsNoteKind kind, const char *message, gpointer user_data)
{
    Kept *kept = user_data;
    g_test_message("%s", message);
    kept->warnings += kind == CS_NOTE_WARNING && strstr(message, "match mostly") == NULL;
}

static void
kept_init(Kept *kept, CsStrand strand)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(4);
    g_autoptr(GString) a = g_string_new(NULL), b = NULL;
    related_append(rand, a, 4, 2000);
    b = related_copy(rand, a, 4, 20);
    *kept = (Kept){.target = make("t", a),
                   .query = make("q", b),
                   .options = CS_COMPARE_OPTIONS_INIT,
                   .directory = g_dir_make_tmp("chromosweep-verify-XXXXXX", NULL)};
    kept->options.device = "cpu";
    kept->options.engine = "scalar";
    kept->options.grid_blocks = 3;
    kept->options.grid_threads = 100;
    kept->options.grid_alpha = 1;
    kept->options.threads = 1;
    kept->options.skip = CS_SKIP_NONE;
    kept->options.strand = strand;

    kept->options.checkpoint = kept->directory;
    kept->options.note = hear;
    kept->options.control = control;
    kept->options.note_data = kept->options.control_data = kept;
}

static void
kept_clear(Kept *kept)
{
    g_assert_true(cs_checkpoint_remove(kept->directory, NULL));
    cs_state_clear(&kept->state);
    cs_sequence_unref(kept->target);
    cs_sequence_unref(kept->query);
    g_free(kept->directory);
}

/* A run of the comparison and of the proof, to its end or until it is stopped. With `change`, that is
 * done to the state before the proof. */
static gboolean
run_kept(Kept *kept, gboolean stops, void (*change)(CsState *state))
{
    g_autoptr(GError) error = NULL;
    g_auto(CsComparison) comparison;
    kept->stops = FALSE;
    cs_comparison_init(&comparison, kept->target, kept->query, &kept->options);
    g_assert_true(cs_comparison_run(&comparison, &error));
    const CsCompareResult found = cs_compare_result(&comparison);
    if (change != NULL) {
        g_auto(CsState) state = {0};
        g_assert_true(cs_found_state_load(comparison.checkpoint, CS_FOUND_PROOF, &state));
        change(&state);
        state.cells_computed++; /* this tells whether it was used */
        state.cells_expected++;
        g_assert_true(
            cs_found_state_save(comparison.checkpoint, CS_FOUND_PROOF, &state, 1, NULL, &error));
    }
    kept->stops = stops;
    comparison.checkpoint->unwritable = kept->read_only ? EROFS : 0;
    g_clear_pointer(&comparison.grid, cs_grid_free);
    comparison.sweep.engine = NULL;
    const gboolean done = cs_verify_run(&comparison, &found, &error);
    kept->swept = comparison.sweep.engine != NULL;
    if (!done)
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    cs_state_clear(&kept->state);
    kept->state = (CsState){0};
    g_assert_true(cs_found_state_load(comparison.checkpoint, CS_FOUND_PROOF, &kept->state));
    if (!kept->read_only)
        g_assert_cmpint(done, ==, kept->state.cells == comparison.cells);
    return done;
}

/* Of the target only its last bases, so that the alignment begins amid the query. */
static void
kept_cut(Kept *kept)
{
    g_autofree char *bases = g_malloc(TAIL);
    CsSequence *target = kept->target;
    cs_sequence_read(target, cs_sequence_get_length(target) - TAIL, TAIL, CS_STRAND_PLUS, bases);
    kept->target = cs_sequence_new("tail", bases, TAIL, NULL);
    cs_sequence_unref(target);
}

/* The sequences are swept reversed: the best cell is then where the alignment begins. With a
 * checkpoint and without. */
static void
test_reversed(void)
{
    for (guint saves = 0; saves < 2; saves++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(CsAlignment) alignment = NULL;
        Kept kept;
        CsCompareResult found;
        CsVerifyWatch watch = {0};
        g_auto(CsState) state = {.under_way = CS_STRAND_PLUS};
        kept_init(&kept, CS_STRAND_PLUS);
        kept_cut(&kept);
        kept.options.checkpoint = saves ? kept.directory : NULL;
        g_auto(CsComparison) comparison;
        cs_comparison_init(&comparison, kept.target, kept.query, &kept.options);
        g_assert_true(cs_comparison_align(&comparison, &found, &alignment, &error));
        g_assert_true(
            cs_verify_strand(&comparison, &found.strands[found.strand], &state, &watch, &error));
        const CsBest *best = &state.staircase.best;
        const gboolean transposed = comparison.placement.transposed;
        g_assert_cmpint(transposed ? best->j : best->i, ==,
                        cs_sequence_get_length(kept.target) - found.target_start + 1);
        g_assert_cmpint(transposed ? best->i : best->j, ==,
                        cs_sequence_get_length(kept.query) - found.query_start + 1);
        g_assert_cmpint(found.query_end, !=, transposed ? best->i : best->j);
        g_clear_pointer(&comparison.checkpoint, cs_checkpoint_free);
        kept_clear(&kept);
    }
}

/* What info tells of the proof: its share of all cells. */
static double
told_share(const Kept *kept)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(kept->directory, FALSE, &error);
    g_assert_no_error(error);
    return info->generations[0].proved;
}

/* Stopped again and again, it goes on where it was, computes no cell twice, and is not repeated. */
static void
test_resumed(void)
{
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_BOTH; strand++) {
        Kept kept;
        guint stopped = 0;
        gint64 cells = 0;
        kept_init(&kept, strand);
        const double all = (double)cs_sequence_get_length(kept.target) *
                           (double)cs_sequence_get_length(kept.query) *
                           (strand == CS_STRAND_BOTH ? 2 : 1);
        for (gboolean done = FALSE; !done; cells = kept.state.cells) {
            done = run_kept(&kept, TRUE, NULL);
            g_assert_cmpint(kept.state.cells, >, cells);
            g_assert_cmpfloat_with_epsilon(told_share(&kept),
                                           MIN((double)kept.state.cells / all, 0.999), 1e-9);
            stopped += !done;
        }
        g_assert_cmpuint(stopped, >, 5);
        g_assert_cmpint(kept.state.cells_computed, ==, kept.state.cells);
        g_assert_true(run_kept(&kept, TRUE, NULL));
        g_assert_false(kept.swept);
        g_assert_cmpint(kept.state.cells_computed, ==, kept.state.cells);
        g_assert_cmpuint(kept.warnings, ==, 0);
        kept_clear(&kept);
    }
}

static void
score_more(CsState *state)
{
    state->staircase.best = (CsBest){state->threshold + 1, 1, 1};
}

static void
know_more(CsState *state)
{
    state->threshold++;
}

static void
count_more_of_plus(CsState *state)
{
    g_assert_cmpint(state->under_way, ==, CS_STRAND_MINUS);
    state->plus.score++;
}

/* A value of the wave that is too high. Nothing skips or bounds it. */
static void
raise_wave(CsState *state)
{
    CsBus *bus = state->staircase.horizontal;
    for (gint64 j = 0; j < bus->length; j++)
        cs_width_set(bus->width, bus->h, j, 1500);
}

/* A state that is not one of this proof, or wrong, though its checksums are right: the proof begins
 * anew. */
static void
test_wrong_state(void)
{
    if (case_skip_one_thread())
        return;
    static const struct {
        void (*change)(CsState *state);
        guint warnings;
    } cases[] = {{score_more, 1}, {know_more, 0}, {raise_wave, 1}, {count_more_of_plus, 0}};
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        const gboolean second = cases[k].change == count_more_of_plus;
        Kept kept;
        kept_init(&kept, second ? CS_STRAND_BOTH : CS_STRAND_MINUS);
        do
            g_assert_false(run_kept(&kept, TRUE, NULL));
        while (second && kept.state.under_way == CS_STRAND_PLUS);
        g_assert_true(run_kept(&kept, FALSE, cases[k].change));
        g_assert_cmpuint(kept.warnings, ==, cases[k].warnings);
        g_assert_cmpint(kept.state.cells_computed, ==, kept.state.cells); /* all of this proof */
        kept_clear(&kept);
    }
}

/* A state of another score counts as nothing done. */
static void
test_other_score(void)
{
    if (case_skip_one_thread())
        return;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_BOTH; strand++) {
        Kept kept;
        kept_init(&kept, strand);
        g_assert_false(run_kept(&kept, TRUE, NULL));
        g_assert_cmpfloat(told_share(&kept), >, 0);
        g_auto(CsComparison) comparison;
        cs_comparison_init(&comparison, kept.target, kept.query, &kept.options);
        kept.stops = FALSE;
        g_assert_true(cs_comparison_run(&comparison, NULL));
        kept.state.threshold++;
        g_assert_true(
            cs_found_state_save(comparison.checkpoint, CS_FOUND_PROOF, &kept.state, 1, NULL, NULL));
        g_assert_cmpfloat(told_share(&kept), ==, 0);
        g_clear_pointer(&comparison.checkpoint, cs_checkpoint_free);
        kept_clear(&kept);
    }
}

/* Nor is a complete one taken whose best cell scores more. */
static void
test_wrong_end(void)
{
    if (case_skip_one_thread())
        return;
    Kept kept;
    kept_init(&kept, CS_STRAND_PLUS);
    g_assert_true(run_kept(&kept, FALSE, NULL));
    g_assert_true(run_kept(&kept, FALSE, score_more));
    g_assert_true(kept.swept);
    g_assert_cmpuint(kept.warnings, ==, 0);
    g_assert_cmpint(kept.state.cells_computed, ==, kept.state.cells);
    kept_clear(&kept);
}

/* A proof that fails leaves nothing behind that could make the next one fail. */
static void
test_failed(void)
{
    Kept kept;
    kept_init(&kept, CS_STRAND_PLUS);
    g_autoptr(GError) error = NULL;
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, kept.target, kept.query, &kept.options);
    g_assert_true(cs_comparison_run(&comparison, &error));
    const CsCompareResult found = cs_compare_result(&comparison);
    CsCompareResult wrong = found;
    wrong.strands[CS_STRAND_PLUS].score++;
    g_autofree char *stage = cs_found_file_name(CS_FOUND_VERIFY "plus-bounds");
    g_autofree char *proof = cs_found_file_name(CS_FOUND_PROOF);
    g_autofree char *stage_path = g_build_filename(kept.directory, stage, NULL);
    g_autofree char *proof_path = g_build_filename(kept.directory, proof, NULL);
    g_assert_true(g_file_set_contents(stage_path, "x", 1, NULL));
    g_assert_true(g_file_set_contents(proof_path, "x", 1, NULL));
    g_assert_false(cs_verify_run(&comparison, &wrong, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_false(g_file_test(stage_path, G_FILE_TEST_EXISTS));
    g_assert_false(g_file_test(proof_path, G_FILE_TEST_EXISTS));
    g_clear_error(&error);
    g_assert_true(cs_verify_run(&comparison, &found, &error));
    g_clear_pointer(&comparison.checkpoint, cs_checkpoint_free);
    kept_clear(&kept);
}

/* Whatever is wrong with the file: the proof begins anew. */
static void
test_damaged(void)
{
    if (case_skip_one_thread())
        return;
    Kept kept;
    kept_init(&kept, CS_STRAND_PLUS);
    g_autofree char *name = cs_found_file_name(CS_FOUND_PROOF);
    g_autofree char *path = g_build_filename(kept.directory, name, NULL), *good = NULL;
    g_autofree char *first = g_build_filename(kept.directory, "generation-000001.state", NULL);
    g_autofree char *other = NULL;
    gsize size, other_size;
    g_assert_false(run_kept(&kept, TRUE, NULL));
    g_assert_true(g_file_get_contents(path, &good, &size, NULL));
    g_assert_true(g_file_get_contents(first, &other, &other_size, NULL));
    const gsize step = size / case_count(30) + 1;
    for (gsize at = 0; at < size; at += step) {
        for (guint way = 0; way < (at == 0 ? 3 : 2); way++) {
            g_autofree char *bad = g_memdup2(good, size);
            bad[at] ^= (char)(1 << at % 8);
            g_assert_true(way == 0   ? g_file_set_contents(path, bad, (gssize)size, NULL)
                          : way == 1 ? g_file_set_contents(path, good, (gssize)at, NULL)
                                     : g_file_set_contents(path, other, (gssize)other_size, NULL));
            kept.warnings = 0;
            g_assert_true(run_kept(&kept, FALSE, NULL));
            g_assert_true(kept.swept);
            g_assert_cmpuint(kept.warnings, ==, 1);
            g_assert_cmpint(kept.state.cells_computed, ==, kept.state.cells);
        }
    }
    g_assert_cmpint(g_remove(path), ==, 0);
    kept.warnings = 0;
    g_assert_true(run_kept(&kept, FALSE, NULL));
    g_assert_true(kept.swept);
    g_assert_cmpuint(kept.warnings, ==, 0);
    kept_clear(&kept);
}

/* Nothing can be saved, so a proof that is not complete is made anew; one that is complete counts. */
static void
test_read_only(void)
{
    if (case_skip_one_thread())
        return;
    Kept kept;
    kept_init(&kept, CS_STRAND_BOTH);
    g_assert_false(run_kept(&kept, TRUE, NULL));
    const gint64 cells = kept.state.cells;
    kept.read_only = TRUE;
    g_assert_true(run_kept(&kept, FALSE, NULL));
    g_assert_true(kept.swept);
    g_assert_cmpint(kept.state.cells, ==, cells);
    g_assert_false(run_kept(&kept, TRUE, NULL));
    kept.read_only = FALSE;
    g_assert_true(run_kept(&kept, FALSE, NULL));
    kept.read_only = TRUE;
    g_assert_true(run_kept(&kept, TRUE, NULL));
    g_assert_false(kept.swept);
    g_assert_cmpuint(kept.warnings, ==, 0);
    kept_clear(&kept);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/verify/random", test_random);
    g_test_add_func("/verify/skipping", test_skipping);
    g_test_add_func("/verify/stop", test_stop);
    g_test_add_func("/verify/reversed", test_reversed);
    g_test_add_func("/verify/resumed", test_resumed);
    g_test_add_func("/verify/wrong-state", test_wrong_state);
    g_test_add_func("/verify/other-score", test_other_score);
    g_test_add_func("/verify/wrong-end", test_wrong_end);
    g_test_add_func("/verify/failed", test_failed);
    g_test_add_func("/verify/damaged", test_damaged);
    g_test_add_func("/verify/read-only", test_read_only);
    return g_test_run();
}
