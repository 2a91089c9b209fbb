/*
 * The recurrence with a record in each lane. src/meson.build compiles this file once for each
 * instruction set and width. It defines LANE_BITS (8, 16 or 32) and KERNEL, the name of the
 * CsLaneKernel.
 *
 * Rows are the query, columns the records. COLUMNS columns are computed at a time, from the first
 * row to the last. A row of memory holds H of the last column so far and E of the next one, for all
 * lanes; F, and H of the row above, stay in registers:
 *
 *                  columns of the record in a lane
 *                   j  j+1  j+2 ...  j+COLUMNS-1
 *      row i    H E |  ->   ->   ->   ->   | H E      in memory: left border, and again the right one
 *      row i+1  H E |  ->   ->   ->   ->   | H E
 *
 * A record ends within such a block, or with it. The rest of its block is filled with
 * CS_LETTER_NONE, which gains less than 0, so H there is at most what it was before. In the next
 * block the lane begins with another record: its left border is set to 0. Records are taken in their
 * order, so if the longest ones come first, few lanes are idle at the end.
 *
 * Lanes of 8 bits are unsigned and sums wrap, because processors saturate at half the speed or less. In
 * column c = 0 .. of a block, z + (c + 1) * more stands for 0, so that extending a gap to the right
 * costs nothing; at the block's left border z does. With z = more + max(first, -lowest):
 * 1. H is clamped at 0. So H - first, H + lowest, and E and F, which are at least H - first of the cell
 *    before, less more for F in the next row, are not below z - first - more = 0: nothing wraps there.
 * 2. If no H reaches top = 255 - z - (COLUMNS + 1) * more - highest, nothing wraps at 255. Otherwise
 *    the first H that does is still exact, and the best is at least that. Then the score is too high.
 */
#include "search/lane_vector.h"
#include "search/letter_table.h"
#include "system/stop.h"

#if defined(__AVX512BW__)
enum {
    COLUMNS = 8
};
#else
enum {
    COLUMNS = 4 /* of the 16 registers */
};
#endif

enum {
    BYTES = COLUMNS * LANES, /* letters of a block */
};
G_STATIC_ASSERT((int)COLUMNS <= (int)CS_LANE_COLUMNS_MAX && (int)VECTOR <= (int)CS_LANE_VECTOR_MAX);
G_STATIC_ASSERT(BYTES % VECTOR == 0);

/* What a lane works on. */
typedef struct {
    gint64 record; /* -1: nothing */
    gint64 next;   /* letter; below 0 before the record begins */
    gint64 best;   /* the highest number so far, where columns are found */
    gint64 column; /* of it */
} LaneState;

typedef struct {
    CsLaneJob *job;
    Vec *border;                 /* of each row: H and E */
    Vec *profile;                /* of each letter of the query, and column: what its pairs gain */
    guint8 used[CS_LETTERS_MAX]; /* the letters of the query */
    guint used_count;
    gint64 taken; /* records */
    LaneState lanes[LANES];
    gint64 alive; /* lanes that work */
    Score zero;   /* stands for 0 at the left border of a block */
    Score tilt;   /* added in each column; 0 but for 8 bits */
    Score keep[LANES] __attribute__((aligned(CS_LANE_VECTOR_MAX))); /* zero: the lane begins */
    Score bests[LANES] __attribute__((aligned(CS_LANE_VECTOR_MAX)));
    Score columns[COLUMNS][LANES] __attribute__((aligned(CS_LANE_VECTOR_MAX)));
    guint8 letters[COLUMNS][LANES] __attribute__((aligned(CS_LANE_VECTOR_MAX)));
    /* Of a letter of the query. */
    CsLetterTable gains[CS_LETTERS_MAX] __attribute__((aligned(CS_LANE_VECTOR_MAX)));
} Work;

#if LANE_BITS == 8
enum {
    TOP_LEAST = 64, /* lower scores alone are not worth the lanes */
};

static gint64
find_zero(const CsLaneJob *job)
{
    return job->more + MAX(job->first, -job->lowest);
}

static gint64
find_top(const CsLaneJob *job)
{
    const gint64 top = TOP - find_zero(job) - (COLUMNS + 1) * job->more - job->highest;
    return top >= TOP_LEAST ? top : 0;
}
#endif

/*
 * Computes COLUMNS columns of all lanes, and raises `best` to the highest H. With `begins`, `keep` says
 * which lanes begin. With `each`, the highest H of each column goes to work->columns.
 */
#if LANE_BITS == 8
CS_INLINE Vec
compute(Work *work, Vec best, gboolean begins, gboolean each)
{
    const CsLaneJob *job = work->job;
    const Vec open = SET_ALL(job->first - job->more), more = SET_ALL(job->more);
    const Vec back = SET_ALL(COLUMNS * job->more), keep = load(work->keep);
    const guint8 *query = job->query;
    Vec *border = work->border;
    Vec diagonal[COLUMNS], f[COLUMNS], zero[COLUMNS], highest[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        diagonal[c] = SET_ALL(work->zero + c * job->more);
        f[c] = SET_ALL(work->zero);
        zero[c] = highest[c] = SET_ALL(work->zero + (c + 1) * job->more);
    }
    for (gint64 i = 0; i < job->rows; i++, border += 2) {
        const Vec *gains = work->profile + COLUMNS * query[i];
        Vec left = MINUS(load(border), back), e = MINUS(load(border + 1), back), h = left;
        if (begins) {
            left = LOWER(left, keep);
            e = LOWER(e, keep);
        }
        Vec above = diagonal[0];
        diagonal[0] = left;
#pragma GCC unroll 8
        for (int c = 0; c < COLUMNS; c++) {
            h = PLUS(above, load(gains + c));
            h = HIGHER(h, HIGHER(f[c], zero[c]));
            h = HIGHER(h, e);
            highest[c] = HIGHER(highest[c], h);
            const Vec opened = MINUS(h, open);
            e = HIGHER(e, opened);
            f[c] = MINUS(HIGHER(f[c], opened), more);
            if (c + 1 < COLUMNS) {
                above = diagonal[c + 1];
                diagonal[c + 1] = h;
            }
        }
        store(border, h);
        store(border + 1, e);
    }
    for (int c = 0; c < COLUMNS; c++) {
        highest[c] = MINUS(highest[c], SET_ALL((c + 1) * job->more));
        best = HIGHER(best, highest[c]);
        if (each)
            store(work->columns[c], highest[c]);
    }
    return best;
}
#else
CS_INLINE Vec
compute(Work *work, Vec best, gboolean begins, gboolean each)
{
    const CsLaneJob *job = work->job;
    const Vec zero = SET_ALL(ZERO), first = SET_ALL((Score)job->first),
              more = SET_ALL((Score)job->more);
    const Vec keep = load(work->keep);
    Vec diagonal[COLUMNS], f[COLUMNS], highest[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        diagonal[c] = f[c] = highest[c] = zero;
    const guint8 *query = job->query;
    Vec *border = work->border;
    for (gint64 i = 0; i < job->rows; i++, border += 2) {
        const Vec *gains = work->profile + COLUMNS * query[i];
        Vec left = load(border), e = load(border + 1), h = zero;
        if (begins) {
            left = LOWER(left, keep);
            e = LOWER(e, keep);
        }
        Vec above = diagonal[0];
        diagonal[0] = left;
#pragma GCC unroll 8
        for (int c = 0; c < COLUMNS; c++) {
            h = PLUS(above, load(gains + c));
            h = HIGHER(h, e);
            h = HIGHER(h, f[c]);
#if LANE_BITS == 32
            h = HIGHER(h, zero);
#endif
            if (each)
                highest[c] = HIGHER(highest[c], h);
            else
                best = HIGHER(best, h);
            const Vec opened = MINUS(h, first);
            e = HIGHER(MINUS(e, more), opened);
            f[c] = HIGHER(MINUS(f[c], more), opened);
            if (c + 1 < COLUMNS) {
                above = diagonal[c + 1];
                diagonal[c + 1] = h;
            }
        }
        store(border, h);
        store(border + 1, e);
    }
    for (int c = 0; each && c < COLUMNS; c++)
        store(work->columns[c], highest[c]);
    return best;
}
#endif

/* Whether gains fit 8 bits. Those of lanes of 8 bits always do. */
static gboolean
is_narrow(const CsLaneJob *job)
{
    return LANE_BITS == 8 || (job->lowest >= G_MININT8 && job->highest <= G_MAXINT8);
}

static void
find_used(Work *work)
{
    gboolean seen[CS_LETTERS_MAX] = {FALSE};
    for (gint64 i = 0; i < work->job->rows; i++)
        seen[work->job->query[i]] = TRUE;
    for (guint8 letter = 0; letter < CS_LETTERS_MAX; letter++)
        if (seen[letter])
            work->used[work->used_count++] = letter;
    for (guint k = 0; is_narrow(work->job) && k < work->used_count; k++)
        for (guint other = 0; other < CS_LETTERS_MAX; other++)
            cs_letter_table_set(work->gains[work->used[k]], other,
                                (gint8)(work->job->pairs[work->used[k]][other] + work->tilt));
}

/* What the pairs of a letter of the query gain in the block, by looking it up in bytes. */
static void
fill_narrow(const Work *work, guint8 letter)
{
    Score *gains = (Score *)(work->profile + COLUMNS * letter);
    const guint8 *letters = work->letters[0];
    gint8 bytes[VECTOR] __attribute__((aligned(CS_LANE_VECTOR_MAX)));
    for (int at = 0; at < BYTES; at += VECTOR) {
        const Vec found = cs_letter_table_look_up(work->gains[letter], load(letters + at));
        if (LANE_BITS == 8) {
            store(gains + at, found);
            continue;
        }
        store(bytes, found);
        for (int k = 0; k < VECTOR; k++)
            gains[at + k] = bytes[k];
    }
}

static void
fill_profile(const Work *work)
{
    const guint8 *letters = work->letters[0];
    for (guint k = 0; k < work->used_count; k++) {
        const guint8 letter = work->used[k];
        if (is_narrow(work->job)) {
            fill_narrow(work, letter);
            continue;
        }
        const gint32 *pairs = work->job->pairs[letter];
        Score *gains = (Score *)(work->profile + COLUMNS * letter);
        for (int at = 0; at < BYTES; at++)
            gains[at] = (Score)pairs[letters[at]];
    }
}

/* Takes the next letters of each lane. */
static void
fill_letters(Work *work)
{
    for (int l = 0; l < LANES; l++) {
        LaneState *lane = &work->lanes[l];
        if (lane->record < 0) {
            for (int c = 0; c < COLUMNS; c++)
                work->letters[c][l] = CS_LETTER_NONE;
            continue;
        }
        const CsLaneRecord *record = &work->job->records[lane->record];
        const gint64 next = lane->next;
        const guint8 *letters = record->letters;
        if (next >= 0 && next + COLUMNS <= record->length)
            for (int c = 0; c < COLUMNS; c++)
                work->letters[c][l] = letters[next + c];
        else
            for (int c = 0; c < COLUMNS; c++)
                work->letters[c][l] =
                    next + c >= 0 && next + c < record->length ? letters[next + c] : CS_LETTER_NONE;
        lane->next += COLUMNS;
    }
}

/* The first row whose last column has the score. */
static gint64
find_row(const Work *work, int l, gint64 score)
{
    const Score *h = (const Score *)work->border + l;
    gint64 i = 0;
    const gint64 zero = work->zero + COLUMNS * (gint64)work->tilt;
    while (i < work->job->rows && (gint64)*h - zero != score) {
        h += 2 * LANES;
        i++;
    }
    return i + 1;
}

typedef enum {
    FIND_SCORES,
    FIND_COLUMNS,
    FIND_ROWS,
} What;

static void
leave_record(Work *work, int l, What what)
{
    const LaneState *lane = &work->lanes[l];
    CsLaneFound *found = &work->job->found[lane->record];
    if (what == FIND_ROWS) {
        found->row = find_row(work, l, work->job->records[lane->record].score);
        return;
    }
    const gint64 best = what == FIND_COLUMNS ? lane->best : work->bests[l];
    found->score = best - work->zero < find_top(work->job) ? best - work->zero : -1;
    found->column = lane->column;
}

/*
 * Gives each lane whose record has ended the next one. `stored` says whether work->bests has the
 * best of the lanes. Returns whether any lane begins.
 */
static gboolean
take_records(Work *work, What what)
{
    gboolean begins = FALSE;
    for (int l = 0; l < LANES; l++) {
        LaneState *lane = &work->lanes[l];
        const gboolean works = lane->record >= 0;
        work->keep[l] = TOP;
        if (works && lane->next < work->job->records[lane->record].length)
            continue;
        if (works)
            leave_record(work, l, what);
        work->alive -= works;
        *lane = (LaneState){.record = -1, .best = work->zero};
        work->bests[l] = work->zero;
        if (work->taken == work->job->count)
            continue;
        lane->record = work->taken++;
        /* So that the last letter is in the last column of a block. */
        if (what == FIND_ROWS)
            lane->next = -((COLUMNS - work->job->records[lane->record].length % COLUMNS) % COLUMNS);
        work->alive++;
        work->keep[l] = work->zero;
        begins = TRUE;
    }
    return begins;
}

/* Whether a lane's record has ended, or the lane has none. */
static gboolean
any_ended(const Work *work)
{
    gboolean any = FALSE;
    for (int l = 0; l < LANES; l++)
        any |= work->lanes[l].record >= 0 &&
               work->lanes[l].next >= work->job->records[work->lanes[l].record].length;
    return any;
}

/* Notes for each lane the first column with its highest number. */
static void
note_columns(Work *work)
{
    Vec highest = load(work->columns[0]);
    for (int c = 1; c < COLUMNS; c++)
        highest = HIGHER(highest, load(work->columns[c]));
    store(work->bests, highest);
    for (int l = 0; l < LANES; l++) {
        LaneState *lane = &work->lanes[l];
        if (work->bests[l] <= lane->best)
            continue;
        int c = 0;
        while (work->columns[c][l] < work->bests[l])
            c++;
        lane->best = work->bests[l];
        lane->column = lane->next - COLUMNS + c + 1;
    }
}

CS_INLINE void
work_through(CsLaneJob *job, What what)
{
    Work work = {
        .job = job, .border = job->scratch, .profile = (Vec *)job->scratch + 2 * job->rows};
#if LANE_BITS == 8
    work.zero = (Score)find_zero(job);
    work.tilt = (Score)job->more;
#else
    work.zero = ZERO;
#endif
    const Vec zero = SET_ALL(work.zero), border = SET_ALL(work.zero + COLUMNS * work.tilt);
    for (gint64 k = 0; k < 2 * job->rows; k++)
        store(work.border + k, border);
    find_used(&work);
    for (int l = 0; l < LANES; l++)
        work.lanes[l].record = -1;
    Vec best = zero;
    gboolean begins = take_records(&work, what);
    while (work.alive > 0 && !cs_is_stopped(job->stop)) {
        fill_letters(&work);
        fill_profile(&work);
        best = begins ? compute(&work, best, TRUE, what == FIND_COLUMNS)
                      : compute(&work, best, FALSE, what == FIND_COLUMNS);
        if (what == FIND_COLUMNS)
            note_columns(&work);
        begins = FALSE;
        if (any_ended(&work)) {
            if (what == FIND_SCORES)
                store(work.bests, best);
            begins = take_records(&work, what);
            best = load(work.bests);
        }
    }
}

static void
find_scores(CsLaneJob *job)
{
    work_through(job, FIND_SCORES);
}

static void
find_columns(CsLaneJob *job)
{
    work_through(job, FIND_COLUMNS);
}

static void
find_rows(CsLaneJob *job)
{
    work_through(job, FIND_ROWS);
}

const CsLaneKernel KERNEL = {.bits = LANE_BITS,
                             .lanes = LANES,
                             .find_top = find_top,
                             .find_scores = find_scores,
                             .find_columns = find_columns,
                             .find_rows = find_rows};
