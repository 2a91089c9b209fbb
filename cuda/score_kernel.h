/*
 * The kernels that score queries with many records, as the host sees them (tape.h).
 *
 * A team computes, in the two halves of a word, one query with two records, or two halves of a set of
 * queries with one record. A half has queries one behind the other (cuda_stripes.h). What is found are
 * scores (int16_t). Gains of pairs are int16_t; those of CS_LETTER_NONE are INT16_MIN.
 */
#ifndef CS_SCORE_KERNEL_H
#define CS_SCORE_KERNEL_H

#include <stdalign.h>

#include "cuda/tape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CS_SCORE_NONES = 2, /* letters that are none behind each record */
};

/* A cell, both halves: H, and F of the row below. */
typedef struct {
    alignas(8) uint32_t h;
    uint32_t f;
} CsScoreCell;

/* Ends with one of 0 rows. */
extern const CsTapeKernel cs_score_kernels[];

#ifdef __cplusplus
}
#endif

#endif
