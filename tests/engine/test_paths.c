/*
 * Alignments as cs_align() returns them, against the walk over full matrices: random pairs on both
 * strands, with every engine of the CPU, way of skipping and number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/align.h>

#include "../case_count.h"
#include "../reverse_complement.h"
#include "cases.h"
#include "path_oracle.h"

static guint32 first_seed = 1;

/* A gap's opening may cost what its bases do, nothing, or a lot. */
static const CsScoring special[] = {{1, 1, 0, 1}, {2, 1, 1, 1}, {1, 1, 1, 0}, {3, 2, 2, 1},
                                    {2, 9, 9, 0}, {1, 3, 2, 2}, {5, 4, 3, 3}, {1, 2, 2, 2}};

/* What the oracle says of a strand of the query. */
typedef struct {
    char *query; /* as it is read */
    char *steps; /* or NULL where the score is 0 */
    int i0, j0;
    int64_t score;
    int i, j;
} Strand;

static void
strand_init(Strand *strand, const Case *c, gboolean minus)
{
    g_autofree char *upper = g_ascii_strup(c->b, -1);
    *strand = (Strand){.query = minus ? reverse_complement(upper) : g_strdup(upper)};
    Oracle oracle;
    OracleProblem problem = case_problem(c);
    problem.b = strand->query;
    problem.columns_first = false;
    oracle_solve(&problem, &oracle);
    strand->steps = path_oracle(&problem, &oracle, false, &strand->i0, &strand->j0);
    strand->score = oracle.score;
    strand->i = oracle.i;
    strand->j = oracle.j;
    oracle_clear(&oracle);
}

static void
strand_clear(Strand *strand)
{
    g_free(strand->query);
    free(strand->steps);
}

/* The alignment as path_oracle() has it, its runs in order and none in two. */
static char *
steps_of(const CsAlignment *alignment)
{
    GString *steps = g_string_new(NULL);
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    char before = 0;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run)) {
        g_assert_cmpint(run.op, !=, before);
        before = run.op;
        for (gint64 k = 0; k < run.length; k++)
            g_string_append_c(steps, run.op == 'D' ? 'R' : run.op == 'I' ? 'C' : run.op);
    }
    return g_string_free(steps, FALSE);
}

/* The oracle's steps with = and X for its pairs. */
static char *
wanted_steps(const Case *c, const Strand *strand)
{
    char *steps = g_strdup(strand->steps);
    OracleProblem problem = case_problem(c);
    problem.b = strand->query;
    int i = strand->i0, j = strand->j0;
    for (char *step = steps; *step != '\0'; step++) {
        i += *step != 'C';
        j += *step != 'R';
        if (*step == 'M')
            *step = oracle_pair(&problem, i, j) > 0 ? '=' : 'X';
    }
    return steps;
}

static void
check_alignment(const Case *c, const CsAlignment *alignment, const Strand *strand, gboolean minus,
                const char *what)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    g_autofree char *wanted = wanted_steps(c, strand), *steps = steps_of(alignment);
    if (strcmp(steps, wanted) != 0)
        g_error("%s: %s, not %s", what, steps, wanted);
    const gint64 first = strand->j0 + 1, last = strand->j;
    g_assert_cmpint(s->score, ==, strand->score);
    g_assert_cmpint(s->strand, ==, minus ? CS_STRAND_MINUS : CS_STRAND_PLUS);
    g_assert_cmpint(s->target_start, ==, strand->i0 + 1);
    g_assert_cmpint(s->target_end, ==, strand->i);
    g_assert_cmpint(s->query_start, ==, minus ? c->n - last + 1 : first);
    g_assert_cmpint(s->query_end, ==, minus ? c->n - first + 1 : last);
}

static CsCompareOptions
random_options(const Case *c, GRand *rand)
{
    static const char *const engines[] = {"scalar", "simd"};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = c->scoring;
    options.device = "cpu";
    options.engine = engines[g_rand_int_range(rand, 0, G_N_ELEMENTS(engines))];
    options.threads = c->threads;
    options.strand = (CsStrand)g_rand_int_range(rand, 0, 3);
    options.skip = (CsSkipMode)g_rand_int_range(rand, 0, 4);
    if (g_rand_boolean(rand))
        options.grid_blocks = (guint)g_rand_int_range(rand, 1, 9);
    return options;
}

static gboolean
check_case(const Case *c, GRand *rand, const char *what)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsAlignment) alignment = NULL;
    g_autoptr(CsSequence) target = cs_sequence_new("a", c->a, c->m, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("b", c->b, c->n, NULL);
    const CsCompareOptions options = random_options(c, rand);
    Strand plus, minus;
    CsCompareResult result;
    if (!cs_align(target, query, &options, &result, &alignment, &error))
        g_error("%s: %s", what, error->message);
    strand_init(&plus, c, FALSE);
    strand_init(&minus, c, TRUE);
    const gboolean on_minus = options.strand == CS_STRAND_BOTH ? minus.score > plus.score
                                                               : options.strand == CS_STRAND_MINUS;
    const Strand *strand = on_minus ? &minus : &plus;
    g_assert_cmpint(result.score, ==, strand->score);
    g_assert_true((alignment != NULL) == (strand->score > 0));
    if (alignment != NULL)
        check_alignment(c, alignment, strand, on_minus, what);
    strand_clear(&plus);
    strand_clear(&minus);
    return alignment != NULL;
}

static void
test_random(void)
{
    guint found = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(20000); seed++) {
        const int longest = seed % 8 == 0 ? 300 : 80;
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        g_autoptr(Case) c = case_new(seed, longest);
        if (seed % 4 == 0)
            case_repeat(c, rand, longest);
        if (seed % 3 == 0)
            c->scoring = special[seed / 3 % G_N_ELEMENTS(special)];
        g_autofree char *described = case_describe(c);
        g_autofree char *what = g_strdup_printf("seed %u: %s", seed, described);
        found += check_case(c, rand, what);
    }
    g_test_message("%u alignments found", found);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/paths/random", test_random);
    return g_test_run();
}
