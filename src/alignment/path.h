/*
 * The path of an alignment through the matrix: runs of pairs and of unpaired bases.
 *
 * A walk finds it from the end back, so its runs are appended in that order; cs_path_turn() puts
 * the first one first. Memory: 8 bytes a run.
 */
#ifndef CS_PATH_H
#define CS_PATH_H

#include "sweep/rectangle.h"

typedef enum {
    CS_PATH_PAIRS,   /* a base of the rows against one of the columns */
    CS_PATH_ROWS,    /* unpaired bases of the rows: F */
    CS_PATH_COLUMNS, /* unpaired bases of the columns: E */
} CsPathKind;

typedef struct {
    gint64 i0, j0; /* rows and columns before the first pair */
    gint64 i, j;   /* the cell of the last pair */
    guint64 *runs; /* length << 2 | CsPathKind */
    gsize n, size; /* runs there are, and there is room for */
} CsPath;

/* An empty path that ends at cell (i, j). */
void cs_path_init(CsPath *path, gint64 i, gint64 j);
void cs_path_clear(CsPath *path);

static inline CsPathKind
cs_path_kind(const CsPath *path, gsize k)
{
    return (CsPathKind)(path->runs[k] & 3);
}

static inline gint64
cs_path_length(const CsPath *path, gsize k)
{
    return (gint64)(path->runs[k] >> 2);
}

/* One step further back, or `length` of them. Fails with CS_ERROR_DEVICE when there is no memory. */
gboolean cs_path_step_back(CsPath *path, CsPathKind kind, gint64 length, GError **error);

/* The walk is over: the runs now go from the start to the end. */
void cs_path_turn(CsPath *path);

/*
 * Scores the path anew, from nothing but the bases and the scoring. Fails with CS_ERROR_FAILED
 * where that is not `score`, or where the path does not begin and end with a pair: then the program
 * is wrong, and the alignment is not to be given out.
 */
gboolean cs_path_check(const CsPath *path, const CsRectangle *matrix, CsScore score,
                       GError **error);

/* XXH3 of 64 bits of the start and all runs, for tests and checksums. */
guint64 cs_path_hash(const CsPath *path);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPath, cs_path_clear)

#endif
