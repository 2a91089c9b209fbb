/*
 * Which blocks of a skipping sweep are launched, and in what order. Knows nothing of a device.
 *
 * The device decides chunk by chunk what is skipped (chunk_skip.cuh) and tells, some diagonals
 * late, of which blocks it computed anything. From that the rows' spans follow:
 *
 *     begin   what is left of the block row above's first computed block, and of the first block in
 *             which an alignment may begin, is not launched
 *     end     a block in which all was skipped ends its row if it is right of all that can enter
 *             from above and of every block in which an alignment may begin
 *
 * A block that is not launched counts as skipped, and needs no test of its own: nothing but skipped
 * blocks border on it above and left, so that an alignment comes to it from a skipped one or begins
 * in it, where its bound is below the threshold (docs/algorithm.md).
 *
 * Time goes in steps: in each of them every row that has begun goes on by one block, if the row
 * above is two ahead. So the blocks of a step are an external diagonal, and each block comes after
 * those that it needs.
 */
#ifndef CS_CUDA_SPANS_H
#define CS_CUDA_SPANS_H

#include <glib.h>

#include "cuda/sweep_kernel.h"
#include "sweep/bounds_table.h"
#include "sweep/grid.h"
#include "sweep/types.h"

typedef struct {
    const CsGrid *grid;
    int warps, block_chunks;
    gint64 slots; /* at least as many as rows are ever under way */
    const CsScore *row_bounds, *column_bounds;
    const CsBoundsTable *table; /* beside them, or NULL; of a matrix in which so many rows */
    gint64 above, left_of;      /* are above and so many columns left of the grid */
    CsScore threshold;
    /* Block columns in which something that matters may enter from above row 0; none: both 0. */
    gint64 top_from, top_until;
} CsCudaSpansOptions;

typedef struct _CsCudaSpans CsCudaSpans;

CsCudaSpans *cs_cuda_spans_new(const CsCudaSpansOptions *options);
void cs_cuda_spans_free(CsCudaSpans *spans);

/*
 * How many slots rows take that are under way at once, at most, when their blocks' fate is known
 * `late` steps late.
 */
gint64 cs_cuda_spans_slots(gint64 block_rows, gint64 block_columns, gint64 late);

/* Appends the blocks (CsKernelItem) of the next step; without `fresh` no row begins. */
void cs_cuda_spans_step(CsCudaSpans *spans, gboolean fresh, GArray *items);

/* Of an item, in the order of the steps, whether any chunk of it was computed. */
void cs_cuda_spans_learn(CsCudaSpans *spans, const CsKernelItem *item, gboolean computed);

/* Whether no row is under way; and how many steps there are until then if none begins, about. */
gboolean cs_cuda_spans_is_flat(const CsCudaSpans *spans);
gint64 cs_cuda_spans_steps_left(const CsCudaSpans *spans);

/* How many rows are done or under way; and up to which column one of them is, where all launched is
 * over: n if it is done but, perhaps, for the delegated triangle. */
gint64 cs_cuda_spans_rows(const CsCudaSpans *spans);
gint64 cs_cuda_spans_column(const CsCudaSpans *spans, gint64 row);

/* Appends what ends the delegated triangles of all rows under way (CsKernelItem's drain). */
void cs_cuda_spans_drain(const CsCudaSpans *spans, GArray *items);

/* Whether all are done. */
gboolean cs_cuda_spans_is_done(const CsCudaSpans *spans);

/*
 * When the first so many block rows came to some column, and none below it wrote to the horizontal
 * bus there: the columns, from + 1 .. until, of which it has the last one's bottom. The others, up
 * to that column, are zero there.
 */
void cs_cuda_spans_bottom(const CsCudaSpans *spans, gint64 rows, gint64 *from, gint64 *until);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCudaSpans, cs_cuda_spans_free)

#endif
