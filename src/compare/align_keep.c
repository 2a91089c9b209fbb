/* The trace in a checkpoint: numbers (checkpoint/found.h) that say how far it has come. */
#include <chromosweep/error.h>

#include "checkpoint/found.h"
#include "compare/align.h"

/* The numbers, in order; the runs follow, the last one of the path first. */
enum {
    SCORE,
    END_I,
    END_J,
    NODE_I,
    NODE_J,
    NODE_STATE,
    NODE_VALUE,
    COMPLETE,
    RUNS, /* from here on */
};

/* Microseconds between two saves. */
#define INTERVAL (10 * (gint64)G_USEC_PER_SEC)

/* A save takes at most one part in this many of the time. */
#define SHARE 20

static const char *
name_of(const CsAligning *aligning)
{
    return aligning->strand == CS_STRAND_MINUS ? "minus-trace" : "plus-trace";
}

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
        checkpoint != NULL ? cs_found_load(checkpoint, name_of(aligning), &count) : NULL;
    if (numbers == NULL || count < RUNS || numbers[SCORE] != end->score ||
        numbers[END_I] != end->i || numbers[END_J] != end->j || numbers[NODE_STATE] < CS_NODE_H ||
        numbers[NODE_STATE] > CS_NODE_F)
        return FALSE;
    *node = (CsNode){numbers[NODE_I], numbers[NODE_J], (CsNodeState)numbers[NODE_STATE],
                     numbers[NODE_VALUE]};
    *complete = numbers[COMPLETE] != 0;
    if (take_runs(aligning, numbers + RUNS, count - RUNS, node) && (*complete || node->value > 0))
        return TRUE;
    cs_path_clear(&aligning->path);
    return FALSE;
}

static gboolean
save(const CsAligning *aligning, const CsNode *node, const CsPath *path, gboolean complete,
     GError **error)
{
    const gint64 count = RUNS + (gint64)path->n;
    g_autofree gint64 *numbers = g_try_new(gint64, count);
    if (numbers == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
        return FALSE;
    }
    numbers[SCORE] = aligning->end.score;
    numbers[END_I] = aligning->end.i;
    numbers[END_J] = aligning->end.j;
    numbers[NODE_I] = node->i;
    numbers[NODE_J] = node->j;
    numbers[NODE_STATE] = (gint64)node->state;
    numbers[NODE_VALUE] = node->value;
    numbers[COMPLETE] = complete;
    for (gsize k = 0; k < path->n; k++)
        numbers[RUNS + k] = (gint64)path->runs[k];
    return cs_found_save(aligning->comparison->checkpoint, name_of(aligning), numbers, count,
                         error);
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
        cs_found_drop(aligning->comparison->checkpoint, name_of(aligning));
}
