/*
 * The vector engine: simd_kernel.c, compiled for several instruction sets ("targets"), of which one
 * is chosen at run time.
 *
 * The environment variable CHROMOSWEEP_SIMD names the best target that may be chosen (avx512, avx2,
 * sse4.1; neon on 64-bit ARM).
 */
#ifndef CS_SIMD_H
#define CS_SIMD_H

#include "cpu/cpu_block.h"

/* One pass of a kernel over a block. */
typedef struct {
    CsCpuBlock *block;
    CsScore base; /* lanes hold values relative to it */
    CsScore
        highest; /* set by sweep(): the highest H; 0 for tilted lanes and, if they held the block,
                        for single bits */
    CsScore wanted; /* read by find(): the least score of a cell to look at */
} CsSimdPass;

/* A target's kernel for one kind of lanes. */
typedef struct {
    int bits;
    gboolean
        tilted; /* the base falls by gap_extend with each row and column; no highest, no find */
    int period; /* steps after which the floor falls back; 0 if it is always 0 */
    gint64 top; /* the highest value of a lane */
    void (*sweep)(CsSimdPass *); /* computes the block into the scratch */
    void (*find)(CsSimdPass *);  /* the same, and merges its best cell */
    void (*leave)(CsSimdPass *); /* copies the borders that leave from the scratch */
    gint64 strip; /* lanes of single bits: rows of a strip, of which a block has a whole number */
} CsSimdKernel;

/*
 * How lanes of 8 and 16 bits hold their base in the first step of a period. A value falls below it by
 * an open and an extended gap, by a mismatch, or because it comes from one or two steps before.
 */
static inline CsScore
cs_simd_floor(const CsScoring *scoring)
{
    return MAX(scoring->gap_open + scoring->gap_extend,
               MAX(scoring->mismatch, 2 * scoring->gap_extend));
}

/* Each target's kernels: lanes of single bits (VBMI2: for processors that have it with AVX-512), tilted
 * lanes of 16 bits, lanes of 8, 16 and 32 bits. */
extern const CsSimdKernel cs_simd_vbmi2_1, cs_simd_avx512_1, cs_simd_avx2_1, cs_simd_128_1;
extern const CsSimdKernel cs_simd_avx512_tilted, cs_simd_avx512_8, cs_simd_avx512_16,
    cs_simd_avx512_32;
extern const CsSimdKernel cs_simd_avx2_tilted, cs_simd_avx2_8, cs_simd_avx2_16, cs_simd_avx2_32;
extern const CsSimdKernel cs_simd_128_tilted, cs_simd_128_8, cs_simd_128_16, cs_simd_128_32;

/* Computes a block of 32-bit scores with the first kernel whose lanes hold it. */
void cs_simd_compute(const CsSimdKernel *const *kernels, CsCpuBlock *block);

/* The same, but returns the highest H of the block and finds no best cell. */
CsScore cs_simd_score(const CsSimdKernel *const *kernels, CsCpuBlock *block);

/* The kernels of the best target that works here and that CHROMOSWEEP_SIMD allows, the fastest
 * first and 32 bits last. */
const CsSimdKernel *const *cs_simd_kernels(GError **error);

/* The name of that target, as CHROMOSWEEP_SIMD has it. */
const char *cs_simd_target(GError **error);

extern const CsEngineClass cs_simd_engine;

#endif
