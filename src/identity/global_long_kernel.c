/*
 * The recurrence of global_lane_kernel.c along anti-diagonals of one pair. src/meson.build compiles this
 * file once for each instruction set and width. It defines LANE_BITS (32 or 64) and KERNEL, the name of
 * the CsGlobalLongKernel.
 *
 * A strip has ROWS rows for each lane. The last lane has the first rows, and each lane is one column
 * behind the lane above it:
 *
 *     last lane     row 0 to ROWS - 1           column k
 *     the one below row ROWS to 2 * ROWS - 1    column k - 1
 *     ...
 *
 * So u and s of a lane's last row move down by one lane with each step. They enter the last lane from the row
 * above the strip, and leave the first lane for the row above the next strip. w and t stay in the lane.
 *
 * A lane that has not come to the first column yet, or is beyond the last one, computes what no
 * other lane needs: numbers go only from a column to the same column below, and to the next column. w
 * and t are set anew until the lane begins.
 */
#include "cpu/simd_target.h"
#include "identity/global_long.h"
#include "system/memory.h"
#include "system/stop.h"

#if LANE_BITS == 32
typedef int32_t Lane;
#define SET_ALL(x) V(set1_epi32)((int)(x))
#define MINUS V(sub_epi32)
#define EQUAL V(cmpeq_epi32)
#define FIRST_LANE(x) FROM_128(_mm_cvtsi32_si128((int)(x)))
#define TAKE_FIRST(a) _mm_cvtsi128_si32(TO_128(a))
#else
typedef int64_t Lane;
#define SET_ALL(x) SET_64(x)
#define MINUS V(sub_epi64)
#define EQUAL V(cmpeq_epi64)
#define FIRST_LANE(x) FROM_128(_mm_cvtsi64_si128(x))
#define TAKE_FIRST(a) _mm_cvtsi128_si64(TO_128(a))
#endif
#if VECTOR_BITS == 512
#define SET_64 _mm512_set1_epi64
#else
#define SET_64 V(set1_epi64x)
#endif

enum {
    LANES = sizeof(Vec) / sizeof(Lane),
    ROWS = CS_GLOBAL_LONG_ROWS,
    STRIP = LANES * ROWS,
    NO_LETTER = -1,
    NO_MATCH = -2, /* a letter of the query that matches nothing */
};

CS_INLINE Vec
higher(Vec a, Vec b)
{
#if LANE_BITS == 32
    return V(max_epi32)(a, b);
#elif VECTOR_BITS == 512
    return _mm512_max_epi64(a, b);
#else
    return V(blendv_epi8)(b, a, V(cmpgt_epi64)(a, b));
#endif
}

/* a where x equals y, else b. */
CS_INLINE Vec
if_equal(Vec x, Vec y, Vec a, Vec b)
{
#if VECTOR_BITS == 512 && LANE_BITS == 32
    return _mm512_mask_blend_epi32(_mm512_cmpeq_epi32_mask(x, y), b, a);
#elif VECTOR_BITS == 512
    return _mm512_mask_blend_epi64(_mm512_cmpeq_epi64_mask(x, y), b, a);
#else
    return V(blendv_epi8)(b, a, EQUAL(x, y));
#endif
}

/* Each lane gets the lane above it; the last lane gets the first lane of `in`. */
CS_INLINE Vec
move_down(Vec a, Vec in)
{
#if VECTOR_BITS == 512 && LANE_BITS == 32
    return _mm512_alignr_epi32(in, a, 1);
#elif VECTOR_BITS == 512
    return _mm512_alignr_epi64(in, a, 1);
#elif VECTOR_BITS == 256
    return _mm256_alignr_epi8(_mm256_permute2x128_si256(a, in, 0x21), a, sizeof(Lane));
#else
    return _mm_alignr_epi8(in, a, sizeof(Lane));
#endif
}

CS_INLINE Vec
load(const Lane *lanes)
{
    return WHOLE(loadu)((const Vec *)(const void *)lanes);
}

typedef struct {
    Vec query[ROWS], w[ROWS], t[ROWS];
    Vec begin_w[ROWS], begin_t[ROWS]; /* before the first column */
    Vec letters, u, s;                /* of the last row of each lane */
} Strip;

/* One more column of each lane. */
CS_INLINE void
step(const CsGlobalLong *job, Strip *strip, gint64 column)
{
    const Vec open = SET_ALL(job->open), match = SET_ALL(job->match), other = SET_ALL(job->other);
    const gboolean inside = column < job->columns;
    strip->letters =
        move_down(strip->letters, FIRST_LANE(inside ? job->record[column] : NO_LETTER));
    Vec u = move_down(strip->u, FIRST_LANE(inside ? job->u[column] : 0));
    Vec s = move_down(strip->s, FIRST_LANE(inside ? job->s[column] : 0));
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) {
        const Vec gain = if_equal(strip->query[r], strip->letters, match, other);
        const Vec best = higher(higher(gain, s), strip->t[r]);
        const Vec less = MINUS(best, open);
        s = MINUS(higher(s, less), strip->w[r]);
        strip->t[r] = MINUS(higher(strip->t[r], less), u);
        const Vec right = MINUS(best, strip->w[r]);
        strip->w[r] = MINUS(best, u);
        u = right;
    }
    strip->u = u;
    strip->s = s;
    const gint64 left = column - (LANES - 1); /* column of the first lane */
    if (left >= 0) {
        job->u[left] = TAKE_FIRST(u);
        job->s[left] = TAKE_FIRST(s);
    }
}

/* Lanes that begin with a later column than the next one keep what they begin with. */
CS_INLINE void
hold(Strip *strip, gint64 next)
{
    Lane begins[LANES];
    for (int l = 0; l < LANES; l++)
        begins[l] = LANES - 1 - l >= next;
    const Vec held = load(begins), one = SET_ALL(1);
    for (int r = 0; r < ROWS; r++) {
        strip->w[r] = if_equal(held, one, strip->begin_w[r], strip->w[r]);
        strip->t[r] = if_equal(held, one, strip->begin_t[r], strip->t[r]);
    }
}

static void
strip_init(Strip *strip, const CsGlobalLong *job, gint64 row)
{
    for (int r = 0; r < ROWS; r++) {
        Lane letters[LANES], w[LANES], t[LANES];
        for (int l = 0; l < LANES; l++) {
            const gint64 i = row + (gint64)(LANES - 1 - l) * ROWS + r;
            const guint8 letter = job->query[i];
            letters[l] = (job->matching >> letter & 1) != 0 ? letter : NO_MATCH;
            w[l] = (Lane)(i == 0 ? -job->open : 0);
            t[l] = w[l] - (Lane)job->open;
        }
        strip->query[r] = load(letters);
        strip->w[r] = strip->begin_w[r] = load(w);
        strip->t[r] = strip->begin_t[r] = load(t);
    }
    strip->letters = strip->u = strip->s = SET_ALL(0);
}

static gint64
compute(CsGlobalLong *job)
{
    gint64 row = 0;
    for (; row + STRIP <= job->rows && !cs_is_stopped(job->stop); row += STRIP) {
        Strip strip;
        strip_init(&strip, job, row);
        gint64 column = 0;
        for (; column < LANES; column++) {
            step(job, &strip, column);
            hold(&strip, column + 1);
        }
        for (; column < job->columns; column++)
            step(job, &strip, column);
        for (; column < job->columns + LANES - 1; column++)
            step(job, &strip, column);
    }
    return row;
}

const CsGlobalLongKernel KERNEL = {.bits = LANE_BITS, .lanes = LANES, .compute = compute};
