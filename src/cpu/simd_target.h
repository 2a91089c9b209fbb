/*
 * The instruction set that a file is compiled for: AVX-512BW, AVX2, or 128 bits, which are written as
 * SSE4.1 and translated for other processors (NEON) by SIMDe.
 */
#ifndef CS_SIMD_TARGET_H
#define CS_SIMD_TARGET_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse4.1.h>
#endif

#define CS_INLINE static inline __attribute__((always_inline))

/* 256 bits can be chosen with AVX-512, too. */
#if defined(__AVX512BW__) && !defined(VECTORS_OF_256)
#define VECTOR_BITS 512
#elif defined(__AVX2__)
#define VECTOR_BITS 256
#else
#define VECTOR_BITS 128
#endif

/* The target's intrinsics: V(name), WHOLE(name) of all bits, TO_128() and FROM_128(). */
#if VECTOR_BITS == 512
typedef __m512i Vec;
#define V(name) _mm512_##name
#define WHOLE(name) _mm512_##name##_si512
#define TO_128(a) _mm512_castsi512_si128(a)
#define FROM_128(a) _mm512_castsi128_si512(a)
#elif VECTOR_BITS == 256
typedef __m256i Vec;
#define V(name) _mm256_##name
#define WHOLE(name) _mm256_##name##_si256
#define TO_128(a) _mm256_castsi256_si128(a)
#define FROM_128(a) _mm256_castsi128_si256(a)
#else
typedef __m128i Vec;
#define V(name) _mm_##name
#define WHOLE(name) _mm_##name##_si128
#define TO_128(a) (a)
#define FROM_128(a) (a)
#endif

#endif
