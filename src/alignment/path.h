/*
 * The path of an alignment through the matrix: runs of pairs and of unpaired bases.
 *
 * A walk finds the path from the end back and appends the runs in that order. cs_path_turn() then
 * puts the first run first. Memory: 8 bytes per run.
 */
#ifndef CS_PATH_H
#define CS_PATH_H

#include "sweep/rectangle.h"

typedef enum {
    CS_PATH_PAIRS,   /* bases of the rows paired with bases of the columns */
    CS_PATH_ROWS,    /* unpaired bases of the rows: F */
    CS_PATH_COLUMNS, /* unpaired bases of the columns: E */
} CsPathKind;

typedef struct {
    gint64 i0, j0; /* rows and columns before the first pair */
    gint64 i, j;   /* the cell of the last pair */
    guint64 *runs; /* length << 2 | CsPathKind */
    gsize n, size; /* number of runs, and room for runs */
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

/* Goes `length` steps further back. Fails with CS_ERROR_DEVICE if there is not enough memory. */
gboolean cs_path_step_back(CsPath *path, CsPathKind kind, gint64 length, GError **error);

/* Call this at the end of the walk. The runs then go from the start to the end. */
void cs_path_turn(CsPath *path);

/*
 * Scores the path again from the bases and the scoring alone. Fails with CS_ERROR_FAILED if this is
 * not `score`, or if the path does not begin and end with a pair. The program is then wrong, and
 * the alignment must not be reported.
 */
gboolean cs_path_check(const CsPath *path, const CsRectangle *matrix, CsScore score,
                       GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPath, cs_path_clear)

enum {
    CS_PATH_AT_ONCE = 4096, /* pairs looked at at once */
};

/* Goes over a path's stretches: gaps, and pairs that are all of equal bases or all of others. */
typedef struct {
    const CsPath *path;
    const CsRectangle *matrix;
    gsize run;          /* of the path */
    gint64 done;        /* columns of the run before the next stretch */
    gint64 i, j;        /* rows and columns of the matrix before it */
    gint64 from, count; /* pairs of the run whose bases are these */
    guint8 rows[CS_PATH_AT_ONCE], columns[CS_PATH_AT_ONCE];
} CsPathIter;

typedef struct {
    CsPathKind kind;
    gboolean match; /* pairs of equal bases */
    gint64 length;
} CsPathStretch;

/* From the start of a path that was turned. */
void cs_path_iter_init(CsPathIter *iter, const CsPath *path, const CsRectangle *matrix);

/* FALSE after the last stretch. Neighbours differ. */
gboolean cs_path_iter_next(CsPathIter *iter, CsPathStretch *stretch);

/* What a stretch scores. */
static inline CsScore
cs_path_stretch_score(const CsPathStretch *stretch, const CsScoring *scoring)
{
    if (stretch->kind != CS_PATH_PAIRS)
        return -(scoring->gap_open + stretch->length * scoring->gap_extend);
    return stretch->length * (stretch->match ? scoring->match : -scoring->mismatch);
}

#endif
