/*
 * Vectors in which each bit is a lane. Lane r is bit r % 64 of 64-bit word r / 64; the uppermost lane
 * is the first. A number of several bits lies in as many vectors, its planes.
 */
#ifndef CS_SLICED_VECTOR_H
#define CS_SLICED_VECTOR_H

#include "cpu/simd_target.h"

enum {
    LANES = 8 * sizeof(Vec),
    WORDS = LANES / 64,
};

/*
 * LOGIC(expression, a, b, c) is an expression of A, B and C with the operators ~ & | ^, for every bit.
 * AVX-512 does any such in one instruction, which takes the truth table.
 */
#if defined(__AVX512VL__)
#define LOGIC(expression, a, b, c)                                                                 \
    __extension__({                                                                                \
        enum {                                                                                     \
            A = 0xF0,                                                                              \
            B = 0xCC,                                                                              \
            C = 0xAA,                                                                              \
            TABLE = (expression)&0xFF                                                              \
        };                                                                                         \
        V(ternarylogic_epi64)(a, b, c, TABLE);                                                     \
    })
#else
#define LOGIC(expression, a, b, c)                                                                 \
    __extension__({                                                                                \
        const Vec A = (a), B = (b), C = (c);                                                       \
        (expression);                                                                              \
    })
#endif

/* The same word in all places. */
CS_INLINE Vec
vec_word(uint64_t word)
{
#if VECTOR_BITS == 512
    return _mm512_set1_epi64((long long)word);
#elif VECTOR_BITS == 256
    return _mm256_set1_epi64x((long long)word);
#else
    return _mm_set1_epi64x((long long)word);
#endif
}

CS_INLINE Vec
vec_zero(void)
{
    return vec_word(0);
}

/* Where `mask` is set a, else b. */
CS_INLINE Vec
vec_choose(Vec mask, Vec a, Vec b)
{
    return LOGIC((A & B) | (~A & C), mask, a, b);
}

CS_INLINE int
vec_any(Vec a)
{
#if VECTOR_BITS == 512
    return _mm512_test_epi64_mask(a, a) != 0;
#elif VECTOR_BITS == 256
    return !_mm256_testz_si256(a, a);
#else
    return !_mm_testz_si128(a, a);
#endif
}

CS_INLINE uint64_t
vec_last_word(Vec a)
{
    uint64_t words[WORDS];
    memcpy(words, &a, sizeof words);
    return words[WORDS - 1];
}

/* Takes the top bit out of each word of the queue, and puts that of `a` in at its other end. */
CS_INLINE Vec
vec_push(Vec queue, Vec a)
{
#if defined(__AVX512VBMI2__)
    return V(shldi_epi64)(queue, a, 1);
#else
    return V(add_epi64)(queue, queue) | V(srli_epi64)(a, 63);
#endif
}

/* Each lane gets the lane above it; the first lane gets the top bit of the queue's last word. */
CS_INLINE Vec
vec_from_above(Vec a, Vec queue)
{
#if VECTOR_BITS == 512
    const Vec before = _mm512_alignr_epi64(a, queue, 7);
#elif defined(__AVX512VL__)
    const Vec before = _mm256_alignr_epi64(a, queue, 3);
#elif VECTOR_BITS == 256
    const Vec before = _mm256_alignr_epi8(a, _mm256_permute2x128_si256(a, queue, 0x03), 8);
#else
    const Vec before = _mm_alignr_epi8(a, queue, 8);
#endif
    return vec_push(a, before);
}

#endif
