/*
 * How much work a trace takes. Its path is the same with and without its shortcuts, so no other test
 * would notice a lost one. Each limit here is about 1.5 times what was counted, and a trace without
 * any one of the shortcuts exceeds a limit.
 */
#include <pthread.h>

#include <chromosweep/error.h>

#include "../unit/related.h"
#include "alignment/trace.h"
#include "cpu/cpu_wave.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "sweep/sweep.h"

enum {
    MOST_KERNELS = 8,
    WAIT_SECONDS = 30,
};

/* An engine like simd that counts what it computes in 32 bits, and has a thread wait until another
 * one sweeps too. */
static const CsSimdKernel *kernels[MOST_KERNELS];
static CsSimdKernel widest;
static void (*sweep_widest)(CsSimdPass *);
static gint64 wide_cells;
static gint blocks; /* atomic */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t swept = PTHREAD_COND_INITIALIZER;
static pthread_t waiter;
static gboolean waits, others_sweep;
static guint not_yet; /* sweeps of the waiter before the one in which it waits */

static void
count_wide(CsSimdPass *pass)
{
    wide_cells += pass->block->height * pass->block->width;
    sweep_widest(pass);
}

static void
prepare_kernels(void)
{
    g_autoptr(GError) error = NULL;
    const CsSimdKernel *const *all = cs_simd_kernels(&error);
    g_assert_no_error(error);
    guint k = 0;
    for (; all[k]->bits < 32; k++)
        kernels[k] = all[k];
    g_assert_cmpuint(k, <, MOST_KERNELS);
    widest = *all[k];
    sweep_widest = widest.sweep;
    widest.sweep = count_wide;
    kernels[k] = &widest;
}

static void
compute(CsCpuBlock *block)
{
    g_atomic_int_inc(&blocks);
    cs_simd_compute(kernels, block);
}

static void
wait_for_others(void)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += WAIT_SECONDS;
    pthread_mutex_lock(&mutex);
    if (waits && !pthread_equal(waiter, pthread_self())) {
        others_sweep = TRUE;
        pthread_cond_broadcast(&swept);
    }
    if (waits && not_yet > 0 && pthread_equal(waiter, pthread_self())) {
        not_yet--;
    } else {
        while (waits && !others_sweep && pthread_cond_timedwait(&swept, &mutex, &end) == 0)
            ;
        waits = FALSE;
    }
    pthread_mutex_unlock(&mutex);
}

/* This thread waits after so many sweeps. */
static void
wait_after(guint sweeps)
{
    waiter = pthread_self();
    waits = TRUE;
    others_sweep = FALSE;
    not_yet = sweeps;
}

static CsRun *
begin(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
      const CsEngineOptions *options, GError **error)
{
    wait_for_others();
    return cs_cpu_wave_begin(compute, cs_scalar_compute, rectangle, grid, options, error);
}

typedef struct {
    CsSequence *a, *b;
    CsRectangle matrix;
    CsEngineClass engine;
    CsRows *rows; /* or NULL */
    CsBest end;
    gint64 huge_cells; /* as in CsTrace */
    CsTraceWork work;
} Trial;

static void
trial_init(Trial *trial, const GString *a, const GString *b, CsScoring scoring)
{
    *trial = (Trial){.a = cs_sequence_new("a", a->str, (gint64)a->len, NULL),
                     .b = cs_sequence_new("b", b->str, (gint64)b->len, NULL),
                     .engine = cs_simd_engine};
    trial->engine.begin = begin;
    trial->matrix = (CsRectangle){.rows = cs_view_of(trial->a),
                                  .columns = cs_view_of(trial->b),
                                  .scoring = scoring,
                                  .tie_order = CS_TIE_ROW_FIRST};
}

/* A sequence and a copy of it, of whose bases so many in a thousand are changed. */
static void
trial_init_related(Trial *trial, guint32 seed, int length, int changed, CsScoring scoring)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    GString *a = g_string_new(NULL);
    related_append(rand, a, 4, length);
    GString *b = related_copy(rand, a, 4, changed);
    trial_init(trial, a, b, scoring);
    g_string_free(a, TRUE);
    g_string_free(b, TRUE);
}

static void
trial_clear(Trial *trial)
{
    cs_rows_free(trial->rows);
    cs_sequence_unref(trial->a);
    cs_sequence_unref(trial->b);
}

/* Finds the end, and keeps rows at this distance unless it is 0. */
static void
sweep_whole(Trial *trial, gint64 distance)
{
    g_autoptr(GError) error = NULL;
    CsRectangle matrix = trial->matrix;
    g_autofree gint64 *list = NULL;
    if (distance > 0) {
        CsWidth width;
        g_assert_true(cs_rectangle_width(&matrix, &width, &error));
        trial->rows = cs_rows_new_packed(cs_rectangle_m(&matrix), distance, width, G_MAXINT64, NULL,
                                         NULL, &error);
        g_assert_no_error(error);
        list = cs_rows_list(trial->rows);
        matrix.special_rows = list;
        matrix.n_special_rows = cs_rows_count(trial->rows);
        matrix.row_func = cs_rows_take;
        matrix.row_data = trial->rows;
    }
    CsSweepOptions options = {.engine = &cs_simd_engine, .engine_options = {.threads = 1}};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&matrix, &options);
    CsSweepState state;
    g_assert_true(cs_sweep_run(&matrix, grid, &options, &state, &error));
    trial->end = state.best;
}

/* The most that a trace may take. */
typedef struct {
    gint64 covered, computed, wide, walked;
} Limits;

/* On one thread, where counts are always the same. */
static void
expect_within(const Trial *trial, const Limits *most)
{
    const CsTraceWork *work = &trial->work;
    g_test_message("covered %" G_GINT64_FORMAT ", computed %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                   " of them in 32 bits, walked %" G_GINT64_FORMAT,
                   work->covered, work->computed, wide_cells, work->walked);
    g_assert_cmpint(work->covered, <=, most->covered);
    g_assert_cmpint(work->computed, <=, most->computed);
    g_assert_cmpint(wide_cells, <=, most->wide);
    g_assert_cmpint(work->walked, <=, most->walked);
}

/* With short_only, the alignment must be short. */
static CsPath
trace_path(Trial *trial, guint threads, gboolean short_only)
{
    g_autoptr(GError) error = NULL;
    CsPath path = {0};
    const CsTrace how = {.matrix = &trial->matrix,
                         .end = trial->end,
                         .rows = trial->rows,
                         .engine = &trial->engine,
                         .threads = threads,
                         .huge_cells = trial->huge_cells,
                         .work = &trial->work};
    gboolean found = FALSE;
    wide_cells = 0;
    blocks = 0;
    if (short_only) {
        g_assert_true(cs_trace_run_short(&how, &path, &found, &error));
        g_assert_true(found);
    } else {
        g_assert_true(cs_trace_run(&how, &path, &error));
    }
    return path;
}

static void
trace(Trial *trial, guint threads, gboolean short_only)
{
    CsPath path = trace_path(trial, threads, short_only);
    cs_path_clear(&path);
}

/* Scores that do not fit 16 bits beside 0. */
static const CsScoring high_scores = {10, 30, 30, 20};

/* The whole matrix is one strip. */
static void
test_one_strip(void)
{
    Trial trial;
    trial_init_related(&trial, 1, 20000, 50, high_scores);
    sweep_whole(&trial, 0);
    trace(&trial, 1, FALSE);
    expect_within(
        &trial,
        &(Limits){.covered = 500000000, .computed = 70000000, .wide = 1000000, .walked = 800000});
    trial_clear(&trial);
}

/* Strips between rows. */
static void
test_strips(void)
{
    Trial trial;
    trial_init_related(&trial, 2, 20000, 50, high_scores);
    sweep_whole(&trial, 3072);
    trace(&trial, 1, FALSE);
    expect_within(
        &trial,
        &(Limits){.covered = 93000000, .computed = 34000000, .wide = 1000000, .walked = 720000});
    trial_clear(&trial);
}

/* Nearly the same bases: many strips have no gap. */
static void
test_alike(void)
{
    Trial trial;
    trial_init_related(&trial, 6, 20000, 1, high_scores);
    sweep_whole(&trial, 3072);
    trace(&trial, 1, FALSE);
    expect_within(
        &trial,
        &(Limits){.covered = 89000000, .computed = 28000000, .wide = 1000000, .walked = 80000});
    trial_clear(&trial);
}

/* Many more rows than columns. */
static void
test_high(void)
{
    Trial trial;
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    GString *a = g_string_new(NULL);
    related_append(rand, a, 4, 100000);
    GString *end = g_string_new_len(a->str + a->len - 500, 500);
    GString *b = related_copy(rand, end, 4, 50);
    trial_init(&trial, a, b, high_scores);
    sweep_whole(&trial, 0);
    trace(&trial, 1, FALSE);
    expect_within(&trial,
                  &(Limits){.covered = 440000, .computed = 870000, .wide = 0, .walked = 16000});
    trial_clear(&trial);
    g_string_free(a, TRUE);
    g_string_free(b, TRUE);
    g_string_free(end, TRUE);
}

/* Sequences that share little. */
static void
test_short(void)
{
    Trial trial;
    g_autoptr(GRand) rand = g_rand_new_with_seed(4);
    GString *a = g_string_new(NULL), *b = g_string_new(NULL);
    related_append(rand, a, 4, 10000);
    related_append(rand, b, 4, 10000);
    g_string_overwrite_len(b, 9000, a->str + 9000, 300);
    trial_init(&trial, a, b, (CsScoring)CS_SCORING_DEFAULT);
    sweep_whole(&trial, 0);
    trace(&trial, 1, TRUE);
    expect_within(&trial,
                  &(Limits){.covered = 490000, .computed = 980000, .wide = 0, .walked = 38000});
    trial_clear(&trial);
    g_string_free(a, TRUE);
    g_string_free(b, TRUE);
}

/* Other threads trace strips ahead. The first sweep waits for one of them. */
static void
test_ahead(void)
{
    Trial trial;
    trial_init_related(&trial, 5, 15000, 50, high_scores);
    sweep_whole(&trial, 1536);
    wait_after(0);
    trace(&trial, 3, FALSE);
    g_assert_cmpint(trial.work.ahead, >, 0);
    trial_clear(&trial);
}

/* Two sequences of 2 * shared bases, but in the middle the second one has more. Both are aligned from end to end. */
static void
trial_init_gap(Trial *trial, guint32 seed, int shared, int more)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    GString *a = g_string_new(NULL);
    related_append(rand, a, 4, 2 * shared);
    GString *b = g_string_new_len(a->str, shared);
    related_append(rand, b, 4, more);
    g_string_append(b, a->str + shared);
    trial_init(trial, a, b, (CsScoring){10, 30, 30, 1});
    trial->end = (CsBest){20 * (CsScore)shared - 30 - more, (gint64)a->len, (gint64)b->len};
    g_string_free(a, TRUE);
    g_string_free(b, TRUE);
}

static void
expect_gap(const CsPath *path, guint64 length)
{
    g_assert_cmpuint(path->n, ==, 3);
    g_assert_cmpint(cs_path_kind(path, 1), ==, CS_PATH_COLUMNS);
    g_assert_cmpuint(cs_path_length(path, 1), ==, length);
}

/* A gap so long that it may be anywhere in a strip, which is swept in larger blocks. */
static void
test_long_gap(void)
{
    Trial trial;
    trial_init_gap(&trial, 7, 7680, 48000);
    g_auto(CsPath) path = trace_path(&trial, 9, FALSE);
    g_test_message("%d blocks", blocks);
    g_assert_cmpint(blocks, <=, 1850);
    expect_gap(&path, 48000);
    trial_clear(&trial);
}

/* Other threads trace pieces that a gap runs through, while this one waits in the second of them. */
static void
test_pieces_of_gap(void)
{
    Trial trial;
    trial_init_gap(&trial, 8, 5000, 40000);
    trial.huge_cells = 200000000; /* fewer than those of the strip, more than those of its pieces */
    wait_after(12);
    g_auto(CsPath) path = trace_path(&trial, 3, FALSE);
    g_assert_cmpint(trial.work.ahead, >, 0);
    expect_gap(&path, 40000);
    trial_clear(&trial);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    prepare_kernels();
    g_test_add_func("/trace-work/one-strip", test_one_strip);
    g_test_add_func("/trace-work/strips", test_strips);
    g_test_add_func("/trace-work/alike", test_alike);
    g_test_add_func("/trace-work/high", test_high);
    g_test_add_func("/trace-work/short", test_short);
    g_test_add_func("/trace-work/ahead", test_ahead);
    g_test_add_func("/trace-work/long-gap", test_long_gap);
    g_test_add_func("/trace-work/pieces-of-gap", test_pieces_of_gap);
    return g_test_run();
}
