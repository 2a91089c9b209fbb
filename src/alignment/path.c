/* Runs of a path, and what they score. */
#include <xxhash.h>

#include <chromosweep/error.h>

#include "alignment/path.h"

enum {
    AT_ONCE = 4096, /* pairs scored at once */
};

void
cs_path_init(CsPath *path, gint64 i, gint64 j)
{
    *path = (CsPath){.i0 = i, .j0 = j, .i = i, .j = j};
}

void
cs_path_clear(CsPath *path)
{
    g_free(path->runs);
    *path = (CsPath){0};
}

static gboolean
grow(CsPath *path, GError **error)
{
    const gsize size = MAX(64, path->size + path->size / 2);
    guint64 *runs = g_try_renew(guint64, path->runs, size);
    if (runs == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for an alignment of %" G_GSIZE_FORMAT " runs", size);
        return FALSE;
    }
    path->runs = runs;
    path->size = size;
    return TRUE;
}

gboolean
cs_path_step_back(CsPath *path, CsPathKind kind, gint64 length, GError **error)
{
    if (path->n > 0 && cs_path_kind(path, path->n - 1) == kind) {
        path->runs[path->n - 1] += (guint64)length << 2;
    } else {
        if (path->n == path->size && !grow(path, error))
            return FALSE;
        path->runs[path->n++] = (guint64)length << 2 | kind;
    }
    path->i0 -= kind != CS_PATH_COLUMNS ? length : 0;
    path->j0 -= kind != CS_PATH_ROWS ? length : 0;
    return TRUE;
}

void
cs_path_turn(CsPath *path)
{
    for (gsize k = 0; k < path->n / 2; k++) {
        const guint64 run = path->runs[k];
        path->runs[k] = path->runs[path->n - 1 - k];
        path->runs[path->n - 1 - k] = run;
    }
}

/* What the pairs of a run score that follows row i and column j. */
static CsScore
score_pairs(const CsRectangle *matrix, gint64 i, gint64 j, gint64 length)
{
    guint8 rows[AT_ONCE], columns[AT_ONCE];
    CsScore score = 0;
    for (gint64 done = 0; done < length; done += AT_ONCE) {
        const gint64 now = MIN(AT_ONCE, length - done);
        const CsView row_view = cs_view_slice(&matrix->rows, i + done, now);
        const CsView column_view = cs_view_slice(&matrix->columns, j + done, now);
        cs_view_read(&row_view, CS_ROW_AMBIGUOUS, rows);
        cs_view_read(&column_view, CS_COLUMN_AMBIGUOUS, columns);
        for (gint64 k = 0; k < now; k++)
            score += rows[k] == columns[k] ? matrix->scoring.match : -matrix->scoring.mismatch;
    }
    return score;
}

static gboolean
fail(const char *what, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "internal error: the alignment %s", what);
    return FALSE;
}

gboolean
cs_path_check(const CsPath *path, const CsRectangle *matrix, CsScore score, GError **error)
{
    const CsScoring *scoring = &matrix->scoring;
    gint64 i = path->i0, j = path->j0;
    CsScore sum = 0;
    if (path->n == 0 || cs_path_kind(path, 0) != CS_PATH_PAIRS ||
        cs_path_kind(path, path->n - 1) != CS_PATH_PAIRS)
        return fail("does not begin and end with a pair", error);
    for (gsize k = 0; k < path->n; k++) {
        const CsPathKind kind = cs_path_kind(path, k);
        const gint64 length = cs_path_length(path, k);
        const gint64 rows = kind != CS_PATH_COLUMNS ? length : 0;
        const gint64 columns = kind != CS_PATH_ROWS ? length : 0;
        if (i < 0 || j < 0 || rows > path->i - i || columns > path->j - j)
            return fail("leaves the matrix", error);
        if (kind == CS_PATH_PAIRS)
            sum += score_pairs(matrix, i, j, length);
        else
            sum -= scoring->gap_open + length * scoring->gap_extend;
        i += rows;
        j += columns;
    }
    if (i != path->i || j != path->j)
        return fail("does not end at the best cell", error);
    if (sum == score)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "internal error: the alignment scores %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                sum, score);
    return FALSE;
}

guint64
cs_path_hash(const CsPath *path)
{
    const guint64 place[] = {(guint64)path->i0, (guint64)path->j0, (guint64)path->i,
                             (guint64)path->j};
    return XXH3_64bits_withSeed(path->runs, path->n * sizeof *path->runs,
                                XXH3_64bits(place, sizeof place));
}
