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
 * above the strip, and leave the lane with the last row, which is the first one unless the strip is the last,
 * for the row above the next strip. w and t stay in the lane.
 *
 * A lane that has not come to the first column yet, or is beyond the last one, computes what no
 * other lane needs: numbers go only from a column to the same column below, and to the next column. What
 * stays in a lane is set anew until the lane begins.
 *
 * With `carry`, h, e and f are where the paths to the cell come from, and to the gaps along columns and rows. Of
 * several best ways a pair is taken first, then a gap along the columns; a gap begins rather than goes on.
 */
#include "cpu/simd_target.h"
#include "identity/global_long.h"

#if LANE_BITS == 32
typedef int32_t Lane;
#define SET_ALL(x) V(set1_epi32)((int)(x))
#define MINUS V(sub_epi32)
#define PLUS V(add_epi32)
#define EQUAL V(cmpeq_epi32)
#define FIRST_LANE(x) FROM_128(_mm_cvtsi32_si128((int)(x)))
#define TAKE_FIRST(a) _mm_cvtsi128_si32(TO_128(a))
#else
typedef int64_t Lane;
#define SET_ALL(x) SET_64(x)
#define MINUS V(sub_epi64)
#define PLUS V(add_epi64)
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
    COLUMNS = 2048, /* before the strip below may follow */
    NO_MATCH = -1,  /* a letter of the query that matches nothing */
#if VECTOR_BITS == 128 && LANE_BITS == 64
    BITS = 63, /* so that the differences of numbers have the right sign */
#else
    BITS = LANE_BITS,
#endif
};

CS_INLINE Vec
load(const Lane *lanes)
{
    return WHOLE(loadu)((const Vec *)(const void *)lanes);
}

CS_INLINE void
store(Lane *lanes, Vec a)
{
    WHOLE(storeu)((Vec *)(void *)lanes, a);
}

CS_INLINE Vec
higher(Vec a, Vec b)
{
#if LANE_BITS == 32
    return V(max_epi32)(a, b);
#elif VECTOR_BITS == 512
    return _mm512_max_epi64(a, b);
#elif VECTOR_BITS == 256
    return V(blendv_epi8)(b, a, V(cmpgt_epi64)(a, b));
#else
    return _mm_castpd_si128(_mm_blendv_pd(_mm_castsi128_pd(a), _mm_castsi128_pd(b),
                                          _mm_castsi128_pd(_mm_sub_epi64(a, b))));
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

/* The gains at these places of the table. */
CS_INLINE Vec
look_up(const void *gains, Vec places)
{
#if VECTOR_BITS == 512 && LANE_BITS == 32
    return _mm512_i32gather_epi32(places, gains, sizeof(Lane));
#elif VECTOR_BITS == 512
    return _mm512_i64gather_epi64(places, gains, sizeof(Lane));
#else /* the gathers of AVX2 take longer on many processors */
    Lane lanes[LANES];
    store(lanes, places);
    for (int l = 0; l < LANES; l++)
        lanes[l] = ((const Lane *)gains)[lanes[l]];
    return load(lanes);
#endif
}

typedef struct {
    gint64 number, begin, end;        /* and its columns */
    int lane, row;                    /* the lane with the last row, and its row there */
    Vec query[ROWS];                  /* letters, or where their gains begin */
    Vec w[ROWS], t[ROWS];             /* of the column computed last */
    Vec begin_w[ROWS], begin_t[ROWS]; /* before the first column */
    Vec letters, u, s;                /* of the last row of each lane */
    Vec last_u, last_s;               /* of the last row, in its lane */
    /* With `carry`: h is of the column computed last, h_above of the row above each lane. */
    Vec h[ROWS], e[ROWS], h_above, f, last_h, last_f;
    Vec begin_h, begin_h_above;
} Strip;

/* Which cells the strip above leaves, if this is the first strip that carries: those of its row. */
CS_INLINE gint64
h_from(const CsGlobalLong *job, const Strip *strip, gint64 column)
{
    return strip->number == job->middle ? 2 * (column + 1) : job->h_from[column];
}

CS_INLINE gint64
s_from(const CsGlobalLong *job, const Strip *strip, gint64 column)
{
    return strip->number == job->middle
               ? 2 * (column + 1) + (job->s[column] > job->u[column] - job->open)
               : job->s_from[column];
}

/* The last row of a step's columns, for the strip below. */
CS_INLINE void
leave(CsGlobalLong *job, const Strip *strip, gint64 column, gboolean carry, gboolean partial)
{
    const gint64 left = column - (LANES - 1 - (partial ? strip->lane : 0));
    if (left < strip->begin || left >= strip->end)
        return;
    Lane u[LANES], s[LANES], h[LANES], f[LANES];
    if (!partial) {
        job->u[left] = TAKE_FIRST(strip->last_u);
        job->s[left] = TAKE_FIRST(strip->last_s);
    } else {
        store(u, strip->last_u);
        store(s, strip->last_s);
        job->u[left] = u[strip->lane];
        job->s[left] = s[strip->lane];
    }
    if (carry && !partial) {
        job->h_from[left] = TAKE_FIRST(strip->last_h);
        job->s_from[left] = TAKE_FIRST(strip->last_f);
    } else if (carry) {
        store(h, strip->last_h);
        store(f, strip->last_f);
        job->h_from[left] = h[strip->lane];
        job->s_from[left] = f[strip->lane];
    }
}

/* One more column of each lane. */
CS_INLINE void
step(CsGlobalLong *job, Strip *strip, gint64 column, gboolean table, gboolean carry,
     gboolean partial)
{
    const Vec open = SET_ALL(job->open), match = SET_ALL(job->match), other = SET_ALL(job->other);
    const gboolean inside = column < strip->end;
    strip->letters =
        move_down(strip->letters, FIRST_LANE(inside ? job->record[column] : CS_LETTER_NONE));
    Vec u = move_down(strip->u, FIRST_LANE(inside ? job->u[column] : 0));
    Vec s = move_down(strip->s, FIRST_LANE(inside ? job->s[column] : 0));
    Vec f, diagonal;
    if (carry) {
        const Vec above =
            move_down(strip->h[ROWS - 1], FIRST_LANE(inside ? h_from(job, strip, column) : 0));
        f = move_down(strip->f, FIRST_LANE(inside ? s_from(job, strip, column) : 0));
        diagonal = strip->h_above;
        strip->h_above = above;
    }
#pragma GCC unroll 4
    for (int r = 0; r < ROWS; r++) {
        const Vec gain = table ? look_up(job->gains, PLUS(strip->query[r], strip->letters))
                               : if_equal(strip->query[r], strip->letters, match, other);
        const Vec best = higher(higher(gain, s), strip->t[r]);
        const Vec less = MINUS(best, open);
        const Vec s_next = higher(s, less), t_next = higher(strip->t[r], less);
        if (carry) {
            const Vec h =
                if_equal(best, gain, diagonal, if_equal(best, strip->t[r], strip->e[r], f));
            f = if_equal(s_next, less, h, f);
            strip->e[r] = if_equal(t_next, less, h, strip->e[r]);
            diagonal = strip->h[r];
            strip->h[r] = h;
        }
        s = MINUS(s_next, strip->w[r]);
        strip->t[r] = MINUS(t_next, u);
        const Vec right = MINUS(best, strip->w[r]);
        strip->w[r] = MINUS(best, u);
        u = right;
        if (partial ? r == strip->row : r == ROWS - 1) {
            strip->last_u = u;
            strip->last_s = s;
            if (carry) {
                strip->last_h = strip->h[r];
                strip->last_f = f;
            }
        }
    }
    strip->u = u;
    strip->s = s;
    if (carry)
        strip->f = f;
    leave(job, strip, column, carry, partial);
}

/* Lanes that begin with a later column than the next one keep what they begin with. */
CS_INLINE void
hold(Strip *strip, gint64 next, gboolean carry)
{
    Lane begins[LANES];
    for (int l = 0; l < LANES; l++)
        begins[l] = LANES - 1 - l >= next;
    const Vec held = load(begins), one = SET_ALL(1);
    for (int r = 0; r < ROWS; r++) {
        strip->w[r] = if_equal(held, one, strip->begin_w[r], strip->w[r]);
        strip->t[r] = if_equal(held, one, strip->begin_t[r], strip->t[r]);
        if (carry) {
            strip->h[r] = if_equal(held, one, strip->begin_h, strip->h[r]);
            strip->e[r] = if_equal(held, one, strip->begin_h, strip->e[r]);
        }
    }
    if (carry)
        strip->h_above = if_equal(held, one, strip->begin_h_above, strip->h_above);
}

/* Where the paths to the cells before the first column come from, of which only those that a best path may visit
 * count: the column before all others, and the cell in the row above the strip. */
static void
begin_to_carry(Strip *strip, const CsGlobalLong *job)
{
    Lane above[LANES];
    const Lane border = job->open > 0;
    for (int l = 0; l < LANES; l++)
        above[l] = border;
    if (strip->begin > 0)
        above[LANES - 1] = (Lane)h_from(job, strip, strip->begin - 1);
    else if (strip->number == job->middle)
        above[LANES - 1] = 0; /* which a pair may leave */
    strip->h_above = strip->begin_h_above = load(above);
    strip->begin_h = SET_ALL(border);
    for (int r = 0; r < ROWS; r++)
        strip->h[r] = strip->e[r] = strip->begin_h;
    strip->f = SET_ALL(0);
}

static void
begin(Strip *strip, const CsGlobalLong *job, gboolean table)
{
    const gint64 row = strip->number * STRIP;
    const gboolean anew =
        row == 0 ? !job->from_gap
                 : strip->begin > cs_global_long_begin(job, row - STRIP); /* a gap opens */
    for (int r = 0; r < ROWS; r++) {
        Lane letters[LANES], w[LANES], t[LANES];
        for (int l = 0; l < LANES; l++) {
            const gint64 i = row + (gint64)(LANES - 1 - l) * ROWS + r;
            const guint8 letter = i < job->rows ? job->query[i] : CS_LETTER_NONE;
            letters[l] = table                                ? letter * CS_LETTERS_MAX
                         : (job->matching >> letter & 1) != 0 ? letter
                                                              : NO_MATCH;
            w[l] = (Lane)(i == row && anew ? -job->open : 0);
            t[l] = w[l] - (Lane)job->open;
        }
        strip->query[r] = load(letters);
        strip->w[r] = strip->begin_w[r] = load(w);
        strip->t[r] = strip->begin_t[r] = load(t);
    }
    strip->letters = SET_ALL(CS_LETTER_NONE);
    strip->u = strip->s = SET_ALL(0);
}

CS_INLINE void
compute_strip(CsGlobalLong *job, Strip *strip, gboolean table, gboolean carry, gboolean partial)
{
    const gint64 behind = strip->end + LANES - 1; /* the last step */
    for (gint64 column = strip->begin; column < behind;) {
        const gint64 until = MIN(column + COLUMNS, behind);
        if (!cs_global_long_wait(job, strip->number, MIN(until, strip->end)))
            return;
        if (column == strip->begin) {
            begin(strip, job, table);
            if (carry)
                begin_to_carry(strip, job);
        }
        Strip here = *strip; /* in registers */
        for (; column < MIN(until, here.begin + LANES); column++) {
            step(job, &here, column, table, carry, partial);
            hold(&here, column + 1 - here.begin, carry);
        }
        for (; column < until; column++)
            step(job, &here, column, table, carry, partial);
        *strip = here;
        cs_global_long_tell(job, strip->number, until - (LANES - 1));
    }
    if (strip->end < job->columns) {
        job->u[strip->end] = -job->open;
        job->s[strip->end] = -2 * job->open;
    }
}

static void
compute(CsGlobalLong *job, gint64 number)
{
    const gint64 row = number * STRIP, rows = MIN(job->rows - row, STRIP);
    const gboolean carry = job->h_from != NULL && number >= job->middle, partial = rows < STRIP;
    Strip strip = {.number = number,
                   .begin = cs_global_long_begin(job, row),
                   .end = cs_global_long_end(job, row + rows),
                   .lane = LANES - 1 - (int)((rows - 1) / ROWS),
                   .row = (int)((rows - 1) % ROWS)};
    if (job->gains != NULL && carry)
        compute_strip(job, &strip, TRUE, TRUE, TRUE);
    else if (job->gains != NULL)
        compute_strip(job, &strip, TRUE, FALSE, TRUE);
    else if (carry && partial)
        compute_strip(job, &strip, FALSE, TRUE, TRUE);
    else if (carry)
        compute_strip(job, &strip, FALSE, TRUE, FALSE);
    else if (partial)
        compute_strip(job, &strip, FALSE, FALSE, TRUE);
    else
        compute_strip(job, &strip, FALSE, FALSE, FALSE);
}

const CsGlobalLongKernel KERNEL = {.bits = BITS, .lanes = LANES, .compute = compute};
