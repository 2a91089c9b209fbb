/*
 * The kernels of global alignments of a query with many records, as the host sees them (tape.h).
 *
 * What they find of a record is its last cell, 32 or 64 bits. What its digits mean is for the host to
 * know (cuda_global.c). Gains of pairs are int64_t, and no pair gains less than two gaps cost.
 */
#ifndef CS_GLOBAL_KERNEL_H
#define CS_GLOBAL_KERNEL_H

#include "cuda/tape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    CsTapeKernel tape;
    int wide;          /* 64 bits, not 32 */
    int affine;        /* otherwise gaps cost nothing beside their letters */
    size_t cell_bytes; /* of the column */
} CsGlobalKernel;

/* Ends with one of 0 rows. */
extern const CsGlobalKernel cs_global_tape_kernels[];

#ifdef __cplusplus
}
#endif

#endif
