/*
 * The kernels that score queries with many records, as the host sees them (tape.h).
 *
 * A team computes a pair of sequences of each kind that goes into the two halves of a word: two queries
 * with one record, or one query with two records. What it finds are scores, of two queries (uint32_t) or
 * of one (int16_t). A pass that takes cells takes scores, too. Gains of pairs are int16_t.
 */
#ifndef CS_SCORE_KERNEL_H
#define CS_SCORE_KERNEL_H

#include <stdalign.h>

#include "cuda/tape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A cell, both halves: H, and F with the cost of a gap's first letter added. */
typedef struct {
    alignas(8) uint32_t h;
    uint32_t f;
} CsScoreCell;

typedef struct {
    CsTapeKernel tape;
    int any_gains; /* otherwise none is below minus the cost of a gap's first letter */
} CsScoreKernel;

/* Ends with one of 0 rows. */
extern const CsScoreKernel cs_score_kernels[];

#ifdef __cplusplus
}
#endif

#endif
