/*
 * One block of the matrix as a CPU kernel computes it. The wave (cpu_wave.c) owns the buses, the
 * order and the threads; a kernel owns the recurrence.
 */
#ifndef CS_CPU_BLOCK_H
#define CS_CPU_BLOCK_H

#include "sweep/engine_class.h"

/* Bytes of scratch that a kernel may use for a block. The scalar kernel needs two 64-bit scores per
 * column. The vector kernels need four 32-bit scores per column and two per row, with padding. */
#define CS_CPU_SCRATCH(height, width)                                                              \
    (2 * sizeof(gint64) * (width) + 2 * sizeof(gint32) * (height) + CS_CPU_SCRATCH_PADDING)
#define CS_CPU_SCRATCH_PADDING 2048

typedef struct {
    const guint8 *rows;    /* height codes, CS_ROW_AMBIGUOUS for bases that match nothing */
    const guint8 *columns; /* width codes, likewise CS_COLUMN_AMBIGUOUS */
    gint64 height;
    gint64 width;
    gint64 i0, j0; /* rows above and columns left of the block */

    const CsScoring *scoring;
    CsTieOrder tie_order;
    CsWidth score_width; /* of the four borders below */

    CsScore corner;        /* H(i0, j0) */
    void *top_h, *top_f;   /* `width` of each: enter as the top border, leave as the bottom one */
    void *left_h, *left_e; /* `height` of each: enter as the left border, leave as the right one */

    void *scratch; /* CS_CPU_SCRATCH() bytes, aligned to 64 */

    CsBest best;           /* enters as the best cell known, leaves merged with the block's best */
    gint64 cells_computed; /* leaves; reruns included */
} CsCpuBlock;

typedef void (*CsCpuKernel)(CsCpuBlock *block);

#endif
