/*
 * All alignments of circular records against brute force: full matrices of all turns with masked pairs,
 * by the definition in docs/proofs/circular.md.
 *
 *     test_circular_all [SEED]      SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include <stdlib.h>
#include <string.h>

#include "../case_count.h"
#include "../reverse_complement.h"
#include "../unit/related.h"
#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "circular_trial.h"
#include "compare/align_set.h"
#include "path_oracle.h"

enum {
    CASES = 80,
    RESUMED_CASES = 40,
    MANY_CASES = 40,
    MAP_CASES = 12,
};

static guint32 first_seed = 1;

/* A strand of a trial: the query as it is read. */
typedef struct {
    const CircularTrial *trial;
    bool minus, self;
    int m, n;             /* bases of the records */
    int across;           /* columns of a window, and one more */
    int rows, columns;    /* turns of each */
    char *target, *query; /* doubled */
    bool *masked;         /* m x n: pairs of bases of the records */
    int64_t *h, *e, *f;
} Strand;

/* A rectangle of the doubled sequences, and the first end with the best score in it. */
typedef struct {
    int t0, q0, height, width;
    int64_t score;
    int i, j;
} Window;

typedef struct {
    int64_t score;
    bool minus;
    char *text;
} Wanted;

static int64_t
larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static bool *
mask_of(const Strand *s, const Window *w, int i, int j)
{
    return &s->masked[(w->t0 + i - 1) % s->m * s->n + (w->q0 + j - 1) % s->n];
}

/* Of a circle with itself: how much further on the base of the query lies than that of the target. */
static int
distance_of(const Strand *s, const Window *w, int i, int j)
{
    return (s->minus ? 2 * s->n + 1 - (w->q0 + j) : w->q0 + j) - (w->t0 + i);
}

static bool
is_masked(const Strand *s, const Window *w, int i, int j)
{
    const int distance = s->self ? distance_of(s, w, i, j) : 1;
    return *mask_of(s, w, i, j) || distance <= 0 || (s->self && distance >= s->n);
}

/* Masks a pair, and that of the same bases the other way round. */
static void
mask(const Strand *s, const Window *w, int i, int j)
{
    const int row = (w->t0 + i - 1) % s->m, column = (w->q0 + j - 1) % s->n;
    s->masked[row * s->n + column] = true;
    if (s->self && s->minus)
        s->masked[(s->n - 1 - column) * s->n + s->n - 1 - row] = true;
    else if (s->self)
        s->masked[column * s->n + row] = true;
}

static int64_t
pair_value(const Strand *s, const Window *w, int i, int j)
{
    const CsScoring *scoring = &s->trial->options.scoring;
    const OracleProblem problem = {.a = s->target + w->t0,
                                   .b = s->query + w->q0,
                                   .match = scoring->match,
                                   .mismatch = scoring->mismatch};
    return is_masked(s, w, i, j) ? ORACLE_MINUS_INFINITY
                                 : s->h[(i - 1) * s->across + j - 1] + oracle_pair(&problem, i, j);
}

static void
solve(const Strand *s, Window *w)
{
    const CsScoring *scoring = &s->trial->options.scoring;
    const int across = s->across;
    w->score = 0;
    for (int i = 0; i <= w->height; i++)
        for (int j = 0; j <= w->width; j++) {
            const int here = i * across + j;
            s->h[here] = 0;
            s->e[here] = s->f[here] = ORACLE_MINUS_INFINITY;
            if (i == 0 || j == 0)
                continue;
            s->e[here] =
                larger(s->h[here - 1] - scoring->gap_open, s->e[here - 1]) - scoring->gap_extend;
            s->f[here] = larger(s->h[here - across] - scoring->gap_open, s->f[here - across]) -
                         scoring->gap_extend;
            s->h[here] = larger(larger(0, pair_value(s, w, i, j)), larger(s->e[here], s->f[here]));
            if (s->h[here] > w->score) {
                w->score = s->h[here];
                w->i = i;
                w->j = j;
            }
        }
}

/* The walk back from the end of a window that was solved; masks its pairs. i and j become the start. */
static char *
walk(const Strand *s, const Window *w, int *i, int *j)
{
    const CsScoring *scoring = &s->trial->options.scoring;
    const int across = s->across;
    GString *steps = g_string_new(NULL);
    char state = 'H';
    *i = w->i;
    *j = w->j;
    while (state != 'H' || s->h[*i * across + *j] > 0) {
        const int here = *i * across + *j;
        if (state == 'H' && s->h[here] == pair_value(s, w, *i, *j)) {
            g_string_prepend_c(steps, 'M');
            mask(s, w, *i, *j);
            --*i;
            --*j;
        } else if (state == 'H') {
            state = s->h[here] == s->e[here] ? 'E' : 'F';
        } else if (state == 'E') {
            g_string_prepend_c(steps, 'C');
            --*j;
            if (s->e[here] == s->h[here - 1] - scoring->gap_open - scoring->gap_extend)
                state = 'H';
        } else {
            g_string_prepend_c(steps, 'R');
            --*i;
            if (s->f[here] == s->h[here - across] - scoring->gap_open - scoring->gap_extend)
                state = 'H';
        }
    }
    return g_string_free(steps, FALSE);
}

static bool
goes_before(const Window *a, const Window *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    if (a->t0 + a->i != b->t0 + b->i)
        return a->t0 + a->i < b->t0 + b->i;
    return a->q0 + a->j < b->q0 + b->j;
}

/* The same of a circle with itself, which both sides begin at the same base. */
static Window
best_turn(const Strand *s)
{
    Window best = {.score = 0};
    for (int a = 0; a < s->n; a++) {
        Window one = {a, s->minus ? s->n - a : a, s->n, s->n, 0, 0, 0};
        solve(s, &one);
        if (one.score > 0 && goes_before(&one, &best))
            best = one;
    }
    return best;
}

/* The first end of all turns. */
static Window
best_window(const Strand *s)
{
    Window best = {.score = 0};
    if (s->self)
        return best_turn(s);
    for (int a = 0; a < s->rows; a++)
        for (int c = 0; c < s->columns; c++) {
            Window one = {a, c, s->m, s->n, 0, 0, 0};
            solve(s, &one);
            if (one.score > 0 && goes_before(&one, &best))
                best = one;
        }
    return best;
}

/* The next alignment of a strand, as the library describes it: starts in the records, the query's on its
 * forward strand. */
static Wanted
take_next(const Strand *s, const Window *best)
{
    const int end_t = best->t0 + best->i, end_q = best->q0 + best->j;
    Window w = {.t0 = MAX(0, end_t - s->m), .q0 = MAX(0, end_q - s->n)};
    if (s->self) /* on plus all that can end there lies in one turn, on minus between the diagonals */
        w.t0 = w.q0 = s->minus ? 0 : MAX(0, end_q - s->n);
    w.height = end_t - w.t0;
    w.width = end_q - w.q0;
    solve(s, &w);
    g_assert_true(w.score == best->score && w.i == w.height && w.j == w.width);
    int i, j;
    g_autofree char *steps = walk(s, &w, &i, &j);
    const int all =
        s->columns > 1 || s->trial->options.circular != CS_CIRCULAR_TARGET ? 2 * s->n : s->n;
    int t = w.t0 + i + 1, q = s->minus ? all - end_q + 1 : w.q0 + j + 1;
    const int over_t = end_t - t, over_q = end_q - (w.q0 + j + 1);
    t -= t > s->m ? s->m : 0;
    q -= q > s->n ? s->n : 0;
    return (Wanted){w.score, s->minus,
                    g_strdup_printf("%c score %d target %d-%d query %d-%d %s", s->minus ? '-' : '+',
                                    (int)w.score, t, t + over_t, q, q + over_q, steps)};
}

/* Appends the alignments of a strand that score enough, at most so many. */
static void
add_strand(const CircularTrial *trial, bool minus, const CsAlignSetOptions *set, GArray *wanted)
{
    const int m = (int)trial->target->len, n = (int)trial->query->len;
    const gsize cells = (gsize)(2 * m + 1) * (gsize)(2 * n + 1);
    g_autofree char *query =
        minus ? reverse_complement(trial->query->str) : g_strdup(trial->query->str);
    g_autofree char *doubled[] = {g_strconcat(trial->target->str, trial->target->str, NULL)};
    g_autofree char *doubled_query = g_strconcat(query, query, NULL);
    g_autofree bool *masked = g_new0(bool, cells);
    g_autofree int64_t *h = g_new(int64_t, cells), *e = g_new(int64_t, cells),
                       *f = g_new(int64_t, cells);
    const CsCircular circular = trial->options.circular;
    const Strand s = {trial,
                      minus,
                      set->self,
                      m,
                      n,
                      2 * n + 1,
                      circular != CS_CIRCULAR_QUERY ? m : 1,
                      circular != CS_CIRCULAR_TARGET ? n : 1,
                      doubled[0],
                      doubled_query,
                      masked,
                      h,
                      e,
                      f};
    for (gint64 count = 0; set->most == 0 || count < set->most; count++) {
        const Window best = best_window(&s);
        if (best.score < MAX(1, set->min_score))
            return;
        const Wanted one = take_next(&s, &best);
        g_array_append_val(wanted, one);
    }
}

/* By score, plus first; sorting is stable. */
static gint
compare_wanted(gconstpointer one, gconstpointer other)
{
    const Wanted *a = one, *b = other;
    return a->score != b->score ? (a->score > b->score ? -1 : 1) : (int)a->minus - (int)b->minus;
}

static void
wanted_clear(gpointer data)
{
    g_free(((Wanted *)data)->text);
}

typedef struct {
    guint over, several, minus, none, most;
} Counts;

/* Stopped again and again; even runs have tiles of another size. */
static GPtrArray *
find_stopping(const CircularTrial *trial, const CsSequence *target, const CsSequence *query,
              const CsAlignSetOptions *set, const CsSetSizes *sizes, CircularStops *stops)
{
    GPtrArray *found = NULL;
    circular_stops_init(stops, trial);
    for (gboolean stopped = TRUE; stopped;) {
        g_autoptr(GError) error = NULL;
        CsSetSizes now = *sizes;
        circular_stops_begin(stops);
        now.small = stops->runs % 3 == 0 ? 0 : 1; /* all boxes have a checkpoint */
        now.masked.side += stops->runs % 4 == 0;
        const CsAlignSetOptions limits = circular_stops_limits(stops, set);
        found = cs_set_find(target, query, &stops->options, &limits, &now, &error);
        stopped = circular_stops_end(stops, error);
        if (!stopped && (limits.min_score != set->min_score || limits.most != set->most)) {
            g_clear_pointer(&found, g_ptr_array_unref);
            stopped = TRUE;
        }
    }
    circular_stops_clear(stops);
    return found;
}

/* Marks the bases of a stretch of a record. Returns how many were not marked, in every copy. */
static gint64
mark_bases(guint8 *marked, gint64 length, gint64 from, gint64 to, gboolean keep)
{
    gint64 fresh = 0;
    for (gint64 at = from; at <= to; at++) {
        fresh += !marked[(at - 1) % length];
        marked[(at - 1) % length] |= keep;
    }
    return fresh;
}

/* What the set covers, what is a duplication and what is secondary, base by base. */
static void
check_summary(const CircularTrial *trial, const GPtrArray *found)
{
    const gint64 m = (gint64)trial->target->len, n = (gint64)trial->query->len;
    g_autofree guint8 *rows = g_new0(guint8, m), *bases = g_new0(guint8, n),
                      *primary = g_new0(guint8, n);
    g_autofree gboolean *secondary = cs_align_set_secondary(found);
    CsAlignSetSummary summary;
    gint64 covered[2] = {0}, duplications = 0;
    cs_align_set_summarise(found, &summary);
    for (guint k = 0; k < found->len; k++) {
        const CsAlignmentSummary *s = cs_alignment_get_summary(g_ptr_array_index(found, k));
        const gint64 all[2] = {s->target_end - s->target_start + 1,
                               s->query_end - s->query_start + 1};
        const gint64 fresh[2] = {mark_bases(rows, m, s->target_start, s->target_end, TRUE),
                                 mark_bases(bases, n, s->query_start, s->query_end, TRUE)};
        const gint64 alone = mark_bases(primary, n, s->query_start, s->query_end, FALSE);
        duplications += 2 * fresh[0] < all[0] || 2 * fresh[1] < all[1];
        for (int side = 0; side < 2; side++)
            covered[side] += fresh[side];
        g_assert_cmpint(secondary[k], ==, 2 * alone < all[1]);
        if (2 * alone >= all[1])
            mark_bases(primary, n, s->query_start, s->query_end, TRUE);
    }
    g_assert_cmpint(summary.target_covered, ==, covered[0]);
    g_assert_cmpint(summary.query_covered, ==, covered[1]);
    g_assert_cmpint(summary.duplications, ==, duplications);
}

/* stops: NULL, or it is stopped and resumed. */
static void
run_trial(const CircularTrial *trial, const CsAlignSetOptions *set, const CsSetSizes *sizes,
          CircularStops *stops, Counts *counts)
{
    const CsStrand strand = trial->options.strand;
    g_autoptr(CsSequence) target = cs_sequence_new("t", trial->target->str, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", trial->query->str, -1, NULL);
    g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(Wanted));
    g_autoptr(GError) error = NULL;
    g_array_set_clear_func(wanted, wanted_clear);
    for (int minus = 0; minus < 2; minus++)
        if (strand == CS_STRAND_BOTH || strand == (CsStrand)minus)
            add_strand(trial, minus != 0, set, wanted);
    g_array_sort(wanted, compare_wanted);
    const guint count = set->most > 0 ? (guint)MIN(wanted->len, set->most) : wanted->len;
    g_autoptr(GPtrArray) found =
        stops != NULL ? find_stopping(trial, target, query, set, sizes, stops)
                      : cs_set_find(target, query, &trial->options, set, sizes, &error);
    if (error != NULL)
        g_error("%s: %s", trial->what, error->message);
    for (guint k = 0; k < MAX(found->len, count); k++) {
        g_autofree char *here =
            k < found->len ? circular_describe(g_ptr_array_index(found, k)) : g_strdup("none");
        const char *there = k < count ? g_array_index(wanted, Wanted, k).text : "none";
        if (strcmp(here, there) != 0)
            g_error("%s, least %d, most %d: alignment %u is %s, not %s", trial->what,
                    (int)set->min_score, (int)set->most, k + 1, here, there);
        const CsAlignmentSummary *s = cs_alignment_get_summary(g_ptr_array_index(found, k));
        counts->over += k > 0 && (s->target_end > (gint64)trial->target->len ||
                                  s->query_end > (gint64)trial->query->len);
        counts->minus += s->strand == CS_STRAND_MINUS;
    }
    check_summary(trial, found);
    counts->several += count > 1;
    counts->none += count == 0;
    counts->most = MAX(counts->most, count);
}

static void
run_trials(guint cases, gboolean self, gboolean stopping, Counts *counts)
{
    guint resumed = 0;
    for (guint k = 0; k < cases; k++) {
        CircularTrial trial;
        circular_trial_init(&trial, first_seed + k, FALSE);
        GRand *rand = trial.rand;
        const CsScore match = trial.options.scoring.match;
        const gboolean both = trial.options.circular == CS_CIRCULAR_BOTH;
        if (k % 8 != 0) /* threads take longer to begin than the rest */
            trial.options.threads = 1;
        if (self)
            circular_alone(&trial, 40);
        else if (k % 3 != 0)
            circular_rearrange(&trial, both ? 20 : 50);
        CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ALL,
                                 .self = self,
                                 .min_score = match * g_rand_int_range(rand, 2, 9),
                                 .max_drop = -1};
        if (g_rand_boolean(rand))
            set.most = g_rand_int_range(rand, 1, 6);
        const CsSetSizes sizes = {
            .far = g_rand_int_range(rand, 0, 3) == 0 ? match * g_rand_int_range(rand, 1, 9) : 0,
            .masked = {.side = g_rand_int_range(rand, 1, 40),
                       .unit = g_rand_boolean(rand) ? g_rand_int_range(rand, 1, 20) : -1,
                       .strip = g_rand_int_range(rand, 1, 20),
                       .near = g_rand_int_range(rand, 1, 9),
                       .distance = g_rand_int_range(rand, 1, 20),
                       .reach = g_rand_boolean(rand) ? -1 : g_rand_int_range(rand, 1, 900)}};
        CircularStops stops = {0};
        run_trial(&trial, &set, &sizes, stopping ? &stops : NULL, counts);
        resumed += stops.runs > 1;
        circular_trial_clear(&trial);
    }
    if (stopping)
        g_test_message("of %u: %u in several runs", cases, resumed);
    if (stopping && cases >= 20)
        g_assert_cmpuint(resumed, >, cases / 4);
}

static void
test_all(void)
{
    const guint cases = case_count(CASES);
    Counts counts = {0};
    run_trials(cases, FALSE, FALSE, &counts);
    g_test_message(
        "of %u: %u with several, %u with none, %u at most; %u further ones over an origin, %u "
        "on minus",
        cases, counts.several, counts.none, counts.most, counts.over, counts.minus);
    if (cases >= 80) {
        g_assert_cmpuint(counts.several, >, cases / 4);
        g_assert_cmpuint(counts.over, >, cases / 10);
        g_assert_cmpuint(counts.minus, >, cases / 10);
    }
}

/* Stopped anywhere, again and again: the same set to the last base. */
static void
test_resumed(void)
{
    Counts counts = {0};
    run_trials(case_count(RESUMED_CASES), FALSE, TRUE, &counts);
}

/* A circle with itself: each repeat once, whole or stopped and resumed. */
static void
test_self(void)
{
    const guint cases = case_count(CASES);
    Counts counts = {0};
    run_trials(cases, TRUE, FALSE, &counts);
    g_test_message("of %u: %u with several, %u at most; %u over the origin, %u on minus", cases,
                   counts.several, counts.most, counts.over, counts.minus);
}

static void
test_self_resumed(void)
{
    Counts counts = {0};
    run_trials(case_count(RESUMED_CASES), TRUE, TRUE, &counts);
}

/* Records of a side: circles of which some are empty or the same. */
enum {
    RECORDS = 2,
    PAIRS = RECORDS * RECORDS,
};

typedef struct {
    CsAlignment *alignment; /* of the list of its pair */
    guint target, query;
} Member;

/* As the definition has it; sorting is stable. */
static gint
compare_members(gconstpointer one, gconstpointer other)
{
    const Member *a = one, *b = other;
    const CsAlignmentSummary *s = cs_alignment_get_summary(a->alignment);
    const CsAlignmentSummary *t = cs_alignment_get_summary(b->alignment);
    if (s->score != t->score)
        return s->score > t->score ? -1 : 1;
    if (s->strand != t->strand)
        return s->strand == CS_STRAND_PLUS ? -1 : 1;
    return a->target != b->target ? (gint)a->target - (gint)b->target
                                  : (gint)a->query - (gint)b->query;
}

/* Compares the set of all records with the lists of all pairs. */
static void
check_many(const CsSequence *const *targets, const CsSequence *const *queries,
           const CsCompareOptions *options, const CsAlignSetOptions *set, const CsSetSizes *sizes)
{
    GPtrArray *lists[PAIRS];
    g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(Member));
    g_autoptr(GPtrArray) found =
        cs_set_find_many(targets, RECORDS, queries, RECORDS, options, set, sizes, NULL);
    for (guint pair = 0; pair < PAIRS; pair++) {
        const guint t = pair / RECORDS, q = pair % RECORDS;
        lists[pair] = cs_set_find(targets[t], queries[q], options, set, sizes, NULL);
        for (guint k = 0; k < lists[pair]->len; k++) {
            const Member member = {g_ptr_array_index(lists[pair], k), t, q};
            g_array_append_val(wanted, member);
        }
    }
    g_array_sort(wanted, compare_members);
    g_assert_cmpuint(found->len, ==,
                     set->most > 0 ? MIN(wanted->len, (guint)set->most) : wanted->len);
    for (guint k = 0; k < found->len; k++) {
        const Member *member = &g_array_index(wanted, Member, k);
        CsAlignment *alignment = g_ptr_array_index(found, k);
        guint t, q;
        cs_alignment_get_records(alignment, &t, &q);
        g_autofree char *here = circular_describe(alignment);
        g_autofree char *there = circular_describe(member->alignment);
        g_autoptr(GPtrArray) pieces = cs_alignment_split(alignment, NULL);
        g_assert_cmpstr(here, ==, there);
        g_assert_true(t == member->target && q == member->query);
        cs_alignment_get_records(g_ptr_array_index(pieces, 0), &t, &q);
        g_assert_true(t == member->target && q == member->query);
    }
    for (guint pair = 0; pair < PAIRS; pair++)
        g_ptr_array_unref(lists[pair]);
}

/* A search that a run was stopped in. It is there again when the search has ended: that of another box must not go on
 * from it. */
typedef struct {
    char *content;
    gsize length;
} Stale;

static void
put_back(Stale *stale, const char *directory, const char *file)
{
    g_autofree char *path = g_build_filename(directory, file, NULL);
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_assert_true(stale->content == NULL ||
                      g_file_set_contents(path, stale->content, (gssize)stale->length, NULL));
        return;
    }
    g_free(stale->content);
    g_assert_true(g_file_get_contents(path, &stale->content, &stale->length, NULL));
}

/* Stopped and resumed, with other engines, limits and sizes. What it has to find is what a run that is not stopped
 * does; tests/cli/tiny_maps.py compares that with brute force. Returns whether it was stopped. */
static gboolean
check_map_resumed(const CircularTrial *trial, CsSequence *sides[2][RECORDS],
                  const CsAlignSetOptions *set)
{
    const CsSequence *const *targets = (const CsSequence *const *)sides[0];
    const CsSequence *const *queries = (const CsSequence *const *)sides[1];
    CircularStops stops;
    Stale stale[2] = {{0}};
    g_autoptr(GPtrArray) wanted =
        cs_align_set_many(targets, RECORDS, queries, RECORDS, &trial->options, set, NULL);
    g_autoptr(GPtrArray) found = NULL;
    circular_stops_init(&stops, trial);
    while (found == NULL) {
        g_autoptr(GError) error = NULL;
        circular_stops_begin(&stops);
        const CsSetSizes sizes = {.small = stops.runs % 3 == 0 ? 0 : 1,
                                  .join = stops.runs % 2 == 0 ? 2 : -1};
        const CsAlignSetOptions limits = circular_stops_limits(&stops, set);
        found = cs_set_find_many(targets, RECORDS, queries, RECORDS, &stops.options, &limits,
                                 &sizes, &error);
        if (!circular_stops_end(&stops, error) &&
            (limits.min_score != set->min_score || limits.most != set->most))
            g_clear_pointer(&found, g_ptr_array_unref);
        put_back(&stale[0], stops.directory, "found-plus-turns.state");
        put_back(&stale[1], stops.directory, "found-minus-turns.state");
    }
    g_free(stale[0].content);
    g_free(stale[1].content);
    const gboolean stopped = stops.runs > 1;
    circular_stops_clear(&stops);
    g_assert_cmpuint(found->len, ==, wanted->len);
    for (guint k = 0; k < found->len; k++) {
        guint t[2], q[2];
        CsAlignment *one = g_ptr_array_index(found, k), *other = g_ptr_array_index(wanted, k);
        g_autofree char *here = circular_describe(one);
        g_autofree char *there = circular_describe(other);
        cs_alignment_get_records(one, &t[0], &q[0]);
        cs_alignment_get_records(other, &t[1], &q[1]);
        if (strcmp(here, there) != 0 || t[0] != t[1] || q[0] != q[1])
            g_error("%s: alignment %u of a map is %s, not %s", trial->what, k + 1, here, there);
    }
    return stopped;
}

/* One-to-one maps of several circles. */
static void
test_maps_resumed(void)
{
    const guint cases = case_count(MAP_CASES);
    guint stopped = 0;
    for (guint k = 0; k < cases; k++) {
        CircularTrial trial;
        CsSequence *sides[2][RECORDS];
        circular_trial_init(&trial, first_seed + k, FALSE);
        const CsScore match = trial.options.scoring.match;
        const CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ONE_TO_ONE,
                                       .min_score = match * g_rand_int_range(trial.rand, 1, 7),
                                       .max_drop = match * g_rand_int_range(trial.rand, -2, 9),
                                       .most = k % 3 == 0 ? k % 5 : 0};
        for (guint r = 0; r < RECORDS; r++) {
            circular_rearrange(&trial, 16);
            sides[0][r] = cs_sequence_new("t", trial.target->str, -1, NULL);
            sides[1][r] =
                cs_sequence_new("q", k % 8 == 7 && r == 1 ? "" : trial.query->str, -1, NULL);
        }
        stopped += check_map_resumed(&trial, sides, &set);
        for (guint r = 0; r < PAIRS; r++)
            cs_sequence_unref(sides[r / RECORDS][r % RECORDS]);
        circular_trial_clear(&trial);
    }
    g_test_message("of %u: %u in several runs", cases, stopped);
    if (cases >= 10)
        g_assert_cmpuint(stopped, >, cases / 4);
}

/* All alignments between several circles are those of all pairs. */
static void
test_many(void)
{
    if (case_skip_one_thread())
        return;
    for (guint k = 0; k < case_count(MANY_CASES); k++) {
        CircularTrial trial;
        CsSequence *sides[2][RECORDS];
        const CsSetSizes sizes = {.masked = {.side = 16, .unit = -1}};
        circular_trial_init(&trial, first_seed + k, FALSE);
        CsAlignSetOptions set = {
            .rule = CS_ALIGN_SET_ALL, .min_score = 5, .most = k % 3, .max_drop = -1};
        set.min_score *= trial.options.scoring.match;
        trial.options.threads = 1;
        for (guint r = 0; r < RECORDS; r++) {
            circular_rearrange(&trial, 20);
            sides[0][r] = cs_sequence_new("t", trial.target->str, -1, NULL);
            sides[1][r] =
                cs_sequence_new("q", k % 8 == 7 && r == 1 ? "" : trial.query->str, -1, NULL);
        }
        check_many((const CsSequence *const *)sides[0], (const CsSequence *const *)sides[1],
                   &trial.options, &set, &sizes);
        set.rule = CS_ALIGN_SET_ONE_TO_ONE;
        g_autoptr(GPtrArray) one =
            cs_align_set_many((const CsSequence *const *)sides[0], 1,
                              (const CsSequence *const *)sides[1], 1, &trial.options, &set, NULL);
        g_autoptr(GPtrArray) same =
            cs_align_set(sides[0][0], sides[1][0], &trial.options, &set, NULL);
        g_assert_cmpuint(one->len, ==, same->len);
        for (guint at = 0; at < one->len; at++) {
            g_autofree char *here = circular_describe(g_ptr_array_index(one, at));
            g_autofree char *there = circular_describe(g_ptr_array_index(same, at));
            g_assert_cmpstr(here, ==, there);
        }
        for (guint r = 0; r < PAIRS; r++)
            cs_sequence_unref(sides[r / RECORDS][r % RECORDS]);
        circular_trial_clear(&trial);
    }
}

/* A run that is stopped after it was asked so often, and what it is warned of. */
typedef struct {
    guint left, warnings;
} Hearing;

/* A CsControlFunc. */
static CsControl
stop_then(gpointer user_data)
{
    Hearing *hearing = user_data;
    if (hearing->left == 0)
        return CS_CONTROL_STOP;
    hearing->left--;
    return CS_CONTROL_GO_ON;
}

/* A CsNoteFunc. */
static void
count_warnings(CsNoteKind kind, const char *message, gpointer user_data)
{
    Hearing *hearing = user_data;
    hearing->warnings += kind == CS_NOTE_WARNING && strstr(message, "turns") != NULL;
}

/* Changes a byte in the middle of a file. */
static void
damage(const char *file)
{
    g_autofree char *bytes = NULL;
    gsize size;
    g_assert_true(g_file_get_contents(file, &bytes, &size, NULL));
    bytes[size / 2] ^= 1;
    g_assert_true(g_file_set_contents(file, bytes, (gssize)size, NULL));
}

/* Whether a run was stopped in a search of turns that is not the first one. */
static gboolean
is_in_later_search(const char *folder, const char *file)
{
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(folder, FALSE, NULL);
    return g_file_test(file, G_FILE_TEST_EXISTS) && info->set->alignments > 1;
}

/* What is kept of a search of turns is damaged: one warning, although many searches follow. */
static void
test_damaged(void)
{
    if (case_skip_one_thread())
        return;
    static const CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ALL, .min_score = 4, .max_drop = -1};
    static const CsSetSizes sizes = {.masked = {.side = 16, .unit = -1}};
    g_autofree char *folder = g_dir_make_tmp("chromosweep-circles-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(folder, "found-plus-turns.state", NULL);
    g_autoptr(CsSequence) target = cs_sequence_new("t", "ACGACGACGACGACGACGACGACG", -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", "ACGACGACGACGACGACG", -1, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.circular = CS_CIRCULAR_BOTH;
    options.threads = 1;
    options.engine = "scalar";
    g_autoptr(GPtrArray) wanted = cs_set_find(target, query, &options, &set, &sizes, NULL);
    g_assert_cmpuint(wanted->len, >, 3);
    Hearing hearing = {0};
    options.checkpoint = folder;
    options.control = stop_then;
    options.checkpoint_fresh = TRUE;
    options.note = count_warnings;
    options.control_data = options.note_data = &hearing;
    /* How often it is asked depends on the clock, too: it is tried again if it was not stopped there. */
    for (guint stop = 1, ends = 0; !is_in_later_search(folder, file); stop++) {
        hearing.left = stop;
        g_autoptr(GPtrArray) all = cs_set_find(target, query, &options, &set, &sizes, NULL);
        if (all != NULL)
            stop = 0;
        ends += all != NULL;
        g_assert_cmpuint(ends, <, 100);
    }
    damage(file);
    options.checkpoint_fresh = FALSE;
    hearing = (Hearing){.left = G_MAXUINT};
    g_autoptr(GPtrArray) found = cs_set_find(target, query, &options, &set, &sizes, NULL);
    g_assert_cmpuint(found->len, ==, wanted->len);
    for (guint k = 0; k < found->len; k++) {
        g_autofree char *here = circular_describe(g_ptr_array_index(found, k));
        g_autofree char *there = circular_describe(g_ptr_array_index(wanted, k));
        g_assert_cmpstr(here, ==, there);
    }
    g_assert_cmpuint(hearing.warnings, ==, 1);
    g_assert_true(cs_checkpoint_remove(folder, NULL));
}

/* A search of turns goes on from one with a lower floor, which had found an alignment that now scores too little. */
static void
test_higher_floor(void)
{
    if (case_skip_one_thread())
        return;
    static const CsAlignSetOptions low = {.rule = CS_ALIGN_SET_ALL, .min_score = 4, .max_drop = -1};
    static const CsAlignSetOptions high = {
        .rule = CS_ALIGN_SET_ALL, .min_score = 19, .max_drop = -1};
    static const CsSetSizes sizes = {.masked = {.side = 16, .unit = -1}};
    g_autofree char *folder = g_dir_make_tmp("chromosweep-circles-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(folder, "found-plus-turns.state", NULL);
    g_autoptr(CsSequence) target = cs_sequence_new("t", "ACGACGACGACGACGACGACGACG", -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", "ACGACGACGACGACGACG", -1, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    Hearing hearing = {0};
    guint searches = 0;
    options.circular = CS_CIRCULAR_BOTH;
    options.threads = 1;
    options.engine = "scalar";
    options.checkpoint = folder;
    options.control = stop_then;
    options.control_data = &hearing;
    for (guint stop = 1, ends = 0, last = FALSE; !last; stop++) {
        hearing.left = stop;
        options.checkpoint_fresh = TRUE;
        g_autoptr(GPtrArray) all = cs_set_find(target, query, &options, &low, &sizes, NULL);
        if (all != NULL) { /* as above */
            g_assert_cmpuint(++ends, <, 100);
            stop = 0;
            continue;
        }
        searches += g_file_test(file, G_FILE_TEST_EXISTS);
        last = searches > 1 && is_in_later_search(folder, file);
        hearing.left = G_MAXUINT;
        options.checkpoint_fresh = FALSE;
        g_autoptr(GPtrArray) found = cs_set_find(target, query, &options, &high, &sizes, NULL);
        g_assert_cmpuint(found->len, ==, 0);
    }
    g_assert_true(cs_checkpoint_remove(folder, NULL));
}

/* The set as text, from all tiles or from those that marks lead to. */
static char *
describe_set(const CircularTrial *trial, gboolean self, gint64 unit)
{
    const CsAlignSetOptions set = {
        .rule = CS_ALIGN_SET_ALL, .self = self, .min_score = 20, .max_drop = -1};
    const CsSetSizes sizes = {.masked = {.side = 16, .unit = unit}};
    g_autoptr(CsSequence) target = cs_sequence_new("t", trial->target->str, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", trial->query->str, -1, NULL);
    g_autoptr(GPtrArray) found = cs_set_find(target, query, &trial->options, &set, &sizes, NULL);
    GString *text = g_string_new(NULL);
    g_assert_cmpuint(found->len, >=, 3);
    for (guint k = 0; k < found->len; k++) {
        g_autofree char *one = circular_describe(g_ptr_array_index(found, k));
        g_string_append_printf(text, "%s; ", one);
    }
    return g_string_free(text, FALSE);
}

/* Few alignments far from each other: tiles that hold copies of one of them do not touch, and are one
 * group all the same. From all tiles, which is what brute force is compared with, there is one anyway. */
static void
test_sparse(void)
{
    for (guint k = 0; k < 12; k += case_races_only() ? 9 : 1) {
        const gboolean self = k >= 9;
        if (case_count_is_low() && k % 4 != 0 && k != 9) /* each of what is circular, and itself */
            continue;
        CircularTrial trial;
        circular_trial_init(&trial, first_seed + k, FALSE);
        trial.options.threads = 2;
        trial.options.scoring = (CsScoring)CS_SCORING_DEFAULT;
        trial.options.circular = (CsCircular)(CS_CIRCULAR_TARGET + k % 3);
        trial.options.strand = CS_STRAND_PLUS;
        g_string_truncate(trial.target, 0);
        g_string_truncate(trial.query, 0);
        related_append(trial.rand, trial.target, 4, 900);
        for (int stretch = 0; stretch < 3; stretch++) {
            related_append(trial.rand, trial.query, 4, 200);
            g_string_append_len(trial.query, trial.target->str + 300 * stretch, 30 + stretch);
        }
        if (self) { /* repeats of the target, the last one inverted and over the origin */
            trial.options.circular = CS_CIRCULAR_BOTH;
            trial.options.strand = CS_STRAND_BOTH;
            related_invert(trial.query, trial.query->len - 30, 20);
            g_string_append(trial.query, trial.target->str);
            g_string_assign(trial.target, trial.query->str + 10);
            g_string_append_len(trial.target, trial.query->str, 10);
            g_string_assign(trial.query, trial.target->str);
        }
        g_autofree char *wanted = describe_set(&trial, self, -1);
        g_autofree char *found = describe_set(&trial, self, 8);
        g_assert_cmpstr(found, ==, wanted);
        circular_trial_clear(&trial);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)strtoul(argv[1], NULL, 10);
    g_test_add_func("/circular-all/brute-force", test_all);
    g_test_add_func("/circular-all/resumed", test_resumed);
    g_test_add_func("/circular-all/self", test_self);
    g_test_add_func("/circular-all/self-resumed", test_self_resumed);
    g_test_add_func("/circular-all/many", test_many);
    g_test_add_func("/circular-all/maps-resumed", test_maps_resumed);
    g_test_add_func("/circular-all/damaged", test_damaged);
    g_test_add_func("/circular-all/higher-floor", test_higher_floor);
    g_test_add_func("/circular-all/sparse", test_sparse);
    return g_test_run();
}
