/*
 * How much an alignment can still gain, in a table of rows and columns that engines look up beside
 * the bounds of each (skip_rule.h, rectangle.h). bounds_walk.h makes it.
 */
#ifndef CS_BOUNDS_TABLE_H
#define CS_BOUNDS_TABLE_H

#include "sweep/types.h"

/* Entries, at most. */
#define CS_BOUNDS_TABLE_LAYERS 512
#define CS_BOUNDS_TABLE_PARTS 1024
#define CS_BOUNDS_TABLE_BYTES                                                                      \
    ((gint64)sizeof(gint32) * CS_BOUNDS_TABLE_LAYERS * CS_BOUNDS_TABLE_PARTS)

/*
 * Of layer r and part c the highest bound after a cell of rows r * layer .. (r + 1) * layer and
 * columns c * part .. (c + 1) * part. As elsewhere what entering in an open gap is worth is not in
 * it.
 */
typedef struct CsBoundsTable {
    gint64 layer;         /* rows */
    gint64 part;          /* columns */
    gint64 rows, columns; /* entries, row by row */
    gint32 *highest;
} CsBoundsTable;

void cs_bounds_table_free(CsBoundsTable *table);

/* The highest bound of rows and columns from .. to, 0 .. m and 0 .. n; without a table the highest
 * that there is. */
CsScore cs_bounds_table_highest(const CsBoundsTable *table, gint64 row_from, gint64 row_to,
                                gint64 column_from, gint64 column_to);

/* Lowers the entries to those of a table of the same m x n matrix with its sides changed. */
void cs_bounds_table_lower(CsBoundsTable *table, const CsBoundsTable *turned, gint64 m, gint64 n);

#endif
