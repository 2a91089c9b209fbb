/*
 * The recurrence of global alignments with a record in each lane. src/meson.build compiles this file
 * once for each instruction set and width. It defines LANE_BITS (8, 16 or 32) and KERNEL, the name of
 * the CsGlobalLanes.
 *
 * Lanes hold differences of neighbouring cells, which do not grow with the lengths (after Suzuki and
 * Kasahara 2018). With T(i, j) the best tilted number of the first i letters of the query and j of the
 * record, E(i, j) that of a gap along the record, F(i, j) along the query, and o = `open`:
 *
 *     T(i-1, j-1) --u--> T(i-1, j)       u = T(i-1, j) - T(i-1, j-1)      s = F(i, j) - T(i-1, j-1)
 *         |                 |            w = T(i, j-1) - T(i-1, j-1)      t = E(i, j) - T(i-1, j-1)
 *         w                 w'
 *         v                 v            A = max(gain, s, t) = T(i, j) - T(i-1, j-1)
 *     T(i, j-1) ---u'--> T(i, j)         u' = A - w      s' = max(s, A - o) - w
 *                                        w' = A - u      t' = max(t, A - o) - u
 *
 * Without o, s = u and t = w. At the borders T(i, 0) = T(0, j) = -o, and T(0, 0) = 0. So T(m, n) is the sum
 * of the u' of the last row, less o. Gains below -2 * o may be raised to that: s >= u - o >= -2 * o.
 *
 * What lanes must hold, with g the highest gain, or 0 if that is higher:
 * 1. T(i, j) >= T(i, j-1) - o, since a gap may open. So u >= -o, likewise w >= -o.
 * 2. u <= g + o. If T(i, j) comes from a pair, u' = gain - w. From E it is not above T(i, j-1), from
 *    which the gap could have opened or gone on. From F, T(i, j) = T(i-k, j) - o and T(i, j-1) >=
 *    T(i-k, j-1) - o, so that u' is not above the u of a row further up. Likewise w.
 * 3. E(i, j) is between T(i, j-1) - o and T(i, j-1), so t is between w - o and w; likewise s and u. A is at
 *    most g, u or w, and at least w - o.
 * So all numbers, A - o included, are from -3 * o to g + o; without o from 0 to g.
 * cs_global_lanes_hold() asks for that. Unsigned lanes are for the latter, signed ones for the former.
 *
 * COLUMNS columns are computed at a time, from the first row to the last. A row of memory holds w and t
 * of the next column, for all lanes; u and s stay in registers. A record ends within such a block, or
 * with it, and the sum leaves out the columns after it. In the next block the lane begins with another
 * record. Records are taken in their order, so if the longest ones come first, few lanes are idle at the
 * end.
 */
#include "identity/global_lanes.h"
#include "search/letter_table.h"
#include "system/stop.h"

#if LANE_BITS == 8
typedef uint8_t Lane;
typedef int8_t SignedLane;
#define SET_ALL(x) V(set1_epi8)((char)(x))
#define MINUS V(sub_epi8)
#define HIGHER V(max_epu8)
#define HIGHER_SIGNED V(max_epi8)
#elif LANE_BITS == 16
typedef uint16_t Lane;
typedef int16_t SignedLane;
#define SET_ALL(x) V(set1_epi16)((short)(x))
#define MINUS V(sub_epi16)
#define HIGHER V(max_epu16)
#define HIGHER_SIGNED V(max_epi16)
#else
typedef uint32_t Lane;
typedef int32_t SignedLane;
#define SET_ALL(x) V(set1_epi32)((int)(x))
#define MINUS V(sub_epi32)
#define HIGHER V(max_epu32)
#define HIGHER_SIGNED V(max_epi32)
#endif

enum {
    VECTOR = sizeof(Vec),
    LANES = VECTOR / sizeof(Lane),
    COLUMNS = 8,
    LETTERS = COLUMNS * LANES, /* of a block */
    /* Columns that the registers hold at a time where gaps open. */
#if defined(__AVX512BW__)
    AFFINE_COLUMNS = 8,
#else
    AFFINE_COLUMNS = 4,
#endif
};
G_STATIC_ASSERT((int)COLUMNS <= (int)CS_LANE_COLUMNS_MAX && (int)VECTOR <= (int)CS_LANE_VECTOR_MAX);
G_STATIC_ASSERT(LETTERS % VECTOR == 0 || LANE_BITS == 32);

#define ALIGNED __attribute__((aligned(CS_LANE_VECTOR_MAX)))

/* What a lane works on. */
typedef struct {
    gint64 record; /* -1: nothing */
    gint64 next;   /* letter */
    gint64 sum;    /* of the last row so far */
} LaneState;

typedef struct {
    CsGlobalJob *job;
    Vec *border;                 /* of each row: w, and t if gaps open */
    Vec *profile;                /* of each letter of the query, and column: what its pairs gain */
    guint8 used[CS_LETTERS_MAX]; /* the letters of the query */
    guint used_count;
    gint64 taken; /* records */
    gint64 alive; /* lanes that work */
    LaneState lanes[LANES];
    Lane keep[LANES] ALIGNED; /* 0: the lane begins; all ones: it does not */
    Lane last[COLUMNS][LANES] ALIGNED;
    guint8 letters[LETTERS] ALIGNED; /* at letter_place() */
#if LANE_BITS < 32
    CsLetterTable gains[CS_LETTERS_MAX]
                       [LANE_BITS / 8] ALIGNED; /* of a letter of the query, byte by byte */
#endif
} Work;

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

/* Computes COLUMNS columns of all lanes, where gaps are linear. With `begins`, `keep` says which lanes
 * begin. */
CS_INLINE void
compute_linear(Work *work, gboolean begins)
{
    const CsGlobalJob *job = work->job;
    const Vec keep = load(work->keep);
    Vec u[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        u[c] = SET_ALL(0);
    for (gint64 i = 0; i < job->rows; i++) {
        const Vec *gains = work->profile + COLUMNS * job->query[i];
        Vec w = load(work->border + i);
        if (begins)
            w = WHOLE(and)(w, keep);
#pragma GCC unroll 8
        for (int c = 0; c < COLUMNS; c++) {
            const Vec best = HIGHER(HIGHER(u[c], load(gains + c)), w);
            const Vec right = MINUS(best, w);
            w = MINUS(best, u[c]);
            u[c] = right;
        }
        store(work->border + i, w);
    }
    for (int c = 0; c < COLUMNS; c++)
        store(work->last[c], u[c]);
}

/* The same for AFFINE_COLUMNS columns from column `from` on, where gaps open. */
CS_INLINE void
compute_affine(Work *work, int from, gboolean begins)
{
    const CsGlobalJob *job = work->job;
    const Vec open = SET_ALL(job->open), zero = SET_ALL(0);
    const Vec keep = load(work->keep);
    /* Where lanes begin: w and t of the first row, and of the others. */
    const Vec opened = WHOLE(andnot)(keep, MINUS(zero, open));
    Vec first_w = opened, first_t = WHOLE(andnot)(keep, SET_ALL(-2 * job->open));
    Vec *border = work->border;
    Vec u[AFFINE_COLUMNS], s[AFFINE_COLUMNS];
    for (int c = 0; c < AFFINE_COLUMNS; c++) {
        u[c] = c == 0 && begins ? opened : zero;
        s[c] = MINUS(u[c], open);
    }
    for (gint64 i = 0; i < job->rows; i++, border += 2) {
        const Vec *gains = work->profile + COLUMNS * job->query[i] + from;
        Vec w = load(border), t = load(border + 1);
        if (begins) {
            w = WHOLE(or)(WHOLE(and)(w, keep), first_w);
            t = WHOLE(or)(WHOLE(and)(t, keep), first_t);
            first_w = zero;
            first_t = opened;
        }
#pragma GCC unroll 8
        for (int c = 0; c < AFFINE_COLUMNS; c++) {
            const Vec best = HIGHER_SIGNED(HIGHER_SIGNED(s[c], load(gains + c)), t);
            const Vec less = MINUS(best, open);
            s[c] = MINUS(HIGHER_SIGNED(s[c], less), w);
            t = MINUS(HIGHER_SIGNED(t, less), u[c]);
            const Vec right = MINUS(best, w);
            w = MINUS(best, u[c]);
            u[c] = right;
        }
        store(border, w);
        store(border + 1, t);
    }
    for (int c = 0; c < AFFINE_COLUMNS; c++)
        store(work->last[from + c], u[c]);
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
#if LANE_BITS < 32
    for (guint k = 0; k < work->used_count; k++)
        for (guint other = 0; other < CS_LETTERS_MAX; other++) {
            const gint64 gain = work->job->gains[work->used[k]][other];
            for (guint byte = 0; byte < LANE_BITS / 8; byte++)
                cs_letter_table_set(work->gains[work->used[k]][byte], other,
                                    (gint8)(guint8)((guint64)gain >> (8 * byte)));
        }
#endif
}

/* Where work->letters has the letter of a lane in a column: where fill_profile() wants it. */
CS_INLINE int
letter_place(int c, int l)
{
#if LANE_BITS == 16
    /* Interleaving the bytes of two columns' gains turns their halves of 8 lanes into 16 bytes each. */
    return c / 2 * VECTOR + l / 8 * 16 + c % 2 * 8 + l % 8;
#else
    return c * LANES + l;
#endif
}

static void
fill_profile(const Work *work)
{
    for (guint k = 0; k < work->used_count; k++) {
        const guint8 letter = work->used[k];
        Vec *profile = work->profile + COLUMNS * letter;
#if LANE_BITS == 8
        for (int c = 0; c < COLUMNS; c++)
            store(profile + c, cs_letter_table_look_up(work->gains[letter][0],
                                                       load(work->letters + c * VECTOR)));
#elif LANE_BITS == 16
        for (int c = 0; c < COLUMNS; c += 2) {
            const Vec letters = load(work->letters + c / 2 * VECTOR);
            const Vec low = cs_letter_table_look_up(work->gains[letter][0], letters);
            const Vec high = cs_letter_table_look_up(work->gains[letter][1], letters);
            store(profile + c, V(unpacklo_epi8)(low, high));
            store(profile + c + 1, V(unpackhi_epi8)(low, high));
        }
#else
        const gint64 *gains = work->job->gains[letter];
        Lane *lanes = (Lane *)(void *)profile;
        for (int at = 0; at < LETTERS; at++)
            lanes[at] = (Lane)gains[work->letters[at]];
#endif
    }
}

/* The next letters of each lane. */
static void
fill_letters(Work *work)
{
    for (int l = 0; l < LANES; l++) {
        const LaneState *lane = &work->lanes[l];
        const gboolean works = lane->record >= 0;
        const CsLaneRecord *record = works ? &work->job->records[lane->record] : NULL;
        const gint64 left = works ? record->length - lane->next : 0;
        if (left >= COLUMNS)
            for (int c = 0; c < COLUMNS; c++)
                work->letters[letter_place(c, l)] = record->letters[lane->next + c];
        else
            for (int c = 0; c < COLUMNS; c++)
                work->letters[letter_place(c, l)] =
                    c < left ? record->letters[lane->next + c] : CS_LETTER_NONE;
    }
}

/* Adds the last row of a block to the sums. */
CS_INLINE void
add_last(Work *work, gboolean affine)
{
    for (int l = 0; l < LANES; l++) {
        LaneState *lane = &work->lanes[l];
        const gint64 left =
            lane->record >= 0 ? work->job->records[lane->record].length - lane->next : 0;
        const int columns = (int)MIN(left, COLUMNS);
        for (int c = 0; c < columns; c++)
            lane->sum += affine ? (SignedLane)work->last[c][l] : (gint64)work->last[c][l];
        lane->next += COLUMNS;
    }
}

/* Gives each lane whose record has ended the next one. Returns whether any lane begins. */
static gboolean
take_records(Work *work)
{
    gboolean begins = FALSE;
    for (int l = 0; l < LANES; l++) {
        LaneState *lane = &work->lanes[l];
        const gboolean works = lane->record >= 0;
        work->keep[l] = (Lane)-1;
        if (works && lane->next < work->job->records[lane->record].length)
            continue;
        if (works)
            work->job->found[lane->record] = lane->sum;
        work->alive -= works;
        *lane = (LaneState){.record = -1};
        if (work->taken == work->job->count)
            continue;
        *lane = (LaneState){.record = work->taken++, .sum = -work->job->open};
        work->alive++;
        work->keep[l] = 0;
        begins = TRUE;
    }
    return begins;
}

CS_INLINE void
work_through(Work *work, gboolean affine)
{
    gboolean begins = take_records(work);
    /* Lanes without a record begin as well, so that their numbers are no others than those of lanes with
     * one. */
    memset(work->keep, 0, sizeof work->keep);
    while (work->alive > 0 && !cs_is_stopped(work->job->stop)) {
        fill_letters(work);
        fill_profile(work);
        if (affine) {
            if (begins)
                compute_affine(work, 0, TRUE);
            else
                compute_affine(work, 0, FALSE);
            for (int c = AFFINE_COLUMNS; c < COLUMNS; c += AFFINE_COLUMNS)
                compute_affine(work, c, FALSE);
        } else if (begins) {
            compute_linear(work, TRUE);
        } else {
            compute_linear(work, FALSE);
        }
        add_last(work, affine);
        begins = take_records(work);
    }
}

static void
find(CsGlobalJob *job)
{
    Work work = {.job = job};
    work.profile = job->scratch;
    work.border = work.profile + COLUMNS * CS_LETTERS_MAX;
    for (int l = 0; l < LANES; l++)
        work.lanes[l].record = -1;
    find_used(&work);
    if (job->open > 0)
        work_through(&work, TRUE);
    else
        work_through(&work, FALSE);
}

const CsGlobalLanes KERNEL = {.bits = LANE_BITS, .lanes = LANES, .find = find};
