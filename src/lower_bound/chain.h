/*
 * The best chain of seeds: each begins, among the rows and among the columns, where the one before
 * has ended or later.
 *
 * A chain is worth the bases of its seeds less what lies between them, in hundredths of a match.
 * The costs are lower than an alignment's, so that a chain goes on over an inversion, a long gap or
 * a stretch without seeds; which part of it an alignment is best made of, a sweep finds out.
 */
#ifndef CS_CHAIN_H
#define CS_CHAIN_H

#include <chromosweep/scoring.h>

#include "lower_bound/seeds.h"

#define CS_CHAIN_BASE 100 /* what a base of a seed is worth */

/* What it costs to go from one seed to the next. */
typedef struct {
    gint64 step;     /* each time */
    gint64 diagonal; /* each diagonal (column - row) away from that of the seed before */
    gint64 base;     /* each row and each column between the two */
} CsChainCosts;

CsChainCosts cs_chain_costs(const CsScoring *scoring);

/*
 * The seeds of a chain of the highest worth, in order: `length` of them. The seeds given are sorted
 * by row, then column; there are fewer than 2^31. g_free() takes the chain back; NULL is failure:
 * CS_ERROR_DEVICE where memory is short, CS_ERROR_STOPPED soon after *stop, if there is one,
 * becomes other than 0.
 */
CsSeed *cs_chain_find(const CsSeed *seeds, gint64 count, const CsChainCosts *costs,
                      const gint *stop, gint64 *length, gint64 *worth, GError **error);

/* The bytes that cs_chain_find() holds at its peak. */
guint64 cs_chain_memory(gint64 count);

#endif
