/*
 * Traces the best alignment from its end back to its start, in linear memory.
 *
 *       row 0    +---------------------------+
 *                |   .                       |     The path is traced strip by strip, from the last
 *       row 64   |---[=strip=]---------------|     row to the first. A strip is swept forward once
 *                |          \                |     more, from the row above it to the node where
 *       row 128  |----------[=strip==]-------|     the path enters from below, and hands out at
 *                |                   \       |     most 63 rows of its own; and so on until it is
 *                |                   end     |     small enough for walk.h.
 *                +---------------------------+
 *
 * Strips between special rows are traced on several threads: from the nodes where the path most
 * likely crosses the rows, and anew where it turns out to cross elsewhere (ahead.h).
 *
 * Special rows are a cache (rows.h). Without any, the whole matrix as far as the end is one strip.
 * A strip that is much wider than high is split by columns instead, by a sweep of the transposed
 * strip.
 *
 * A sweep computes only cells that can matter. Let S be the best score and V the value of the node.
 * On the way to the node, an alignment gains at most a match for each row or column and loses
 * gap_extend for each diagonal between, and no H is above S. So the rule of skipping (skip_rule.h)
 * holds with the threshold S and this gain + S - V as the bound. docs/proofs/alignment.md has the
 * proof, and shows why the path is the same whatever was skipped.
 */
#ifndef CS_TRACE_H
#define CS_TRACE_H

#include <stdatomic.h>

#include <chromosweep/control.h>

#include "alignment/path.h"
#include "alignment/rows.h"
#include "alignment/walk.h"
#include "sweep/engine_class.h"

/* Told after each step how far the walk has come: to that node, and the path from there to the end,
 * not yet turned. started: the path is complete. */
typedef void (*CsTraceFunc)(const CsNode *node, const CsPath *path, gboolean started,
                            gpointer user_data);

/* What a trace took, for tests, without strips that were traced ahead. */
typedef struct {
    gint64 covered;  /* cells of sweeps, skipped ones included */
    gint64 computed; /* without skipped ones; a cell computed twice counts twice */
    gint64 walked;   /* cells that walk.h computed */
    gint64 ahead;    /* strips that were traced ahead, from the right node */
} CsTraceWork;

typedef struct {
    const CsRectangle *matrix;   /* rows, columns, scoring and tie order count */
    CsBest end;                  /* the best cell; its score is above 0 */
    CsRows *rows;                /* special rows of the matrix, or NULL */
    const CsEngineClass *engine; /* of the CPU */
    guint threads;
    /* Here 0 takes a value that is fast. */
    gint64 height, width; /* the largest rectangle for walk.h */
    gint64 short_cells;   /* the most cells to look at in case the alignment is short */
    gint64 block;         /* the least rows and columns of a block of a sweep */
    gint64 huge_cells;    /* so many cells of a strip are left to the caller, and get all threads */
    const gint *stop;     /* or NULL */
    gint *done;           /* NULL, or where it puts the share that is done, in millionths: atomic */
    gint *cost;      /* NULL, or where it puts the cost of all strips, in thousandths of that of
                             ordinary ones: atomic */
    CsNoteFunc note; /* told of damaged rows, or NULL */
    gpointer note_data;
    CsTraceFunc keep; /* or NULL; also called when it is stopped */
    gpointer keep_data;
    CsTraceWork *work;  /* NULL, or where it is added up */
    const CsNode *from; /* NULL, or where an earlier run stopped, as keep was told: path is given */
} CsTrace;

/*
 * Fills the path of the best alignment that ends there. A damaged row is dropped. Fails with
 * CS_ERROR_FAILED if rows are not rows of this matrix, with CS_ERROR_DEVICE if there is not enough
 * memory, and with CS_ERROR_STOPPED soon after *stop (if any) becomes nonzero. In any case path can
 * be cleared.
 */
gboolean cs_trace_run(const CsTrace *trace, CsPath *path, GError **error);

/* The same without rows, for a short alignment. *found is FALSE if the alignment is not short. */
gboolean cs_trace_run_short(const CsTrace *trace, CsPath *path, gboolean *found, GError **error);

/* The most rows that an alignment of at most so many columns, with this value at its end, can span in
 * a matrix that has enough of them. */
gint64 cs_trace_most_rows(const CsScoring *scoring, gint64 columns, CsScore value);

#endif
