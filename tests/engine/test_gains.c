/*
 * Gains along diagonals against full matrices. Whatever sizes, strip and diagonals are planned,
 * after each cell a table must have at least what the oracle says can be gained there, and a sweep
 * that skips by the table must find the oracle's best cell. With rules that are wrong on purpose,
 * tables must be too low and answers wrong; this shows that the tests would notice.
 *
 *     test_gains [SEED]   SEED of the first case (1); CHROMOSWEEP_TEST_CASES is their number
 */
#include <string.h>

#include "../case_count.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "skip_trial.h"
#include "skipping/gains.h"
#include "skipping/skip.h"
#include "sweep/sweep.h"

enum {
    CASES = 4000,
    LONGEST = 90,
    FAULTY = 60000, /* a fault must show within so many cases */
};

static guint32 first_seed = 1;

/* Something that the proof in docs/proofs/gains.md does not allow, added to a rule. */
typedef struct {
    const char *name;
    gint32 seed, ambiguous, inserted, deleted, split;
    gboolean never_leaves; /* paths stay in their windows, and none comes back to one */
    gboolean short_window;
} Fault;

static void
plant(CsGainRule *rule, const Fault *fault)
{
    for (int k = 0; k < rule->n_prices; k++) {
        rule->prices[k].seed += fault->seed;
        rule->prices[k].ambiguous += fault->ambiguous;
        rule->prices[k].inserted += fault->inserted;
        rule->prices[k].deleted += fault->deleted;
    }
    rule->split += fault->split;
    if (fault->never_leaves) {
        rule->back = G_MAXINT32;
        rule->blocks_away = 1 << 20;
    }
    if (fault->short_window)
        rule->window = 0;
}

/* A strip that wanders about, with holes. */
static void
random_strip(CsGainPlan *plan, gint64 m, gint64 n, GRand *rand)
{
    gint64 middle = g_rand_boolean(rand) ? g_rand_int_range(rand, -10, 11)
                                         : g_rand_int_range(rand, -(gint32)m, (gint32)n + 1);
    const gint32 width = g_rand_int_range(rand, 1, 40);
    const gint32 inside = g_rand_int_range(rand, -10, 40);
    const gboolean none = g_rand_int_range(rand, 0, 4) == 0;
    for (gint64 k = 0; k < plan->bands; k++) {
        const gint64 row = k * plan->rule.band, end = MIN(m, row + plan->rule.band);
        if (g_rand_int_range(rand, 0, 4) == 0)
            middle += g_rand_int_range(rand, -20, 21);
        plan->middle[k] = CLAMP(middle, -m, n);
        plan->chain[k] = (CsGainSpan){CLAMP(row + middle - width, 0, n) + inside,
                                      CLAMP(end + middle + width, 0, n) - inside};
        for (gint64 s = 0, from = row; from < end; s++, from += plan->step) {
            const gint64 to = MIN(end, from + plan->step);
            if (g_rand_int_range(rand, 0, 8) == 0)
                middle += g_rand_int_range(rand, -20, 21);
            if (!none && g_rand_int_range(rand, 0, 10) > 0)
                plan->strip[k * plan->steps + s] = (CsGainSpan){CLAMP(from + middle - width, 0, n),
                                                                CLAMP(to + middle + width, 0, n)};
        }
    }
}

/* Sizes of all kinds; small bands, which a path crosses many of; or a band as long as the rows with
 * windows so small that a path may leave them and come back within it. */
static void
random_sizes(GRand *rand, gint64 *kmer, gint64 *seeds, gint64 *block, gint64 *window)
{
    const gint32 kind = g_rand_int_range(rand, 0, 3);
    *kmer = g_rand_int_range(rand, 2, kind == 0 ? 8 : 5);
    *seeds = g_rand_int_range(rand, kind == 2 ? 8 : 1, kind == 1 ? 4 : kind == 2 ? 30 : 13);
    *block = g_rand_int_range(rand, 1, kind == 0 ? 9 : 4);
    *window = g_rand_int_range(rand, 1, kind == 2 ? 4 : g_rand_boolean(rand) ? 5 : 40);
}

static gboolean
random_plan(CsGainPlan *plan, const SkipTrial *trial, const Fault *fault)
{
    GRand *rand = trial->rand;
    const gint64 m = trial->problem.m, n = trial->problem.n;
    gint64 kmer, seeds, block, window;
    random_sizes(rand, &kmer, &seeds, &block, &window);
    *plan = (CsGainPlan){0};
    if (m == 0 || n == 0 ||
        !cs_gain_rule_init_sized(&plan->rule, &trial->whole.scoring, m, n, seeds, block, kmer,
                                 window))
        return FALSE;
    plan->bands = (m + plan->rule.band - 1) / plan->rule.band;
    plan->step = g_rand_int_range(rand, 1, g_rand_boolean(rand) ? 6 : (gint32)plan->rule.band + 1);
    plan->piece = g_rand_int_range(rand, 1, 40);
    plan->tile = g_rand_int_range(rand, 1, 40);
    plan->steps = (plan->rule.band + plan->step - 1) / plan->step;
    plan->strip = g_new0(CsGainSpan, plan->bands * plan->steps);
    plan->chain = g_new0(CsGainSpan, plan->bands);
    plan->middle = g_new0(gint64, plan->bands);
    plan->slack = g_rand_int_range(rand, 0, 300);
    plan->beside = g_rand_boolean(rand) ? m + n : g_rand_int_range(rand, 0, 30);
    plan->coarse = g_rand_boolean(rand) ? 1 : g_rand_int_range(rand, 1, 5);
    plan->most = g_rand_int_range(rand, 0, 4) == 0 ? g_rand_int_range(rand, 0, 500) : 1000000;
    random_strip(plan, m, n, rand);
    if (fault != NULL)
        plant(&plan->rule, fault);
    return TRUE;
}

static CsBounds *
random_bounds(SkipTrial *trial, const CsSurvey *survey)
{
    switch (g_rand_int_range(trial->rand, 0, 3)) {
    case 0: return cs_bounds_new(survey, NULL);
    case 1:
        return cs_bounds_new_of_matches(trial->problem.m, trial->problem.n, &survey->scoring, NULL);
    default: /* hide nothing that is wrong near what is beyond the tiles */
        return skip_trial_tightest(trial, LONGEST);
    }
}

/* The rows before the first base that can match have no bounds. */
static gint64
first_row(const SkipTrial *trial)
{
    const CsView *rows = &trial->whole.rows;
    gint64 row = 0;
    while (row < rows->length && rows->codes[row] == CS_CODE_AMBIGUOUS)
        row++;
    return row;
}

/* How many cells a table is too low for; *tight counts those where it is exact. */
static guint
count_low(const SkipTrial *trial, const CsGainTable *table, const gint64 *gains, guint64 *cells,
          guint64 *tight)
{
    guint low = 0;
    for (gint64 i = first_row(trial); i <= trial->problem.m; i++)
        for (gint64 j = 0; j <= trial->problem.n; j++) {
            const CsScore bound = cs_gain_table_highest(table, i, i, j, j);
            const gint64 gain = gains[i * (trial->problem.n + 1) + j];
            low += bound < gain;
            *tight += bound == gain;
            ++*cells;
        }
    return low;
}

/* Whether a sweep in small blocks that skips by the table alone finds the best cell. */
static gboolean
finds_best(SkipTrial *trial, const CsGainTable *table, gint64 *computed)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsBounds) bounds =
        cs_bounds_new_of_matches(trial->problem.m, trial->problem.n, &trial->whole.scoring, &error);
    const CsSkip skip = {
        .mode = CS_SKIP_BOUNDS,
        .bounds = bounds,
        .gains = (CsGainTable *)table,
        .lower.score = MAX(0, trial->oracle.score - (g_rand_int_range(trial->rand, 0, 3) == 0)),
    };
    CsSweepOptions options = {
        .engine = g_rand_boolean(trial->rand) ? &cs_simd_engine : &cs_scalar_engine,
        .engine_options = {.threads = 1},
        .shape = {.block_height = g_rand_int_range(trial->rand, 1, 12),
                  .block_width = g_rand_int_range(trial->rand, 1, 12),
                  .depth = g_rand_int_range(trial->rand, 1, 9)},
    };
    CsSweepState state;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&trial->whole, &options);
    CsSkipBounds attached = cs_skip_attach(&skip, &trial->whole, grid, 0, 0, 0);
    cs_sweep_run(&trial->whole, grid, &options, &state, &error);
    cs_skip_detach(&attached);
    g_assert_no_error(error);
    *computed += state.cells_computed;
    return state.best.score == trial->oracle.score && state.best.i == trial->oracle.i &&
           state.best.j == trial->oracle.j;
}

/* Over some cases. */
typedef struct {
    guint cases, low, wrong;
    guint64 cells, tight;
    gint64 computed;
} Counts;

static void
append_random(GString *sequence, gint32 count, GRand *rand)
{
    for (; count > 0; count--)
        g_string_append_c(sequence, "ACGT"[g_rand_int_range(rand, 0, 4)]);
}

/*
 * Two sequences that differ by a few events: a gap, a mismatch, an ambiguous base, or a detour to
 * other diagonals and back. Where nothing else is lost, bounds are tight. Each scoring makes another
 * weight tight: with a low gap_open, those of diagonals.
 */
static SkipCase *
few_events(guint32 seed)
{
    static const CsScoring scorings[] = {
        CS_SCORING_DEFAULT, {1, 3, 1, 4}, {2, 5, 1, 3}, {1, 20, 0, 3},
        {3, 9, 2, 1},       {1, 1, 0, 1}, {1, 2, 9, 1}, {2, 40, 7, 2},
    };
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    SkipCase *c = g_new0(SkipCase, 1);
    c->target = g_string_new(NULL);
    c->query = g_string_new(NULL);
    c->scoring = &scorings[g_rand_int_range(rand, 0, G_N_ELEMENTS(scorings))];
    const gint32 length = g_rand_int_range(rand, 10, LONGEST);
    const gint32 rarity = g_rand_int_range(rand, 8, 80), longest = g_rand_int_range(rand, 2, 25);
    gint32 back_at = -1, aside = 0;
    for (gint32 k = 0; k < length; k++) {
        const char base = "ACGT"[g_rand_int_range(rand, 0, 4)];
        const gint32 event = g_rand_int_range(rand, 0, rarity);
        if (k == back_at)
            append_random(c->target, aside, rand);
        else if (event < 2)
            append_random(event == 0 ? c->target : c->query, g_rand_int_range(rand, 1, longest),
                          rand);
        else if (event < 4 && k > back_at) {
            aside = g_rand_int_range(rand, 1, 8);
            back_at = k + g_rand_int_range(rand, 1, 60);
            append_random(c->query, aside, rand);
        }
        g_string_append_c(c->target, event == 4 ? 'N' : base);
        g_string_append_c(c->query, event == 5 ? "CGTA"[strchr("ACGT", base) - "ACGT"] : base);
    }
    return c;
}

static void
try_case(guint32 seed, const Fault *fault, Counts *counts)
{
    g_autoptr(GError) error = NULL;
    SkipTrial trial;
    if (seed % 2 == 0)
        skip_trial_init(&trial, seed, LONGEST);
    else
        skip_trial_init_case(&trial, seed, few_events(seed));
    const CsSurvey survey = {.rows = trial.whole.rows,
                             .columns = trial.whole.columns,
                             .scoring = trial.whole.scoring,
                             .threads = 1 + seed % 3};
    g_auto(CsGainPlan) plan = {0};
    if (random_plan(&plan, &trial, fault)) {
        g_autoptr(CsBounds) bounds = random_bounds(&trial, &survey);
        g_autoptr(CsGainTable) table = cs_gains_new(&plan, &survey, bounds, NULL, &error);
        g_assert_no_error(error);
        g_autofree gint64 *gains = g_new(gint64, (trial.problem.m + 1) * (trial.problem.n + 1));
        oracle_gains(&trial.problem, gains);
        const guint low = count_low(&trial, table, gains, &counts->cells, &counts->tight);
        const gboolean found = finds_best(&trial, table, &counts->computed);
        counts->cases++;
        counts->low += low > 0;
        counts->wrong += !found;
        if (fault == NULL && (low > 0 || !found))
            g_error("seed %u: %u cells are too low, the best cell is %s", seed, low,
                    found ? "found" : "not found");
    }
    skip_trial_clear(&trial);
}

static void
test_random(void)
{
    Counts counts = {0};
    for (guint k = 0; k < case_count(CASES); k++)
        try_case(first_seed + k, NULL, &counts);
    g_test_message("%u cases, gains exact in %.3f of the cells, %.3f computed", counts.cases,
                   (double)counts.tight / (double)counts.cells,
                   (double)counts.computed / (double)counts.cells);
}

static void
test_faults(void)
{
    static const Fault faults[] = {
        {.name = "a seed weighs one more", .seed = 1},
        {.name = "an ambiguous base weighs one more", .ambiguous = 1},
        {.name = "an inserted base costs one more", .inserted = 1},
        {.name = "a deleted base costs one more", .deleted = 1},
        {.name = "a part of a deletion pays one more", .split = 1},
        {.name = "paths never leave their windows", .never_leaves = TRUE},
        {.name = "seeds are looked for on a block alone", .short_window = TRUE},
    };
    if (case_count_is_low()) {
        g_test_skip("few cases are wanted");
        return;
    }
    for (guint f = 0; f < G_N_ELEMENTS(faults); f++) {
        Counts counts = {0};
        for (guint k = 0; k < FAULTY && counts.low < 3; k++)
            try_case(first_seed + k, &faults[f], &counts);
        g_test_message("%s: too low in %u, wrong in %u of %u cases", faults[f].name, counts.low,
                       counts.wrong, counts.cases);
        g_assert_cmpuint(counts.low, >=, 3);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/gains/random", test_random);
    g_test_add_func("/gains/faults", test_faults);
    return g_test_run();
}
