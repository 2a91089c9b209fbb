/* A score proved by the reversed sequences: a true one, and ones that are planted. */
#include <chromosweep/error.h>

#include "../case_count.h"
#include "compare/verify.h"
#include "related.h"

static CsSequence *
make(const char *name, const GString *bases)
{
    return cs_sequence_new(name, bases->str, (gint64)bases->len, NULL);
}

/* A score that is too high or too low is found out. */
static void
expect_fault(const CsComparison *comparison, CsStrand strand, CsScore score)
{
    g_autoptr(GError) error = NULL;
    CsVerifyWatch watch = {0};
    g_assert_false(cs_verify_strand(comparison, strand, score, &watch, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_true(g_str_has_prefix(error->message, "internal error: a sweep of the reversed"));
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
        expect_fault(&comparison, strand, result->score + 1);
        if (result->score > 0)
            expect_fault(&comparison, strand, result->score - 1);
        if (result->score > 1)
            expect_fault(&comparison, strand, result->score / 2);
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
    g_assert_false(cs_verify_strand(&comparison, CS_STRAND_PLUS, 3000, &watch, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/verify/random", test_random);
    g_test_add_func("/verify/skipping", test_skipping);
    g_test_add_func("/verify/stop", test_stop);
    return g_test_run();
}
