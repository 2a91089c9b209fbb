/* Risers, from the device's buffers and from what its lanes keep. */
#include <chromosweep/error.h>

#include "cuda/cuda_device.h"
#include "cuda/cuda_risers.h"

void
cs_cuda_risers_clear(CsCudaRisers *risers)
{
    g_free(risers->cells);
    g_free(risers->lanes);
}

gboolean
cs_cuda_risers_prepare(CsRun *run, GError **error)
{
    const gsize slots = (gsize)run->launch.slots, height = (gsize)run->grid->block_height;
    if (run->launch.risers == NULL)
        run->launch.risers =
            cs_cuda_memory_allocate(&run->memory, slots * height * sizeof(CsKernelCell), error);
    return run->launch.risers != NULL;
}

gboolean
cs_cuda_risers_copy(CsRun *run, CsCudaRisers *risers, GError **error)
{
    const CsKernelLaunch *launch = &run->launch;
    gsize slots = (gsize)launch->slots, cells = slots * (gsize)run->grid->block_height;
    gsize words = slots * (gsize)(CS_STATE_BASE(run->plan.kernel->words) + 1);
    /* The words of lane 0 of a slot are as far apart as there are threads in all; those of two
     * slots are as far apart as there are threads in a block. */
    gsize apart = (gsize)launch->warps * 32 * sizeof *risers->lanes;
    risers->cells = g_try_new(CsKernelCell, cells);
    risers->lanes = g_try_new(guint32, words);
    if (risers->cells == NULL || risers->lanes == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for %" G_GSIZE_FORMAT " cells of risers", cells);
        return FALSE;
    }
    return cs_cuda_check(cudaMemcpy2DAsync(risers->lanes, sizeof *risers->lanes, launch->state,
                                           apart, sizeof *risers->lanes, words,
                                           cudaMemcpyDeviceToHost, run->memory.stream),
                         "copying from the device", error) &&
           cs_cuda_memory_download(&run->memory, risers->cells, launch->risers,
                                   cells * sizeof *risers->cells, error);
}

/* The upper cell of a word, absolute. */
static CsScore
cell_of_word(const CsRun *run, guint32 word, guint32 base)
{
    return run->plan.kernel->bits == 16 ? (CsScore)(gint16)(word & 0xffff) + (gint32)base
                                        : (CsScore)(gint32)word;
}

/*
 * The riser's uppermost rows and its corner. Lane 0 of warp 0 was at the riser's column when the
 * launch ended, so these values are in its state (sweep_kernel.h) and the drain does not capture
 * them. Its E is that of the next column; adding one extension gives the same for all later cells.
 */
static void
copy_lane_0(const CsCudaRisers *risers, const CsRun *run, gint64 s, CsStep *step)
{
    const CsScoring *scoring = &run->rectangle->scoring;
    const int words = run->plan.kernel->words;
    const gint64 slots = run->launch.slots;
    const guint32 *lane = risers->lanes + s, base = lane[CS_STATE_BASE(words) * slots];
    step->corner = cell_of_word(run, lane[CS_STATE_ABOVE(words) * slots], base);
    for (int k = 0; k < words && k < step->height; k++) {
        CsScore h = cell_of_word(run, lane[k * slots], base);
        CsScore e = cell_of_word(run, lane[(words + k) * slots], base);
        cs_width_set(step->riser->width, step->riser->h, k, h);
        cs_width_set(step->riser->width, step->riser->gap, k, MAX(e + scoring->gap_extend, 0));
    }
}

gboolean
cs_cuda_risers_add(const CsCudaRisers *risers, const CsRun *run, gint64 s, gint64 bi, gint64 column,
                   CsStaircase *copy, GError **error)
{
    const CsGrid *grid = run->grid;
    CsStep step = {
        .row = grid->row_starts[bi],
        .height = grid->row_starts[bi + 1] - grid->row_starts[bi],
        .column = column,
    };
    step.riser = cs_bus_new(step.height, CS_WIDTH_32, error);
    if (step.riser == NULL)
        return FALSE;
    cs_cuda_memory_put_cells(step.riser, 0, risers->cells + s * grid->block_height, step.height);
    copy_lane_0(risers, run, s, &step);
    g_array_append_val(copy->steps, step);
    return TRUE;
}
