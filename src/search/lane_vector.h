/*
 * Vectors of scores, for lane_kernel.c and striped_kernel.c: lanes of LANE_BITS (8, 16 or 32).
 *
 * Lanes of 16 bits are signed and saturate. The lowest number, ZERO, stands for 0, so that sums are clamped
 * there as H is. E and F are clamped, too, which makes no difference: a gap value below 0 is never the
 * maximum. A score that reaches the highest number is too high to be known. If no sum reached it, none
 * was clamped at the top. Lanes of 32 bits neither saturate nor overflow, if the caller is right about
 * the highest score.
 */
#ifndef CS_LANE_VECTOR_H
#define CS_LANE_VECTOR_H

#define TILTED 0
#include "cpu/simd_vector.h"

#include "search/lane_kernel.h"

#if LANE_BITS == 8
typedef uint8_t Score;
#define TOP UINT8_MAX
#define SET_ALL(x) V(set1_epi8)((char)(x))
#define PLUS V(add_epi8)
#define MINUS V(sub_epi8)
#define HIGHER V(max_epu8)
#define LOWER V(min_epu8)
#elif LANE_BITS == 16
typedef int16_t Score;
#define ZERO INT16_MIN
#define TOP INT16_MAX
#define SET_ALL V(set1_epi16)
#define PLUS V(adds_epi16)
#define MINUS V(subs_epi16)
#define HIGHER V(max_epi16)
#define LOWER V(min_epi16)
#else
typedef int32_t Score;
#define ZERO 0
#define TOP INT32_MAX
#define SET_ALL V(set1_epi32)
#define PLUS V(add_epi32)
#define MINUS V(sub_epi32)
#define HIGHER V(max_epi32)
#define LOWER V(min_epi32)
#endif

enum {
    VECTOR = sizeof(Vec),
};

#if LANE_BITS == 16
static gint64
find_top(const CsLaneJob *job)
{
    return job->lowest >= ZERO && job->highest <= TOP && job->first <= TOP && job->more <= TOP
               ? TOP - ZERO
               : 0;
}
#elif LANE_BITS == 32
static gint64
find_top(const CsLaneJob *job)
{
    return TOP;
}
#endif

CS_INLINE Vec
load(const void *from)
{
    return WHOLE(load)((const Vec *)from);
}

CS_INLINE void
store(void *to, Vec a)
{
    WHOLE(store)((Vec *)to, a);
}

#endif
