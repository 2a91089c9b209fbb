/* Chooses the engine and the grid of a comparison, and checks the memory. */
#include <chromosweep/plan.h>

#include "compare/comparison.h"
#include "compare/needs.h"
#include "engines/engine_registry.h"
#include "engines/selftest.h"
#include "ring/ring_pay.h"

/* A GPU that will compute for longer than this is tested first, at about this many cells a second. */
#define TEST_SECONDS 60
#define GPU_CELLS_A_SECOND 3e12

static gboolean
test_if_long(CsComparison *comparison, GError **error)
{
    const CsSweepOptions *sweep = &comparison->sweep;
    if (!sweep->engine->gpu || (double)comparison->cells / GPU_CELLS_A_SECOND <= TEST_SECONDS)
        return TRUE;
    cs_compare_note(comparison, CS_NOTE_DETAIL,
                    "testing %s first, because the comparison will take long", comparison->phrase);
    comparison->suspect = !cs_selftest_run(sweep->engine, &sweep->engine_options, error);
    return !comparison->suspect;
}

/* Whether the engine works and accepts the rectangle. Then its grid is that of the comparison. */
static gboolean
try_engine(CsComparison *comparison, guint k, const CsRectangle *rectangle, GError **error)
{
    const CsEngineClass *engine = comparison->choice.engines[k];
    CsSweepOptions *sweep = &comparison->sweep;
    sweep->engine = engine;
    sweep->shape = comparison->wish;
    comparison->phrase = cs_device_choice_describe(&comparison->choice, k, error);
    if (comparison->phrase == NULL)
        return FALSE;
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, sweep);
    if ((comparison->cells > 0 &&
         !engine->accepts(rectangle, &sweep->shape, &sweep->engine_options, error)) ||
        !test_if_long(comparison, error))
        return FALSE;
    comparison->grid = g_steal_pointer(&grid);
    return TRUE;
}

/* The rows of members that share a sweep that skips, about: what is skipped is not known. */
static guint
share_rows(const CsEngineOptions *options, guint count, const CsGrid *grid, CsShare *shares)
{
    double all = 0;
    for (guint k = 0; k < count; k++)
        all += options->members[k].speed;
    for (guint k = 0; k < count && shares != NULL; k++)
        shares[k].grid.m = (gint64)((double)grid->m * options->members[k].speed / all);
    return count;
}

guint
cs_compare_engine_members(const CsComparison *comparison, const CsRectangle *rectangle,
                          const CsGrid *grid, CsShare *shares)
{
    CsEngineOptions options = comparison->sweep.engine_options;
    if (options.n_members == 0 || grid->block_rows == 0)
        return 0;
    const guint skippers = cs_ring_share_skippers(rectangle, &options, grid->members);
    if (skippers > 1)
        return share_rows(&options, skippers, grid, shares);
    options.threads = (guint)MIN(options.threads, grid->depth);
    if (shares != NULL)
        cs_ring_share_deal(rectangle, grid, &options, shares);
    return cs_ring_share_count(rectangle, grid, &options);
}

/* Warns if some members of a ring have nothing to do, but not for one of many pairs or for a part of
 * two sequences. */
static void
tell_members(const CsComparison *comparison, const CsRectangle *rectangle)
{
    const guint asked = comparison->choice.n_members;
    const guint working = cs_compare_engine_members(comparison, rectangle, comparison->grid, NULL);
    const gboolean minor =
        comparison->options->one_of_many || comparison->target != comparison->whole_target;
    if (working == 0 || working == asked)
        return;
    cs_compare_note(comparison, minor ? CS_NOTE_DETAIL : CS_NOTE_WARNING,
                    "computing on %u of %u devices: %s", working, asked,
                    working == comparison->sweep.engine_options.n_members
                        ? "there are no threads for more"
                    : rectangle->marks != NULL ? "others cannot mark where alignments end"
                                               : "the matrix is too small for more");
}

/* How many GPUs pay if any device will do. What is skipped is not known yet. So below the size from which several pay if
 * cells are skipped, the GPUs beyond the first would often start for nothing, which takes longer than they save. */
static guint
count_paying(const CsComparison *comparison, const CsRectangle *rectangle)
{
    const gint64 m = cs_rectangle_m(rectangle), n = cs_rectangle_n(rectangle);
    const CsDeviceChoice *choice = &comparison->choice;
    const gboolean minor = comparison->options->one_of_many || comparison->alone ||
                           comparison->target != comparison->whole_target;
    const gboolean any = choice->kind == CS_DEVICE_AUTO && choice->engine_free &&
                         choice->n_members == 0 && choice->engines[0]->gpu;
    if (!any || minor || rectangle->marks != NULL || comparison->wish.depth > 0 ||
        (comparison->options->skip != CS_SKIP_NONE && cs_ring_pay_skipping_gpus(m, n) == 1))
        return 1;
    return cs_ring_pay_gpus(m, n);
}

/* Takes several GPUs if any device will do and they pay. Returns FALSE, and changes nothing, if they cannot compute this, or
 * if memory would be short. */
static gboolean
take_gpus(CsComparison *comparison, const CsRectangle *rectangle)
{
    const guint paying = count_paying(comparison, rectangle);
    const CsDeviceChoice before = comparison->choice;
    const CsSweepOptions sweep = comparison->sweep;
    g_autoptr(GError) failure = NULL;
    CsPlan needs;
    if (paying < 2)
        return FALSE;
    if (cs_device_choice_take_alike(&comparison->choice, paying)) {
        comparison->sweep.engine_options = cs_device_choice_options(
            &comparison->choice, sweep.engine_options.threads, sweep.engine_options.bits);
        if (try_engine(comparison, 0, rectangle, &failure)) {
            cs_needs_fill(&needs, comparison, rectangle);
            g_autofree char *doubt = cs_needs_doubt(&needs);
            if (doubt == NULL && cs_needs_check_memory(&needs, &failure))
                return TRUE;
        }
        cs_compare_note(comparison, comparison->suspect ? CS_NOTE_WARNING : CS_NOTE_DETAIL,
                        "not using several GPUs: %s",
                        failure != NULL ? failure->message : "memory may run out");
    }
    g_clear_pointer(&comparison->grid, cs_grid_free);
    comparison->choice = before;
    comparison->sweep = sweep;
    comparison->suspect = FALSE;
    return FALSE;
}

gboolean
cs_compare_engine_choose(CsComparison *comparison, const CsRectangle *rectangle, GError **error)
{
    const CsDeviceChoice *choice = &comparison->choice;
    if (choice->kind == CS_DEVICE_AUTO && choice->engine_free && !choice->engines[0]->gpu)
        cs_compare_note(comparison, CS_NOTE_DETAIL, "not using a GPU: %s", CS_ENGINE_NO_GPU_ENGINE);
    cs_compare_probe_members(comparison, rectangle);
    if (take_gpus(comparison, rectangle)) {
        comparison->any_device = TRUE;
        cs_compare_note(comparison, CS_NOTE_DETAIL, "engine %s: %s", choice->engines[0]->name,
                        comparison->phrase);
        return TRUE;
    }
    for (guint k = 0;; k++) {
        const CsEngineClass *engine = choice->engines[k];
        GError *failure = NULL;
        if (try_engine(comparison, k, rectangle, &failure)) {
            cs_compare_note(comparison, CS_NOTE_DETAIL, "engine %s: %s", engine->name,
                            comparison->phrase);
            tell_members(comparison, rectangle);
            return TRUE;
        }
        if (!cs_device_choice_goes_on(choice, k, failure)) {
            g_propagate_error(error, failure);
            return FALSE;
        }
        cs_compare_note(comparison, comparison->suspect ? CS_NOTE_WARNING : CS_NOTE_DETAIL,
                        "not using %s: %s", engine->gpu ? "a GPU" : engine->name, failure->message);
        g_error_free(failure);
    }
}

guint
cs_compare_engine_most_members(const CsComparison *comparison, const CsRectangle *rectangle,
                               double cells)
{
    CsSweepOptions sweep = comparison->sweep;
    const gboolean asked = comparison->wish.depth > 0;
    if (sweep.engine_options.n_members == 0 || !rectangle->skipping)
        return 0;
    if (cs_ring_share_is_whole(rectangle, &sweep.engine_options)) {
        const guint paying =
            cs_ring_pay_skipping_gpus(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle));
        return cs_ring_share_skippers(rectangle, &sweep.engine_options, asked ? 0 : paying);
    }
    if (asked)
        return 0;
    sweep.shape = comparison->wish;
    sweep.shape.members = 0;
    g_autoptr(CsGrid) grid = cs_sweep_plan(rectangle, &sweep);
    return !cs_ring_pay_skipping(&sweep.engine_options, cells, (double)cs_grid_diagonals(grid));
}

gboolean
cs_compare_engine_check_needs(CsComparison *comparison, const CsRectangle *rectangle,
                              GError **error)
{
    g_autoptr(GError) failure = NULL;
    CsPlan needs;
    if (comparison->cells == 0)
        return TRUE;
    cs_needs_fill(&needs, comparison, rectangle);
    comparison->sweep_bytes = cs_needs_of_sweep(&needs);
    if (!cs_needs_check_memory(&needs, error))
        return FALSE;
    g_autofree char *doubt = cs_needs_doubt(&needs);
    if (doubt != NULL)
        cs_compare_note(comparison, CS_NOTE_WARNING, "%s", doubt);
    if (!cs_needs_check_disk(&needs, &failure))
        cs_compare_note(comparison, CS_NOTE_WARNING, "%s", failure->message);
    return TRUE;
}
