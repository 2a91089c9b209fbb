/*
 * The best chain of seeds. In rows and in columns, each seed of a chain begins at or after the end
 * of the seed before it.
 *
 * The worth of a chain is the bases of its seeds minus the costs of the steps between them, in
 * hundredths of a match. These costs are lower than an alignment's, so that a chain continues
 * across an inversion, a long gap or a stretch without seeds. The sweep of the corridor finds out
 * which part of the chain makes the best alignment.
 */
#ifndef CS_CHAIN_H
#define CS_CHAIN_H

#include <chromosweep/scoring.h>

#include "lower_bound/seeds.h"

#define CS_CHAIN_BASE 100 /* worth of one base of a seed */

#define CS_CHAIN_MOST_SEEDS (1 << 30)

/* The costs of a step from one seed to the next. */
typedef struct {
    gint64 step;     /* per step */
    gint64 diagonal; /* per diagonal (column - row) away from that of the seed before */
    gint64 base;     /* per row and per column between the two */
} CsChainCosts;

CsChainCosts cs_chain_costs(const CsScoring *scoring);

/*
 * Returns the `length` seeds of the chain with the highest worth, in order. The given seeds are
 * sorted by row, then column, and there are fewer than CS_CHAIN_MOST_SEEDS. Free the chain with g_free().
 * Returns NULL on failure: CS_ERROR_DEVICE if there is not enough memory, CS_ERROR_STOPPED soon
 * after *stop (if any) becomes nonzero.
 */
CsSeed *cs_chain_find(const CsSeed *seeds, gint64 count, const CsChainCosts *costs, guint threads,
                      const gint *stop, gint64 *length, gint64 *worth, GError **error);

/* The bytes that cs_chain_find() holds at its peak. */
guint64 cs_chain_memory(gint64 count);

#endif
