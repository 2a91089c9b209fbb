/* Deals the slots of a grid: see the drawing in ring_share.h. */
#include "ring/ring_share.h"

/* Diagonals that a member begins later than it could, so that the one before has a few queued while
 * a piece of it is on its way. */
#define AHEAD 2

gboolean
cs_ring_share_is_same_device(const CsMember *one, const CsMember *other)
{
    return one->engine == other->engine && g_strcmp0(one->device, other->device) == 0;
}

guint
cs_ring_share_sharers(const CsMember *members, guint n, const CsMember *member)
{
    guint sharers = 0;
    for (guint k = 0; k < n; k++)
        sharers += cs_ring_share_is_same_device(member, &members[k]);
    return sharers;
}

gboolean
cs_ring_share_has_gpu(const CsEngineOptions *options)
{
    for (guint k = 0; k < options->n_members; k++)
        if (options->members[k].engine->gpu)
            return TRUE;
    return FALSE;
}

/* Whether a member on the CPU is in another process, so that what it marks would not be seen here. */
static gboolean
has_far_cpu(const CsEngineOptions *options)
{
    for (guint k = 0; k < options->n_members; k++)
        if (options->members[k].threads > 0)
            return TRUE;
    return FALSE;
}

guint
cs_ring_share_skippers(const CsRectangle *rectangle, const CsEngineOptions *options, guint most)
{
    const CsEngineClass *engine = options->members[0].engine;
    guint count = 1;
    if (!rectangle->skipping || rectangle->marks != NULL || !engine->shares_skipping)
        return 1;
    while (count < options->n_members && count != most && options->members[count].engine == engine)
        count++;
    return count;
}

gboolean
cs_ring_share_is_whole(const CsRectangle *rectangle, const CsEngineOptions *options)
{
    const gboolean gpus = cs_ring_share_has_gpu(options);
    return (rectangle->skipping && gpus) ||
           (rectangle->marks != NULL && (gpus || has_far_cpu(options)));
}

/* By how many diagonals the pieces of the first `count` members are late, at least. */
static gint64
lateness(const CsEngineOptions *options, guint count)
{
    gint64 late = 0;
    for (guint k = 0; k < count; k++)
        late += options->members[k].engine->late;
    return late;
}

gint64
cs_ring_share_most_slots(gint64 block_columns, const CsEngineOptions *options)
{
    return block_columns - lateness(options, options->n_members);
}

guint
cs_ring_share_count(const CsRectangle *rectangle, const CsGrid *grid,
                    const CsEngineOptions *options)
{
    const guint count = (guint)MIN((gint64)options->n_members, grid->depth);
    if (grid->members == 1 || cs_ring_share_is_whole(rectangle, options) ||
        grid->depth + lateness(options, count) > grid->block_columns)
        return 1;
    return count;
}

/* Whether the member computes on the ring's own threads. */
static gboolean
gets_threads(const CsMember *member)
{
    return !member->engine->gpu && member->threads == 0;
}

guint
cs_ring_share_threads(const CsEngineOptions *options)
{
    guint threads = options->threads;
    for (guint k = 0; k < options->n_members; k++)
        threads += options->members[k].threads;
    return threads;
}

/* Each member on the CPU gets a thread, and the first ones get those that are left. With fewer
 * threads than such members, the last ones share the caller's. */
static void
deal_threads(CsShare *shares, guint count, const CsEngineOptions *options)
{
    const guint threads = options->threads;
    guint members = 0, member = 0;
    for (guint k = 0; k < count; k++)
        members += gets_threads(shares[k].member);
    for (guint k = 0; k < count; k++) {
        shares[k].threads = shares[k].member->threads;
        if (!gets_threads(shares[k].member))
            continue;
        shares[k].threads = MAX(1, threads / members + (member < threads % members));
        shares[k].on_caller = options->on_caller || (threads < members && member + 1 >= threads);
        member++;
    }
}

/* Beside GPUs a member on the CPU counts as one multiprocessor, unless it was measured. */
static gint64
speed_of(const CsShare *share, gboolean gpus)
{
    return gpus ? MAX(1, share->member->speed) : share->threads;
}

/* Each member gets at least one slot. */
static void
deal_slots(CsShare *shares, guint count, gint64 depth, gboolean gpus)
{
    gint64 all = 0, passed = 0, slot = 0;
    for (guint k = 0; k < count; k++)
        all += speed_of(&shares[k], gpus);
    for (guint k = 0; k < count; k++) {
        passed += speed_of(&shares[k], gpus);
        const gint64 end =
            CLAMP((depth * passed + all / 2) / all, slot + 1, depth - (count - 1 - k));
        shares[k].first_slot = slot;
        shares[k].slots = end - slot;
        slot = end;
    }
    g_assert(slot == depth);
}

/* A member begins when the piece above its first block has come, and AHEAD later if the last one's
 * pieces still reach the first one in time. */
static void
find_starts(CsShare *shares, guint count, const CsGrid *grid, const CsEngineOptions *options)
{
    const gint64 spare = grid->block_columns - grid->depth - lateness(options, count);
    gint64 late = 0;
    for (guint k = 0; k < count; k++) {
        const gint64 own = shares[k].member->engine->late;
        shares[k].start = shares[k].first_slot + late;
        late += own > 0 ? own + CLAMP(spare / count, 0, AHEAD) : 0;
    }
}

/* How many of the grid's block rows are the share's. */
static gint64
count_rows(const CsShare *share, const CsGrid *grid)
{
    const gint64 tiers = grid->block_rows / grid->depth, rest = grid->block_rows % grid->depth;
    return tiers * share->slots + CLAMP(rest - share->first_slot, 0, share->slots);
}

gboolean
cs_ring_share_has(const CsShare *share, const CsGrid *grid, gint64 bi)
{
    const gint64 slot = bi % grid->depth - share->first_slot;
    return slot >= 0 && slot < share->slots;
}

gint64
cs_ring_share_row(const CsShare *share, const CsGrid *grid, gint64 r)
{
    return r / share->slots * grid->depth + share->first_slot + r % share->slots;
}

/* Glues the block rows of a share together. */
static void
glue_grid(CsShare *share, const CsGrid *grid)
{
    const gint64 rows = count_rows(share, grid);
    share->grid = *grid;
    share->grid.block_rows = rows;
    share->grid.depth = MIN(share->slots, rows);
    share->grid.row_starts = g_new(gint64, rows + 1);
    share->grid.row_starts[0] = 0;
    for (gint64 r = 0; r < rows; r++) {
        const gint64 bi = cs_ring_share_row(share, grid, r);
        share->grid.row_starts[r + 1] =
            share->grid.row_starts[r] + grid->row_starts[bi + 1] - grid->row_starts[bi];
    }
    share->grid.m = share->grid.row_starts[rows];
}

void
cs_ring_share_deal(const CsRectangle *rectangle, const CsGrid *grid, const CsEngineOptions *options,
                   CsShare *shares)
{
    const guint count = cs_ring_share_count(rectangle, grid, options);
    g_assert(count >= 1 && options->threads >= 1);
    for (guint k = 0; k < count; k++)
        shares[k] = (CsShare){.member = &options->members[k]};
    deal_threads(shares, count, options);
    deal_slots(shares, count, grid->depth, cs_ring_share_has_gpu(options));
    find_starts(shares, count, grid, options);
    for (guint k = 0; k < count; k++)
        glue_grid(&shares[k], grid);
}

void
cs_ring_share_clear(CsShare *share)
{
    g_clear_pointer(&share->grid.row_starts, g_free);
}
