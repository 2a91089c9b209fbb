/* Runs of a path, and what they score. */
#include <chromosweep/error.h>

#include "alignment/path.h"

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

static gboolean
fail(const char *what, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "internal error: the alignment %s", what);
    return FALSE;
}

gboolean
cs_path_check(const CsPath *path, const CsRectangle *matrix, CsScore score, GError **error)
{
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
        i += rows;
        j += columns;
    }
    if (i != path->i || j != path->j)
        return fail("does not end at the best cell", error);
    CsPathIter iter;
    CsPathStretch stretch;
    cs_path_iter_init(&iter, path, matrix);
    while (cs_path_iter_next(&iter, &stretch))
        sum += cs_path_stretch_score(&stretch, &matrix->scoring);
    if (sum == score)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "internal error: the alignment scores %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                sum, score);
    return FALSE;
}

void
cs_path_iter_init(CsPathIter *iter, const CsPath *path, const CsRectangle *matrix)
{
    iter->path = path;
    iter->matrix = matrix;
    iter->run = 0;
    iter->done = iter->from = iter->count = 0;
    iter->i = path->i0;
    iter->j = path->j0;
}

/* Whether the pair that is so far ahead has equal bases. The run has `left` pairs from here on. */
static gboolean
is_match(CsPathIter *iter, gint64 ahead, gint64 left)
{
    const gint64 at = iter->done + ahead;
    if (at < iter->from || at >= iter->from + iter->count) {
        iter->from = at;
        iter->count = MIN(CS_PATH_AT_ONCE, left - ahead);
        const CsView rows = cs_view_slice(&iter->matrix->rows, iter->i + ahead, iter->count);
        const CsView columns = cs_view_slice(&iter->matrix->columns, iter->j + ahead, iter->count);
        cs_view_read(&rows, CS_ROW_AMBIGUOUS, iter->rows);
        cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, iter->columns);
    }
    return iter->rows[at - iter->from] == iter->columns[at - iter->from];
}

gboolean
cs_path_iter_next(CsPathIter *iter, CsPathStretch *stretch)
{
    if (iter->run == iter->path->n)
        return FALSE;
    const gint64 left = cs_path_length(iter->path, iter->run) - iter->done;
    *stretch = (CsPathStretch){.kind = cs_path_kind(iter->path, iter->run), .length = left};
    if (stretch->kind == CS_PATH_PAIRS) {
        gint64 length = 1;
        stretch->match = is_match(iter, 0, left);
        while (length < left && is_match(iter, length, left) == stretch->match)
            length++;
        stretch->length = length;
    }
    iter->i += stretch->kind != CS_PATH_COLUMNS ? stretch->length : 0;
    iter->j += stretch->kind != CS_PATH_ROWS ? stretch->length : 0;
    iter->done += stretch->length;
    if (stretch->length == left) {
        iter->done = iter->count = 0;
        iter->run++;
    }
    return TRUE;
}
