#include "global_oracle.h"

static gboolean
is_better(GlobalTruth a, GlobalTruth b)
{
    if (a.score != b.score)
        return a.score > b.score;
    if (a.matches != b.matches)
        return a.matches > b.matches;
    return a.columns < b.columns;
}

static gboolean
is_same(GlobalTruth a, GlobalTruth b)
{
    return !is_better(a, b) && !is_better(b, a);
}

static GlobalTruth
after_pair(const GlobalProblem *p, GlobalTruth before, gint64 i, gint64 j)
{
    const guint8 a = p->query[i], b = p->record[j];
    return (GlobalTruth){before.score + p->pairs[a][b], before.matches + (a == b && p->counts[a]),
                         before.columns + 1};
}

static GlobalTruth
after_gap(const GlobalProblem *p, GlobalTruth before, gint64 letters)
{
    return (GlobalTruth){before.score - p->first - (letters - 1) * p->more, before.matches,
                         before.columns + letters};
}

typedef struct {
    const GlobalProblem *problem;
    GlobalTruth *cells;
} Matrix;

static GlobalTruth
at(const Matrix *m, gint64 i, gint64 j)
{
    return m->cells[i * (m->problem->columns + 1) + j];
}

static void
fill_cell(Matrix *m, gint64 i, gint64 j)
{
    const GlobalProblem *p = m->problem;
    GlobalTruth best = {G_MININT64, 0, 0};
    if (i > 0 && j > 0)
        best = after_pair(p, at(m, i - 1, j - 1), i - 1, j - 1);
    for (gint64 k = 1; k <= i; k++) {
        const GlobalTruth other = after_gap(p, at(m, i - k, j), k);
        best = is_better(other, best) ? other : best;
    }
    for (gint64 k = 1; k <= j; k++) {
        const GlobalTruth other = after_gap(p, at(m, i, j - k), k);
        best = is_better(other, best) ? other : best;
    }
    m->cells[i * (p->columns + 1) + j] = best;
}

/* From the end: a pair, else the shortest gap that lets letters of the query unpaired, else of the record. */
static void
walk(const Matrix *m, GString *path)
{
    const GlobalProblem *p = m->problem;
    gint64 i = p->rows, j = p->columns;
    while (i > 0 || j > 0) {
        const GlobalTruth here = at(m, i, j);
        if (i > 0 && j > 0 && is_same(here, after_pair(p, at(m, i - 1, j - 1), i - 1, j - 1))) {
            i--;
            j--;
            const gboolean match = p->query[i] == p->record[j] && p->counts[p->query[i]];
            g_string_prepend_c(path, match ? '=' : 'X');
            continue;
        }
        gint64 k = 1, n = 1;
        while (k <= i && !is_same(here, after_gap(p, at(m, i - k, j), k)))
            k++;
        while (k > i && n <= j && !is_same(here, after_gap(p, at(m, i, j - n), n)))
            n++;
        g_assert_true(k <= i || n <= j);
        const gboolean query = k <= i;
        for (gint64 left = query ? k : n; left > 0; left--)
            g_string_prepend_c(path, query ? 'I' : 'D');
        i -= query ? k : 0;
        j -= query ? 0 : n;
    }
}

GlobalTruth
global_oracle(const GlobalProblem *problem, GString *path)
{
    g_autofree GlobalTruth *cells =
        g_new0(GlobalTruth, (problem->rows + 1) * (problem->columns + 1));
    Matrix matrix = {problem, cells};
    for (gint64 i = 0; i <= problem->rows; i++)
        for (gint64 j = 0; j <= problem->columns; j++)
            if (i > 0 || j > 0)
                fill_cell(&matrix, i, j);
    if (path != NULL)
        walk(&matrix, path);
    return at(&matrix, problem->rows, problem->columns);
}

static GlobalTruth
better_of(GlobalTruth a, GlobalTruth b)
{
    return is_better(b, a) ? b : a;
}

/* A gap that goes on. */
static GlobalTruth
after_more(const GlobalProblem *p, GlobalTruth before)
{
    return (GlobalTruth){before.score - p->more, before.matches, before.columns + 1};
}

GlobalTruth
global_oracle_long(const GlobalProblem *p)
{
    const GlobalTruth none = {G_MININT64 / 2, 0, 0};
    g_autofree GlobalTruth *best = g_new(GlobalTruth, p->columns + 1);
    g_autofree GlobalTruth *down = g_new(GlobalTruth, p->columns + 1);
    best[0] = (GlobalTruth){0, 0, 0};
    for (gint64 j = 0; j <= p->columns; j++) {
        if (j > 0)
            best[j] = after_gap(p, best[0], j);
        down[j] = none;
    }
    for (gint64 i = 0; i < p->rows; i++) {
        GlobalTruth corner = best[0], right = none;
        best[0] = after_gap(p, (GlobalTruth){0, 0, 0}, i + 1);
        for (gint64 j = 1; j <= p->columns; j++) {
            down[j] = better_of(after_more(p, down[j]), after_gap(p, best[j], 1));
            right = better_of(after_more(p, right), after_gap(p, best[j - 1], 1));
            const GlobalTruth pair = after_pair(p, corner, i, j - 1);
            corner = best[j];
            best[j] = better_of(better_of(pair, down[j]), right);
        }
    }
    return best[p->columns];
}

GlobalTruth
global_oracle_worth(const GlobalProblem *p, const char *cigar)
{
    GlobalTruth worth = {0, 0, 0};
    gint64 i = 0, j = 0;
    char last = 0;
    while (*cigar != '\0') {
        char *end;
        const gint64 run = g_ascii_strtoll(cigar, &end, 10);
        const char kind = *end;
        g_assert_cmpint(run, >, 0);
        g_assert_true(kind != last);
        last = kind;
        if (kind == 'I' || kind == 'D') {
            worth = after_gap(p, worth, run);
            i += kind == 'I' ? run : 0;
            j += kind == 'D' ? run : 0;
        } else {
            for (gint64 k = 0; k < run; k++, i++, j++) {
                g_assert_true(i < p->rows && j < p->columns);
                g_assert_cmpint(p->query[i] == p->record[j] && p->counts[p->query[i]], ==,
                                kind == '=');
                worth = after_pair(p, worth, i, j);
            }
            g_assert_true(kind == '=' || kind == 'X');
        }
        cigar = end + 1;
    }
    g_assert_cmpint(i, ==, p->rows);
    g_assert_cmpint(j, ==, p->columns);
    return worth;
}
