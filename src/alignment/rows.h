/*
 * Special rows that a sweep handed out: H and F wherever H is above zero. Everything else reads as
 * zero.
 *
 *     columns   1 . . . . . . . . . . . . n
 *     row 64        [piece ][piece]                a piece: H and F of consecutive columns, as
 *     row 128            [ piece  ]   [piece]      they are or packed (bus_codec.h)
 *
 * They are a cache: any of them may be missing, and an alignment is the same without. A missing row
 * is missing whole, because what is not in a piece is zero. So rows are dropped, every other one,
 * when they would take more than their budget, and all of them when memory or the disk fails.
 *
 * Packed rows are in memory, or in a file (found_log.h) from which a later run reads them again. In
 * the file *marks* say between which records a state was saved: what stands before the mark is all
 * that the sweep had handed out until then.
 */
#ifndef CS_ROWS_H
#define CS_ROWS_H

#include "alignment/row_queue.h"
#include "checkpoint/checkpoint.h"
#include "sweep/rectangle.h"

typedef struct _CsRows CsRows;

/* For these rows, ascending, which are kept unpacked. Fails with CS_ERROR_DEVICE if there is not
 * enough memory. */
CsRows *cs_rows_new(const gint64 *at, gsize n, CsWidth width, GError **error);

/* For rows distance, 2 * distance .. of m rows, which are kept packed, in memory. If they cannot be
 * kept, all are dropped and note (or NULL) is told; that is no error. */
CsRows *cs_rows_new_packed(gint64 m, gint64 distance, CsWidth width, gint64 most_bytes,
                           CsNoteFunc note, gpointer note_data, GError **error);

/* Keeps them in a file of this name in a checkpoint, or in a temporary file if that is NULL. Must
 * be called before any row comes. */
gboolean cs_rows_use_file(CsRows *rows, const CsCheckpoint *checkpoint, const char *name,
                          GError **error);
void cs_rows_free(CsRows *rows);

typedef enum {
    CS_ROWS_MARK_STATE,    /* of a state with this checksum */
    CS_ROWS_MARK_COMPLETE, /* of the whole matrix, whose best cell is this */
    CS_ROWS_MARK_ROW,      /* of all rows as far as this one */
    CS_ROWS_MARK_AGAIN,    /* of a second sweep as far as the best cell, which is this */
} CsRowsMarkKind;

typedef struct {
    CsRowsMarkKind kind;
    gint64 numbers[3]; /* the checksum, the row, or score, row and column of the best cell */
} CsRowsMark;

/* Appends a mark to the file, if there is one. */
void cs_rows_mark(CsRows *rows, const CsRowsMark *mark);

/*
 * Reads the rows that were kept before the latest mark like this one. For a mark of a row any row
 * will do, and is filled in. NULL if there are no rows that can be used. Later rows go to the same
 * file.
 */
CsRows *cs_rows_load(const CsCheckpoint *checkpoint, const char *name, gint64 m, CsWidth width,
                     CsRowsMark *mark, gint64 most_bytes, CsNoteFunc note, gpointer note_data);

/* Drops all rows below row i, which a sweep will hand out again. */
void cs_rows_restart(CsRows *rows, gint64 i);

/* A CsRowFunc; user_data is a CsRows. */
gboolean cs_rows_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                      gboolean bounds, gpointer user_data, GError **error);

/* The same in two steps, for a queue. While there is one, all rows come from it, and rows may be marked
 * or read only after a wait for it. */
CsRowWork cs_rows_work(CsRows *rows);

/* The most memory that each thread which packs takes for itself. */
#define CS_ROWS_PACKER_BYTES ((gint64)2 << 20)

/* How many rows there are, and which. Those that were dropped do not count. */
gsize cs_rows_count(const CsRows *rows);
gint64 cs_rows_at(const CsRows *rows, gsize k);
gint64 *cs_rows_list(const CsRows *rows); /* for g_free() */
CsWidth cs_rows_width(const CsRows *rows);

void cs_rows_drop(CsRows *rows, gsize k);

/* A part of a row: columns column .. column + count - 1. No H in it is above `highest`. */
typedef struct {
    gint64 column, count;
    CsScore highest;
} CsRowsPiece;

/* The first stored piece of row k after the first `from` columns; FALSE if there are no more. */
gboolean cs_rows_next(const CsRows *rows, gsize k, gint64 from, CsRowsPiece *next);

/* Fills a bus with the columns of row k after the first `from` columns. Fails with CS_ERROR_CONTENT
 * if the row is damaged. Several threads may read at once, while none changes the rows. */
gboolean cs_rows_read(CsRows *rows, gsize k, gint64 from, CsBus *bus, GError **error);

/* The bytes that the pieces take. */
gint64 cs_rows_bytes(const CsRows *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsRows, cs_rows_free)

#endif
