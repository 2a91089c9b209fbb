/* The trace in a checkpoint: numbers (checkpoint/found_trace.h) that say how far it has come. */
#include <chromosweep/error.h>

#include "checkpoint/found.h"
#include "checkpoint/found_trace.h"
#include "compare/align.h"

/* Microseconds between two saves. */
#define INTERVAL (10 * (gint64)G_USEC_PER_SEC)

/* A save takes at most one part in this many of the time. */
#define SHARE 20

/* Appends the runs to the path; FALSE where they do not lead from the node to the end. */
static gboolean
take_runs(CsAligning *aligning, const gint64 *runs, gint64 count, const CsNode *node)
{
    const CsBest *end = &aligning->end;
    CsPath *path = &aligning->path;
    cs_path_init(path, end->i, end->j);
    for (gint64 k = 0; k < count; k++) {
        const gint64 kind = runs[k] & 3, length = runs[k] >> 2;
        if (kind > CS_PATH_COLUMNS || length < 1 || length > path->i0 + path->j0 ||
            !cs_path_step_back(path, (CsPathKind)kind, length, NULL))
            return FALSE;
    }
    return path->i0 == node->i && path->j0 == node->j && node->i >= 0 && node->j >= 0;
}

gboolean
cs_align_keep_load(CsAligning *aligning, CsNode *node, gboolean *complete)
{
    const CsBest *end = &aligning->end;
    const CsCheckpoint *checkpoint = aligning->comparison->checkpoint;
    gint64 count = 0;
    g_autofree gint64 *numbers =
        checkpoint != NULL
            ? cs_found_load(checkpoint, cs_found_trace_name(aligning->strand), &count)
            : NULL;
    if (numbers == NULL || count < CS_FOUND_TRACE_RUNS ||
        numbers[CS_FOUND_TRACE_SCORE] != end->score || numbers[CS_FOUND_TRACE_END_I] != end->i ||
        numbers[CS_FOUND_TRACE_END_J] != end->j || numbers[CS_FOUND_TRACE_NODE_STATE] < CS_NODE_H ||
        numbers[CS_FOUND_TRACE_NODE_STATE] > CS_NODE_F)
        return FALSE;
    *node = (CsNode){numbers[CS_FOUND_TRACE_NODE_I], numbers[CS_FOUND_TRACE_NODE_J],
                     (CsNodeState)numbers[CS_FOUND_TRACE_NODE_STATE],
                     numbers[CS_FOUND_TRACE_NODE_VALUE]};
    *complete = numbers[CS_FOUND_TRACE_COMPLETE] != 0;
    if (take_runs(aligning, numbers + CS_FOUND_TRACE_RUNS, count - CS_FOUND_TRACE_RUNS, node) &&
        (*complete || node->value > 0))
        return TRUE;
    cs_path_clear(&aligning->path);
    return FALSE;
}

static gboolean
save(const CsAligning *aligning, const CsNode *node, const CsPath *path, gboolean complete,
     GError **error)
{
    const gint64 count = CS_FOUND_TRACE_RUNS + (gint64)path->n;
    g_autofree gint64 *numbers = g_try_new(gint64, count);
    if (numbers == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
        return FALSE;
    }
    numbers[CS_FOUND_TRACE_SCORE] = aligning->end.score;
    numbers[CS_FOUND_TRACE_END_I] = aligning->end.i;
    numbers[CS_FOUND_TRACE_END_J] = aligning->end.j;
    numbers[CS_FOUND_TRACE_NODE_I] = node->i;
    numbers[CS_FOUND_TRACE_NODE_J] = node->j;
    numbers[CS_FOUND_TRACE_NODE_STATE] = (gint64)node->state;
    numbers[CS_FOUND_TRACE_NODE_VALUE] = node->value;
    numbers[CS_FOUND_TRACE_COMPLETE] = complete;
    for (gsize k = 0; k < path->n; k++)
        numbers[CS_FOUND_TRACE_RUNS + k] = (gint64)path->runs[k];
    return cs_found_save(aligning->comparison->checkpoint, cs_found_trace_name(aligning->strand),
                         numbers, count, error);
}

void
cs_align_keep_save(const CsNode *node, const CsPath *path, gboolean complete, gpointer user_data)
{
    CsAligning *aligning = user_data;
    const gint64 start = g_get_monotonic_time();
    const gboolean stop = g_atomic_int_get(&aligning->stop) != 0;
    g_autoptr(GError) failure = NULL;
    if (aligning->comparison->checkpoint == NULL || (start < aligning->next && !stop && !complete))
        return;
    if (!save(aligning, node, path, complete, &failure)) {
        g_autofree char *message =
            g_strdup_printf("could not save the progress of the alignment: %s", failure->message);
        cs_compare_notes_leave(complete ? CS_NOTE_DETAIL : CS_NOTE_WARNING, message,
                               aligning->comparison);
    }
    const gint64 end = g_get_monotonic_time();
    aligning->next = end + MAX(INTERVAL, SHARE * (end - start));
}

void
cs_align_keep_drop(const CsAligning *aligning)
{
    if (aligning->comparison->checkpoint != NULL)
        cs_found_drop(aligning->comparison->checkpoint, cs_found_trace_name(aligning->strand));
}
