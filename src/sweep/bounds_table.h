/*
 * A table of how much an alignment can still gain, by rows and columns. Engines look it up beside
 * the bounds of a block row and a block column (skip_rule.h, rectangle.h). bounds_walk.h makes it.
 */
#ifndef CS_BOUNDS_TABLE_H
#define CS_BOUNDS_TABLE_H

#include "sweep/types.h"

/* The largest table, in entries and bytes. */
#define CS_BOUNDS_TABLE_LAYERS 512
#define CS_BOUNDS_TABLE_PARTS 1024
#define CS_BOUNDS_TABLE_BYTES                                                                      \
    ((gint64)sizeof(gint32) * CS_BOUNDS_TABLE_LAYERS * CS_BOUNDS_TABLE_PARTS)

/*
 * The entry of layer r and part c is the highest bound after any cell of rows r * layer ..
 * (r + 1) * layer and columns c * part .. (c + 1) * part. As elsewhere, it does not include
 * gap_open, which an alignment that enters in an open gap has already paid.
 */
typedef struct CsBoundsTable {
    gint64 layer;         /* rows */
    gint64 part;          /* columns */
    gint64 rows, columns; /* entries, row by row */
    gint32 *highest;
} CsBoundsTable;

void cs_bounds_table_free(CsBoundsTable *table);

/* The highest bound of rows and columns from .. to, within 0 .. m and 0 .. n; G_MAXINT64 without a
 * table. */
CsScore cs_bounds_table_highest(const CsBoundsTable *table, gint64 row_from, gint64 row_to,
                                gint64 column_from, gint64 column_to);

/* Lowers entries to those of `turned`, the table of the same m x n matrix, transposed. */
void cs_bounds_table_lower(CsBoundsTable *table, const CsBoundsTable *turned, gint64 m, gint64 n);

#endif
