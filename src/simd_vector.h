/*
 * Vectors of LANE_BITS (8, 16 or 32) lanes, for the target that this is compiled for: AVX-512BW,
 * AVX2, or 128 bits, written as SSE4.1 and carried to other processors (NEON) by SIMDe.
 *
 * Lanes of 8 and 16 bits are unsigned and saturate at 0 and LANE_TOP; those of 32 are signed and
 * must not overflow.
 */
#ifndef CS_SIMD_VECTOR_H
#define CS_SIMD_VECTOR_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse4.1.h>
#endif

#define CS_INLINE static inline __attribute__((always_inline))

#if LANE_BITS == 8
typedef uint8_t Lane;
#define LANE_TOP UINT8_MAX
#define SIGNED(name) name##_epi8
#define UNSIGNED(name) name##_epu8
#define ADD(prefix) prefix##_adds_epu8
#define SUBTRACT(prefix) prefix##_subs_epu8
#elif LANE_BITS == 16
typedef uint16_t Lane;
#define LANE_TOP UINT16_MAX
#define SIGNED(name) name##_epi16
#define UNSIGNED(name) name##_epu16
#define ADD(prefix) prefix##_adds_epu16
#define SUBTRACT(prefix) prefix##_subs_epu16
#else
typedef int32_t Lane;
#define LANE_TOP INT32_MAX
#define SIGNED(name) name##_epi32
#define UNSIGNED(name) name##_epi32 /* signed, but the name serves */
#define ADD(prefix) prefix##_add_epi32
#define SUBTRACT(prefix) prefix##_sub_epi32
#endif

#if defined(__AVX512BW__)

typedef __m512i Vec;
enum {
    LANES = 64 / sizeof(Lane),
    STRIPS = 3, /* computed side by side: what one waits for, the others fill */
    ROWS = 4,   /* of a lane */
};
#if LANE_BITS == 8
typedef __mmask64 Mask;
#elif LANE_BITS == 16
typedef __mmask32 Mask;
#else
typedef __mmask16 Mask;
#endif

CS_INLINE Vec
vec_load(const Lane *from)
{
    return _mm512_loadu_si512(from);
}

CS_INLINE void
vec_store(Lane *to, Vec a)
{
    _mm512_storeu_si512(to, a);
}
/* The first lane and those behind it in the same 32 bits; of what is loaded others are undefined.
 */
CS_INLINE Vec
vec_load_first(const Lane *from)
{
    int word;
    memcpy(&word, from, sizeof word);
    return _mm512_castsi128_si512(_mm_cvtsi32_si128(word));
}

CS_INLINE void
vec_store_first(Lane *to, Vec a)
{
    int word = _mm_cvtsi128_si32(_mm512_castsi512_si128(a));
    memcpy(to, &word, sizeof word);
}

CS_INLINE Vec
vec_all(Lane value)
{
    return SIGNED(_mm512_set1)(value);
}

CS_INLINE Vec
vec_subtract(Vec a, Vec b)
{
    return SUBTRACT(_mm512)(a, b);
}

CS_INLINE Vec
vec_max(Vec a, Vec b)
{
    return UNSIGNED(_mm512_max)(a, b);
}

CS_INLINE Mask
vec_equal(Vec a, Vec b)
{
#if LANE_BITS == 8
    return _mm512_cmpeq_epi8_mask(a, b);
#elif LANE_BITS == 16
    return _mm512_cmpeq_epi16_mask(a, b);
#else
    return _mm512_cmpeq_epi32_mask(a, b);
#endif
}

/* a + b where the mask is set, else a. */
CS_INLINE Vec
vec_add_where(Mask mask, Vec a, Vec b)
{
    return ADD(_mm512_mask)(a, mask, a, b);
}

/* a where the mask is set, else b. */
CS_INLINE Vec
vec_select(Mask mask, Vec a, Vec b)
{
    return SIGNED(_mm512_mask_blend)(mask, b, a);
}

CS_INLINE int
vec_any(Mask mask)
{
    return mask != 0;
}

/* Each lane gets the one above it, the last one the first of `in`. */
CS_INLINE Vec
vec_next(Vec a, Vec in)
{
    Vec ahead = _mm512_alignr_epi64(in, a, 2);
    return _mm512_alignr_epi8(ahead, a, sizeof(Lane));
}

#elif defined(__AVX2__)

typedef __m256i Vec;
typedef __m256i Mask;
enum {
    LANES = 32 / sizeof(Lane),
    STRIPS = 3, /* computed side by side: what one waits for, the others fill */
    ROWS = 4,   /* of a lane */
};

CS_INLINE Vec
vec_load(const Lane *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

CS_INLINE void
vec_store(Lane *to, Vec a)
{
    _mm256_storeu_si256((__m256i *)to, a);
}
/* The first lane and those behind it in the same 32 bits; of what is loaded others are undefined.
 */
CS_INLINE Vec
vec_load_first(const Lane *from)
{
    int word;
    memcpy(&word, from, sizeof word);
    return _mm256_castsi128_si256(_mm_cvtsi32_si128(word));
}

CS_INLINE void
vec_store_first(Lane *to, Vec a)
{
    int word = _mm_cvtsi128_si32(_mm256_castsi256_si128(a));
    memcpy(to, &word, sizeof word);
}

CS_INLINE Vec
vec_all(Lane value)
{
    return SIGNED(_mm256_set1)(value);
}

CS_INLINE Vec
vec_subtract(Vec a, Vec b)
{
    return SUBTRACT(_mm256)(a, b);
}

CS_INLINE Vec
vec_max(Vec a, Vec b)
{
    return UNSIGNED(_mm256_max)(a, b);
}

CS_INLINE Mask
vec_equal(Vec a, Vec b)
{
    return SIGNED(_mm256_cmpeq)(a, b);
}

CS_INLINE Vec
vec_add_where(Mask mask, Vec a, Vec b)
{
    return ADD(_mm256)(a, _mm256_and_si256(mask, b));
}

CS_INLINE Vec
vec_select(Mask mask, Vec a, Vec b)
{
    return _mm256_blendv_epi8(b, a, mask);
}

CS_INLINE int
vec_any(Mask mask)
{
    return _mm256_movemask_epi8(mask) != 0;
}

CS_INLINE Vec
vec_next(Vec a, Vec in)
{
    Vec ahead = _mm256_permute2x128_si256(a, in, 0x21);
    return _mm256_alignr_epi8(ahead, a, sizeof(Lane));
}

#else

typedef __m128i Vec;
typedef __m128i Mask;
enum {
    LANES = 16 / sizeof(Lane),
    STRIPS = 3, /* computed side by side: what one waits for, the others fill */
    ROWS = 4,   /* of a lane */
};

CS_INLINE Vec
vec_load(const Lane *from)
{
    return _mm_loadu_si128((const __m128i *)from);
}

CS_INLINE void
vec_store(Lane *to, Vec a)
{
    _mm_storeu_si128((__m128i *)to, a);
}
/* The first lane and those behind it in the same 32 bits; of what is loaded others are undefined.
 */
CS_INLINE Vec
vec_load_first(const Lane *from)
{
    int word;
    memcpy(&word, from, sizeof word);
    return _mm_cvtsi32_si128(word);
}

CS_INLINE void
vec_store_first(Lane *to, Vec a)
{
    int word = _mm_cvtsi128_si32(a);
    memcpy(to, &word, sizeof word);
}

CS_INLINE Vec
vec_all(Lane value)
{
    return SIGNED(_mm_set1)(value);
}

CS_INLINE Vec
vec_subtract(Vec a, Vec b)
{
    return SUBTRACT(_mm)(a, b);
}

CS_INLINE Vec
vec_max(Vec a, Vec b)
{
    return UNSIGNED(_mm_max)(a, b);
}

CS_INLINE Mask
vec_equal(Vec a, Vec b)
{
    return SIGNED(_mm_cmpeq)(a, b);
}

CS_INLINE Vec
vec_add_where(Mask mask, Vec a, Vec b)
{
    return ADD(_mm)(a, _mm_and_si128(mask, b));
}

CS_INLINE Vec
vec_select(Mask mask, Vec a, Vec b)
{
    return _mm_blendv_epi8(b, a, mask);
}

CS_INLINE int
vec_any(Mask mask)
{
    return _mm_movemask_epi8(mask) != 0;
}

CS_INLINE Vec
vec_next(Vec a, Vec in)
{
    return _mm_alignr_epi8(in, a, sizeof(Lane));
}

#endif

#endif
