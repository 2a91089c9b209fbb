/*
 * Which blocks of a skipping sweep are launched, and in what order. Knows nothing of a device.
 *
 * The device decides chunk by chunk what is skipped (chunk_skip.cuh). Some diagonals later it
 * reports in which blocks it computed anything. The span of each row follows from that:
 *
 *     begin   at the first computed block of the row above, or at the first block in which an
 *             alignment may begin, whichever is further left
 *     end     after a block in which everything was skipped, if it is right of everything that can
 *             enter from above and of every block in which an alignment may begin
 *
 * A block that is not launched counts as skipped, and needs no test of its own. Only skipped blocks
 * lie above it and to its left, so an alignment comes to it from a skipped block, or begins in it,
 * where its bound is below the threshold (docs/proofs/skipping-gpu.md).
 *
 * In each step every row that has begun advances by one block if the row above is two blocks ahead.
 * So the blocks of a step are an external diagonal, and each block comes after those that it needs.
 *
 * Several GPUs may share the rows (cuda_members.h). Then each has steps of its own, in which its rows
 * advance. Where a row lies below one of another GPU, at a seam, it follows what has been reported of
 * that row.
 */
#ifndef CS_CUDA_SPANS_H
#define CS_CUDA_SPANS_H

#include <glib.h>

#include "cuda/sweep_kernel.h"
#include "sweep/bounds_table.h"
#include "sweep/gain_table.h"
#include "sweep/grid.h"
#include "sweep/types.h"

typedef struct {
    const CsGrid *grid;
    int warps, block_chunks;
    gint64 slots; /* at least as many as rows are ever in progress */
    const CsScore *row_bounds, *column_bounds;
    const CsBoundsTable *table; /* beside them, or NULL; of the whole matrix, which has */
    const CsGainTable *gains;   /* likewise */
    gint64 above, left_of;      /* so many rows above and columns left of the grid */
    CsScore threshold;
    /* Block columns in which an alignment that matters may enter from above row 0; none: both 0. */
    gint64 top_from, top_until;
    const guint8 *owners; /* of each row, the number of the GPU that computes it; NULL: 0 */
} CsCudaSpansOptions;

typedef struct _CsCudaSpans CsCudaSpans;

CsCudaSpans *cs_cuda_spans_new(const CsCudaSpansOptions *options);
void cs_cuda_spans_free(CsCudaSpans *spans);

/*
 * How many rows are in progress at once, at most, if the host knows what was skipped `late` steps
 * late.
 */
gint64 cs_cuda_spans_slots(gint64 block_rows, gint64 block_columns, gint64 late);

/*
 * Where the bottom of a block row that has begun is complete, as far as reports have come: columns
 * from + 1 .. until. What lies left of them was skipped.
 */
void cs_cuda_spans_complete(const CsCudaSpans *spans, gint64 row, gint64 *from, gint64 *until);

/*
 * Whether a row launches no more blocks. Then rows below may come where it did not, and write to the
 * horizontal bus there: what has yet to come of the row above must not.
 */
gboolean cs_cuda_spans_has_ended(const CsCudaSpans *spans, gint64 row);

/* Appends the blocks (CsKernelItem) of a GPU's next step, in which rows begin only if `fresh`. */
void cs_cuda_spans_step(CsCudaSpans *spans, guint owner, gboolean fresh, GArray *items);

/* Reports whether any chunk of an item was computed. Items of a GPU come in the order of its steps. */
void cs_cuda_spans_learn(CsCudaSpans *spans, const CsKernelItem *item, gboolean computed);

/* Whether no row is in progress; and about how many steps until then, if none begins. */
gboolean cs_cuda_spans_is_flat(const CsCudaSpans *spans);
gint64 cs_cuda_spans_steps_left(const CsCudaSpans *spans);

/* How many rows are done or in progress; and the column that a row has reached when everything
 * launched is over: n if it is done, perhaps except for the delegated triangle. */
gint64 cs_cuda_spans_rows(const CsCudaSpans *spans);
gint64 cs_cuda_spans_column(const CsCudaSpans *spans, gint64 row);

/* Appends the items that finish the delegated triangles of a GPU's rows in progress (CsKernelItem). */
void cs_cuda_spans_drain(const CsCudaSpans *spans, guint owner, GArray *items);

/* Which GPU computes a row. */
guint cs_cuda_spans_owner(const CsCudaSpans *spans, gint64 row);

/* Roughly what share of all steps has been taken. 1 when all rows are done, and not before. */
double cs_cuda_spans_share(const CsCudaSpans *spans);

/* Whether all are done. */
gboolean cs_cuda_spans_is_done(const CsCudaSpans *spans);

/* The block rows that are complete, from the first on. */
gint64 cs_cuda_spans_finished(const CsCudaSpans *spans);

/*
 * If the first block rows have passed a column and no later row has written to the horizontal bus
 * there: the columns from + 1 .. until in which the bus holds the bottom of the last of these rows.
 * The other columns up to there are zero.
 */
void cs_cuda_spans_bottom(const CsCudaSpans *spans, gint64 rows, gint64 *from, gint64 *until);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCudaSpans, cs_cuda_spans_free)

#endif
