/* Blocks for tests of CPU kernels, and what the scalar kernel makes of them. */
#ifndef BLOCK_CASE_H
#define BLOCK_CASE_H

#include <stdlib.h>
#include <string.h>

#include "cpu/scalar.h"
#include "sweep/bus.h"

/* A block of bases that match nowhere, with borders of zero, somewhere in a matrix. */
static inline CsCpuBlock
block_new(gint64 height, gint64 width, const CsScoring *scoring)
{
    guint8 *rows = g_malloc(height), *columns = g_malloc(width);
    memset(rows, 0, height);
    memset(columns, 1, width);
    return (CsCpuBlock){
        .rows = rows,
        .columns = columns,
        .height = height,
        .width = width,
        .i0 = 5000,
        .j0 = 7000,
        .scoring = scoring,
        .score_width = CS_WIDTH_32,
        .top_h = g_new0(gint32, width),
        .top_f = g_new0(gint32, width),
        .left_h = g_new0(gint32, height),
        .left_e = g_new0(gint32, height),
    };
}

static inline void
block_clear(CsCpuBlock *block)
{
    g_free((gpointer)block->rows);
    g_free((gpointer)block->columns);
    g_free(block->top_h);
    g_free(block->top_f);
    g_free(block->left_h);
    g_free(block->left_e);
    free(block->scratch);
}

/* A copy with scratch memory full of random values. */
static inline CsCpuBlock
block_to_compute(const CsCpuBlock *block)
{
    CsCpuBlock copy = *block;
    const gsize width = block->width, height = block->height;
    copy.rows = g_memdup2(block->rows, height);
    copy.columns = g_memdup2(block->columns, width);
    copy.top_h = g_memdup2(block->top_h, width * sizeof(gint32));
    copy.top_f = g_memdup2(block->top_f, width * sizeof(gint32));
    copy.left_h = g_memdup2(block->left_h, height * sizeof(gint32));
    copy.left_e = g_memdup2(block->left_e, height * sizeof(gint32));
    gsize bytes = CS_CPU_SCRATCH(height, width);
    g_assert_cmpint(posix_memalign(&copy.scratch, 64, bytes), ==, 0);
    memset(copy.scratch, 0x7d, bytes);
    return copy;
}

static inline CsCpuBlock
scalar_truth(const CsCpuBlock *block)
{
    CsCpuBlock truth = block_to_compute(block);
    cs_scalar_compute(&truth);
    return truth;
}

/* Bases of both sequences from a GRand, some of them ambiguous. */
static inline void
set_bases(CsCpuBlock *block, GRand *rand, int alphabet)
{
    guint8 *rows = (guint8 *)block->rows, *columns = (guint8 *)block->columns;
    for (gint64 i = 0; i < block->height; i++)
        rows[i] = (guint8)g_rand_int_range(rand, 0, alphabet);
    for (gint64 j = 0; j < block->width; j++) {
        columns[j] = (guint8)g_rand_int_range(rand, 0, alphabet);
        if (columns[j] == CS_ROW_AMBIGUOUS)
            columns[j] = CS_COLUMN_AMBIGUOUS;
        else if (j < block->height && g_rand_int_range(rand, 0, 5) > 0 &&
                 block->rows[j] != CS_ROW_AMBIGUOUS)
            columns[j] = block->rows[j];
    }
}

/* So many bases match along a diagonal that begins after so many rows and columns. */
static inline void
set_run(CsCpuBlock *block, gint64 above, gint64 before, gint64 count)
{
    memset((guint8 *)block->rows + above, 2, count);
    memset((guint8 *)block->columns + before, 2, count);
}

#endif
