/*
 * The vector engine: simd_kernel.c compiled for several targets, one of which is picked at run
 * time.
 *
 * The environment variable CHROMOSWEEP_SIMD masks targets: it names the best one that may be picked
 * (avx512, avx2, sse4.1; neon on 64-bit ARM).
 */
#ifndef CS_SIMD_H
#define CS_SIMD_H

#include "cpu/cpu_block.h"

/* One pass of a kernel over a block. */
typedef struct {
    CsCpuBlock *block;
    CsScore base;    /* lanes hold what is above it */
    CsScore highest; /* of sweep(): H of any cell; of a tilted one 0 */
    CsScore wanted;  /* of find(): what a cell must have at least to be looked at */
} CsSimdPass;

/* A target's kernel for lanes of so many bits, up to `top`. */
typedef struct {
    int bits;
    gboolean
        tilted; /* the base falls by gap_extend with each row and column; no highest, no find */
    gint64 top;
    void (*sweep)(CsSimdPass *); /* computes the block into the scratch */
    void (*find)(CsSimdPass *);  /* the same, and merges its best cell */
    void (*leave)(CsSimdPass *); /* the borders leave */
} CsSimdKernel;

/* Each target's kernels: of 16 bits tilted, of 8, 16 and 32 bits. */
extern const CsSimdKernel cs_simd_avx512_tilted, cs_simd_avx512_8, cs_simd_avx512_16,
    cs_simd_avx512_32;
extern const CsSimdKernel cs_simd_avx2_tilted, cs_simd_avx2_8, cs_simd_avx2_16, cs_simd_avx2_32;
extern const CsSimdKernel cs_simd_128_tilted, cs_simd_128_8, cs_simd_128_16, cs_simd_128_32;

/* Computes a block of 32-bit scores, with the first of kernels that holds it. */
void cs_simd_compute(const CsSimdKernel *const *kernels, CsCpuBlock *block);

/* The same, but instead of a best cell it returns the highest H of the block. */
CsScore cs_simd_score(const CsSimdKernel *const *kernels, CsCpuBlock *block);

/* Those of the best target that works here and is not masked, the fastest first, the last of 32
 * bits. */
const CsSimdKernel *const *cs_simd_kernels(GError **error);

extern const CsEngineClass cs_simd_engine;

#endif
