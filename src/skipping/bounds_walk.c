/*
 * Bounds from both sides at once: a walk over layers of rows, from the last one up
 * (docs/proofs/bounds.md).
 *
 * Two values per block of columns go from layer to layer: `gain`, the highest bound V after the
 * boundary row, and `sum`, the highest V(j) + beta(j), where beta(j) is what the columns' items
 * leave of j matches. Each step takes the smaller of two: what the rows' items allow, which adds to
 * V, and what the columns' items allow, which adds to the sum. So the smaller one loses nothing to
 * the width of a block.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "skipping/absent_kmers.h"
#include "skipping/bounds_walk.h"
#include "sweep/grid.h"
#include "system/clones.h"
#include "system/memory.h"
#include "system/parallel.h"

enum {
    LAYER = 32768, /* rows: lower layers find more, but each layer costs a few points */
    LEAST_LAYERS = 160,
    LOWEST_LAYER = 1024,
    BLOCKS_A_LAYER = 32,
    MOST_BLOCKS = 16384,
    AT_ONCE = 1024, /* blocks: what a step reads stays in the nearest cache */
    NO_GAIN = -(1 << 30),
};

/* A gap of g bases costs open + extend * g and breaks at most one k-mer. The least that remains per
 * base, without open. */
static gint32
least_insertion(const CsScoring *scoring, const CsBoundsRule *rule)
{
    return (gint32)MIN(scoring->gap_extend, cs_scoring_first_gap(scoring) - rule->kmer);
}

gboolean
cs_bounds_plan_init(CsBoundsPlan *plan, gint64 m, gint64 n, const CsScoring *scoring)
{
    *plan = (CsBoundsPlan){.m = m,
                           .n = n,
                           .match = (gint32)scoring->match,
                           .open = (gint32)scoring->gap_open,
                           .rows = cs_bounds_rule(scoring, m, n),
                           .columns = cs_bounds_rule(scoring, n, m)};
    const CsScore costs = MAX(scoring->mismatch, cs_scoring_first_gap(scoring)) + scoring->match;
    if (m == 0 || n == 0 || plan->rows.kmer == 0 || plan->columns.kmer == 0 || costs > 1000)
        return FALSE;
    plan->insertion_rows = least_insertion(scoring, &plan->rows);
    plan->insertion_columns = least_insertion(scoring, &plan->columns);
    plan->split =
        (gint32)plan->columns.kmer; /* at most one k-mer lies across the boundary of two layers */
    const gint64 lowest = m / CS_BOUNDS_TABLE_LAYERS + 1;
    plan->layer = CLAMP(LAYER, lowest, MAX(m / LEAST_LAYERS, lowest));
    plan->layer = MAX(plan->layer, LOWEST_LAYER);
    plan->block = MAX(plan->layer / BLOCKS_A_LAYER, n / MOST_BLOCKS + 1);
    plan->group = cs_divide_up(cs_divide_up(n, plan->block), CS_BOUNDS_TABLE_PARTS);
    plan->window = 2 * plan->layer / plan->block + 1;
    /* The highest value that can occur: gain, range of beta, shifts, and what each layer adds. */
    const CsScore weight = MAX(plan->columns.kmer, plan->columns.ambiguous);
    const CsScore highest =
        scoring->match * m + (scoring->match + weight + plan->insertion_rows) * n +
        8 * costs * (plan->layer + plan->block) + 2 * costs * CS_BOUNDS_TABLE_LAYERS;
    return m < G_MAXINT32 && n < G_MAXINT32 && highest < G_MAXINT32;
}

void
cs_bounds_work_init(CsBoundsWork *work, const CsBoundsPlan *plan)
{
    *work = (CsBoundsWork){.plan = *plan,
                           .layers = cs_divide_up(plan->m, plan->layer),
                           .blocks = cs_divide_up(plan->n, plan->block)};
    work->gains = g_new(gint32, work->layers);
    work->lowest = g_new(gint32, work->blocks);
    work->highest = g_new(gint32, work->blocks);
}

void
cs_bounds_work_clear(CsBoundsWork *work)
{
    g_clear_pointer(&work->gains, g_free);
    g_clear_pointer(&work->lowest, g_free);
    g_clear_pointer(&work->highest, g_free);
}

void
cs_bounds_work_take_rows(CsBoundsWork *work, const guint8 *marks)
{
    const CsBoundsRule *rule = &work->plan.rows;
    const gint64 layer = work->plan.layer;
    for (gint64 r = 0, k = 0; r < work->layers; r++) {
        const gint64 from = k, to = MIN(work->plan.m, from + layer);
        CsScore gain = work->plan.match * (to - from);
        for (; k < to; k++) {
            const guint mark = cs_marks_get(marks, k);
            if (mark == CS_MARK_AMBIGUOUS)
                gain -= rule->ambiguous;
            else if (mark != CS_MARK_NONE && k + 1 - (gint64)(rule->shortest - 1 + mark) >= from)
                gain -= rule->kmer;
        }
        work->gains[r] = (gint32)gain;
    }
}

void
cs_bounds_work_take_columns(CsBoundsWork *work, const guint8 *marks)
{
    const CsBoundsRule *rule = &work->plan.columns;
    const gint32 losses[3] = {0, (gint32)rule->kmer, (gint32)rule->ambiguous};
    gint32 beta = 0;
    for (gint64 c = 0, k = 0; c < work->blocks; c++) {
        gint32 lowest = beta, highest = beta;
        for (const gint64 to = MIN(work->plan.n, k + work->plan.block); k < to; k++) {
            const guint mark = cs_marks_get(marks, k);
            beta += work->plan.match - losses[(mark != CS_MARK_NONE) + (mark == CS_MARK_AMBIGUOUS)];
            lowest = MIN(lowest, beta);
            highest = MAX(highest, beta);
        }
        work->lowest[c] = lowest;
        work->highest[c] = highest;
    }
}

/* The values of each block that one layer hands to the next. */
typedef struct {
    gint32 *gain, *sum;
} Layer;

/* Raises the values of `count` blocks to what paths give that lead to blocks `far` further on, if
 * the rows' items allow a gain of by_rows, and the columns' items one of by_columns beside beta. */
CS_IN_CLONES void
step(Layer *restrict to, const Layer *restrict from, const CsBoundsWork *work, gint64 first,
     gint64 far, gint64 count, gint32 by_rows, gint32 by_columns)
{
    const gint32 *restrict lowest = work->lowest + first, *restrict highest = work->highest + first;
    const gint32 *restrict from_gain = from->gain + first + far;
    const gint32 *restrict from_sum = from->sum + first + far;
    gint32 *restrict gain = to->gain + first, *restrict sum = to->sum + first;
    for (gint64 c = 0; c < count; c++) {
        const gint32 g = by_rows + from_gain[c], s = by_columns + from_sum[c];
        const gint32 least_gain = MIN(g, s - lowest[c]), least_sum = MIN(s, g + highest[c]);
        gain[c] = MAX(gain[c], least_gain);
        sum[c] = MAX(sum[c], least_sum);
    }
}

/* after[c]: the highest gain of the layer below from block c on, minus the cost to get there. */
static void
fill_after(const CsBoundsWork *work, const Layer *below, gint32 *after)
{
    after[work->blocks] = NO_GAIN;
    for (gint64 c = work->blocks - 1; c >= 0; c--)
        after[c] = MAX(after[c + 1],
                       below->gain[c] - (gint32)(work->plan.insertion_rows * c * work->plan.block));
}

/* What fill_after() subtracted up to block c and a layer's height beyond it; it is added again. */
CS_IN_CLONES gint32
way_back(const CsBoundsPlan *plan, gint64 c)
{
    return (gint32)(plan->insertion_rows * ((c + 1) * plan->block + plan->layer));
}

/* A layer, which several threads cross at once, each some blocks. */
typedef struct {
    const CsBoundsWork *work;
    gint64 r;
    const Layer *below;
    const gint32 *after;
    Layer *layer;
} Crossing;

/* A CsParallelFunc: the values of AT_ONCE blocks. */
CS_CLONED static void
cross_blocks(gint64 part, gpointer data)
{
    const Crossing *crossing = data;
    const CsBoundsWork *work = crossing->work;
    const CsBoundsPlan *plan = &work->plan;
    Layer *layer = crossing->layer;
    const gint32 by_rows = work->gains[crossing->r] + plan->open;
    const gint32 by_columns = plan->split + plan->open;
    const gint64 first = part * AT_ONCE;
    for (gint64 c = first; c < MIN(first + AT_ONCE, work->blocks); c++) {
        gint32 gain = plan->match * (gint32)plan->layer + plan->open;
        if (c + plan->window + 1 < work->blocks)
            gain = MAX(gain, by_rows + way_back(plan, c) + crossing->after[c + plan->window + 1]);
        layer->gain[c] = gain;
        layer->sum[c] = gain + work->highest[c];
    }
    for (gint64 far = 0; far <= plan->window && first + far < work->blocks; far++) {
        const gint64 inserted = MAX(0, (far - 1) * plan->block - plan->layer);
        const gint64 deleted = MAX(0, plan->layer - (far + 1) * plan->block);
        step(layer, crossing->below, work, first, far, MIN(AT_ONCE, work->blocks - far - first),
             by_rows - (gint32)(plan->insertion_rows * inserted),
             by_columns - (gint32)(plan->insertion_columns * deleted));
    }
}

/* An alignment that starts inside a layer gains at most a match for each row of it. */
static void
fill_entries(const CsBoundsWork *work, const Layer *below, const gint32 *after, gint32 *entries)
{
    const CsBoundsPlan *plan = &work->plan;
    const gint64 free_blocks = plan->layer / plan->block + 1;
    for (gint64 first = 0, p = 0; first < work->blocks; first += plan->group, p++) {
        const gint64 last = MIN(first + plan->group, work->blocks) - 1;
        const gint64 end = MIN(last + free_blocks + 1, work->blocks);
        gint32 gain = 0;
        for (gint64 c = first; below != NULL && c < end; c++)
            gain = MAX(gain, below->gain[c]);
        if (below != NULL && end < work->blocks)
            gain = MAX(gain, way_back(plan, last) + after[end]);
        entries[p] = gain + plan->match * (gint32)plan->layer;
    }
}

/* Starts below the last layer, where nothing is gained. */
static void
start_walk(const CsBoundsWork *work, Layer *layer)
{
    for (gint64 c = 0; c < work->blocks; c++) {
        layer->gain[c] = work->plan.match * (gint32)work->plan.layer + work->plan.open;
        layer->sum[c] = layer->gain[c] + work->highest[c];
    }
}

CsBoundsTable *
cs_bounds_table_new(const CsBoundsWork *work, guint threads, const gint *stop, GError **error)
{
    const gint64 blocks = work->blocks, parts = cs_divide_up(blocks, AT_ONCE);
    CsBoundsTable *table = g_new(CsBoundsTable, 1);
    *table = (CsBoundsTable){.layer = work->plan.layer,
                             .part = work->plan.block * work->plan.group,
                             .rows = work->layers,
                             .columns = cs_divide_up(blocks, work->plan.group)};
    table->highest = cs_memory_try_new(gint32, table->rows * table->columns);
    g_autofree gint32 *memory = cs_memory_try_new(gint32, 5 * blocks + 1);
    if (table->highest == NULL || memory == NULL) {
        cs_bounds_table_free(table);
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory for a table of bounds");
        return NULL;
    }
    gint32 *after = memory + 4 * blocks;
    g_autoptr(CsCrew) crew = cs_crew_new((guint)MIN(threads, parts));
    Layer below = {memory, memory + blocks}, layer = {memory + 2 * blocks, memory + 3 * blocks};
    start_walk(work, &below);
    fill_entries(work, NULL, NULL, table->highest + (table->rows - 1) * table->columns);
    for (gint64 r = table->rows - 2; r >= 0; r--) {
        if (stop != NULL && g_atomic_int_get(stop) != 0) {
            cs_bounds_table_free(table);
            g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED,
                                "stopped while counting both sides");
            return NULL;
        }
        fill_after(work, &below, after);
        fill_entries(work, &below, after, table->highest + r * table->columns);
        Crossing crossing = {work, r, &below, after, &layer};
        cs_crew_run(crew, parts, cross_blocks, &crossing);
        const Layer crossed = layer;
        layer = below;
        below = crossed;
    }
    return table;
}

guint64
cs_bounds_walk_memory(void)
{
    return 2 * CS_BOUNDS_TABLE_BYTES +
           2 * sizeof(gint32) * (7 * MOST_BLOCKS + CS_BOUNDS_TABLE_LAYERS);
}
