/*
 * Gains along diagonals against full matrices. Whatever sizes, strip, rooms and diagonals are planned,
 * after each cell a table must have at least what the oracle says can be gained there, and a sweep
 * that skips by the table must find the oracle's best cell. With rules that are wrong on purpose,
 * tables must be too low and answers wrong; this shows that the tests would notice.
 *
 *     test_gains [SEED]   SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include <string.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "../some_ring.h"
#include "skip_trial.h"
#include "skipping/gain_width.h"
#include "skipping/gains.h"
#include "skipping/skip.h"
#include "sweep/sweep.h"

enum {
    CASES = 4000,
    LONGEST = 90,
    SECTIONS = 4000,
    SHORT = 40,
    FAULTY = 60000, /* a fault must show within so many cases */
};

static guint32 first_seed = 1;

/* Something that the proof in docs/proofs/gains.md does not allow, added to a rule. */
typedef struct {
    const char *name;
    gint32 missing, ambiguous, inserted, deleted, split;
    gboolean never_leaves; /* paths stay in their windows, and none comes back to one */
    gboolean short_window;
} Fault;

static void
plant(CsGainRule *rule, const Fault *fault)
{
    for (int k = 0; k < rule->n_prices; k++) {
        rule->prices[k].missing += fault->missing;
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

/* The column from which an alignment gains most after a row. */
static gint64
best_column(const gint64 *gains, gint64 n, gint64 row)
{
    gint64 best = 0;
    for (gint64 j = 1; j <= n; j++)
        if (gains[row * (n + 1) + j] >= gains[row * (n + 1) + best])
            best = j;
    return best;
}

/*
 * A strip that often ends just where the best path crosses a side or a corner of it: where what enters
 * there is a little too low, so are gains inside. Elsewhere it has all columns, so that gains
 * below are exact.
 */
static void
strip_at_path(CsGainPlan *plan, gint64 m, gint64 n, const gint64 *gains, GRand *rand)
{
    const gint32 whole = g_rand_int_range(rand, 0, 100);
    for (gint64 k = 0; k < plan->bands; k++) {
        const gint64 top = k * plan->rule.band, end = MIN(m, top + plan->rule.band);
        for (gint64 s = 0, row = top; row < end; s++, row += plan->step) {
            CsGainSpan *span = &plan->strip[k * plan->steps + s];
            const gint32 kind = g_rand_int_range(rand, 0, 100), far = g_rand_int_range(rand, 1, 60);
            const gboolean ends_left = kind % 2 == 0; /* else it ends right of the path */
            gint64 at = row + (ends_left ? plan->step : 0);
            if (g_rand_boolean(rand))
                at = row + g_rand_int_range(rand, 0, (gint32)plan->step + 1);
            gint64 edge = best_column(gains, n, MIN(at, end));
            if (g_rand_boolean(rand))
                edge += g_rand_int_range(rand, -2, 3);
            *span = (CsGainSpan){0, n};
            if (kind >= whole)
                *span = ends_left ? (CsGainSpan){CLAMP(edge, 0, n), CLAMP(edge + far, 0, n)}
                                  : (CsGainSpan){CLAMP(edge - far, 0, n), CLAMP(edge, 0, n)};
            if (kind == 99)
                *span = (CsGainSpan){0};
        }
    }
}

/* Up to three rooms, which may cover each other. */
static void
random_rooms(CsGainPlan *plan, const CsSweepOptions *sweep, gint64 n, GRand *rand)
{
    const gint32 count = MAX(0, g_rand_int_range(rand, -3, 4));
    plan->sweep = sweep;
    plan->apart = g_rand_int_range(rand, 1, 4);
    plan->rooms = g_array_new(FALSE, FALSE, sizeof(CsGainRoom));
    for (gint32 r = 0; r < count; r++) {
        const gint64 a = g_rand_int_range(rand, 0, (gint32)plan->bands);
        const gint64 b = g_rand_int_range(rand, 0, (gint32)plan->bands);
        const gint64 from = g_rand_boolean(rand) ? 0 : g_rand_int_range(rand, 0, (gint32)n);
        const gint64 to =
            g_rand_boolean(rand) ? n : g_rand_int_range(rand, (gint32)from, (gint32)n);
        const CsGainRoom room = {MIN(a, b), MAX(a, b), {from, MAX(from + 1, to)}};
        g_array_append_val(plan->rooms, room);
    }
}

/* Sections of any length, with gaps between some of them, that share up to three bands with those
 * below. */
static void
random_sections(CsGainPlan *plan, GRand *rand)
{
    const gint32 overlap = g_rand_int_range(rand, 0, 4), longest = g_rand_int_range(rand, 1, 8);
    if (g_rand_int_range(rand, 0, 4) == 0)
        return;
    plan->sections = g_array_new(FALSE, FALSE, sizeof(CsGainSection));
    plan->lower = g_rand_int_range(rand, 0, g_rand_boolean(rand) ? 10 : 100);
    plan->near = g_rand_int_range(rand, 1, 40);
    for (gint64 own = plan->bands - 1 - g_rand_int_range(rand, 0, 2); own >= 0;) {
        const gint32 more = g_rand_int_range(rand, 0, longest),
                     apart = g_rand_int_range(rand, -3, 3);
        const gint64 first = MAX(0, own - more);
        const CsGainSection section = {first, own, MIN(plan->bands - 1, own + overlap)};
        g_array_append_val(plan->sections, section);
        own = first - 1 - MAX(0, apart);
    }
}

/* Sizes of all kinds; small bands, which a path crosses many of; or a band as long as the rows with
 * windows so small that a path may leave them and come back within it. */
static void
random_sizes(GRand *rand, gint64 *kmer, gint64 *kmers, gint64 *block, gint64 *window)
{
    const gint32 kind = g_rand_int_range(rand, 0, 3);
    *kmer = g_rand_int_range(rand, 2, kind == 0 ? 8 : 5);
    *kmers = g_rand_int_range(rand, kind == 2 ? 8 : 1, kind == 1 ? 4 : kind == 2 ? 30 : 13);
    *block = g_rand_int_range(rand, 1, kind == 0 ? 9 : 4);
    *window = g_rand_int_range(rand, 1, kind == 2 ? 4 : g_rand_boolean(rand) ? 5 : 40);
}

/* In most cases, a count of all diagonals by a rule of its own. */
static void
random_far(CsGainPlan *plan, const SkipTrial *trial, const Fault *fault)
{
    const gint64 m = trial->problem.m, n = trial->problem.n;
    gint64 kmer, kmers, block, window;
    CsGainRule rule;
    random_sizes(trial->rand, &kmer, &kmers, &block, &window);
    if (g_rand_int_range(trial->rand, 0, 3) == 0 ||
        !cs_gain_rule_init_sized(&rule, &trial->whole.scoring, m, n, kmers, block, kmer, window))
        return;
    if (fault != NULL)
        plant(&rule, fault);
    plan->far = cs_gain_plan_far(&rule, m, n);
    if (g_rand_boolean(trial->rand)) /* entries of several blocks, or of none */
        plan->far->coarse = g_rand_int_range(trial->rand, 1, 5);
    plan->far->most = g_rand_boolean(trial->rand) ? 1000000 : plan->far->most;
}

static gboolean
random_plan(CsGainPlan *plan, const SkipTrial *trial, const CsSweepOptions *sweep,
            const gint64 *gains, const Fault *fault)
{
    GRand *rand = trial->rand;
    const gint64 m = trial->problem.m, n = trial->problem.n;
    gint64 kmer, kmers, block, window;
    random_sizes(rand, &kmer, &kmers, &block, &window);
    *plan = (CsGainPlan){0};
    if (m == 0 || n == 0 ||
        !cs_gain_rule_init_sized(&plan->rule, &trial->whole.scoring, m, n, kmers, block, kmer,
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
    if (g_rand_boolean(rand))
        strip_at_path(plan, m, n, gains, rand);
    random_rooms(plan, sweep, n, rand);
    random_sections(plan, rand);
    random_far(plan, trial, fault);
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
    if (g_rand_int_range(trial->rand, 0, 3) == 0)
        options.engine = some_ring((guint)g_rand_int_range(trial->rand, 1, 5),
                                   g_rand_boolean(trial->rand), &options.engine_options);
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
few_events(guint32 seed, gint32 longest_length)
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
    const gint32 length = g_rand_int_range(rand, 10, longest_length);
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

/* How rooms are swept: on a GPU if there is one. */
static CsSweepOptions
random_sweep(GRand *rand)
{
    const CsEngineClass *gpu = g_rand_boolean(rand) ? engine_working("cuda", NULL) : NULL;
    const CsEngineClass *cpu = g_rand_boolean(rand) ? &cs_simd_engine : &cs_scalar_engine;
    return (CsSweepOptions){.engine = gpu != NULL ? gpu : cpu, .engine_options = {.threads = 1}};
}

/* Steps that are cut in two, and more threads to compute them, change no number. */
static void
expect_same_in_halves(const CsGainPlan *plan, const CsSurvey *survey, const CsBounds *bounds,
                      const CsGainTable *table)
{
    g_autoptr(GError) error = NULL;
    CsGainPlan halves = *plan;
    CsSurvey other = *survey;
    if (plan->step % 2 != 0)
        return;
    other.threads++;
    halves.step = plan->step / 2;
    halves.steps = (plan->rule.band + halves.step - 1) / halves.step;
    g_autofree CsGainSpan *strip = halves.strip = g_new(CsGainSpan, plan->bands * halves.steps);
    for (gint64 s = 0; s < plan->bands * halves.steps; s++)
        strip[s] = plan->strip[s / halves.steps * plan->steps + s % halves.steps / 2];
    g_autoptr(CsGainTable) same = cs_gains_new(&halves, &other, bounds, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpint(same->length, ==, table->length);
    for (gint64 k = 0; k < table->length; k++) {
        const CsGainLine *a = &same->lines[k], *b = &table->lines[k];
        g_assert_cmpint(a->from, ==, b->from);
        g_assert_cmpint(a->to, ==, b->to);
        g_assert_true(a->left == b->left && a->right == b->right && a->beyond == b->beyond);
    }
    g_assert_cmpmem(same->entries, (gsize)same->count * sizeof *same->entries, table->entries,
                    (gsize)table->count * sizeof *table->entries);
}

/* A CsGainWatch's function: more and more is done. */
static void
watch_done(double done, const CsGainTable *far, gpointer data)
{
    double *before = data;
    (void)far;
    g_assert_cmpfloat(done, >, *before);
    *before = done;
}

/* Counts the gains, and expects that the seconds told come to those of the plan. */
static CsGainTable *
count_watched(CsGainPlan *plan, const CsSurvey *survey, const CsBounds *bounds)
{
    g_autoptr(GError) error = NULL;
    double done = 0;
    const CsGainWatch watch = {watch_done, &done};
    const double all = cs_gain_plan_all_seconds(plan, survey->columns.length, survey->threads);
    g_assert_cmpfloat(all, >, cs_gain_plan_seconds(plan, survey->threads));
    plan->watch = &watch;
    CsGainTable *table = cs_gains_new(plan, survey, bounds, NULL, &error);
    plan->watch = NULL;
    g_assert_no_error(error);
    g_assert_cmpfloat_with_epsilon(done, all, all / 1e6);
    return table;
}

static void
try_case(guint32 seed, const Fault *fault, Counts *counts)
{
    SkipTrial trial;
    if (seed % 2 == 0)
        skip_trial_init(&trial, seed, LONGEST);
    else
        skip_trial_init_case(&trial, seed, few_events(seed, LONGEST));
    const CsSurvey survey = {.rows = trial.whole.rows,
                             .columns = trial.whole.columns,
                             .scoring = trial.whole.scoring,
                             .threads = 1 + seed % 3};
    const CsSweepOptions sweep = random_sweep(trial.rand);
    g_auto(CsGainPlan) plan = {0};
    g_autofree gint64 *gains = g_new(gint64, (trial.problem.m + 1) * (trial.problem.n + 1));
    oracle_gains(&trial.problem, gains);
    if (random_plan(&plan, &trial, &sweep, gains, fault)) {
        g_autoptr(CsBounds) bounds = random_bounds(&trial, &survey);
        g_autoptr(CsGainTable) table = count_watched(&plan, &survey, bounds);
        expect_same_in_halves(&plan, &survey, bounds, table);
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
        {.name = "a k-mer weighs one more", .missing = 1},
        {.name = "an ambiguous base weighs one more", .ambiguous = 1},
        {.name = "an inserted base costs one more", .inserted = 1},
        {.name = "a deleted base costs one more", .deleted = 1},
        {.name = "a part of a deletion pays one more", .split = 1},
        {.name = "paths never leave their windows", .never_leaves = TRUE},
        {.name = "k-mers are looked for on a block alone", .short_window = TRUE},
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

/* One section, and gains that are exact below it: each number on its sides counts. */
static gboolean
plan_section(CsGainPlan *plan, const SkipTrial *trial, const gint64 *gains)
{
    GRand *rand = trial->rand;
    const gint64 m = trial->problem.m, n = trial->problem.n;
    const gint64 kmer = g_rand_int_range(rand, 2, 4), kmers = g_rand_int_range(rand, 1, 6);
    const gint64 block = g_rand_int_range(rand, 0, 4) > 0 ? 1 : 3;
    *plan = (CsGainPlan){.piece = g_rand_int_range(rand, 1, 20),
                         .tile = 16,
                         .slack = 1000,
                         .beside = m + n,
                         .coarse = 1,
                         .most = 1000000};
    if (m == 0 || n == 0 ||
        !cs_gain_rule_init_sized(&plan->rule, &trial->whole.scoring, m, n, kmers, block, kmer,
                                 g_rand_int_range(rand, 1, 20)))
        return FALSE;
    plan->bands = (m + plan->rule.band - 1) / plan->rule.band;
    plan->step = g_rand_int_range(rand, 1, (gint32)plan->rule.band + 1);
    plan->steps = (plan->rule.band + plan->step - 1) / plan->step;
    plan->strip = g_new0(CsGainSpan, plan->bands * plan->steps);
    plan->chain = g_new0(CsGainSpan, plan->bands);
    plan->middle = g_new0(gint64, plan->bands);
    strip_at_path(plan, m, n, gains, rand);
    const gint64 last = g_rand_int_range(rand, 0, (gint32)plan->bands);
    const gint64 own = last - g_rand_int_range(rand, 0, MIN(3, (gint32)last + 1));
    const gint64 first = own - g_rand_int_range(rand, 0, MIN(6, (gint32)own + 1));
    const CsGainSection section = {first, own, last};
    for (gint64 s = (last + 1) * plan->steps; s < plan->bands * plan->steps; s++)
        plan->strip[s] = (CsGainSpan){0, n};
    for (gint64 k = 0; k < plan->bands; k++) {
        const gint64 line = MIN(m, (k + 1) * plan->rule.band);
        const gint64 from = best_column(gains, n, line) + g_rand_int_range(rand, -4, 5);
        const gint64 to = from + g_rand_int_range(rand, 0, 20);
        if (g_rand_boolean(rand))
            plan->chain[k] = (CsGainSpan){CLAMP(from, 0, n), CLAMP(to, 0, n)};
        else
            plan->chain[k] = (CsGainSpan){0, n};
    }
    plan->lower = g_rand_int_range(rand, 0, 30);
    plan->near = g_rand_int_range(rand, 1, 40);
    plan->sections = g_array_new(FALSE, FALSE, sizeof(CsGainSection));
    g_array_append_val(plan->sections, section);
    return TRUE;
}

/* What enters a section at its sides and corners must be enough for its base. */
static void
test_section_sides(void)
{
    for (guint32 k = 0; k < case_count(SECTIONS); k++) {
        g_autoptr(GError) error = NULL;
        guint64 cells = 0, tight = 0;
        SkipTrial trial;
        g_auto(CsGainPlan) plan = {0};
        skip_trial_init_case(&trial, first_seed + k, few_events(first_seed + k, SHORT));
        const CsSurvey survey = {.rows = trial.whole.rows,
                                 .columns = trial.whole.columns,
                                 .scoring = trial.whole.scoring,
                                 .threads = 1};
        g_autofree gint64 *gains = g_new(gint64, (trial.problem.m + 1) * (trial.problem.n + 1));
        oracle_gains(&trial.problem, gains);
        if (plan_section(&plan, &trial, gains)) {
            g_autoptr(CsBounds) bounds =
                cs_bounds_new_of_matches(trial.problem.m, trial.problem.n, &survey.scoring, &error);
            g_autoptr(CsGainTable) table = cs_gains_new(&plan, &survey, bounds, NULL, &error);
            g_assert_no_error(error);
            if (count_low(&trial, table, gains, &cells, &tight) > 0)
                g_error("seed %u: gains of a section are too low", first_seed + k);
        }
        skip_trial_clear(&trial);
    }
}

/* Two random sequences: `rows` more rows in the middle than there are columns. */
typedef struct {
    guint8 *rows, *columns;
    CsSurvey survey;
    CsSeed chain[2];
} LongDeletion;

static void
long_deletion_clear(LongDeletion *pair)
{
    g_free(pair->rows);
    g_free(pair->columns);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LongDeletion, long_deletion_clear)

static void
long_deletion_init(LongDeletion *pair, gint64 half, gint64 deleted)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed);
    const gint64 m = 2 * half + deleted, n = 2 * half;
    pair->rows = g_new(guint8, m);
    pair->columns = g_new(guint8, n);
    for (gint64 i = 0; i < m; i++)
        pair->rows[i] = (guint8)g_rand_int_range(rand, 0, 4);
    memcpy(pair->columns, pair->rows, (gsize)half);
    memcpy(pair->columns + half, pair->rows + half + deleted, (gsize)half);
    pair->survey = (CsSurvey){.rows = {.codes = pair->rows, .length = m},
                              .columns = {.codes = pair->columns, .length = n},
                              .scoring = CS_SCORING_DEFAULT,
                              .threads = 1};
    pair->chain[0] = (CsSeed){.row = 0, .column = 0, .length = half};
    pair->chain[1] = (CsSeed){.row = half + deleted, .column = half, .length = half};
}

/* A strip of so many columns on either side of the path. */
static void
plan_strip(CsGainPlan *plan, const LongDeletion *pair, gint64 beside)
{
    const gint64 m = pair->survey.rows.length, n = pair->survey.columns.length, half = n / 2;
    plan->bands = (m + plan->rule.band - 1) / plan->rule.band;
    plan->step = plan->rule.band;
    plan->steps = 1;
    plan->strip = g_new0(CsGainSpan, plan->bands);
    plan->chain = g_new0(CsGainSpan, plan->bands);
    plan->middle = g_new0(gint64, plan->bands);
    for (gint64 k = 0; k < plan->bands; k++) {
        const gint64 row = k * plan->rule.band, end = MIN(m, row + plan->rule.band);
        const gint64 from = row < half ? row : MAX(half, row - (m - n));
        const gint64 to = end < half ? end : MAX(half, end - (m - n));
        plan->strip[k] = (CsGainSpan){MAX(0, from - beside), MIN(n, to + beside)};
        plan->middle[k] = from - row;
    }
}

/* What a table promises for the path's own cells, in all. */
static CsScore
promised(const LongDeletion *pair, const CsSweepOptions *sweep, gboolean room, gint64 *cells)
{
    g_autoptr(GError) error = NULL;
    const gint64 m = pair->survey.rows.length, n = pair->survey.columns.length;
    g_auto(CsGainPlan) plan = {.piece = 64,
                               .tile = 64,
                               .beside = m + n,
                               .slack = m,
                               .coarse = 1,
                               .most = 100 * m,
                               .sweep = sweep,
                               .apart = 2};
    g_assert_true(cs_gain_rule_init_sized(&plan.rule, &pair->survey.scoring, m, n, 16, 8, 6, 128));
    plan_strip(&plan, pair, 30);
    plan.rooms = g_array_new(FALSE, FALSE, sizeof(CsGainRoom));
    const gint64 first = (n / 2) / plan.rule.band, last = (n / 2 + m - n) / plan.rule.band;
    const CsGainRoom whole = {first, last, {0, n}};
    if (room)
        g_array_append_val(plan.rooms, whole);
    g_autoptr(CsBounds) bounds = cs_bounds_new_of_matches(m, n, &pair->survey.scoring, &error);
    g_autoptr(CsGainTable) table = cs_gains_new(&plan, &pair->survey, bounds, cells, &error);
    g_assert_no_error(error);
    CsScore sum = 0;
    for (gint64 i = 0; i < n / 2; i++)
        sum += cs_gain_table_highest(table, i, i, i, i);
    return sum;
}

/* A path beside a long deletion seems to gain much, but for a room. */
static void
test_room_lowers(void)
{
    const CsEngineClass *gpu = engine_working("cuda", NULL);
    const CsEngineClass *const engines[] = {&cs_simd_engine, &cs_scalar_engine, gpu};
    g_auto(LongDeletion) pair = {0};
    long_deletion_init(&pair, 1500, 2500);
    for (guint k = 0; k < G_N_ELEMENTS(engines) && engines[k] != NULL; k++) {
        const CsSweepOptions sweep = {.engine = engines[k], .engine_options = {.threads = 1}};
        gint64 cells, more;
        const CsScore without = promised(&pair, &sweep, FALSE, &cells);
        const CsScore with = promised(&pair, &sweep, TRUE, &more);
        g_test_message("%s: %.1f a row without, %.1f with a room, %.1f true", engines[k]->name,
                       (double)without / 1500, (double)with / 1500, 1500 / 2.0);
        g_assert_cmpint(with, <, without - 100 * 1500);
        g_assert_cmpint(more, >, cells + 2500 * 3000);
    }
}

/* Below the deletion, sections of so many bands, between which the strip alone goes on; above it, all
 * columns. */
static void
plan_sections(CsGainPlan *plan, const LongDeletion *pair, gint64 length)
{
    const gint64 m = pair->survey.rows.length, n = pair->survey.columns.length;
    const gint64 above = (m - n / 2) / plan->rule.band + 1;
    for (gint64 k = 0; k < plan->bands; k++) {
        const gint64 row = k * plan->rule.band, end = MIN(m, row + plan->rule.band);
        plan->chain[k] = (CsGainSpan){row - (m - n), end - (m - n)};
        if (k < above) {
            plan->chain[k] = (CsGainSpan){0};
            plan->strip[k] = (CsGainSpan){0, n};
        }
    }
    plan->lower = 100;
    plan->near = 10;
    plan->sections = g_array_new(FALSE, FALSE, sizeof(CsGainSection));
    for (gint64 own = plan->bands - 5; own >= above && length > 0; own -= length + 3) {
        const CsGainSection section = {MAX(above, own - length + 1), own, own + 4};
        g_array_append_val(plan->sections, section);
    }
}

/* What a table promises for the path's own cells outside of the deletion, in all. */
static CsScore
promised_with_sections(const LongDeletion *pair, gint64 length, gint64 *cells)
{
    g_autoptr(GError) error = NULL;
    const gint64 m = pair->survey.rows.length, n = pair->survey.columns.length;
    g_auto(CsGainPlan)
        plan = {.piece = 64, .tile = 64, .beside = m + n, .slack = m, .coarse = 1, .most = 100 * m};
    g_assert_true(cs_gain_rule_init_sized(&plan.rule, &pair->survey.scoring, m, n, 16, 8, 6, 128));
    plan_strip(&plan, pair, 80);
    plan_sections(&plan, pair, length);
    g_autoptr(CsBounds) bounds = cs_bounds_new_of_matches(m, n, &pair->survey.scoring, &error);
    g_autoptr(CsGainTable) table = cs_gains_new(&plan, &pair->survey, bounds, cells, &error);
    g_assert_no_error(error);
    CsScore sum = 0;
    for (gint64 j = 0; j < n; j++) {
        const gint64 i = j < n / 2 ? j : j + m - n;
        sum += cs_gain_table_highest(table, i, i, j, j);
    }
    return sum;
}

/* Sections leave gains as low as the strip alone does, and few of its cells are computed twice. */
static void
test_sections_lose_nothing(void)
{
    g_auto(LongDeletion) pair = {0};
    long_deletion_init(&pair, 3000, 800);
    gint64 cells, more;
    const CsScore without = promised_with_sections(&pair, 0, &cells);
    for (gint64 length = 1; length <= 16; length *= 2) {
        const CsScore with = promised_with_sections(&pair, length, &more);
        g_test_message("sections of %d bands: %.6f of the gains, %.3f of the cells", (int)length,
                       (double)with / (double)without, (double)more / (double)cells);
        g_assert_cmpint(with, ==, without);
        g_assert_cmpint(more, <, cells + (length < 8 ? 2 : 1) * 800000);
    }
}

/* What cs_gain_widen() makes of a long deletion. */
static void
widen(const LongDeletion *pair, CsGainPlan *plan, double most_swept, guint64 most_bytes)
{
    const gint64 m = pair->survey.rows.length, n = pair->survey.columns.length;
    *plan = (CsGainPlan){0};
    g_assert_true(cs_gain_rule_init(&plan->rule, &pair->survey.scoring, m, n, 64, 16));
    plan_strip(plan, pair, 500);
    plan->rooms = g_array_new(FALSE, FALSE, sizeof(CsGainRoom));
    CsGainWidth width = {.spans = plan->strip,
                         .bands = plan->bands,
                         .steps = plan->steps,
                         .widest = n,
                         .most_cells = 1e12,
                         .rooms = plan->rooms,
                         .most_swept = most_swept,
                         .most_bytes = most_bytes,
                         .apart = 4};
    cs_gain_widen(&plan->rule, &pair->survey, pair->chain, 2, &width);
}

static void
test_room_is_planned(void)
{
    const gint64 half = 200000, deleted = 300000;
    g_auto(LongDeletion) pair = {0};
    long_deletion_init(&pair, half, deleted);
    g_auto(CsGainPlan) roomy = {0}, costly = {0}, large = {0};
    widen(&pair, &roomy, 1e12, 1 << 28);
    g_assert_cmpuint(roomy.rooms->len, ==, 1);
    const CsGainRoom *room = &g_array_index(roomy.rooms, CsGainRoom, 0);
    const gint64 middle = (room->first + room->last) / 2, band = roomy.rule.band;
    g_assert_cmpint(room->first * band, <=, half);
    g_assert_cmpint((room->last + 1) * band, >=, half + deleted);
    g_assert_cmpint(room->columns.from, <, half - 100000);
    g_assert_cmpint(room->columns.to, >, half + 100000);
    g_assert_cmpint(roomy.strip[middle].to - roomy.strip[middle].from, ==, 1000);
    /* If rooms would have too many cells, or one of them take too much memory, the strip is wider. */
    widen(&pair, &costly, 1e9, 1 << 28);
    widen(&pair, &large, 1e12, 1 << 20);
    g_assert_cmpuint(costly.rooms->len, ==, 0);
    g_assert_cmpuint(large.rooms->len, ==, 0);
    g_assert_cmpint(costly.strip[middle].to - costly.strip[middle].from, >, 200000);
    g_assert_cmpint(large.strip[middle].to - large.strip[middle].from, >, 200000);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/gains/random", test_random);
    g_test_add_func("/gains/section-sides", test_section_sides);
    g_test_add_func("/gains/sections-lose-nothing", test_sections_lose_nothing);
    g_test_add_func("/gains/faults", test_faults);
    g_test_add_func("/gains/room-lowers", test_room_lowers);
    g_test_add_func("/gains/room-is-planned", test_room_is_planned);
    return g_test_run();
}
