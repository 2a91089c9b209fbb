/* Bounds on what an alignment can still gain: never below the oracle's gain, and as tight as the
 * proof says. */
#include <string.h>

#include <chromosweep/error.h>

#include "../case_count.h"
#include "../engine/sweeps.h"
#include "../random_sequence.h"
#include "../reverse_complement.h"
#include "skipping/absent_kmers.h"
#include "skipping/bounds.h"
#include "skipping/bounds_rule.h"
#include "skipping/bounds_walk.h"
#include "weight_within.h"

static guint32 n_pairs = 4000;

/* Under each of these scorings, another event limits the weights. */
static const CsScoring scorings[] = {
    {1, 3, 3, 2},  /* k-mer 4: a mismatch, a deletion of two bases; ambiguous 3: a long deletion */
    {2, 3, 5, 2},  /* k-mer 5: a mismatch */
    {1, 5, 3, 1},  /* k-mer 3: a deletion of two bases, half of its opening rounded down */
    {1, 1, 0, 1},  /* k-mer 1: an insertion; ambiguous 2: a mismatch */
    {4, 20, 1, 1}, /* k-mer 2: an insertion */
    {1, 20, 4, 1}, /* k-mer 4: a deletion of two bases, or of many k-mers */
    {5, 4, 10, 1}, /* k-mer 9: a mismatch; ambiguous 6 */
    {3, 1, 4, 0},  /* ambiguous 3: a long deletion that costs only its opening */
    {1, 0, 0, 0},  /* k-mer 0: no k-mers are used */
    {2, 1, 2, 3},  /* k-mer 3, ambiguous 3: a mismatch, cheaper than a deletion */
    {1, 20, 8, 0}, /* k-mer 2: a deletion of many k-mers */
};

static const CsBoundsRule small_rules[G_N_ELEMENTS(scorings)] = {
    {.kmer = 4, .ambiguous = 3}, {.kmer = 5, .ambiguous = 4}, {.kmer = 3, .ambiguous = 2},
    {.kmer = 1, .ambiguous = 2}, {.kmer = 2, .ambiguous = 5}, {.kmer = 4, .ambiguous = 2},
    {.kmer = 9, .ambiguous = 6}, {.kmer = 4, .ambiguous = 3}, {.kmer = 0, .ambiguous = 1},
    {.kmer = 3, .ambiguous = 3}, {.kmer = 2, .ambiguous = 1},
};

/* Two sequences and views of them that read as the bases a and b. */
typedef struct {
    GString *a, *b;
    CsSequence *rows_sequence, *columns_sequence;
    CsView rows, columns;
} Pair;

static void
append_random(GRand *rand, GString *bases, int alphabet, int count)
{
    for (; count > 0; count--)
        g_string_append_c(bases, "ACGT"[g_rand_int_range(rand, 0, alphabet)]);
}

static GString *
substring(const GString *from, gsize start, gsize count)
{
    return g_string_new_len(from->str + start, (gssize)MIN(count, from->len - start));
}

/* A copy with a few bases changed, removed and added. */
static GString *
changed(GRand *rand, const GString *from, int alphabet)
{
    GString *copy = g_string_new(NULL);
    for (gsize k = 0; k < from->len; k++)
        switch (g_rand_int_range(rand, 0, 16)) {
        case 0: append_random(rand, copy, alphabet, 1); break;
        case 1: k += (gsize)g_rand_int_range(rand, 0, 4); break;
        case 2: append_random(rand, copy, alphabet, g_rand_int_range(rand, 1, 4)); break;
        default: g_string_append_c(copy, from->str[k]);
        }
    return copy;
}

static void
append_tandem(GRand *rand, GString *bases, int alphabet)
{
    GString *unit = g_string_new(NULL);
    append_random(rand, unit, alphabet, g_rand_int_range(rand, 1, 7));
    for (int count = g_rand_int_range(rand, 2, 6); count > 0; count--)
        g_string_append_len(bases, unit->str, (gssize)unit->len);
    g_string_free(unit, TRUE);
}

/* A run of bases or Ns in the middle of one sequence that the other lacks. */
static void
make_gap(GRand *rand, Pair *pair, int alphabet)
{
    gsize side = pair->a->len / 2;
    pair->b = substring(pair->a, 0, pair->a->len);
    GString *middle = g_string_new(NULL);
    append_random(rand, middle, alphabet, g_rand_int_range(rand, 1, 14));
    if (alphabet == 2 && g_rand_boolean(rand)) /* so long that the cost of opening matters little */
        for (int k = g_rand_int_range(rand, 18, 36); k > 0; k--)
            g_string_append_c(middle, "GT"[g_rand_int_range(rand, 0, 2)]);
    else if (g_rand_boolean(rand))
        memset(middle->str, 'N', middle->len);
    g_string_insert_len(pair->a, (gssize)side, middle->str, (gssize)middle->len);
    g_string_free(middle, TRUE);
}

static void
add_ns(GRand *rand, GString *bases)
{
    gsize from = (gsize)g_rand_int_range(rand, 0, (gint32)bases->len + 1);
    gsize count = (gsize)g_rand_int_range(rand, 1, 12); /* MIN() would draw twice */
    memset(bases->str + from, "NR"[g_rand_int_range(rand, 0, 2)], MIN(count, bases->len - from));
}

static void
swap(Pair *pair)
{
    GString *bases = pair->a;
    pair->a = pair->b;
    pair->b = bases;
}

/* A sequence that contains the bases between others, on either strand. */
static CsSequence *
hide(GRand *rand, const GString *bases, CsView *view)
{
    GString *around = g_string_new(NULL);
    append_random(rand, around, 4, g_rand_int_range(rand, 0, 5));
    gint64 before = (gint64)around->len;
    view->reversed = g_rand_boolean(rand);
    view->complement = g_rand_boolean(rand);
    for (gsize k = 0; k < bases->len; k++) {
        char base = bases->str[view->reversed ? bases->len - 1 - k : k];
        g_string_append_c(around, view->complement ? complement_of(base) : base);
    }
    append_random(rand, around, 4, g_rand_int_range(rand, 0, 5));
    CsSequence *sequence = cs_sequence_new("hidden", around->str, (gint64)around->len, NULL);
    view->codes = sequence->codes + before;
    view->length = (gint64)bases->len;
    g_string_free(around, TRUE);
    return sequence;
}

static void
pair_init(Pair *pair, guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    int alphabet = g_rand_int_range(rand, 2, 5);
    *pair = (Pair){.a = g_string_new(NULL)};
    append_random(rand, pair->a, alphabet, g_rand_int_range(rand, 0, 50));
    if (g_rand_int_range(rand, 0, 4) == 0)
        append_tandem(rand, pair->a, alphabet);
    gsize turn = (gsize)g_rand_int_range(rand, 0, (gint32)pair->a->len + 1);
    switch (seed % 6) {
    case 0: /* rotated */
        pair->b = substring(pair->a, turn, pair->a->len);
        g_string_append_len(pair->b, pair->a->str, (gssize)turn);
        break;
    case 1: /* a half twice */
        pair->b = substring(pair->a, 0, pair->a->len / 2);
        g_string_append_len(pair->b, pair->a->str, (gssize)pair->a->len / 2);
        break;
    case 2: /* unrelated */
        pair->b = g_string_new(NULL);
        append_random(rand, pair->b, alphabet, g_rand_int_range(rand, 0, 60));
        break;
    case 3:
    case 4: make_gap(rand, pair, alphabet); break;
    default: pair->b = changed(rand, pair->a, alphabet);
    }
    if (seed % 3 == 0) {
        GString *copy = changed(rand, pair->b, alphabet);
        g_string_free(pair->b, TRUE);
        pair->b = copy;
    }
    if (g_rand_int_range(rand, 0, 3) == 0)
        add_ns(rand, g_rand_boolean(rand) ? pair->a : pair->b);
    if (g_rand_boolean(rand))
        swap(pair);
    pair->rows_sequence = hide(rand, pair->a, &pair->rows);
    pair->columns_sequence = hide(rand, pair->b, &pair->columns);
}

static void
pair_clear(Pair *pair)
{
    g_string_free(pair->a, TRUE);
    g_string_free(pair->b, TRUE);
    cs_sequence_unref(pair->rows_sequence);
    cs_sequence_unref(pair->columns_sequence);
}

static OracleProblem
pair_problem(const Pair *pair, const CsScoring *scoring)
{
    return (OracleProblem){.a = pair->a->str,
                           .b = pair->b->str,
                           .m = (int)pair->a->len,
                           .n = (int)pair->b->len,
                           .match = scoring->match,
                           .mismatch = scoring->mismatch,
                           .open = scoring->gap_open,
                           .extend = scoring->gap_extend};
}

static gint64
highest_gain(const OracleProblem *problem, const gint64 *gains, gboolean rows, gint64 k)
{
    gint64 highest = 0, width = problem->n + 1;
    for (gint64 l = 0; l <= (rows ? problem->n : problem->m); l++)
        highest = MAX(highest, gains[rows ? k * width + l : l * width + k]);
    return highest;
}

/* The number of ambiguous bases before the first unambiguous one. */
static gint64
count_leading(const CsView *view)
{
    gint64 leading = 0;
    while (leading < view->length &&
           view->codes[view->reversed ? view->length - 1 - leading : leading] == CS_CODE_AMBIGUOUS)
        leading++;
    return leading;
}

static CsSurvey
survey_of(const Pair *pair, const CsScoring *scoring)
{
    return (CsSurvey){
        .rows = pair->rows, .columns = pair->columns, .scoring = *scoring, .threads = 1};
}

/* At how many rows (columns) the bound by this rule is below what an alignment can gain. Before the
 * first base that can match, no alignment that matters has begun. */
static guint
count_wrong(const Pair *pair, const CsScoring *scoring, const CsBoundsRule *rule, gboolean rows,
            const gint64 *gains)
{
    g_autoptr(GError) error = NULL;
    OracleProblem problem = pair_problem(pair, scoring);
    CsBoundsSide side;
    guint wrong = 0;
    const CsSurvey survey = survey_of(pair, scoring), turned = cs_survey_turned(&survey);
    gboolean made = cs_bounds_side_init(&side, rows ? &survey : &turned, rule, NULL, &error);
    g_assert_no_error(error);
    g_assert_true(made);
    const gboolean marked = rule->kmer > 0 || rule->ambiguous > 0;
    const gint64 leading = marked ? count_leading(rows ? &pair->rows : &pair->columns) : 0;
    for (gint64 k = 0; k < leading; k++)
        g_assert_cmpint(cs_bounds_side_highest(&side, k, k), ==, 0);
    for (gint64 k = leading; k <= side.length; k++)
        wrong += cs_bounds_side_highest(&side, k, k) < highest_gain(&problem, gains, rows, k);
    cs_bounds_side_clear(&side);
    return wrong;
}

static gint64 *
gains_of(const Pair *pair, const CsScoring *scoring)
{
    OracleProblem problem = pair_problem(pair, scoring);
    gint64 *gains = g_new(gint64, (problem.m + 1) * (problem.n + 1));
    oracle_gains(&problem, gains);
    return gains;
}

static CsBoundsRule
rule_of(const Pair *pair, const CsScoring *scoring, gboolean rows)
{
    gint64 m = (gint64)pair->a->len, n = (gint64)pair->b->len;
    return cs_bounds_rule(scoring, rows ? m : n, rows ? n : m);
}

static void
test_sound(void)
{
    for (guint32 seed = 0; seed < n_pairs; seed++) {
        Pair pair;
        pair_init(&pair, seed);
        const CsScoring *scoring = &scorings[seed / 6 % G_N_ELEMENTS(scorings)];
        g_autofree gint64 *gains = gains_of(&pair, scoring);
        for (int rows = 0; rows < 2; rows++) {
            CsBoundsRule rule = rule_of(&pair, scoring, rows);
            g_assert_cmpint(rule.kmer, ==, small_rules[seed / 6 % G_N_ELEMENTS(scorings)].kmer);
            g_assert_cmpint(rule.ambiguous, ==,
                            small_rules[seed / 6 % G_N_ELEMENTS(scorings)].ambiguous);
            g_assert_cmpuint(rule.shortest, ==, 2);
            if (count_wrong(&pair, scoring, &rule, rows, gains) > 0)
                g_error("pair %u: %s %s", seed, pair.a->str, pair.b->str);
        }
        pair_clear(&pair);
    }
}

/* The weights are as large as possible: with one more, a bound is wrong for some pair. */
static void
test_unsound(void)
{
    for (gsize s = 0; s < G_N_ELEMENTS(scorings); s++) {
        guint wrong_kmer = 0, wrong_ambiguous = 0, pairs = 0;
        for (; pairs < 2000 && (wrong_kmer == 0 || wrong_ambiguous == 0); pairs++) {
            Pair pair;
            pair_init(&pair, 1000000 + pairs);
            g_autofree gint64 *gains = gains_of(&pair, &scorings[s]);
            for (int rows = 0; rows < 2; rows++) {
                CsBoundsRule rule = rule_of(&pair, &scorings[s], rows);
                rule.kmer++;
                wrong_kmer += count_wrong(&pair, &scorings[s], &rule, rows, gains);
                rule.kmer--;
                rule.ambiguous++;
                wrong_ambiguous += count_wrong(&pair, &scorings[s], &rule, rows, gains);
            }
            pair_clear(&pair);
        }
        g_test_message("scoring %" G_GSIZE_FORMAT ": %u and %u wrong bounds in %u pairs", s,
                       wrong_kmer, wrong_ambiguous, pairs);
        g_assert_cmpuint(wrong_kmer, >, 0);
        g_assert_cmpuint(wrong_ambiguous, >, 0);
    }
}

/* A plan with layers and blocks so small that every edge occurs. FALSE if no k-mers are used. */
static gboolean
small_plan(CsBoundsPlan *plan, const Pair *pair, const CsScoring *scoring, guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    if (!cs_bounds_plan_init(plan, (gint64)pair->a->len, (gint64)pair->b->len, scoring))
        return FALSE;
    plan->layer = g_rand_int_range(rand, 1, 14);
    plan->block = g_rand_int_range(rand, 1, 6);
    plan->group = g_rand_int_range(rand, 1, 4);
    plan->window = plan->layer / plan->block + 1 + g_rand_int_range(rand, 0, 4);
    return TRUE;
}

/* At how many cells the table by this plan is below what an alignment can gain. */
static guint
count_wrong_cells(const Pair *pair, const CsScoring *scoring, const CsBoundsPlan *plan,
                  const CsBoundsPlan *turned, const gint64 *gains)
{
    g_autoptr(GError) error = NULL;
    const CsSurvey survey = survey_of(pair, scoring);
    g_autoptr(CsBounds) bounds = cs_bounds_new_planned(&survey, plan, turned, &error);
    g_assert_no_error(error);
    const CsBoundsTable *table = bounds->table;
    guint wrong = 0;
    for (gint64 i = 0; i <= plan->m; i++)
        for (gint64 j = 0; j <= plan->n; j++) {
            CsScore lowest = cs_bounds_table_highest(table, i, i, j, j);
            /* Each entry whose range includes the cell must hold for it. */
            if (i > 0)
                lowest = MIN(lowest, cs_bounds_table_highest(table, i - 1, i, j, j));
            if (j > 0)
                lowest = MIN(lowest, cs_bounds_table_highest(table, i, i, j - 1, j));
            if (i > 0 && j > 0)
                lowest = MIN(lowest, cs_bounds_table_highest(table, i - 1, i, j - 1, j));
            wrong += lowest < gains[i * (plan->n + 1) + j];
        }
    return wrong;
}

static void
test_table_sound(void)
{
    guint below = 0;
    for (guint32 seed = 0; seed < n_pairs; seed++) {
        Pair pair;
        pair_init(&pair, 5000000 + seed);
        const CsScoring *scoring = &scorings[seed / 6 % G_N_ELEMENTS(scorings)];
        CsBoundsPlan plan;
        if (small_plan(&plan, &pair, scoring, seed)) {
            g_autofree gint64 *gains = gains_of(&pair, scoring);
            CsBoundsPlan turned = {0};
            Pair other = pair;
            swap(&other);
            const gboolean both = seed % 2 == 0 && small_plan(&turned, &other, scoring, seed + 1);
            if (count_wrong_cells(&pair, scoring, &plan, both ? &turned : NULL, gains) > 0)
                g_error("pair %u: %s %s", seed, pair.a->str, pair.b->str);
            below++;
        }
        pair_clear(&pair);
    }
    g_assert_cmpuint(below, >, n_pairs / 2);
}

typedef enum {
    FAULT_AMBIGUOUS,
    FAULT_INSERTION,
    N_FAULTS
} Fault;

/* A pair in which one sequence has a run of Ns that the other lacks. */
static void
run_pair_init(Pair *pair, guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    *pair = (Pair){.a = g_string_new(NULL)};
    append_random(rand, pair->a, 4, 500);
    pair->b = substring(pair->a, 0, pair->a->len);
    for (int count = 0; count < 130; count++)
        g_string_insert_c(pair->b, 110, 'N');
    if (seed % 2 == 0)
        swap(pair);
    pair->rows_sequence = hide(rand, pair->a, &pair->rows);
    pair->columns_sequence = hide(rand, pair->b, &pair->columns);
}

static guint
count_wrong_by_fault(Fault fault, guint32 seed)
{
    static const CsScoring tight[] = {{1, 3, 3, 2}, {5, 4, 10, 1}};
    const CsScoring *scoring = &tight[seed / 2 % G_N_ELEMENTS(tight)];
    Pair pair;
    CsBoundsPlan plan;
    run_pair_init(&pair, seed);
    g_autofree gint64 *gains = gains_of(&pair, scoring);
    g_assert_true(cs_bounds_plan_init(&plan, (gint64)pair.a->len, (gint64)pair.b->len, scoring));
    plan.layer = 100; /* no item counts in the first and the last layer */
    plan.block = 2;
    plan.group = 1;
    plan.window = 2 * plan.layer / plan.block + 1;
    plan.rows.ambiguous += fault == FAULT_AMBIGUOUS;
    plan.insertion_rows += fault == FAULT_INSERTION;
    const guint wrong = count_wrong_cells(&pair, scoring, &plan, NULL, gains);
    pair_clear(&pair);
    return wrong;
}

/* A table that counts more along a run than the proof allows is wrong for some pair. */
static void
test_table_unsound(void)
{
    for (Fault fault = 0; fault <= N_FAULTS; fault++) {
        guint wrong = 0;
        for (guint32 seed = 0; seed < 4; seed++)
            wrong += count_wrong_by_fault(fault, 7000000 + seed);
        g_test_message("fault %d: %u wrong cells", (int)fault, wrong);
        if (fault == N_FAULTS) /* none */
            g_assert_cmpuint(wrong, ==, 0);
        else
            g_assert_cmpuint(wrong, >, 0);
    }
}

/* For each k-mer of `length` bases, by its number, whether it is there: in the bases, or at the end
 * of a stretch of at least so many bases if As followed. */
static guint8 *
list_kmers(const guint8 *bases, gint64 count, guint length, guint shortest, guint longest)
{
    guint8 *there = g_malloc0((gsize)1 << 2 * length);
    for (gint64 k = 0; k < count; k++) {
        gsize kmer = 0;
        guint l = 0;
        for (; l < length && k + l < count && bases[k + l] < CS_CODE_AMBIGUOUS; l++)
            kmer = kmer << 2 | bases[k + l];
        if (l >= shortest && length - l <= longest - shortest)
            there[kmer << 2 * (length - l)] = 1;
    }
    return there;
}

static void
expect_marks(const CsView *of, const CsView *in, guint shortest, guint longest, guint threads)
{
    g_autoptr(GError) error = NULL;
    g_autofree guint8 *marks =
        cs_absent_kmers_mark(of, in, shortest, longest, threads, NULL, &error);
    g_assert_no_error(error);
    g_autofree guint8 *bases = g_malloc(of->length + 1), *others = g_malloc(in->length + 1);
    g_autofree guint8 *wanted = g_malloc0(of->length + 1);
    cs_view_read(of, CS_CODE_AMBIGUOUS, bases);
    cs_view_read(in, CS_CODE_AMBIGUOUS, others);
    for (guint length = longest; length >= shortest; length--) {
        g_autofree guint8 *there = list_kmers(others, in->length, length, shortest, longest);
        for (gint64 k = 0; k + length <= of->length; k++) {
            gsize kmer = 0;
            gint64 l = 0, end = k + length - 1;
            for (; l < length && bases[k + l] < CS_CODE_AMBIGUOUS; l++)
                kmer = kmer << 2 | bases[k + l];
            gboolean longer_is_there = length < longest && k > 0 &&
                                       bases[k - 1] < CS_CODE_AMBIGUOUS &&
                                       wanted[end] != length + 1 - shortest + 1;
            if (l == length && !there[kmer] && !longer_is_there)
                wanted[end] = (guint8)(length - shortest + 1);
        }
    }
    for (gint64 k = 0; k < of->length; k++)
        g_assert_cmpuint(cs_marks_get(marks, k), ==,
                         bases[k] == CS_CODE_AMBIGUOUS ? CS_MARK_AMBIGUOUS : wanted[k]);
}

/* Chunks, threads and joined bits give the same marks as one table for each length. A k-mer counts
 * as there if a longer k-mer with the same end is there, which the As after an end affect. */
static void
test_kmers(void)
{
    for (guint32 seed = 0; seed < n_pairs / 8; seed++) {
        Pair pair;
        pair_init(&pair, 2000000 + seed);
        expect_marks(&pair.rows, &pair.columns, 2 + seed % 3, 4 + seed % 4, 1);
        pair_clear(&pair);
    }
    g_autoptr(GString) a = g_string_new(NULL);
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    append_random(rand, a, 4, 200000);
    for (gsize k = 65530; k < a->len; k += (gsize)g_rand_int_range(rand, 1, 5000))
        a->str[k] = 'N';
    a->str[65535] = a->str[131072] = 'N';
    g_autoptr(GString) b = changed(rand, a, 4);
    CsView rows, columns;
    CsSequence *first = hide(rand, a, &rows), *second = hide(rand, b, &columns);
    expect_marks(&rows, &columns, 5, 11, 3);
    expect_marks(&columns, &rows, 4, 9, 2);
    cs_sequence_unref(first);
    cs_sequence_unref(second);
}

static void
expect_tight(const CsSurvey *survey)
{
    g_autoptr(GError) error = NULL;
    const CsView *of = &survey->rows, *in = &survey->columns;
    const CsScoring *scoring = &survey->scoring;
    const gint64 length = of->length;
    const CsBoundsRule rule = cs_bounds_rule(scoring, length, in->length);
    g_autofree guint8 *marks = cs_absent_kmers_mark(
        of, in, rule.shortest, rule.kmer > 0 ? rule.longest : 0, 1, NULL, &error);
    g_assert_no_error(error);
    CsBoundsSide side;
    g_assert_true(cs_bounds_side_init(&side, survey, &rule, NULL, &error));
    for (gint64 i = 0; i <= length; i++) {
        CsScore highest = 0;
        for (gint64 end = i; end <= length; end++)
            highest = MAX(highest,
                          scoring->match * (end - i) - weight_within(marks, &rule, length, i, end));
        highest = MIN(highest, scoring->match * MIN(length, in->length));
        if (i < count_leading(of)) /* no alignment that matters has begun */
            highest = 0;
        g_assert_cmpint(side.highest[i], ==, highest);
    }
    cs_bounds_side_clear(&side);
}

/* The count from the last base back gives exactly what the definition says. */
static void
test_tight(void)
{
    for (guint32 seed = 0; seed < n_pairs / 8; seed++) {
        Pair pair;
        pair_init(&pair, 4000000 + seed);
        if (seed % 4 == 0) /* leading Ns, which few pairs have by chance */
            memset((guint8 *)pair.rows.codes + (pair.rows.reversed ? pair.rows.length * 2 / 3 : 0),
                   CS_CODE_AMBIGUOUS, pair.rows.length - pair.rows.length * 2 / 3);
        const CsSurvey survey = survey_of(&pair, &scorings[seed % G_N_ELEMENTS(scorings)]);
        expect_tight(&survey);
        pair_clear(&pair);
    }
}

/* A part of a long pair, with one bound for several rows, and one or more threads. */
static void
test_forms(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(150000, 1), b = random_sequence(90000, 2);
    CsSurvey survey = {.rows = cs_view_of(a),
                       .columns = cs_view_of(b),
                       .scoring = CS_SCORING_DEFAULT,
                       .threads = 1};
    g_autoptr(CsBounds) bounds = cs_bounds_new(&survey, &error);
    g_assert_no_error(error);
    for (survey.threads = 2; survey.threads <= 5; survey.threads += case_count_is_low() ? 3 : 1) {
        g_autoptr(CsBounds) same = cs_bounds_new(&survey, &error);
        g_assert_no_error(error);
        g_assert_cmpmem(same->rows.highest, 150001 * sizeof(CsScore), bounds->rows.highest,
                        150001 * sizeof(CsScore));
        g_assert_cmpmem(same->columns.highest, 90001 * sizeof(CsScore), bounds->columns.highest,
                        90001 * sizeof(CsScore));
    }
    CsBoundsRule rule = cs_bounds_rule(&survey.scoring, 150000, 90000);
    g_assert_cmpuint(rule.shift, ==, 0);
    rule.shift = 6;
    CsBoundsSide coarse;
    g_assert_true(cs_bounds_side_init(&coarse, &survey, &rule, NULL, &error));
    for (gint64 k = 0; k <= 150000 / 64; k++)
        g_assert_cmpint(coarse.highest[k], ==,
                        cs_bounds_side_highest(&bounds->rows, 64 * k, MIN(64 * k + 63, 150000)));
    cs_bounds_side_clear(&coarse);
    const gint64 special = 1000;
    g_autoptr(CsGrid) grid =
        cs_grid_new(50000, 40000, &(CsGridShape){300, 700, 4, 0, 0, FALSE}, &special, 1);
    g_autofree CsScore *of_rows = cs_bounds_of_rows(bounds, grid, 100000);
    g_autofree CsScore *of_columns = cs_bounds_of_columns(bounds, grid, 12345);
    for (gint64 bi = 0; bi < grid->block_rows; bi++)
        g_assert_cmpint(of_rows[bi], ==,
                        cs_bounds_side_highest(&bounds->rows, 100000 + grid->row_starts[bi],
                                               100000 + grid->row_starts[bi + 1]));
    for (gint64 bj = 0; bj < grid->block_columns; bj++)
        g_assert_cmpint(of_columns[bj], ==,
                        cs_bounds_side_highest(&bounds->columns, 12345 + bj * 700,
                                               12345 + MIN(bj * 700 + 700, 40000)));
    guint64 kept;
    g_assert_cmpuint(cs_bounds_memory(250000000, 250000000, 2, &kept), <, 800000000);
    g_assert_cmpuint(kept, <, 70000000);
}

static void
test_edges(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(3000, 1), b = random_sequence(100, 2);
    /* Scores of 3,000 bases do not fit, those of 100 do: a match for each base left. */
    CsSurvey survey = {.rows = cs_view_of(a),
                       .columns = cs_view_of(b),
                       .scoring = {G_GINT64_CONSTANT(1) << 51, 3, 3, 2},
                       .threads = 1};
    g_autoptr(CsBounds) plain = cs_bounds_new(&survey, &error);
    g_assert_no_error(error);
    for (gint64 k = 0; k <= 3000; k++)
        g_assert_cmpint(plain->rows.highest[k], ==, survey.scoring.match * MIN(3000 - k, 100));

    survey.scoring = (CsScoring)CS_SCORING_DEFAULT;
    survey.threads = 2;
    survey.columns = cs_view_slice(&survey.columns, 0, 0);
    g_autoptr(CsBounds) empty = cs_bounds_new(&survey, &error);
    g_assert_no_error(error);
    g_assert_cmpint(cs_bounds_side_highest(&empty->rows, 0, 3000), ==, 0);
    g_assert_cmpint(cs_bounds_side_highest(&empty->columns, 0, 0), ==, 0);

    const gint stop = 1;
    survey.columns = cs_view_of(b);
    survey.stop = &stop;
    g_assert_null(cs_bounds_new(&survey, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
}

/* Sweeps that skip by these bounds find the oracle's cell. */
static void
test_sweeps(void)
{
    const Variant *variants;
    guint n_variants = sweeps_variants(&variants);
    gint64 cells = 0, cells_computed = 0;
    for (guint32 seed = 0; seed < n_pairs; seed++) {
        g_autoptr(GError) error = NULL;
        Pair pair;
        pair_init(&pair, 3000000 + seed);
        Case c = {.a = pair.a->str,
                  .b = pair.b->str,
                  .m = (gint64)pair.a->len,
                  .n = (gint64)pair.b->len,
                  .scoring = scorings[seed / 6 % G_N_ELEMENTS(scorings)],
                  .tie_order = seed % 2 == 0 ? CS_TIE_ROW_FIRST : CS_TIE_COLUMN_FIRST,
                  .block_height = 1 + seed % 7,
                  .block_width = 1 + seed % 11,
                  .depth = 1 + seed % 5,
                  .threads = 1 + seed % 2};
        OracleProblem problem = case_problem(&c);
        Oracle oracle;
        oracle_solve(&problem, &oracle);
        CsRectangle rectangle = sweeps_rectangle(&c, pair.rows_sequence, pair.columns_sequence);
        rectangle.rows = pair.rows;
        rectangle.columns = pair.columns;
        const Variant *variant = sweeps_fitting(&c, &variants[seed % n_variants], &rectangle);
        g_autoptr(CsGrid) grid = sweeps_grid(&c, variant, &rectangle);
        CsBoundsPlan plan;
        const gboolean planned = small_plan(&plan, &pair, &c.scoring, seed);
        const CsSurvey survey = survey_of(&pair, &c.scoring);
        g_autoptr(CsBounds) bounds =
            cs_bounds_new_planned(&survey, planned ? &plan : NULL, NULL, &error);
        g_assert_no_error(error);
        g_autofree CsScore *row_bounds = cs_bounds_of_rows(bounds, grid, 0);
        g_autofree CsScore *column_bounds = cs_bounds_of_columns(bounds, grid, 0);
        rectangle.row_bounds = row_bounds;
        rectangle.column_bounds = column_bounds;
        rectangle.bounds_table = bounds->table;
        rectangle.threshold = oracle.score;
        Swept swept;
        sweeps_run(&c, variant, rectangle, &swept);
        g_assert_cmpint(swept.state.best.score, ==, oracle.score);
        g_assert_cmpint(swept.state.best.i, ==, oracle.i);
        g_assert_cmpint(swept.state.best.j, ==, oracle.j);
        if (variant->bits == 0) {
            cells += c.m * c.n;
            cells_computed += swept.state.cells_computed;
        }
        swept_clear(&swept);
        oracle_clear(&oracle);
        pair_clear(&pair);
    }
    g_test_message("computed %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " cells", cells_computed,
                   cells);
    g_assert_cmpint(cells_computed, <, cells);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    n_pairs = case_count(n_pairs);
    g_test_add_func("/bounds/sound", test_sound);
    g_test_add_func("/bounds/unsound", test_unsound);
    g_test_add_func("/bounds/table-sound", test_table_sound);
    g_test_add_func("/bounds/table-unsound", test_table_unsound);
    g_test_add_func("/bounds/kmers", test_kmers);
    g_test_add_func("/bounds/tight", test_tight);
    g_test_add_func("/bounds/forms", test_forms);
    g_test_add_func("/bounds/edges", test_edges);
    g_test_add_func("/bounds/sweeps", test_sweeps);
    return g_test_run();
}
