/*
 * Rows of a matrix that a sweep handed out: H and F where H is above zero, all else being zero.
 *
 *     columns   1 . . . . . . . . . . . . n
 *     row 64        [ span ][span]                 a span: H and F of consecutive columns, as they
 *     row 128            [  span  ]   [span]       are or packed (bus_codec.h)
 *
 * They are a cache: any of them may be missing, and an alignment is the same without. A missing row
 * is missing whole, because what is not in a span is zero. So rows are dropped, every other one,
 * when they would take more than their budget, and all of them when memory runs out.
 */
#ifndef CS_ROWS_H
#define CS_ROWS_H

#include "sweep/rectangle.h"

typedef struct _CsRows CsRows;

/* For these rows, ascending. Packed ones take a tenth of the memory, and each span has a checksum.
 * Fails with CS_ERROR_DEVICE when there is no memory. */
CsRows *cs_rows_new(const gint64 *at, gsize n, CsWidth width, gboolean packed, GError **error);
void cs_rows_free(CsRows *rows);

/* From now on the spans take at most so many bytes, and too little memory is no failure. */
void cs_rows_limit(CsRows *rows, gint64 bytes);

/* A CsRowFunc; user_data is a CsRows. */
gboolean cs_rows_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                      gboolean bounds, gpointer user_data, GError **error);

/* How many rows there are, and which: fewer once some were dropped. */
gsize cs_rows_count(const CsRows *rows);
gint64 cs_rows_at(const CsRows *rows, gsize k);
CsWidth cs_rows_width(const CsRows *rows);

void cs_rows_drop(CsRows *rows, gsize k);

/* A part of a row: columns column .. column + count - 1, and no H in it is above `highest`. */
typedef struct {
    gint64 column, count;
    CsScore highest;
} CsRowsPiece;

/* Of row k the first stored piece after the first `from` columns; FALSE where none is left. */
gboolean cs_rows_next(const CsRows *rows, gsize k, gint64 from, CsRowsPiece *piece);

/* Fills a bus with the columns of row k that follow the first `from` ones. Fails with
 * CS_ERROR_CONTENT where the row is damaged. */
gboolean cs_rows_read(CsRows *rows, gsize k, gint64 from, CsBus *bus, GError **error);

/* The bytes that the spans take. */
gsize cs_rows_bytes(const CsRows *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsRows, cs_rows_free)

#endif
