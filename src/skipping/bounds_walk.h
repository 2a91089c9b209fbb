/*
 * How much an alignment can still gain, counted along rows and columns at once (bounds.h).
 *
 *   marks of both sides -> cs_bounds_work_take_rows(), .._take_columns() -> cs_bounds_table_new()
 *
 * The losses of the two sides must not be added. But in each layer of rows that a path crosses, the
 * larger of the two losses counts. docs/proofs/bounds.md has the derivation.
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
    /* The least that an inserted base costs in addition to the k-mer that its gap breaks, in the
     * count of the rows and in that of the columns. */
    gint32 insertion_rows, insertion_columns;
    gint32 split;  /* what the columns' items lose when a path passes from one layer to the next */
    gint64 window; /* the columns' count ends after so many blocks; window * block >= layer */
} CsBoundsPlan;

typedef struct {
    CsBoundsPlan plan;
    gint64 layers, blocks;
    gint32 *gains;            /* of each layer, by the rows' items */
    gint32 *lowest, *highest; /* of each block: match * j minus the weight of the items before j */
} CsBoundsWork;

/* FALSE if the table could not improve the bounds, or if 32 bits might not hold its values. */
gboolean cs_bounds_plan_init(CsBoundsPlan *plan, gint64 m, gint64 n, const CsScoring *scoring);

void cs_bounds_work_init(CsBoundsWork *work, const CsBoundsPlan *plan);
void cs_bounds_work_clear(CsBoundsWork *work);

/* Reads the marks. Only the k-mers that were chosen must be marked. */
void cs_bounds_work_take_rows(CsBoundsWork *work, const guint8 *marks);
void cs_bounds_work_take_columns(CsBoundsWork *work, const guint8 *marks);

/* On so many threads. Fails with CS_ERROR_STOPPED soon after *stop (if any) becomes nonzero. */
CsBoundsTable *cs_bounds_table_new(const CsBoundsWork *work, guint threads, const gint *stop,
                                   GError **error);

/* The most bytes that the tables take, with everything needed to make them. */
guint64 cs_bounds_walk_memory(void);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsBoundsWork, cs_bounds_work_clear)

#endif
