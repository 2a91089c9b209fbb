/*
 * The recurrence on vectors. src/meson.build compiles this file once for each instruction set and
 * kind of lanes. It defines LANE_BITS, TILTED (0 or 1) and KERNEL (the name of the CsSimdKernel).
 *
 * A block is cut into strips of LANES lanes with ROWS rows each; the uppermost lane is the last of
 * the vector. At step u, lane r from above computes column u - r of its rows. So the lanes of a
 * step are an internal diagonal (here of 4 lanes):
 *
 *      column           0 1 2 3 4 5 ...    left  (i, j-1):   the lane at step u - 1
 *   lane 3  r = 0       0 1 2 3 4 5        up    (i-1, j):   the lane's row above, or at step u - 1
 *   lane 2  r = 1         0 1 2 3 4                          the lane above's last row
 *   lane 1  r = 2           0 1 2 3        diag  (i-1, j-1): what was up at the step before
 *   lane 0  r = 3             0 1 2
 *
 * Above the last lane is the bus: H of one row, and F of the row below it, in place. A step stores
 * 32 bits of its lanes' bottom cells, each at its own column. Only the lowest lane's counts; later
 * steps overwrite the others. This costs less than storing a single 8-bit lane. F of the block's
 * bottom row itself goes into a vector of its own.
 *
 * STRIPS strips are computed side by side, each LAG columns behind the one above, so that one fills
 * the latencies of the others. LAG is so long that a load from the bus does not wait for a store.
 *
 * In the first and last LANES - 1 steps of a strip some lanes are outside the block. A lane that
 * has not begun holds H and E of the left border, which is what it and the lane below it read
 * first. A lane that has ended computes columns after the last one, which nobody reads. In the last
 * strip, rows below the block's bottom row pass on what comes from above, so the bus ends up with
 * the bottom row.
 *
 * Lanes of 8 and 16 bits are relative to a base, at which H is clamped (simd_block.c proves that this
 * is exact). The base has the value of cs_simd_floor() in the first step. With each step this floor
 * rises by gap_extend, so extending a gap to the right, or into the lane below, costs nothing. After
 * PERIOD steps it falls back, and so do all values with it. PERIOD divides the steps by which a strip
 * is behind another, and those between storing a bus and loading it. So a value on the bus suits the
 * step that loads it.
 *
 * 32-bit lanes are absolute and clamped at 0. Tilted lanes are relative to a base that falls by
 * gap_extend with each row and column. So extending a gap costs nothing at all. They are not clamped,
 * and no highest H is searched for.
 */
#include "cpu/simd_vector.h"

#include "cpu/simd.h"

enum {
    STRIP = LANES * ROWS, /* rows */
    LAG = LANES + 32,
    PAD = 2 * LANES, /* cells before and after those of a bus */
    NO_ROW = 254,    /* bases of rows and columns outside the block */
    NO_COLUMN = 255,
    RISES = !TILTED && LANE_BITS < 32, /* the floor */
    PERIOD = RISES ? 128 / LANE_BITS : 1,
};
G_STATIC_ASSERT(LANES % PERIOD == 0 && LAG % PERIOD == 0);
G_STATIC_ASSERT(4 * 2 * PAD * sizeof(Lane) <= CS_CPU_SCRATCH_PADDING);

/* Costs for the lanes. What a pair gains depends on how much the base falls from the cell before. */
typedef struct {
    Pairs first_pair; /* in the first row of a lane */
    Pairs pair;
    Vec open, extend;
    Vec rise, fall; /* of the floor: with each step, and after PERIOD steps */
} Costs;

typedef struct {
    Vec bases[ROWS];
    Vec h[ROWS], e[ROWS]; /* H of the column before, E of the column to come */
    Vec f;                /* of the row below the lane's last */
    Vec diagonal;         /* H above the lane's first row at the step before */
} Strip;

/* What a strip needs at its left and right ends. */
typedef struct {
    Vec left_h[ROWS], left_e[ROWS];
    Vec right_h[ROWS], right_e[ROWS];
    Vec number; /* of each lane; the uppermost is 1 */
    Vec f;      /* of the lane's last row at the step before */
    gint64 height;
} Ends;

/* The scratch. Columns and buses have PAD cells before and after them. */
typedef struct {
    Lane *columns;
    Lane *bus_h, *bus_f; /* H of a row, F of the row below it ... */
    Lane *bottom_f;      /* ... and F of the last strip's bottom row itself */
    Lane *right_h, *right_e;
} Scratch;

typedef struct {
    CsSimdPass *pass;
    CsCpuBlock *block;
    Scratch scratch;
    Costs costs;
    Vec highest;
    Vec wanted; /* if the pass finds cells */
} Work;

static Scratch
carve(const CsCpuBlock *block)
{
    const gint64 next = block->width + 2 * PAD;
    Lane *memory = block->scratch;
    Lane *right = memory + 4 * next;
    return (Scratch){
        memory + PAD, memory + next + PAD,  memory + 2 * next + PAD, memory + 3 * next + PAD,
        right,        right + block->height};
}

/* A gap that is one base longer. */
CS_INLINE Vec
extended(Vec gap, const Costs *costs, gboolean free)
{
    return free ? gap : vec_subtract(gap, costs->extend);
}

/* One step of a strip. The pointers are at column u. f_here receives F of the step's cells. */
CS_INLINE void
step(Strip *strip, const Costs *costs, Vec floor, const Lane *columns, Lane *bus_h, Lane *bus_f,
     Vec *f_here)
{
    Vec up_h = vec_next(strip->h[ROWS - 1], vec_load_first(bus_h));
    Vec f = vec_next(strip->f, vec_load_first(bus_f));
    Vec bases = vec_load(columns - (LANES - 1)), diagonal = strip->diagonal;
    strip->diagonal = up_h;
#pragma GCC unroll 8
    for (int k = 0; k < ROWS; k++) {
        Vec h =
            vec_pair(diagonal, strip->bases[k], bases, k == 0 ? &costs->first_pair : &costs->pair);
        if (!TILTED)
            h = vec_max(h, floor);
        h = vec_max(vec_max(h, strip->e[k]), f);
        Vec opened = vec_subtract(h, costs->open);
        strip->e[k] = extended(vec_max(strip->e[k], opened), costs, TILTED || RISES);
        f_here[k] = f;
        f = extended(vec_max(f, opened), costs, TILTED || (RISES && k == ROWS - 1));
        diagonal = strip->h[k];
        strip->h[k] = h;
    }
    strip->f = f;
    vec_store_first(bus_h - (LANES - 1), strip->h[ROWS - 1]);
    vec_store_first(bus_f - (LANES - 1), f);
}

/* After the last step of a period, whose pointers these are. */
CS_INLINE void
fall_back(Strip *strip, const Costs *costs, Lane *bus_h, Lane *bus_f)
{
#pragma GCC unroll 8
    for (int k = 0; k < ROWS; k++) {
        strip->h[k] = vec_subtract(strip->h[k], costs->fall);
        strip->e[k] = vec_subtract(strip->e[k], costs->fall);
    }
    strip->f = vec_subtract(strip->f, costs->fall);
    strip->diagonal = vec_subtract(strip->diagonal, costs->fall);
    vec_store_first(bus_h - (LANES - 1), strip->h[ROWS - 1]);
    vec_store_first(bus_f - (LANES - 1), strip->f);
}

CS_INLINE gboolean
falls_back(gint64 u)
{
    return RISES && u % PERIOD == PERIOD - 1;
}

/* By how much the floor has risen so many steps after the first one of a period. */
CS_INLINE gint64
risen(const CsSimdPass *pass, gint64 steps)
{
    return RISES ? steps * pass->block->scoring->gap_extend : 0;
}

/* How a lane holds the base so many steps after the first one of a period. */
CS_INLINE Lane
floor_after(const CsSimdPass *pass, gint64 steps)
{
    return (Lane)(RISES ? cs_simd_floor(pass->block->scoring) + risen(pass, steps) : 0);
}

/* The maximum of a strip's H and `other`. */
CS_INLINE Vec
highest_of(const Strip *strip, Vec other)
{
#pragma GCC unroll 8
    for (int k = 0; k < ROWS; k++)
        other = vec_max(other, strip->h[k]);
    return other;
}

/* Merges the cells of row k of each lane into the block's best. */
static void
merge_wanted(Work *work, Vec h, gint64 above, int k, gint64 u)
{
    CsCpuBlock *block = work->block;
    Lane cells[LANES];
    vec_store(cells, h);
    for (int r = 0; r < LANES; r++) {
        gint64 i = above + r * ROWS + k, j = u - r;
        CsScore score =
            cells[LANES - 1 - r] + work->pass->base - floor_after(work->pass, u % PERIOD);
        if (i >= block->height || j < 0 || j >= block->width || score <= 0)
            continue;
        CsBest cell = {score, block->i0 + i + 1, block->j0 + j + 1};
        cs_best_merge(&block->best, block->tie_order, &cell);
    }
}

CS_INLINE void
find_wanted(Work *work, const Strip *strip, Vec floor, gint64 above, gint64 u)
{
    const Vec wanted = vec_add(work->wanted, floor);
#pragma GCC unroll 8
    for (int k = 0; k < ROWS; k++)
        if (vec_any(vec_equal(vec_max(strip->h[k], wanted), strip->h[k])))
            merge_wanted(work, strip->h[k], above, k, u);
}

/* Takes steps from t on while all lanes of all strips have begun and none is at its last column.
 * Returns the first step not taken. */
CS_INLINE gint64
fast_steps(Work *work, Strip *strips, gint64 above, gint64 t, gboolean find)
{
    const Scratch *scratch = &work->scratch;
    const Costs costs = work->costs;
    const gint64 last = work->block->width - 1;
    Vec highest = work->highest;
    Strip strip[STRIPS];
#pragma GCC unroll 8
    for (int s = 0; s < STRIPS; s++)
        strip[s] = strips[s];
    while (t < last) {
        const gint64 end = RISES ? MIN(last, t + PERIOD - t % PERIOD) : last;
        Vec floor = vec_all(floor_after(work->pass, t % PERIOD));
#pragma GCC unroll 2
        for (; t < end; t++) {
            Vec most = floor; /* `highest` may be in memory, for lack of registers */
#pragma GCC unroll 8
            for (int s = 0; s < STRIPS; s++) {
                const gint64 u = t - LAG * s;
                Vec f[ROWS];
                step(&strip[s], &costs, floor, scratch->columns + u, scratch->bus_h + u,
                     scratch->bus_f + u, f);
                if (find)
                    find_wanted(work, &strip[s], floor, above + STRIP * s, u);
                else if (!TILTED)
                    most = highest_of(&strip[s], most);
                if (s == STRIPS - 1)
                    vec_store_first(scratch->bottom_f + u - (LANES - 1), f[ROWS - 1]);
            }
            if (!TILTED && !find)
                highest = vec_max(highest, vec_subtract(most, floor));
            if (RISES)
                floor = vec_add(floor, costs.rise);
        }
        if (RISES && t % PERIOD == 0)
#pragma GCC unroll 8
            for (int s = 0; s < STRIPS; s++)
                fall_back(&strip[s], &costs, scratch->bus_h + t - 1 - LAG * s,
                          scratch->bus_f + t - 1 - LAG * s);
    }
#pragma GCC unroll 8
    for (int s = 0; s < STRIPS; s++)
        strips[s] = strip[s];
    work->highest = highest;
    return t;
}

/* Step u of one strip. All its lanes have begun, and none is at its last column. */
CS_INLINE void
plain_step(Work *work, Strip *strip, gint64 above, gint64 u, gboolean find)
{
    const Scratch *scratch = &work->scratch;
    const Vec floor = vec_all(floor_after(work->pass, u % PERIOD));
    Vec f[ROWS];
    step(strip, &work->costs, floor, scratch->columns + u, scratch->bus_h + u, scratch->bus_f + u,
         f);
    if (above + STRIP == work->block->height)
        vec_store_first(scratch->bottom_f + u - (LANES - 1), f[ROWS - 1]);
    if (find)
        find_wanted(work, strip, floor, above, u);
    else if (!TILTED)
        work->highest = vec_max(work->highest, vec_subtract(highest_of(strip, vec_all(0)), floor));
    if (falls_back(u))
        fall_back(strip, &work->costs, scratch->bus_h + u, scratch->bus_f + u);
}

/* A mask of the `count` uppermost lanes. */
CS_INLINE Mask
uppermost(const Ends *ends, gint64 count)
{
    Vec limit = vec_all((Lane)CLAMP(count, 0, LANES));
    return vec_equal(vec_max(ends->number, limit), limit);
}

/* Rows below the block's bottom row get the values above them. */
static void
pass_on(Strip *strip, const Ends *ends, Vec *f, Vec above_h, Vec above_f)
{
    for (int k = 0; k < ROWS; k++) {
        Mask inside = uppermost(ends, (ends->height - 1 - k + ROWS) / ROWS);
        above_h = strip->h[k] = vec_select(inside, strip->h[k], above_h);
        above_f = f[k] = vec_select(inside, f[k], above_f);
    }
}

/* Any step u of one strip, 0 <= u < width + LANES - 1. */
static void
slow_step(Work *work, Strip *strip, Ends *ends, gint64 above, gint64 u, gboolean find)
{
    const Scratch *scratch = &work->scratch;
    const gint64 last = work->block->width - 1;
    const Mask begun = uppermost(ends, u + 1), ended = uppermost(ends, u - last);
    const Mask at_last = vec_equal(ends->number, vec_all((Lane)CLAMP(u - last + 1, 0, LANES)));
    const gint64 steps = u % PERIOD, before = (u + PERIOD - 1) % PERIOD;
    const Vec floor = vec_all(floor_after(work->pass, steps));
    const Vec here = vec_all((Lane)risen(work->pass, steps));
    const Vec next = vec_all((Lane)risen(work->pass, steps + 1));
    Vec above_f = vec_next(ends->f, vec_load_first(scratch->bottom_f + u));
    Vec e[ROWS], f[ROWS];
    memcpy(e, strip->e, sizeof e);
    step(strip, &work->costs, floor, scratch->columns + u, scratch->bus_h + u, scratch->bus_f + u,
         f);
    for (int k = 0; k < ROWS; k++) {
        strip->h[k] = vec_select(begun, strip->h[k], vec_add(ends->left_h[k], here));
        strip->e[k] = vec_select(begun, strip->e[k], vec_add(ends->left_e[k], next));
    }
    if (ends->height < STRIP)
        pass_on(strip, ends, f, vec_add(strip->diagonal, work->costs.rise),
                vec_add(above_f, vec_all((Lane)risen(work->pass, steps - before))));
    ends->f = f[ROWS - 1];
    vec_store_first(scratch->bus_h + u - (LANES - 1), strip->h[ROWS - 1]);
    if (above + STRIP >= work->block->height)
        vec_store_first(scratch->bottom_f + u - (LANES - 1), ends->f);
    for (int k = 0; k < ROWS; k++) {
        const Vec h = strip->h[k], above_floor = vec_subtract(h, floor);
        ends->right_h[k] = vec_select(at_last, vec_subtract(h, here), ends->right_h[k]);
        ends->right_e[k] = vec_select(at_last, vec_subtract(e[k], here), ends->right_e[k]);
        Vec counted = vec_select(ended, vec_all(0), vec_select(begun, above_floor, vec_all(0)));
        if (!TILTED)
            work->highest = vec_max(work->highest, counted);
    }
    if (find)
        find_wanted(work, strip, floor, above, u);
    if (falls_back(u))
        fall_back(strip, &work->costs, scratch->bus_h + u, scratch->bus_f + u);
}

/* A value as a lane holds it, so many steps after the first one of a period. `away` is the cell's row
 * plus its column in the block. */
static inline Lane
relative(const CsSimdPass *pass, gint32 value, gint64 away, gint64 steps)
{
#if TILTED
    return (Lane)(value - pass->base + away * pass->block->scoring->gap_extend);
#elif LANE_BITS == 32
    return value;
#else
    return (Lane)(MAX(value - (gint32)pass->base, 0) + floor_after(pass, steps));
#endif
}

static inline gint32
absolute(const CsSimdPass *pass, Lane lane, gint64 away, gint64 steps)
{
    const gint64 tilt = TILTED ? away * pass->block->scoring->gap_extend : floor_after(pass, steps);
    return (gint32)((gint64)lane + pass->base - tilt);
}

/* Begins the strip below row `above`. */
static void
enter_strip(const Work *work, Strip *strip, Ends *ends, gint64 above)
{
    const CsCpuBlock *block = work->block;
    const gint32 *left_h = block->left_h, *left_e = block->left_e;
    const gint32 first = (gint32)cs_scoring_first_gap(block->scoring);
    const gint32 extend = (gint32)block->scoring->gap_extend;
    Lane bases[ROWS][LANES], h[ROWS][LANES], e[ROWS][LANES], diagonal[LANES] = {0}, number[LANES];
    for (int r = 0; r < STRIP; r++) {
        const gint64 i = above + r;
        const int k = r % ROWS, lane = LANES - 1 - r / ROWS;
        const gboolean inside = i < block->height;
        number[lane] = (Lane)(r / ROWS + 1);
        bases[k][lane] = row_lane(inside ? block->rows[i] : NO_ROW);
        h[k][lane] = inside ? relative(work->pass, left_h[i], i + 1, 0) : 0;
        e[k][lane] =
            inside ? relative(work->pass, MAX(left_e[i] - extend, left_h[i] - first), i + 2, 0) : 0;
    }
    diagonal[LANES - 1] =
        relative(work->pass, above == 0 ? (gint32)block->corner : left_h[above - 1], above, -2);
    *strip = (Strip){.f = vec_all(0), .diagonal = vec_load(diagonal)};
    *ends = (Ends){
        .number = vec_load(number), .f = vec_all(0), .height = MIN(STRIP, block->height - above)};
    for (int k = 0; k < ROWS; k++) {
        strip->bases[k] = vec_load(bases[k]);
        ends->left_h[k] = ends->right_h[k] = vec_load(h[k]);
        strip->h[k] = vec_subtract(ends->left_h[k], work->costs.rise);
        strip->e[k] = ends->left_e[k] = ends->right_e[k] = vec_load(e[k]);
    }
}

static void
leave_strip(const Work *work, const Ends *ends, gint64 above)
{
    Lane h[ROWS][LANES], e[ROWS][LANES];
    for (int k = 0; k < ROWS; k++) {
        vec_store(h[k], ends->right_h[k]);
        vec_store(e[k], ends->right_e[k]);
    }
    for (gint64 r = 0; r < ends->height; r++) {
        work->scratch.right_h[above + r] = h[r % ROWS][LANES - 1 - r / ROWS];
        work->scratch.right_e[above + r] = e[r % ROWS][LANES - 1 - r / ROWS];
    }
}

/* Computes STRIPS strips, or as many as there are rows for. */
CS_INLINE void
compute_strips(Work *work, gint64 above, gboolean find)
{
    const gint64 width = work->block->width, height = work->block->height - above;
    const int used = (int)MIN(STRIPS, cs_divide_up(height, STRIP));
    Strip strips[STRIPS];
    Ends ends[STRIPS];
    for (int s = 0; s < used; s++)
        enter_strip(work, &strips[s], &ends[s], above + STRIP * s);
    for (gint64 t = 0; t < width + LANES - 1 + LAG * (used - 1);) {
        if (height >= STRIPS * STRIP && t >= LAG * (STRIPS - 1) + LANES - 1 && t < width - 1) {
            t = fast_steps(work, strips, above, t, find);
            continue;
        }
        for (int s = 0; s < used; s++) {
            gint64 u = t - LAG * s;
            if (u >= LANES - 1 && u < width - 1 && ends[s].height == STRIP)
                plain_step(work, &strips[s], above + STRIP * s, u, find);
            else if (u >= 0 && u < width + LANES - 1)
                slow_step(work, &strips[s], &ends[s], above + STRIP * s, u, find);
        }
        t++;
    }
    for (int s = 0; s < used; s++)
        leave_strip(work, &ends[s], above + STRIP * s);
}

static void
enter_top(const Work *work)
{
    const CsCpuBlock *block = work->block;
    const Scratch *scratch = &work->scratch;
    const gint32 *top_h = block->top_h, *top_f = block->top_f;
    const gint32 first = (gint32)cs_scoring_first_gap(block->scoring);
    const gint32 extend = (gint32)block->scoring->gap_extend;
    for (gint64 k = 1; k <= PAD; k++) {
        gint64 behind = block->width - 1 + k;
        scratch->columns[-k] = scratch->columns[behind] = column_lane(NO_COLUMN);
        scratch->bus_h[-k] = scratch->bus_h[behind] = 0;
        scratch->bus_f[-k] = scratch->bus_f[behind] = 0;
    }
    for (gint64 k = 0; k < block->width; k++) {
        scratch->columns[k] = column_lane(block->columns[k]);
        scratch->bus_h[k] = relative(work->pass, top_h[k], k + 1, k % PERIOD - 1);
        scratch->bus_f[k] =
            relative(work->pass, MAX(top_f[k] - extend, top_h[k] - first), k + 2, k % PERIOD);
    }
}

/* A cost as lanes hold it; they compute modulo their range. A cost beyond that of 32 bits leads to 0
 * all the same, and narrower lanes are not used then. */
static Lane
lane_cost(CsScore cost)
{
    return (Lane)MIN(cost, INT32_MAX);
}

static Work
begin(CsSimdPass *pass)
{
    const CsScoring *scoring = pass->block->scoring;
    const CsScore gain = scoring->match + scoring->mismatch, extend = scoring->gap_extend;
    const CsScore first_loss = scoring->mismatch - (TILTED || RISES ? 2 * extend : 0);
    const CsScore loss = scoring->mismatch - (TILTED ? 2 * extend : RISES ? extend : 0);
    Work work = {
        .pass = pass,
        .block = pass->block,
        .scratch = carve(pass->block),
        .costs =
            {
                .first_pair = vec_pairs(lane_cost(gain), lane_cost(first_loss)),
                .pair = vec_pairs(lane_cost(gain), lane_cost(loss)),
                .open = vec_all(lane_cost(scoring->gap_open)),
                .extend = vec_all(lane_cost(extend)),
                .rise = vec_all(lane_cost(RISES ? extend : 0)),
                .fall = vec_all(lane_cost(RISES ? PERIOD * extend : 0)),
            },
        .highest = vec_all(0),
    };
    /* Only cells with a score above 0 are reported. */
    work.wanted = vec_all((Lane)CLAMP(pass->wanted - pass->base, pass->base == 0, LANE_TOP));
    enter_top(&work);
    return work;
}

static void
sweep(CsSimdPass *pass)
{
    Work work = begin(pass);
    for (gint64 above = 0; above < pass->block->height; above += STRIPS * STRIP)
        compute_strips(&work, above, FALSE);
    Lane lanes[LANES];
    vec_store(lanes, work.highest);
    Lane highest = lanes[0];
    for (int lane = 1; lane < LANES; lane++)
        highest = MAX(highest, lanes[lane]);
    pass->highest = TILTED ? 0 : highest + pass->base;
}

static void
find(CsSimdPass *pass)
{
    Work work = begin(pass);
    for (gint64 above = 0; above < pass->block->height; above += STRIPS * STRIP)
        compute_strips(&work, above, TRUE);
}

static void
leave(CsSimdPass *pass)
{
    CsCpuBlock *block = pass->block;
    const Scratch scratch = carve(block);
    gint32 *top_h = block->top_h, *top_f = block->top_f;
    gint32 *left_h = block->left_h, *left_e = block->left_e;
    for (gint64 k = 0; k < block->width; k++) {
        const gint64 away = block->height + k + 1;
        const gint64 steps = k % PERIOD, before = (k + PERIOD - 1) % PERIOD;
        top_h[k] = absolute(pass, scratch.bus_h[k], away, steps - 1);
        top_f[k] = MAX(absolute(pass, scratch.bottom_f[k], away, before), 0);
    }
    for (gint64 k = 0; k < block->height; k++) {
        const gint64 away = block->width + k + 1;
        left_h[k] = absolute(pass, scratch.right_h[k], away, 0);
        left_e[k] = MAX(absolute(pass, scratch.right_e[k], away, 0), 0);
    }
}

const CsSimdKernel KERNEL = {
    LANE_BITS, TILTED, RISES ? PERIOD : 0, LANE_TOP, sweep, TILTED ? NULL : find, leave, 0};
