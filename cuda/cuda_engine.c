/*
 * The engine of NVIDIA GPUs: chooses a sweep's layout, checks that the device has code and room for
 * it, and leaves the rest to that layout.
 *
 *     cuda_engine             the vtable
 *        |
 *     cuda_run                memory, state and launches of every sweep, from begin to free
 *        |
 *        +-- cuda_wave        ---+-- cuda_dense    diagonals as launches, events, totals
 *        +-- cuda_row_slices  ---+-- cuda_pieces   special rows
 *        |                       +-- cuda_feed     what enters a member of a ring at its seams
 *        +-- cuda_skipping    ------ cuda_groups   launches of lists of blocks, from cuda_spans
 *                                +-- cuda_members  several GPUs; cuda_arrivals: what one has for another
 *        |
 *     cuda_borders, cuda_risers              what enters; what slots leave inside a row
 *     cuda_plan, cuda_forms, cuda_footprint  layout, kernel forms and bytes: arithmetic, no device
 *     cuda_memory, cuda_device               copies and allocations; the GPUs, and errors in words
 *        |
 *        v
 *     sweep_kernel.h          what a launch is told: plain C, one struct; the table of kernel forms
 *        ^
 *        |
 *     sweep_kernel_16.cu, sweep_kernel_32.cu  the forms that are compiled (kernel_forms.cuh)
 *        |
 *        v
 *     dense_sweep.cuh, skipping_sweep.cuh     one slot's sweep: the two kinds
 *        |
 *        v
 *     chunk_step.cuh -> chunk_loop.cuh        one chunk of a strip; its fast and slow steps
 *     strip.cuh, columns.cuh, borders.cuh, best_cell.cuh, settle.cuh, chunk_skip.cuh, warp.cuh,
 *     recurrence.cuh, nvcc.cuh
 *
 * A layout is a table of functions (CsCudaLayout in cuda_run.h). A new one is a file, a line here
 * and its sizes in cuda_footprint.c. The kernels know nothing of rectangles, files or GLib. Only
 * cuda_device.c asks which GPUs there are. Every result of a CUDA call goes to cs_cuda_check().
 *
 * A diagonal is two launches on one stream, the short phase and the long phase; now and then a
 * third settles the best cell. submit() queues them and an event and returns. collect() waits for
 * that event, up to `queue` diagonals later. The run owns all device and pinned memory from begin()
 * to free(). Rectangles, views and borders belong to the caller.
 */
#include <chromosweep/error.h>

#include "cuda/cuda_device.h"
#include "cuda/cuda_engine.h"
#include "cuda/cuda_members.h"
#include "cuda/cuda_run.h"

/* Host memory: more than a CUDA context takes, with what the driver maps. */
#define DRIVER_BYTES ((gint64)1 << 30)

static const char *
describe(const char *device, GError **error)
{
    int ordinal;
    return cs_cuda_device_open(device, &ordinal, error) ? cs_cuda_device_name(ordinal, error)
                                                        : NULL;
}

/* The plan as it would be. If there is no device, or it cannot compute this, accepts() and begin()
 * report that. */
static gboolean
foresee(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape,
        CsCudaPlan *plan)
{
    int ordinal = 0;
    (void)cs_cuda_device_open(options->device, &ordinal, NULL);
    CsCudaSize size = cs_cuda_device_size(ordinal);
    return cs_cuda_plan_make(rectangle, options, &size, shape, plan, NULL);
}

static void
make_shape(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape)
{
    CsCudaPlan plan;
    if (foresee(rectangle, options, shape, &plan))
        return;
    shape->block_height = MAX(shape->block_height, 1);
    shape->block_width = MAX(shape->block_width, 1);
    shape->depth = MAX(shape->depth, 1);
}

/* Whether several GPUs share the sweep. */
static gboolean
is_shared(const CsCudaPlan *plan, const CsEngineOptions *options)
{
    return plan->skipping && options->n_members > 1;
}

/* How many members are the same device as one of them. */
static gint64
count_sharers(const CsEngineOptions *options, guint k)
{
    gint64 sharers = 0;
    for (guint l = 0; l < options->n_members; l++)
        sharers += g_strcmp0(options->members[l].device, options->members[k].device) == 0;
    return sharers;
}

static void
needs(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
      const CsEngineOptions *options, CsEngineNeeds *needs)
{
    CsCudaPlan plan;
    CsGridShape rounded = *shape;
    *needs = (CsEngineNeeds){.other = DRIVER_BYTES};
    if (!foresee(rectangle, options, &rounded, &plan))
        return;
    const CsCudaFootprint footprint = cs_cuda_footprint_of(rectangle, &plan, grid);
    const gint64 risers = MIN(footprint.slots * grid->block_height, cs_rectangle_m(rectangle));
    const gint64 members = is_shared(&plan, options) ? options->n_members : 1;
    gint64 sharers = 1;
    for (guint k = 0; members > 1 && k < members; k++)
        sharers = MAX(sharers, count_sharers(options, k));
    needs->device = sharers * footprint.bytes;
    needs->bits = (guint)plan.kernel->bits;
    needs->risers = plan.skipping ? risers : 0;
    needs->other = members * (needs->other + 16 * grid->block_rows + 8 * risers);
}

/* Whether the build has code for the device, and how many blocks it runs at once. */
static gboolean
check_kernel(const CsCudaPlan *plan, GError **error)
{
    int blocks;
    cudaError_t code = plan->skipping ? plan->kernel->resident_skipping(plan->warps, &blocks)
                                      : plan->kernel->resident(plan->warps, &blocks);
    if (!cs_cuda_check(code, "loading a kernel for this device", error))
        return FALSE;
    return blocks > 0 ||
           cs_cuda_check(cudaErrorLaunchOutOfResources, "loading a kernel for this device", error);
}

/* Makes the device the current one, checks that the build has code for it, and makes the plan. */
static gboolean
make_plan(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *shape,
          CsCudaPlan *plan, int *ordinal, GError **error)
{
    if (!cs_cuda_device_open(options->device, ordinal, error))
        return FALSE;
    CsCudaSize size = cs_cuda_device_size(*ordinal);
    return cs_cuda_plan_make(rectangle, options, &size, shape, plan, error) &&
           check_kernel(plan, error);
}

/* The plan of another member, which has to be that of the first. */
static gboolean
make_plan_of(const CsRectangle *rectangle, const CsEngineOptions *options, const CsMember *member,
             const CsGridShape *shape, const CsCudaPlan *first, CsCudaPlan *plan, int *ordinal,
             GError **error)
{
    CsGridShape rounded = *shape;
    CsEngineOptions own = *options;
    own.device = member->device;
    if (!make_plan(rectangle, &own, &rounded, plan, ordinal, error))
        return FALSE;
    if (plan->kernel == first->kernel && plan->warps == first->warps &&
        plan->block_chunks == first->block_chunks)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "its blocks differ from those of the first GPU, so it cannot share them");
    return FALSE;
}

/* Whether each device has room for all members that run on it. */
static gboolean
have_room(const CsRectangle *rectangle, const CsEngineOptions *options, const CsGridShape *shape,
          const CsCudaPlan *plan, gint64 bytes, GError **error)
{
    for (guint k = 0; k < options->n_members; k++) {
        int ordinal;
        CsCudaPlan own;
        if (!make_plan_of(rectangle, options, &options->members[k], shape, plan, &own, &ordinal,
                          error) ||
            !cs_cuda_device_has_room(count_sharers(options, k) * bytes, error))
            return cs_cuda_members_name(k, error);
    }
    return TRUE;
}

static gboolean
accepts(const CsRectangle *rectangle, const CsGridShape *shape, const CsEngineOptions *options,
        GError **error)
{
    int ordinal;
    CsCudaPlan plan;
    CsGridShape rounded = *shape;
    if (!make_plan(rectangle, options, &rounded, &plan, &ordinal, error))
        return FALSE;
    g_autoptr(CsGrid) grid =
        cs_grid_new(cs_rectangle_m(rectangle), cs_rectangle_n(rectangle), &rounded,
                    rectangle->special_rows, rectangle->n_special_rows);
    const gint64 bytes = cs_cuda_footprint_of(rectangle, &plan, grid).bytes;
    return is_shared(&plan, options) ? have_room(rectangle, options, &rounded, &plan, bytes, error)
                                     : cs_cuda_device_has_room(bytes, error);
}

static const CsCudaLayout *
layout_of(const CsCudaPlan *plan)
{
    if (plan->skipping)
        return &cs_cuda_skipping;
    return plan->sliced ? &cs_cuda_row_slices : &cs_cuda_wave;
}

/* The runs of the other GPUs that share the sweep, which the first one sets up and frees. */
static gboolean
add_others(CsRun *run, const CsGridShape *shape, const CsEngineOptions *options, GError **error)
{
    run->others = g_new0(CsRun *, options->n_members);
    run->speed = options->members[0].speed;
    for (guint k = 1; k < options->n_members; k++) {
        int ordinal;
        CsCudaPlan plan;
        const CsMember *member = &options->members[k];
        CsRun *other = NULL;
        if (make_plan_of(run->rectangle, options, member, shape, &run->plan, &plan, &ordinal,
                         error))
            other = cs_cuda_run_new(&cs_cuda_skipping_other, run->rectangle, run->grid, &plan,
                                    ordinal, error);
        if (other == NULL)
            return cs_cuda_members_name(k, error);
        other->speed = member->speed;
        run->others[run->n_others++] = other;
    }
    return cs_cuda_check(cudaSetDevice(run->ordinal), "choosing the device", error);
}

/* Says that a failure is the first member's, if it computes alone. */
static gboolean
name_alone(gboolean alone, gboolean done, GError **error)
{
    return done || !alone ? done : cs_cuda_members_name(0, error);
}

static CsRun *
begin(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
      const CsEngineOptions *options, GError **error)
{
    g_assert(rectangle->n_special_rows == 0 || rectangle->row_func != NULL);
    int ordinal;
    CsCudaPlan plan;
    CsGridShape rounded = *shape;
    const gboolean several = options->n_members > 1;
    if (!name_alone(several, make_plan(rectangle, options, &rounded, &plan, &ordinal, error),
                    error))
        return NULL;
    g_assert(rounded.block_height == grid->block_height &&
             rounded.block_width == grid->block_width);
    CsRun *run = cs_cuda_run_new(layout_of(&plan), rectangle, grid, &plan, ordinal, error);
    if (!name_alone(several, run != NULL, error))
        return NULL;
    run->alone = several && !is_shared(&plan, options);
    if ((!is_shared(&plan, options) || add_others(run, shape, options, error)) &&
        name_alone(run->alone, cs_cuda_run_set_up(run, error), error))
        return run;
    cs_cuda_run_free(run);
    return NULL;
}

/* The runs of a ring take turns on a thread, so each makes its device the current one. */
static gboolean
enter(const CsRun *run, GError **error)
{
    return cs_cuda_check(cudaSetDevice(run->ordinal), "choosing the device", error);
}

/* A dense sweep looks for cells only where they may be the best of this run, which rarely computes
 * anything twice. So it does not use what others know. */
static gboolean
feed(CsRun *run, gint64 from, gint64 count, const CsScore *h, const CsScore *f, CsScore known,
     GError **error)
{
    g_assert(run->layout->feed != NULL);
    return enter(run, error) && run->layout->feed(run, from, count, h, f, error);
}

static gboolean
submit(CsRun *run, gint64 d, GError **error)
{
    g_assert(d == run->submitted && d - run->collected < CS_CUDA_QUEUE);
    if (!name_alone(run->alone, enter(run, error) && run->layout->submit(run, d, error), error))
        return FALSE;
    run->submitted++;
    return TRUE;
}

static gboolean
collect(CsRun *run, CsCollected *collected, GError **error)
{
    g_assert(run->collected < run->submitted);
    return name_alone(
        run->alone,
        enter(run, error) && run->layout->collect(run, run->collected++, collected, error), error);
}

static gboolean
staircase(CsRun *run, CsStaircase *staircase, GError **error)
{
    g_assert(run->collected == run->submitted);
    g_auto(CsStaircase) copy = {.horizontal = g_steal_pointer(&staircase->horizontal),
                                .steps = g_array_new(FALSE, FALSE, sizeof(CsStep))};
    if (!enter(run, error) ||
        !cs_staircase_need_horizontal(&copy, run->grid->n, CS_WIDTH_32, error) ||
        !run->layout->staircase(run, &copy, error) || !cs_cuda_run_take_marks(run, error))
        return name_alone(run->alone, FALSE, error);
    copy.best = cs_cuda_run_best(run);
    *staircase = copy;
    copy = (CsStaircase){0};
    return TRUE;
}

static gboolean
finish(CsRun *run, GError **error)
{
    return name_alone(run->alone,
                      enter(run, error) && run->layout->finish(run, error) &&
                          cs_cuda_run_take_marks(run, error),
                      error);
}

const CsEngineClass cs_cuda_engine = {
    .name = "cuda",
    .gpu = TRUE,
    .queue = CS_CUDA_QUEUE,
    .shares_skipping = TRUE,
    .late = 1, /* a block's last row is complete after the next diagonal's short phase */
    .describe = describe,
    .shape = make_shape,
    .accepts = accepts,
    .needs = needs,
    .begin = begin,
    .feed = feed,
    .submit = submit,
    .collect = collect,
    .staircase = staircase,
    .finish = finish,
    .free = cs_cuda_run_free,
};
