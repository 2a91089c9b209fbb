/*
 * The best chain of seeds, exactly, in O(n log^2 n).
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
 * A: seeds are processed by row. A seed enters a tree over diagonals when the row where it ends has
 * passed. The tree gives the best of all diagonals up to j's. B: columns do not come in order, so
 * the seeds are divided by row into halves, recursively. When the upper half is done, its seeds
 * enter a tree over diagonals in the order of their last columns, and the seeds of the lower half
 * query it in the order of their first columns. Groups of a few seeds are compared one by one.
 */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "lower_bound/chain.h"
#include "system/memory.h"
#include "system/stop.h"

enum {
    FEW = 48, /* seeds, compared one by one */
};

/* The keys by which seeds are ordered. */
typedef enum {
    BY_DIAGONAL,
    BY_COLUMN,
    BY_COLUMN_END,
    ORDERS,
    BY_ROW_END = ORDERS
} Key;

typedef struct {
    gint64 value;
    gint32 seed;
} Entry;

/* A tree that gives the highest value among its first entries; of equal ones, the first entered. */
typedef struct {
    Entry *entries; /* from 1 */
    gint32 size;
} Tree;

typedef struct {
    const CsSeed *seeds;
    gint32 count;
    CsChainCosts costs;
    gint64 *worth;    /* of the best chain that ends with the seed; before it is its turn, less the
                         seed's own, as far as is known */
    gint32 *previous; /* the seed before it in that chain, or -1 */
    gint32 *orders[ORDERS]; /* of the seeds of each half at hand by BY_DIAGONAL .. BY_COLUMN_END */
    gint32 *by_row_end, *places, *spare;
    gint32 entered; /* seeds of by_row_end that are in `below` */
    Tree below;     /* A, over all diagonals */
    Tree above;     /* B, over those of a half */
    const gint *stop;
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

static inline gint64
key_of(const CsSeed *seed, Key key)
{
    switch (key) {
    case BY_DIAGONAL: return seed->column - seed->row;
    case BY_COLUMN: return seed->column;
    case BY_COLUMN_END: return seed->column + seed->length;
    default: return seed->row + seed->length;
    }
}

static inline void
tree_enter(Tree *tree, gint32 place, gint64 value, gint32 seed)
{
    for (; place <= tree->size; place += place & -place)
        if (value > tree->entries[place].value)
            tree->entries[place] = (Entry){value, seed};
}

static inline Entry
tree_highest(const Tree *tree, gint32 places)
{
    Entry highest = {G_MININT64, -1};
    for (; places > 0; places -= places & -places)
        if (tree->entries[places].value > highest.value)
            highest = tree->entries[places];
    return highest;
}

static void
tree_empty(Tree *tree, gint32 size)
{
    tree->size = size;
    for (gint32 k = 1; k <= size; k++)
        tree->entries[k] = (Entry){G_MININT64, -1};
}

/* What seed i is worth to a seed that follows it, without the follower's share of the costs. turn
 * is 1 if the follower is on a higher diagonal, -1 if it is on a lower one. */
static inline gint64
value_after(const Chaining *c, gint32 i, gint64 turn)
{
    const CsSeed *seed = &c->seeds[i];
    return c->worth[i] + c->costs.base * (seed->row + seed->column + 2 * seed->length) +
           turn * c->costs.diagonal * key_of(seed, BY_DIAGONAL);
}

static inline void
offer(Chaining *c, gint32 j, Entry entry, gint64 turn)
{
    if (entry.seed < 0)
        return;
    const CsSeed *seed = &c->seeds[j];
    gint64 worth = entry.value - c->costs.step - c->costs.base * (seed->row + seed->column) -
                   turn * c->costs.diagonal * key_of(seed, BY_DIAGONAL);
    if (worth > c->worth[j]) {
        c->worth[j] = worth;
        c->previous[j] = entry.seed;
    }
}

/* Seeds from .. to - 1, when all before them are done and were offered, but for A. */
static void
finish_few(Chaining *c, gint32 from, gint32 to)
{
    for (gint32 j = from; j < to; j++) {
        const CsSeed *seed = &c->seeds[j];
        for (; key_of(&c->seeds[c->by_row_end[c->entered]], BY_ROW_END) <= seed->row;
             c->entered++) {
            const gint32 i = c->by_row_end[c->entered];
            tree_enter(&c->below, c->places[i], value_after(c, i, 1), i);
        }
        offer(c, j, tree_highest(&c->below, c->places[j]), 1);
        for (gint32 i = from; i < j; i++)
            if (key_of(&c->seeds[i], BY_COLUMN_END) <= seed->column &&
                key_of(&c->seeds[i], BY_DIAGONAL) >= key_of(seed, BY_DIAGONAL))
                offer(c, j, (Entry){value_after(c, i, -1), i}, -1);
        c->worth[j] += CS_CHAIN_BASE * seed->length;
    }
}

/* Splits an order into the seeds before the middle and the others. */
static void
part_order(Chaining *c, Key key, gint32 from, gint32 middle, gint32 to)
{
    gint32 *order = c->orders[key], upper = from, lower = 0;
    for (gint32 k = from; k < to; k++)
        if (order[k] < middle)
            order[upper++] = order[k];
        else
            c->spare[lower++] = order[k];
    memcpy(order + middle, c->spare, lower * sizeof *order);
}

/* Merges the orders of two halves. */
static void
join_order(Chaining *c, Key key, gint32 from, gint32 middle, gint32 to)
{
    gint32 *order = c->orders[key], upper = 0, lower = middle, n = middle - from;
    memcpy(c->spare, order + from, n * sizeof *order);
    for (gint32 k = from; upper < n; k++)
        if (lower < to &&
            key_of(&c->seeds[order[lower]], key) < key_of(&c->seeds[c->spare[upper]], key))
            order[k] = order[lower++];
        else
            order[k] = c->spare[upper++];
}

/* Offers the seeds of the upper half to those of the lower half that are on the same or a lower
 * diagonal (B). */
static void
offer_half(Chaining *c, gint32 from, gint32 middle, gint32 to)
{
    const gint32 *diagonals = c->orders[BY_DIAGONAL], size = middle - from;
    gint32 *above = c->spare; /* of each seed of the lower half, how many are on its diagonal or
                                 above; the upper half's own places */
    tree_empty(&c->above, size);
    for (gint32 k = from, l = middle; l < to; l++) {
        const gint64 diagonal = key_of(&c->seeds[diagonals[l]], BY_DIAGONAL);
        while (k < middle && key_of(&c->seeds[diagonals[k]], BY_DIAGONAL) < diagonal)
            k++;
        above[diagonals[l] - from] = middle - k;
    }
    for (gint32 k = from; k < middle; k++)
        above[diagonals[k] - from] = middle - k;
    const gint32 *ends = c->orders[BY_COLUMN_END], *begins = c->orders[BY_COLUMN];
    for (gint32 k = from, l = middle; l < to; l++) {
        const gint32 j = begins[l];
        for (; k < middle &&
               key_of(&c->seeds[ends[k]], BY_COLUMN_END) <= key_of(&c->seeds[j], BY_COLUMN);
             k++)
            tree_enter(&c->above, above[ends[k] - from], value_after(c, ends[k], -1), ends[k]);
        offer(c, j, tree_highest(&c->above, above[j - from]), -1);
    }
}

/* Seeds from .. to - 1, when all before them are done and were offered, but for A. */
static void
finish_range(Chaining *c, gint32 from, gint32 to)
{
    if (cs_is_stopped(c->stop))
        return;
    if (to - from <= FEW) {
        finish_few(c, from, to);
        return;
    }
    const gint32 middle = from + (to - from) / 2;
    for (Key key = 0; key < ORDERS; key++)
        part_order(c, key, from, middle, to);
    finish_range(c, from, middle);
    offer_half(c, from, middle, to);
    finish_range(c, middle, to);
    for (Key key = 0; key < ORDERS; key++)
        join_order(c, key, from, middle, to);
}

typedef struct {
    gint64 key;
    gint32 seed;
} Keyed;

static int
compare_keys(const void *a, const void *b)
{
    const Keyed *first = a, *second = b;
    if (first->key != second->key)
        return first->key < second->key ? -1 : 1;
    return (first->seed > second->seed) - (first->seed < second->seed);
}

static void
sort_order(const Chaining *c, Key key, Keyed *keyed, gint32 *order)
{
    for (gint32 k = 0; k < c->count; k++)
        keyed[k] = (Keyed){key_of(&c->seeds[k], key), k};
    qsort(keyed, (gsize)c->count, sizeof *keyed, compare_keys);
    for (gint32 k = 0; k < c->count; k++)
        order[k] = keyed[k].seed;
}

/* Fails if memory is short. chaining_clear() frees what was allocated. */
static gboolean
chaining_init(Chaining *c)
{
    const gsize n = (gsize)c->count + 1;
    g_autofree Keyed *keyed = cs_memory_try_new(Keyed, n);
    c->worth = cs_memory_try_new(gint64, n);
    c->previous = cs_memory_try_new(gint32, n);
    c->by_row_end = cs_memory_try_new(gint32, n);
    c->places = cs_memory_try_new(gint32, n);
    c->spare = cs_memory_try_new(gint32, n);
    c->below.entries = cs_memory_try_new(Entry, n);
    c->above.entries = cs_memory_try_new(Entry, n / 2 + 1);
    gboolean success = keyed != NULL && c->worth != NULL && c->previous != NULL &&
                       c->by_row_end != NULL && c->places != NULL && c->spare != NULL &&
                       c->below.entries != NULL && c->above.entries != NULL;
    for (Key key = 0; key < ORDERS; key++) {
        c->orders[key] = cs_memory_try_new(gint32, n);
        success = success && c->orders[key] != NULL;
    }
    /* Sorting takes as much memory again. */
    if (!success || !cs_memory_has_room(n * sizeof *keyed))
        return FALSE;
    for (Key key = 0; key < ORDERS; key++)
        sort_order(c, key, keyed, c->orders[key]);
    sort_order(c, BY_ROW_END, keyed, c->by_row_end);
    tree_empty(&c->below, c->count);
    for (gint32 k = 0; k < c->count; k++) {
        /* Equal diagonals share a place: the first one's. */
        const gint32 i = c->orders[BY_DIAGONAL][k];
        const gint32 before = k > 0 ? c->orders[BY_DIAGONAL][k - 1] : -1;
        const gboolean same = before >= 0 && key_of(&c->seeds[before], BY_DIAGONAL) ==
                                                 key_of(&c->seeds[i], BY_DIAGONAL);
        c->places[i] = same ? c->places[before] : k + 1;
        c->previous[k] = -1;
    }
    return TRUE;
}

static void
chaining_clear(Chaining *c)
{
    g_free(c->worth);
    g_free(c->previous);
    for (Key key = 0; key < ORDERS; key++)
        g_free(c->orders[key]);
    g_free(c->by_row_end);
    g_free(c->places);
    g_free(c->spare);
    g_free(c->below.entries);
    g_free(c->above.entries);
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
cs_chain_find(const CsSeed *seeds, gint64 count, const CsChainCosts *costs, const gint *stop,
              gint64 *length, gint64 *worth, GError **error)
{
    g_assert(count < G_MAXINT32);
    Chaining c = {.seeds = seeds, .count = (gint32)count, .costs = *costs, .stop = stop};
    CsSeed *chain = NULL;
    if (chaining_init(&c)) {
        finish_range(&c, 0, c.count);
        chain = read_chain(&c, length, worth);
    }
    chaining_clear(&c);
    if (chain == NULL)
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for a chain of %" G_GINT64_FORMAT " seeds", count);
    else if (cs_is_stopped(stop)) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped while chaining seeds");
        g_clear_pointer(&chain, g_free);
    }
    return chain;
}

guint64
cs_chain_memory(gint64 count)
{
    /* Sorting doubles what it sorts. */
    return (guint64)count * (2 * sizeof(Keyed) + sizeof(gint64) + (4 + ORDERS) * sizeof(gint32) +
                             sizeof(Entry) * 3 / 2 + sizeof(CsSeed));
}
