/* Paths of alignments: always the walk over the full matrix, whatever rows were kept, skipped or
 * split. */
#include <stdlib.h>
#include <string.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "alignment/trace.h"
#include "path_oracle.h"
#include "sweeps.h"

static guint32 first_seed = 1;

typedef struct {
    Case *c;
    CsSequence *a, *b;
    OracleProblem problem;
    Oracle oracle;
    CsRectangle matrix;
    GRand *rand;
    char *what;
} Trial;

/* Small alphabets and few different costs make paths of equal score. Expensive openings make values
 * fall and rise again. */
static const CsScoring special[] = {{1, 1, 0, 1}, {2, 1, 1, 1}, {1, 1, 1, 0},  {3, 2, 2, 1},
                                    {2, 9, 9, 0}, {1, 3, 2, 2}, {3, 8, 12, 1}, {5, 4, 3, 3}};

/* Takes a case. */
static void
trial_init_case(Trial *trial, guint32 seed, Case *c)
{
    *trial = (Trial){.c = c, .rand = g_rand_new_with_seed(seed)};
    trial->a = cs_sequence_new("a", c->a, c->m, NULL);
    trial->b = cs_sequence_new("b", c->b, c->n, NULL);
    trial->problem = case_problem(c);
    oracle_solve(&trial->problem, &trial->oracle);
    trial->matrix = sweeps_rectangle(c, trial->a, trial->b);
    g_autofree char *what = case_describe(c);
    trial->what = g_strdup_printf("seed %u: %s", seed, what);
}

static void
trial_init(Trial *trial, guint32 seed, int longest)
{
    Case *c = case_new(seed, longest);
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    if (seed % 5 == 0)
        case_repeat(c, rand, longest);
    if (seed % 3 == 0)
        c->scoring = special[seed / 3 % G_N_ELEMENTS(special)];
    trial_init_case(trial, seed, c);
}

static void
trial_clear(Trial *trial)
{
    oracle_clear(&trial->oracle);
    cs_sequence_unref(trial->a);
    cs_sequence_unref(trial->b);
    case_free(trial->c);
    g_rand_free(trial->rand);
    g_free(trial->what);
}

enum {
    ON_H = 1,
    ON_E = 2,
    ON_F = 4,
};

/* For each cell, which of its nodes are part of a best alignment that ends at the oracle's cell. */
static guint8 *
find_best_nodes(const Trial *trial)
{
    const Oracle *o = &trial->oracle;
    const OracleProblem *p = &trial->problem;
    const gint64 first = p->open + p->extend;
    guint8 *nodes = g_new0(guint8, (gsize)(p->m + 1) * (gsize)o->width);
    nodes[o->i * o->width + o->j] = ON_H;
    for (int i = o->i; i > 0; i--)
        for (int j = o->j; j > 0; j--) {
            const int at = i * o->width + j, left = at - 1, above = at - o->width;
            if (nodes[at] & ON_H && o->h[at] > 0) {
                if (o->h[above - 1] + oracle_pair(p, i, j) == o->h[at])
                    nodes[above - 1] |= ON_H;
                nodes[at] |= (o->e[at] == o->h[at] ? ON_E : 0) | (o->f[at] == o->h[at] ? ON_F : 0);
            }
            if (nodes[at] & ON_E)
                nodes[left] |= (o->h[left] - first == o->e[at] ? ON_H : 0) |
                               (o->e[left] - p->extend == o->e[at] ? ON_E : 0);
            if (nodes[at] & ON_F)
                nodes[above] |= (o->h[above] - first == o->f[at] ? ON_H : 0) |
                                (o->f[above] - p->extend == o->f[at] ? ON_F : 0);
        }
    return nodes;
}

/* Rows with the fewest values that they must have: those on best alignments. All others are 0. */
static void
fill_with_best_nodes(const Trial *trial, CsRows *rows)
{
    const Oracle *o = &trial->oracle;
    g_autofree guint8 *nodes = find_best_nodes(trial);
    g_autofree CsScore *h = g_new(CsScore, o->width);
    g_autofree CsScore *f = g_new(CsScore, o->width);
    const gsize count = cs_rows_count(rows);
    g_autofree gint64 *list = cs_rows_list(rows); /* some may be dropped on the way */
    for (gsize k = 0; k < count; k++) {
        const gint64 i = list[k];
        for (int j = 1; j <= o->j; j++) {
            const gint64 at = i * o->width + j;
            f[j - 1] = nodes[at] & ON_F ? MAX(o->f[at], 0) : 0;
            h[j - 1] = nodes[at] & ON_H ? o->h[at] : f[j - 1];
        }
        g_assert_true(cs_rows_take(i, 0, o->j, h, f, FALSE, rows, NULL));
    }
}

/* The bounds that trace.c uses. */
static void
bound_by_matches(const CsGrid *grid, CsScore match, CsScore *rows, CsScore *columns)
{
    for (gint64 b = 0; b < grid->block_rows; b++)
        rows[b] = match * (grid->m - grid->row_starts[b]);
    for (gint64 b = 0; b < grid->block_columns; b++)
        columns[b] = match * (grid->n - cs_grid_column_start(grid, b));
}

/* The tightest ones: what an alignment without an open gap can really gain. */
static void
bound_by_gains(const Trial *trial, const CsGrid *grid, CsScore *rows, CsScore *columns)
{
    OracleProblem problem = trial->problem;
    problem.m = trial->oracle.i;
    g_autofree gint64 *gains = g_new(gint64, (gsize)(problem.m + 1) * (gsize)(problem.n + 1));
    oracle_gains(&problem, gains);
    memset(rows, 0, (gsize)grid->block_rows * sizeof *rows);
    memset(columns, 0, (gsize)grid->block_columns * sizeof *columns);
    for (gint64 i = 0; i <= problem.m; i++)
        for (gint64 j = 0; j <= problem.n; j++) {
            const CsScore gain = gains[i * (problem.n + 1) + j];
            for (gint64 b = 0; b < grid->block_rows; b++)
                if (i >= grid->row_starts[b] && i <= grid->row_starts[b + 1])
                    rows[b] = MAX(rows[b], gain);
            for (gint64 b = 0; b < grid->block_columns; b++)
                if (j >= cs_grid_column_start(grid, b) && j <= cs_grid_column_start(grid, b + 1))
                    columns[b] = MAX(columns[b], gain);
        }
}

/* Some rows of the matrix above the end, as a sweep that skips hands them out, or with the fewest
 * values that they must have. */
static CsRows *
some_rows(Trial *trial)
{
    g_autoptr(GError) error = NULL;
    CsRectangle matrix = trial->matrix;
    g_autoptr(GArray) at = g_array_new(FALSE, FALSE, sizeof(gint64));
    const gint32 most = 1 << g_rand_int_range(trial->rand, 0, 8);
    const gboolean whole = g_rand_boolean(trial->rand); /* beyond the end, too */
    const gint64 m = whole ? trial->c->m : trial->oracle.i;
    for (gint64 i = g_rand_int_range(trial->rand, 1, most + 1); i < m;
         i += g_rand_int_range(trial->rand, 1, most + 1))
        g_array_append_val(at, i);
    CsWidth width;
    g_assert_true(cs_rectangle_width(&matrix, &width, &error));
    const gint64 budget =
        g_rand_boolean(trial->rand) ? g_rand_int_range(trial->rand, 0, 4000) : G_MAXINT64;
    CsRows *rows =
        at->len > 0 && g_rand_boolean(trial->rand)
            ? cs_rows_new_packed(m, g_array_index(at, gint64, 0), width, budget, NULL, NULL, &error)
            : cs_rows_new((gint64 *)at->data, at->len, width, &error);
    g_assert_no_error(error);
    g_autofree gint64 *list = cs_rows_list(rows);
    if (g_rand_int_range(trial->rand, 0, 3) == 0) {
        fill_with_best_nodes(trial, rows);
        return rows;
    }
    matrix.rows = cs_view_slice(&matrix.rows, 0, m);
    matrix.special_rows = list;
    matrix.n_special_rows = cs_rows_count(rows);
    matrix.row_func = cs_rows_take;
    matrix.row_data = rows;
    const char *engine = g_rand_boolean(trial->rand) ? "scalar" : "simd";
    CsSweepOptions options = {
        .engine = engine_working(engine, &error),
        .engine_options = {.threads = 1},
        .shape = {trial->c->block_height, trial->c->block_width, 3, 0, 0, FALSE}};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&matrix, &options);
    g_autofree CsScore *row_bounds = g_new(CsScore, grid->block_rows + 1);
    g_autofree CsScore *column_bounds = g_new(CsScore, grid->block_columns + 1);
    if (g_rand_boolean(trial->rand))
        bound_by_matches(grid, matrix.scoring.match, row_bounds, column_bounds);
    else
        bound_by_gains(trial, grid, row_bounds, column_bounds);
    if (g_rand_boolean(trial->rand)) {
        matrix.row_bounds = row_bounds;
        matrix.column_bounds = column_bounds;
        matrix.threshold =
            (CsScore)(g_rand_double_range(trial->rand, 0, 1) * (double)trial->oracle.score);
        if (g_rand_boolean(trial->rand))
            matrix.threshold = trial->oracle.score;
    }
    CsSweepState state;
    g_assert_true(cs_sweep_run(&matrix, grid, &options, &state, &error));
    while (g_rand_boolean(trial->rand) && cs_rows_count(rows) > 0)
        cs_rows_drop(rows, (gsize)g_rand_int_range(trial->rand, 0, (gint32)cs_rows_count(rows)));
    return rows;
}

/* The path as path_oracle() has it. */
static char *
steps_of(const CsPath *path)
{
    GString *steps = g_string_new(NULL);
    for (gsize k = 0; k < path->n; k++)
        for (gint64 l = 0; l < cs_path_length(path, k); l++)
            g_string_append_c(steps, "MRC"[cs_path_kind(path, k)]);
    return g_string_free(steps, FALSE);
}

static void
expect_path(Trial *trial, CsTrace *trace)
{
    g_autoptr(GError) error = NULL;
    int i0, j0;
    char *wanted = path_oracle(&trial->problem, &trial->oracle,
                               trial->c->tie_order == CS_TIE_COLUMN_FIRST, &i0, &j0);
    trace->matrix = &trial->matrix;
    trace->end = (CsBest){trial->oracle.score, trial->oracle.i, trial->oracle.j};
    g_auto(CsPath) path = {0};
    gboolean found = FALSE;
    if (trace->rows == NULL && !cs_trace_run_short(trace, &path, &found, &error))
        g_error("%s: %s", trial->what, error->message);
    if (!found && !cs_trace_run(trace, &path, &error))
        g_error("%s: %s", trial->what, error->message);
    g_autofree char *steps = steps_of(&path);
    if (strcmp(steps, wanted) != 0 || path.i0 != i0 || path.j0 != j0)
        g_error("%s: from %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT " %s, not from %d,%d %s",
                trial->what, path.i0, path.j0, steps, i0, j0, wanted);
    free(wanted);
}

static void
test_random(void)
{
    guint traced = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(20000); seed++) {
        Trial trial;
        trial_init(&trial, seed, seed % 8 == 0 ? 400 : 90);
        if (trial.oracle.score > 0) {
            GRand *rand = trial.rand;
            g_autoptr(CsRows) rows = g_rand_int_range(rand, 0, 4) > 0 ? some_rows(&trial) : NULL;
            const gboolean tiny = g_rand_boolean(rand);
            CsTrace trace = {
                .rows = rows,
                .engine = engine_working(seed % 2 == 0 ? "scalar" : "simd", NULL),
                .threads = (guint)g_rand_int_range(rand, 1, 4),
                .height = tiny ? g_rand_int_range(rand, 1, 8) : g_rand_int_range(rand, 1, 200),
                .width = tiny ? g_rand_int_range(rand, 1, 8) : g_rand_int_range(rand, 1, 200),
                .short_cells = g_rand_int_range(rand, 1, 3000),
                .block = g_rand_int_range(rand, 1, 65),
                .huge_cells = g_rand_boolean(rand) ? g_rand_int_range(rand, 1, 2000) : 0,
            };
            expect_path(&trial, &trace);
            traced++;
        }
        trial_clear(&trial);
    }
    g_test_message("%u alignments traced", traced);
}

/*
 * Alignments with as many rows as their columns and score allow: all columns are paired, and the
 * other rows, which cost an extension each and no opening, are one gap. Many rows are above them.
 */
static void
test_most_rows(void)
{
    for (guint32 seed = 1; seed <= 200; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        const int half = g_rand_int_range(rand, 2, 40), gap = g_rand_int_range(rand, 1, 4 * half);
        g_autofree char *above = g_strnfill((gsize)g_rand_int_range(rand, 0, 6000), 'T');
        g_autofree char *between = g_strnfill((gsize)gap, 'G');
        g_autofree char *before = g_strnfill((gsize)half, 'A');
        g_autofree char *after = g_strnfill((gsize)half, 'C');
        Case *c = case_new(seed, 90);
        g_free(c->a);
        g_free(c->b);
        c->a = g_strconcat(above, before, between, after, NULL);
        c->b = g_strconcat(before, after, NULL);
        c->m = (gint64)strlen(c->a);
        c->n = (gint64)strlen(c->b);
        /* Perhaps so high that a match for each row would not fit 64 bits. */
        const CsScore unit = seed % 2 == 0 ? 1 : (CsScore)1 << 49;
        c->scoring = (CsScoring){4 * unit, 36 * unit, 0, unit};
        c->n_special_rows = 0;
        Trial trial;
        trial_init_case(&trial, seed, c);
        g_assert_cmpint(cs_trace_most_rows(&c->scoring, c->n, trial.oracle.score), ==,
                        2 * half + gap);
        CsTrace trace = {.engine = engine_working("simd", NULL),
                         .threads = 1,
                         .height = g_rand_int_range(rand, 1, 20),
                         .width = g_rand_int_range(rand, 1, 20),
                         .short_cells = 1,
                         .block = 8};
        expect_path(&trial, &trace);
        trial_clear(&trial);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/trace/random", test_random);
    g_test_add_func("/trace/most-rows", test_most_rows);
    return g_test_run();
}
