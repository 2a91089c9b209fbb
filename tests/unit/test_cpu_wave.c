/* The threads of the CPU engines: many of them on small blocks, and fewer than were asked for. */
#include <pthread.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "../random_sequence.h"
#include "cpu/cpu_shape.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "sweep/sweep.h"
#include "system/memory.h"
#include "system/parallel.h"

#include "limit_memory.h"

/* Sweeps in blocks so small that the threads nearly always wait for each other. */
static gboolean
sweep(const CsEngineClass *engine, guint threads, gint64 depth, CsBus *bottom, CsSweepState *state,
      GError **error)
{
    g_autoptr(CsSequence) a = random_sequence(700, 1), b = random_sequence(900, 2);
    CsRectangle rectangle = {
        .rows = cs_view_of(a),
        .columns = cs_view_of(b),
        .scoring = CS_SCORING_DEFAULT,
        .bottom = bottom,
    };
    CsSweepOptions options = {
        .engine = engine,
        .engine_options = {.threads = threads},
        .shape = {7, 10, depth, 0, 0, FALSE},
    };
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    return cs_sweep_run(&rectangle, grid, &options, state, error);
}

static CsBus *
bus_of_sweep(const CsEngineClass *engine, guint threads, gint64 depth, CsSweepState *state)
{
    g_autoptr(GError) error = NULL;
    CsBus *bottom = cs_bus_new(900, CS_WIDTH_32, &error);
    g_assert_no_error(error);
    sweep(engine, threads, depth, bottom, state, &error);
    g_assert_no_error(error);
    return bottom;
}

static void
expect_equal(const CsBus *found, const CsBus *wanted)
{
    for (gint64 j = 0; j < wanted->length; j++) {
        g_assert_cmpint(cs_width_get(found->width, found->h, j), ==,
                        cs_width_get(wanted->width, wanted->h, j));
        g_assert_cmpint(cs_width_get(found->width, found->gap, j), ==,
                        cs_width_get(wanted->width, wanted->gap, j));
    }
}

static void
test_many(void)
{
    static const guint threads[] = {2, 3, 8, 64};
    static const gint64 depths[] = {1, 2, 3, 40, 90};
    CsSweepState alone;
    g_autoptr(CsBus) wanted = bus_of_sweep(&cs_scalar_engine, 1, 1, &alone);
    for (guint t = 0; t < G_N_ELEMENTS(threads); t++)
        for (guint d = 0; d < G_N_ELEMENTS(depths); d++) {
            const CsEngineClass *engine = (t + d) % 2 == 0 ? &cs_scalar_engine : &cs_simd_engine;
            CsSweepState state;
            g_autoptr(CsBus) found = bus_of_sweep(engine, threads[t], depths[d], &state);
            expect_equal(found, wanted);
            g_assert_cmpint(state.best.score, ==, alone.best.score);
            g_assert_cmpint(state.best.i, ==, alone.best.i);
            g_assert_cmpint(state.best.j, ==, alone.best.j);
            g_assert_cmpuint(state.threads, ==, MIN(threads[t], depths[d]));
        }
}

static guint
threads_now(void)
{
    g_autoptr(GDir) tasks = g_dir_open("/proc/self/task", 0, NULL);
    guint count = 0;
    while (tasks != NULL && g_dir_read_name(tasks) != NULL)
        count++;
    return count;
}

/* A CsSweepFunc. */
static CsSweepAction
count_threads(const CsSweepState *state, gpointer user_data)
{
    guint *most = user_data;
    *most = MAX(*most, threads_now());
    return CS_SWEEP_GO_ON;
}

/* On the caller's thread, with no cell wanted: the same border, and no other thread. */
static void
test_on_caller(void)
{
    CsSweepState state;
    g_autoptr(CsBus) wanted = bus_of_sweep(&cs_scalar_engine, 1, 1, &state);
    g_autoptr(CsSequence) a = random_sequence(700, 1), b = random_sequence(900, 2);
    const CsEngineClass *engines[] = {&cs_scalar_engine, &cs_simd_engine};
    for (guint e = 0; e < G_N_ELEMENTS(engines); e++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(CsBus) bottom = cs_bus_new(900, CS_WIDTH_32, &error);
        const guint before = threads_now();
        guint most = 0;
        CsRectangle rectangle = {.rows = cs_view_of(a),
                                 .columns = cs_view_of(b),
                                 .scoring = CS_SCORING_DEFAULT,
                                 .bottom = bottom,
                                 .threshold = G_MAXINT64};
        CsSweepOptions options = {.engine = engines[e],
                                  .engine_options = {.threads = 1, .on_caller = TRUE},
                                  .shape = {70, 100, 3, 0, 0, FALSE},
                                  .func = count_threads,
                                  .func_data = &most};
        g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
        g_assert_true(cs_sweep_run(&rectangle, grid, &options, &state, &error));
        expect_equal(bottom, wanted);
        g_assert_cmpint(state.best.score, ==, 0);
        g_assert_cmpuint(most, ==, before);
    }
}

/* A small block that is the only one is computed without a thread, a larger one is not. */
static void
test_small(void)
{
    g_autoptr(CsSequence) a = random_sequence(1100, 1);
    for (gint64 length = 1000; length <= 1100; length += 100) {
        g_autoptr(GError) error = NULL;
        const guint before = threads_now();
        guint most = 0;
        const CsView view = cs_view_of(a);
        CsRectangle rectangle = {.rows = cs_view_slice(&view, 0, length),
                                 .columns = cs_view_slice(&view, 0, length),
                                 .scoring = CS_SCORING_DEFAULT};
        CsSweepState state;
        CsSweepOptions options = {.engine = &cs_simd_engine,
                                  .engine_options = {.threads = 4},
                                  .shape = {2000, 2000, 1, 0, 0, FALSE},
                                  .func = count_threads,
                                  .func_data = &most};
        g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
        g_assert_cmpint(cs_grid_diagonals(grid), ==, 1);
        g_assert_true(cs_sweep_run(&rectangle, grid, &options, &state, &error));
        g_assert_cmpint(state.best.score, ==, length);
        g_assert_cmpuint(state.threads, ==, 1);
        g_assert_cmpuint(most, ==, before + (length == 1100 ? 1 : 0));
    }
}

/* Blocks have the size asked for, unless they would take too long. */
static void
test_shapes(void)
{
    static const gint64 sizes[] = {0, 1, 100, 70000, 1000 * 1000 * 1000, G_MAXINT64 / 4};
    static const gint64 wishes[] = {1, 7, 16384, 16385, 50000000, G_MAXINT64};
    for (guint k = 0; k < 6 * 6 * 6 * 6; k++) {
        gint64 m = sizes[k % 6], n = sizes[k / 6 % 6];
        gint64 height = wishes[k / 36 % 6], width = wishes[k / 216];
        CsRectangle rectangle = {
            .rows = {.length = m}, .columns = {.length = n}, .scoring = CS_SCORING_DEFAULT};
        CsEngineOptions options = {.threads = 3};
        const gint64 depth = k % 5 == 0 ? 400 : 5, at_once = MIN(3, cs_threads_granted());
        const gint64 most = ((gint64)1 << 28) * at_once / MAX(at_once, MIN(depth, n));
        CsGridShape shape = {height, width, depth, 0, 0, FALSE};
        cs_cpu_shape_fill(&rectangle, &options, &shape);
        g_assert_cmpint(shape.depth, ==, depth);
        g_assert_cmpint(shape.block_height, >=, 1);
        g_assert_cmpint(shape.block_width, >=, 1);
        /* Of what the matrix has of it. */
        gint64 tall = CLAMP(m, 1, shape.block_height), wide = CLAMP(n, 1, shape.block_width);
        g_assert_cmpint(tall, <=, most / wide);
        gint64 wished_tall = CLAMP(m, 1, height), wished_wide = CLAMP(n, 1, width);
        /* No narrower and no lower than need be. */
        g_assert_cmpint(shape.block_width, ==, wished_wide <= most ? width : most);
        g_assert_cmpint(shape.block_height, ==, wished_tall <= most / wide ? height : most / wide);
        CsGridShape again = shape;
        cs_cpu_shape_fill(&rectangle, &options, &again);
        g_assert_cmpint(again.block_height, ==, shape.block_height);
        g_assert_cmpint(again.block_width, ==, shape.block_width);
    }
}

/* The caller's thread alone, and fewer than were asked for, find the same as all of them. */
static void
test_few(void)
{
#ifdef SANITIZED
    g_test_skip("the memory is the sanitizer's");
#else
    if (!in_own_process())
        return;
    struct rlimit before;
    CsSweepState states[3];
    CsBus *found[3];
    g_assert_cmpint(getrlimit(RLIMIT_AS, &before), ==, 0);
    limit_memory(CS_MEMORY_SPARE + CS_THREAD_STACK / 2);
    found[0] = bus_of_sweep(&cs_scalar_engine, 32, 32, &states[0]);
    limit_memory(CS_MEMORY_SPARE + 9 * CS_THREAD_STACK / 2);
    found[1] = bus_of_sweep(&cs_scalar_engine, 32, 32, &states[1]);
    g_assert_cmpint(setrlimit(RLIMIT_AS, &before), ==, 0);
    found[2] = bus_of_sweep(&cs_scalar_engine, 32, 32, &states[2]);
    g_assert_cmpuint(states[0].threads, ==, 1);
    g_assert_cmpuint(states[1].threads, >, 1);
    g_assert_cmpuint(states[1].threads, <, 5);
    g_assert_cmpuint(states[2].threads, ==, 32);
    for (guint k = 0; k < 3; k++) {
        expect_equal(found[k], found[2]);
        g_assert_cmpint(states[k].cells, ==, 700 * 900);
        g_assert_cmpint(states[k].best.score, ==, states[2].best.score);
        g_assert_cmpint(states[k].best.i, ==, states[2].best.i);
        g_assert_cmpint(states[k].best.j, ==, states[2].best.j);
        g_assert_cmpuint(states[k].threads_wanted, ==, 32);
    }
    for (guint k = 0; k < 3; k++)
        cs_bus_free(found[k]);
#endif
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cpu-wave/on-caller", test_on_caller);
    g_test_add_func("/cpu-wave/small", test_small);
    g_test_add_func("/cpu-wave/many", test_many);
    g_test_add_func("/cpu-wave/shapes", test_shapes);
    g_test_add_func("/cpu-wave/few", test_few);
    return g_test_run();
}
