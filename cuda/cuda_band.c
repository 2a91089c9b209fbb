/* Launches of a pruned sweep. */
#include <string.h>

#include <chromosweep/error.h>

#include "cuda/cuda_band.h"
#include "cuda/cuda_device.h"

enum {
    GROUPS = 4,   /* under way at once */
    ITEMS = 8192, /* that a launch need not have more of */
};

typedef struct {
    cudaEvent_t event;
    GArray *items;              /* of CsKernelItem */
    CsKernelItem *host, *there; /* what is copied, and where to */
    gint32 *computed;           /* host: of each item */
    CsCudaTotals *totals;       /* host */
    guint steps;
} Group;

struct _CsCudaBand {
    CsCudaLive *live;
    const CsKernel *kernel;
    CsKernelLaunch *launch;
    const CsCudaTotals *all;
    cudaStream_t stream;
    Group groups[GROUPS];
    CsCudaTotals latest;
    gint64 chunks;
    gint64 launched, learned; /* groups */
    gint32 tickets;           /* of all launches */
    guint steps;              /* in the open group */
    gint64 last;              /* when a group was learned of, on the monotonic clock */
    double pace;              /* seconds a step, lately */
};

/* A step has no more items than there are slots. */
static gsize
items_at_most(gint64 slots)
{
    return ITEMS + (gsize)slots;
}

gint64
cs_cuda_band_memory(gint64 slots)
{
    return GROUPS * (gint64)(items_at_most(slots) * sizeof(CsKernelItem));
}

static gboolean
make_group(Group *group, gsize items, GError **error)
{
    group->items = g_array_new(FALSE, FALSE, sizeof(CsKernelItem));
    return cs_cuda_check(cudaEventCreateWithFlags(&group->event,
                                                  cudaEventDisableTiming | cudaEventBlockingSync),
                         "an event", error) &&
           cs_cuda_check(cudaMalloc((void **)&group->there, items * sizeof(CsKernelItem)),
                         "device memory", error) &&
           cs_cuda_check(cudaHostAlloc((void **)&group->host, items * sizeof(CsKernelItem), 0),
                         "host memory", error) &&
           cs_cuda_check(cudaHostAlloc((void **)&group->computed, items * sizeof(gint32),
                                       cudaHostAllocMapped),
                         "host memory", error) &&
           cs_cuda_check(cudaHostAlloc((void **)&group->totals, sizeof *group->totals, 0),
                         "host memory", error);
}

CsCudaBand *
cs_cuda_band_new(CsCudaLive *live, const CsKernel *kernel, CsKernelLaunch *launch,
                 const CsCudaTotals *all, gint64 slots, cudaStream_t stream, GError **error)
{
    CsCudaBand *band = g_new0(CsCudaBand, 1);
    *band = (CsCudaBand){.live = live,
                         .kernel = kernel,
                         .launch = launch,
                         .all = all,
                         .stream = stream,
                         .last = g_get_monotonic_time()};
    for (guint k = 0; k < GROUPS; k++)
        if (!make_group(&band->groups[k], items_at_most(slots), error)) {
            cs_cuda_band_free(band);
            return NULL;
        }
    return band;
}

void
cs_cuda_band_free(CsCudaBand *band)
{
    for (guint k = 0; k < GROUPS; k++) {
        Group *group = &band->groups[k];
        if (group->event != NULL)
            (void)cudaEventDestroy(group->event);
        (void)cudaFree(group->there);
        (void)cudaFreeHost(group->host);
        (void)cudaFreeHost(group->computed);
        (void)cudaFreeHost(group->totals);
        if (group->items != NULL)
            g_array_free(group->items, TRUE);
    }
    cs_cuda_live_free(band->live);
    g_free(band);
}

static Group *
group_at(CsCudaBand *band, gint64 number)
{
    return &band->groups[number % GROUPS];
}

static gboolean
take_totals(CsCudaBand *band, const Group *group, GError **error)
{
    band->latest = *group->totals;
    if (band->latest.trouble == 0)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "what was skipped left values too far apart for 16 bits: please report "
                        "this; with 32 bits, or if nothing is skipped, it cannot be");
    return FALSE;
}

/* Waits for the oldest group under way. */
static gboolean
learn(CsCudaBand *band, GError **error)
{
    Group *group = group_at(band, band->learned);
    if (!cs_cuda_check(cudaEventSynchronize(group->event), "running on the device", error))
        return FALSE;
    for (guint k = 0; k < group->items->len; k++) {
        cs_cuda_live_learn(band->live, &g_array_index(group->items, CsKernelItem, k),
                           group->computed[k] > 0);
        band->chunks += group->computed[k];
    }
    g_array_set_size(group->items, 0);
    const gint64 now = g_get_monotonic_time();
    band->pace = (band->pace + (double)(now - band->last) / G_USEC_PER_SEC / group->steps) / 2;
    band->last = now;
    band->learned++;
    return take_totals(band, group, error);
}

/* Launches a group's items, and copies the totals. */
static gboolean
launch_items(CsCudaBand *band, Group *group, GError **error)
{
    CsKernelLaunch *launch = band->launch;
    const gsize count = group->items->len;
    if (count > 0) {
        memcpy(group->host, group->items->data, count * sizeof(CsKernelItem));
        launch->items = group->there;
        launch->item_count = (gint32)count;
        launch->tickets_before = band->tickets;
        band->tickets = (gint32)((guint32)band->tickets + (guint32)count);
        if (!cs_cuda_check(cudaHostGetDevicePointer((void **)&launch->computed, group->computed, 0),
                           "host memory", error) ||
            !cs_cuda_check(cudaMemcpyAsync(group->there, group->host, count * sizeof(CsKernelItem),
                                           cudaMemcpyHostToDevice, band->stream),
                           "copying to the device", error) ||
            !cs_cuda_check(band->kernel->sweep_pruned(launch, band->stream), "a launch", error) ||
            !cs_cuda_check(band->kernel->settle(launch, band->stream), "a launch", error))
            return FALSE;
    }
    return cs_cuda_check(cudaMemcpyAsync(group->totals, band->all, sizeof *band->all,
                                         cudaMemcpyDeviceToHost, band->stream),
                         "copying from the device", error);
}

/* Launches the open group. */
static gboolean
launch(CsCudaBand *band, GError **error)
{
    Group *group = group_at(band, band->launched);
    group->steps = band->steps;
    band->steps = 0;
    band->launched++;
    return launch_items(band, group, error) &&
           cs_cuda_check(cudaEventRecord(group->event, band->stream), "an event", error);
}

gboolean
cs_cuda_band_step(CsCudaBand *band, gboolean fresh, GError **error)
{
    while (band->launched - band->learned >= GROUPS)
        if (!learn(band, error))
            return FALSE;
    Group *group = group_at(band, band->launched);
    cs_cuda_live_step(band->live, fresh, group->items);
    band->steps++;
    return (band->steps < CS_CUDA_BAND_STEPS && group->items->len < ITEMS) || launch(band, error);
}

gint64
cs_cuda_band_groups(const CsCudaBand *band)
{
    return band->launched + (band->steps > 0);
}

gboolean
cs_cuda_band_wait(CsCudaBand *band, gint64 groups, GError **error)
{
    if (groups > band->launched && !launch(band, error))
        return FALSE;
    while (band->learned < groups)
        if (!learn(band, error))
            return FALSE;
    return TRUE;
}

gboolean
cs_cuda_band_flatten(CsCudaBand *band, gboolean fresh, GError **error)
{
    if (!cs_cuda_band_wait(band, cs_cuda_band_groups(band), error))
        return FALSE;
    while (!cs_cuda_live_is_flat(band->live) || (fresh && !cs_cuda_live_is_done(band->live)))
        if (!cs_cuda_band_step(band, fresh, error) ||
            (band->launched - band->learned > 1 &&
             !cs_cuda_band_wait(band, band->launched - 1, error)))
            return FALSE;
    return cs_cuda_band_wait(band, cs_cuda_band_groups(band), error);
}

double
cs_cuda_band_seconds_left(const CsCudaBand *band)
{
    return band->pace * (double)cs_cuda_live_steps_left(band->live);
}

gboolean
cs_cuda_band_drain(CsCudaBand *band, GError **error)
{
    if (!cs_cuda_band_wait(band, cs_cuda_band_groups(band), error))
        return FALSE;
    Group *group = group_at(band, band->launched);
    cs_cuda_live_drain(band->live, group->items);
    const gboolean done =
        launch_items(band, group, error) &&
        cs_cuda_check(cudaStreamSynchronize(band->stream), "running on the device", error) &&
        take_totals(band, group, error);
    g_array_set_size(group->items, 0);
    return done;
}

const CsCudaTotals *
cs_cuda_band_totals(const CsCudaBand *band)
{
    return &band->latest;
}

gint64
cs_cuda_band_chunks(const CsCudaBand *band)
{
    return band->chunks;
}

const CsCudaLive *
cs_cuda_band_live(const CsCudaBand *band)
{
    return band->live;
}
