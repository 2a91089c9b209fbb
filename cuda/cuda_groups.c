/* Launches of a skipping sweep, group by group. */
#include <string.h>

#include <chromosweep/error.h>

#include "cuda/cuda_device.h"
#include "cuda/cuda_groups.h"

enum {
    GROUPS = 4,   /* kept at once, including the open one */
    STEPS = 16,   /* per group: enough to hide that its blocks end at different times */
    ITEMS = 8192, /* enough for a launch */
};

G_STATIC_ASSERT(CS_CUDA_SKIPPING_LATE >= GROUPS * STEPS);

typedef struct {
    cudaEvent_t event;
    GArray *items;              /* of CsKernelItem */
    CsKernelItem *host, *there; /* what is copied, and where to */
    gint32 *computed;           /* host: of each item */
    CsCudaTotals *totals;       /* host */
    CsCudaArrivals arrivals;    /* of one of several GPUs: what enters before the launch */
    guint steps;
} Group;

struct _CsCudaGroups {
    CsRun *run;
    CsCudaSpans *spans;
    CsCudaPieces *pieces;
    gint32 heard; /* the best score that other GPUs know */
    Group group[GROUPS];
    gint64 chunks;
    gint64 launched, learned; /* groups */
    gint32 tickets;           /* of all launches */
    guint steps;              /* in the open group */
    gint64 last;              /* when the last group was learned from, on the monotonic clock */
    double pace;              /* seconds per step, lately */
};

/* A step has no more items than there are slots. */
static gsize
items_at_most(gint64 slots)
{
    return ITEMS + (gsize)slots;
}

gint64
cs_cuda_groups_memory(gint64 slots)
{
    return GROUPS * (gint64)(items_at_most(slots) * sizeof(CsKernelItem));
}

static gboolean
make_group(Group *group, gsize items, gboolean shared, GError **error)
{
    if (shared && !cs_cuda_arrivals_init(&group->arrivals, error))
        return FALSE;
    group->items = g_array_new(FALSE, FALSE, sizeof(CsKernelItem));
    return cs_cuda_check(cudaEventCreateWithFlags(&group->event,
                                                  cudaEventDisableTiming | cudaEventBlockingSync),
                         "creating an event", error) &&
           cs_cuda_check(cudaMalloc((void **)&group->there, items * sizeof(CsKernelItem)),
                         "allocating device memory", error) &&
           cs_cuda_check(cudaHostAlloc((void **)&group->host, items * sizeof(CsKernelItem), 0),
                         "allocating host memory", error) &&
           cs_cuda_check(cudaHostAlloc((void **)&group->computed, items * sizeof(gint32),
                                       cudaHostAllocMapped),
                         "allocating host memory", error) &&
           cs_cuda_check(cudaHostAlloc((void **)&group->totals, sizeof *group->totals, 0),
                         "allocating host memory", error);
}

/* Whether several GPUs share the sweep. */
static gboolean
is_shared(const CsCudaGroups *groups)
{
    return groups->pieces->seams.owners != NULL;
}

/* The number of the GPU. */
static guint
owner_of(const CsCudaGroups *groups)
{
    return groups->pieces->seams.self;
}

CsCudaGroups *
cs_cuda_groups_new(CsRun *run, CsCudaSpans *spans, CsCudaPieces *pieces, GError **error)
{
    CsCudaGroups *groups = g_new(CsCudaGroups, 1);
    *groups = (CsCudaGroups){
        .run = run, .spans = spans, .pieces = pieces, .last = g_get_monotonic_time()};
    for (guint k = 0; k < GROUPS; k++)
        if (!make_group(&groups->group[k], items_at_most(run->launch.slots), is_shared(groups),
                        error)) {
            cs_cuda_groups_free(groups);
            return NULL;
        }
    return groups;
}

void
cs_cuda_groups_free(CsCudaGroups *groups)
{
    for (guint k = 0; k < GROUPS; k++) {
        Group *group = &groups->group[k];
        if (group->event != NULL)
            (void)cudaEventDestroy(group->event);
        (void)cudaFree(group->there);
        (void)cudaFreeHost(group->host);
        (void)cudaFreeHost(group->computed);
        (void)cudaFreeHost(group->totals);
        cs_cuda_arrivals_clear(&group->arrivals);
        if (group->items != NULL)
            g_array_free(group->items, TRUE);
    }
    g_free(groups);
}

static Group *
group_at(CsCudaGroups *groups, gint64 number)
{
    return &groups->group[number % GROUPS];
}

static gboolean
take_totals(CsCudaGroups *groups, const Group *group, GError **error)
{
    groups->run->latest = *group->totals;
    if (groups->run->latest.trouble == 0)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "skipping left values too far apart for 16 bits: please report this; it "
                        "cannot happen with --bits 32 or --skip none");
    return FALSE;
}

/* Hands out the parts of special rows that the group has completed. */
static gboolean
hand_out(CsCudaGroups *groups, const Group *group, GError **error)
{
    for (guint k = 0; k < group->items->len; k++) {
        const gint64 row = g_array_index(group->items, CsKernelItem, k).row;
        gint64 from, until;
        cs_cuda_spans_complete(groups->spans, row, &from, &until);
        if (!cs_cuda_pieces_hand_out_row(groups->pieces, groups->run, row, from, until, error))
            return FALSE;
    }
    return TRUE;
}

/* Waits for the oldest launched group and learns from it. */
static gboolean
learn(CsCudaGroups *groups, GError **error)
{
    Group *group = group_at(groups, groups->learned);
    if (!cs_cuda_check(cudaEventSynchronize(group->event), "running on the device", error))
        return FALSE;
    for (guint k = 0; k < group->items->len; k++) {
        cs_cuda_spans_learn(groups->spans, &g_array_index(group->items, CsKernelItem, k),
                            group->computed[k] > 0);
        groups->chunks += group->computed[k];
    }
    if (!hand_out(groups, group, error))
        return FALSE;
    g_array_set_size(group->items, 0);
    const gint64 now = g_get_monotonic_time();
    groups->pace =
        (groups->pace + (double)(now - groups->last) / G_USEC_PER_SEC / group->steps) / 2;
    groups->last = now;
    groups->learned++;
    return take_totals(groups, group, error);
}

/* Launches a group's items, and copies the totals. */
static gboolean
launch_items(CsCudaGroups *groups, Group *group, GError **error)
{
    CsRun *run = groups->run;
    const CsKernel *kernel = run->plan.kernel;
    CsKernelLaunch *launch = &run->launch;
    const gsize count = group->items->len;
    if (is_shared(groups) && !cs_cuda_arrivals_enter(&group->arrivals, run, groups->heard, error))
        return FALSE;
    if (count > 0) {
        memcpy(group->host, group->items->data, count * sizeof(CsKernelItem));
        launch->items = group->there;
        launch->item_count = (gint32)count;
        launch->tickets_before = groups->tickets;
        groups->tickets = (gint32)((guint32)groups->tickets + (guint32)count);
        if (!cs_cuda_check(cudaHostGetDevicePointer((void **)&launch->computed, group->computed, 0),
                           "allocating host memory", error) ||
            !cs_cuda_memory_upload(&run->memory, group->there, group->host,
                                   count * sizeof(CsKernelItem), error) ||
            !cs_cuda_check(kernel->sweep_skipping(launch, run->memory.stream), "launching a kernel",
                           error) ||
            !cs_cuda_check(kernel->settle(launch, run->memory.stream), "launching a kernel", error))
            return FALSE;
    }
    return cs_cuda_memory_fetch(&run->memory, group->totals, run->totals, sizeof *run->totals,
                                error);
}

/* Launches the open group. */
static gboolean
launch(CsCudaGroups *groups, GError **error)
{
    Group *group = group_at(groups, groups->launched);
    group->steps = groups->steps;
    groups->steps = 0;
    groups->launched++;
    return launch_items(groups, group, error) &&
           cs_cuda_check(cudaEventRecord(group->event, groups->run->memory.stream),
                         "recording an event", error);
}

gboolean
cs_cuda_groups_step(CsCudaGroups *groups, gboolean fresh, GError **error)
{
    while (groups->launched - groups->learned >= GROUPS)
        if (!learn(groups, error))
            return FALSE;
    Group *group = group_at(groups, groups->launched);
    cs_cuda_spans_step(groups->spans, owner_of(groups), fresh, group->items);
    groups->steps++;
    return (groups->steps < STEPS && group->items->len < ITEMS) || launch(groups, error);
}

gint64
cs_cuda_groups_in_flight(const CsCudaGroups *groups)
{
    return groups->launched - groups->learned;
}

gboolean
cs_cuda_groups_fill(CsCudaGroups *groups, gboolean fresh, GError **error)
{
    Group *group = group_at(groups, groups->launched);
    g_assert(groups->steps == 0 && cs_cuda_groups_in_flight(groups) < GROUPS);
    for (guint before = 0; groups->steps < STEPS && group->items->len < ITEMS;) {
        cs_cuda_spans_step(groups->spans, owner_of(groups), fresh, group->items);
        if (group->items->len == before)
            break; /* until more is known */
        before = group->items->len;
        groups->steps++;
    }
    return groups->steps == 0 || launch(groups, error);
}

gboolean
cs_cuda_groups_poll(CsCudaGroups *groups, gboolean *learned, GError **error)
{
    if (groups->launched == groups->learned)
        return TRUE;
    const cudaError_t code = cudaEventQuery(group_at(groups, groups->learned)->event);
    if (code == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* it is no error, so no launch is to report it */
        return TRUE;
    }
    *learned = TRUE;
    return cs_cuda_check(code, "running on the device", error) && learn(groups, error);
}

CsCudaArrivals *
cs_cuda_groups_arrivals(CsCudaGroups *groups)
{
    return &group_at(groups, groups->launched)->arrivals;
}

void
cs_cuda_groups_hear(CsCudaGroups *groups, gint32 known)
{
    groups->heard = MAX(groups->heard, known);
}

gint64
cs_cuda_groups_count(const CsCudaGroups *groups)
{
    return groups->launched + (groups->steps > 0);
}

gboolean
cs_cuda_groups_wait(CsCudaGroups *groups, gint64 count, GError **error)
{
    if (count > groups->launched && !launch(groups, error))
        return FALSE;
    while (groups->learned < count)
        if (!learn(groups, error))
            return FALSE;
    return TRUE;
}

gboolean
cs_cuda_groups_flatten(CsCudaGroups *groups, gboolean fresh, GError **error)
{
    if (!cs_cuda_groups_wait(groups, cs_cuda_groups_count(groups), error))
        return FALSE;
    while (!cs_cuda_spans_is_flat(groups->spans) ||
           (fresh && !cs_cuda_spans_is_done(groups->spans)))
        if (!cs_cuda_groups_step(groups, fresh, error) ||
            (groups->launched - groups->learned > 1 &&
             !cs_cuda_groups_wait(groups, groups->launched - 1, error)))
            return FALSE;
    return cs_cuda_groups_wait(groups, cs_cuda_groups_count(groups), error);
}

double
cs_cuda_groups_seconds_left(const CsCudaGroups *groups)
{
    return groups->pace * (double)cs_cuda_spans_steps_left(groups->spans);
}

gboolean
cs_cuda_groups_drain(CsCudaGroups *groups, GError **error)
{
    if (!cs_cuda_groups_wait(groups, cs_cuda_groups_count(groups), error))
        return FALSE;
    Group *group = group_at(groups, groups->launched);
    cs_cuda_spans_drain(groups->spans, owner_of(groups), group->items);
    const gboolean done = launch_items(groups, group, error) &&
                          cs_cuda_check(cudaStreamSynchronize(groups->run->memory.stream),
                                        "running on the device", error) &&
                          take_totals(groups, group, error);
    g_array_set_size(group->items, 0);
    return done;
}

gint64
cs_cuda_groups_chunks(const CsCudaGroups *groups)
{
    return groups->chunks;
}
