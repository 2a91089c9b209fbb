/*
 * Special rows that a sweep handed out: H and F wherever H is above zero. Everything else reads as
 * zero.
 *
 *     columns   1 . . . . . . . . . . . . n
 *     row 64        [ span ][span]                 a span: H and F of consecutive columns, as they
 *     row 128            [  span  ]   [span]       are or packed (bus_codec.h)
 *
 * The rows are a cache: any of them may be missing, and the alignment stays the same. A row is
 * missing as a whole, because everything outside its spans reads as zero. If the rows would take
 * more than their budget, every other one is dropped. If memory runs out, all of them are.
 */
#ifndef CS_ROWS_H
#define CS_ROWS_H

#include "sweep/rectangle.h"

typedef struct _CsRows CsRows;

/* A store for these rows, in ascending order. Packed rows take a tenth of the memory, and each span
 * has a checksum. Fails with CS_ERROR_DEVICE if there is not enough memory. */
CsRows *cs_rows_new(const gint64 *at, gsize n, CsWidth width, gboolean packed, GError **error);
void cs_rows_free(CsRows *rows);

/* From now on the spans take at most so many bytes, and a lack of memory is no failure. */
void cs_rows_limit(CsRows *rows, gint64 bytes);

/* A CsRowFunc; user_data is a CsRows. */
gboolean cs_rows_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                      gboolean bounds, gpointer user_data, GError **error);

/* How many rows there are, and which: fewer once some were dropped. */
gsize cs_rows_count(const CsRows *rows);
gint64 cs_rows_at(const CsRows *rows, gsize k);
CsWidth cs_rows_width(const CsRows *rows);

void cs_rows_drop(CsRows *rows, gsize k);

/* A part of a row: columns column .. column + count - 1. No H in it is above `highest`. */
typedef struct {
    gint64 column, count;
    CsScore highest;
} CsRowsPiece;

/* The first stored piece of row k after the first `from` columns; FALSE if there are no more. */
gboolean cs_rows_next(const CsRows *rows, gsize k, gint64 from, CsRowsPiece *piece);

/* Fills a bus with the columns of row k after the first `from` columns. Fails with CS_ERROR_CONTENT
 * if the row is damaged. */
gboolean cs_rows_read(CsRows *rows, gsize k, gint64 from, CsBus *bus, GError **error);

/* The number of bytes in all spans. */
gsize cs_rows_bytes(const CsRows *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsRows, cs_rows_free)

#endif
