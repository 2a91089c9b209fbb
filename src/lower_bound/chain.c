/*
 * The best chain of seeds, exactly, in O(n log n).
 *
 * Seed i may precede seed j if it ends above j's first row and left of j's first column. The cost
 * of joining them is linear in rows, columns and diagonals, with one formula on each side of j's
 * diagonal:
 *
 *            j's column
 *       \        |            above the diagonal, i ends closer to j in columns than in rows, so
 *         \   B  |            only its last column decides whether it may precede j (B);
 *        A  \    |            below it, only its last row decides (A).
 *   ----------- \j  row
 *
 * Seeds are processed by row. A seed enters when the row where it ends has passed. A: of the seeds
 * that have entered, those are kept that are worth more than all on lower diagonals; the last one up
 * to j's diagonal is the best. B: see chain_front.h.
 */
#include "lower_bound/chain.h"

#include <chromosweep/error.h>

#include "lower_bound/chain_front.h"
#include "lower_bound/seed_order.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

enum {
    ASK_STOP = 1 << 12, /* seeds */
    SORTS = 2,          /* at a time */
};

/* Where a seed stands among all: of equal diagonals or ends the first one's place, and the last place
 * of a seed that ends at its first column or left of it, or -1. */
typedef struct {
    gint32 diagonal, end, column;
} Places;

typedef struct {
    gint64 value;
    gint32 seed;
} Kept;

typedef struct {
    const CsSeed *seeds;
    gint32 count;
    CsChainCosts costs;
    gint64 *worth;    /* of the best chain that ends with the seed; before it is its turn, 0 */
    gint32 *previous; /* the seed before it in that chain, or -1 */
    Places *places;
    gint32 *by_row_end;
    gint64 *ends;       /* columns, in ascending order */
    gint32 entered;     /* seeds of by_row_end that have entered */
    CsPlaceSet kept;    /* A: places of diagonals */
    Kept *kept_seeds;   /* of each of these */
    CsChainFront front; /* B */
    CsSeedKey key;      /* the first of those by which seeds are sorted now */
    gint failed;        /* memory was short */
} Chaining;

CsChainCosts
cs_chain_costs(const CsScoring *scoring)
{
    /* Costs are capped: no chain could pay more, and sums cannot overflow. */
    const double match = (double)scoring->match;
    const double open = MIN((double)scoring->gap_open / match, 10000.0);
    const double extend = MIN((double)scoring->gap_extend / match, 2.0);
    return (CsChainCosts){.step = (gint64)(CS_CHAIN_BASE * open),
                          .diagonal = MAX(1, (gint64)(CS_CHAIN_BASE * 2 / 5 * extend)),
                          .base = 1};
}

/* What seed i is worth to a seed that follows it, without the follower's share of the costs. turn
 * is 1 if the follower is on a higher diagonal, -1 if it is on a lower one. */
static inline gint64
value_after(const Chaining *c, gint32 i, gint64 turn)
{
    const CsSeed *seed = &c->seeds[i];
    return c->worth[i] + c->costs.base * (seed->row + seed->column + 2 * seed->length) +
           turn * c->costs.diagonal * cs_seed_key(seed, CS_SEED_DIAGONAL);
}

/* Seed i, of this value, may precede seed j. */
static inline void
offer(Chaining *c, gint32 j, gint32 i, gint64 value, gint64 turn)
{
    const CsSeed *seed = &c->seeds[j];
    const gint64 worth = value - c->costs.step - c->costs.base * (seed->row + seed->column) -
                         turn * c->costs.diagonal * cs_seed_key(seed, CS_SEED_DIAGONAL);
    if (worth > c->worth[j]) {
        c->worth[j] = worth;
        c->previous[j] = i;
    }
}

/* Keeps a seed for those on its diagonal or above (A), if it is worth more than those below it. */
static void
keep(Chaining *c, gint32 i)
{
    const gint64 value = value_after(c, i, 1);
    const gint32 place = c->places[i].diagonal, below = cs_place_set_before(&c->kept, place);
    if (below >= 0 && c->kept_seeds[below].value >= value)
        return;
    c->kept_seeds[place] = (Kept){value, i};
    cs_place_set_add(&c->kept, place);
    for (gint32 above; (above = cs_place_set_after(&c->kept, place + 1)) >= 0 &&
                       c->kept_seeds[above].value <= value;)
        cs_place_set_remove(&c->kept, above);
}

/* All seeds that end at a row or above enter. */
static void
enter_up_to(Chaining *c, gint64 row)
{
    for (; c->entered < c->count; c->entered++) {
        const gint32 i = c->by_row_end[c->entered];
        const CsChainEntry entry = {.seed = i,
                                    .column = c->places[i].end,
                                    .diagonal = c->places[i].diagonal,
                                    .value = value_after(c, i, -1),
                                    .row = cs_seed_key(&c->seeds[i], CS_SEED_ROW_END),
                                    .end = cs_seed_key(&c->seeds[i], CS_SEED_COLUMN_END)};
        if (entry.row > row)
            return;
        keep(c, i);
        cs_chain_front_go_to(&c->front, entry.row);
        cs_chain_front_enter(&c->front, &entry);
    }
}

/* FALSE if stopped. */
static gboolean
find_worths(Chaining *c, const gint *stop)
{
    for (gint32 j = 0; j < c->count; j++) {
        const CsSeed *seed = &c->seeds[j];
        const Places *places = &c->places[j];
        if (j % ASK_STOP == 0 && cs_is_stopped(stop))
            return FALSE;
        enter_up_to(c, seed->row);
        cs_chain_front_go_to(&c->front, seed->row);
        c->previous[j] = -1;
        const gint32 below = cs_place_set_before(&c->kept, places->diagonal);
        if (below >= 0)
            offer(c, j, c->kept_seeds[below].seed, c->kept_seeds[below].value, 1);
        const CsChainEdge *edge =
            cs_chain_front_find(&c->front, seed->row, places->column, places->diagonal);
        if (edge->seed >= 0)
            offer(c, j, edge->seed, edge->value, -1);
        c->worth[j] += CS_CHAIN_BASE * seed->length;
    }
    return !cs_is_stopped(stop);
}

/* Where each seed stands in an order; equal keys share the first one's place. */
static void
note_places(Chaining *c, CsSeedKey key, const CsKeyedSeed *order)
{
    gint32 place = 0;
    for (gint32 k = 0; k < c->count; k++) {
        if (order[k].key != order[place].key)
            place = k;
        Places *places = &c->places[order[k].seed];
        *(key == CS_SEED_DIAGONAL ? &places->diagonal : &places->end) = place;
        if (key == CS_SEED_COLUMN_END)
            c->ends[k] = order[k].key;
    }
}

/* The ends are known. */
static void
note_columns(Chaining *c, const CsKeyedSeed *order)
{
    gint32 place = -1;
    for (gint32 k = 0; k < c->count; k++) {
        while (place + 1 < c->count && c->ends[place + 1] <= order[k].key)
            place++;
        c->places[order[k].seed].column = place;
    }
}

/* A CsParallelFunc. */
static void
sort_task(gint64 task, gpointer data)
{
    Chaining *c = data;
    const CsSeedKey key = c->key + (CsSeedKey)task;
    g_autofree CsKeyedSeed *order = cs_seed_order(c->seeds, c->count, key);
    if (order == NULL)
        g_atomic_int_set(&c->failed, TRUE);
    else if (key == CS_SEED_ROW_END)
        for (gint32 k = 0; k < c->count; k++)
            c->by_row_end[k] = order[k].seed;
    else if (key == CS_SEED_COLUMN)
        note_columns(c, order);
    else
        note_places(c, key, order);
}

static void
sort_seeds(Chaining *c, guint threads)
{
    for (c->key = 0; c->key < CS_SEED_KEYS && !c->failed; c->key += SORTS)
        (void)cs_parallel_run(SORTS, threads, NULL, sort_task, c);
}

/* Fails if memory is short. chaining_clear() frees what was allocated. */
static gboolean
chaining_init(Chaining *c, guint threads)
{
    const gsize n = (gsize)c->count + 1;
    c->places = cs_memory_try_new(Places, n);
    c->by_row_end = cs_memory_try_new(gint32, n);
    c->ends = cs_memory_try_new(gint64, n);
    if (c->places == NULL || c->by_row_end == NULL || c->ends == NULL)
        return FALSE;
    const gint64 last_row = c->count > 0 ? c->seeds[c->count - 1].row : 0;
    sort_seeds(c, threads);
    if (c->failed)
        return FALSE;
    c->worth = cs_memory_try_new(gint64, n);
    c->previous = cs_memory_try_new(gint32, n);
    c->kept_seeds = cs_memory_try_new(Kept, n);
    return c->worth != NULL && c->previous != NULL && c->kept_seeds != NULL &&
           cs_place_set_init(&c->kept, c->count) &&
           cs_chain_front_init(&c->front, c->count, last_row);
}

static void
chaining_clear(Chaining *c)
{
    g_free(c->worth);
    g_free(c->previous);
    g_free(c->places);
    g_free(c->by_row_end);
    g_free(c->ends);
    g_free(c->kept_seeds);
    cs_place_set_clear(&c->kept);
    cs_chain_front_clear(&c->front);
}

/* The chain with the highest worth; of several, the one that ends first. */
static CsSeed *
read_chain(const Chaining *c, gint64 *length, gint64 *worth)
{
    gint32 last = -1;
    gint64 seeds = 0;
    for (gint32 k = 0; k < c->count; k++)
        if (last < 0 || c->worth[k] > c->worth[last])
            last = k;
    for (gint32 k = last; k >= 0; k = c->previous[k])
        seeds++;
    CsSeed *chain = cs_memory_try_new(CsSeed, seeds + 1);
    if (chain == NULL)
        return NULL;
    *length = seeds;
    *worth = last < 0 ? 0 : c->worth[last];
    for (gint32 k = last; k >= 0; k = c->previous[k])
        chain[--seeds] = c->seeds[k];
    return chain;
}

CsSeed *
cs_chain_find(const CsSeed *seeds, gint64 count, const CsChainCosts *costs, guint threads,
              const gint *stop, gint64 *length, gint64 *worth, GError **error)
{
    g_assert(count < CS_CHAIN_MOST_SEEDS);
    Chaining c = {.seeds = seeds, .count = (gint32)count, .costs = *costs};
    CsSeed *chain = NULL;
    const gboolean found = chaining_init(&c, threads) && find_worths(&c, stop);
    if (found)
        chain = read_chain(&c, length, worth);
    chaining_clear(&c);
    if (chain == NULL && !found && cs_is_stopped(stop))
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped while chaining seeds");
    else if (chain == NULL)
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for a chain of %" G_GINT64_FORMAT " seeds", count);
    return chain;
}

guint64
cs_chain_memory(gint64 count)
{
    const guint64 places = sizeof(Places) + sizeof(gint32) + sizeof(gint64);
    const guint64 sorting = SORTS * CS_SEED_ORDER_BYTES;
    const guint64 finding = sizeof(gint64) + sizeof(gint32) + sizeof(Kept) + CS_PLACE_SET_BYTES +
                            CS_CHAIN_FRONT_BYTES + sizeof(CsSeed);
    return (guint64)count * (places + MAX(sorting, finding));
}
