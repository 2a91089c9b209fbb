/*
 * The recurrence with one record in all lanes, for records that are too long or too few to fill the lanes of
 * lane_kernel.c. src/meson.build compiles this file once for each instruction set and width. It defines
 * LANE_BITS (16 or 32) and KERNEL, the name of the CsLaneKernel.
 *
 * The query is cut into as many stripes of equal length as there are lanes (Farrar 2007). A vector holds
 * the same row of each stripe, so a column of the matrix is a list of vectors, from the first row of all
 * stripes to the last:
 *
 *     query    | stripe 0 | stripe 1 | stripe 2 | ...      rows beyond the query gain -1 and never reach the best
 *     vector k | row k of | row k of | row k of | ...
 *
 * What comes from above and from the diagonal above the first row of a stripe is in the last row of the
 * stripe before, which is one lane away. H is taken from there in the column before. F is not known yet:
 * first no gap crosses into another stripe. Then the gaps that do are passed on: pass_down() may stop at a row if a gap that goes on there costs no less than one that opens there, from the H
 * before any gap was passed on: that one has been counted in all rows below. With the H after it, gaps would
 * be lost where opening one costs no more than a further letter.
 */
#include <string.h>

#include "search/lane_vector.h"
#include "system/stop.h"

enum {
    COLUMNS_A_LOOK = 256, /* after so many columns, is it stopped, or is the score too high? */
};

typedef struct {
    const CsLaneJob *job;
    gint64 height;   /* rows of a stripe */
    Vec *h, *before; /* of a column, and of the one before */
    Vec *e;          /* what enters the next column */
    Vec *free;       /* for the profile of the next letter */
    const Vec
        *profile[CS_LETTERS_MAX]; /* what the query gains with a letter; NULL: not needed so far */
} Work;

/* The lanes moved up by one; ZERO comes into the first. */
CS_INLINE Vec
move_up(Vec a)
{
    Score lanes[LANES + 1];
    lanes[0] = ZERO;
    WHOLE(storeu)((Vec *)(void *)(lanes + 1), a);
    return WHOLE(loadu)((const Vec *)(const void *)lanes);
}

/* Whether any lane of a is above b's. */
CS_INLINE gboolean
any_above(Vec a, Vec b)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    return _mm512_cmpgt_epi16_mask(a, b) != 0;
#elif defined(__AVX512BW__)
    return _mm512_cmpgt_epi32_mask(a, b) != 0;
#else
    return V(movemask_epi8)(SIGNED(cmpgt)(a, b)) != 0;
#endif
}

CS_INLINE gint64
highest_of(Vec a)
{
    Score lanes[LANES], highest = ZERO;
    WHOLE(storeu)((Vec *)(void *)lanes, a);
    for (int l = 0; l < LANES; l++)
        highest = lanes[l] > highest ? lanes[l] : highest;
    return highest;
}

static const Vec *
profile_of(Work *work, guint8 letter)
{
    const CsLaneJob *job = work->job;
    if (work->profile[letter] != NULL)
        return work->profile[letter];
    Score *gains = (Score *)(void *)work->free;
    for (gint64 k = 0; k < work->height; k++)
        for (gint64 l = 0; l < LANES; l++) {
            const gint64 i = l * work->height + k;
            *gains++ = (Score)(i < job->rows ? job->pairs[job->query[i]][letter] : -1);
        }
    work->profile[letter] = work->free;
    work->free += work->height;
    return work->profile[letter];
}

/* Passes gaps down that enter the stripes. Returns whether some get through a whole stripe. */
CS_INLINE gboolean
pass_down(Work *work, Vec f)
{
    const Vec zero = SET_ALL(ZERO), first = SET_ALL((Score)work->job->first),
              more = SET_ALL((Score)work->job->more);
    Vec *h = work->h;
    for (gint64 k = 0; k < work->height; k++) {
        const Vec opened = HIGHER(MINUS(h[k], first), zero);
        h[k] = HIGHER(h[k], f);
        f = MINUS(f, more);
        if (!any_above(f, opened))
            return FALSE;
    }
    return TRUE;
}

/*
 * Gaps down that cross from a stripe into the next. `f` is F below the last rows. E stays as it is: a gap to the
 * right that opens where a gap down ends may as well come before it, at the same cost. In 32 bits f may fall
 * below 0, but by no more than the highest score and a gap, because some f is above 0 as long as this goes on.
 */
CS_INLINE void
pass_on(Work *work, Vec f)
{
    f = move_up(f);
    if (!pass_down(work, f))
        return;
    Score lanes[LANES] __attribute__((aligned(CS_LANE_VECTOR_MAX)));
    const gint64 through = work->height * work->job->more;
    store(lanes, f);
    for (int l = 1; l < LANES; l++)
        if (lanes[l - 1] - through > lanes[l])
            lanes[l] = (Score)(lanes[l - 1] - through);
    (void)pass_down(work, load(lanes));
}

/* Computes the next column. Returns the highest H of each lane. */
CS_INLINE Vec
compute(Work *work, const Vec *gains)
{
    const CsLaneJob *job = work->job;
    const Vec zero = SET_ALL(ZERO), first = SET_ALL((Score)job->first),
              more = SET_ALL((Score)job->more);
    Vec *const before = work->h, *const h = work->before, *const e = work->e;
    work->h = h;
    work->before = before;
    Vec above = move_up(before[work->height - 1]), f = zero, highest = zero;
    for (gint64 k = 0; k < work->height; k++) {
        Vec best = PLUS(above, gains[k]);
        best = HIGHER(HIGHER(best, e[k]), f);
#if LANE_BITS == 32
        best = HIGHER(best, zero);
#endif
        above = before[k];
        h[k] = best;
        highest = HIGHER(highest, best);
        const Vec opened = MINUS(best, first);
        e[k] = HIGHER(MINUS(e[k], more), opened);
        f = HIGHER(MINUS(f, more), opened);
    }
    /* A gap never makes H higher than all others, so pass_on() does not change the highest. */
    pass_on(work, f);
    return highest;
}

/* Computes a record. `columns`: looks for the first column with the highest score. */
CS_INLINE void
compute_record(Work *work, const CsLaneRecord *record, CsLaneFound *found, gboolean columns)
{
    const CsLaneJob *job = work->job;
    const Vec zero = SET_ALL(ZERO);
    const gint64 top = find_top(job);
    Vec highest = zero;
    gint64 best = ZERO, column = 0;
    for (gint64 k = 0; k < work->height; k++)
        work->h[k] = work->e[k] = zero;
    for (gint64 j = 0; j < record->length; j++) {
        const Vec here = compute(work, profile_of(work, record->letters[j]));
        if (columns && any_above(here, highest)) {
            best = highest_of(here);
            column = j + 1;
            highest = SET_ALL((Score)best);
        } else if (!columns)
            highest = HIGHER(highest, here);
        if (j % COLUMNS_A_LOOK == 0 &&
            (cs_is_stopped(job->stop) || highest_of(highest) - ZERO >= top))
            break;
    }
    best = highest_of(highest);
    found->score = best - ZERO < top ? best - ZERO : -1;
    found->column = column;
}

/* The first row with the score in the column computed last. */
static gint64
find_row(const Work *work, gint64 score)
{
    const Score *h = (const Score *)(const void *)work->h;
    gint64 i = 0;
    while (i < work->job->rows &&
           (gint64)h[i % work->height * LANES + i / work->height] - ZERO != score)
        i++;
    return i + 1;
}

CS_INLINE void
work_through(CsLaneJob *job, gboolean columns, gboolean rows)
{
    Work work = {.job = job, .height = (job->rows + LANES - 1) / LANES, .h = job->scratch};
    work.before = work.h + work.height;
    work.e = work.before + work.height;
    work.free = work.e + work.height;
    for (gint64 k = 0; k < job->count && !cs_is_stopped(job->stop); k++) {
        CsLaneFound found;
        compute_record(&work, &job->records[k], &found, columns);
        if (rows)
            job->found[k].row = find_row(&work, job->records[k].score);
        else
            job->found[k] = found;
    }
}

static void
find_scores(CsLaneJob *job)
{
    work_through(job, FALSE, FALSE);
}

static void
find_columns(CsLaneJob *job)
{
    work_through(job, TRUE, FALSE);
}

static void
find_rows(CsLaneJob *job)
{
    work_through(job, FALSE, TRUE);
}

const CsLaneKernel KERNEL = {.bits = LANE_BITS,
                             .lanes = LANES,
                             .find_top = find_top,
                             .find_scores = find_scores,
                             .find_columns = find_columns,
                             .find_rows = find_rows};
