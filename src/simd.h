/*
 * The vector engine: simd_kernel.c compiled for several targets, one of which is picked at run
 * time.
 *
 * The environment variable CHROMOSWEEP_SIMD masks targets: it names the best one that may be picked
 * (baseline, avx2, avx512).
 */
#ifndef CS_SIMD_H
#define CS_SIMD_H

#include "cpu_block.h"

/* cs_simd_TARGET_BITS(): a block in lanes of so many bits. */
void cs_simd_baseline_32(CsCpuBlock *block);
void cs_simd_baseline_64(CsCpuBlock *block);
void cs_simd_avx2_32(CsCpuBlock *block);
void cs_simd_avx2_64(CsCpuBlock *block);
void cs_simd_avx512_32(CsCpuBlock *block);
void cs_simd_avx512_64(CsCpuBlock *block);

/* Masks as the environment variable does and instead of it; for tests, which try every target. */
void cs_simd_set_mask(const char *name);

extern const CsEngineClass cs_simd_engine;

#endif
