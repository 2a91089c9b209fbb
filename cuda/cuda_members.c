/* GPUs that share a skipping sweep. */
#include "cuda/cuda_device.h"
#include "cuda/cuda_members.h"

enum {
    /* Block rows of a member in each round, on average. With fewer, rows wait more often for a GPU
     * that waits for its launch to end; with more, a thin wave lies on one GPU. */
    ROWS = 64,
    QUEUED = 2, /* groups of a member: one runs, one waits. What is passed on later comes sooner. */
    POLL = 50,  /* microseconds */
};

/* Tests set fewer. */
static gint64
rows_a_round(void)
{
    const char *wanted = g_getenv("CHROMOSWEEP_RING_ROWS");
    return wanted != NULL ? MAX(1, g_ascii_strtoll(wanted, NULL, 10)) : ROWS;
}

guint8 *
cs_cuda_members_deal(gint64 block_rows, const guint *speeds, guint count)
{
    guint8 *owners = g_new(guint8, block_rows);
    gint64 all = 0;
    g_assert(count <= G_MAXUINT8);
    for (guint k = 0; k < count; k++)
        all += MAX(1, speeds[k]);
    for (gint64 row = 0, k = 0; row < block_rows; k = (k + 1) % count) {
        const gint64 share = rows_a_round() * count * MAX(1, speeds[k]) / all;
        for (const gint64 end = MIN(row + MAX(1, share), block_rows); row < end; row++)
            owners[row] = (guint8)k;
    }
    return owners;
}

gboolean
cs_cuda_members_pass(gint64 bi, gint64 from, gint64 count, const CsKernelCell *cells,
                     gpointer user_data, GError **error)
{
    const CsCudaMembers *members = user_data;
    if (cs_cuda_spans_has_ended(members->spans, bi + 1))
        return TRUE;
    CsCudaGroups *below = members->member[members->owners[bi + 1]].groups;
    return cs_cuda_arrivals_add(cs_cuda_groups_arrivals(below), from, count, cells, error);
}

gboolean
cs_cuda_members_name(guint k, GError **error)
{
    g_prefix_error(error, "member %u of the ring: ", k + 1);
    return FALSE;
}

gboolean
cs_cuda_members_enter(const CsCudaMembers *members, guint k, GError **error)
{
    return cs_cuda_check(cudaSetDevice(members->member[k].run->ordinal), "choosing the device",
                         error);
}

/* Learns from all groups of a member that are over, and tells the others its best score. */
static gboolean
listen(CsCudaMembers *members, guint k, gboolean *moved, GError **error)
{
    CsCudaMember *member = &members->member[k];
    gboolean learned;
    do {
        learned = FALSE;
        if (!cs_cuda_groups_poll(member->groups, &learned, error))
            return FALSE;
        *moved = *moved || learned;
    } while (learned);
    for (guint l = 0; l < members->count; l++)
        cs_cuda_groups_hear(members->member[l].groups, cs_cuda_run_known(member->run));
    return TRUE;
}

/* Fills the queue of a member. */
static gboolean
fill(CsCudaMembers *members, guint k, gboolean fresh, gboolean *moved, GError **error)
{
    CsCudaGroups *groups = members->member[k].groups;
    const CsCudaSpans *spans = members->spans;
    while (cs_cuda_groups_in_flight(groups) < QUEUED) {
        const gint64 before = cs_cuda_groups_in_flight(groups);
        const gint64 stand = cs_cuda_spans_rows(spans) + cs_cuda_spans_finished(spans);
        if (!cs_cuda_groups_fill(groups, fresh, error))
            return FALSE;
        const gboolean launched = cs_cuda_groups_in_flight(groups) > before;
        *moved =
            *moved || launched || cs_cuda_spans_rows(spans) + cs_cuda_spans_finished(spans) > stand;
        if (!launched)
            return TRUE;
    }
    return TRUE;
}

/* Does what can be done now, or waits a moment. */
static gboolean
go_on(CsCudaMembers *members, gboolean fresh, gboolean launches, GError **error)
{
    gboolean moved = FALSE;
    gint64 in_flight = 0;
    for (guint k = 0; k < members->count; k++)
        if (!cs_cuda_members_enter(members, k, error) || !listen(members, k, &moved, error))
            return cs_cuda_members_name(k, error);
    for (guint k = 0; k < members->count; k++) {
        if (launches &&
            (!cs_cuda_members_enter(members, k, error) || !fill(members, k, fresh, &moved, error)))
            return cs_cuda_members_name(k, error);
        in_flight += cs_cuda_groups_in_flight(members->member[k].groups);
    }
    g_assert(moved || in_flight > 0 || !launches);
    if (!moved && in_flight > 0)
        g_usleep(POLL);
    return TRUE;
}

static gboolean
is_idle(const CsCudaMembers *members)
{
    for (guint k = 0; k < members->count; k++)
        if (cs_cuda_groups_in_flight(members->member[k].groups) > 0)
            return FALSE;
    return TRUE;
}

gboolean
cs_cuda_members_wait(CsCudaMembers *members, GError **error)
{
    while (!is_idle(members))
        if (!go_on(members, FALSE, FALSE, error))
            return FALSE;
    return TRUE;
}

gboolean
cs_cuda_members_sweep(CsCudaMembers *members, double share, GError **error)
{
    while (cs_cuda_spans_share(members->spans) < share)
        if (!go_on(members, TRUE, TRUE, error))
            return FALSE;
    return share < 1 || cs_cuda_members_wait(members, error);
}

gboolean
cs_cuda_members_flatten(CsCudaMembers *members, GError **error)
{
    while (!cs_cuda_spans_is_flat(members->spans))
        if (!go_on(members, FALSE, TRUE, error))
            return FALSE;
    return cs_cuda_members_wait(members, error);
}

double
cs_cuda_members_seconds_left(const CsCudaMembers *members)
{
    double seconds = 0;
    for (guint k = 0; k < members->count; k++)
        seconds = MAX(seconds, cs_cuda_groups_seconds_left(members->member[k].groups));
    return seconds;
}
