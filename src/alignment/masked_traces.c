/*
 * Alignments are traced back through a masked matrix at the same time. With a checkpoint it is kept how far they
 * are: now and then, and when they are stopped. The next matrix goes on from there.
 *
 * That is sound because of two things. An alignment ends with a pair, which is masked afterwards, so no other
 * one of the list ends there. And when it is the next one, what is masked in its group are the alignments before
 * it, in every run. So an end has one path, of which a part is kept.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "alignment/masked_inside.h"
#include "checkpoint/found.h"

/* Numbers before the runs of a trace. */
enum {
    SCORE,
    END_I,
    END_J,
    NODE_I,
    NODE_J,
    NODE_STATE,
    NODE_VALUE,
    COMPLETE,
    RUNS, /* how many */
    HEAD,
};

static void
trace_clear(gpointer data)
{
    cs_path_clear(&((CsMaskedTrace *)data)->path);
}

static GArray *
traces_new(void)
{
    GArray *traces = g_array_new(FALSE, TRUE, sizeof(CsMaskedTrace));
    g_array_set_clear_func(traces, trace_clear);
    return traces;
}

void
cs_masked_traces_free(GArray *traces)
{
    if (traces != NULL)
        g_array_unref(traces);
}

/* Appends a trace, from the end back. */
static void
append(GArray *numbers, const CsMaskedTrace *trace)
{
    const CsPath *path = &trace->path;
    const gint64 head[HEAD] = {
        [SCORE] = trace->end.score,       [END_I] = trace->end.i,
        [END_J] = trace->end.j,           [NODE_I] = trace->node.i,
        [NODE_J] = trace->node.j,         [NODE_STATE] = (gint64)trace->node.state,
        [NODE_VALUE] = trace->node.value, [COMPLETE] = trace->complete,
        [RUNS] = (gint64)path->n};
    g_array_append_vals(numbers, head, HEAD);
    for (gsize k = 0; k < path->n; k++) {
        const gint64 run = (gint64)path->runs[trace->complete ? path->n - 1 - k : k];
        g_array_append_val(numbers, run);
    }
}

/* Keeps how far these are, and those of an earlier run that were not wanted yet. */
static void
save(CsMaskedMatrix *matrix, const CsMaskedTrace *traces, guint count)
{
    const CsMaskedOptions *options = &matrix->options;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint k = 0; k < count; k++)
        if (traces[k].path.n > 0)
            append(numbers, &traces[k]);
    for (guint k = 0; k < matrix->traces->len; k++)
        append(numbers, &g_array_index(matrix->traces, CsMaskedTrace, k));
    if (options->checkpoint != NULL && options->trace_name != NULL && numbers->len > 0)
        (void)cs_found_save(options->checkpoint, options->trace_name,
                            (gint64 *)(gpointer)numbers->data, numbers->len, NULL);
    cs_masked_matrix_save(matrix);
}

/* Reads the runs of a trace. FALSE if they leave the matrix, or do not lead to its node. */
static gboolean
read_runs(const gint64 *runs, CsMaskedTrace *trace)
{
    gint64 i = trace->end.i, j = trace->end.j;
    gint64 count = (gint64)trace->path.n;
    cs_path_init(&trace->path, i, j);
    for (gint64 k = 0; k < count; k++) {
        const gint64 kind = runs[k] & 3, length = runs[k] >> 2;
        const gint64 rows = kind != CS_PATH_COLUMNS ? length : 0;
        const gint64 columns = kind != CS_PATH_ROWS ? length : 0;
        if (kind > CS_PATH_COLUMNS || length < 1 || rows > i || columns > j ||
            !cs_path_step_back(&trace->path, (CsPathKind)kind, length, NULL))
            return FALSE;
        i -= rows;
        j -= columns;
    }
    if (trace->complete)
        cs_path_turn(&trace->path);
    return trace->complete || (i == trace->node.i && j == trace->node.j);
}

/* Reads a trace; FALSE if it cannot be one. */
static gboolean
read_trace(const CsMaskedMatrix *matrix, const gint64 *head, CsMaskedTrace *trace)
{
    *trace = (CsMaskedTrace){
        .end = {head[SCORE], head[END_I], head[END_J]},
        .node = {head[NODE_I], head[NODE_J], (CsNodeState)head[NODE_STATE], head[NODE_VALUE]},
        .complete = head[COMPLETE] != 0,
        .kept = TRUE,
        .path.n = (gsize)head[RUNS]};
    return head[END_I] >= 1 && head[END_I] <= matrix->m && head[END_J] >= 1 &&
           head[END_J] <= matrix->n && head[NODE_STATE] >= CS_NODE_H &&
           head[NODE_STATE] <= CS_NODE_F && read_runs(head + HEAD, trace);
}

/* Loads what an earlier run kept. What is wrong counts as missing. */
static void
load(CsMaskedMatrix *matrix)
{
    const CsMaskedOptions *options = &matrix->options;
    gint64 count = 0;
    g_autofree gint64 *numbers =
        options->checkpoint != NULL && options->trace_name != NULL
            ? cs_found_load(options->checkpoint, options->trace_name, &count)
            : NULL;
    matrix->traces = traces_new();
    for (gint64 at = 0; numbers != NULL && count - at >= HEAD;) {
        CsMaskedTrace trace = {0};
        const gint64 runs = numbers[at + RUNS];
        if (runs < 0 || runs > count - at - HEAD)
            return;
        if (read_trace(matrix, numbers + at, &trace))
            g_array_append_val(matrix->traces, trace);
        else
            cs_path_clear(&trace.path);
        at += HEAD + runs;
    }
}

void
cs_masked_matrix_forget_traces(CsMaskedMatrix *matrix)
{
    CsMaskedOptions *options = &matrix->options;
    if (options->checkpoint != NULL && options->trace_name != NULL)
        cs_found_drop(options->checkpoint, options->trace_name);
    options->trace_name = NULL;
    if (matrix->traces != NULL)
        g_array_set_size(matrix->traces, 0);
}

/* Goes on from what an earlier run has of this trace, if it has any. */
static void
take_kept(CsMaskedMatrix *matrix, CsMaskedTrace *trace)
{
    const CsMaskedOptions *options = &matrix->options;
    for (guint k = 0; k < matrix->traces->len; k++) {
        CsMaskedTrace *kept = &g_array_index(matrix->traces, CsMaskedTrace, k);
        if (memcmp(&kept->end, &trace->end, sizeof kept->end) != 0)
            continue;
        cs_path_clear(&trace->path);
        *trace = *kept;
        kept->path = (CsPath){0};
        g_array_remove_index_fast(matrix->traces, k);
        if (options->note != NULL)
            options->note(CS_NOTE_DETAIL, "going on with the trace of an alignment",
                          options->note_data);
        return;
    }
}

/* Forgets what is traced. */
static void
begin_again(CsMaskedTrace *trace)
{
    cs_path_clear(&trace->path);
    cs_path_init(&trace->path, trace->end.i, trace->end.j);
    trace->node = (CsNode){trace->end.i, trace->end.j, CS_NODE_H, trace->end.score};
    trace->complete = trace->kept = FALSE;
}

/* What is traced at the same time. */
typedef struct {
    CsMaskedMatrix *matrix;
    CsMaskedTrace *traces;
    GError **errors;
} Batch;

/* A CsParallelFunc. A trace that does not come out right begins again if a part of it was kept. */
static void
walk(gint64 task, gpointer user_data)
{
    const Batch *batch = user_data;
    CsMaskedTrace *trace = &batch->traces[task];
    const CsMaskedMatrix *matrix = batch->matrix;
    GError **error = &batch->errors[task];
    gboolean good = TRUE, again = TRUE;
    while (again) {
        if (!trace->complete) {
            good = cs_masked_walk(matrix, trace, error);
            if (good && trace->complete)
                cs_path_turn(&trace->path);
        }
        again = trace->kept &&
                (good ? trace->complete &&
                            !cs_path_check(&trace->path, &matrix->whole, trace->end.score, NULL)
                      : g_error_matches(*error, CS_ERROR, CS_ERROR_FAILED));
        if (again) {
            g_clear_error(error);
            begin_again(trace);
        }
    }
    if (g_error_matches(*error, CS_ERROR, CS_ERROR_STOPPED))
        g_clear_error(error);
}

static gboolean
are_complete(const CsMaskedTrace *traces, guint count)
{
    for (guint k = 0; k < count; k++)
        if (!traces[k].complete)
            return FALSE;
    return TRUE;
}

/* Walks until all are complete, or have to stop or to be saved. */
static gboolean
run_once(CsMaskedMatrix *matrix, CsMaskedTrace *traces, guint count, GError **error)
{
    g_autofree GError **errors = g_new0(GError *, count);
    GError *first = NULL;
    Batch batch = {matrix, traces, errors};
    cs_crew_run(matrix->crew, count, walk, &batch);
    for (guint k = 0; k < count; k++)
        if (errors[k] != NULL && first == NULL)
            first = errors[k];
        else
            g_clear_error(&errors[k]);
    if (first != NULL)
        g_propagate_error(error, first);
    return first == NULL;
}

gboolean
cs_masked_traces_run(CsMaskedMatrix *matrix, CsMaskedTrace *traces, guint count, GError **error)
{
    if (matrix->traces == NULL)
        load(matrix);
    for (guint k = 0; k < count && matrix->traces->len > 0; k++)
        take_kept(matrix, &traces[k]);
    for (;;) {
        if (!run_once(matrix, traces, count, error))
            return FALSE;
        if (are_complete(traces, count))
            return TRUE;
        save(matrix, traces, count);
        if (g_atomic_int_get(&matrix->stop) != 0)
            return TRUE;
    }
}
