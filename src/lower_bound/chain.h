/*
 * The best chain of seeds: in rows and in columns, each seed begins where the one before ends, or
 * later.
 *
 * A chain is worth the bases of its seeds less the costs of the steps between them, in hundredths
 * of a match. These costs are lower than an alignment's, so that a chain goes on across an
 * inversion, a long gap or a stretch without seeds. The sweep of the corridor finds out which part
 * of it makes the best alignment.
 */
#ifndef CS_CHAIN_H
#define CS_CHAIN_H

#include <chromosweep/scoring.h>

#include "lower_bound/seeds.h"

#define CS_CHAIN_BASE 100 /* worth of a base of a seed */

/* The costs of a step from one seed to the next. */
typedef struct {
    gint64 step;     /* per step */
    gint64 diagonal; /* per diagonal (column - row) away from that of the seed before */
    gint64 base;     /* per row and per column between the two */
} CsChainCosts;

CsChainCosts cs_chain_costs(const CsScoring *scoring);

/*
 * The seeds of the chain with the highest worth, in order: `length` of them. The given seeds are
 * sorted by row, then column, and fewer than 2^31. Free the chain with g_free(). NULL on failure:
 * CS_ERROR_DEVICE if there is too little memory, CS_ERROR_STOPPED soon after *stop (if any) becomes
 * nonzero.
 */
CsSeed *cs_chain_find(const CsSeed *seeds, gint64 count, const CsChainCosts *costs,
                      const gint *stop, gint64 *length, gint64 *worth, GError **error);

/* The bytes that cs_chain_find() holds at its peak. */
guint64 cs_chain_memory(gint64 count);

#endif
