/* Sections of the corridor: what a plain computation of the same cells finds, never more than the best path. */
#include "../case_count.h"
#include "lower_bound/corridor_sweep.h"
#include "related.h"

static const CsScoring scorings[] = {
    {1, 3, 3, 2}, {2, 3, 5, 2}, {1, 5, 3, 1}, {1, 1, 0, 1}, {5, 4, 10, 1}, {3, 1, 4, 0},
};

enum {
    NEVER = -(1 << 28),
    STEP = 384,     /* rows */
    LEAST_TO = 1024 /* columns of the first step, if there are as many */
};

/* The best path from corner to corner, and from there to any cell; of alignments that begin anywhere if
 * `local`. */
typedef struct {
    CsScore exit, best;
} Worth;

static Worth
solve(const GString *a, const GString *b, const CsScoring *scoring, gboolean local)
{
    const gint64 n = (gint64)b->len;
    const CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    g_autofree CsScore *h = g_new(CsScore, n + 1), *f = g_new(CsScore, n + 1);
    Worth worth = {0, 0};
    for (gint64 j = 0; j <= n; j++) {
        h[j] = local || j == 0 ? 0 : -scoring->gap_open - extend * j;
        f[j] = NEVER;
    }
    for (gint64 i = 1; i <= (gint64)a->len; i++) {
        CsScore corner = h[0], e = NEVER;
        h[0] = local ? 0 : -scoring->gap_open - extend * i;
        for (gint64 j = 1; j <= n; j++) {
            const gboolean match = a->str[i - 1] == b->str[j - 1] && a->str[i - 1] != 'N';
            e = MAX(e - extend, h[j - 1] - first);
            f[j] = MAX(f[j] - extend, h[j] - first);
            const CsScore score =
                MAX(MAX(e, f[j]), corner + (match ? scoring->match : -scoring->mismatch));
            corner = h[j];
            h[j] = local ? MAX(0, score) : score;
            worth.best = MAX(worth.best, h[j]);
        }
    }
    worth.exit = h[n];
    return worth;
}

/* Columns from + 1 .. to of each step. */
static CsCorridorLine *
plain_steps(const CsCorridor *corridor, const CsCorridorSection *section, gint64 count)
{
    CsCorridorLine *steps = g_new(CsCorridorLine, count);
    const gint64 m = section->row + section->rows, n = section->columns;
    gint64 to = MIN(n, LEAST_TO);
    for (gint64 s = 0; s < count; s++) {
        const gint64 row = section->row + s * STEP;
        gint64 from = n, end = 0;
        for (gint64 k = row / CS_CORRIDOR_LINE; k * CS_CORRIDOR_LINE < MIN(row + STEP, m); k++)
            if (corridor->lines[k].to > 0) {
                from = MIN(from, corridor->lines[k].from - section->column);
                end = MAX(end, corridor->lines[k].to - section->column);
            }
        steps[s].from = MAX(0, MIN(from, to - 1));
        steps[s].to = to = MAX(to, MIN(end, n));
    }
    for (gint64 s = count - 2; s >= 0; s--)
        steps[s].from = MIN(steps[s].from, steps[s + 1].from);
    return steps;
}

static CsScore
plain_gap(const CsScoring *scoring, CsScore h, gint64 length)
{
    return length == 0 ? h : MAX(0, h - scoring->gap_open - scoring->gap_extend * length);
}

/* Cell by cell. A value that nothing is known of comes by a gap: along the last row of the step above, or
 * down along the first column of steps that begin together. No gap is open there. */
static Worth
plain_sweep(const GString *a, const GString *b, const CsScoring *scoring,
            const CsCorridor *corridor, const CsCorridorSection *section)
{
    const gint64 m = section->rows, n = section->columns, count = (m + STEP - 1) / STEP;
    const CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    g_autofree CsCorridorLine *steps = plain_steps(corridor, section, count);
    g_autofree CsScore *h = g_new(CsScore, n + 1), *f = g_new(CsScore, n + 1);
    CsScore best = section->high, edge = 0;
    gint64 known = 0, edge_row = 0; /* h has columns .. known */
    h[0] = section->high;
    for (gint64 s = 0; s < count; s++) {
        const gint64 from = steps[s].from, to = steps[s].to, row = s * STEP;
        for (gint64 j = known + 1; j <= to; j++) {
            h[j] = plain_gap(scoring, h[known], j - known);
            f[j] = NEVER;
        }
        known = to;
        if (s == 0 || from > steps[s - 1].from) {
            edge = h[from];
            edge_row = row;
        }
        CsScore left = plain_gap(scoring, edge, row - edge_row);
        for (gint64 i = row + 1; i <= MIN(row + STEP, m); i++) {
            CsScore corner = left, e = NEVER, before;
            before = left = plain_gap(scoring, edge, i - edge_row);
            for (gint64 j = from + 1; j <= to; j++) {
                const gboolean match = a->str[i - 1] == b->str[j - 1] && a->str[i - 1] != 'N';
                e = MAX(e - extend, before - first);
                f[j] = MAX(f[j] - extend, h[j] - first);
                before = MAX(MAX(0, corner + (match ? scoring->match : -scoring->mismatch)),
                             MAX(e, f[j]));
                corner = h[j];
                h[j] = before;
                best = MAX(best, before);
            }
        }
    }
    return (Worth){plain_gap(scoring, h[known], n - known), best};
}

/* Columns around the diagonal, or all; narrow ones that jump. Some lines have none. */
static void
make_lines(GRand *rand, CsCorridor *corridor, gint64 m, gint64 n, gboolean all)
{
    const gint64 lines = m / CS_CORRIDOR_LINE + 1;
    const int width = (const int[]){4, 40, 1500}[g_rand_int_range(rand, 0, 3)];
    const int jump = g_rand_boolean(rand) ? 1 : 400;
    *corridor = (CsCorridor){.end = lines, .lines = g_new0(CsCorridorLine, lines + 1)};
    for (gint64 k = 0; k < lines; k++) {
        const gint64 middle = CLAMP(n * k / lines + g_rand_int_range(rand, 0, jump), 1, n - 1);
        const CsCorridorLine some = {MAX(0, middle - g_rand_int_range(rand, 0, width)),
                                     MIN(n, middle + g_rand_int_range(rand, 1, 2 * width))};
        if (all || g_rand_int_range(rand, 0, 12) > 0)
            corridor->lines[k] = all ? (CsCorridorLine){0, n} : some;
    }
}

/* Sweeps all but some rows and columns at the beginning. */
static void
expect_section(guint32 seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    const CsScoring *scoring = &scorings[seed % G_N_ELEMENTS(scorings)];
    g_autoptr(GString) a = g_string_new(NULL), more = g_string_new(NULL);
    const int alphabet = g_rand_int_range(rand, 2, 5);
    related_append(rand, a, alphabet, g_rand_int_range(rand, 1, 2500));
    g_autoptr(GString) b = related_copy(rand, a, alphabet, (int)(seed % 4) * 10);
    if (seed % 4 > 1) { /* so that the best path follows borders */
        g_string_truncate(b, 0);
        related_append(rand, b, alphabet, g_rand_int_range(rand, 1, 2500));
    }
    related_append(rand, more, 4, g_rand_int_range(rand, 1, 1800));
    if (seed % 3 == 1) /* a gap that leaves the corridor */
        g_string_insert_len(b, (gssize)b->len / 2, more->str, (gssize)more->len);
    if (seed % 7 == 1)
        related_add_ns(rand, a, 300);
    g_string_append_c(b, 'A');
    const gboolean first = seed % 5 == 0, all = seed % 8 == 3;
    const gint64 row = g_rand_int_range(rand, 0, 700), column = g_rand_int_range(rand, 0, 700);
    g_autoptr(GString) rows = g_string_new(NULL), columns = g_string_new(NULL);
    related_append(rand, rows, 4, (int)row);
    related_append(rand, columns, 4, (int)column);
    g_string_append(rows, a->str);
    g_string_append(columns, b->str);
    const guint views = seed % 16;
    g_autoptr(CsSequence) target = related_hide(rows, views & 1, views & 2);
    g_autoptr(CsSequence) query = related_hide(columns, views & 4, views & 8);
    CsSurvey survey = {.rows = related_view(target, views & 1, views & 2),
                       .columns = related_view(query, views & 4, views & 8),
                       .scoring = *scoring};
    g_auto(CsCorridor) corridor = {0};
    make_lines(rand, &corridor, (gint64)rows->len, (gint64)columns->len, all);
    const gint64 m = (gint64)a->len, n = (gint64)b->len;
    const CsScore high =
        first ? 0
              : scoring->match * MIN(m, n) + 2 * scoring->gap_open + scoring->gap_extend * (m + n);
    const Worth worth = solve(a, b, scoring, first);
    Worth plain = {0};
    for (survey.threads = 1; survey.threads <= 4; survey.threads++) {
        g_autoptr(GError) error = NULL;
        CsCorridorSection section = {.row = row,
                                     .rows = m,
                                     .column = column,
                                     .columns = n,
                                     .high = high,
                                     .ends = first || seed % 2 == 0};
        if (survey.threads == 1)
            plain = plain_sweep(a, b, scoring, &corridor, &section);
        g_assert_true(cs_corridor_sweep(&corridor, &survey, survey.threads, &section, &error));
        g_assert_no_error(error);
        g_assert_cmpint(section.exit - high, <=, worth.exit);
        g_assert_cmpint(section.best - high, <=, worth.best);
        g_assert_cmpint(section.exit, ==, plain.exit);
        g_assert_cmpint(section.best, ==, section.ends ? plain.best : high);
        if (all && section.ends)
            g_assert_cmpint(section.best - high, ==, worth.best);
        if (all)
            g_assert_cmpint(section.exit - high, ==, worth.exit);
    }
}

static void
test_sections(void)
{
    const guint cases = case_count(600);
    for (guint32 seed = 0; seed < cases; seed++)
        expect_section(seed);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/corridor-sweep/sections", test_sections);
    return g_test_run();
}
