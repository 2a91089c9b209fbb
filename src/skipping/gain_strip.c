/* Exact gains in a strip, step by step, by the kernels of the CPU engines. */
#include "skipping/gain_strip.h"

#include <chromosweep/error.h>

#include "cpu/scalar.h"
#include "sweep/grid.h"
#include "system/clones.h"
#include "system/memory.h"
#include "system/stop.h"

enum {
    ALIGNMENT = 64,
    LEAST = 16,   /* columns of the buffer */
    LOOKS = 2000, /* before a thread sleeps: some microseconds, about what waking takes */
};

/* What a thread needs for a step. */
struct _CsGainClimber {
    gint32 *h, *f;           /* of the columns of a piece, the last one first */
    gint32 *side_h, *side_e; /* of each row of a step */
    gint32 corner;
    gpointer scratch;
    gint64 cells;
};

static gint64
climber_bytes(gint64 height, gint64 piece)
{
    const gint64 bytes = (gint64)sizeof(CsGainClimber) +
                         2 * (gint64)sizeof(gint32) * (piece + height) +
                         (gint64)CS_CPU_SCRATCH(height, piece) + 2 * ALIGNMENT;
    return cs_divide_up(bytes, ALIGNMENT) * ALIGNMENT;
}

static CsGainClimber *
climber_of(const CsGainStrip *strip, gint64 number)
{
    return (CsGainClimber *)((gchar *)strip->memory +
                             number * climber_bytes(strip->height, strip->piece));
}

static void
set_climber(CsGainStrip *strip, gint64 number)
{
    CsGainClimber *climber = climber_of(strip, number);
    gint32 *values = (gint32 *)(climber + 1);
    gint32 *end = values + 2 * (strip->piece + strip->height);
    *climber = (CsGainClimber){
        .h = values,
        .f = values + strip->piece,
        .side_h = values + 2 * strip->piece,
        .side_e = values + 2 * strip->piece + strip->height,
        .scratch = (gpointer)(((gsize)end + ALIGNMENT - 1) & ~(gsize)(ALIGNMENT - 1)),
    };
}

gboolean
cs_gain_strip_init(CsGainStrip *strip, const CsGainStripShape *shape, const CsGainRule *rule,
                   const CsGainBases *bases, const CsScoring *scoring, GError **error)
{
    *strip = (CsGainStrip){.rule = rule,
                           .bases = bases,
                           .scoring = scoring,
                           .stop = shape->stop,
                           .height = shape->height,
                           .piece = shape->piece,
                           .steps = cs_divide_up(rule->band, shape->height)};
    gint64 size = LEAST;
    while (size < shape->widest)
        size *= 2;
    pthread_mutex_init(&strip->mutex, NULL);
    strip->changed = g_new(pthread_cond_t, strip->steps + 1);
    for (gint64 s = 0; s <= strip->steps; s++)
        pthread_cond_init(&strip->changed[s], NULL);
    strip->mask = size - 1;
    strip->climbers = MIN(shape->threads, strip->steps);
    strip->kernels = cs_simd_kernels(NULL);
    strip->h = cs_memory_try_new(gint32, size);
    strip->f = cs_memory_try_new(gint32, size);
    strip->passed = g_new0(CsGainPassed, strip->steps + 1);
    strip->memory = cs_memory_try(strip->climbers, climber_bytes(shape->height, shape->piece));
    if (strip->h == NULL || strip->f == NULL || strip->memory == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory for the gains along the chain");
        return FALSE;
    }
    for (gint64 k = 0; k < strip->climbers; k++)
        set_climber(strip, k);
    return TRUE;
}

void
cs_gain_strip_clear(CsGainStrip *strip)
{
    if (strip->passed != NULL) { /* else it has not been set up */
        for (gint64 s = 0; s <= strip->steps; s++)
            pthread_cond_destroy(&strip->changed[s]);
        pthread_mutex_destroy(&strip->mutex);
    }
    g_clear_pointer(&strip->changed, g_free);
    g_clear_pointer(&strip->h, g_free);
    g_clear_pointer(&strip->f, g_free);
    g_clear_pointer(&strip->passed, g_free);
    g_clear_pointer(&strip->memory, g_free);
}

CS_IN_CLONES gint64
block_of(const CsGainStrip *strip, gint64 diagonal)
{
    return cs_gain_block_of(strip->rule, strip->bases->m, diagonal);
}

/* Rows of a band, and what is below them. */
typedef struct {
    gint64 number, above, row; /* after row `above`, up to `row` */
    CsGainSpan span, under;    /* its columns, and those of the step below */
} Step;

/* The most that is gained after a cell beside the strip, so many rows above the line. */
static gint32
gain_beside(const CsGainStrip *strip, gint64 rows, gint64 column)
{
    if (strip->below == NULL)
        return strip->rule->match / strip->rule->scale * (gint32)rows + strip->entered;
    const gint64 block = block_of(strip, column - strip->line + rows);
    return (strip->rule->match * (gint32)rows + strip->below->reached[block]) / strip->rule->scale;
}

/* The same after a cell of a step's last row. On the line itself nothing goes along it: that counts
 * in the band below. */
static gint32
gain_below(const CsGainStrip *strip, const Step *step, gint64 column)
{
    if (step->row == strip->line && strip->below == NULL)
        return strip->entered;
    if (step->row == strip->line)
        return strip->below->gains[block_of(strip, column - strip->line)] / strip->rule->scale;
    return gain_beside(strip, strip->line - step->row, column);
}

/* The values that enter a piece from below. */
static void
enter_below(const CsGainStrip *strip, CsGainClimber *climber, const Step *step, gint64 from,
            gint64 to)
{
    for (gint64 k = 0; k < to - from; k++) {
        const gint64 column = to - 1 - k;
        if (column >= step->under.from && column < step->under.to) {
            climber->h[k] = strip->h[column & strip->mask];
            climber->f[k] = strip->f[column & strip->mask];
        } else {
            climber->h[k] = climber->f[k] = gain_below(strip, step, column);
        }
    }
}

/* The values that enter from the right, after the last column, and the corner's. */
static void
enter_side(const CsGainStrip *strip, CsGainClimber *climber, const Step *step)
{
    const gint64 to = step->span.to;
    const gboolean at_end = to == strip->bases->n; /* nothing can be gained there */
    for (gint64 row = step->row - 1, k = 0; row >= step->above; row--, k++) {
        const gint32 gain = gain_beside(strip, strip->line - row, to);
        climber->side_h[k] = climber->side_e[k] = at_end ? 0 : gain;
    }
    if (at_end)
        climber->corner = 0;
    else if (to >= step->under.from && to < step->under.to)
        climber->corner = strip->h[to & strip->mask];
    else
        climber->corner = gain_below(strip, step, to);
}

/* Computes a rectangle of the sequences read backwards. */
static void
compute(const CsGainStrip *strip, CsGainClimber *climber, const Step *step, gint64 from, gint64 to)
{
    const CsGainBases *bases = strip->bases;
    CsCpuBlock block = {
        .rows = bases->rows + bases->m - step->row,
        .columns = bases->columns + bases->n - to,
        .height = step->row - step->above,
        .width = to - from,
        .scoring = strip->scoring,
        .score_width = CS_WIDTH_32,
        .corner = climber->corner,
        .top_h = climber->h,
        .top_f = climber->f,
        .left_h = climber->side_h,
        .left_e = climber->side_e,
        .scratch = climber->scratch,
        .best.score = G_MAXINT32, /* no cell is wanted */
    };
    climber->corner = climber->h[to - from - 1];
    if (strip->kernels != NULL)
        cs_simd_compute(strip->kernels, &block);
    else
        cs_scalar_compute(&block);
    climber->cells += block.cells_computed;
}

static void
leave(CsGainStrip *strip, const CsGainClimber *climber, gint64 from, gint64 to)
{
    for (gint64 k = 0; k < to - from; k++) {
        strip->h[(to - 1 - k) & strip->mask] = climber->h[k];
        strip->f[(to - 1 - k) & strip->mask] = climber->f[k];
    }
}

/* Waits until all steps below have passed a column, from right to left. They are seldom far behind,
 * and waking a thread takes longer than a few looks. */
static void
wait_below(CsGainStrip *strip, const Step *step, gint64 column)
{
    CsGainPassed *below = &strip->passed[step->number + 1];
    for (int k = 0; k < LOOKS; k++)
        if (below->column <= column)
            return;
    pthread_mutex_lock(&strip->mutex);
    below->waiting = TRUE; /* seen by pass(), unless the column below is newer */
    while (below->column > column)
        pthread_cond_wait(&strip->changed[step->number + 1], &strip->mutex);
    below->waiting = FALSE;
    pthread_mutex_unlock(&strip->mutex);
}

static void
pass(CsGainStrip *strip, const Step *step, gint64 column)
{
    CsGainPassed *passed = &strip->passed[step->number];
    passed->column = column;
    if (!passed->waiting)
        return;
    pthread_mutex_lock(&strip->mutex);
    pthread_cond_signal(&strip->changed[step->number]); /* only the step above waits */
    pthread_mutex_unlock(&strip->mutex);
}

/* Piece by piece from the right, as far as the steps below have come. They pass in order, so no
 * column of the buffer is overwritten before the step above has read it. */
static void
climb_step(CsGainStrip *strip, CsGainClimber *climber, const Step *step)
{
    for (gint64 to = step->span.to; to > step->span.from && !cs_is_stopped(strip->stop);) {
        const gint64 from = MAX(step->span.from, to - strip->piece);
        wait_below(strip, step, from);
        if (to == step->span.to)
            enter_side(strip, climber, step);
        enter_below(strip, climber, step, from, to);
        compute(strip, climber, step, from, to);
        leave(strip, climber, from, to);
        pass(strip, step, from);
        to = from;
    }
    wait_below(strip, step, 0);
    pass(strip, step, 0);
}

/* The next step, from the lowest up, or less than 0. */
static gint64
take_step(CsGainStrip *strip)
{
    return strip->left > 0 ? --strip->left : -1;
}

gint64
cs_gain_strip_begin(CsGainStrip *strip, gint64 band, const CsGainSpan *spans,
                    const CsGainReach *below)
{
    gint64 widest = 0;
    strip->first = band * strip->rule->band;
    strip->line = MIN(strip->bases->m, strip->first + strip->rule->band);
    strip->left = cs_divide_up(strip->line - strip->first, strip->height);
    strip->under = (CsGainSpan){strip->from, strip->to};
    strip->spans = spans;
    strip->below = below;
    for (gint64 s = 0; s < strip->left; s++) {
        strip->passed[s].column = G_MAXINT64;
        widest = MAX(widest, spans[s].to - spans[s].from);
    }
    strip->passed[strip->left].column = 0;
    strip->from = spans[0].from;
    strip->to = MAX(spans[0].from, spans[0].to);
    return CLAMP(widest / strip->piece, 1, strip->climbers);
}

void
cs_gain_strip_climb(CsGainStrip *strip, gint64 number)
{
    CsGainClimber *climber = climber_of(strip, number);
    const gint64 steps = cs_divide_up(strip->line - strip->first, strip->height);
    for (gint64 s; (s = take_step(strip)) >= 0;) {
        const gint64 above = strip->first + s * strip->height;
        const Step step = {s, above, MIN(strip->line, above + strip->height), strip->spans[s],
                           s + 1 < steps ? strip->spans[s + 1] : strip->under};
        climb_step(strip, climber, &step);
    }
}

void
cs_gain_strip_limit(CsGainStrip *strip, const CsGainSpan *columns, const gint32 *h, const gint32 *f)
{
    const gint64 from = MAX(strip->from, columns->from), to = MIN(strip->to, columns->to);
    for (gint64 column = from; column < to; column++) {
        const gint64 k = column & strip->mask;
        strip->h[k] = MIN(strip->h[k], h[column - columns->from]);
        strip->f[k] = MIN(strip->f[k], f[column - columns->from]);
    }
}

gint32
cs_gain_strip_highest(const CsGainStrip *strip, const CsGainSpan *columns)
{
    gint32 highest = 0;
    const gint64 from = MAX(strip->from, columns->from), to = MIN(strip->to, columns->to);
    for (gint64 column = from; column < to; column++)
        highest = MAX(highest, strip->h[column & strip->mask]);
    return highest;
}

void
cs_gain_strip_take(const CsGainStrip *strip, const CsGainSpan *columns, gint32 *h, gint32 *f)
{
    for (gint64 column = columns->from; column < columns->to; column++) {
        h[column - columns->from] = strip->h[column & strip->mask];
        f[column - columns->from] = strip->f[column & strip->mask];
    }
}

void
cs_gain_strip_put(CsGainStrip *strip, const CsGainSpan *columns, const gint32 *h, const gint32 *f)
{
    strip->from = columns->from;
    strip->to = columns->to;
    for (gint64 column = columns->from; column < columns->to; column++) {
        strip->h[column & strip->mask] = h[column - columns->from];
        strip->f[column & strip->mask] = f[column - columns->from];
    }
}

gint64
cs_gain_strip_cells(const CsGainStrip *strip)
{
    gint64 cells = 0;
    for (gint64 k = 0; k < strip->climbers; k++)
        cells += climber_of(strip, k)->cells;
    return cells;
}

CS_IN_CLONES gint32
highest_of(const gint32 *values, gint64 count, gint32 highest)
{
    for (gint64 k = 0; k < count; k++)
        highest = MAX(highest, values[k]);
    return highest;
}

/* The highest H and F of the strip after some of its columns in the line above. */
CS_IN_CLONES void
look(const CsGainStrip *strip, gint64 from, gint64 to, gint32 *h, gint32 *f)
{
    *h = 0;
    *f = G_MININT32;
    while (from < to) {
        const gint64 k = from & strip->mask, count = MIN(to - from, strip->mask + 1 - k);
        *h = highest_of(strip->h + k, count, *h);
        *f = highest_of(strip->f + k, count, *f);
        from += count;
    }
}

CsGainSpan
cs_gain_strip_blocks(const CsGainStrip *strip, gint64 band)
{
    const gint64 row = band * strip->rule->band;
    if (strip->from == strip->to)
        return (CsGainSpan){0};
    return (CsGainSpan){block_of(strip, MAX(-strip->bases->m, strip->from - row)),
                        block_of(strip, MIN(strip->bases->n, strip->to - row)) + 1};
}

CS_CLONED gint32
cs_gain_strip_lower(const CsGainStrip *strip, gint64 band, CsGainReach *line,
                    const CsGainSpan *blocks)
{
    const CsGainRule *rule = strip->rule;
    const gint64 n = strip->bases->n, row = band * rule->band;
    const gint64 end =
        strip->to == n ? n + 1 : strip->to; /* nothing is gained after the last one */
    gint32 highest = 0;
    for (gint64 block = blocks->from; block < blocks->to; block++) {
        const gint64 first = row + cs_gain_block_start(rule, strip->bases->m, block);
        const gint64 from = MAX(0, first), to = MIN(n + 1, first + rule->block);
        gint32 h, f;
        look(strip, MAX(from, strip->from), MIN(to, strip->to), &h, &f);
        highest = MAX(highest, h);
        const CsScore gain =
            MAX(rule->scale * (CsScore)h, rule->scale * (CsScore)f + rule->open - rule->split);
        if (from < to && from >= strip->from && to <= end)
            line->gains[block] = (gint32)MIN(line->gains[block], gain);
    }
    return rule->scale * highest;
}
