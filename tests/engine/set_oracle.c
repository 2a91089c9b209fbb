/* The definitions, word for word. */
#include "set_oracle.h"

#include <stdlib.h>
#include <string.h>

#include "../reverse_complement.h"

static OracleProblem
problem_of(const SetProblem *p, const char *target, const char *query)
{
    return (OracleProblem){.a = target,
                           .b = query,
                           .m = (int)strlen(target),
                           .n = (int)strlen(query),
                           .match = p->match,
                           .mismatch = p->mismatch,
                           .open = p->open,
                           .extend = p->extend};
}

/* The best alignment between bases from .. to - 1 (from 0) of both; its score is 0 if there is
 * none. */
static SetAlignment
best_of_box(const SetProblem *p, bool minus, int t0, int t1, int q0, int q1)
{
    g_autofree char *target = g_strndup(p->target + t0, (gsize)(t1 - t0));
    g_autofree char *forward = g_strndup(p->query + q0, (gsize)(q1 - q0));
    g_autofree char *query = minus ? reverse_complement(forward) : g_strdup(forward);
    const OracleProblem problem = problem_of(p, target, query);
    Oracle oracle;
    int i0, j0;
    oracle_solve(&problem, &oracle);
    SetAlignment found = {.minus = minus, .score = oracle.score};
    found.steps = path_oracle(&problem, &oracle, false, &i0, &j0);
    if (found.steps != NULL) {
        found.target_start = t0 + i0 + 1;
        found.target_end = t0 + oracle.i;
        found.query_start = minus ? q1 - oracle.j + 1 : q0 + j0 + 1;
        found.query_end = minus ? q1 - j0 : q0 + oracle.j;
    }
    oracle_clear(&oracle);
    return found;
}

/* Of equal scores plus goes first, then the first end in the target, then in the query as read. */
static bool
goes_before(const SetAlignment *a, const SetAlignment *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    if (a->minus != b->minus)
        return b->minus;
    if (a->target_end != b->target_end)
        return a->target_end < b->target_end;
    return a->minus ? a->query_start > b->query_start : a->query_end < b->query_end;
}

/* The first base at or after `from` that is taken, or is not, or the length. */
static int
next_base(const bool *taken, int length, int from, bool wanted)
{
    while (from < length && taken[from] != wanted)
        from++;
    return from;
}

static SetAlignment
best_of_rest(const SetProblem *p, const bool *taken_target, const bool *taken_query)
{
    const int m = (int)strlen(p->target), n = (int)strlen(p->query);
    SetAlignment best = {0};
    for (int strand = 0; strand < 2; strand++)
        for (int t1, t0 = next_base(taken_target, m, 0, false); t0 < m;
             t0 = next_base(taken_target, m, t1, false)) {
            t1 = next_base(taken_target, m, t0, true);
            for (int q1, q0 = next_base(taken_query, n, 0, false); q0 < n;
                 q0 = next_base(taken_query, n, q1, false)) {
                q1 = next_base(taken_query, n, q0, true);
                if (strand == 0 ? !p->plus : !p->minus)
                    continue;
                SetAlignment one = best_of_box(p, strand == 1, t0, t1, q0, q1);
                if (one.score > 0 && goes_before(&one, &best)) {
                    free(best.steps);
                    best = one;
                } else {
                    free(one.steps);
                }
            }
        }
    return best;
}

/* What the first columns of an alignment score: scores[p] of p columns. */
static int64_t *
prefix_scores(const SetProblem *p, const SetAlignment *whole)
{
    const int n = (int)strlen(whole->steps);
    g_autofree char *stretch = g_strndup(p->query + whole->query_start - 1,
                                         (gsize)(whole->query_end - whole->query_start + 1));
    g_autofree char *query = whole->minus ? reverse_complement(stretch) : g_strdup(stretch);
    const OracleProblem problem = problem_of(p, p->target + whole->target_start - 1, query);
    int64_t *scores = g_new0(int64_t, n + 1);
    for (int k = 0, i = 0, j = 0; k < n; k++) {
        const char step = whole->steps[k];
        i += step != 'C';
        j += step != 'R';
        scores[k + 1] = scores[k];
        if (step == 'M')
            scores[k + 1] += oracle_pair(&problem, i, j);
        else
            scores[k + 1] -= p->extend + (k > 0 && whole->steps[k - 1] == step ? 0 : p->open);
    }
    return scores;
}

/* docs/proofs/alignment.md, "Pieces". */
static bool
ends_at(const int64_t *c, int n, int p, int64_t x)
{
    bool falls = p == n;
    for (int k = p + 1; k <= n && c[k] <= c[p] && !falls; k++)
        falls = c[k] < c[p] - x;
    for (int k = p - 1; k >= 0 && falls; k--) {
        if (c[k] >= c[p])
            return false;
        if (c[k] < c[p] - x)
            break;
    }
    return falls && p > 0;
}

static bool
begins_at(const int64_t *c, int n, int p, int64_t x)
{
    bool fell = p == 0;
    for (int k = p - 1; k >= 0 && c[k] >= c[p] && !fell; k--)
        fell = c[k] > c[p] + x;
    for (int k = p + 1; k <= n && fell; k++) {
        if (c[k] <= c[p])
            return false;
        if (c[k] > c[p] + x)
            break;
    }
    return fell && p < n;
}

static SetAlignment
piece_of(const SetAlignment *whole, const int64_t *scores, int from, int to)
{
    SetAlignment piece = {.minus = whole->minus, .score = scores[to] - scores[from]};
    int t0 = whole->target_start - 1, q0 = 0, t = 0, q = 0;
    for (int k = 0; k < from; k++) {
        t0 += whole->steps[k] != 'C';
        q0 += whole->steps[k] != 'R';
    }
    for (int k = from; k < to; k++) {
        t += whole->steps[k] != 'C';
        q += whole->steps[k] != 'R';
    }
    piece.target_start = t0 + 1;
    piece.target_end = t0 + t;
    piece.query_start = whole->minus ? whole->query_end - q0 - q + 1 : whole->query_start + q0;
    piece.query_end = piece.query_start + q - 1;
    piece.steps = strndup(whole->steps + from, (size_t)(to - from));
    return piece;
}

static gint
compare_pieces(gconstpointer one, gconstpointer other)
{
    const SetAlignment *a = one, *b = other;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->target_start - b->target_start;
}

/* The pieces of an alignment, by score. Frees it. */
static GArray *
cut(const SetProblem *p, SetAlignment *whole)
{
    GArray *pieces = g_array_new(FALSE, FALSE, sizeof(SetAlignment));
    const int n = (int)strlen(whole->steps);
    g_autofree int64_t *scores = prefix_scores(p, whole);
    int from = 0;
    for (int k = 0; k <= n && p->max_drop >= 0; k++) {
        if (begins_at(scores, n, k, p->max_drop))
            from = k;
        if (ends_at(scores, n, k, p->max_drop)) {
            const SetAlignment piece = piece_of(whole, scores, from, k);
            g_array_append_val(pieces, piece);
        }
    }
    if (p->max_drop < 0)
        g_array_append_val(pieces, *whole);
    else
        free(whole->steps);
    g_array_sort(pieces, compare_pieces);
    return pieces;
}

GArray *
set_oracle_one_to_one(const SetProblem *p)
{
    GArray *set = g_array_new(FALSE, FALSE, sizeof(SetAlignment));
    g_autofree bool *taken_target = g_new0(bool, strlen(p->target) + 1);
    g_autofree bool *taken_query = g_new0(bool, strlen(p->query) + 1);
    for (;;) {
        SetAlignment best = best_of_rest(p, taken_target, taken_query);
        if (best.score < p->least) {
            free(best.steps);
            return set;
        }
        g_autoptr(GArray) pieces = cut(p, &best);
        for (guint k = 0; k < pieces->len; k++) {
            const SetAlignment *piece = &g_array_index(pieces, SetAlignment, k);
            if (p->most > 0 && (int)set->len == p->most) {
                for (; k < pieces->len; k++)
                    free(g_array_index(pieces, SetAlignment, k).steps);
                return set;
            }
            g_array_append_val(set, *piece);
            for (int b = piece->target_start; b <= piece->target_end; b++)
                taken_target[b - 1] = true;
            for (int b = piece->query_start; b <= piece->query_end; b++)
                taken_query[b - 1] = true;
        }
    }
}

void
set_oracle_free(GArray *set)
{
    for (guint k = 0; k < set->len; k++)
        free(g_array_index(set, SetAlignment, k).steps);
    g_array_unref(set);
}
