/* What a long comparison reports while it runs, and how to steer it. */
#ifndef CHROMOSWEEP_CONTROL_H
#define CHROMOSWEEP_CONTROL_H

#include <glib.h>

#include <chromosweep/strand.h>

G_BEGIN_DECLS

/**
 * CsStage:
 * @CS_STAGE_SWEEP: the sweep, or nothing has begun
 * @CS_STAGE_SEEDS: finding seeds
 * @CS_STAGE_CHAIN: finding the best chain of seeds
 * @CS_STAGE_CORRIDOR: computing the corridor around the chain, for a lower bound
 * @CS_STAGE_BOUNDS: finding bounds; chain and corridor, which run at the same time, are done
 * @CS_STAGE_ROWS: sweeping once more as far as the end, because no rows were kept
 * @CS_STAGE_TRACE: tracing the alignment back from its end
 * @CS_STAGE_VERIFY: cs_align() proves the score a second time
 * @CS_STAGE_TILES: %CS_ALIGN_SET_ALL computes the tiles around the ends of alignments
 *
 * What a comparison is doing. The stages before a sweep find out what the sweep may skip. The last
 * four come after a sweep.
 */
typedef enum {
    CS_STAGE_SWEEP,
    CS_STAGE_SEEDS,
    CS_STAGE_CHAIN,
    CS_STAGE_CORRIDOR,
    CS_STAGE_BOUNDS,
    CS_STAGE_ROWS,
    CS_STAGE_TRACE,
    CS_STAGE_VERIFY,
    CS_STAGE_TILES,
} CsStage;

/**
 * CsProgress:
 * @cells_done: how many of @cells are finished, in this run and earlier ones; skipped cells count
 * @cells: cells of the whole matrix; for both strands, of both matrices
 * @seconds: seconds of computing, in this run and earlier ones
 * @score: the best score that the sweep has found so far
 * @target_end: last base of that alignment in the target, 1-based; 0 while @score is 0
 * @query_start: on minus, its first base in the query; else 0
 * @query_end: on plus, its last base in the query; else 0
 * @strand: strand of @score, %CS_STRAND_PLUS or %CS_STRAND_MINUS
 * @cells_before: the part of @cells_done from earlier runs. It does not count towards the speed,
 *   because those runs may have had another device
 * @seconds_before: the part of @seconds from earlier runs
 * @next_checkpoint: seconds until the next state is due; negative if none is
 * @cells_computed: cells that the sweeps of all runs really computed for @cells_done. Skipped cells
 *   do not count, and a cell computed twice counts twice
 * @cells_computed_before: the part of @cells_computed from earlier runs
 * @fraction: how much of the work is done, from 0 to 1: @cells_computed of @cells_expected. Stages
 *   after the sweeps count as well (%CS_PROGRESS_SWEEPS). It never falls, and it is 1 only when
 *   everything is done
 * @cells_expected: cells that the sweeps will have computed in the end, by a forecast that is
 *   corrected as the sweep goes on
 * @seconds_left: seconds until everything is done, at the latest speed, or in the stages before a
 *   sweep by a forecast; negative while not known
 * @elapsed: seconds since cs_compare() was called
 * @stage: what the comparison is doing
 * @stage_strand: the strand that @stage works on
 * @stage_seconds: seconds since @stage began; 0 for %CS_STAGE_SWEEP
 * @lower_bound: the score of an alignment that was found before the sweep; 0 if none is known
 */
typedef struct {
    gint64 cells_done;
    gint64 cells;
    double seconds;
    gint64 score;
    gint64 target_end;
    gint64 query_start;
    gint64 query_end;
    CsStrand strand;
    gint64 cells_before;
    double seconds_before;
    double next_checkpoint;
    gint64 cells_computed;
    gint64 cells_computed_before;
    double fraction;
    gint64 cells_expected;
    double seconds_left;
    double elapsed;
    CsStage stage;
    CsStrand stage_strand;
    double stage_seconds;
    gint64 lower_bound;
} CsProgress;

/* The share of the work that is done after the sweeps, if the alignment is traced back; and, if
 * cs_align() also proves the score a second time, after the sweeps and after the trace. */
#define CS_PROGRESS_SWEEPS 0.85
#define CS_PROGRESS_SWEEPS_VERIFIED 0.4
#define CS_PROGRESS_TRACED_VERIFIED 0.58

/**
 * CsProgressFunc:
 *
 * Called from the thread that called cs_compare(): once before anything is computed, then at most
 * about ten times a second, in the stages before a sweep too, and once when all cells are done.
 *
 * Returns: %FALSE to stop the comparison, which then fails with CS_ERROR_STOPPED; ignored when all
 *   cells are done
 */
typedef gboolean (*CsProgressFunc)(const CsProgress *progress, gpointer user_data);

/**
 * CsControl:
 * @CS_CONTROL_GO_ON: go on
 * @CS_CONTROL_SAVE: save the state as soon as possible and go on; no effect without a checkpoint
 * @CS_CONTROL_STOP: save the state if there is a checkpoint, and fail with CS_ERROR_STOPPED
 *
 * What a comparison should do next.
 */
typedef enum {
    CS_CONTROL_GO_ON,
    CS_CONTROL_SAVE,
    CS_CONTROL_STOP,
} CsControl;

/**
 * CsControlFunc:
 *
 * Called after each external diagonal, from the thread that called cs_compare(): usually many times
 * a second, at least every few seconds.
 */
typedef CsControl (*CsControlFunc)(gpointer user_data);

/**
 * CsNoteKind:
 * @CS_NOTE_DETAIL: to show on request only: why no GPU was taken, what takes long
 * @CS_NOTE_EVENT: what a user expects to see: where a run resumes, that a state was saved on
 *   request
 * @CS_NOTE_WARNING: something is wrong: a GPU computes wrongly, a state cannot be saved
 *
 * How important a note is.
 */
typedef enum {
    CS_NOTE_DETAIL,
    CS_NOTE_EVENT,
    CS_NOTE_WARNING,
} CsNoteKind;

/**
 * CsNoteFunc:
 * @kind: how important it is
 * @message: one line, without a newline
 *
 * Called with a message for the user, from the thread that called cs_compare().
 */
typedef void (*CsNoteFunc)(CsNoteKind kind, const char *message, gpointer user_data);

G_END_DECLS

#endif
