/* The known-answer test: the scalar engine finds the constants, and a wrong engine fails. */
#include <string.h>

#include <chromosweep/engine.h>
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "cpu/scalar.h"
#include "cpu/simd.h"
#include "engines/selftest.h"

static void
expect_passes(const CsEngineClass *engine, guint bits)
{
    g_autoptr(GError) error = NULL;
    CsEngineOptions options = {.threads = cs_threads_granted(), .bits = bits};
    gboolean passed = cs_selftest_run(engine, &options, &error);
    g_assert_no_error(error);
    g_assert_true(passed);
}

/* A third of a minute of a CPU. The self-test of the command, which is tested always, does the same. */
static void
test_scalar(void)
{
    if (case_count(100) < 100) {
        g_test_skip("few cases are wanted");
        return;
    }
    expect_passes(&cs_scalar_engine, 0);
}

static void
test_simd(void)
{
    static const char *const targets[] = {"neon", "sse4.1", "avx2", "avx512"};
    for (guint k = 0; k < G_N_ELEMENTS(targets); k++) {
        mask_simd(targets[k]);
        g_autoptr(GError) error = NULL;
        if (cs_simd_engine.describe(NULL, &error) != NULL)
            expect_passes(&cs_simd_engine, 0);
    }
    mask_simd(NULL);
    if (case_count(100) >= 100) /* a third of a minute */
        expect_passes(&cs_simd_engine, 64);
}

/* The vector engine with a fault, one of these. */
static CsEngineClass faulty;
static CsBest best_offset;
static CsScore bottom_offset;
static const CsRectangle *rectangle_begun;

static CsRun *
begin_faulty(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
             const CsEngineOptions *options, GError **error)
{
    rectangle_begun = rectangle;
    CsEngineOptions cpu = *options;
    cpu.bits = 0;
    return cs_simd_engine.begin(rectangle, grid, shape, &cpu, error);
}

static gboolean
accept_faulty(const CsRectangle *rectangle, const CsGridShape *shape,
              const CsEngineOptions *options, GError **error)
{
    return TRUE;
}

static gboolean
collect_faulty(CsRun *run, CsCollected *collected, GError **error)
{
    gboolean success = cs_simd_engine.collect(run, collected, error);
    collected->best.score += best_offset.score;
    collected->best.i += best_offset.i;
    collected->best.j += best_offset.j;
    return success;
}

static gboolean
finish_faulty(CsRun *run, GError **error)
{
    gboolean success = cs_simd_engine.finish(run, error);
    CsBus *bottom = rectangle_begun->bottom;
    gint64 last = bottom->length - 1;
    cs_width_set(bottom->width, bottom->gap, last,
                 cs_width_get(bottom->width, bottom->gap, last) + bottom_offset);
    return success;
}

static void
expect_fails(const char *like)
{
    g_autoptr(GError) error = NULL;
    CsEngineOptions options = {.threads = 2};
    g_assert_false(cs_selftest_run(&faulty, &options, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    if (!g_pattern_match_simple(like, error->message))
        g_error("not like '%s': %s", like, error->message);
}

static void
test_faulty(void)
{
    faulty = cs_simd_engine;
    faulty.name = "faulty";
    faulty.begin = begin_faulty;
    faulty.accepts = accept_faulty;
    faulty.collect = collect_faulty;
    faulty.finish = finish_faulty;
    expect_passes(&faulty, 0);
    best_offset = (CsBest){-1, 0, 0};
    expect_fails(
        "engine faulty (*) gives wrong results and is not used (similar pair: the score is 41784*");
    best_offset = (CsBest){0, 0, -1};
    expect_fails(
        "*gives wrong results and is not used (similar pair: the end is 60000,60102, not *");
    best_offset = (CsBest){0, 0, 0};
    bottom_offset = 1;
    expect_fails("*gives wrong results and is not used (similar pair: the bottom row is *, not *)");

    /* A GPU is tested with both of its widths, and with the one asked for. */
    faulty.gpu = TRUE;
    expect_fails("*gives wrong results and is not used (similar pair, 16 bits: *");
    bottom_offset = 0;
    expect_passes(&faulty, 0);
}

static gboolean
accept_no_16(const CsRectangle *rectangle, const CsGridShape *shape, const CsEngineOptions *options,
             GError **error)
{
    if (options->bits != 16)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "no room");
    return FALSE;
}

/* Failures of the engine itself are passed on. */
static void
test_refusing(void)
{
    faulty.gpu = TRUE;
    faulty.accepts = accept_no_16;
    expect_fails("self-test of faulty (similar pair): no room");
    expect_passes(&faulty, 32);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/selftest/scalar", test_scalar);
    g_test_add_func("/selftest/simd", test_simd);
    g_test_add_func("/selftest/faulty", test_faulty);
    g_test_add_func("/selftest/refusing", test_refusing);
    return g_test_run();
}
