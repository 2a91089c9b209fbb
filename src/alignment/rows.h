/*
 * Special rows that a sweep handed out: H and F wherever H is above zero. Everything else reads as
 * zero.
 *
 *     columns   1 . . . . . . . . . . . . n
 *     row 64        [ span ][span]                 a span: H and F of consecutive columns, as they
 *     row 128            [  span  ]   [span]       are or packed (bus_codec.h)
 *
 * The rows are a cache: any of them may be missing, and the alignment stays the same.
 */
#ifndef CS_ROWS_H
#define CS_ROWS_H

#include "sweep/rectangle.h"

typedef struct _CsRows CsRows;

/* A store for these rows, in ascending order. Packed rows take a tenth of the memory. Fails with
 * CS_ERROR_DEVICE if there is not enough memory. */
CsRows *cs_rows_new(const gint64 *at, gsize n, CsWidth width, gboolean packed, GError **error);
void cs_rows_free(CsRows *rows);

/* A CsRowFunc; user_data is a CsRows. */
gboolean cs_rows_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                      gboolean bounds, gpointer user_data, GError **error);

gsize cs_rows_count(const CsRows *rows);
gint64 cs_rows_at(const CsRows *rows, gsize k);
CsWidth cs_rows_width(const CsRows *rows);

/* Finds the first stored column of row k after the first `from` columns. *count is how many stored
 * columns there are from it to the end of its span. FALSE if there are no more. */
gboolean cs_rows_next(const CsRows *rows, gsize k, gint64 from, gint64 *column, gint64 *count);

/* Fills a bus with the columns of row k after the first `from` columns. */
gboolean cs_rows_read(CsRows *rows, gsize k, gint64 from, CsBus *bus, GError **error);

/* The number of bytes in all spans. */
gsize cs_rows_bytes(const CsRows *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsRows, cs_rows_free)

#endif
