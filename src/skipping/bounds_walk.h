/*
 * How much an alignment can still gain, counted along rows and columns at once (bounds.h).
 *
 *   marks of both sides -> cs_bounds_work_take_rows(), .._take_columns() -> cs_bounds_table_new()
 *
 * What the two sides lose may not be added, but of each layer of rows that a path crosses the larger
 * of the two losses counts. docs/algorithm.md ("Both sides at once") has the derivation.
 */
#ifndef CS_BOUNDS_WALK_H
#define CS_BOUNDS_WALK_H

#include "skipping/bounds_rule.h"
#include "sweep/bounds_table.h"

/* How it is counted. */
typedef struct {
    gint64 m, n;
    gint32 match, open;
    CsBoundsRule rows, columns;
    gint64 layer; /* rows of a layer */
    gint64 block; /* columns of a block */
    gint64 group; /* blocks that share an entry */
    /* What an inserted base costs at least beside the k-mer that its gap breaks: as rows are
     * counted and as columns are. */
    gint32 insertion_rows, insertion_columns;
    gint32 split;  /* what the columns' items lose where a path passes from layer to layer */
    gint64 window; /* so many blocks on, the columns' count is left out; window * block >= layer */
} CsBoundsPlan;

typedef struct {
    CsBoundsPlan plan;
    gint64 layers, blocks;
    gint32 *gains;            /* of each layer, by the rows' items */
    gint32 *lowest, *highest; /* of each block: match * j less the weight of the items before j */
} CsBoundsWork;

/* FALSE where there is nothing to gain, or 32 bits might not hold it. */
gboolean cs_bounds_plan_init(CsBoundsPlan *plan, gint64 m, gint64 n, const CsScoring *scoring);

void cs_bounds_work_init(CsBoundsWork *work, const CsBoundsPlan *plan);
void cs_bounds_work_clear(CsBoundsWork *work);

/* Of marks without the k-mers that were not chosen. */
void cs_bounds_work_take_rows(CsBoundsWork *work, const guint8 *marks);
void cs_bounds_work_take_columns(CsBoundsWork *work, const guint8 *marks);

/* Fails with CS_ERROR_STOPPED soon after *stop, if there is one, becomes other than 0. */
CsBoundsTable *cs_bounds_table_new(const CsBoundsWork *work, const gint *stop, GError **error);

/* Bytes, at most, of tables and what they are made with. */
guint64 cs_bounds_walk_memory(void);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsBoundsWork, cs_bounds_work_clear)

#endif
