/* Plans passes and starts them: see cuda_passes.h. */
#include <chromosweep/error.h>

#include "cuda/cuda_passes.h"

enum {
    FEW_ROWS = 112, /* of a pass: with fewer, what it hands on takes longer than the rest */
};

static int
form_height(const CsCudaForm *form)
{
    return form->kernel->rows * form->lanes;
}

/*
 * About how long a pass takes, in cycles. A warp's step takes some for each row, some besides, and some for
 * each team, which reads and writes its own letters and cells. All warps together go at the pace of the
 * multiprocessors. The longest record goes at that of one warp, which waits for each result.
 */
static double
form_cost(const CsCudaForm *form, const CsCudaTapes *tapes, const CsCudaCosts *costs)
{
    const gboolean two = form->kernel->two_records;
    const double rows = form->kernel->rows, lanes = form->lanes, teams = CS_CUDA_LANES / lanes;
    const double pace = form->kernel->threads < 512 ? costs->few : 1;
    const double step = (rows * costs->row + costs->step + costs->team * teams) * pace;
    const double more = costs->record + costs->lane * lanes;
    const double steps = ((double)tapes->loaded_letters + (double)tapes->loaded * more) * lanes /
                         CS_CUDA_LANES / (two ? 2 : 1);
    const double together = steps * step / (4.0 * tapes->size.multiprocessors);
    const double alone = (double)(tapes->longest + CS_CUDA_LANES) * (rows * costs->alone + 100);
    return MAX(together, alone);
}

/* The same of a pass that hands cells on. They take their time unless much is computed for each. */
static double
form_cost_above(const CsCudaForm *form, const CsCudaTapes *tapes, const CsCudaCosts *costs)
{
    const double cells = costs->hand_on * (double)tapes->loaded_letters;
    const double least =
        form_height(form) < FEW_ROWS ? cells / (4.0 * tapes->size.multiprocessors) : 0;
    return MAX(form->cost, least);
}

void
cs_cuda_forms_add(GArray *forms, const CsCudaTapes *tapes, const CsTapeKernel *kernel,
                  const CsCudaCosts *costs)
{
    const gsize shared = cs_tape_shared_bytes(kernel, tapes->none + 1);
    if (shared > (gsize)tapes->size.shared_block ||
        (tapes->rows_only > 0 && tapes->rows_only != kernel->rows))
        return;
    for (int lanes = 1; lanes <= CS_CUDA_LANES; lanes *= 2) {
        CsCudaForm form = {kernel, lanes, 0, 0};
        if (tapes->lanes_only > 0 && tapes->lanes_only != lanes)
            continue;
        form.cost = form_cost(&form, tapes, costs);
        form.cost_above = form_cost_above(&form, tapes, costs);
        g_array_append_val(forms, form);
    }
}

static double
passes_cost(const CsCudaPasses *passes)
{
    return passes->form.cost_above * (passes->count - 1) + passes->last.cost;
}

/* CsCudaPasses of a form, and the last of the cheapest one that holds the rest; of those the smallest.
 * alike: of as many rows a lane. */
static CsCudaPasses
plan_with(const GArray *forms, const CsCudaForm *form, gint64 rows, gboolean alike)
{
    const gint64 before = MAX(rows - 1, 0) / form_height(form);
    const gint64 rest = rows - before * form_height(form);
    CsCudaPasses passes = {*form, *form, (guint)before + 1};
    for (guint k = 0; k < forms->len; k++) {
        const CsCudaForm *last = &g_array_index(forms, CsCudaForm, k);
        if (form_height(last) < rest || last->cost > passes.last.cost ||
            (alike && last->kernel->rows != form->kernel->rows))
            continue;
        if (last->cost < passes.last.cost || form_height(last) < form_height(&passes.last))
            passes.last = *last;
    }
    return passes;
}

static void
take_cheaper(CsCudaPasses *best, CsCudaPasses passes)
{
    if (best->count == 0 || passes_cost(&passes) < passes_cost(best))
        *best = passes;
}

CsCudaPasses
cs_cuda_passes_plan(const GArray *forms, gint64 rows)
{
    CsCudaPasses best = {0};
    for (guint k = 0; k < forms->len; k++)
        take_cheaper(&best, plan_with(forms, &g_array_index(forms, CsCudaForm, k), rows, FALSE));
    return best;
}

CsCudaPasses
cs_cuda_passes_plan_stripes(const GArray *forms, const CsCudaStripes *stripes)
{
    CsCudaPasses best = {0};
    for (guint k = 0; k < forms->len; k++) {
        const CsCudaForm *form = &g_array_index(forms, CsCudaForm, k);
        const gint64 count = cs_cuda_stripes_count(stripes, form->kernel->rows, form->lanes);
        if (count > 0)
            take_cheaper(&best, plan_with(forms, form, count * form->kernel->rows, TRUE));
    }
    return best;
}

static gboolean
start_pass(CsCudaTapes *tapes, const CsCudaForm *form, CsTapeLaunch *launch, GError **error)
{
    const CsTapeKernel *kernel = form->kernel;
    const gsize shared = cs_tape_shared_bytes(kernel, tapes->none + 1);
    const int teams = CS_CUDA_LANES / form->lanes;
    int resident;
    launch->lanes = form->lanes;
    if (kernel->two_records)
        launch->units = (gint32)(tapes->loaded / 2 + tapes->loaded % 2);
    else if (!cs_cuda_tapes_take(tapes, launch, error))
        return FALSE;
    if (!cs_cuda_check(kernel->resident(shared, &resident), "preparing a kernel", error))
        return FALSE;
    const int warps = (launch->units + teams - 1) / teams;
    const int blocks = MIN(MAX(resident, 1) * tapes->size.multiprocessors, warps);
    return cs_cuda_check(kernel->start(launch, blocks, shared, tapes->stream), "starting a kernel",
                         error);
}

gboolean
cs_cuda_passes_start(const CsCudaPasses *passes, CsCudaTapes *tapes, gsize cell_bytes,
                     CsTapeLaunch *launch, GError **error)
{
    if (passes->count == 0) {
        g_set_error_literal(
            error, CS_ERROR, CS_ERROR_DEVICE,
            "the GPU has no kernel of the form that CHROMOSWEEP_SCORE_FORM asks for");
        return FALSE;
    }
    /* Of what a pass hands to the next one; never none, so that kernels may point into it. */
    const gsize cells = passes->count > 1 ? (gsize)tapes->device_letters : 1;
    if (!cs_cuda_buffer_reserve(&tapes->next, passes->count * sizeof(int32_t), error) ||
        !cs_cuda_buffer_reserve(&tapes->column, cells * cell_bytes, error))
        return FALSE;
    launch->column = tapes->column.start;
    int32_t *next = tapes->next.start;
    if (!cs_cuda_check(cudaMemsetAsync(next, 0, passes->count * sizeof *next, tapes->stream),
                       "clearing memory", error))
        return FALSE;
    for (guint pass = 0; pass < passes->count; pass++) {
        const CsCudaForm *form = pass + 1 < passes->count ? &passes->form : &passes->last;
        launch->next = next + pass;
        launch->takes = pass > 0;
        launch->gives = pass + 1 < passes->count;
        if (!start_pass(tapes, form, launch, error))
            return FALSE;
        for (guint half = 0; half < 2; half++) {
            /* A half whose query has ended keeps its address, and no rows. */
            const int rows = MIN(launch->query_rows[half], form_height(form));
            launch->queries[half] += rows;
            launch->query_rows[half] -= rows;
            if (launch->stripes[half] != NULL)
                launch->stripes[half] += form->lanes;
        }
    }
    return TRUE;
}
