/* Full-matrix alignment as a textbook writes it. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* Whether two bases match: both the same one of A, C, G, T. U is T, and case is ignored. */
static bool
equal_bases(char x, char y)
{
    x = x == 'u' || x == 'U' ? 'T' : (char)(x & ~0x20);
    y = y == 'u' || y == 'U' ? 'T' : (char)(y & ~0x20);
    return x == y && strchr("ACGT", x) != NULL;
}

int64_t
oracle_pair(const OracleProblem *p, int i, int j)
{
    return equal_bases(p->a[i - 1], p->b[j - 1]) ? p->match : -p->mismatch;
}

static int64_t
larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static void
solve_borders(const OracleProblem *p, Oracle *o)
{
    for (int i = 0; i <= p->m; i++)
        for (int j = 0; j <= p->n; j++) {
            if (i > 0 && j > 0)
                break;
            int k = i + j;
            int64_t gap = k == 0 ? 0 : p->open + k * p->extend;
            o->h[i * o->width + j] = larger(0, p->corner - gap);
            o->e[i * o->width + j] = o->f[i * o->width + j] = ORACLE_MINUS_INFINITY;
            o->e_of_pairs[i * o->width + j] = ORACLE_MINUS_INFINITY;
        }
}

void
oracle_solve(const OracleProblem *p, Oracle *o)
{
    size_t cells = (size_t)(p->m + 1) * (p->n + 1);
    *o = (Oracle){.width = p->n + 1};
    o->h = malloc(cells * sizeof *o->h);
    o->e = malloc(cells * sizeof *o->e);
    o->f = malloc(cells * sizeof *o->f);
    o->e_of_pairs = malloc(cells * sizeof *o->e_of_pairs);
    if (o->h == NULL || o->e == NULL || o->f == NULL || o->e_of_pairs == NULL)
        abort();
    solve_borders(p, o);
    for (int i = 1; i <= p->m; i++) {
        int64_t paired = o->h[i * o->width]; /* of the cell to the left */
        for (int j = 1; j <= p->n; j++) {
            int here = i * o->width + j, left = here - 1, up = here - o->width;
            o->e[here] = larger(o->h[left] - p->open - p->extend, o->e[left] - p->extend);
            o->f[here] = larger(o->h[up] - p->open - p->extend, o->f[up] - p->extend);
            int64_t pair = oracle_pair(p, i, j);
            o->e_of_pairs[here] =
                larger(paired - p->open - p->extend, o->e_of_pairs[left] - p->extend);
            paired = o->h[up - 1] + pair;
            o->h[here] = larger(0, larger(paired, larger(o->e[here], o->f[here])));
        }
    }
    for (int i = 1; i <= p->m; i++)
        for (int j = 1; j <= p->n; j++) {
            int64_t h = o->h[i * o->width + j];
            bool before = p->columns_first ? j < o->j : false;
            if (h > o->score || (h == o->score && h > 0 && before)) {
                o->score = h;
                o->i = i;
                o->j = j;
            }
        }
}

void
oracle_clear(Oracle *o)
{
    free(o->h);
    free(o->e);
    free(o->f);
    free(o->e_of_pairs);
}

int64_t
oracle_score_by_every_gap(const OracleProblem *p)
{
    int width = p->n + 1;
    int64_t *h = calloc((size_t)(p->m + 1) * width, sizeof *h), best = 0;
    if (h == NULL)
        abort();
    for (int i = 1; i <= p->m; i++)
        for (int j = 1; j <= p->n; j++) {
            int64_t pair = oracle_pair(p, i, j);
            int64_t value = larger(0, h[(i - 1) * width + j - 1] + pair);
            for (int k = 1; k <= i; k++)
                value = larger(value, h[(i - k) * width + j] - p->open - k * p->extend);
            for (int k = 1; k <= j; k++)
                value = larger(value, h[i * width + j - k] - p->open - k * p->extend);
            h[i * width + j] = value;
            best = larger(best, value);
        }
    free(h);
    return best;
}

void
oracle_gains(const OracleProblem *p, int64_t *gains)
{
    const int width = p->n + 1;
    int64_t *down = calloc((size_t)width, sizeof *down); /* in a gap down that is open, by column */
    if (down == NULL)
        abort();
    for (int i = p->m; i >= 0; i--) {
        int64_t right = 0; /* the same, to the right */
        for (int j = p->n; j >= 0; j--) {
            const bool pairs = i < p->m && j < p->n;
            const int64_t on_down = i < p->m ? down[j] - p->extend : 0;
            const int64_t on_right = j < p->n ? right - p->extend : 0;
            int64_t value = larger(0, larger(on_down, on_right) - p->open);
            if (pairs)
                value =
                    larger(value, gains[(i + 1) * width + j + 1] + oracle_pair(p, i + 1, j + 1));
            gains[i * width + j] = value;
            down[j] = larger(value, on_down);
            right = larger(value, on_right);
        }
    }
    free(down);
}

void
oracle_gains_by_every_gap(const OracleProblem *p, int64_t *gains)
{
    int width = p->n + 1;
    for (int i = p->m; i >= 0; i--)
        for (int j = p->n; j >= 0; j--) {
            int64_t value = 0;
            if (i < p->m && j < p->n)
                value =
                    larger(value, gains[(i + 1) * width + j + 1] + oracle_pair(p, i + 1, j + 1));
            for (int k = 1; i + k <= p->m; k++)
                value = larger(value, gains[(i + k) * width + j] - p->open - k * p->extend);
            for (int k = 1; j + k <= p->n; k++)
                value = larger(value, gains[i * width + j + k] - p->open - k * p->extend);
            gains[i * width + j] = value;
        }
}
