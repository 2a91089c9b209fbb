/*
 * A table of how much an alignment can still gain, by rows and diagonals. Engines look it up beside
 * the bounds of a block row and a block column (skip_rule.h, rectangle.h). gains.h makes it.
 *
 * Along a diagonal both sequences are read at once, so this bound knows where in the other sequence
 * a stretch of bases occurs, and not just whether it does.
 */
#ifndef CS_GAIN_TABLE_H
#define CS_GAIN_TABLE_H

#include "sweep/types.h"

/*
 * The gains after one row. Entry k is the highest one on the diagonals of block from + k. It also
 * holds for an alignment that leaves these diagonals along the row, or reaches the row later.
 */
typedef struct {
    gint64 from, to;                 /* blocks of diagonals; to - from entries */
    gint64 first;                    /* where its entries begin in `entries` */
    gint64 counted_from, counted_to; /* blocks, from .. to among them */
    gint32 left, right;              /* the highest of those before `from` and from `to` on */
    gint32 beyond;                   /* the highest of all others */
} CsGainLine;

/* Diagonal d = column - row belongs to block (d + m) / block. */
typedef struct CsGainTable {
    gint64 m, n;
    gint32 match;
    gint64 band;   /* rows from one line to the next */
    gint64 block;  /* diagonals */
    gint64 length; /* lines; line k is after row MIN(k * band, m) */
    CsGainLine *lines;
    gint64 count;    /* entries of all lines */
    gint32 *entries; /* never NULL */
} CsGainTable;

void cs_gain_table_free(CsGainTable *table);

/* The highest gain after any cell of rows and columns from .. to, within 0 .. m and 0 .. n, without
 * gap_open, as elsewhere; G_MAXINT64 without a table. */
CsScore cs_gain_table_highest(const CsGainTable *table, gint64 row_from, gint64 row_to,
                              gint64 column_from, gint64 column_to);

/* Finds the columns *column_from .. *column_to outside which no cell of the rows can gain `least` or
 * more. FALSE if no cell can. */
gboolean cs_gain_table_span(const CsGainTable *table, gint64 row_from, gint64 row_to, CsScore least,
                            gint64 *column_from, gint64 *column_to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsGainTable, cs_gain_table_free)

#endif
