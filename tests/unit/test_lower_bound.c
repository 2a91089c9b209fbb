/* Lower bounds: never above the score, and equal to it for similar sequences. Also sweeps that
 * compute only spans of blocks. */
#include <chromosweep/error.h>

#include "../case_count.h"
#include "../engine/strand_oracle.h"
#include "lower_bound/lower_bound.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "related.h"
#include "sweep/sweep.h"

static const CsScoring scorings[] = {
    {1, 3, 3, 2}, {2, 3, 5, 2}, {1, 5, 3, 1}, {1, 1, 0, 1}, {5, 4, 10, 1}, {3, 1, 4, 0},
};

static CsScore
score_of(const GString *a, const GString *b, const CsScoring *scoring)
{
    return strand_oracle_solve(a->str, b->str, scoring, CS_STRAND_PLUS).score;
}

static gboolean
find_bound(const CsSurvey *survey, CsLowerBound *bound, GError **error)
{
    g_auto(CsLowerBoundSearch) search = {0};
    g_autoptr(CsSeedsIndex) index = NULL;
    const gboolean found = cs_lower_bound_find_seeds(&search, survey, &index, error) &&
                           cs_lower_bound_find_chain(&search, survey, error) &&
                           cs_lower_bound_sweep(&search, survey, error);
    *bound = search.bound;
    return found;
}

/* The bound for the bases; it must be the same for any number of threads. `views` chooses how each
 * sequence is read: reversed, complemented or both. */
static CsLowerBound
bound_of(const GString *a, const GString *b, const CsScoring *scoring, guint views)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) first = related_hide(a, views & 1, views & 2);
    g_autoptr(CsSequence) second = related_hide(b, views & 4, views & 8);
    CsSurvey survey = {.rows = related_view(first, views & 1, views & 2),
                       .columns = related_view(second, views & 4, views & 8),
                       .scoring = *scoring,
                       .threads = 1};
    CsLowerBound bound;
    find_bound(&survey, &bound, &error);
    g_assert_no_error(error);
    for (survey.threads = 2; survey.threads <= 5; survey.threads += 3) {
        CsLowerBound again;
        find_bound(&survey, &again, &error);
        g_assert_no_error(error);
        g_assert_cmpint(again.score, ==, bound.score);
        g_assert_cmpint(again.seeds, ==, bound.seeds);
        g_assert_cmpint(again.chain, ==, bound.chain);
    }
    return bound;
}

/* If only a few bases differ, the corridor contains the best alignment. */
static void
test_alike(void)
{
    for (guint32 seed = 0; seed < 60; seed += case_count_is_low() ? 5 : 1) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        g_autoptr(GString) a = g_string_new(NULL);
        related_append(rand, a, 4, g_rand_int_range(rand, 100, 1200));
        g_autoptr(GString) b = related_copy(rand, a, 4, (int)(seed % 4) * 10);
        const CsScoring *scoring = &scorings[seed % G_N_ELEMENTS(scorings)];
        const CsLowerBound bound = bound_of(a, b, scoring, seed);
        g_assert_cmpint(bound.chain, >, 0);
        g_assert_cmpint(bound.score, ==, score_of(a, b, scoring));
    }
}

/* The bound holds for any sequences. */
static void
test_sound(void)
{
    const guint cases = case_count(1600);
    CsScore sum = 0, wanted = 0;
    for (guint32 seed = 0; seed < cases; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed + 1000);
        const int alphabet = g_rand_int_range(rand, 1, 5);
        g_autoptr(GString) a = g_string_new(NULL);
        related_append(rand, a, alphabet, g_rand_int_range(rand, 0, 700));
        if (seed % 3 == 0) { /* a tandem repeat */
            g_autoptr(GString) unit = g_string_new(NULL);
            related_append(rand, unit, alphabet, g_rand_int_range(rand, 1, 60));
            for (int k = 0; k < 8; k++)
                g_string_insert_len(a, (gssize)a->len / 2, unit->str, (gssize)unit->len);
        }
        g_autoptr(GString) b = related_copy(rand, a, alphabet, 30 * (int)(seed % 4));
        if (seed % 5 == 0)
            related_invert(b, b->len / 3, b->len / 3);
        if (seed % 5 == 1)
            g_string_append_len(g_string_erase(b, 0, (gssize)b->len / 2), a->str,
                                (gssize)a->len / 2);
        if (seed % 4 == 1)
            related_add_ns(rand, a, 300);
        if (seed % 4 == 2)
            related_add_ns(rand, b, 300);
        const CsScoring *scoring = &scorings[seed % G_N_ELEMENTS(scorings)];
        const CsScore score = score_of(a, b, scoring);
        const CsLowerBound bound = bound_of(a, b, scoring, seed);
        g_assert_cmpint(bound.score, >=, 0);
        g_assert_cmpint(bound.score, <=, score);
        sum += bound.score;
        wanted += score;
    }
    g_test_message("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, sum, wanted);
    g_assert_cmpint(sum, >, wanted / 2);
}

/* The score of a dense sweep, which is computed only if all cases are wanted. The sequences are
 * always the same, so it is KNOWN. */
static CsScore
sweep_score(const GString *a, const GString *b, CsScore known)
{
    if (case_count(100) < 100)
        return known;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) first = cs_sequence_new("a", a->str, (gint64)a->len, NULL);
    g_autoptr(CsSequence) second = cs_sequence_new("b", b->str, (gint64)b->len, NULL);
    CsRectangle rectangle = {
        .rows = cs_view_of(first), .columns = cs_view_of(second), .scoring = CS_SCORING_DEFAULT};
    CsSweepOptions options = {.engine = &cs_simd_engine, .engine_options = {.threads = 2}};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    CsSweepState state;
    cs_sweep_run(&rectangle, grid, &options, &state, &error);
    g_assert_no_error(error);
    g_assert_cmpint(state.best.score, ==, known);
    return known;
}

/* Several sections of the corridor, and ways far aside: bases that only one has, Ns, an inversion.
 */
static void
test_sections(void)
{
    const CsScoring scoring = CS_SCORING_DEFAULT;
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    g_autoptr(GString) a = g_string_new(NULL), more = g_string_new(NULL);
    related_append(rand, a, 4, 45000);
    related_append(rand, more, 4, 7000);
    g_autoptr(GString) b = related_copy(rand, a, 4, 15);
    CsLowerBound bound = bound_of(a, b, &scoring, 0);
    g_assert_cmpint(bound.score, ==, sweep_score(a, b, 40970));
    g_assert_cmpint(bound.cells_computed, <, (gint64)(a->len * b->len / 10));
    if (case_races_only())
        return;

    g_string_insert_len(b, 20000, more->str, (gssize)more->len);
    bound = bound_of(a, b, &scoring, 8 + 4);
    g_assert_cmpint(bound.score, ==, sweep_score(a, b, 26967));
    bound = bound_of(b, a, &scoring, 2 + 1);
    g_assert_cmpint(bound.score, ==, sweep_score(a, b, 26967));

    memset(a->str, 'N', 5000);
    related_invert(b, 33000, 1500);
    bound = bound_of(a, b, &scoring, 0);
    const CsScore score = sweep_score(a, b, 19905);
    g_assert_cmpint(bound.score, <=, score);
    g_assert_cmpint(bound.score, >=, score - score / 200);
}

/* Pieces that threads sweep side by side: bases that are the same for long, or nearly so; what is
 * alike begins and ends amid a section; a jump. */
static void
test_side_by_side(void)
{
    if (case_count_is_low()) {
        g_test_skip("few cases are wanted");
        return;
    }
    const CsScoring scoring = CS_SCORING_DEFAULT;
    g_autoptr(GRand) rand = g_rand_new_with_seed(6);
    g_autoptr(GString) a = g_string_new(NULL), b = g_string_new(NULL), c = g_string_new(NULL);
    related_append(rand, a, 4, 250000);
    CsLowerBound bound = bound_of(a, a, &scoring, 4 + 8);
    g_assert_cmpint(bound.score, ==, (gint64)a->len);
    g_assert_cmpint(bound.cells_computed, <, (gint64)(a->len * a->len / 4));

    /* Unlike the first and the last part. */
    g_string_append_len(b, a->str + 90000, 120000);
    related_append(rand, c, 4, 47000);
    g_autoptr(GString) copy = related_copy(rand, b, 4, 10);
    g_string_prepend(copy, c->str);
    g_string_append(copy, c->str);
    bound = bound_of(a, copy, &scoring, 0);
    g_assert_cmpint(bound.score, ==, sweep_score(a, copy, 111532));

    /* Identical for more rows than are swept in one section, then a jump. */
    g_autoptr(GString) longer = g_string_new(NULL), far = g_string_new(NULL);
    related_append(rand, longer, 4, 2500000);
    g_string_append_len(far, longer->str, 900000);
    g_string_append_len(far, longer->str + 2200000, 300000);
    bound = bound_of(longer, far, &scoring, 0);
    g_assert_cmpint(bound.score, ==, 900000);
}

/*
 * The chain takes in a piece between bases that have nothing in common and bases that only one sequence has.
 * The best alignment goes past it. Some of the bases are Ns, and what is alike is short or as long as several
 * sections.
 */
static void
test_bypasses(void)
{
    static const struct {
        int before, other, piece, more, after;
        int ns; /* of the bases that have nothing in common, in the longer sequence */
        CsScore score;
    } cases[] = {
        {30000, 8000, 700, 8000, 30000, 0, 35701},
        {9000, 6000, 400, 7000, 9000, 0, 8347},
        {60000, 8000, 900, 9000, 40000, 5000, 69682},
        {30000, 10000, 1500, 10000, 30000, 0, 30372},
    };
    const CsScoring scoring = CS_SCORING_DEFAULT;
    const guint count = case_races_only() ? 1 : G_N_ELEMENTS(cases);
    for (guint k = 0; k < count; k++) {
        if (case_count_is_low() && !case_races_only() && k % 3 == 0)
            continue; /* of the others one is short, one has Ns */
        g_autoptr(GRand) rand = g_rand_new_with_seed(k + 11);
        g_autoptr(GString) a = g_string_new(NULL), b = g_string_new(NULL);
        const int lengths[] = {cases[k].before, cases[k].piece, cases[k].after};
        for (int part = 0; part < 3; part++) {
            g_autoptr(GString) alike = g_string_new(NULL);
            related_append(rand, alike, 4, lengths[part]);
            g_autoptr(GString) copy = related_copy(rand, alike, 4, 10);
            g_string_append_len(a, alike->str, (gssize)alike->len);
            g_string_append_len(b, copy->str, (gssize)copy->len);
            if (part == 0) {
                related_append(rand, a, 4, cases[k].other);
                related_append(rand, b, 4, cases[k].other);
                memset(a->str + a->len - cases[k].other / 2, 'N', (gsize)cases[k].ns);
            } else if (part == 1) {
                related_append(rand, a, 4, cases[k].more);
            }
        }
        const CsScore score = sweep_score(a, b, cases[k].score);
        const CsLowerBound bound = bound_of(a, b, &scoring, k);
        const CsLowerBound turned = bound_of(b, a, &scoring, 15 - k);
        g_assert_cmpint(bound.score, ==, score);
        g_assert_cmpint(turned.score, <=, score);
        g_assert_cmpint(turned.score, >=, score - score / 500);
    }
}

/* Each stage ends early if it is told to. */
static void
expect_stops(CsSurvey *survey)
{
    g_autoptr(GError) error = NULL;
    const gint stop = 1;
    g_auto(CsLowerBoundSearch) search = {0};
    g_autoptr(CsSeedsIndex) index = NULL;
    survey->stop = &stop;
    g_assert_false(cs_lower_bound_find_seeds(&search, survey, &index, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    g_clear_error(&error);
    survey->stop = NULL;
    g_assert_true(cs_lower_bound_find_seeds(&search, survey, &index, &error));
    survey->stop = &stop;
    g_assert_false(cs_lower_bound_find_chain(&search, survey, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    g_clear_error(&error);
    survey->stop = NULL;
    g_assert_true(cs_lower_bound_find_chain(&search, survey, &error));
    survey->stop = &stop;
    g_assert_false(cs_lower_bound_sweep(&search, survey, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
}

static void
test_edges(void)
{
    static const char *const bases[] = {"", "A", "N", "ACGT"};
    const CsScoring scoring = CS_SCORING_DEFAULT;
    for (guint k = 0; k < 16; k++) {
        g_autoptr(GString) a = g_string_new(bases[k / 4]);
        g_autoptr(GString) b = g_string_new(bases[k % 4]);
        g_assert_cmpint(bound_of(a, b, &scoring, k).score, <=, score_of(a, b, &scoring));
    }
    g_autoptr(GString) a = g_string_new(NULL);
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    related_append(rand, a, 4, 300);
    /* Scores of 64 bits. */
    const CsScoring wide = {G_GINT64_CONSTANT(1) << 50, 3, 3, 2};
    g_assert_cmpint(bound_of(a, a, &wide, 0).score, ==, 300 * wide.match);
    g_autoptr(CsSequence) sequence = related_hide(a, FALSE, FALSE);
    const CsView view = related_view(sequence, FALSE, FALSE);
    expect_stops(&(CsSurvey){.rows = view, .columns = view, .scoring = scoring, .threads = 2});
    g_assert_cmpuint(cs_lower_bound_memory(250000000, 250000000, 2), <, 4500000000);
}

/* H of the matrix when blocks outside the spans are zero; the best cell. */
static CsBest
solve_spans(const GString *a, const GString *b, const CsGrid *grid, const CsSpan *spans, CsScore *h)
{
    const CsScoring scoring = CS_SCORING_DEFAULT;
    const gint64 n = (gint64)b->len;
    const CsScore first = cs_scoring_first_gap(&scoring), extend = scoring.gap_extend;
    g_autofree CsScore *f = g_new0(CsScore, n + 1);
    CsBest best = {0};
    for (gint64 i = 1, bi = 0; i <= (gint64)a->len; i++) {
        CsScore e = 0, corner = 0;
        bi += i > grid->row_starts[bi + 1];
        for (gint64 j = 1; j <= n; j++) {
            const gint64 bj = (j - 1) / grid->block_width;
            const gboolean match = a->str[i - 1] == b->str[j - 1] && a->str[i - 1] != 'N';
            e = MAX(e - extend, h[j - 1] - first);
            f[j] = MAX(f[j] - extend, h[j] - first);
            CsScore score = MAX(MAX(e, f[j]), corner + (match ? 1 : -3));
            corner = h[j];
            h[j] = MAX(score, 0);
            if (bj < spans[bi].from || bj >= spans[bi].to)
                h[j] = e = f[j] = 0;
            cs_best_merge(&best, CS_TIE_ROW_FIRST, &(CsBest){h[j], i, j});
        }
    }
    return best;
}

static void
expect_spans(guint32 seed)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    g_autoptr(GString) a = g_string_new(NULL);
    related_append(rand, a, 3, g_rand_int_range(rand, 1, 200));
    g_autoptr(GString) b = related_copy(rand, a, 3, 60);
    g_string_append_c(b, 'N');
    g_autoptr(CsSequence) first = related_hide(a, FALSE, FALSE);
    g_autoptr(CsSequence) second = related_hide(b, TRUE, TRUE);
    const CsView rows = related_view(first, FALSE, FALSE);
    const CsView columns = related_view(second, TRUE, TRUE);
    const gint64 n = columns.length;
    g_autoptr(CsBus) bottom = cs_bus_new(n, CS_WIDTH_32, &error);
    CsRectangle rectangle = {
        .rows = rows, .columns = columns, .scoring = CS_SCORING_DEFAULT, .bottom = bottom};
    CsSweepOptions options = {.engine = seed % 2 == 0 ? &cs_scalar_engine : &cs_simd_engine,
                              .engine_options = {.threads = 1 + seed % 3},
                              .shape = {1 + seed % 13, 1 + seed % 17, 1 + seed % 6, 0, 0, FALSE}};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    g_autofree CsSpan *spans = g_new0(CsSpan, grid->block_rows);
    gint64 span_cells = 0;
    for (gint64 bi = 0; bi < grid->block_rows; bi++) {
        const gint64 middle = bi * grid->block_columns / grid->block_rows;
        const gint64 before = g_rand_int_range(rand, 0, 5), behind = g_rand_int_range(rand, 0, 6);
        if (g_rand_int_range(rand, 0, 10) > 0)
            spans[bi] =
                (CsSpan){MAX(0, middle - before), MIN(grid->block_columns, middle + behind)};
        if (seed % 5 == 0)
            spans[bi] = (CsSpan){0, grid->block_columns};
        if (spans[bi].from < spans[bi].to)
            span_cells += (grid->row_starts[bi + 1] - grid->row_starts[bi]) *
                          (cs_grid_column_start(grid, spans[bi].to) -
                           cs_grid_column_start(grid, spans[bi].from));
    }
    options.engine_options.spans = spans;
    CsSweepState state;
    cs_sweep_run(&rectangle, grid, &options, &state, &error);
    g_assert_no_error(error);
    g_autofree CsScore *h = g_new0(CsScore, n + 1);
    const CsBest best = solve_spans(a, b, grid, spans, h);
    g_assert_cmpint(state.best.score, ==, best.score);
    g_assert_cmpint(state.best.i, ==, best.i);
    g_assert_cmpint(state.best.j, ==, best.j);
    g_assert_cmpint(state.cells, ==, rows.length * n);
    g_assert_cmpint(state.cells_computed, >=, span_cells);
    if (options.engine == &cs_scalar_engine)
        g_assert_cmpint(state.cells_computed, ==, span_cells);
    for (gint64 j = 1; j <= n; j++)
        g_assert_cmpint(cs_width_get(bottom->width, bottom->h, j - 1), ==, h[j]);
}

static void
test_spans(void)
{
    const guint cases = case_count(8000);
    for (guint32 seed = 0; seed < cases; seed++)
        expect_spans(seed);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lower-bound/alike", test_alike);
    g_test_add_func("/lower-bound/sound", test_sound);
    g_test_add_func("/lower-bound/sections", test_sections);
    g_test_add_func("/lower-bound/side-by-side", test_side_by_side);
    g_test_add_func("/lower-bound/bypasses", test_bypasses);
    g_test_add_func("/lower-bound/edges", test_edges);
    g_test_add_func("/lower-bound/spans", test_spans);
    return g_test_run();
}
