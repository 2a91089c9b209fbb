/* Deals the slots of a grid: see the drawing in ring_share.h. */
#include "ring/ring_share.h"

guint
cs_ring_share_count(const CsGrid *grid, const CsEngineOptions *options)
{
    return (guint)MIN((gint64)options->n_members, grid->depth);
}

/* Each member gets a thread, and the first ones get those that are left. With fewer threads than
 * members, the last ones share the caller's. */
static void
deal_threads(CsShare *shares, guint count, const CsEngineOptions *options)
{
    const guint threads = options->threads;
    for (guint k = 0; k < count; k++) {
        shares[k].threads = MAX(1, threads / count + (k < threads % count));
        shares[k].on_caller = options->on_caller || (threads < count && k + 1 >= threads);
    }
}

/* Each member gets at least one slot. */
static void
deal_slots(CsShare *shares, guint count, gint64 depth)
{
    gint64 all = 0, passed = 0, slot = 0;
    for (guint k = 0; k < count; k++)
        all += shares[k].threads;
    for (guint k = 0; k < count; k++) {
        passed += shares[k].threads;
        const gint64 end =
            CLAMP((depth * passed + all / 2) / all, slot + 1, depth - (count - 1 - k));
        shares[k].first_slot = slot;
        shares[k].slots = end - slot;
        slot = end;
    }
    g_assert(slot == depth);
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
cs_ring_share_deal(const CsGrid *grid, const CsEngineOptions *options, CsShare *shares)
{
    const guint count = cs_ring_share_count(grid, options);
    g_assert(count >= 1 && options->threads >= 1);
    for (guint k = 0; k < count; k++)
        shares[k] = (CsShare){.member = &options->members[k]};
    deal_threads(shares, count, options);
    deal_slots(shares, count, grid->depth);
    for (guint k = 0; k < count; k++)
        glue_grid(&shares[k], grid);
}

void
cs_ring_share_clear(CsShare *share)
{
    g_clear_pointer(&share->grid.row_starts, g_free);
}
