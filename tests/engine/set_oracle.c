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

/* Full matrices in which some pairs are not allowed. */
typedef struct {
    OracleProblem problem;
    bool *masked; /* (m + 1) x (n + 1) */
    int64_t *h, *e, *f;
} Masked;

static int64_t
larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t
pair_value(const Masked *o, int i, int j)
{
    const int width = o->problem.n + 1;
    return o->masked[i * width + j]
               ? ORACLE_MINUS_INFINITY
               : o->h[(i - 1) * width + j - 1] + oracle_pair(&o->problem, i, j);
}

/* Finds the first end with the highest score, which is 0 if there is none. */
static int64_t
solve_masked(Masked *o, int *end_i, int *end_j)
{
    const OracleProblem *p = &o->problem;
    const int width = p->n + 1;
    int64_t best = 0;
    for (int i = 0; i <= p->m; i++)
        for (int j = 0; j <= p->n; j++) {
            const int here = i * width + j;
            o->h[here] = 0;
            o->e[here] = o->f[here] = ORACLE_MINUS_INFINITY;
            if (i == 0 || j == 0)
                continue;
            o->e[here] = larger(o->h[here - 1] - p->open, o->e[here - 1]) - p->extend;
            o->f[here] = larger(o->h[here - width] - p->open, o->f[here - width]) - p->extend;
            o->h[here] = larger(larger(0, pair_value(o, i, j)), larger(o->e[here], o->f[here]));
            if (o->h[here] > best) {
                best = o->h[here];
                *end_i = i;
                *end_j = j;
            }
        }
    return best;
}

/* The walk back from an end, and the mask of its pairs. Rows are the target's. */
static char *
walk_masked(Masked *o, int *i, int *j)
{
    const OracleProblem *p = &o->problem;
    const int width = p->n + 1;
    GString *steps = g_string_new(NULL);
    char state = 'H';
    while (state != 'H' || o->h[*i * width + *j] > 0) {
        const int here = *i * width + *j;
        if (state == 'H' && o->h[here] == pair_value(o, *i, *j)) {
            g_string_prepend_c(steps, 'M');
            o->masked[here] = true;
            --*i;
            --*j;
        } else if (state == 'H') {
            state = o->h[here] == o->e[here] ? 'E' : 'F';
        } else if (state == 'E') {
            g_string_prepend_c(steps, 'C');
            --*j;
            if (o->e[here] == o->h[here - 1] - p->open - p->extend)
                state = 'H';
        } else {
            g_string_prepend_c(steps, 'R');
            --*i;
            if (o->f[here] == o->h[here - width] - p->open - p->extend)
                state = 'H';
        }
    }
    return g_string_free(steps, FALSE);
}

/* Appends all alignments of a strand. */
static void
add_strand(const SetProblem *p, bool minus, GArray *set)
{
    g_autofree char *query = minus ? reverse_complement(p->query) : g_strdup(p->query);
    const OracleProblem problem = problem_of(p, p->target, query);
    const gsize cells = (gsize)(problem.m + 1) * (gsize)(problem.n + 1);
    Masked o = {.problem = problem,
                .masked = g_new0(bool, cells),
                .h = g_new(int64_t, cells),
                .e = g_new(int64_t, cells),
                .f = g_new(int64_t, cells)};
    for (int i = 1; p->self && i <= problem.m; i++)
        for (int j = 1; j <= problem.n; j++)
            o.masked[i * (problem.n + 1) + j] = (minus ? problem.n - j + 1 : j) <= i;
    for (int count = 0; p->most == 0 || count < p->most; count++) {
        int i = 0, j = 0;
        SetAlignment a = {.minus = minus, .score = solve_masked(&o, &i, &j)};
        if (a.score < p->least)
            break;
        a.target_end = i;
        a.query_end = minus ? problem.n : j;
        a.query_start = minus ? problem.n - j + 1 : 0;
        a.steps = walk_masked(&o, &i, &j);
        a.target_start = i + 1;
        if (minus)
            a.query_end = problem.n - j;
        else
            a.query_start = j + 1;
        g_array_append_val(set, a);
    }
    g_free(o.masked);
    g_free(o.h);
    g_free(o.e);
    g_free(o.f);
}

GArray *
set_oracle_all(const SetProblem *p)
{
    GArray *plus = g_array_new(FALSE, FALSE, sizeof(SetAlignment));
    GArray *minus = g_array_new(FALSE, FALSE, sizeof(SetAlignment));
    GArray *set = g_array_new(FALSE, FALSE, sizeof(SetAlignment));
    if (p->plus)
        add_strand(p, false, plus);
    if (p->minus)
        add_strand(p, true, minus);
    for (guint a = 0, b = 0; a < plus->len || b < minus->len;) {
        const SetAlignment *one = a < plus->len ? &g_array_index(plus, SetAlignment, a) : NULL;
        const SetAlignment *other = b < minus->len ? &g_array_index(minus, SetAlignment, b) : NULL;
        const bool first = other == NULL || (one != NULL && one->score >= other->score);
        const SetAlignment *next = first ? one : other;
        a += first;
        b += !first;
        if (p->most > 0 && (int)set->len == p->most)
            free(next->steps);
        else
            g_array_append_val(set, *next);
    }
    g_array_unref(plus);
    g_array_unref(minus);
    return set;
}

/* The order of rounds: score, plus, target, its end, query as read, its end as read. */
static bool
record_goes_before(const SetAlignment *a, const SetAlignment *b)
{
    if (a->score != b->score || a->minus != b->minus)
        return a->score != b->score ? a->score > b->score : b->minus;
    if (a->target_record != b->target_record)
        return a->target_record < b->target_record;
    if (a->target_end != b->target_end || a->query_record == b->query_record)
        return goes_before(a, b);
    return (a->query_record < b->query_record) != a->minus;
}

static bool **
nothing_taken(char **records)
{
    const int n = (int)g_strv_length(records);
    bool **taken = g_new0(bool *, n + 1);
    for (int k = 0; k < n; k++)
        taken[k] = g_new0(bool, strlen(records[k]) + 1);
    return taken;
}

/* The best of what is left of all pairs of records. */
static SetAlignment
best_of_records(const SetProblem *p, char **targets, char **queries, bool **taken_targets,
                bool **taken_queries)
{
    SetAlignment best = {0};
    for (int t = 0; targets[t] != NULL; t++)
        for (int q = 0; queries[q] != NULL; q++) {
            SetProblem pair = *p;
            pair.target = targets[t];
            pair.query = queries[q];
            SetAlignment one = best_of_rest(&pair, taken_targets[t], taken_queries[q]);
            one.target_record = t;
            one.query_record = q;
            if (one.score > 0 && record_goes_before(&one, &best)) {
                free(best.steps);
                best = one;
            } else {
                free(one.steps);
            }
        }
    return best;
}

GArray *
set_oracle_one_to_one_many(const SetProblem *p, char **targets, char **queries)
{
    GArray *set = g_array_new(FALSE, FALSE, sizeof(SetAlignment));
    bool **taken_targets = nothing_taken(targets), **taken_queries = nothing_taken(queries);
    for (bool more = true; more;) {
        SetAlignment best = best_of_records(p, targets, queries, taken_targets, taken_queries);
        more = best.score >= p->least;
        if (!more) {
            free(best.steps);
            break;
        }
        SetProblem pair = *p;
        pair.target = targets[best.target_record];
        pair.query = queries[best.query_record];
        const int target = best.target_record, query = best.query_record;
        g_autoptr(GArray) pieces = cut(&pair, &best);
        for (guint k = 0; k < pieces->len; k++) {
            SetAlignment *piece = &g_array_index(pieces, SetAlignment, k);
            more = more && (p->most == 0 || (int)set->len < p->most);
            if (!more) {
                free(piece->steps);
                continue;
            }
            piece->target_record = target;
            piece->query_record = query;
            g_array_append_val(set, *piece);
            for (int b = piece->target_start; b <= piece->target_end; b++)
                taken_targets[target][b - 1] = true;
            for (int b = piece->query_start; b <= piece->query_end; b++)
                taken_queries[query][b - 1] = true;
        }
    }
    for (int t = 0; targets[t] != NULL; t++)
        g_free(taken_targets[t]);
    for (int q = 0; queries[q] != NULL; q++)
        g_free(taken_queries[q]);
    g_free(taken_targets);
    g_free(taken_queries);
    return set;
}

GArray *
set_oracle_all_many(const SetProblem *p, char **targets, char **queries)
{
    GArray *set = g_array_new(FALSE, FALSE, sizeof(SetAlignment));
    for (int t = 0; targets[t] != NULL; t++)
        for (int q = 0; queries[q] != NULL; q++) {
            SetProblem pair = *p;
            pair.target = targets[t];
            pair.query = queries[q];
            g_autoptr(GArray) list = set_oracle_all(&pair);
            for (guint k = 0; k < list->len; k++) {
                SetAlignment one = g_array_index(list, SetAlignment, k);
                guint at = set->len; /* behind all that do not follow it */
                one.target_record = t;
                one.query_record = q;
                while (at > 0) {
                    const SetAlignment *before = &g_array_index(set, SetAlignment, at - 1);
                    if (before->score > one.score ||
                        (before->score == one.score && before->minus <= one.minus))
                        break;
                    at--;
                }
                g_array_insert_val(set, at, one);
            }
        }
    while (p->most > 0 && (int)set->len > p->most) {
        free(g_array_index(set, SetAlignment, set->len - 1).steps);
        g_array_set_size(set, set->len - 1);
    }
    return set;
}

void
set_oracle_free(GArray *set)
{
    for (guint k = 0; k < set->len; k++)
        free(g_array_index(set, SetAlignment, k).steps);
    g_array_unref(set);
}
