/*
 * The recurrence on single bits: 128 to 512 lanes a vector. For the default scoring and scores below
 * 32, which is what blocks of unrelated bases have. src/meson.build compiles this file once for each
 * instruction set, and defines KERNEL.
 *
 * Each lane holds `depth` rows of the block, so that one strip is the whole block. At step u, lane r
 * computes column u - r, as in simd_kernel.c. A lane outside of the block keeps what it holds: that of
 * the left border before its first column, that of its last column after it.
 *
 * H, E and F are numbers of PLANES bits, clamped at 0, where a gap value below 0 makes no difference.
 * A wide step computes with these. A narrow step computes with NARROW bits of H, and needs no E and F:
 *
 *   1. H <= 7 everywhere, and every gap is the one opened at the cell before it: max(0, H - first).
 *   2. Then a gap is at most 2, and max(0, 2 - gap_extend) = 0. So in the next column (1) still holds for
 *      the gaps: those that were opened earlier have ended.
 *   3. H grows beyond 7 only by a pair after H = 7. A step that has such a pair leaves no trace: it
 *      is done again as a wide one. Wide steps go on until (1) holds again.
 *
 * Where H would reach 32, or the best score known, the pass ends without a result, and other lanes do
 * the block (simd_block.c).
 *
 * Above the first lane are queues of 64 columns: the bits of H and F of the row above leave them at
 * the top, while those of the bottom row enter.
 */
#include "cpu/sliced_vector.h"

#include "cpu/simd.h"
#include "cpu/sliced.h"

enum {
    PLANES = 5,
    NARROW = 3,
    TOP = (1 << PLANES) - 1,
    FIRST = CS_SLICED_FIRST,
    EXTEND = CS_SLICED_EXTEND,
    MOST_DEPTH = CS_SLICED_HEIGHT / LANES, /* rows of a lane */
    COPIES = 8,                            /* of the columns' bits, each one bit further */
    CHUNK = 64,                            /* columns of a queue */
};

typedef struct {
    Vec plane[PLANES];
} Number;

/* H of a column, from the row above each lane's rows down. */
typedef struct {
    Number h[1 + MOST_DEPTH];
} Column;

/* Which bits of columns a step loads. */
typedef enum {
    BASE_LOW,
    BASE_HIGH,
    INSIDE, /* the column is one of the block's */
    N_KINDS,
} Kind;

/* The scratch. */
typedef struct {
    gint64 chunks;       /* of all steps */
    gint64 window_words; /* of a copy of the columns' bits */
    guint64 *windows;    /* N_KINDS times COPIES of them, last column first, lowest byte first */
    guint64 *in_h, *in_f, *out_h,
        *out_f;     /* PLANES times `chunks`; the first column is the top bit */
    guint8 *narrow; /* whether what enters in this chunk suits narrow steps */
    guint8 *right_h, *right_e;
} Scratch;

typedef struct {
    CsSimdPass *pass;
    Scratch scratch;
    gint64 width;
    int depth;
    guint limit; /* H from which on the pass ends */
    gboolean wide;
    Column columns[2]; /* that before the step, and the one to come */
    int before;        /* which is which */
    Vec base_low[MOST_DEPTH], base_high[MOST_DEPTH];
    Number e[MOST_DEPTH];      /* of the column to come, if wide */
    Number last_e[MOST_DEPTH]; /* of the lane's last column so far, in steps at the ends */
    Number f;                  /* of the row below the lane's rows, if wide */
} Work;

/* Steps of one chunk. */
typedef struct {
    gint64 chunk;
    int from, to;
    gboolean ends; /* some lanes are outside of the block */
} Stretch;

static Scratch
carve(const CsCpuBlock *block)
{
    const gint64 chunks = cs_divide_up(block->width + LANES - 1, CHUNK);
    guint64 *words = block->scratch;
    const gint64 of_border = PLANES * (chunks + 1);
    Scratch scratch = {
        .chunks = chunks,
        .window_words = chunks + WORDS + 1,
        .in_h = words,
        .in_f = words + of_border,
        .out_h = words + 2 * of_border,
        .out_f = words + 3 * of_border,
    };
    scratch.windows = words + 4 * of_border;
    scratch.narrow = (guint8 *)(scratch.windows + N_KINDS * COPIES * scratch.window_words);
    scratch.right_h = scratch.narrow + chunks;
    scratch.right_e = scratch.right_h + block->height;
    return scratch;
}

/* The bit `p` of eight bytes, that of the first byte lowest or highest. */
static inline guint8
gather(const guint8 *bytes, int p, gboolean first_is_highest)
{
    guint64 word;
    memcpy(&word, bytes, sizeof word);
    word = GUINT64_FROM_LE(word) >> p & G_GUINT64_CONSTANT(0x0101010101010101);
    return (guint8)(word * (first_is_highest ? G_GUINT64_CONSTANT(0x8040201008040201)
                                             : G_GUINT64_CONSTANT(0x0102040810204080)) >>
                    56);
}

/* Eight bits as bytes of 0 or 1, the lowest or the highest first. */
static inline guint64
spread(guint8 bits, gboolean highest_first)
{
    const guint64 each = bits * G_GUINT64_CONSTANT(0x0101010101010101) &
                         (highest_first ? G_GUINT64_CONSTANT(0x0102040810204080)
                                        : G_GUINT64_CONSTANT(0x8040201008040201));
    return (each + G_GUINT64_CONSTANT(0x7f7f7f7f7f7f7f7f)) >> 7 &
           G_GUINT64_CONSTANT(0x0101010101010101);
}

/* A number of each lane in planes. */
static Number
number_of(const guint8 *numbers)
{
    Number number;
    guint8 all = 0;
    for (int r = 0; r < LANES; r++)
        all |= numbers[r];
    for (int p = 0; p < PLANES; p++) {
        guint8 bits[sizeof(Vec)] = {0};
        for (int k = 0; k < (int)sizeof bits && all >> p & 1; k++)
            bits[k] = gather(numbers + (gsize)8 * k, p, FALSE);
        number.plane[p] = WHOLE(loadu)((const Vec *)bits);
    }
    return number;
}

/* Adds eight bits of the plane `p`. */
static inline void
add_plane(guint8 *numbers, int p, guint8 bits, gboolean highest_first)
{
    guint64 all;
    memcpy(&all, numbers, sizeof all);
    all |= GUINT64_TO_LE(spread(bits, highest_first) << p);
    memcpy(numbers, &all, sizeof all);
}

static void
numbers_of(const Number *number, guint8 *numbers)
{
    memset(numbers, 0, LANES);
    for (int p = 0; p < PLANES; p++) {
        guint8 bits[sizeof(Vec)];
        memcpy(bits, &number->plane[p], sizeof bits);
        for (int k = 0; k < (int)sizeof bits && vec_any(number->plane[p]); k++)
            add_plane(numbers + (gsize)8 * k, p, bits[k], FALSE);
    }
}

/* A gap that was opened at H <= 7: at least 1, and 2. */
CS_INLINE void
opened(const Vec *h, Vec *one, Vec *two)
{
    *one = h[2] & h[1];
    *two = LOGIC(A & B & C, h[2], h[1], h[0]);
}

CS_INLINE Vec
window(const Work *work, Kind kind, gint64 u)
{
    const Scratch *scratch = &work->scratch;
    const gint64 from = scratch->chunks * CHUNK - 1 - u;
    const guint64 *copy =
        scratch->windows + (kind * COPIES + from % COPIES) * scratch->window_words;
    return WHOLE(loadu)((const Vec *)((const guint8 *)copy + from / COPIES));
}

/* The queues of a stretch. */
typedef struct {
    Vec h[PLANES], f[PLANES];
} Queues;

CS_INLINE void
fill_queues(const Work *work, const Stretch *stretch, Queues *queues, int planes)
{
    const Scratch *scratch = &work->scratch;
    for (int p = 0; p < planes; p++) {
        const gint64 at = p * scratch->chunks + stretch->chunk;
        queues->h[p] = vec_word(scratch->in_h[at] << stretch->from);
        queues->f[p] = vec_word(scratch->in_f[at] << stretch->from);
    }
}

/* After the steps until `end`. What entered lies below the `CHUNK - end` bits that have not left. */
CS_INLINE void
empty_queues(Work *work, const Stretch *stretch, const Queues *queues, int end, int planes)
{
    Scratch *scratch = &work->scratch;
    if (end == stretch->from)
        return;
    for (int p = 0; p < planes; p++) {
        const gint64 at = p * scratch->chunks + stretch->chunk;
        scratch->out_h[at] |= vec_last_word(queues->h[p]) << (CHUNK - end);
        scratch->out_f[at] |= vec_last_word(queues->f[p]) << (CHUNK - end);
    }
}

/* What a narrow step carries down the rows of a lane. */
typedef struct {
    Vec diagonal[NARROW], diagonal_is_7; /* H of the row above, of the column before */
    Vec one, two;                        /* F of the row */
    Vec hot;                             /* a pair follows H = 7 */
} Narrow;

/* One row of a narrow step. `left` is H of the column before. */
CS_INLINE void
narrow_row(Narrow *down, const Vec *left, Vec mismatch, Vec *h, Vec *e_one, Vec *e_two)
{
    const Vec *d = down->diagonal;
    opened(left, e_one, e_two);
    /* What a pair leads to: H + 1 or max(0, H - 3). H = 7 and a match is not of use. */
    const Vec t0 = LOGIC(~A & (B | ~C), d[0], d[2], mismatch);
    const Vec t1 = LOGIC(A & (B | ~C), d[1] ^ d[0], d[2], mismatch);
    const Vec t2 = LOGIC((A & B) | ((A | B) & ~C), d[2], d[1] & d[0], mismatch);
    down->hot = LOGIC(A | (B & ~C), down->hot, down->diagonal_is_7, mismatch);
    /* The higher one of both gaps, where the pair leads to 0 or 1. */
    const Vec one = LOGIC(A & ~(B | C), down->one | *e_one, t1, t2);
    const Vec two = LOGIC(A & ~(B | C), down->two | *e_two, t1, t2);
    h[0] = LOGIC((A | B) & ~C, t0, one, two);
    h[1] = t1 | two;
    h[2] = t2;
    for (int p = 0; p < NARROW; p++)
        down->diagonal[p] = left[p];
    down->diagonal_is_7 = *e_two;
    /* A gap of at most 2 never leads to an H that opens one, so F does not wait for the row above. */
    const Vec t[NARROW] = {t0, t1, t2};
    opened(t, &down->one, &down->two);
}

/* Takes narrow steps. Returns the first one not taken, which has to be a wide one. */
CS_INLINE int
narrow_steps(Work *work, const Stretch *stretch, gboolean ends)
{
    const int depth = work->depth;
    Queues queues;
    int s = stretch->from;
    Vec bottom[NARROW]; /* does not wait for what was stored */
    for (int p = 0; p < NARROW; p++)
        bottom[p] = work->columns[work->before].h[depth].plane[p];
    fill_queues(work, stretch, &queues, NARROW);
    for (; s < stretch->to; s++) {
        const gint64 u = stretch->chunk * CHUNK + s;
        const Number *before = work->columns[work->before].h;
        Number *now = work->columns[!work->before].h;
        const Vec low = window(work, BASE_LOW, u), high = window(work, BASE_HIGH, u);
        const Vec inside = ends ? window(work, INSIDE, u) : vec_word(G_MAXUINT64);
        Narrow down = {.hot = vec_zero()};
        Vec f_one = vec_zero(), f_two = f_one;
        for (int p = 0; p < NARROW; p++) {
            down.diagonal[p] = before[0].plane[p];
            now[0].plane[p] = vec_from_above(bottom[p], queues.h[p]);
        }
        down.diagonal_is_7 = LOGIC(A & B & C, down.diagonal[0], down.diagonal[1], down.diagonal[2]);
        opened(now[0].plane, &down.one, &down.two);
        for (int k = 0; k < depth; k++) {
            Vec h[NARROW], left[NARROW], e_one, e_two;
            for (int p = 0; p < NARROW; p++)
                left[p] = before[k + 1].plane[p];
            f_one = down.one;
            f_two = down.two;
            const Vec mismatch =
                LOGIC(A | (B ^ C), low ^ work->base_low[k], high, work->base_high[k]);
            narrow_row(&down, left, mismatch, h, &e_one, &e_two);
            for (int p = 0; p < NARROW; p++)
                bottom[p] = now[k + 1].plane[p] = ends ? vec_choose(inside, h[p], left[p]) : h[p];
            if (ends) {
                Vec *e = work->last_e[k].plane;
                e[0] = vec_choose(inside, e_one ^ e_two, e[0]);
                e[1] = vec_choose(inside, e_two, e[1]);
                for (int p = 2; p < PLANES; p++)
                    e[p] = LOGIC(A & ~B & C, e[p], inside, e[p]);
            }
        }
        if (vec_any(down.hot & inside))
            break;
        for (int p = 0; p < NARROW; p++)
            queues.h[p] = vec_push(queues.h[p], bottom[p]);
        queues.f[0] = vec_push(queues.f[0], f_one ^ f_two);
        queues.f[1] = vec_push(queues.f[1], f_two);
        work->before = !work->before;
    }
    queues.f[2] = vec_zero();
    empty_queues(work, stretch, &queues, s, NARROW);
    return s;
}

/* Makes E and F what narrow steps take them to be. */
static void
widen(Work *work)
{
    Number *h = work->columns[work->before].h;
    for (int k = 0; k <= work->depth; k++)
        h[k].plane[3] = h[k].plane[4] = vec_zero();
    for (int k = 0; k <= work->depth; k++) {
        Number *gap = k < work->depth ? &work->e[k] : &work->f;
        Vec one, two;
        opened(h[k < work->depth ? k + 1 : k].plane, &one, &two);
        *gap = (Number){{one ^ two, two, vec_zero(), vec_zero(), vec_zero()}};
    }
    work->wide = TRUE;
}

/* Where narrow steps would take H or the gap after it for something else. */
CS_INLINE Vec
not_narrow(const Number *h, const Number *gap)
{
    Vec one, two;
    opened(h->plane, &one, &two);
    const Vec other = (gap->plane[0] ^ one ^ two) | (gap->plane[1] ^ two);
    return other | h->plane[3] | h->plane[4] | gap->plane[2] | gap->plane[3] | gap->plane[4];
}

CS_INLINE Number
less(Number a, int cost)
{
    Vec borrow = vec_zero();
    for (int p = 0; p < PLANES; p++) {
        const Vec bit = a.plane[p];
        if (cost >> p & 1) {
            a.plane[p] = ~(bit ^ borrow);
            borrow = ~bit | borrow;
        } else {
            a.plane[p] = bit ^ borrow;
            borrow = ~bit & borrow;
        }
    }
    for (int p = 0; p < PLANES; p++)
        a.plane[p] = a.plane[p] & ~borrow;
    return a;
}

CS_INLINE Number
higher(Number a, Number b)
{
    Vec below = vec_zero(); /* where a < b */
    for (int p = 0; p < PLANES; p++)
        below = LOGIC((~A & B) | ((~A | B) & C), a.plane[p], b.plane[p], below);
    for (int p = 0; p < PLANES; p++)
        a.plane[p] = vec_choose(below, b.plane[p], a.plane[p]);
    return a;
}

CS_INLINE Number
choose(Vec mask, Number a, Number b)
{
    for (int p = 0; p < PLANES; p++)
        a.plane[p] = vec_choose(mask, a.plane[p], b.plane[p]);
    return a;
}

/* H + 1 or max(0, H - 3). Sets `over` where that is 32. */
CS_INLINE Number
paired(Number h, Vec mismatch, Vec *over)
{
    Vec carry = h.plane[0];
    h.plane[0] = ~carry;
    for (int p = 1; p < PLANES; p++) { /* adds 1 or, without the highest carry, -3 */
        const Vec bit = h.plane[p], added = p == 1 ? vec_zero() : mismatch;
        h.plane[p] = LOGIC(A ^ B ^ C, bit, added, carry);
        carry = LOGIC((A & B) | ((A | B) & C), bit, added, carry);
    }
    for (int p = 0; p < PLANES; p++)
        h.plane[p] = LOGIC(A & (~B | C), h.plane[p], mismatch, carry);
    *over = LOGIC(A | (~B & C), *over, mismatch, carry);
    return h;
}

/* Where H is at least as high as the limit. */
CS_INLINE Vec
at_limit(const Number *h, guint limit)
{
    if (limit > TOP)
        return vec_zero();
    Vec reached = vec_word(G_MAXUINT64);
    for (int p = 0; p < PLANES; p++)
        reached = limit >> p & 1 ? h->plane[p] & reached : h->plane[p] | reached;
    return reached;
}

/* One wide step. Returns FALSE if H is too high. Ends the wide steps if the next one can be narrow. */
CS_INLINE gboolean
wide_step(Work *work, Queues *queues, gint64 u, gboolean ends)
{
    const int depth = work->depth;
    const Number *before = work->columns[work->before].h;
    Number *now = work->columns[!work->before].h;
    const Vec low = window(work, BASE_LOW, u), high = window(work, BASE_HIGH, u);
    const Vec inside = ends ? window(work, INSIDE, u) : vec_word(G_MAXUINT64);
    Vec too_high = vec_zero(), wide = vec_zero();
    Number f, f_here = {{vec_zero()}};
    for (int p = 0; p < PLANES; p++) {
        now[0].plane[p] = vec_from_above(before[depth].plane[p], queues->h[p]);
        f.plane[p] = vec_from_above(work->f.plane[p], queues->f[p]);
    }
    for (int k = 0; k < depth; k++) {
        const Number left = before[k + 1], e = work->e[k];
        const Vec mismatch = LOGIC(A | (B ^ C), low ^ work->base_low[k], high, work->base_high[k]);
        Number h = higher(higher(paired(before[k], mismatch, &too_high), e), f);
        too_high |= at_limit(&h, work->limit);
        const Number open = less(h, FIRST);
        Number next_e = higher(less(e, EXTEND), open);
        f_here = f;
        f = higher(less(f, EXTEND), open);
        if (ends) {
            h = choose(inside, h, left);
            next_e = choose(inside, next_e, e);
            work->last_e[k] = choose(inside, e, work->last_e[k]);
        }
        wide |= not_narrow(&h, &next_e);
        now[k + 1] = h;
        work->e[k] = next_e;
    }
    if (vec_any(too_high & inside))
        return FALSE;
    for (int p = 0; p < PLANES; p++) {
        queues->h[p] = vec_push(queues->h[p], now[depth].plane[p]);
        queues->f[p] = vec_push(queues->f[p], f_here.plane[p]);
    }
    work->f = f;
    work->before = !work->before;
    wide |= not_narrow(&now[depth], &f) & inside;
    wide |= now[0].plane[3] | now[0].plane[4];
    work->wide = vec_any(wide);
    return TRUE;
}

/* Takes wide steps, until the next one can be narrow. Returns the first one not taken, or -1 if H is
 * too high. */
CS_INLINE int
wide_steps(Work *work, const Stretch *stretch, gboolean ends)
{
    Queues queues;
    int s = stretch->from;
    fill_queues(work, stretch, &queues, PLANES);
    do {
        if (!wide_step(work, &queues, stretch->chunk * CHUNK + s, ends))
            return -1;
        s++;
    } while (s < stretch->to && (work->wide || !work->scratch.narrow[stretch->chunk]));
    empty_queues(work, stretch, &queues, s, PLANES);
    return s;
}

/* A function each, so that each has the registers. */
#define STEPS(name, steps, ends)                                                                   \
    static __attribute__((noinline)) int name(Work *work, const Stretch *stretch)                  \
    {                                                                                              \
        return steps(work, stretch, ends);                                                         \
    }
STEPS(narrow_inside, narrow_steps, FALSE)
STEPS(narrow_at_ends, narrow_steps, TRUE)
STEPS(wide_inside, wide_steps, FALSE)
STEPS(wide_at_ends, wide_steps, TRUE)

/* Takes all steps. Returns FALSE if H is too high, or if so many steps are wide that other lanes are
 * faster. */
static gboolean
all_steps(Work *work)
{
    const Scratch *scratch = &work->scratch;
    const gint64 steps = work->width + LANES - 1;
    gint64 wide = 0;
    for (gint64 chunk = 0; chunk < scratch->chunks; chunk++) {
        const gint64 start = chunk * CHUNK;
        Stretch stretch = {.chunk = chunk, .to = (int)MIN(CHUNK, steps - start)};
        stretch.ends = start < LANES || start + CHUNK >= work->width;
        while (stretch.from < stretch.to) {
            if (!work->wide && scratch->narrow[chunk]) {
                stretch.from =
                    stretch.ends ? narrow_at_ends(work, &stretch) : narrow_inside(work, &stretch);
                if (stretch.from == stretch.to)
                    break;
            }
            if (!work->wide)
                widen(work);
            const int end =
                stretch.ends ? wide_at_ends(work, &stretch) : wide_inside(work, &stretch);
            if (end < 0)
                return FALSE;
            wide += end - stretch.from;
            stretch.from = end;
        }
        if (wide > CS_SLICED_WIDE_STEPS + (start + CHUNK) / 2)
            return FALSE;
    }
    if (!work->wide)
        widen(work);
    return TRUE;
}

/* The plane `p` of the numbers of a chunk, that of the first one as the top bit. */
static inline guint64
word_of(const guint8 *numbers, int p)
{
    guint64 word = 0;
    for (int k = 0; k < CHUNK; k += 8)
        word = word << 8 | gather(numbers + k, p, TRUE);
    return word;
}

static void
enter_columns(const Work *work)
{
    const Scratch *scratch = &work->scratch;
    const guint8 *columns = work->pass->block->columns;
    guint64 before[N_KINDS] = {0}; /* the word of the chunk before */
    for (gint64 chunk = -WORDS - 1; chunk < scratch->chunks; chunk++) {
        guint64 words[N_KINDS] = {0};
        guint8 codes[CHUNK] = {0};
        const gint64 count = chunk < 0 ? 0 : CLAMP(work->width - chunk * CHUNK, 0, CHUNK);
        if (count > 0) {
            memcpy(codes, columns + chunk * CHUNK, count);
            words[BASE_LOW] = word_of(codes, 0);
            words[BASE_HIGH] = word_of(codes, 1);
            words[INSIDE] = G_MAXUINT64 << (CHUNK - count);
        }
        guint64 *to = scratch->windows + scratch->chunks - 1 - chunk;
        for (int kind = 0; kind < N_KINDS; kind++) {
            *to = GUINT64_TO_LE(words[kind]);
            to += scratch->window_words;
            for (int copy = 1; copy < COPIES; copy++, to += scratch->window_words)
                *to = GUINT64_TO_LE(words[kind] >> copy | before[kind] << (CHUNK - copy));
            before[kind] = words[kind];
        }
    }
}

/* What enters from above, for the queues. */
static void
enter_top(Work *work)
{
    const Scratch *scratch = &work->scratch;
    const gint32 *top_h = work->pass->block->top_h, *top_f = work->pass->block->top_f;
    for (gint64 chunk = 0; chunk < scratch->chunks; chunk++) {
        guint8 h[CHUNK] = {0}, f[CHUNK] = {0}, other = 0, all_h = 0, all_f = 0;
        const gint64 from = chunk * CHUNK, count = CLAMP(work->width - from, 0, CHUNK);
        for (gint64 k = 0; k < count; k++) {
            const gint32 open = MAX(top_h[from + k] - FIRST, 0);
            h[k] = (guint8)top_h[from + k];
            f[k] = (guint8)MAX(top_f[from + k] - EXTEND, open);
            other |= f[k] ^ (guint8)open;
            all_h |= h[k];
            all_f |= f[k];
        }
        scratch->narrow[chunk] = other == 0 && all_h >> NARROW == 0;
        for (int p = 0; p < PLANES; p++) {
            const gint64 at = p * scratch->chunks + chunk;
            scratch->in_h[at] = all_h >> p & 1 ? word_of(h, p) : 0;
            scratch->in_f[at] = all_f >> p & 1 ? word_of(f, p) : 0;
        }
    }
}

/* What enters from the left. */
static void
enter_left(Work *work)
{
    const CsCpuBlock *block = work->pass->block;
    const gint32 *left_h = block->left_h, *left_e = block->left_e;
    Number *first = work->columns[0].h;
    Vec wide = vec_zero();
    for (int k = 0; k < work->depth; k++) {
        guint8 bases[LANES], h[LANES], e[LANES];
        for (int r = 0; r < LANES; r++) {
            const gint64 i = r * work->depth + k;
            bases[r] = block->rows[i];
            h[r] = (guint8)left_h[i];
            e[r] = (guint8)MAX(0, MAX(left_e[i] - EXTEND, left_h[i] - FIRST));
        }
        const Number base = number_of(bases);
        work->base_low[k] = base.plane[0];
        work->base_high[k] = base.plane[1];
        first[k + 1] = number_of(h);
        work->e[k] = number_of(e);
        wide |= not_narrow(&first[k + 1], &work->e[k]);
    }
    /* In the first step, the first lane's row above is the border's corner. */
    guint8 corner[LANES] = {(guint8)block->corner};
    first[0] = number_of(corner);
    work->wide = vec_any(wide | first[0].plane[3] | first[0].plane[4]);
}

static void
leave_strip(const Work *work)
{
    const Column *last = &work->columns[work->before];
    for (int k = 0; k < work->depth; k++) {
        guint8 h[LANES], e[LANES];
        numbers_of(&last->h[k + 1], h);
        numbers_of(&work->last_e[k], e);
        for (int r = 0; r < LANES; r++) {
            work->scratch.right_h[r * work->depth + k] = h[r];
            work->scratch.right_e[r * work->depth + k] = e[r];
        }
    }
}

static void
sweep(CsSimdPass *pass)
{
    const CsCpuBlock *block = pass->block;
    Work work = {
        .pass = pass,
        .scratch = carve(block),
        .width = block->width,
        .depth = (int)(block->height / LANES),
        .limit = (guint)MIN(block->best.score, TOP + 1),
    };
    const gsize border = PLANES * (work.scratch.chunks + 1) * sizeof(guint64);
    memset(work.scratch.out_h, 0, border);
    memset(work.scratch.out_f, 0, border);
    enter_columns(&work);
    enter_top(&work);
    enter_left(&work);
    const gboolean done = all_steps(&work);
    if (done)
        leave_strip(&work);
    pass->highest = done ? 0 : G_MAXINT64;
}

/* Column j of the bottom row is that of step j + LANES - 1. */
static void
leave_bottom(const Scratch *scratch, const guint64 *out, gint32 *to, gint64 width)
{
    for (gint64 j = 0; j < width; j += CHUNK) {
        const gint64 chunk = (j + LANES - 1) / CHUNK;
        guint8 numbers[CHUNK] = {0};
        for (int p = 0; p < PLANES; p++) {
            const guint64 *plane = out + p * scratch->chunks;
            guint64 word = plane[chunk] << 63;
            if (chunk + 1 < scratch->chunks)
                word |= plane[chunk + 1] >> 1;
            for (int k = 0; k < CHUNK && word != 0; k += 8)
                add_plane(numbers + k, p, (guint8)(word >> (CHUNK - 8 - k)), TRUE);
        }
        const gint64 count = MIN(CHUNK, width - j);
        for (gint64 k = 0; k < count; k++)
            to[j + k] = numbers[k];
    }
}

static void
leave(CsSimdPass *pass)
{
    CsCpuBlock *block = pass->block;
    const Scratch scratch = carve(block);
    gint32 *left_h = block->left_h, *left_e = block->left_e;
    leave_bottom(&scratch, scratch.out_h, block->top_h, block->width);
    leave_bottom(&scratch, scratch.out_f, block->top_f, block->width);
    for (gint64 i = 0; i < block->height; i++) {
        left_h[i] = scratch.right_h[i];
        left_e[i] = scratch.right_e[i];
    }
}

const CsSimdKernel KERNEL = {1, FALSE, 0, TOP, sweep, NULL, leave, LANES};
