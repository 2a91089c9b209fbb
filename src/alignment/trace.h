/*
 * From the end of the best alignment back to its start, in linear memory.
 *
 *       row 0    +---------------------------+
 *                |   .                       |     The path is traced strip by strip, from the last
 *       row 64   |---[=strip=]---------------|     row to the first. A strip is swept forward once
 *                |          \                |     more, from the row above it to the node where
 *       row 128  |----------[=strip==]-------|     the path enters from below, and hands out at
 *                |                   \       |     most 16 rows of its own; and so on until it is
 *                |                   end     |     small enough for walk.h.
 *                +---------------------------+
 *
 * Special rows are a cache (rows.h). With none of them the whole matrix as far as the end is one
 * strip. A strip much wider than high is split by columns: then the sweep is of the transposed
 * strip.
 *
 * What is swept is only what can matter. Let S be the best score and V the value of the node. On
 * the way to the node nothing gains more than a match a row or column, and no H is above S; so the
 * rule of skipping (skip_rule.h) holds with the threshold S and the bound match * (rows left) + S -
 * V. docs/proofs/alignment.md has the proof, and why the path is the same whatever was skipped.
 */
#ifndef CS_TRACE_H
#define CS_TRACE_H

#include <chromosweep/control.h>

#include "alignment/path.h"
#include "alignment/rows.h"
#include "sweep/engine_class.h"

typedef struct {
    const CsRectangle *matrix;   /* rows, columns, scoring and tie order count */
    CsBest end;                  /* the best cell, above score 0 */
    CsRows *rows;                /* special rows of the matrix, or NULL */
    const CsEngineClass *engine; /* of the CPU */
    guint threads;
    gint64 height, width; /* of what walk.h takes, at most; 0: as is fast */
    gint64 short_cells;   /* looked at for an alignment that may be short; 0: likewise */
    gint64 block;         /* rows and columns of a block of a sweep, at least; 0: likewise */
    const gint *stop;     /* or NULL */
    gint *done;           /* NULL, or where it puts the share that is done, in millionths: atomic */
    CsNoteFunc note;      /* told of damaged rows, or NULL */
    gpointer note_data;
} CsTrace;

/*
 * Fills the path of the best alignment that ends there. A row that is damaged is dropped. Fails with
 * CS_ERROR_FAILED where rows are not the matrix's own, CS_ERROR_DEVICE when there is no memory,
 * CS_ERROR_STOPPED soon after *stop becomes other than 0; path may be cleared in any case.
 */
gboolean cs_trace_run(const CsTrace *trace, CsPath *path, GError **error);

/* The same without rows, where the alignment is short; *found is FALSE where it is not. */
gboolean cs_trace_run_short(const CsTrace *trace, CsPath *path, gboolean *found, GError **error);

#endif
