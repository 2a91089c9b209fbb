/*
 * Both strands of the query must agree with the oracle on the bases of the reverse complement, and
 * regions with the same bases in a record of their own. The cases are random, with many ties.
 *
 *     test_strands [SEED]      SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include <string.h>

#include <glib/gstdio.h>

#include <chromosweep/chromosweep.h>

#include "../case_count.h"
#include "strand_oracle.h"

enum {
    CASES = 1500,
    LONGEST = 70,
};

static guint32 first_seed = 1;

static char *
random_bases(GRand *rand, gint length, gint alphabet)
{
    char *bases = g_malloc(length + 1);
    for (gint k = 0; k < length; k++)
        bases[k] = "ATCGN"[g_rand_int_range(rand, 0, alphabet)];
    bases[length] = '\0';
    return bases;
}

typedef struct {
    gint64 score, target_end, query_last, cells_done;
    CsStrand strand;
    guint calls;
} Seen;

static gboolean
look(const CsProgress *progress, gpointer data)
{
    Seen *seen = data;
    if (seen->calls == 0) {
        g_assert_cmpint(progress->cells_done, ==, 0);
        g_assert_cmpfloat(progress->seconds, ==, 0);
        g_assert_cmpint(progress->score, ==, 0);
    }
    g_assert_cmpint(progress->cells_before, ==, 0);
    g_assert_cmpfloat(progress->seconds_before, ==, 0);
    g_assert_cmpfloat(progress->next_checkpoint, <, 0);
    g_assert_cmpint(progress->cells_done, >=, seen->cells_done);
    g_assert_cmpint(progress->cells_done, <=, progress->cells);
    g_assert_cmpint(progress->score, >=, seen->score);
    const gboolean minus = progress->strand == CS_STRAND_MINUS;
    g_assert_cmpint(minus ? progress->query_end : progress->query_start, ==, 0);
    *seen = (Seen){.score = progress->score,
                   .target_end = progress->target_end,
                   .query_last = minus ? progress->query_start : progress->query_end,
                   .cells_done = progress->cells_done,
                   .strand = progress->strand,
                   .calls = seen->calls + 1};
    return TRUE;
}

/* All three strand options. The sequences may be regions of longer records. */
static void
expect(const char *a, const char *b, const CsSequence *target, const CsSequence *query,
       const CsScoring *scoring, const char *engine)
{
    const gint64 target_offset = cs_sequence_get_offset(target);
    const gint64 query_offset = cs_sequence_get_offset(query);
    CsStrandResult solved[] = {strand_oracle_solve(a, b, scoring, CS_STRAND_PLUS),
                               strand_oracle_solve(a, b, scoring, CS_STRAND_MINUS)};
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_BOTH; strand++) {
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        CsCompareResult result;
        Seen seen = {0};
        g_autoptr(GError) error = NULL;
        options.scoring = *scoring;
        options.engine = engine;
        options.threads = 2;
        options.strand = strand;
        options.no_start = (a[0] + b[0]) % 3 == 0;
        options.progress = look;
        options.progress_data = &seen;
        g_assert_true(cs_compare(target, query, &options, &result, &error));
        const CsStrand better = strand != CS_STRAND_BOTH            ? strand
                                : solved[1].score > solved[0].score ? CS_STRAND_MINUS
                                                                    : CS_STRAND_PLUS;
        g_assert_cmpint(result.strand, ==, better);
        /* Progress is reported before the first cell, if there is one, and after the last. */
        g_assert_cmpuint(seen.calls, >=, result.cells > 0 ? 2 : 1);
        g_assert_cmpint(seen.cells_done, ==, result.cells);
        g_assert_cmpint(seen.strand, ==, better);
        g_assert_cmpint(seen.score, ==, result.score);
        g_assert_cmpint(seen.target_end, ==, result.target_end);
        g_assert_cmpint(seen.query_last, ==,
                        better == CS_STRAND_MINUS ? result.query_start : result.query_end);
        const CsStrandResult head = {.computed = TRUE,
                                     .score = result.score,
                                     .target_start = result.target_start,
                                     .target_end = result.target_end,
                                     .query_start = result.query_start,
                                     .query_end = result.query_end};
        strand_oracle_expect(&head, &solved[better], better, options.no_start, target_offset,
                             query_offset);
        const CsStrandResult none = {0};
        if (strand == CS_STRAND_BOTH) /* which comes last */
            strand_oracle_hide(solved, strand, 0);
        for (CsStrand one = CS_STRAND_PLUS; one <= CS_STRAND_MINUS; one++)
            strand_oracle_expect(&result.strands[one],
                                 strand == one || strand == CS_STRAND_BOTH ? &solved[one] : &none,
                                 one, options.no_start, target_offset, query_offset);
        g_assert_cmpint(result.cells, ==,
                        (gint64)(strlen(a) * strlen(b)) * (strand == CS_STRAND_BOTH ? 2 : 1));
        g_assert_cmpint(result.cells_computed, >=, result.cells);
    }
}

static const CsScoring scorings[] = {
    CS_SCORING_DEFAULT, {1, 1, 0, 1}, {2, 3, 5, 2}, {1, 0, 0, 0}, {5, 4, 0, 4},
};

static const char *const engines[] = {"scalar", "simd"};

static void
test_random(void)
{
    for (guint k = 0; k < case_count(CASES); k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        gint alphabet = g_rand_int_range(rand, 1, 6);
        g_autofree char *a = random_bases(rand, g_rand_int_range(rand, 0, LONGEST), alphabet);
        g_autofree char *b = random_bases(rand, g_rand_int_range(rand, 0, LONGEST), alphabet);
        g_autoptr(CsSequence) target = cs_sequence_new("target", a, -1, NULL);
        g_autoptr(CsSequence) query = cs_sequence_new("query", b, -1, NULL);
        g_test_message("seed %u: %s %s", first_seed + k, a, b);
        expect(a, b, target, query, &scorings[k % G_N_ELEMENTS(scorings)], engines[k % 2]);
    }
}

/* Regions of the target and the query, by the file. */
static void
test_regions(void)
{
    g_autofree char *folder = g_dir_make_tmp("chromosweep-strands-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "both.fa", NULL);
    g_assert_nonnull(folder);
    for (guint k = 0; k < MIN(case_count(CASES), 200); k++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed + k);
        gint m = g_rand_int_range(rand, 1, LONGEST), n = g_rand_int_range(rand, 1, LONGEST);
        g_autofree char *a = random_bases(rand, m, 4), *b = random_bases(rand, n, 4);
        g_autofree char *text = g_strdup_printf(">t\n%s\n>q\n%s\n", a, b);
        g_assert_true(g_file_set_contents(path, text, -1, NULL));
        gint t0 = g_rand_int_range(rand, 0, m), t1 = g_rand_int_range(rand, t0, m);
        gint q0 = g_rand_int_range(rand, 0, n), q1 = g_rand_int_range(rand, q0, n);
        g_autofree char *part = g_strdup_printf("t:%d-%d", t0 + 1, t1 + 1);
        g_autofree char *other = g_strdup_printf("q:%d-%d", q0 + 1, q1 + 1);
        g_autoptr(CsSequence) target = cs_sequence_load_region(path, part, NULL);
        g_autoptr(CsSequence) query = cs_sequence_load_region(path, other, NULL);
        g_assert_cmpint(cs_sequence_get_offset(query), ==, q0);
        a[t1 + 1] = b[q1 + 1] = '\0';
        expect(a + t0, b + q0, target, query, &scorings[k % G_N_ELEMENTS(scorings)],
               engines[k % 2]);
    }
    g_unlink(path);
    g_rmdir(folder);
}

/* If both strands are equal, the result is plus. Ties on minus go by the cell as swept. */
static void
test_ties(void)
{
    g_autoptr(CsSequence) palindrome = cs_sequence_new("palindrome", "ACGT", -1, NULL);
    g_autoptr(CsSequence) twice = cs_sequence_new("twice", "TTTTGTTTT", -1, NULL);
    g_autoptr(CsSequence) a = cs_sequence_new("a", "CAAAAC", -1, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.strand = CS_STRAND_BOTH;
    g_assert_true(cs_compare(palindrome, palindrome, &options, &result, NULL));
    g_assert_cmpint(result.strand, ==, CS_STRAND_PLUS);
    g_assert_cmpint(result.query_end, ==, 4);
    g_assert_cmpint(result.strands[CS_STRAND_MINUS].score, ==, 4);
    g_assert_cmpint(result.strands[CS_STRAND_MINUS].query_start, ==, 1);
    /* AAAACAAAA is read: CAAAA and AAAAC score 5, AAAAC ends at 6, CAAAA at 5. */
    g_assert_cmpint(cs_compare(a, twice, &options, &result, NULL), ==, TRUE);
    g_assert_cmpint(result.strand, ==, CS_STRAND_MINUS);
    g_assert_cmpint(result.score, ==, 5);
    g_assert_cmpint(result.target_start, ==, 1);
    g_assert_cmpint(result.target_end, ==, 5);
    g_assert_cmpint(result.query_start, ==, 1);
    g_assert_cmpint(result.query_end, ==, 5);
    /* The first run of A as swept is the last of T. */
    g_autoptr(CsSequence) run = cs_sequence_new("run", "AAAA", -1, NULL);
    g_assert_cmpint(cs_compare(run, twice, &options, &result, NULL), ==, TRUE);
    g_assert_cmpint(result.query_start, ==, 6);
    g_assert_cmpint(result.query_end, ==, 9);
}

static void
test_nonsense(void)
{
    g_autoptr(CsSequence) a = cs_sequence_new("a", "ACGT", -1, NULL);
    g_autoptr(GError) error = NULL;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.strand = (CsStrand)3;
    g_assert_false(cs_compare(a, a, &options, &result, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/strands/random", test_random);
    g_test_add_func("/strands/regions", test_regions);
    g_test_add_func("/strands/ties", test_ties);
    g_test_add_func("/strands/nonsense", test_nonsense);
    return g_test_run();
}
