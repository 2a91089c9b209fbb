/*
 * Whatever is skipped, score and end are the oracle's. The pairs are random, with repeats,
 * rotations, halves that occur twice, runs of N and many ties, also between the strands. They are
 * compared in every mode, with gains along diagonals and without, on both strands, with a least score
 * and without, in blocks so small that skipping happens everywhere, and also stopped and resumed in
 * another mode.
 *
 *     test_skip [SEED]      SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include <glib/gstdio.h>

#include <chromosweep/chromosweep.h>

#include "../case_count.h"
#include "../random_sequence.h"
#include "../unit/related.h"
#include "compare/comparison.h"
#include "skip_cases.h"
#include "stop_after.h"
#include "strand_oracle.h"

enum {
    CASES = 600,
    LONGEST = 120,
};

static guint32 first_seed = 1;

static CsCompareOptions
random_options(GRand *rand, const CsScoring *scoring)
{
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = *scoring;
    options.engine = g_rand_boolean(rand) ? "simd" : "scalar";
    options.device = g_rand_int_range(rand, 0, 3) == 0 ? "cpu,cpu,cpu" : NULL;
    options.threads = (guint)g_rand_int_range(rand, 1, 4);
    options.grid_blocks = (guint)g_rand_int_range(rand, 1, 40);
    options.grid_threads = 1;
    options.grid_alpha = (guint)g_rand_int_range(rand, 1, 12);
    options.skip = (CsSkipMode)g_rand_int_range(rand, CS_SKIP_AUTO, CS_SKIP_BOUNDS + 1);
    options.no_start = g_rand_int_range(rand, 0, 4) == 0;
    return options;
}

/* Of any kind; with bounds, three times in four also with gains in sizes of such a small matrix. */
static CsGainSizes
random_sizes(GRand *rand)
{
    return (CsGainSizes){.kmers = g_rand_int_range(rand, 1, 12),
                         .block = g_rand_int_range(rand, 1, 9),
                         .kmer = g_rand_int_range(rand, 2, 8),
                         .window = g_rand_int_range(rand, 1, 40),
                         .margin = g_rand_int_range(rand, 1, 30)};
}

/* cs_compare(), but gains are counted where bounds are, whatever that costs; not with one pair in
 * four. *gains, unless NULL, is how many strands had gains. */
static gboolean
compare(const CsSequence *target, const CsSequence *query, const CsCompareOptions *options,
        GRand *rand, CsCompareResult *result, guint *gains, GError **error)
{
    const CsGainSizes sizes = random_sizes(rand);
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, target, query, options);
    comparison.traces = !options->no_start;
    comparison.gain_sizes = g_rand_int_range(rand, 0, 4) > 0 ? &sizes : NULL;
    const gboolean done = cs_comparison_run(&comparison, error) &&
                          (!comparison.traces || cs_comparison_trace(&comparison, NULL, error));
    if (done)
        *result = cs_compare_result(&comparison);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        *gains += comparison.skips[strand].gains != NULL;
    return done;
}

static void
expect(const CsCompareResult *result, const CsStrandResult *solved, const CsCompareOptions *options,
       const gint64 *before)
{
    CsStrandResult wanted[] = {solved[0], solved[1]};
    strand_oracle_hide(wanted, options->strand, options->min_score);
    for (CsStrand one = CS_STRAND_PLUS; one <= CS_STRAND_MINUS; one++)
        if (options->strand == CS_STRAND_BOTH || options->strand == one)
            strand_oracle_expect(&result->strands[one], &wanted[one], one, options->no_start,
                                 before != NULL ? before[0] : 0, before != NULL ? before[1] : 0);
    g_assert_cmpint(result->lower_bound, <=,
                    MAX(solved[CS_STRAND_PLUS].score, solved[CS_STRAND_MINUS].score));
}

/* A case with its sequences and the result of each strand. */
typedef struct {
    SkipCase *c;
    CsSequence *target, *query;
    CsStrandResult solved[2];
} Trial;

static void
trial_init(Trial *trial, guint32 seed)
{
    SkipCase *c = skip_case_new(seed, LONGEST);
    if (seed / 3 % 4 == 0) { /* both strands are the same, so that all scores tie */
        const gsize half = c->query->len;
        g_autofree char *copy = g_strdup(c->query->str);
        g_string_append(c->query, copy);
        related_invert(c->query, half, half);
    }
    *trial = (Trial){
        .c = c,
        .target = cs_sequence_new("target", c->target->str, (gint64)c->target->len, NULL),
        .query = cs_sequence_new("query", c->query->str, (gint64)c->query->len, NULL),
        .solved = {strand_oracle_solve(c->target->str, c->query->str, c->scoring, CS_STRAND_PLUS),
                   strand_oracle_solve(c->target->str, c->query->str, c->scoring, CS_STRAND_MINUS)},
    };
    g_test_message("seed %u: %s %s", seed, c->target->str, c->query->str);
}

/* None, the best score, or one more or less. */
static CsScore
least_of(const Trial *trial, CsStrand strand, GRand *rand)
{
    const CsScore plus = trial->solved[0].score, minus = trial->solved[1].score;
    const CsScore best = strand == CS_STRAND_PLUS    ? plus
                         : strand == CS_STRAND_MINUS ? minus
                                                     : MAX(plus, minus);
    const gint32 kind = g_rand_int_range(rand, 0, 6);
    return kind > 2 ? 0 : MAX(0, best - 1 + kind);
}

static void
trial_clear(Trial *trial)
{
    cs_sequence_unref(trial->target);
    cs_sequence_unref(trial->query);
    skip_case_free(trial->c);
}

/* Sums over several comparisons. */
typedef struct {
    guint skipping;
    gint64 cells, computed;
} Count;

static void
count(Count *sum, const CsCompareResult *result)
{
    sum->skipping += result->cells_computed < result->cells;
    sum->cells += result->cells;
    sum->computed += result->cells_computed;
}

static double
share_of(const Count *sum)
{
    return (double)sum->computed / (double)sum->cells;
}

static void
test_random(void)
{
    const guint cases = case_count(CASES);
    Count counts[4] = {{0}};
    guint kinds[SKIP_KINDS] = {0}, transposed = 0, gains = 0, without = 0;
    for (guint k = 0; k < cases; k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        Trial trial;
        trial_init(&trial, first_seed + k);
        skip_case_count(kinds, trial.c);
        transposed += trial.c->query->len > trial.c->target->len;
        for (CsSkipMode mode = CS_SKIP_AUTO; mode <= CS_SKIP_BOUNDS; mode++) {
            CsCompareOptions options = random_options(rand, trial.c->scoring);
            CsCompareResult result;
            g_autoptr(GError) error = NULL;
            options.skip = mode;
            options.strand = (CsStrand)(k % 3);
            options.min_score = least_of(&trial, options.strand, rand);
            g_assert_true(
                compare(trial.target, trial.query, &options, rand, &result, &gains, &error));
            expect(&result, trial.solved, &options, NULL);
            g_assert_cmpint(result.skip, !=, CS_SKIP_AUTO);
            if (mode != CS_SKIP_AUTO) /* the mode may also fall back to the next one */
                g_assert_cmpint(result.skip, <=, mode);
            if (gains == without) /* else the strip's cells count as computed, too */
                count(&counts[mode], &result);
            without = gains;
        }
        trial_clear(&trial);
    }
    skip_case_expect_all(kinds, cases);
    /* The corridor of such a small matrix is often the whole matrix, and counts as computed. */
    g_test_message(
        "%u cases, %u transposed; best skips in %u (computed %.3f), bounds in %u (%.3f), "
        "%u strands with gains",
        cases, transposed, counts[CS_SKIP_BEST].skipping, share_of(&counts[CS_SKIP_BEST]),
        counts[CS_SKIP_BOUNDS].skipping, share_of(&counts[CS_SKIP_BOUNDS]), gains);
    g_assert_cmpuint(counts[CS_SKIP_NONE].skipping, ==, 0);
    if (cases < 300)
        return;
    g_assert_cmpuint(gains, >, cases / 4);
    g_assert_cmpuint(transposed, >, cases / 8);
    g_assert_cmpuint(counts[CS_SKIP_BEST].skipping, >, cases / 4);
    g_assert_cmpfloat(share_of(&counts[CS_SKIP_BOUNDS]) - 1, <, share_of(&counts[CS_SKIP_BEST]));
}

/* A file with one record, which has these bases between other bases. */
static char *
write_record(const char *folder, const char *name, const GString *bases, GRand *rand,
             gint64 *before)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, ">%s\n", name);
    *before = g_rand_int_range(rand, 0, 30);
    related_append(rand, text, 4, (int)*before);
    g_string_append_len(text, bases->str, (gssize)bases->len);
    related_append(rand, text, 4, g_rand_int_range(rand, 0, 30));
    g_string_append_c(text, '\n');
    char *path = g_build_filename(folder, name, NULL);
    g_assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
    return path;
}

static CsSequence *
load_region(const char *path, const char *name, gint64 before, gsize count)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *region = g_strdup_printf("%s:%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, name,
                                              before + 1, before + (gint64)count);
    CsSequence *sequence = cs_sequence_load_region(path, region, &error);
    g_assert_no_error(error);
    return sequence;
}

/* Neither bounds nor sweep look at bases outside a region. Ends are positions in the whole
 * records. */
static void
test_regions(void)
{
    g_autofree char *folder = g_dir_make_tmp("chromosweep-skip-XXXXXX", NULL);
    for (guint k = 0; k < MIN(case_count(CASES), 100); k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        Trial trial;
        trial_init(&trial, first_seed + k);
        if (trial.c->target->len > 0 && trial.c->query->len > 0) {
            gint64 before[2];
            g_autofree char *a = write_record(folder, "a", trial.c->target, rand, &before[0]);
            g_autofree char *b = write_record(folder, "b", trial.c->query, rand, &before[1]);
            g_autoptr(CsSequence) target = load_region(a, "a", before[0], trial.c->target->len);
            g_autoptr(CsSequence) query = load_region(b, "b", before[1], trial.c->query->len);
            g_autoptr(GError) error = NULL;
            CsCompareOptions options = random_options(rand, trial.c->scoring);
            CsCompareResult result;
            options.strand = (CsStrand)(k % 3);
            g_assert_true(cs_compare(target, query, &options, &result, &error));
            expect(&result, trial.solved, &options, before);
            g_unlink(a);
            g_unlink(b);
        }
        trial_clear(&trial);
    }
    g_rmdir(folder);
}

/* Stops again and again, and resumes with another mode, engine and grid each time. */
static void
test_resumed(void)
{
    g_autofree char *folder = g_dir_make_tmp("chromosweep-skip-XXXXXX", NULL);
    g_autofree char *directory = g_build_filename(folder, "run", NULL);
    guint stops = 0, resumed = 0, gains = 0;
    Count counted = {0};
    for (guint k = 0; k < MAX(case_count(CASES) / 4, 1); k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        Trial trial;
        trial_init(&trial, first_seed + k);
        const CsStrand strand = (CsStrand)(k % 3);
        const CsScore least = least_of(&trial, strand, rand);
        for (guint run = 0;; run++) {
            g_autoptr(GError) error = NULL;
            CsCompareResult result;
            CsCompareOptions options = random_options(rand, trial.c->scoring);
            StopAfter stop = {.left = run < 12 ? (guint)g_rand_int_range(rand, 1, 60) : G_MAXUINT};
            if (g_rand_boolean(rand)) /* more of them with gains */
                options.skip = CS_SKIP_BOUNDS;
            options.strand = strand;
            options.min_score = least;
            options.checkpoint = directory;
            options.control = stop_after;
            options.control_data = &stop;
            if (compare(trial.target, trial.query, &options, rand, &result, &gains, &error)) {
                expect(&result, trial.solved, &options, NULL);
                resumed += result.cells_resumed > 0;
                count(&counted, &result);
                break;
            }
            g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
            stops++;
        }
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        trial_clear(&trial);
    }
    g_test_message("stopped %u times, %u went on amid the cells, %u skipped some, %u strands with "
                   "gains",
                   stops, resumed, counted.skipping, gains);
    if (case_count(CASES) >= 400) {
        g_assert_cmpuint(resumed, >, 10);
        g_assert_cmpuint(counted.skipping, >, 5);
        g_assert_cmpuint(gains, >, 10);
    }
    g_rmdir(folder);
}

typedef struct {
    StopAfter stop;
    CsSkipMode skip;
    CsStrand strand;
} Run;

static gboolean
run_once(const char *directory, const CsSequence *target, const CsSequence *query, Run *run,
         CsCompareResult *result)
{
    g_autoptr(GError) error = NULL;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.engine = "scalar";
    options.threads = 2;
    options.grid_blocks = 12;
    options.grid_threads = 1;
    options.grid_alpha = 60;
    options.skip = run->skip;
    options.strand = run->strand;
    options.checkpoint = directory;
    options.control = stop_after;
    options.control_data = &run->stop;
    gboolean done = cs_compare(target, query, &options, result, &error);
    if (!done)
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    return done;
}

/* Whether a stopped comparison had begun to sweep. */
static gboolean
has_begun(const char *directory)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, FALSE, NULL);
    return info != NULL && info->n_generations > 0 && info->generations[0].cells_done > 0;
}

/* A resumed comparison does not look for the lower bound again. */
static void
test_kept(void)
{
    g_autofree char *folder = g_dir_make_tmp("chromosweep-skip-XXXXXX", NULL);
    g_autofree char *directory = g_build_filename(folder, "run", NULL);
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed);
    g_autoptr(GString) a = g_string_new(NULL);
    related_append(rand, a, 4, 3000);
    g_autoptr(GString) b = related_copy(rand, a, 4, 20);
    g_autoptr(CsSequence) target = cs_sequence_new("target", a->str, (gint64)a->len, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("query", b->str, (gint64)b->len, NULL);
    const CsScoring scoring = CS_SCORING_DEFAULT;
    const CsStrandResult solved[] = {
        strand_oracle_solve(a->str, b->str, &scoring, CS_STRAND_PLUS),
        strand_oracle_solve(a->str, b->str, &scoring, CS_STRAND_MINUS)};
    CsCompareResult once, resumed;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        Run run = {.stop = {G_MAXUINT}, .skip = CS_SKIP_BOUNDS, .strand = strand};
        options.strand = strand;
        g_assert_true(run_once(directory, target, query, &run, &once));
        expect(&once, solved, &options, NULL);
        g_assert_cmpint(once.skip, ==, CS_SKIP_BOUNDS);
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        /* The search also asks control, a few times or many. */
        gboolean done = TRUE;
        for (guint left = 5; done || !has_begun(directory); left = done ? 5 : left + 5) {
            (void)cs_checkpoint_remove(directory, NULL);
            run.stop.left = left;
            done = run_once(directory, target, query, &run, &resumed);
        }
        run.stop.left = G_MAXUINT;
        g_assert_true(run_once(directory, target, query, &run, &resumed));
        expect(&resumed, solved, &options, NULL);
        g_assert_cmpint(resumed.lower_bound, ==, once.lower_bound);
        g_test_message("%" G_GINT64_FORMAT " cells at once, %" G_GINT64_FORMAT " when resumed",
                       once.cells_computed, resumed.cells_computed);
        /* Otherwise the corridor, nearly the whole of such a small matrix, would be computed
         * again. */
        g_assert_cmpint(resumed.cells_computed, <, once.cells_computed + once.cells_computed / 4);
        g_assert_true(cs_checkpoint_remove(directory, NULL));
    }
    g_rmdir(folder);
}

/* Plus is not searched below the alignment found first on minus, so it may end below that found first on
 * plus, even if the run that skipped so was stopped and the next one skips nothing. */
static void
test_floor_kept(void)
{
    g_autofree char *folder = g_dir_make_tmp("chromosweep-skip-XXXXXX", NULL);
    g_autofree char *directory = g_build_filename(folder, "run", NULL);
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed);
    g_autoptr(GString) a = g_string_new(NULL);
    related_append(rand, a, 4, 900);
    g_autoptr(GString) b = g_string_new(a->str);
    g_string_truncate(b, 400); /* the first 400 bases on plus, the last 500 on minus */
    related_append(rand, b, 4, 500);
    g_string_append_len(b, a->str + 400, 500);
    related_invert(b, 900, 500);
    g_autoptr(CsSequence) target = cs_sequence_new("target", a->str, (gint64)a->len, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("query", b->str, (gint64)b->len, NULL);
    const CsScoring scoring = CS_SCORING_DEFAULT;
    const CsStrandResult solved[] = {
        strand_oracle_solve(a->str, b->str, &scoring, CS_STRAND_PLUS),
        strand_oracle_solve(a->str, b->str, &scoring, CS_STRAND_MINUS)};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.strand = CS_STRAND_BOTH;
    guint resumed = 0, ends = 0;
    gboolean done = FALSE;
    /* The search also asks control, a few times or many. So it is tried again until enough runs were stopped in a
     * sweep. */
    for (guint left = 5; ends == 0 || (resumed <= 5 && ends < 100); left = done ? 5 : left + 2) {
        CsCompareResult result;
        Run run = {.stop = {left}, .skip = CS_SKIP_BOUNDS, .strand = CS_STRAND_BOTH};
        done = run_once(directory, target, query, &run, &result);
        run = (Run){.stop = {G_MAXUINT}, .skip = CS_SKIP_NONE, .strand = CS_STRAND_BOTH};
        g_assert_true(done || run_once(directory, target, query, &run, &result));
        expect(&result, solved, &options, NULL);
        ends += done;
        resumed += !done && result.cells_resumed > 0;
        g_assert_true(cs_checkpoint_remove(directory, NULL));
    }
    g_test_message("%u went on amid the cells", resumed);
    g_assert_cmpuint(resumed, >, 5);
    g_rmdir(folder);
}

/* Cells that are computed for a strand or both, those for the lower bound included. */
static gint64
cells_of(const CsSequence *target, const CsSequence *query, CsStrand strand)
{
    g_autoptr(GError) error = NULL;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.strand = strand;
    options.device = "cpu";
    options.threads = 1;
    options.no_start = TRUE;
    g_assert_true(cs_compare(target, query, &options, &result, &error));
    g_assert_no_error(error);
    return result.cells_computed;
}

/* The worse strand of a related pair takes at most a third of what the better one takes, whichever that is, also in a
 * pair that is small. */
static void
test_worse_strand(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed);
    g_autoptr(GString) a = g_string_new(NULL);
    related_append(rand, a, 4, 50000);
    g_autoptr(GString) b = related_copy(rand, a, 4, 20);
    g_autoptr(CsSequence) target = cs_sequence_new("target", a->str, (gint64)a->len, NULL);
    for (CsStrand better = CS_STRAND_PLUS; better <= CS_STRAND_MINUS; better++) {
        g_autoptr(CsSequence) query = cs_sequence_new("query", b->str, (gint64)b->len, NULL);
        const gint64 one = cells_of(target, query, better);
        const gint64 both = cells_of(target, query, CS_STRAND_BOTH);
        g_test_message("%" G_GINT64_FORMAT " cells, %" G_GINT64_FORMAT " on both", one, both);
        g_assert_cmpint(one, <, (gint64)a->len * (gint64)b->len / 2);
        g_assert_cmpint(both, <=, one + one / 3);
        related_invert(b, 0, (int)b->len);
    }
}

/* A request to stop during the search for what may be skipped, which takes seconds here, takes
 * effect before a sweep begins. */
static void
test_stopped_search(void)
{
    g_autoptr(CsSequence) target = random_sequence(4000000, 1), query = random_sequence(4000000, 2);
    for (guint left = 1; left < 10; left += 4) {
        g_autoptr(GError) error = NULL;
        StopAfter stop = {left};
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        CsCompareResult result;
        options.skip = CS_SKIP_BOUNDS;
        options.device = "cpu";
        options.control = stop_after;
        options.control_data = &stop;
        g_assert_false(cs_compare(target, query, &options, &result, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
        g_assert_false(g_str_has_prefix(error->message, "stopped after ")); /* so many cells */
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/skip/random", test_random);
    g_test_add_func("/skip/regions", test_regions);
    g_test_add_func("/skip/resumed", test_resumed);
    g_test_add_func("/skip/kept", test_kept);
    g_test_add_func("/skip/floor-kept", test_floor_kept);
    g_test_add_func("/skip/worse-strand", test_worse_strand);
    g_test_add_func("/skip/stopped-search", test_stopped_search);
    return g_test_run();
}
