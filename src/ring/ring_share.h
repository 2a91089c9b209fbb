/*
 * What each member of a ring gets: its slots of the grid, and so its block rows.
 *
 *     depth 3, members A (2 slots) and B (1 slot)
 *        bi 0   A   slot 0     A's own grid:   0, 1, 3, 4
 *           1   A   slot 1     B's own grid:   2, 5
 *           2   B   slot 2
 *           3   A   slot 0     A member's block rows of one tier are a group.
 *           4   A   slot 1
 *           5   B   slot 2
 *
 * If A is a GPU, a piece leaves it a diagonal late, so B begins later by that, and by a few diagonals
 * more, with which the GPUs always have work queued. B's last row must reach A in time for A's next
 * group: so the depth, and by how much all members are late, are together at most the block columns.
 * Else, and where one run of the first member's engine is needed, that computes everything.
 */
#ifndef CS_RING_SHARE_H
#define CS_RING_SHARE_H

#include "sweep/engine_class.h"

typedef struct {
    const CsMember *member;
    guint threads;
    gboolean on_caller;       /* there is no thread for it: it computes on the ring's */
    gint64 first_slot, slots; /* of the ring's grid */
    gint64 start;             /* the ring's diagonal in which its first block is computed */
    CsGrid grid;              /* of its block rows, glued together */
} CsShare;

/* Whether two members are the same device, and how many of n members are the device that one of them is. */
gboolean cs_ring_share_is_same_device(const CsMember *one, const CsMember *other);
guint cs_ring_share_sharers(const CsMember *members, guint n, const CsMember *member);

/* Whether any member is a GPU. */
gboolean cs_ring_share_has_gpu(const CsEngineOptions *options);

/* How many threads all members have: those of the options, and those of other processes. */
guint cs_ring_share_threads(const CsEngineOptions *options);

/* How many members, from the first on and at most so many (0: all), share a sweep that skips in one run of their
 * engine: GPUs of this process. If there are none, 1. They do not share one that marks squares: the marks of the first
 * alone would be fetched. */
guint cs_ring_share_skippers(const CsRectangle *rectangle, const CsEngineOptions *options,
                             guint most);

/* Whether a run of the first member's engine computes the rectangle: a sweep that skips on a GPU, or
 * one that marks squares on a GPU or for another process. */
gboolean cs_ring_share_is_whole(const CsRectangle *rectangle, const CsEngineOptions *options);

/* The most slots of a grid with so many block columns, for all members. */
gint64 cs_ring_share_most_slots(gint64 block_columns, const CsEngineOptions *options);

/* How many members get a share. The others are left alone, because there are fewer slots, or because
 * the first one computes all. */
guint cs_ring_share_count(const CsRectangle *rectangle, const CsGrid *grid,
                          const CsEngineOptions *options);

/* Deals slots in proportion to speed: that of GPUs, or the threads, of which each member on the CPU
 * gets as many. `shares` has an element for each member that gets one. The grid has at least one
 * block. */
void cs_ring_share_deal(const CsRectangle *rectangle, const CsGrid *grid,
                        const CsEngineOptions *options, CsShare *shares);
void cs_ring_share_clear(CsShare *share);

/* Whether the ring's block row bi is one of the share's. */
gboolean cs_ring_share_has(const CsShare *share, const CsGrid *grid, gint64 bi);

/* The ring's block row that is block row r of a share. */
gint64 cs_ring_share_row(const CsShare *share, const CsGrid *grid, gint64 r);

#endif
