/*
 * Circular records against brute force: full matrices of all turns, by the definition in
 * docs/proofs/circular.md.
 *
 *     test_circular [SEED]      SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include <stdlib.h>
#include <string.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "../reverse_complement.h"
#include "../unit/related.h"
#include <chromosweep/align.h>
#include <chromosweep/align_set.h>
#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "alignment_steps.h"
#include "circular_trial.h"
#include "compare/align_set.h"
#include "path_oracle.h"

enum {
    CASES = 3000,
    SET_CASES = 1500,
    GPU_CASES = 100,
    RESUMED_CASES = 100,
    FLOOR_CASES = 100,
};

static guint32 first_seed = 1;

/* Where the best alignment of a strand ends, in the doubled sequences, and its path. */
typedef struct {
    int64_t score;
    int target_start, target_end, query_start, query_end; /* as read, from 1 */
    char *steps;
} Found;

/* The best of a rectangle of the doubled sequences, in full. */
static Found
best_of(const CsScoring *s, const char *target, int t0, int m, const char *query, int q0, int n,
        gboolean walk)
{
    const OracleProblem problem = {.a = target + t0,
                                   .b = query + q0,
                                   .m = m,
                                   .n = n,
                                   .match = s->match,
                                   .mismatch = s->mismatch,
                                   .open = s->gap_open,
                                   .extend = s->gap_extend};
    Oracle oracle;
    int i0 = 0, j0 = 0;
    oracle_solve(&problem, &oracle);
    Found found = {.score = oracle.score, .target_end = t0 + oracle.i, .query_end = q0 + oracle.j};
    found.steps = walk ? path_oracle(&problem, &oracle, false, &i0, &j0) : NULL;
    found.target_start = t0 + i0 + 1;
    found.query_start = q0 + j0 + 1;
    oracle_clear(&oracle);
    return found;
}

/* The definition: the first end of all turns, and the walk back from there. */
static Found
brute_force(const CircularTrial *trial, gboolean minus)
{
    const CsCompareOptions *o = &trial->options;
    const int m = (int)trial->target->len, n = (int)trial->query->len;
    const int rows = o->circular != CS_CIRCULAR_QUERY ? m : 1;
    const int columns = o->circular != CS_CIRCULAR_TARGET ? n : 1;
    g_autofree char *strand =
        minus ? reverse_complement(trial->query->str) : g_strdup(trial->query->str);
    g_autofree char *target = g_strconcat(trial->target->str, trial->target->str, NULL);
    g_autofree char *query = g_strconcat(strand, strand, NULL);
    Found best = {0};
    for (int a = 0; a < rows; a++)
        for (int c = 0; c < columns; c++) {
            const Found one = best_of(&o->scoring, target, a, m, query, c, n, FALSE);
            if (one.score > best.score ||
                (one.score == best.score &&
                 (one.target_end < best.target_end ||
                  (one.target_end == best.target_end && one.query_end < best.query_end))))
                best = one;
        }
    if (best.score == 0)
        return best;
    const int t0 = MAX(0, best.target_end - m), q0 = MAX(0, best.query_end - n);
    const Found walked = best_of(&o->scoring, target, t0, best.target_end - t0, query, q0,
                                 best.query_end - q0, TRUE);
    g_assert_cmpint(walked.score, ==, best.score);
    g_assert_cmpint(walked.target_end, ==, best.target_end);
    g_assert_cmpint(walked.query_end, ==, best.query_end);
    return walked;
}

/* As the library has it: positions of the query on its forward strand, starts in the record. */
static char *
describe(const CircularTrial *trial, const Found *found, gboolean minus)
{
    const int m = (int)trial->target->len, n = (int)trial->query->len;
    const int columns = trial->options.circular != CS_CIRCULAR_TARGET ? 2 * n : n;
    int t0 = found->target_start, t1 = found->target_end;
    int q0 = minus ? columns - found->query_end + 1 : found->query_start;
    int q1 = minus ? columns - found->query_start + 1 : found->query_end;
    if (t0 > m) {
        t0 -= m;
        t1 -= m;
    }
    if (q0 > n) {
        q0 -= n;
        q1 -= n;
    }
    return g_strdup_printf("%c score %d target %d-%d query %d-%d %s", minus ? '-' : '+',
                           (int)found->score, t0, t1, q0, q1, found->steps);
}

/* Notes the base of the query that each base of the target is paired with, 1-based in the records.
 * Returns the number of pairs. */
static guint
note_pairs(const CircularTrial *trial, const CsAlignment *alignment, int *partners)
{
    const int m = (int)trial->target->len, n = (int)trial->query->len;
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const gboolean minus = s->strand == CS_STRAND_MINUS;
    int t = (int)s->target_start, q = (int)(minus ? s->query_end : s->query_start);
    guint pairs = 0;
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run))
        for (gint64 k = 0; k < run.length; k++) {
            if (run.op == '=' || run.op == 'X') {
                partners[(t - 1) % m] = (q - 1) % n + 1;
                pairs++;
            }
            t += run.op != 'I';
            q += run.op == 'D' ? 0 : minus ? -1 : 1;
        }
    return pairs;
}

/* Split at the origins, an alignment has the same pairs, in positions of the records. */
static gboolean
check_split(const CircularTrial *trial, const CsAlignment *alignment)
{
    const gint64 m = (gint64)trial->target->len, n = (gint64)trial->query->len;
    g_autofree int *whole = g_new0(int, m), *split = g_new0(int, m);
    g_autoptr(GPtrArray) pieces = cs_alignment_split(alignment, NULL);
    gint64 score = 0;
    guint pairs = 0;
    g_assert_cmpuint(pieces->len, >=, 1);
    for (guint k = 0; k < pieces->len; k++) {
        const CsAlignment *piece = g_ptr_array_index(pieces, k);
        const CsAlignmentSummary *s = cs_alignment_get_summary(piece);
        g_assert_true(s->score > 0 && s->target_start >= 1 && s->target_end <= m);
        g_assert_true(s->query_start >= 1 && s->query_end <= n);
        score += s->score;
        pairs += note_pairs(trial, piece, split);
    }
    const CsScore all = cs_alignment_get_summary(alignment)->score;
    const guint left_out = note_pairs(trial, alignment, whole) - pairs;
    g_assert_cmpint(score, >=, all);
    if (trial->options.circular != CS_CIRCULAR_BOTH) /* else a piece between two origins may be */
        g_assert_cmpuint(left_out, ==, 0);
    for (gint64 k = 0; k < m && left_out == 0; k++)
        g_assert_cmpint(split[k], ==, whole[k]);
    return pieces->len > 1;
}

typedef struct {
    guint over, longest, minus, none, split, resumed;
} Counts;

/* Stopped again and again. How many runs it took. */
static guint
align_stopping(const CircularTrial *trial, const CsSequence *target, const CsSequence *query,
               CsCompareResult *result, CsAlignment **alignment)
{
    CircularStops stops;
    circular_stops_init(&stops, trial);
    for (gboolean stopped = TRUE; stopped;) {
        g_autoptr(GError) error = NULL;
        circular_stops_begin(&stops);
        cs_align(target, query, &stops.options, result, alignment, &error);
        stopped = circular_stops_end(&stops, error);
    }
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(stops.directory, TRUE, NULL);
    g_assert_true(info->circular == trial->options.circular);
    g_assert_cmpfloat(info->generations[0].fraction, ==, 1);
    g_assert_cmpint(info->generations[0].score, ==, result->score);
    circular_stops_clear(&stops);
    return stops.runs;
}

static void
run_trial(const CircularTrial *trial, gboolean stopping, Counts *counts)
{
    const CsStrand strand = trial->options.strand;
    g_autoptr(CsSequence) target = cs_sequence_new("t", trial->target->str, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", trial->query->str, -1, NULL);
    g_autoptr(CsAlignment) alignment = NULL;
    g_autoptr(GError) error = NULL;
    CsCompareResult result, compared;
    Found plus = {0}, minus = {0};
    if (strand != CS_STRAND_MINUS)
        plus = brute_force(trial, FALSE);
    if (strand != CS_STRAND_PLUS)
        minus = brute_force(trial, TRUE);
    const gboolean on_minus = minus.score > plus.score;
    const Found *wanted = on_minus ? &minus : &plus;
    if (stopping)
        counts->resumed += align_stopping(trial, target, query, &result, &alignment) > 1;
    else
        cs_align(target, query, &trial->options, &result, &alignment, &error);
    if (error != NULL)
        g_error("%s: %s", trial->what, error->message);
    g_autofree char *there =
        wanted->score > 0 ? describe(trial, wanted, on_minus) : g_strdup("none");
    g_autofree char *here = alignment != NULL ? circular_describe(alignment) : g_strdup("none");
    if (strcmp(here, there) != 0)
        g_error("%s: %s, not %s", trial->what, here, there);
    g_assert_cmpint(result.score, ==, wanted->score);
    if (alignment != NULL)
        counts->split += check_split(trial, alignment);
    const Found *solved[] = {&plus, &minus};
    for (CsStrand one = CS_STRAND_PLUS; one <= CS_STRAND_MINUS; one++) {
        const CsStrandResult *found = &result.strands[one];
        const gboolean worse = strand == CS_STRAND_BOTH && solved[one]->score < wanted->score;
        if (strand != CS_STRAND_BOTH && strand != one)
            continue;
        g_assert_cmpint(found->score, ==, worse ? 0 : solved[one]->score);
        g_assert_cmpint(found->below, ==, worse ? wanted->score : 0);
    }
    g_assert_true(cs_compare(target, query, &trial->options, &compared, NULL));
    g_assert_cmpint(compared.score, ==, result.score);
    g_assert_cmpint(compared.target_end, ==, result.target_end);
    g_assert_cmpint(compared.query_start, ==, result.query_start);
    counts->over += result.target_end > (gint64)trial->target->len ||
                    result.query_end > (gint64)trial->query->len;
    counts->longest += result.score > 0 &&
                       (result.target_end - result.target_start + 1 == (gint64)trial->target->len);
    counts->minus += on_minus;
    counts->none += result.score == 0;
    free(plus.steps);
    free(minus.steps);
}

/* Compares once, for scores of at least `least`, and perhaps is stopped. Otherwise each strand is told if it scores
 * enough, and as much as the other. */
static void
compare_floor(const CircularTrial *trial, CircularStops *stops, gint64 least, const gint64 *scores)
{
    g_autoptr(CsSequence) target = cs_sequence_new("t", trial->target->str, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", trial->query->str, -1, NULL);
    g_autoptr(GError) error = NULL;
    CsCompareResult result;
    const gint64 wanted = MAX(least, MAX(scores[0], scores[1]));
    circular_stops_begin(stops);
    stops->options.min_score = least;
    cs_compare(target, query, &stops->options, &result, &error);
    if (circular_stops_end(stops, error))
        return;
    for (CsStrand one = CS_STRAND_PLUS; one <= CS_STRAND_MINUS; one++) {
        if (trial->options.strand != CS_STRAND_BOTH && trial->options.strand != one)
            continue;
        const gboolean below = scores[one] < wanted;
        if (result.strands[one].score != (below ? 0 : scores[one]) ||
            result.strands[one].below != (below ? wanted : 0))
            g_error("%s, run %u, at least %d: strand %d scores %d, below %d; it is %d", trial->what,
                    stops->runs, (int)least, (int)one, (int)result.strands[one].score,
                    (int)result.strands[one].below, (int)scores[one]);
    }
}

/* Runs for one least score after another go on from what others saved. */
static void
test_floors(void)
{
    for (guint k = 0; k < case_count(FLOOR_CASES); k++) {
        CircularTrial trial;
        CircularStops stops;
        gint64 scores[2] = {0, 0};
        circular_trial_init(&trial, first_seed + k, FALSE);
        for (int minus = 0; minus < 2; minus++)
            if (trial.options.strand == CS_STRAND_BOTH || trial.options.strand == (CsStrand)minus) {
                Found found = brute_force(&trial, minus != 0);
                scores[minus] = found.score;
                free(found.steps);
            }
        const gint32 most = (gint32)MAX(scores[0], scores[1]) + 3;
        circular_stops_init(&stops, &trial);
        for (int run = 0; run < 8; run++) {
            const gint32 least = g_rand_int_range(trial.rand, 0, most + 1);
            const gint32 other = g_rand_int_range(trial.rand, 0, 3);
            compare_floor(&trial, &stops, other == 0 ? most - 3 : least, scores);
        }
        circular_stops_clear(&stops);
        circular_trial_clear(&trial);
    }
}

/* What cannot score enough is not swept: next to nothing of circles that have nothing in common, and nothing at
 * all if a match for each base is too little. */
static void
test_floor_skips(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(first_seed);
    g_autoptr(GString) one = g_string_new(NULL), other = g_string_new(NULL);
    related_append(rand, one, 4, 20000);
    related_append(rand, other, 4, 20000);
    g_autoptr(CsSequence) target = cs_sequence_new("t", one->str, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", other->str, -1, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult all, some, none;
    options.circular = CS_CIRCULAR_BOTH;
    options.strand = CS_STRAND_BOTH;
    options.skip = CS_SKIP_BOUNDS;
    g_assert_true(cs_compare(target, query, &options, &all, NULL));
    options.min_score = 10000;
    g_assert_true(cs_compare(target, query, &options, &some, NULL));
    options.min_score = 20001;
    g_assert_true(cs_compare(target, query, &options, &none, NULL));
    g_assert_cmpint(all.below, ==, 0);
    g_assert_cmpint(some.below, ==, 10000);
    g_assert_cmpint(none.below, ==, 20001);
    g_assert_cmpint(some.cells_computed, <, all.cells_computed / 2);
    g_assert_cmpint(none.cells_computed, ==, 0);
}

static void
run_trials(guint cases, gboolean on_gpu, gboolean stopping, Counts *counts)
{
    for (guint k = 0; k < cases; k++) {
        CircularTrial trial;
        circular_trial_init(&trial, first_seed + k, on_gpu);
        run_trial(&trial, stopping, counts);
        circular_trial_clear(&trial);
    }
}

static void
test_brute_force(void)
{
    const guint cases = case_count(CASES);
    Counts counts = {0};
    run_trials(cases, FALSE, FALSE, &counts);
    g_test_message("of %u: %u over an origin, %u of all of the target, %u on minus, %u with none",
                   cases, counts.over, counts.longest, counts.minus, counts.none);
    if (cases >= 300) {
        g_assert_cmpuint(counts.over, >, cases / 5);
        g_assert_cmpuint(counts.split, >, cases / 5);
        g_assert_cmpuint(counts.longest, >, cases / 20);
        g_assert_cmpuint(counts.minus, >, cases / 20);
        g_assert_cmpuint(counts.none, >, 0);
    }
}

static void
test_brute_force_gpu(void)
{
    g_autoptr(GError) error = NULL;
    Counts counts = {0};
    if (engine_working("cuda", &error) == NULL) {
        g_test_skip(error->message);
        return;
    }
    run_trials(case_count(GPU_CASES), TRUE, FALSE, &counts);
}

/* Stopped anywhere, again and again: the same alignment to the last base. */
static void
test_resumed(void)
{
    const guint cases = case_count(RESUMED_CASES);
    Counts counts = {0};
    run_trials(cases, FALSE, TRUE, &counts);
    g_test_message("of %u: %u in several runs", cases, counts.resumed);
    if (cases >= 50)
        g_assert_cmpuint(counts.resumed, >, cases / 4);
}

/* One-to-one, from here on: stretches of the doubled target and query, from the base after so many
 * to this one. */
typedef struct {
    int t0, t1, q0, q1;
} Box;

typedef struct {
    const CircularTrial *trial;
    const CsAlignSetOptions *set;
    gboolean round[2]; /* whether it is circular */
    int lengths[2];
    gboolean *taken[2];
    GPtrArray *found; /* of strings */
    guint over;
} Brute;

/* The alignment of a box alone, by a comparison of linear sequences. */
static CsAlignment *
align_box(const Brute *brute, const Box *box, gboolean minus)
{
    const CircularTrial *trial = brute->trial;
    g_autofree char *target = g_strconcat(trial->target->str, trial->target->str, NULL);
    g_autofree char *query = g_strconcat(trial->query->str, trial->query->str, NULL);
    g_autoptr(CsSequence) one = cs_sequence_new("t", target + box->t0, box->t1 - box->t0, NULL);
    g_autoptr(CsSequence) other = cs_sequence_new("q", query + box->q0, box->q1 - box->q0, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsAlignment *alignment = NULL;
    options.scoring = trial->options.scoring;
    options.threads = 1;
    options.strand = minus ? CS_STRAND_MINUS : CS_STRAND_PLUS;
    g_assert_true(cs_align(one, other, &options, NULL, &alignment, NULL));
    return alignment;
}

/* The box in which the best alignment of whole circles ends in its last corner. */
static gboolean
first_box(const Brute *brute, gboolean minus, Box *box)
{
    const int m = brute->lengths[0], n = brute->lengths[1];
    const Found found = brute_force(brute->trial, minus);
    const int all = brute->round[1] ? 2 * n : n;
    const int q0 = MAX(0, found.query_end - n), q1 = found.query_end;
    free(found.steps);
    *box = (Box){MAX(0, found.target_end - m), found.target_end, minus ? all - q1 : q0,
                 minus ? all - q0 : q1};
    return found.score > 0;
}

/* A position in the record, of a base that is 1-based in the doubled one. */
static int
position(const Brute *brute, guint side, int base)
{
    return (base - 1) % brute->lengths[side] + 1;
}

/* Score, strand, and the last base in the target and in the query as read, lower is better. */
typedef struct {
    gint64 score;
    int strand, target, query;
} Rank;

static Rank
rank_of(const Brute *brute, const CsAlignment *alignment, const Box *box)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const gboolean minus = s->strand == CS_STRAND_MINUS;
    const int end = box->q0 + (int)(minus ? s->query_start : s->query_end);
    return (Rank){-s->score, minus, position(brute, 0, box->t0 + (int)s->target_end),
                  minus ? -position(brute, 1, end) : position(brute, 1, end)};
}

static gboolean
is_before(const Rank *a, const Rank *b)
{
    if (a->score != b->score)
        return a->score < b->score;
    if (a->strand != b->strand)
        return a->strand < b->strand;
    return a->target != b->target ? a->target < b->target : a->query < b->query;
}

/* The stretches that are not taken, as pairs of numbers. Of a circle they begin behind a taken base. */
static GArray *
free_stretches(const Brute *brute, guint side)
{
    const int n = brute->lengths[side];
    const gboolean *taken = brute->taken[side];
    GArray *stretches = g_array_new(FALSE, FALSE, sizeof(int));
    for (int from = 0; from < n; from++) {
        const gboolean first = from == 0 ? !brute->round[side] || taken[n - 1] : taken[from - 1];
        int to = from;
        while (to < (brute->round[side] ? from + n : n) && !taken[to % n])
            to++;
        if (first && to > from) {
            g_array_append_val(stretches, from);
            g_array_append_val(stretches, to);
        }
    }
    return stretches;
}

static void
look_at(Brute *brute, const Box *box, gboolean minus, CsAlignment **best, Box *its, Rank *rank)
{
    CsAlignment *one = align_box(brute, box, minus);
    const Rank here = one != NULL ? rank_of(brute, one, box) : (Rank){0};
    if (one != NULL && (*best == NULL || is_before(&here, rank))) {
        cs_alignment_free(*best);
        *best = one;
        *its = *box;
        *rank = here;
    } else {
        cs_alignment_free(one);
    }
}

static CsAlignment *
best_of_rest(Brute *brute, Box *its)
{
    CsAlignment *best = NULL;
    Rank rank;
    g_autoptr(GArray) rows = free_stretches(brute, 0), columns = free_stretches(brute, 1);
    for (int minus = 0; minus < 2; minus++) {
        const CsStrand strand = brute->trial->options.strand;
        Box box;
        if (strand != CS_STRAND_BOTH && strand != (CsStrand)minus)
            continue;
        if (brute->found->len == 0) {
            if (first_box(brute, minus != 0, &box))
                look_at(brute, &box, minus != 0, &best, its, &rank);
            continue;
        }
        for (guint r = 0; r < rows->len; r += 2)
            for (guint c = 0; c < columns->len; c += 2) {
                box = (Box){g_array_index(rows, int, r), g_array_index(rows, int, r + 1),
                            g_array_index(columns, int, c), g_array_index(columns, int, c + 1)};
                look_at(brute, &box, minus != 0, &best, its, &rank);
            }
    }
    return best;
}

static gint
compare_pieces(gconstpointer one, gconstpointer other)
{
    const CsAlignmentSummary *a = cs_alignment_get_summary(*(CsAlignment *const *)one);
    const CsAlignmentSummary *b = cs_alignment_get_summary(*(CsAlignment *const *)other);
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (int)(a->target_start - b->target_start);
}

static char *
describe_piece(const Brute *brute, const CsAlignment *piece, const Box *box)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(piece);
    g_autofree char *steps = alignment_steps(piece);
    const int t0 = position(brute, 0, box->t0 + (int)s->target_start);
    const int q0 = position(brute, 1, box->q0 + (int)s->query_start);
    return g_strdup_printf("%c score %d target %d-%d query %d-%d %s",
                           s->strand == CS_STRAND_MINUS ? '-' : '+', (int)s->score, t0,
                           t0 + (int)(s->target_end - s->target_start), q0,
                           q0 + (int)(s->query_end - s->query_start), steps);
}

/* Takes the pieces of the best alignment. FALSE at the end of the set. */
static gboolean
take_next(Brute *brute)
{
    Box box;
    g_autoptr(CsAlignment) best = best_of_rest(brute, &box);
    if (best == NULL || cs_alignment_get_summary(best)->score < MAX(1, brute->set->min_score))
        return FALSE;
    g_autoptr(GPtrArray) pieces =
        cs_alignment_cut(best, brute->set->max_drop >= 0 ? brute->set->max_drop : G_MAXINT64, NULL);
    g_ptr_array_sort(pieces, compare_pieces);
    for (guint k = 0; k < pieces->len; k++) {
        const CsAlignment *piece = g_ptr_array_index(pieces, k);
        const CsAlignmentSummary *s = cs_alignment_get_summary(piece);
        if (brute->set->most > 0 && (gint64)brute->found->len == brute->set->most)
            return FALSE;
        g_ptr_array_add(brute->found, describe_piece(brute, piece, &box));
        for (int t = (int)s->target_start; t <= s->target_end; t++)
            brute->taken[0][position(brute, 0, box.t0 + t) - 1] = TRUE;
        for (int q = (int)s->query_start; q <= s->query_end; q++)
            brute->taken[1][position(brute, 1, box.q0 + q) - 1] = TRUE;
        brute->over += position(brute, 0, box.t0 + (int)s->target_start) >
                           position(brute, 0, box.t0 + (int)s->target_end) &&
                       brute->found->len > 1;
    }
    return TRUE;
}

/* Stopped again and again, with checkpoints of all boxes. */
static GPtrArray *
find_stopping(const CircularTrial *trial, const CsSequence *target, const CsSequence *query,
              const CsAlignSetOptions *set, CircularStops *stops)
{
    GPtrArray *found = NULL;
    circular_stops_init(stops, trial);
    for (gboolean stopped = TRUE; stopped;) {
        const CsSetSizes sizes = {.small = stops->runs % 3 == 2 ? 0 : 1};
        g_autoptr(GError) error = NULL;
        circular_stops_begin(stops);
        const CsAlignSetOptions limits = circular_stops_limits(stops, set);
        found = cs_set_find(target, query, &stops->options, &limits, &sizes, &error);
        stopped = circular_stops_end(stops, error);
        if (!stopped && (limits.min_score != set->min_score || limits.most != set->most)) {
            g_clear_pointer(&found, g_ptr_array_unref);
            stopped = TRUE;
        }
    }
    circular_stops_clear(stops);
    return found;
}

/* stops: NULL, or it is stopped and resumed. How many alignments behind the first run over the origin of the target. */
static guint
run_set(const CircularTrial *trial, const CsAlignSetOptions *set, CircularStops *stops)
{
    const CsCircular circular = trial->options.circular;
    const int m = (int)trial->target->len, n = (int)trial->query->len;
    g_autofree gboolean *rows = g_new0(gboolean, m), *columns = g_new0(gboolean, n);
    g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(CsSequence) target = cs_sequence_new("t", trial->target->str, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", trial->query->str, -1, NULL);
    g_autoptr(GError) error = NULL;
    Brute brute = {trial,
                   set,
                   {circular != CS_CIRCULAR_QUERY, circular != CS_CIRCULAR_TARGET},
                   {m, n},
                   {rows, columns},
                   wanted,
                   0};
    while (take_next(&brute))
        ;
    g_autoptr(GPtrArray) found = stops != NULL
                                     ? find_stopping(trial, target, query, set, stops)
                                     : cs_align_set(target, query, &trial->options, set, &error);
    g_assert_no_error(error);
    for (guint k = 0; k < MAX(found->len, wanted->len); k++) {
        g_autofree char *here =
            k < found->len ? circular_describe(g_ptr_array_index(found, k)) : g_strdup("none");
        const char *there = k < wanted->len ? g_ptr_array_index(wanted, k) : "none";
        if (strcmp(here, there) != 0)
            g_error("%s, least %d, most %d, drop %d: alignment %u is %s, not %s", trial->what,
                    (int)set->min_score, (int)set->most, (int)set->max_drop, k + 1, here, there);
    }
    return brute.over;
}

/* Returns how many alignments behind the first run over the origin of the target. */
static guint
run_sets(guint cases, gboolean stopping, guint *resumed)
{
    guint over = 0;
    for (guint k = 0; k < cases; k++) {
        CircularTrial trial;
        circular_trial_init(&trial, first_seed + k, FALSE);
        const CsScore match = trial.options.scoring.match;
        if (k % 3 != 0)
            circular_rearrange(&trial, trial.options.circular == CS_CIRCULAR_BOTH ? 24 : 80);
        CsAlignSetOptions set = {.min_score = match * g_rand_int_range(trial.rand, 1, 9),
                                 .max_drop = match * g_rand_int_range(trial.rand, -3, 9)};
        if (g_rand_int_range(trial.rand, 0, 3) == 0)
            set.most = g_rand_int_range(trial.rand, 1, 5);
        CircularStops stops = {0};
        over += run_set(&trial, &set, stopping ? &stops : NULL);
        *resumed += stops.runs > 1;
        circular_trial_clear(&trial);
    }
    return over;
}

static void
test_one_to_one(void)
{
    const guint cases = case_count(SET_CASES);
    guint resumed = 0;
    const guint over = run_sets(cases, FALSE, &resumed);
    g_test_message("of %u: %u further alignments over the origin", cases, over);
    if (cases >= 300)
        g_assert_cmpuint(over, >, cases / 40);
}

static void
test_one_to_one_resumed(void)
{
    const guint cases = case_count(RESUMED_CASES);
    guint resumed = 0;
    run_sets(cases, TRUE, &resumed);
    g_test_message("of %u: %u in several runs", cases, resumed);
    if (cases >= 50)
        g_assert_cmpuint(resumed, >, cases / 4);
}

static void
expect_refused(const CsSequence *target, const CsCompareOptions *options, const char *words)
{
    g_autoptr(CsAlignment) alignment = NULL;
    g_autoptr(GError) error = NULL;
    g_assert_false(cs_align(target, target, options, NULL, &alignment, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    g_assert_nonnull(strstr(error->message, words));
}

static void
test_refused(void)
{
    g_autoptr(CsSequence) target = cs_sequence_new("t", "ACGTTGCAAGC", -1, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.circular = CS_CIRCULAR_BOTH;
    options.verify = TRUE;
    expect_refused(target, &options, "second proof");
    options.verify = FALSE;
    options.circular = (CsCircular)7;
    expect_refused(target, &options, "target, query or both");
    const CsAlignSetOptions all = {.rule = CS_ALIGN_SET_ALL, .self = TRUE, .most = 3};
    g_autoptr(GError) error = NULL;
    options.circular = CS_CIRCULAR_TARGET;
    g_assert_null(cs_align_set(target, target, &options, &all, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
}

/* Sequences without bases have no alignment, and no turns either. */
static void
test_empty(void)
{
    g_autoptr(CsSequence) some = cs_sequence_new("some", "ACGT", -1, NULL);
    g_autoptr(CsSequence) none = cs_sequence_new("none", "", -1, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.circular = CS_CIRCULAR_BOTH;
    g_assert_true(cs_compare(some, none, &options, &result, NULL));
    g_assert_cmpint(result.score, ==, 0);
    g_assert_true(cs_compare(none, some, &options, &result, NULL));
    g_assert_cmpint(result.score, ==, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)strtoul(argv[1], NULL, 10);
    g_test_add_func("/circular/brute-force", test_brute_force);
    g_test_add_func("/circular/brute-force-gpu", test_brute_force_gpu);
    g_test_add_func("/circular/resumed", test_resumed);
    g_test_add_func("/circular/floors", test_floors);
    g_test_add_func("/circular/floor-skips", test_floor_skips);
    g_test_add_func("/circular/one-to-one", test_one_to_one);
    g_test_add_func("/circular/one-to-one/resumed", test_one_to_one_resumed);
    g_test_add_func("/circular/refused", test_refused);
    g_test_add_func("/circular/empty", test_empty);
    return g_test_run();
}
