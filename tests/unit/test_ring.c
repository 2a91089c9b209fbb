/*
 * What the members of a ring get, what they tell each other, and what happens when one fails. That
 * rings compute correctly, tests/engine shows.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "../random_sequence.h"
#include "../some_ring.h"
#include "limit_memory.h"
#include "ring/ring_pay.h"
#include "ring/ring_shape.h"
#include "ring/ring_share.h"
#include "sweep/sweep.h"

/* Every block row belongs to one member, no thread to two. */
static void
test_shares(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (guint k = 0; k < 3000; k++) {
        CsEngineOptions options = {.threads = (guint)g_rand_int_range(rand, 1, 9)};
        const CsGridShape shape = {.block_height = g_rand_int_range(rand, 1, 8),
                                   .block_width = g_rand_int_range(rand, 1, 8),
                                   .depth = g_rand_int_range(rand, 1, 20)};
        CsShare shares[4];
        some_ring((guint)g_rand_int_range(rand, 1, 5), FALSE, &options);
        g_autoptr(CsGrid) grid = cs_grid_new(g_rand_int_range(rand, 1, 200),
                                             g_rand_int_range(rand, 1, 200), &shape, NULL, 0);
        const CsRectangle rectangle = {0};
        const guint count = cs_ring_share_count(&rectangle, grid, &options);
        g_assert_cmpuint(count, >=, 1);
        g_assert_cmpuint(count, <=, options.n_members);
        cs_ring_share_deal(&rectangle, grid, &options, shares);
        g_autofree guint *owners = g_new0(guint, grid->block_rows);
        guint threads = 0, on_caller = 0;
        gint64 rows = 0;
        for (guint s = 0; s < count; s++) {
            const CsShare *share = &shares[s];
            g_assert_cmpint(share->grid.depth, >=, 1);
            g_assert_cmpint(share->grid.depth, <=, share->grid.block_columns);
            for (gint64 r = 0; r < share->grid.block_rows; r++) {
                const gint64 bi = cs_ring_share_row(share, grid, r);
                g_assert_true(cs_ring_share_has(share, grid, bi));
                g_assert_cmpint(share->grid.row_starts[r + 1] - share->grid.row_starts[r], ==,
                                grid->row_starts[bi + 1] - grid->row_starts[bi]);
                owners[bi]++;
            }
            rows += share->grid.m;
            threads += share->on_caller ? 0 : share->threads;
            on_caller += share->on_caller;
        }
        for (gint64 bi = 0; bi < grid->block_rows; bi++)
            g_assert_cmpuint(owners[bi], ==, 1);
        g_assert_cmpint(rows, ==, grid->m);
        g_assert_cmpuint(threads + (on_caller > 0), ==, options.threads);
        for (guint s = 0; s < count; s++)
            cs_ring_share_clear(&shares[s]);
    }
}

/* In proportion to threads. */
static void
test_proportion(void)
{
    CsEngineOptions options = {.threads = 5};
    const CsGridShape shape = {.block_height = 10, .block_width = 10, .depth = 20};
    CsShare shares[2];
    some_ring(2, FALSE, &options);
    g_autoptr(CsGrid) grid = cs_grid_new(400, 1000, &shape, NULL, 0);
    cs_ring_share_deal(&(CsRectangle){0}, grid, &options, shares);
    g_assert_cmpuint(shares[0].threads, ==, 3);
    g_assert_cmpuint(shares[1].threads, ==, 2);
    g_assert_cmpint(shares[0].slots, ==, 12);
    g_assert_cmpint(shares[1].slots, ==, 8);
    g_assert_cmpint(shares[0].grid.m, ==, 240);
    for (guint k = 0; k < 2; k++)
        cs_ring_share_clear(&shares[k]);
}

static CsRectangle
rectangle_of(const CsSequence *a, const CsSequence *b)
{
    return (CsRectangle){
        .rows = cs_view_of(a), .columns = cs_view_of(b), .scoring = CS_SCORING_DEFAULT};
}

/* Cells that a sweep computes which skips what cannot reach the best score so far. */
static gint64
computed(const CsEngineClass *engine, const CsEngineOptions *options, CsRectangle rectangle)
{
    g_autoptr(GError) error = NULL;
    CsSweepOptions sweep = {.engine = engine,
                            .engine_options = *options,
                            .shape = {.block_height = 200, .block_width = 10, .depth = 2}};
    CsSweepState state;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    g_autofree CsScore *rows = g_new(CsScore, grid->block_rows);
    g_autofree CsScore *columns = g_new(CsScore, grid->block_columns);
    for (gint64 bi = 0; bi < grid->block_rows; bi++)
        rows[bi] = grid->m - grid->row_starts[bi];
    for (gint64 bj = 0; bj < grid->block_columns; bj++)
        columns[bj] = grid->n - cs_grid_column_start(grid, bj);
    rectangle.row_bounds = rows;
    rectangle.column_bounds = columns;
    g_assert_true(cs_sweep_run(&rectangle, grid, &sweep, &state, &error));
    g_assert_no_error(error);
    g_assert_true(state.skipped);
    return state.cells_computed;
}

/* Each member knows the best score of all. Here that is an alignment in the rows of the first, with
 * which most of the second's can be skipped; also if that one is in another process. */
static void
test_known_score(void)
{
    const CsMember members[] = {{&cs_scalar_engine, NULL, 0, 0}, {&cs_scalar_engine, NULL, 0, 0}};
    const CsMember processes[] = {members[0], loop_member("cpu", "scalar", 1)};
    char bases[401];
    g_autoptr(CsSequence) columns = random_sequence(400, 1), other = random_sequence(400, 2);
    cs_sequence_read(other, 0, 400, CS_STRAND_PLUS, bases);
    cs_sequence_read(columns, 0, 120, CS_STRAND_PLUS, bases);
    g_autoptr(CsSequence) rows = cs_sequence_new("rows", bases, 400, NULL);
    const CsRectangle rectangle = rectangle_of(rows, columns);
    const CsEngineOptions one = {
        .threads = 1, .on_caller = TRUE, .members = members, .n_members = 2};
    const gint64 alone = computed(&cs_scalar_engine, &one, rectangle);
    const gint64 shared = computed(&cs_ring_engine, &one, rectangle);
    CsEngineOptions two = one;
    two.members = processes;
    const gint64 apart = computed(&cs_ring_engine, &two, rectangle);
    g_test_message("%" G_GINT64_FORMAT " cells alone, %" G_GINT64_FORMAT
                   " in a ring, %" G_GINT64_FORMAT " in one of two processes",
                   alone, shared, apart);
    g_assert_cmpint(alone, <, 400 * 400 * 3 / 4);
    g_assert_cmpint(shared, <=, alone + alone / 10);
    g_assert_cmpint(apart, <=, alone + alone / 10);
}

static CsRankPlace in_crowd = {.size = 1, .sharers = 1};

static void
start_in_crowd(CsRankPlace *place)
{
    *place = in_crowd;
}

static const CsMpiModule crowd = {
    CS_MPI_MODULE_VERSION, start_in_crowd, loop_send, NULL, loop_wait, loop_take, NULL};

/* Another process has a member's needs for each process of its machine that begins with it or after it. */
static void
test_crowd(void)
{
    const CsMember members[] = {{&cs_scalar_engine, NULL, 0, 0}, loop_member("cpu", "scalar", 1)};
    g_autoptr(CsSequence) a = random_sequence(900, 1), b = random_sequence(800, 2);
    const CsRectangle rectangle = rectangle_of(a, b);
    g_autoptr(GError) error = NULL;
    CsSweepOptions sweep = {
        .engine = &cs_ring_engine,
        .engine_options = {.threads = 1, .members = members, .n_members = 2},
        .shape = {.block_height = 20, .block_width = 20, .depth = 6},
    };
    CsSweepState state;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    g_assert_true(cs_sweep_run(&rectangle, grid, &sweep, &state, &error));
    g_assert_no_error(error);
    in_crowd.local_size = 1 << 30;
    cs_ranks_join(&crowd);
    g_assert_false(cs_sweep_run(&rectangle, grid, &sweep, &state, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_nonnull(strstr(error->message, "process 1: not enough memory on "));
    g_clear_error(&error);
    in_crowd.local_rank = in_crowd.local_size - 1;
    cs_ranks_join(&crowd);
    g_assert_true(cs_sweep_run(&rectangle, grid, &sweep, &state, &error));
    g_assert_no_error(error);
    in_crowd.local_rank = 0;
    (void)loop_member("cpu", "scalar", 1); /* the crowd leaves */
}

#ifndef SANITIZED
/* All of a crowd need more than this process's limit of address space, which each has for itself. */
static void
test_crowd_limited(void)
{
    if (!in_own_process())
        return;
    const CsMember members[] = {{&cs_scalar_engine, NULL, 0, 0}, loop_member("cpu", "scalar", 1)};
    g_autoptr(CsSequence) a = random_sequence(900, 1), b = random_sequence(800, 2);
    const CsRectangle rectangle = rectangle_of(a, b);
    g_autoptr(GError) error = NULL;
    CsSweepOptions sweep = {
        .engine = &cs_ring_engine,
        .engine_options = {.threads = 1, .members = members, .n_members = 2},
        .shape = {.block_height = 20, .block_width = 20, .depth = 6},
    };
    CsSweepState state;
    CsEngineNeeds needs;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    members[1].engine->needs(&rectangle, grid, &sweep.shape,
                             &(CsEngineOptions){.threads = 1, .device = members[1].device}, &needs);
    const gint64 bytes = needs.buses + needs.other;
    in_crowd.local_size = (guint)(((gint64)800 << 20) / bytes);
    cs_ranks_join(&crowd);
    limit_memory(64 << 20);
    g_assert_true(cs_sweep_run(&rectangle, grid, &sweep, &state, &error));
    g_assert_no_error(error);
}
#endif

/* Which sweeps that skip are shared. */
static void
test_pay(void)
{
    CsMember members[3] = {{&cs_scalar_engine, NULL, 0, 0}};
    CsEngineOptions options = {.threads = 4, .members = members, .n_members = 3};
    for (guint k = 0; k < 3; k++)
        members[k] = members[0];
    g_assert_false(cs_ring_pay_skipping(&options, 1e15, 1)); /* they share the threads of one */
    for (guint k = 0; k < 3; k++)
        members[k].threads = k > 0 ? 4 : 0; /* other processes have their own */
    g_assert_true(cs_ring_pay_skipping(&options, 1e13, 1e5));
    g_assert_false(cs_ring_pay_skipping(&options, 1e10, 4e5)); /* 1 Mb, of which 1% is left */
}

/* More GPUs for longer pairs that skip. */
static void
test_pay_gpus(void)
{
    static const struct {
        double bases;
        guint gpus;
    } pairs[] = {{1, 1},    {19e6, 1},  {21e6, 2},  {59e6, 2},
                 {61e6, 4}, {101e6, 8}, {249e6, 8}, {251e6, 16}};
    for (gsize k = 0; k < G_N_ELEMENTS(pairs); k++) {
        const gint64 bases = (gint64)pairs[k].bases;
        g_assert_cmpuint(cs_ring_pay_skipping_gpus(bases, bases), ==, pairs[k].gpus);
        g_assert_cmpuint(cs_ring_pay_skipping_gpus(bases / 2, 2 * bases + 4), ==, pairs[k].gpus);
    }
}

/* More GPUs for longer pairs without skipping: the shorter sequence counts. */
static void
test_pay_dense_gpus(void)
{
    g_assert_cmpuint(cs_ring_pay_gpus(1, 1), ==, 1);
    g_assert_cmpuint(cs_ring_pay_gpus((gint64)2e6, (gint64)200e6), ==, 1);
    g_assert_cmpuint(cs_ring_pay_gpus((gint64)4e6, (gint64)4e6), ==, 2);
    g_assert_cmpuint(cs_ring_pay_gpus((gint64)36e6, (gint64)30e6), ==, 13);
}

/* A sweep that skips on the first members: GPUs of this process, and no more of them than it is told. */
static void
test_skippers(void)
{
    CsEngineClass gpu = cs_scalar_engine;
    gpu.gpu = gpu.shares_skipping = TRUE;
    CsMember members[] = {
        {&gpu, "0", 1, 0}, {&gpu, "1", 1, 0}, {&gpu, "2", 1, 0}, {&cs_scalar_engine, NULL, 0, 0}};
    CsEngineOptions options = {.threads = 1, .members = members, .n_members = 4};
    CsRectangle rectangle = {.skipping = TRUE};
    CsEndMarks marks = {0};
    g_assert_cmpuint(cs_ring_share_skippers(&rectangle, &options, 0), ==, 3);
    g_assert_cmpuint(cs_ring_shape_whole(&rectangle, &options, 0).n_members, ==, 3);
    g_assert_cmpuint(cs_ring_shape_whole(&rectangle, &options, 2).n_members, ==, 2);
    g_assert_cmpuint(cs_ring_shape_whole(&rectangle, &options, 1).n_members, ==, 0);
    g_assert_cmpuint(cs_ring_shape_whole(&rectangle, &options, 16).n_members, ==, 3);
    g_assert_cmpstr(cs_ring_shape_whole(&rectangle, &options, 2).device, ==, "0");
    rectangle.marks = &marks;
    g_assert_cmpuint(cs_ring_share_skippers(&rectangle, &options, 0), ==, 1);
    rectangle = (CsRectangle){0};
    g_assert_cmpuint(cs_ring_share_skippers(&rectangle, &options, 0), ==, 1);
}

static void
shape_of_a_gpu(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape)
{
    shape->block_height = shape->block_width = 10;
    shape->depth = shape->depth > 0 ? shape->depth : 100;
}

/* GPUs of different speeds with the same number of slots: the fast one is full, but not overfull. */
static void
test_uneven(void)
{
    CsEngineClass gpu = cs_scalar_engine;
    gpu.gpu = TRUE;
    gpu.shape = shape_of_a_gpu;
    CsMember members[] = {{&gpu, "0", 100, 0}, {&gpu, "1", 50, 0}};
    const CsEngineOptions options = {.threads = 1, .members = members, .n_members = 2};
    g_autoptr(CsSequence) a = random_sequence(20000, 1);
    const CsRectangle rectangle = rectangle_of(a, a);
    CsGridShape shape = {0};
    CsShare shares[2];
    cs_ring_gpu_engine.shape(&rectangle, &options, &shape);
    g_assert_cmpint(shape.depth, ==, 150);
    g_autoptr(CsGrid) grid = cs_grid_new(20000, 20000, &shape, NULL, 0);
    cs_ring_share_deal(&rectangle, grid, &options, shares);
    g_assert_cmpint(shares[0].slots, ==, 100);
    g_assert_cmpint(shares[1].slots, ==, 50);
    for (guint k = 0; k < 2; k++)
        cs_ring_share_clear(&shares[k]);
    members[1].speed = 100; /* alike: both are full */
    shape = (CsGridShape){0};
    cs_ring_gpu_engine.shape(&rectangle, &options, &shape);
    g_assert_cmpint(shape.depth, ==, 200);
}

/* Where the others are left alone, the first member has all threads of this process and no others. */
static void
test_alone(void)
{
    CsMember members[2] = {{&cs_scalar_engine, NULL, 0, 0}, {&cs_scalar_engine, NULL, 0, 5}};
    g_autoptr(CsSequence) a = random_sequence(90000, 1), b = random_sequence(80000, 2);
    const CsRectangle rectangle = rectangle_of(a, b);
    const CsEngineOptions options = {.threads = 3, .members = members, .n_members = 2};
    CsGridShape shape = {.members = 1}, own = {0};
    CsShare shares[2];
    cs_ring_engine.shape(&rectangle, &options, &shape);
    cs_scalar_engine.shape(&rectangle, &(CsEngineOptions){.threads = 3}, &own);
    g_assert_cmpint(shape.depth, ==, own.depth);
    g_assert_cmpint(shape.block_width, ==, own.block_width);
    g_autoptr(CsGrid) grid = cs_grid_new(90000, 80000, &shape, NULL, 0);
    g_assert_cmpuint(cs_ring_share_count(&rectangle, grid, &options), ==, 1);
    cs_ring_share_deal(&rectangle, grid, &options, shares);
    g_assert_cmpuint(shares[0].threads, ==, 3);
    cs_ring_share_clear(&shares[0]);
}

/* Marks that another process sets would not be seen. */
static void
test_marks(void)
{
    CsMember members[2] = {{&cs_scalar_engine, NULL, 0, 0}, {&cs_scalar_engine, NULL, 0, 0}};
    const CsEngineOptions options = {.threads = 2, .members = members, .n_members = 2};
    CsEndMarks marks = {0};
    const CsRectangle rectangle = {.marks = &marks};
    g_assert_false(cs_ring_share_is_whole(&rectangle, &options));
    members[1].threads = 1;
    g_assert_true(cs_ring_share_is_whole(&rectangle, &options));
    g_assert_false(cs_ring_share_is_whole(&(CsRectangle){0}, &options));
}

/* Scores that need 64 bits, although those of the rows of one member would not. */
static void
test_width(void)
{
    g_autofree char *bases = g_strnfill(300, 'G');
    g_autoptr(CsSequence) a = cs_sequence_new("a", bases, 300, NULL);
    g_autoptr(GError) error = NULL;
    CsRectangle rectangle = rectangle_of(a, a);
    rectangle.scoring.match = ((gint64)3 << 29) / 300;
    CsSweepOptions sweep = {.engine_options = {.threads = 2},
                            .shape = {.block_height = 10, .block_width = 10, .depth = 4}};
    sweep.engine = some_ring(4, FALSE, &sweep.engine_options);
    CsSweepState state;
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    g_assert_true(cs_sweep_run(&rectangle, grid, &sweep, &state, &error));
    g_assert_no_error(error);
    g_assert_cmpint(state.best.score, ==, 300 * rectangle.scoring.match);
    g_assert_cmpint(state.best.i, ==, 300);
}

/* An engine that fails. */
static gint diagonals_left; /* until it fails */
static gboolean fails_to_begin;

static gboolean
collect_or_fail(CsRun *run, CsCollected *collected, GError **error)
{
    if (diagonals_left-- > 0)
        return cs_scalar_engine.collect(run, collected, error);
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "it fell off the bus");
    return FALSE;
}

static CsRun *
begin_or_fail(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
              const CsEngineOptions *options, GError **error)
{
    if (!fails_to_begin)
        return cs_scalar_engine.begin(rectangle, grid, shape, options, error);
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "it is not there");
    return NULL;
}

/* The staircase that was kept last. */
typedef struct {
    CsStaircase last;
    guint kept;
} Kept;

static CsSweepAction
keep_often(const CsSweepState *state, gpointer user_data)
{
    return state->diagonals % 7 == 0 ? CS_SWEEP_KEEP : CS_SWEEP_GO_ON;
}

static gboolean
keep(CsStaircase *staircase, const GError *failure, const CsSweepState *state, gpointer user_data,
     GError **error)
{
    Kept *kept = user_data;
    cs_staircase_clear(&kept->last);
    kept->last = *staircase;
    *staircase = (CsStaircase){0};
    kept->kept++;
    return TRUE;
}

/* A member that fails ends the sweep with its error and its number. What was kept before stays. */
static void
test_failure(void)
{
    static CsEngineClass failing;
    failing = cs_scalar_engine;
    failing.begin = begin_or_fail;
    failing.collect = collect_or_fail;
    const CsMember members[] = {
        {&cs_simd_engine, NULL, 0, 0}, {&failing, NULL, 0, 0}, {&cs_simd_engine, NULL, 0, 0}};
    g_autoptr(CsSequence) a = random_sequence(900, 1), b = random_sequence(800, 2);
    const CsRectangle rectangle = rectangle_of(a, b);
    g_autoptr(GError) error = NULL;
    Kept kept = {0};
    CsSweepOptions sweep = {
        .engine = &cs_ring_engine,
        .engine_options = {.threads = 3, .members = members, .n_members = 3},
        .shape = {.block_height = 20, .block_width = 20, .depth = 6},
        .func = keep_often,
        .keep = keep,
        .func_data = &kept,
    };
    CsSweepState state = {.cells = -1};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &sweep);
    diagonals_left = 250;
    g_assert_false(cs_sweep_run(&rectangle, grid, &sweep, &state, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_nonnull(strstr(error->message, "member 2 of the ring: it fell off the bus"));
    g_assert_cmpint(state.cells, ==, -1);
    g_assert_cmpuint(kept.kept, >, 0);
    g_assert_cmpint(cs_staircase_cells(&kept.last), >, 0);
    cs_staircase_clear(&kept.last);
    g_clear_error(&error);
    fails_to_begin = TRUE;
    g_assert_false(cs_sweep_run(&rectangle, grid, &sweep, &state, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_cmpstr(error->message, ==, "member 2 of the ring: it is not there");
    fails_to_begin = FALSE;
}

/* What goes wrong in a member, on purpose. */
enum {
    NOTHING,
    LATE, /* what enters at a seam is what entered there with the group before */
    OFF,  /* it enters a column further on */
    LOST, /* the member does not tell its best cell */
    FAULTS
};

enum {
    FAULTY_COLUMNS = 230
};

static guint fault;
static CsScore before[2][FAULTY_COLUMNS + 1]; /* H and F that entered before */

static gboolean
feed_wrongly(CsRun *run, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
             CsScore known, GError **error)
{
    const CsScore *borders[] = {h, f};
    CsScore values[2][FAULTY_COLUMNS];
    g_assert_nonnull(h);
    for (guint k = 0; k < 2; k++) {
        CsScore *entered = before[k] + from; /* H and F of column j in before[k][j + 1] */
        for (gint64 c = 0; c < count; c++)
            values[k][c] = fault == LATE               ? entered[c + 1]
                           : fault == OFF && c > 0     ? borders[k][c - 1]
                           : fault == OFF && from == 0 ? 0
                           : fault == OFF              ? entered[0]
                                                       : borders[k][c];
        memcpy(entered + 1, borders[k], (gsize)count * sizeof(CsScore));
    }
    return cs_scalar_engine.feed(run, from, count, values[0], values[1], known, error);
}

static gboolean
collect_wrongly(CsRun *run, CsCollected *collected, GError **error)
{
    const gboolean done = cs_scalar_engine.collect(run, collected, error);
    if (fault == LOST)
        collected->best = (CsBest){0};
    return done;
}

/* The best cell that a ring finds whose second member has the fault. */
static CsBest
best_of(const CsRectangle *rectangle, const CsEngineClass *engine)
{
    const CsMember members[] = {
        {&cs_scalar_engine, NULL, 0, 0}, {engine, NULL, 0, 0}, {&cs_scalar_engine, NULL, 0, 0}};
    g_autoptr(GError) error = NULL;
    CsSweepOptions sweep = {.engine = &cs_ring_engine,
                            .engine_options = {.threads = 3, .members = members, .n_members = 3},
                            .shape = {.block_height = 7, .block_width = 20, .depth = 6}};
    CsSweepState state;
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, &sweep);
    g_assert_cmpuint(cs_ring_share_count(rectangle, grid, &sweep.engine_options), ==, 3);
    memset(before, 0, sizeof before);
    g_assert_true(cs_sweep_run(rectangle, grid, &sweep, &state, &error));
    g_assert_no_error(error);
    return state.best;
}

/* A late piece, a seam that is one off, and a best cell that is lost make the answer wrong, so that tests which compare
 * answers find them. */
static void
test_faults(void)
{
    static CsEngineClass faulty;
    faulty = cs_scalar_engine;
    faulty.feed = feed_wrongly;
    faulty.collect = collect_wrongly;
    guint wrong[FAULTS] = {0};
    for (guint seed = 1; seed <= 20; seed++) {
        g_autoptr(CsSequence) a = random_sequence(FAULTY_COLUMNS, seed);
        const CsRectangle rectangle = rectangle_of(a, a);
        const CsBest right = best_of(&rectangle, &cs_scalar_engine);
        g_assert_cmpint(right.score, ==, FAULTY_COLUMNS);
        for (fault = NOTHING; fault < FAULTS; fault++) {
            const CsBest found = best_of(&rectangle, &faulty);
            wrong[fault] += found.score != right.score || found.i != right.i || found.j != right.j;
        }
    }
    g_test_message("wrong of 20: late %u, off %u, lost %u", wrong[LATE], wrong[OFF], wrong[LOST]);
    g_assert_cmpuint(wrong[NOTHING], ==, 0);
    for (guint k = NOTHING + 1; k < FAULTS; k++)
        g_assert_cmpuint(wrong[k], >, 0);
}

/* An engine that cannot be fed is refused before anything begins. */
static void
test_refusal(void)
{
    CsEngineClass hungry = cs_scalar_engine;
    hungry.feed = NULL;
    const CsMember members[] = {{&cs_scalar_engine, NULL, 0, 0}, {&hungry, NULL, 0, 0}};
    g_autoptr(CsSequence) a = random_sequence(90, 1), b = random_sequence(80, 2);
    const CsRectangle rectangle = rectangle_of(a, b);
    g_autoptr(GError) error = NULL;
    const CsEngineOptions options = {.threads = 2, .members = members, .n_members = 2};
    CsGridShape shape = {0};
    cs_ring_engine.shape(&rectangle, &options, &shape);
    g_assert_false(cs_ring_engine.accepts(&rectangle, &shape, &options, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ring/shares", test_shares);
    g_test_add_func("/ring/proportion", test_proportion);
    g_test_add_func("/ring/known-score", test_known_score);
    g_test_add_func("/ring/crowd", test_crowd);
#ifndef SANITIZED
    g_test_add_func("/ring/crowd-limited", test_crowd_limited);
#endif
    g_test_add_func("/ring/pay", test_pay);
    g_test_add_func("/ring/pay-gpus", test_pay_gpus);
    g_test_add_func("/ring/pay-dense-gpus", test_pay_dense_gpus);
    g_test_add_func("/ring/skippers", test_skippers);
    g_test_add_func("/ring/uneven", test_uneven);
    g_test_add_func("/ring/alone", test_alone);
    g_test_add_func("/ring/marks", test_marks);
    g_test_add_func("/ring/width", test_width);
    g_test_add_func("/ring/failure", test_failure);
    g_test_add_func("/ring/faults", test_faults);
    g_test_add_func("/ring/refusal", test_refusal);
    return g_test_run();
}
