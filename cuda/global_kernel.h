/*
 * The kernels of global alignments of a query with many records, as the host sees them (tape.h).
 *
 * What they find of a record is its last cell, of 32 bits in the first way and else of 64. What its digits mean is for the host to
 * know (cuda_global.c). Gains of pairs are int64_t, and no pair gains less than two gaps cost.
 */
#ifndef CS_GLOBAL_KERNEL_H
#define CS_GLOBAL_KERNEL_H

#include "cuda/tape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CS_GLOBAL_NONES = 1, /* letters that are none behind each record */
};

/* How a lane keeps values (global_kernel.cu). */
typedef enum {
    CS_GLOBAL_32,
    CS_GLOBAL_MOVING, /* in 32 bits, above a base that moves */
    CS_GLOBAL_64,
} CsGlobalWidth;

/* If a value moves, how far it is from the base at most: by so many gains and openings of a gap. */
enum {
    CS_GLOBAL_STEPS = CS_TAPE_MOVE + 32 + 3,
};

typedef struct {
    CsTapeKernel tape;
    CsGlobalWidth width;
    int affine; /* otherwise gaps cost nothing beside their letters */
} CsGlobalKernel;

/* Ends with one of 0 rows. */
extern const CsGlobalKernel cs_global_tape_kernels[];

#ifdef __cplusplus
}
#endif

#endif
