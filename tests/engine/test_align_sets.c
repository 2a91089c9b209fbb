/*
 * Sets of alignments against brute force: full matrices, one alignment after the other.
 *
 *     test_align_sets [SEED [PART]]    SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 *
 * PART is 'first' or 'second' [both]. The second takes minutes under ThreadSanitizer, and starts the same threads.
 */
#include <stdlib.h>

#include <glib/gstdio.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "../unit/related.h"
#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "checkpoint/found.h"
#include "checkpoint/found_set.h"
#include "compare/align_set.h"
#include "sequence/sequence_private.h"
#include "alignment_steps.h"
#include "set_oracle.h"
#include "skip_cases.h"

enum {
    CASES = 1500,
    ALL_CASES = 800,
    MANY_CASES = 500,
    RESUMED_CASES = 150,
    GPU_CASES = 120,
    LONGEST = 130,
    MOST = 200,
};

static guint32 first_seed = 1;

typedef struct {
    SkipCase *c;
    GRand *rand;
    CsSequence *target, *query;
    CsCompareOptions options;
    CsAlignSetOptions set;
    guint left; /* times that the control function is asked before it stops the run */
    SetProblem problem;
    char *what;
} Trial;

/* The least score, the number and the drop: often all three matter. */
static void
choose_set(Trial *trial)
{
    GRand *rand = trial->rand;
    const CsScore match = trial->c->scoring->match;
    trial->set.min_score = match * g_rand_int_range(rand, 1, 20);
    if (g_rand_int_range(rand, 0, 4) == 0)
        trial->set.most = g_rand_int_range(rand, 1, 6);
    if (trial->set.most > 0 && g_rand_boolean(rand))
        trial->set.min_score = 0;
    switch (g_rand_int_range(rand, 0, 3)) {
    case 0: trial->set.max_drop = -1; break;
    case 1: trial->set.max_drop = trial->set.min_score; break;
    default: trial->set.max_drop = match * g_rand_int_range(rand, 0, 20); break;
    }
}

static CsCompareOptions
random_options(GRand *rand, const CsScoring *scoring, CsStrand strand, gboolean on_gpu)
{
    static const char *const engines[] = {"scalar", "simd", "cuda"};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = *scoring;
    options.strand = strand;
    options.engine = engines[on_gpu ? 2 : g_rand_int_range(rand, 0, 2)];
    options.device = !on_gpu && g_rand_int_range(rand, 0, 4) == 0 ? "cpu,cpu,cpu" : NULL;
    options.threads = (guint)g_rand_int_range(rand, 1, 4);
    options.skip = (CsSkipMode)g_rand_int_range(rand, CS_SKIP_AUTO, CS_SKIP_BOUNDS + 1);
    if (g_rand_boolean(rand) || on_gpu) {
        options.grid_blocks = (guint)g_rand_int_range(rand, 1, 30);
        options.grid_threads = (guint)g_rand_int_range(rand, 1, on_gpu ? 5 : 8) * (on_gpu ? 32 : 1);
        options.grid_alpha = on_gpu ? 2 : (guint)g_rand_int_range(rand, 1, 8);
    }
    return options;
}

/* A rearranged genome: the query has stretches of the target, changed here and there, in another
 * order, some of them inverted, again or in tandem, and bases of its own between them. */
static void
rearrange(SkipCase *c, GRand *rand)
{
    static const CsScoring strict[] = {
        CS_SCORING_DEFAULT, {2, 3, 5, 2}, {1, 5, 3, 1}, {3, 4, 0, 2}};
    const int alphabet = g_rand_int_range(rand, 3, 5), changed = g_rand_int_range(rand, 0, 60);
    c->scoring = &strict[g_rand_int_range(rand, 0, G_N_ELEMENTS(strict))];
    g_string_truncate(c->target, 0);
    g_string_truncate(c->query, 0);
    related_append(rand, c->target, alphabet, g_rand_int_range(rand, 40, LONGEST));
    for (int k = g_rand_int_range(rand, 2, 7); k > 0; k--) {
        const gsize count = (gsize)g_rand_int_range(rand, 5, 31);
        const gsize from = (gsize)g_rand_int_range(rand, 0, (gint32)(c->target->len - count));
        g_autofree char *text = g_strndup(c->target->str + from, count);
        g_autoptr(GString) stretch = g_string_new(text);
        g_autoptr(GString) copy = related_copy(rand, stretch, alphabet, changed);
        if (g_rand_int_range(rand, 0, 3) == 0)
            related_invert(copy, 0, copy->len);
        for (int times = g_rand_int_range(rand, 0, 5) == 0 ? 3 : 1; times > 0; times--)
            g_string_append(c->query, copy->str);
        related_append(rand, c->query, alphabet, g_rand_int_range(rand, 0, 12));
    }
}

static void
trial_init(Trial *trial, guint32 seed, gboolean on_gpu)
{
    *trial = (Trial){.c = skip_case_new(seed, LONGEST), .rand = g_rand_new_with_seed(seed)};
    SkipCase *c = trial->c;
    if (seed % 4 != 0)
        rearrange(c, trial->rand);
    if (seed % 2 == 0) { /* the longer one is the query */
        GString *target = c->target;
        c->target = c->query;
        c->query = target;
    }
    const CsStrand strand =
        seed % 3 != 0 ? CS_STRAND_BOTH : (CsStrand)g_rand_int_range(trial->rand, 0, 2);
    trial->target = cs_sequence_new("target", c->target->str, (gint64)c->target->len, NULL);
    trial->query = cs_sequence_new("query", c->query->str, (gint64)c->query->len, NULL);
    choose_set(trial);
    trial->options = random_options(trial->rand, c->scoring, strand, on_gpu);
    trial->problem = (SetProblem){.target = c->target->str,
                                  .query = c->query->str,
                                  .match = c->scoring->match,
                                  .mismatch = c->scoring->mismatch,
                                  .open = c->scoring->gap_open,
                                  .extend = c->scoring->gap_extend,
                                  .plus = strand != CS_STRAND_MINUS,
                                  .minus = strand != CS_STRAND_PLUS,
                                  .least = MAX(1, trial->set.min_score),
                                  .most = (int)trial->set.most,
                                  .max_drop = trial->set.max_drop};
    trial->what = g_strdup_printf("seed %u, least %" G_GINT64_FORMAT ", most %" G_GINT64_FORMAT
                                  ", drop %" G_GINT64_FORMAT ": %s %s",
                                  seed, trial->set.min_score, trial->set.most, trial->set.max_drop,
                                  c->target->str, c->query->str);
}

static void
trial_clear(Trial *trial)
{
    cs_sequence_unref(trial->target);
    cs_sequence_unref(trial->query);
    skip_case_free(trial->c);
    g_rand_free(trial->rand);
    g_free(trial->what);
}

static char *
describe(const SetAlignment *a)
{
    return g_strdup_printf("%c %" G_GINT64_FORMAT " %d:%d-%d %d:%d-%d %s", a->minus ? '-' : '+',
                           a->score, a->target_record, a->target_start, a->target_end,
                           a->query_record, a->query_start, a->query_end, a->steps);
}

static char *
describe_found(const CsAlignment *alignment)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    g_autofree char *steps = alignment_steps(alignment);
    guint target, query;
    cs_alignment_get_records(alignment, &target, &query);
    const SetAlignment a = {s->strand == CS_STRAND_MINUS,
                            s->score,
                            (int)s->target_start,
                            (int)s->target_end,
                            (int)s->query_start,
                            (int)s->query_end,
                            steps,
                            (int)target,
                            (int)query};
    return describe(&a);
}

static void
expect(const Trial *trial, const GPtrArray *found, const GArray *wanted)
{
    for (guint k = 0; k < MAX(found->len, wanted->len); k++) {
        g_autofree char *here =
            k < found->len ? describe_found(g_ptr_array_index(found, k)) : g_strdup("none");
        g_autofree char *there =
            k < wanted->len ? describe(&g_array_index(wanted, SetAlignment, k)) : g_strdup("none");
        if (strcmp(here, there) != 0)
            g_error("%s: alignment %u is %s, not %s", trial->what, k + 1, here, there);
    }
}

/* How often the cases had what they are for. */
typedef struct {
    guint several, pieces, minus, none;
} Counts;

static void
count(Counts *counts, const GArray *wanted, const SetProblem *problem)
{
    counts->several += wanted->len > 2;
    counts->none += wanted->len == 0;
    gboolean piece = FALSE, minus = FALSE;
    for (guint k = 0; k < wanted->len; k++) {
        const SetAlignment *a = &g_array_index(wanted, SetAlignment, k);
        minus = minus || a->minus;
        piece = piece || a->score < problem->least;
        if (k > 0)
            piece = piece || g_array_index(wanted, SetAlignment, k - 1).score < a->score;
    }
    counts->pieces += piece;
    counts->minus += minus;
}

static void
run_one_to_one(guint cases, gboolean on_gpu, Counts *counts)
{
    for (guint k = 0; k < cases; k++) {
        Trial trial;
        g_autoptr(GError) error = NULL;
        trial_init(&trial, first_seed + k, on_gpu);
        GArray *wanted = set_oracle_one_to_one(&trial.problem);
        /* Small: none, some or all boxes, as with longer sequences. */
        const CsSetSizes sizes = {.small = k % 3 == 0   ? 1
                                           : k % 3 == 1 ? 1000
                                                        : 0,
                                  .join = k % 5 < 3 ? 1 + (gint64)(k % 5) * 3 : -1};
        g_autoptr(GPtrArray) found =
            cs_set_find(trial.target, trial.query, &trial.options, &trial.set, &sizes, &error);
        g_assert_no_error(error);
        expect(&trial, found, wanted);
        count(counts, wanted, &trial.problem);
        set_oracle_free(wanted);
        trial_clear(&trial);
    }
}

static void
test_one_to_one(void)
{
    const guint cases = case_count(CASES);
    Counts counts = {0};
    run_one_to_one(cases, FALSE, &counts);
    g_test_message("of %u: %u with several, %u with pieces, %u on minus, %u with none", cases,
                   counts.several, counts.pieces, counts.minus, counts.none);
    if (cases >= 300) {
        g_assert_cmpuint(counts.several, >, cases / 10);
        g_assert_cmpuint(counts.pieces, >, cases / 100);
        g_assert_cmpuint(counts.minus, >, cases / 10);
        g_assert_cmpuint(counts.none, >, 0);
    }
}

/* Tiles so small that alignments pass many, and sizes that make short ones long. */
static CsSetSizes
random_sizes(GRand *rand)
{
    CsSetSizes sizes = {0};
    if (g_rand_int_range(rand, 0, 5) == 0)
        return sizes;
    sizes.far = g_rand_boolean(rand) ? g_rand_int_range(rand, 1, 60) : 0;
    sizes.masked.side = g_rand_int_range(rand, 1, g_rand_int_range(rand, 0, 5) == 0 ? 4 : 60);
    sizes.masked.unit = g_rand_boolean(rand) ? g_rand_int_range(rand, 1, 30) : 0;
    sizes.masked.strip = g_rand_int_range(rand, 1, 20);
    sizes.masked.near = g_rand_int_range(rand, 1, 12);
    sizes.masked.distance = g_rand_int_range(rand, 1, 15);
    sizes.masked.reach = g_rand_boolean(rand) ? -1 : g_rand_int_range(rand, 1, 2000);
    return sizes;
}

/* Some scorings have thousands of alignments. */
static void
limit_number(Trial *trial)
{
    if (trial->set.most == 0)
        trial->set.most = MOST;
    trial->problem.most = (int)trial->set.most;
}

/* Returns the most alignments of a case. */
static guint
run_all(guint cases, gboolean on_gpu, Counts *counts)
{
    guint most = 0;
    for (guint k = 0; k < cases; k++) {
        Trial trial;
        g_autoptr(GError) error = NULL;
        trial_init(&trial, first_seed + k, on_gpu);
        trial.set.rule = CS_ALIGN_SET_ALL;
        trial.set.self = k % 4 == 1;
        trial.problem.self = trial.set.self;
        limit_number(&trial);
        if (trial.set.self) {
            cs_sequence_unref(trial.query);
            trial.query = cs_sequence_ref(trial.target);
            trial.problem.query = trial.problem.target;
        }
        GArray *wanted = set_oracle_all(&trial.problem);
        const CsSetSizes sizes = random_sizes(trial.rand);
        g_autoptr(GPtrArray) found =
            cs_set_find(trial.target, trial.query, &trial.options, &trial.set, &sizes, &error);
        g_assert_no_error(error);
        expect(&trial, found, wanted);
        count(counts, wanted, &trial.problem);
        most = MAX(most, wanted->len);
        set_oracle_free(wanted);
        trial_clear(&trial);
    }
    return most;
}

static void
test_all(void)
{
    const guint cases = case_count(ALL_CASES);
    Counts counts = {0};
    const guint most = run_all(cases, FALSE, &counts);
    g_test_message("of %u: %u with several, %u on minus, %u with none; %u at most", cases,
                   counts.several, counts.minus, counts.none, most);
    if (cases >= 300) {
        g_assert_cmpuint(counts.several, >, cases / 3);
        g_assert_cmpuint(counts.minus, >, cases / 3);
        g_assert_cmpuint(most, >, 20);
    }
}

static void
test_gpu(gconstpointer rule)
{
    g_autoptr(GError) error = NULL;
    Counts counts = {0};
    if (engine_working("cuda", &error) == NULL)
        g_test_skip(error->message);
    else if (GPOINTER_TO_INT(rule) == CS_ALIGN_SET_ALL)
        (void)run_all(case_count(GPU_CASES), TRUE, &counts);
    else
        run_one_to_one(case_count(GPU_CASES), TRUE, &counts);
}

/* Long enough that most of the matrix has nothing to do with any alignment: a stretch and a long one
 * again, a short one inverted, and one in tandem. */
static void
make_sparse(CsSequence **target, CsSequence **query)
{
    GRand *rand = g_rand_new_with_seed(first_seed);
    g_autoptr(GString) t = g_string_new(NULL), q = g_string_new(NULL);
    related_append(rand, t, 4, 1900);
    related_append(rand, q, 4, 300);
    g_autoptr(GString) copy = related_copy(rand, t, 4, 20);
    g_string_append_len(q, copy->str + 100, 700);
    related_append(rand, q, 4, 250);
    g_string_append_len(q, copy->str + 600, 150);
    g_string_append_len(q, copy->str + 600, 150);
    g_autofree char *inverted = NULL;
    copy->str[1500] = '\0';
    inverted = reverse_complement(copy->str + 1300);
    g_string_append(q, inverted);
    related_append(rand, q, 4, 200);
    *target = cs_sequence_new("t", t->str, (gint64)t->len, NULL);
    *query = cs_sequence_new("q", q->str, (gint64)q->len, NULL);
    g_rand_free(rand);
}

/* The share of a strand's squares that a sweep marks, and whether it marks where alignments end. */
static double
mark_share(const CsEngineClass *engine, const CsRectangle *matrix, const CsGridShape *shape,
           const GPtrArray *ends, CsScore least)
{
    CsRectangle rectangle = *matrix;
    CsSweepOptions options = {.engine = engine, .engine_options = {.threads = 2}, .shape = *shape};
    CsSweepState state;
    gint64 marked = 0;
    g_autoptr(CsEndMarks) marks =
        cs_end_marks_new(cs_rectangle_m(matrix), cs_rectangle_n(matrix), 16, least, NULL);
    rectangle.marks = marks;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    g_assert_true(cs_sweep_run(&rectangle, grid, &options, &state, NULL));
    for (guint k = 0; k < ends->len; k++) {
        const CsAlignmentSummary *s = cs_alignment_get_summary(g_ptr_array_index(ends, k));
        if (s->strand == CS_STRAND_PLUS) /* rows are the target's bases */
            g_assert_true(cs_end_marks_any(marks, s->target_end - 1, s->target_end,
                                           s->query_end - 1, s->query_end));
    }
    for (gint64 k = 0; k < marks->rows * marks->columns; k++)
        marked += marks->marked[k];
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(CsEndMarks) read =
        cs_end_marks_new(cs_rectangle_m(matrix), cs_rectangle_n(matrix), 16, least, NULL);
    cs_end_marks_write(marks, numbers);
    g_assert_true(cs_end_marks_read(read, (gint64 *)(gpointer)numbers->data, numbers->len));
    g_assert_cmpmem(marks->marked, (gsize)(marks->rows * marks->columns), read->marked,
                    (gsize)(read->rows * read->columns));
    g_assert_cmpint(read->count, ==, marked);
    g_assert_cmpint(marks->count, ==, engine->gpu ? 0 : marked);
    g_assert_false(cs_end_marks_read(read, (gint64 *)(gpointer)numbers->data, numbers->len - 1));
    return (double)marked / (double)(marks->rows * marks->columns);
}

/* Every engine marks all ends and little else; the set is the same from tiles around them as from all
 * tiles. */
static void
test_marks(void)
{
    static const char *const engines[] = {"scalar", "simd", "cuda"};
    static const double most[] = {0.1, 0.1, 0.27}; /* GPUs mark chunks of many columns */
    static const CsGridShape shapes[] = {
        {64, 128, 4, 0, 0, FALSE}, {64, 128, 4, 0, 0, FALSE}, {256, 512, 4, 32, 2, FALSE}};
    CsSequence *target, *query;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    const CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ALL, .min_score = 40};
    CsSetSizes sizes = {.masked = {.side = 50, .unit = -1}};
    make_sparse(&target, &query);
    options.strand = CS_STRAND_BOTH;
    g_autoptr(GPtrArray) all = cs_set_find(target, query, &options, &set, &sizes, NULL);
    g_assert_cmpuint(all->len, >, 3);
    const CsRectangle matrix = {.rows = cs_view_of(target),
                                .columns = cs_view_of(query),
                                .scoring = options.scoring,
                                .tie_order = CS_TIE_ROW_FIRST};
    for (guint k = 0; k < G_N_ELEMENTS(engines); k++) {
        const CsEngineClass *engine = engine_working(engines[k], NULL);
        if (engine == NULL)
            continue;
        const double share = mark_share(engine, &matrix, &shapes[k], all, 40);
        g_test_message("%s marks %.3f", engines[k], share);
        g_assert_cmpfloat(share, <, most[k]);
        sizes = (CsSetSizes){.far = k % 2 == 0 ? 300 : 0, .masked = {.side = 50, .unit = 16}};
        options.engine = engines[k];
        g_autoptr(GPtrArray) found = cs_set_find(target, query, &options, &set, &sizes, NULL);
        g_assert_cmpuint(found->len, ==, all->len);
        for (guint a = 0; a < all->len; a++) {
            g_autofree char *here = describe_found(g_ptr_array_index(found, a));
            g_autofree char *there = describe_found(g_ptr_array_index(all, a));
            g_assert_cmpstr(here, ==, there);
        }
    }
    cs_sequence_unref(target);
    cs_sequence_unref(query);
}

/* The alignment begins with less than the least score, before a gap that costs nearly as much. Later it
 * has a gap that costs several times the least score, in tiles that only its own high scores enter. Of tiles
 * around the marks of small squares the set is that of all tiles. */
static void
test_gaps(void)
{
    GRand *rand = g_rand_new_with_seed(first_seed);
    static const int lengths[] = {18, 6, 300, 120, 300}; /* the second and the fourth are gaps */
    const char *own[] = {"ACGGTTCATCGAGGATCA", "TTTTTT", NULL, NULL, NULL};
    g_autoptr(GString) t = g_string_new(NULL), q = g_string_new(NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    const CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ALL, .min_score = 20};
    CsSetSizes sizes = {.masked = {.side = 30, .unit = -1}};
    related_append(rand, t, 4, 200);
    related_append(rand, q, 4, 100);
    for (int k = 0; k < 5; k++) {
        const gsize before = q->len;
        if (own[k] != NULL)
            g_string_append(q, own[k]);
        else
            related_append(rand, q, 4, lengths[k]);
        if (k % 2 == 0)
            g_string_append(t, q->str + before);
    }
    g_autoptr(CsSequence) target = cs_sequence_new("t", t->str, (gint64)t->len, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", q->str, (gint64)q->len, NULL);
    g_autoptr(GPtrArray) all = cs_set_find(target, query, &options, &set, &sizes, NULL);
    const CsAlignmentSummary *first = cs_alignment_get_summary(g_ptr_array_index(all, 0));
    g_assert_cmpint(first->score, ==, 18 + 300 + 300 - (3 + 6 * 2) - (3 + 120 * 2));
    options.engine = "scalar";
    options.grid_blocks = 80; /* as small as they can be, so that marks are few */
    options.grid_threads = options.grid_alpha = 1;
    for (gint64 side = 3; side < 20; side += 2) {
        sizes.masked = (CsMaskedSizes){.side = side, .unit = 2 + side % 5};
        g_autoptr(GPtrArray) found = cs_set_find(target, query, &options, &set, &sizes, NULL);
        g_assert_nonnull(found);
        g_assert_cmpuint(found->len, ==, all->len);
        for (guint k = 0; k < all->len; k++) {
            g_autofree char *here = describe_found(g_ptr_array_index(found, k));
            g_autofree char *there = describe_found(g_ptr_array_index(all, k));
            g_assert_cmpstr(here, ==, there);
        }
    }
    g_rand_free(rand);
}

/* A CsControlFunc. */
static CsControl
stop_later(gpointer user_data)
{
    Trial *trial = user_data;
    return trial->left-- > 0 ? (trial->left % 3 == 0 ? CS_CONTROL_SAVE : CS_CONTROL_GO_ON)
                             : CS_CONTROL_STOP;
}

/* A CsNoteFunc: what one run saved, the next one has a use for. */
static void
hear(CsNoteKind kind, const char *message, gpointer user_data)
{
    const Trial *trial = user_data;
    if (kind == CS_NOTE_WARNING &&
        (strstr(message, "wrong") != NULL || strstr(message, "no use") != NULL ||
         strstr(message, "damaged") != NULL || strstr(message, "saved") != NULL))
        g_error("%s: %s", trial->what, message);
}

/* A checkpoint, or a folder of checkpoints. */
static void
remove_folders(const char *directory)
{
    g_autoptr(GDir) folder = g_dir_open(directory, 0, NULL);
    for (const char *name; folder != NULL && (name = g_dir_read_name(folder)) != NULL;) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            g_assert_true(cs_checkpoint_remove(path, NULL));
    }
    if (cs_checkpoint_is_of_pairs(directory))
        cs_checkpoint_pairs_close(cs_checkpoint_pairs_open(directory, NULL), TRUE);
    else
        (void)cs_checkpoint_remove(directory, NULL);
}

enum {
    MOST_RECORDS = 4,
};

/* Both sequences of a trial, cut into records; some have no bases. */
typedef struct {
    char **texts[2];
    const CsSequence *records[2][MOST_RECORDS];
    guint n[2];
} Records;

static void
records_init(Records *records, const SkipCase *c, GRand *rand)
{
    const GString *sides[] = {c->target, c->query};
    for (int side = 0; side < 2; side++) {
        const char *text = sides[side]->str;
        const guint n = (guint)g_rand_int_range(rand, 1, MOST_RECORDS + 1);
        gsize left = sides[side]->len;
        records->n[side] = n;
        records->texts[side] = g_new0(char *, n + 1);
        for (guint k = 0; k < n; k++) {
            const gsize count = k + 1 == n ? left
                                : g_rand_int_range(rand, 0, 8) == 0
                                    ? 0
                                    : (gsize)g_rand_int_range(rand, 0, (gint32)left + 1);
            records->texts[side][k] = g_strndup(text, count);
            records->records[side][k] =
                cs_sequence_new("record", records->texts[side][k], (gint64)count, NULL);
            text += count;
            left -= count;
        }
    }
}

static void
records_clear(Records *records)
{
    for (int side = 0; side < 2; side++) {
        for (guint k = 0; k < records->n[side]; k++)
            cs_sequence_unref((CsSequence *)records->records[side][k]);
        g_strfreev(records->texts[side]);
    }
}

static GPtrArray *
find_many(const Records *records, const CsCompareOptions *options, const CsAlignSetOptions *set,
          const CsSetSizes *sizes, GError **error)
{
    return cs_set_find_many(records->records[0], records->n[0], records->records[1], records->n[1],
                            options, set, sizes, error);
}

/* It reads the bases of its records, and a piece of it lies where it does. */
static void
expect_record(const CsAlignment *alignment)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    g_autoptr(GPtrArray) pieces = cs_alignment_cut(alignment, G_MAXINT64, NULL);
    g_assert_cmpuint(pieces->len, ==, 1);
    g_autofree char *here = describe_found(alignment);
    g_autofree char *there = describe_found(g_ptr_array_index(pieces, 0));
    g_assert_cmpstr(here, ==, there);
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    gint64 matches = 0;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run))
        matches += run.op == '=' ? run.length : 0;
    g_assert_cmpint(matches, ==, s->matches);
}

/* The same bases, cut into other records, are another set: nothing that was kept of one is used. */
static void
test_other_records(void)
{
    g_autofree char *directory = g_dir_make_tmp("chromosweep-sets-XXXXXX", NULL);
    const char *texts[] = {"ACGTTGCAAG", "CTAAGGCTTC", "ACGTTGCAAGNCTAAGGCTTC"};
    g_autoptr(CsSequence) first = cs_sequence_new("a", texts[0], -1, NULL);
    g_autoptr(CsSequence) second = cs_sequence_new("b", texts[1], -1, NULL);
    g_autoptr(CsSequence) both = cs_sequence_new("c", texts[2], -1, NULL);
    const CsSequence *two[] = {first, second}, *one[] = {both};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    const CsAlignSetOptions set = {.min_score = 5, .max_drop = -1};
    options.checkpoint = directory;
    g_autoptr(GPtrArray) many = cs_align_set_many(two, 2, one, 1, &options, &set, NULL);
    g_assert_cmpuint(many->len, ==, 2);
    g_autoptr(GPtrArray) single = cs_align_set_many(one, 1, one, 1, &options, &set, NULL);
    g_assert_cmpuint(single->len, ==, 1);
    g_assert_true(cs_checkpoint_remove(directory, NULL));
}

/* All records of both sides, stopped and resumed, with any engine. */
static void
test_many(void)
{
    const guint cases = case_count(MANY_CASES);
    guint across = 0, resumed = 0;
    for (guint k = 0; k < cases; k++) {
        Trial trial;
        Records records;
        g_autofree char *directory = g_dir_make_tmp("chromosweep-sets-XXXXXX", NULL);
        g_autoptr(GPtrArray) found = NULL;
        trial_init(&trial, first_seed + k, FALSE);
        records_init(&records, trial.c, trial.rand);
        const gboolean all = k % 3 == 0, stops = k % 4 == 0;
        trial.set.rule = all ? CS_ALIGN_SET_ALL : CS_ALIGN_SET_ONE_TO_ONE;
        if (all)
            limit_number(&trial);
        GArray *wanted = (all ? set_oracle_all_many : set_oracle_one_to_one_many)(
            &trial.problem, records.texts[0], records.texts[1]);
        for (guint run = 0; found == NULL; run++) {
            g_autoptr(GError) error = NULL;
            CsSetSizes sizes = random_sizes(trial.rand);
            sizes.small = k % 2 == 0 ? 1 : 1000;
            sizes.join = g_rand_int_range(trial.rand, -1, 6);
            CsCompareOptions options =
                random_options(trial.rand, trial.c->scoring, trial.options.strand, FALSE);
            options.checkpoint = stops ? directory : NULL;
            options.control = stops ? stop_later : NULL;
            options.note = hear;
            options.note_data = options.control_data = &trial;
            trial.left = (guint)g_rand_int_range(trial.rand, 0, 60) * (run + 1);
            found = find_many(&records, &options, &trial.set, &sizes, &error);
            if (found == NULL)
                g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
            resumed += found != NULL && run > 0;
        }
        expect(&trial, found, wanted);
        g_ptr_array_foreach(found, (GFunc)(void (*)(void))expect_record, NULL);
        guint first = 0;
        for (guint a = 0; a < wanted->len; a++)
            first += g_array_index(wanted, SetAlignment, a).target_record == 0;
        across += first < wanted->len;
        remove_folders(directory);
        set_oracle_free(wanted);
        records_clear(&records);
        trial_clear(&trial);
    }
    g_test_message("of %u: %u in several records, %u in several runs", cases, across, resumed);
    if (cases >= 100) {
        g_assert_cmpuint(across, >, cases / 4);
        g_assert_cmpuint(resumed, >, 0);
    }
}

/* Now and then a run that will be stopped wants fewer alignments, or more. */
static CsAlignSetOptions
random_limits(const Trial *trial)
{
    CsAlignSetOptions set = trial->set;
    GRand *rand = trial->rand;
    if (g_rand_int_range(rand, 0, 3) > 0)
        return set;
    set.min_score = trial->c->scoring->match * g_rand_int_range(rand, 1, 20);
    set.most = g_rand_int_range(rand, 1, 8);
    return set;
}

/* Stopped anywhere, again and again, with other engines, also now on a GPU and now on the CPU: the same
 * set to the last base. */
static void
test_resumed(void)
{
    const gboolean gpu = engine_working("cuda", NULL) != NULL;
    const guint cases = case_count(gpu ? GPU_CASES : RESUMED_CASES);
    guint stops = 0, resumed = 0;
    for (guint k = 0; k < cases; k++) {
        Trial trial;
        g_autofree char *directory = g_dir_make_tmp("chromosweep-sets-XXXXXX", NULL);
        g_autoptr(GPtrArray) found = NULL;
        trial_init(&trial, first_seed + k, FALSE);
        if (k % 2 == 0) {
            trial.set.rule = CS_ALIGN_SET_ALL;
            limit_number(&trial);
        }
        GArray *wanted =
            k % 2 == 0 ? set_oracle_all(&trial.problem) : set_oracle_one_to_one(&trial.problem);
        for (guint run = 0; found == NULL; run++) {
            g_autoptr(GError) error = NULL;
            CsSetSizes sizes = random_sizes(trial.rand);
            const CsAlignSetOptions other = random_limits(&trial);
            const gboolean wanted_ones =
                other.min_score == trial.set.min_score && other.most == trial.set.most;
            sizes.small = k % 3 == 0 ? 0 : 1; /* all boxes have a checkpoint */
            sizes.join = g_rand_int_range(trial.rand, -1, 6);
            CsCompareOptions options =
                random_options(trial.rand, trial.c->scoring, trial.options.strand,
                               gpu && g_rand_boolean(trial.rand));
            options.checkpoint = directory;
            options.control = stop_later;
            options.note = hear;
            options.note_data = options.control_data = &trial;
            trial.left = (guint)g_rand_int_range(trial.rand, 0, 20) * (run + 1);
            found = cs_set_find(trial.target, trial.query, &options, &other, &sizes, &error);
            if (found == NULL && !g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED))
                g_error("%s, rule %d, run %u: %s", trial.what, (int)trial.set.rule, run,
                        error->message);
            stops += found == NULL;
            if (!wanted_ones)
                g_clear_pointer(&found, g_ptr_array_unref);
            resumed += found != NULL && run > 0;
        }
        expect(&trial, found, wanted);
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        set_oracle_free(wanted);
        trial_clear(&trial);
    }
    g_test_message("%u stops; %u of %u sets were found in several runs", stops, resumed, cases);
    if (cases >= 50)
        g_assert_cmpuint(resumed, >, cases / 4);
}

/* What is saved is used: a set that is complete is not searched for again, nor one with closer limits,
 * and of one with wider limits only the rest is. One that is damaged is searched for anew, and another
 * rule is refused. */
static void
test_kept(void)
{
    g_autofree char *directory = g_dir_make_tmp("chromosweep-sets-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(directory, "found-set.state", NULL);
    const char *bases = "ACGTTGCAAGCTAAGGCTTCAGGATCCTTGACCAGTTACGATACCGGATA";
    g_autoptr(CsSequence) target = cs_sequence_new("t", bases, -1, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ALL, .most = 9};
    Trial trial = {.left = 1000};
    g_autoptr(GPtrArray) all = cs_align_set(target, target, &options, &set, NULL);
    g_autoptr(GError) error = NULL;
    options.checkpoint = directory;
    options.control = stop_later;
    options.control_data = &trial;
    static const struct {
        guint most, score_of; /* that alignment's score is the least that is wanted; 0: any */
        gboolean asked, damaged;
    } runs[] = {{3, 0, TRUE, FALSE},  {3, 0, FALSE, FALSE}, {2, 0, FALSE, FALSE},
                {9, 1, FALSE, FALSE}, {6, 0, TRUE, FALSE},  {4, 0, FALSE, FALSE},
                {4, 0, TRUE, TRUE},   {3, 0, FALSE, FALSE}};
    for (guint k = 0; k < G_N_ELEMENTS(runs); k++) {
        guint wanted = runs[k].most;
        if (runs[k].damaged)
            g_assert_true(g_file_set_contents(file, "damaged", -1, NULL));
        set.most = wanted;
        set.min_score = 0;
        if (runs[k].score_of > 0) {
            const CsAlignment *last = g_ptr_array_index(all, runs[k].score_of - 1);
            set.min_score = cs_alignment_get_summary(last)->score;
            for (wanted = 0; wanted < all->len; wanted++) /* of equal ones all belong to the set */
                if (cs_alignment_get_summary(g_ptr_array_index(all, wanted))->score < set.min_score)
                    break;
        }
        trial.left = 1000;
        g_autoptr(GPtrArray) found = cs_align_set(target, target, &options, &set, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(found->len, ==, wanted);
        g_assert_true((trial.left < 1000) == runs[k].asked);
        for (guint a = 0; a < wanted; a++) {
            g_autofree char *here = describe_found(g_ptr_array_index(found, a));
            g_autofree char *there = describe_found(g_ptr_array_index(all, a));
            g_assert_cmpstr(here, ==, there);
        }
    }
    set.self = TRUE;
    g_assert_null(cs_align_set(target, target, &options, &set, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    g_assert_nonnull(strstr(error->message, "holds another set"));
    g_assert_true(cs_checkpoint_remove(directory, NULL));
}

/* Runs that go on until the set is found. */
typedef struct {
    CsSequence *target, *query;
    CsCompareOptions options;
    CsAlignSetOptions set;
    CsSetSizes sizes;
    guint calls, left; /* times that a run is asked before it stops */
    gint64 cells;      /* computed, told last */
    guint runs, warnings;
    guint tiles;         /* how often these were told */
    guint timed;         /* how often a time was told that is left, */
    double seconds_left; /* and the last one */
    char *directory;
} Loop;

/* A CsControlFunc, which sticks to its answer. */
static CsControl
stop_for_good(gpointer user_data)
{
    Loop *loop = user_data;
    if (loop->left > 0)
        loop->left--;
    return loop->left > 0 ? CS_CONTROL_GO_ON : CS_CONTROL_STOP;
}

/* A CsProgressFunc. */
static gboolean
count_cells(const CsProgress *progress, gpointer user_data)
{
    Loop *loop = user_data;
    loop->cells = progress->cells_computed;
    loop->tiles += progress->stage == CS_STAGE_TILES;
    loop->timed += progress->fraction < 1 && progress->seconds_left >= 0;
    loop->seconds_left = progress->seconds_left;
    return TRUE;
}

/* A CsControlFunc. */
static CsControl
wait_a_little(gpointer user_data)
{
    (void)user_data;
    g_usleep(G_USEC_PER_SEC / 50);
    return CS_CONTROL_GO_ON;
}

/* A CsNoteFunc. */
static void
count_warnings(CsNoteKind kind, const char *message, gpointer user_data)
{
    Loop *loop = user_data;
    if (kind == CS_NOTE_WARNING &&
        (strstr(message, "damaged") != NULL || strstr(message, "no use") != NULL ||
         strstr(message, "wrong") != NULL))
        loop->warnings++;
}

/* Long enough that a run of a few calls ends within the first sweep. */
static void
loop_init(Loop *loop, CsAlignSetRule rule)
{
    GRand *rand = g_rand_new_with_seed(77);
    GString *bases = g_string_new(NULL), *other = g_string_new(NULL);
    related_append(rand, bases, 4, 1500);
    g_autoptr(GString) copy = related_copy(rand, bases, 4, 30);
    related_invert(copy, 300, 300);
    g_string_append_len(other, copy->str + 700, (gssize)copy->len - 700);
    g_string_append_len(other, copy->str, 700);
    *loop = (Loop){.target = cs_sequence_new("t", bases->str, -1, NULL),
                   .query = cs_sequence_new("q", other->str, -1, NULL),
                   .options = CS_COMPARE_OPTIONS_INIT,
                   .set = {.rule = rule, .min_score = 40, .max_drop = 40},
                   .sizes = {.small = 1, .masked = {.side = 100, .reach = -1}},
                   .calls = 12,
                   .directory = g_dir_make_tmp("chromosweep-sets-XXXXXX", NULL)};
    loop->options.strand = CS_STRAND_BOTH;
    loop->options.engine = "scalar";
    loop->options.threads = 1;
    loop->options.skip = CS_SKIP_NONE;
    loop->options.grid_blocks = 10;
    loop->options.grid_threads = 4;
    loop->options.grid_alpha = 4;
    loop->options.control = stop_for_good;
    loop->options.note = count_warnings;
    loop->options.progress = count_cells;
    loop->options.control_data = loop->options.note_data = loop->options.progress_data = loop;
    g_string_free(bases, TRUE);
    g_string_free(other, TRUE);
    g_rand_free(rand);
}

static void
loop_clear(Loop *loop)
{
    g_assert_true(loop->options.checkpoint != NULL ? cs_checkpoint_remove(loop->directory, NULL)
                                                   : g_rmdir(loop->directory) == 0);
    g_assert_false(g_file_test(loop->directory, G_FILE_TEST_EXISTS));
    cs_sequence_unref(loop->target);
    cs_sequence_unref(loop->query);
    g_free(loop->directory);
}

/* One run. The first times that it is asked come within milliseconds, in which a busy machine may do nothing. So after
 * many runs they become longer. */
static GPtrArray *
loop_run(Loop *loop)
{
    g_autoptr(GError) error = NULL;
    loop->left = loop->calls;
    loop->runs++;
    loop->calls *= loop->runs % 100 == 0 ? 2 : 1;
    GPtrArray *found =
        cs_set_find(loop->target, loop->query, &loop->options, &loop->set, &loop->sizes, &error);
    if (found == NULL)
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    return found;
}

/* The set, described, in one run. */
static char *
loop_at_once(Loop *loop)
{
    GString *text = g_string_new(NULL);
    CsCompareOptions options = loop->options;
    options.control = NULL;
    g_autoptr(GPtrArray) found =
        cs_set_find(loop->target, loop->query, &options, &loop->set, &loop->sizes, NULL);
    for (guint k = 0; k < found->len; k++) {
        g_autofree char *one = describe_found(g_ptr_array_index(found, k));
        g_string_append_printf(text, "%s\n", one);
    }
    g_assert_cmpuint(found->len, >, 3);
    return g_string_free(text, FALSE);
}

static void
expect_text(const GPtrArray *found, const char *wanted)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint k = 0; k < found->len; k++) {
        g_autofree char *one = describe_found(g_ptr_array_index(found, k));
        g_string_append_printf(text, "%s\n", one);
    }
    g_assert_cmpstr(text->str, ==, wanted);
}

/* What is told of the folder of a set that is not complete, and whether a sweep is under way. */
static gboolean
expect_told(const Loop *loop)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(loop->directory, TRUE, &error);
    g_assert_no_error(error);
    const CsCheckpointSet *set = info->set;
    g_assert_nonnull(set);
    g_assert_true(set->all == (loop->set.rule == CS_ALIGN_SET_ALL));
    g_assert_false(set->complete);
    g_assert_cmpint(set->min_score, ==, 40);
    g_assert_cmpint(set->max_drop, ==, set->all ? -1 : 40);
    g_assert_cmpint(set->most, ==, 0);
    g_assert_cmpfloat(set->fraction, >=, 0);
    g_assert_cmpfloat(set->fraction, <, 1);
    return set->sweep > 0 && set->sweep < 1;
}

/* Runs that are all shorter than a sweep come to an end, and find the same. */
static void
test_progress(gconstpointer rule)
{
    Loop loop;
    loop_init(&loop, (CsAlignSetRule)GPOINTER_TO_INT(rule));
    g_autofree char *wanted = loop_at_once(&loop);
    g_autoptr(GPtrArray) found = NULL;
    guint sweeps = 0;
    loop.options.checkpoint = loop.directory;
    while ((found = loop_run(&loop)) == NULL) {
        g_assert_cmpuint(loop.runs, <, 1000);
        sweeps += expect_told(&loop);
    }
    expect_text(found, wanted);
    g_test_message("%u runs, %u with a sweep under way", loop.runs, sweeps);
    g_assert_cmpuint(sweeps, >, 0);
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(loop.directory, TRUE, NULL);
    g_assert_true(info->set->complete && info->set->alignments == found->len);
    g_assert_cmpuint(loop.runs, >, 5);
    g_assert_cmpuint(loop.warnings, ==, 0);
    loop_clear(&loop);
}

/* Boxes that pass for small get a checkpoint once a run was stopped in them. */
static void
test_slow(void)
{
    if (case_skip_one_thread())
        return;
    Loop loop;
    loop_init(&loop, CS_ALIGN_SET_ONE_TO_ONE);
    loop.sizes.small = 0;
    g_autofree char *wanted = loop_at_once(&loop);
    g_autoptr(GPtrArray) found = NULL;
    loop.options.checkpoint = loop.directory;
    while ((found = loop_run(&loop)) == NULL)
        g_assert_cmpuint(loop.runs, <, 1000);
    expect_text(found, wanted);
    g_assert_cmpuint(loop.runs, >, 5);
    loop_clear(&loop);
}

/* Stopped and resumed in the sweep of a sparse pair, now on one engine and now on another. */
static void
test_sparse_resumed(void)
{
    if (case_skip_one_thread())
        return;
    static const char *const engines[] = {"scalar", "simd", "cuda"};
    const guint n = engine_working("cuda", NULL) != NULL ? 3 : 2;
    Loop loop;
    loop_init(&loop, CS_ALIGN_SET_ALL);
    cs_sequence_unref(loop.target);
    cs_sequence_unref(loop.query);
    make_sparse(&loop.target, &loop.query);
    loop.sizes.masked = (CsMaskedSizes){.side = 50, .unit = 16, .reach = -1};
    g_autofree char *wanted = loop_at_once(&loop);
    loop.options.checkpoint = loop.directory;
    loop.options.grid_alpha = 2;
    loop.options.grid_threads = 32;
    for (guint k = 0; k < n * n; k++) {
        g_autoptr(GPtrArray) found = NULL;
        loop.options.checkpoint_fresh = TRUE;
        for (guint run = 0; found == NULL; run++) {
            loop.options.engine = engines[(run % 2 == 0 ? k / n : k) % n];
            loop.calls = 4 + 3 * run;
            found = loop_run(&loop);
            loop.options.checkpoint_fresh = FALSE;
        }
        expect_text(found, wanted);
    }
    g_assert_cmpuint(loop.runs, >, 3 * n * n);
    g_assert_cmpuint(loop.warnings, ==, 0);
    loop_clear(&loop);
}

/* Marks that could not be saved with a later state are not enough for it: the sweep begins anew. */
static void
test_older_marks(void)
{
    if (case_skip_one_thread())
        return;
    Loop loop;
    loop_init(&loop, CS_ALIGN_SET_ALL);
    g_autofree char *wanted = loop_at_once(&loop), *bytes = NULL, *later = NULL;
    g_autofree char *file = g_build_filename(loop.directory, "box", "found-marks.state", NULL);
    gsize size = 0, later_size = 0;
    g_autoptr(GPtrArray) found = NULL;
    loop.options.checkpoint = loop.directory;
    while (bytes == NULL) {
        g_assert_null(loop_run(&loop));
        (void)g_file_get_contents(file, &bytes, &size, NULL);
    }
    while (later == NULL || (later_size == size && memcmp(later, bytes, size) == 0)) {
        g_clear_pointer(&later, g_free);
        g_assert_null(loop_run(&loop));
        g_assert_true(g_file_get_contents(file, &later, &later_size, NULL));
    }
    g_assert_true(g_file_set_contents(file, bytes, (gssize)size, NULL));
    g_assert_cmpuint(loop.warnings, ==, 0);
    loop.calls = 100000;
    found = loop_run(&loop);
    g_assert_cmpuint(loop.warnings, ==, 1);
    expect_text(found, wanted);
    loop_clear(&loop);
}

/* Puts sequences of its own in a loop. */
static void
loop_read(Loop *loop, const char *target, const char *query)
{
    cs_sequence_unref(loop->target);
    cs_sequence_unref(loop->query);
    loop->target = cs_sequence_new("t", target, -1, NULL);
    loop->query = cs_sequence_new("q", query, -1, NULL);
}

/* With a high least score nearly all of the box is skipped, also an alignment that another run wants.
 * So that run must not go on from there, wherever it was stopped. */
static void
test_other_floor(void)
{
    if (case_skip_one_thread())
        return;
    GRand *rand = g_rand_new_with_seed(first_seed);
    GString *t = g_string_new(NULL), *q = g_string_new(NULL), *common = g_string_new(NULL);
    Loop loop;
    guint stopped = 0;
    loop_init(&loop, CS_ALIGN_SET_ONE_TO_ONE);
    related_append(rand, common, 4, 100);
    related_append(rand, t, 4, 120);
    related_append(rand, q, 4, 20);
    g_string_append(t, common->str);
    g_string_append(q, common->str);
    related_append(rand, t, 4, 130);
    related_append(rand, q, 4, 230);
    loop_read(&loop, t->str, q->str);
    loop.options.strand = CS_STRAND_PLUS;
    loop.options.skip = CS_SKIP_BOUNDS;
    for (guint calls = 2; calls < 20; calls++) {
        loop.options.checkpoint = loop.directory;
        loop.options.checkpoint_fresh = TRUE;
        loop.set.min_score = loop.set.max_drop = 300;
        loop.calls = calls;
        g_autoptr(GPtrArray) none = loop_run(&loop);
        stopped += none == NULL;
        loop.options.checkpoint_fresh = FALSE;
        loop.set.min_score = 40;
        loop.calls = 100000;
        g_autoptr(GPtrArray) found = loop_run(&loop);
        g_assert_cmpuint(found->len, >, 0);
        g_assert_cmpint(cs_alignment_get_summary(g_ptr_array_index(found, 0))->score, >=, 100);
    }
    g_assert_cmpuint(stopped, >, 3);
    loop_clear(&loop);
    g_string_free(t, TRUE);
    g_string_free(q, TRUE);
    g_string_free(common, TRUE);
    g_rand_free(rand);
}

/* Two long matches with unrelated bases between them, and a few short ones in another order at the end. */
static void
loop_bridge(Loop *loop)
{
    GRand *rand = g_rand_new_with_seed(first_seed);
    GString *t = g_string_new(NULL), *q = g_string_new(NULL), *ends = g_string_new(NULL);
    for (int half = 0; half < 2; half++) {
        g_autoptr(GString) common = g_string_new(NULL);
        related_append(rand, common, 4, 500);
        g_string_append(t, common->str);
        g_string_append(q, common->str);
        related_append(rand, half == 0 ? t : ends, 4, 150);
        related_append(rand, half == 0 ? q : t, 4, 150);
    }
    for (int k = 3; k >= 0; k--) {
        g_string_append_len(t, ends->str + (gssize)30 * (3 - k), 30);
        g_string_append_len(q, ends->str + (gssize)30 * k, 30);
    }
    loop_read(loop, t->str, q->str);
    g_string_free(t, TRUE);
    g_string_free(q, TRUE);
    g_string_free(ends, TRUE);
    g_rand_free(rand);
}

/* Whether a folder has a file whose name ends so. */
static gboolean
has_file(const char *directory, const char *suffix)
{
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    for (const char *name; (name = g_dir_read_name(listing)) != NULL;)
        if (g_str_has_suffix(name, suffix))
            return TRUE;
    return FALSE;
}

/* A run may be stopped before it computes a tile that leads to no mark, but which a high score enters from one that
 * was saved. The next run must compute it, too. How often a run is asked before it comes to the tiles depends on the
 * clock. So it is tried with other numbers until enough runs were stopped among them. */
static void
test_entered_resumed(void)
{
    if (case_skip_one_thread())
        return;
    g_autofree char *wanted = NULL;
    guint stopped = 0;
    Loop loop;
    loop_init(&loop, CS_ALIGN_SET_ALL);
    loop_bridge(&loop);
    loop.options.strand = CS_STRAND_PLUS;
    loop.set.min_score = 15;
    loop.sizes.masked = (CsMaskedSizes){.side = 12, .unit = 12, .reach = -1};
    wanted = loop_at_once(&loop);
    loop.options.checkpoint = loop.directory;
    const guint step = case_count_is_low() ? 3 : 1;
    for (guint calls = 4, round = 1; round == 1 || (stopped <= 3 && round < 100);
         calls += step * MAX(6, calls / 16)) {
        loop.options.checkpoint_fresh = TRUE;
        loop.calls = calls;
        g_autoptr(GPtrArray) none = loop_run(&loop);
        if (none != NULL) {
            calls = 4 + round++;
            continue;
        }
        stopped += has_file(loop.directory, "-tiles.state");
        loop.options.checkpoint_fresh = FALSE;
        loop.calls = 1000000;
        g_autoptr(GPtrArray) found = loop_run(&loop);
        expect_text(found, wanted);
    }
    g_test_message("%u runs stopped with tiles", stopped);
    g_assert_cmpuint(stopped, >, 3);
    loop_clear(&loop);
}

/* The first alignment has two pieces, of 60 and 40, before one of 50. A run that wants one alignment keeps
 * both, or a later one would find the third before the second. */
static void
test_pieces_beyond(void)
{
    if (case_skip_one_thread())
        return;
    GRand *rand = g_rand_new_with_seed(first_seed);
    GString *a = g_string_new(NULL), *b = g_string_new(NULL), *other = g_string_new(NULL);
    Loop loop;
    loop_init(&loop, CS_ALIGN_SET_ONE_TO_ONE);
    related_append(rand, a, 4, 60);
    related_append(rand, b, 4, 40);
    related_append(rand, other, 4, 50);
    g_autofree char *gap = g_strnfill(8, 'N');
    g_autofree char *t = g_strconcat(a->str, gap, b->str, "NNNN", other->str, NULL);
    g_autofree char *q = g_strconcat(other->str, "NNNN", a->str, gap, b->str, NULL);
    loop_read(&loop, t, q);
    loop.options.checkpoint = loop.directory;
    loop.options.strand = CS_STRAND_PLUS;
    loop.set.min_score = 30;
    loop.set.max_drop = 10;
    loop.calls = 100000;
    for (gint64 most = 1; most <= 3; most += 2) {
        static const gint64 scores[] = {60, 40, 50};
        loop.set.most = most;
        g_autoptr(GPtrArray) found = loop_run(&loop);
        g_assert_cmpuint(found->len, ==, most);
        for (guint k = 0; k < found->len; k++)
            g_assert_cmpint(cs_alignment_get_summary(g_ptr_array_index(found, k))->score, ==,
                            scores[k]);
    }
    loop_clear(&loop);
    g_string_free(a, TRUE);
    g_string_free(b, TRUE);
    g_string_free(other, TRUE);
    g_rand_free(rand);
}

/* Of two boxes that hold nothing, one is swept by one run, and the other by that and the next: a run
 * knows what an earlier one found to hold nothing. */
static void
test_closed(void)
{
    GRand *rand = g_rand_new_with_seed(5);
    GString *other = g_string_new(NULL);
    Loop loop;
    loop_init(&loop, CS_ALIGN_SET_ONE_TO_ONE);
    related_append(rand, other, 4, 1500);
    cs_sequence_unref(loop.query);
    loop.query = cs_sequence_new("q", other->str, -1, NULL);
    loop.options.checkpoint = loop.directory;
    for (guint calls = 8; calls < 60; calls += case_count_is_low() ? 3 : 1) {
        g_autoptr(GPtrArray) found = NULL;
        loop.calls = calls;
        loop.runs = 0;
        loop.options.checkpoint_fresh = TRUE;
        while ((found = loop_run(&loop)) == NULL) {
            loop.options.checkpoint_fresh = FALSE;
            g_assert_cmpuint(loop.runs, <, 1000);
        }
        g_assert_cmpuint(found->len, ==, 0);
    }
    loop_clear(&loop);
    g_string_free(other, TRUE);
    g_rand_free(rand);
}

/* How many cells a set of four records and four others takes, as a share of all. Each of the others has a
 * stretch of one of the first, whose score is a third of what an alignment of two records might. */
static double
share_computed(CsSkipMode skip, gint64 join)
{
    enum {
        RECORDS = 4,
        BASES = 900,
        STRETCH = BASES / 3
    };
    GRand *rand = g_rand_new_with_seed(9);
    const CsSequence *records[2][RECORDS];
    const double all = 2.0 * RECORDS * BASES * RECORDS * BASES;
    Loop loop;
    loop_init(&loop, CS_ALIGN_SET_ONE_TO_ONE);
    loop.options.skip = skip;
    loop.options.control = NULL;
    loop.sizes.join = join;
    for (guint k = 0; k < RECORDS; k++) {
        g_autoptr(GString) target = g_string_new(NULL), query = g_string_new(NULL);
        related_append(rand, target, 4, BASES);
        related_append(rand, query, 4, BASES - STRETCH);
        g_string_insert_len(query, 100, target->str + 400, STRETCH - 10 * (gint)k);
        records[0][k] = cs_sequence_new("t", target->str, -1, NULL);
        records[1][(k + 1) % RECORDS] = cs_sequence_new("q", query->str, -1, NULL);
    }
    g_autoptr(GPtrArray) found = cs_set_find_many(records[0], RECORDS, records[1], RECORDS,
                                                  &loop.options, &loop.set, &loop.sizes, NULL);
    g_assert_cmpuint(found->len, ==, RECORDS);
    for (guint k = 0; k < 2 * RECORDS; k++)
        cs_sequence_unref((CsSequence *)records[k / RECORDS][k % RECORDS]);
    loop_clear(&loop);
    g_rand_free(rand);
    return (double)loop.cells / all;
}

/* Boxes that hold nothing are not swept again and again with lower floors. */
static void
test_cells(void)
{
    const double dense = share_computed(CS_SKIP_NONE, -1);
    const double skipping = share_computed(CS_SKIP_BOUNDS, -1);
    g_test_message("%.2f and %.2f of all cells", dense, skipping);
    g_assert_cmpfloat(dense, <, 1.1);
    g_assert_cmpfloat(skipping, <, 1.1);
}

/* A sweep of all boxes, whose bars are long beside these records, rules out most of them. */
static void
test_joined(void)
{
    if (case_skip_one_thread())
        return;
    const double joined = share_computed(CS_SKIP_NONE, 16);
    g_test_message("%.2f of all cells", joined);
    g_assert_cmpfloat(joined, >, 1.4);
    g_assert_cmpfloat(joined, <, 1.9);
}

/* As soon as a run has lasted a little while, the time left is told; of all alignments that of a stage, and
 * tiles are one. */
static void
test_time_left(gconstpointer rule)
{
    if (GPOINTER_TO_INT(rule) == CS_ALIGN_SET_ALL && case_skip_again())
        return;
    Loop loop;
    loop_init(&loop, (CsAlignSetRule)GPOINTER_TO_INT(rule));
    loop.options.control = wait_a_little;
    loop.sizes.masked =
        (CsMaskedSizes){.side = 4, .unit = -1, .reach = -1}; /* so many take a while */
    g_ptr_array_unref(loop_run(&loop));
    g_assert_cmpuint(loop.timed, >, 0);
    g_assert_true((loop.tiles > 0) == (loop.set.rule == CS_ALIGN_SET_ALL));
    g_assert_cmpfloat(loop.seconds_left, ==, 0);
    loop_clear(&loop);
}

/* Changes some bytes of each file below a folder. */
static guint
damage(GRand *rand, const char *directory, const char *suffix)
{
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    guint damaged = 0;
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        g_autofree char *path = g_build_filename(directory, name, NULL), *bytes = NULL;
        gsize size = 0;
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            damaged += damage(rand, path, ".state");
        if (!g_str_has_suffix(name, suffix) || !g_file_get_contents(path, &bytes, &size, NULL) ||
            size == 0)
            continue;
        bytes[g_rand_int_range(rand, 0, (gint32)size)] ^= (char)(1 << g_rand_int_range(rand, 0, 8));
        if (g_rand_int_range(rand, 0, 3) == 0)
            size = (gsize)g_rand_int_range(rand, 0, (gint32)size);
        g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
        damaged++;
    }
    return damaged;
}

/* Damage costs time and is told, and nothing else. The states of the whole have tests of their own. */
static void
test_damaged(gconstpointer rule)
{
    const gboolean all = GPOINTER_TO_INT(rule) == CS_ALIGN_SET_ALL;
    const guint rounds = case_count_is_low() ? 5 : all ? 10 : 40; /* all: each of many runs */
    GRand *rand = g_rand_new_with_seed(first_seed);
    Loop loop;
    guint damaged = 0;
    loop_init(&loop, (CsAlignSetRule)GPOINTER_TO_INT(rule));
    g_autofree char *wanted = loop_at_once(&loop);
    loop.options.checkpoint = loop.directory;
    /* What is there to damage, and whether it is read again, depends on where the clock stops a run. */
    for (guint k = 0;
         k < rounds || (k < 20 * rounds && (damaged <= 5 || loop.warnings <= damaged / 4)); k++) {
        g_autoptr(GPtrArray) found = NULL;
        g_autofree char *box = g_build_filename(loop.directory, "box", NULL);
        loop.options.checkpoint_fresh = k > 0;
        for (guint run = 0; found == NULL; run++) {
            loop.calls = (guint)g_rand_int_range(rand, 2, all ? 12 : 100) * (run / 4 + 1);
            found = loop_run(&loop);
            loop.options.checkpoint_fresh = FALSE;
            if (run % 3 == 1)
                damaged += all ? damage(rand, loop.directory, "-tiles.state")
                               : damage(rand, box, ".state");
            if (run % 7 == 3)
                damaged += damage(rand, loop.directory, "found-set.state");
        }
        expect_text(found, wanted);
    }
    g_test_message("%u files damaged, %u warnings", damaged, loop.warnings);
    g_assert_cmpuint(damaged, >, 5);
    g_assert_cmpuint(loop.warnings, >, damaged / 4);
    loop_clear(&loop);
    g_rand_free(rand);
}

/* A list with a good checksum whose numbers make no sense is no set, and reads no memory but its own. */
static void
test_crafted(void)
{
    static const struct {
        guint at; /* in the list */
        gint64 number;
    } changes[] = {
        {CS_FOUND_SET_COUNT, G_MAXINT64},
        {CS_FOUND_SET_COUNT, -1},
        {CS_FOUND_SET_COUNT, 1000},
        {CS_FOUND_SET_COUNT, 0}, /* the alignments are read as boxes */
        {CS_FOUND_SET_HEAD + 0, 2},
        {CS_FOUND_SET_HEAD + 1, 1},
        {CS_FOUND_SET_HEAD + 2, 0},
        {CS_FOUND_SET_HEAD + 3, G_MAXINT64},
        {CS_FOUND_SET_HEAD + 3, G_MININT64},
        {CS_FOUND_SET_HEAD + 4, G_MAXINT64 - 3},
        {CS_FOUND_SET_HEAD + 5, G_MAXINT64},
        {CS_FOUND_SET_HEAD + 5, 0},
        {CS_FOUND_SET_HEAD + 6, G_MAXINT64 & ~(gint64)3},
        {CS_FOUND_SET_HEAD + 6, (G_GINT64_CONSTANT(51) << 2)},
        {CS_FOUND_SET_HEAD + 6, -4},
        {CS_FOUND_SET_HEAD + 6, 3},
    };
    g_autofree char *directory = g_dir_make_tmp("chromosweep-sets-XXXXXX", NULL);
    const char *bases = "ACGTTGCAAGCTAAGGCTTCAGGATCCTTGACCAGTTACGATACCGGATA";
    g_autofree char *turned = g_strconcat(bases + 25, "NN", NULL);
    g_autofree char *other = g_strdup_printf("%s%.25s", turned, bases);
    g_autoptr(CsSequence) target = cs_sequence_new("t", bases, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", other, -1, NULL);
    const CsAlignSetOptions set = {.most = 2, .max_drop = -1};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    Loop loop = {.directory = directory};
    const CsFingerprint identity = {.target = target,
                                    .query = query,
                                    .transposed = TRUE,
                                    .scoring = options.scoring,
                                    .strand = CS_STRAND_PLUS};
    options.checkpoint = directory;
    options.note = count_warnings;
    options.note_data = &loop;
    for (guint k = 0; k < G_N_ELEMENTS(changes); k++) {
        gint64 count = 0;
        g_autoptr(GPtrArray) found = cs_align_set(target, query, &options, &set, NULL);
        g_assert_cmpuint(found->len, ==, 2);
        g_assert_cmpuint(loop.warnings, ==, k);
        g_autoptr(CsCheckpoint) checkpoint =
            cs_checkpoint_open(directory, &identity, FALSE, NULL, NULL, NULL);
        g_autofree gint64 *numbers = cs_found_load(checkpoint, CS_FOUND_SET, &count);
        g_assert_cmpint(count, >, CS_FOUND_SET_HEAD + 7);
        numbers[changes[k].at] = changes[k].number;
        g_assert_true(cs_found_save(checkpoint, CS_FOUND_SET, numbers, count, NULL));
    }
    g_ptr_array_unref(cs_align_set(target, query, &options, &set, NULL));
    g_assert_cmpuint(loop.warnings, ==, G_N_ELEMENTS(changes));
    g_assert_true(cs_checkpoint_remove(directory, NULL));
}

/* The whole query is the longer one, but not in the box of the second alignment, which has a gap. Before
 * the first is taken, another one is the best of its strand, so that box is swept. */
static void
test_kept_turned(void)
{
    g_autofree char *directory = g_dir_make_tmp("chromosweep-sets-XXXXXX", NULL);
    const char *first = "ACGTTGCAAGCTAAGGCTTCAGGATCCTTGACCAGTTACGATACC";
    const char *second = "GGTACATTCGTGACTTGCATCCGAT", *with_gap = "GGTACATTCGTGTTGCATCCGAT";
    g_autofree char *inverted = reverse_complement(with_gap), *junk = g_strnfill(60, 'N');
    g_autofree char *t = g_strconcat(first, second, NULL);
    g_autofree char *decoy = reverse_complement(first);
    decoy[40] = '\0';
    g_autofree char *q = g_strconcat(decoy, junk, first, inverted, NULL);
    g_autoptr(CsSequence) target = cs_sequence_new("t", t, -1, NULL);
    g_autoptr(CsSequence) query = cs_sequence_new("q", q, -1, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    const CsAlignSetOptions set = {.most = 2, .max_drop = -1};
    Trial trial = {.what = (char *)"turned"};
    options.checkpoint = directory;
    options.strand = CS_STRAND_BOTH;
    options.note = hear;
    options.note_data = &trial;
    g_autofree char *told = NULL;
    for (int run = 0; run < 2; run++) {
        g_autoptr(GPtrArray) found = cs_align_set(target, query, &options, &set, NULL);
        g_assert_cmpuint(found->len, ==, 2);
        g_autofree char *here = describe_found(g_ptr_array_index(found, 1));
        g_assert_nonnull(strchr(here, 'R'));
        if (run == 1)
            g_assert_cmpstr(here, ==, told);
        else
            told = g_steal_pointer(&here);
    }
    g_assert_true(cs_checkpoint_remove(directory, NULL));
}

/* A sequence whose bases are never read. */
static CsSequence *
huge_sequence(const char *file, const char *name)
{
    const CsSequence content = {.file = g_strdup(file),
                                .name = g_strdup(name),
                                .length = G_GINT64_CONSTANT(1) << 32,
                                .record_length = G_GINT64_CONSTANT(1) << 32,
                                .codes = g_malloc0(1)};
    return cs_sequence_new_take(&content);
}

/* What is refused for its size says which files it is of. */
static void
test_too_many_cells(void)
{
    const CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ONE_TO_ONE, .min_score = 20};
    g_autoptr(CsSequence) target = huge_sequence("dir/t.fa", "3 records");
    g_autoptr(CsSequence) query = huge_sequence(NULL, "q");
    g_autoptr(GError) error = NULL;
    g_assert_null(cs_align_set(target, query, NULL, &set, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    g_assert_cmpstr(error->message, ==,
                    "the matrix of dir/t.fa (3 records) and q has more cells than a 64-bit integer "
                    "can count");
}

static void
add_first(void)
{
    g_test_add_func("/align-sets/one-to-one", test_one_to_one);
    g_test_add_func("/align-sets/any-engine/marks", test_marks);
    g_test_add_func("/align-sets/many", test_many);
    g_test_add_func("/align-sets/other-records", test_other_records);
    g_test_add_func("/align-sets/any-engine/resumed", test_resumed);
    g_test_add_func("/align-sets/progress/slow", test_slow);
    g_test_add_func("/align-sets/any-engine/sparse-resumed", test_sparse_resumed);
    g_test_add_func("/align-sets/older-marks", test_older_marks);
    g_test_add_func("/align-sets/other-floor", test_other_floor);
    g_test_add_func("/align-sets/entered-resumed", test_entered_resumed);
    g_test_add_func("/align-sets/pieces-beyond", test_pieces_beyond);
    g_test_add_func("/align-sets/joined", test_joined);
    g_test_add_func("/align-sets/kept", test_kept);
    g_test_add_func("/align-sets/crafted", test_crafted);
    g_test_add_func("/align-sets/too-many-cells", test_too_many_cells);
    g_test_add_func("/align-sets/kept-turned", test_kept_turned);
    g_test_add_data_func("/align-sets/any-engine/gpu-one-to-one",
                         GINT_TO_POINTER(CS_ALIGN_SET_ONE_TO_ONE), test_gpu);
    g_test_add_data_func("/align-sets/any-engine/gpu-all", GINT_TO_POINTER(CS_ALIGN_SET_ALL),
                         test_gpu);
}

static void
add_second(void)
{
    g_test_add_func("/align-sets/all", test_all);
    g_test_add_func("/align-sets/gaps", test_gaps);
    g_test_add_data_func("/align-sets/progress/one-to-one",
                         GINT_TO_POINTER(CS_ALIGN_SET_ONE_TO_ONE), test_progress);
    g_test_add_data_func("/align-sets/progress/all", GINT_TO_POINTER(CS_ALIGN_SET_ALL),
                         test_progress);
    g_test_add_func("/align-sets/closed", test_closed);
    g_test_add_func("/align-sets/cells", test_cells);
    g_test_add_data_func("/align-sets/time-left/one-to-one",
                         GINT_TO_POINTER(CS_ALIGN_SET_ONE_TO_ONE), test_time_left);
    g_test_add_data_func("/align-sets/time-left/all", GINT_TO_POINTER(CS_ALIGN_SET_ALL),
                         test_time_left);
    g_test_add_data_func("/align-sets/damaged/one-to-one", GINT_TO_POINTER(CS_ALIGN_SET_ONE_TO_ONE),
                         test_damaged);
    g_test_add_data_func("/align-sets/damaged/all", GINT_TO_POINTER(CS_ALIGN_SET_ALL),
                         test_damaged);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)strtoul(argv[1], NULL, 10);
    const char *part = argc > 2 ? argv[2] : "both";
    if (!g_str_equal(part, "second"))
        add_first();
    if (!g_str_equal(part, "first"))
        add_second();
    return g_test_run();
}
