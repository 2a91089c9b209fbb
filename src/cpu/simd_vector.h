/*
 * Vectors with lanes of LANE_BITS (8, 16 or 32) bits.
 *
 * Lanes of 8 and 16 bits are unsigned, and sums and differences wrap. 32-bit lanes are signed and must
 * not overflow.
 */
#ifndef CS_SIMD_VECTOR_H
#define CS_SIMD_VECTOR_H

#include "cpu/simd_target.h"

/* The intrinsics for the lane width; `masked` is empty or mask_. */
#if LANE_BITS == 8
typedef uint8_t Lane;
#define LANE_TOP UINT8_MAX
#define SIGNED(name) V(name##_epi8)
#define UNSIGNED(name) V(name##_epu8)
#define ADD(masked) V(masked##add_epi8)
#define SUBTRACT V(sub_epi8)
#elif LANE_BITS == 16
typedef uint16_t Lane;
#define LANE_TOP UINT16_MAX
#define SIGNED(name) V(name##_epi16)
#define UNSIGNED(name) V(name##_epu16)
#define ADD(masked) V(masked##add_epi16)
#define SUBTRACT V(sub_epi16)
#else
typedef int32_t Lane;
#define LANE_TOP INT32_MAX
#define SIGNED(name) V(name##_epi32)
#define UNSIGNED(name) V(name##_epi32) /* signed, despite the name */
#define ADD(masked) V(masked##add_epi32)
#define SUBTRACT V(sub_epi32)
#endif

enum {
    LANES = sizeof(Vec) / sizeof(Lane),
    STRIPS = TILTED ? 2 : 3, /* computed side by side, to fill each other's latencies */
    ROWS = TILTED ? 6 : 4,   /* per lane */
};

CS_INLINE Vec
vec_load(const Lane *from)
{
    return WHOLE(loadu)((const Vec *)from);
}

CS_INLINE void
vec_store(Lane *to, Vec a)
{
    WHOLE(storeu)((Vec *)to, a);
}

/* Loads or stores the first lane and those after it in the same 32 bits. Other lanes of a loaded
 * vector are undefined. */
CS_INLINE Vec
vec_load_first(const Lane *from)
{
    int word;
    memcpy(&word, from, sizeof word);
    return FROM_128(_mm_cvtsi32_si128(word));
}

CS_INLINE void
vec_store_first(Lane *to, Vec a)
{
    int word = _mm_cvtsi128_si32(TO_128(a));
    memcpy(to, &word, sizeof word);
}

CS_INLINE Vec
vec_all(Lane value)
{
    return SIGNED(set1)(value);
}

CS_INLINE Vec
vec_add(Vec a, Vec b)
{
    return ADD()(a, b);
}

CS_INLINE Vec
vec_subtract(Vec a, Vec b)
{
    return SUBTRACT(a, b);
}

CS_INLINE Vec
vec_max(Vec a, Vec b)
{
    return UNSIGNED(max)(a, b);
}

/*
 * Masks: vec_equal(a, b); vec_add_where(mask, a, b) is a + b where the mask is set, else a;
 * vec_select(mask, a, b) is a where it is set, else b; vec_any(mask).
 */
#if defined(__AVX512BW__)

#if LANE_BITS == 8
typedef __mmask64 Mask;
#elif LANE_BITS == 16
typedef __mmask32 Mask;
#else
typedef __mmask16 Mask;
#endif

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

CS_INLINE Vec
vec_add_where(Mask mask, Vec a, Vec b)
{
    return ADD(mask_)(a, mask, a, b);
}

CS_INLINE Vec
vec_select(Mask mask, Vec a, Vec b)
{
    return SIGNED(mask_blend)(mask, b, a);
}

CS_INLINE int
vec_any(Mask mask)
{
    return mask != 0;
}

#else

typedef Vec Mask;

CS_INLINE Mask
vec_equal(Vec a, Vec b)
{
    return SIGNED(cmpeq)(a, b);
}

CS_INLINE Vec
vec_add_where(Mask mask, Vec a, Vec b)
{
    return ADD()(a, WHOLE(and)(mask, b));
}

CS_INLINE Vec
vec_select(Mask mask, Vec a, Vec b)
{
    return V(blendv_epi8)(b, a, mask);
}

CS_INLINE int
vec_any(Mask mask)
{
    return V(movemask_epi8)(mask) != 0;
}

#endif

/*
 * What pairs of bases gain: vec_pairs(gain, loss) is gain - loss where bases are equal, else -loss;
 * vec_pair(before, row, column, pairs) adds it. row_lane() and column_lane() are how lanes hold the
 * codes of bases.
 */
#if LANE_BITS < 32 && defined(__x86_64__) && !defined(__AVX512BW__)

/* From a table of bytes: equal bases differ by 0. Those that match nothing differ from all others. In
 * lanes of 16 bits the upper bytes differ by another 8. */
typedef Vec Pairs;

CS_INLINE Lane
row_lane(int code)
{
    return (Lane)(LANE_BITS == 16 ? code * 0x101 : code);
}

CS_INLINE Lane
column_lane(int code)
{
    return (Lane)(row_lane(code) ^ (LANE_BITS == 16 ? 0x800 : 0));
}

CS_INLINE Pairs
vec_pairs(Lane gain, Lane loss)
{
    uint8_t table[sizeof(Vec)];
    for (unsigned k = 0; k < sizeof table; k++) {
        const Lane pair = (Lane)((k % 8 == 0 ? gain : 0) - loss);
        table[k] = (uint8_t)(LANE_BITS == 16 && k % 16 >= 8 ? pair >> 8 : pair);
    }
    return WHOLE(loadu)((const Vec *)table);
}

CS_INLINE Vec
vec_pair(Vec before, Vec row, Vec column, const Pairs *pairs)
{
    return vec_add(before, V(shuffle_epi8)(*pairs, WHOLE(xor)(row, column)));
}

#else

typedef struct {
    Vec gain, loss;
} Pairs;

CS_INLINE Lane
row_lane(int code)
{
    return (Lane)code;
}

CS_INLINE Lane
column_lane(int code)
{
    return (Lane)code;
}

CS_INLINE Pairs
vec_pairs(Lane gain, Lane loss)
{
    return (Pairs){vec_all(gain), vec_all(loss)};
}

CS_INLINE Vec
vec_pair(Vec before, Vec row, Vec column, const Pairs *pairs)
{
    return vec_subtract(vec_add_where(vec_equal(row, column), before, pairs->gain), pairs->loss);
}

#endif

/* Each lane gets the lane above it; the last lane gets the first lane of `in`. */
CS_INLINE Vec
vec_next(Vec a, Vec in)
{
#if defined(__AVX512BW__)
    in = _mm512_alignr_epi64(in, a, 2);
#elif defined(__AVX2__)
    in = _mm256_permute2x128_si256(a, in, 0x21);
#endif
    return V(alignr_epi8)(in, a, sizeof(Lane)); /* within 128 bits */
}

#endif
