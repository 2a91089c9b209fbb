/*
 * Which sweeps a ring pays, for choices that do not change the result.
 *
 * On the CPU the members of this process have its threads, which one member could have alone. So only those of
 * other processes make a ring faster. But each diagonal is a message to each of them and back, whatever there is to
 * compute. A sweep that skips has small blocks, so many diagonals, most of which are skipped.
 */
#ifndef CS_RING_PAY_H
#define CS_RING_PAY_H

#include "sweep/engine_class.h"

/* How many GPUs pay in a sweep of a matrix of this size that skips cells. The wave of a short pair is too thin to keep
 * more busy. */
guint cs_ring_pay_skipping_gpus(gint64 m, gint64 n);

/* How many GPUs that compute all cells of a matrix of this size take at least 7 in 10 of the time for computing. */
guint cs_ring_pay_gpus(gint64 m, gint64 n);

/* Whether it pays to measure the members, a second for each kind, before a matrix of this size is swept. */
gboolean cs_ring_pay_measuring(gint64 m, gint64 n);

/* Whether members on the CPU are likely to sweep so many cells in so many diagonals sooner than the first one alone. */
gboolean cs_ring_pay_skipping(const CsEngineOptions *options, double cells, double diagonals);

#endif
