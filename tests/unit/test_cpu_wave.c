/* The threads of the CPU engines: many of them on small blocks, and fewer than were asked for. */
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "../random_sequence.h"
#include "cpu/cpu_shape.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "sweep/sweep.h"

/* Sanitizers map memory of their own, which a limit on it would end. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Sweeps in blocks so small that the threads wait for each other nearly always. */
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
        .shape = {7, 10, depth, 0, 0},
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

/* Blocks that are wished for stay as they are, but for those that nobody could wait for. */
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
        CsGridShape shape = {height, width, depth, 0, 0};
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

#ifndef SANITIZED
/* Leaves so many bytes to map beyond what is mapped. */
static void
limit_memory(gsize more)
{
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
    gsize pages = g_ascii_strtoull(text, NULL, 10);
    struct rlimit limit;
    g_assert_cmpint(getrlimit(RLIMIT_AS, &limit), ==, 0);
    limit.rlim_cur = pages * (gsize)sysconf(_SC_PAGESIZE) + more;
    g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
}
#endif

/* Stacks that leave room for a few threads: those that start are ended, and the error says why. */
static void
test_refused(void)
{
#ifdef SANITIZED
    g_test_skip("the memory is the sanitizer's");
#else
    const gsize stack = 64 << 20;
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_passed();
        return;
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    g_assert_cmpint(pthread_setattr_default_np(&attributes), ==, 0);
    pthread_attr_destroy(&attributes);
    limit_memory(4 * stack);
    for (int k = 0; k < 20; k++) {
        g_autoptr(GError) error = NULL;
        CsSweepState state = {.cells = -1};
        g_assert_false(sweep(&cs_scalar_engine, 32, 32, NULL, &state, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
        g_assert_true(g_str_has_prefix(error->message, "cannot start 32 threads: "));
        g_assert_cmpint(state.cells, ==, -1);
    }
    CsSweepState state;
    g_autoptr(GError) error = NULL;
    g_assert_true(sweep(&cs_scalar_engine, 1, 32, NULL, &state, &error));
    g_assert_no_error(error);
#endif
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cpu-wave/many", test_many);
    g_test_add_func("/cpu-wave/shapes", test_shapes);
    g_test_add_func("/cpu-wave/refused", test_refused);
    return g_test_run();
}
