/*
 * A ring: one matrix on several devices. It is an engine whose members are runs of other engines.
 *
 *        tier 0   | A  group of A's block rows  |
 *                 | B  group of B's             |   what leaves the last row of a group enters the
 *        tier 1   | A                           |   first row of the next: A -> B -> A -> B
 *                 | B                           |
 *
 * The block rows of each tier (sweep/grid.h) are dealt to the members in groups, one slot after the
 * other (ring_share.h). A member sweeps its groups glued together, as one ordinary rectangle. So
 * the ring walks the grid's external diagonals in the order of one engine with as many slots. Where
 * two groups meet, at a seam, the horizontal bus changes hands block by block: a piece leaves as a
 * special row does, and enters through feed() (sweep/engine_class.h). The pieces of GPUs pass through
 * pinned host memory; no kernel waits for another device.
 *
 * A sweep that skips on GPUs is one run of their engine, on those of this process that pay
 * (shares_skipping in sweep/engine_class.h, ring_pay.h). The other members are left alone.
 *
 * A member may be the same GPU as another: then each has half of its multiprocessors' blocks.
 */
#ifndef CS_RING_H
#define CS_RING_H

#include "sweep/engine_class.h"

/* On the CPU only, and with GPUs among the members. */
extern const CsEngineClass cs_ring_engine;
extern const CsEngineClass cs_ring_gpu_engine;

/* The one of the two for these members. */
const CsEngineClass *cs_ring_class(const CsMember *members, guint n_members);

#endif
