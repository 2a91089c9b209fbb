/* The score of the best local alignment of two sequences, and where it starts and ends. */
#ifndef CHROMOSWEEP_COMPARE_H
#define CHROMOSWEEP_COMPARE_H

#include <glib.h>

#include <chromosweep/circular.h>
#include <chromosweep/control.h>
#include <chromosweep/export.h>
#include <chromosweep/scoring.h>
#include <chromosweep/sequence.h>
#include <chromosweep/skip.h>
#include <chromosweep/strand.h>

G_BEGIN_DECLS

/**
 * CsCompareOptions:
 * @scoring: match, mismatch and gaps
 * @engine: (nullable): name of an engine; %NULL or "auto" takes the best one that works here
 * @threads: CPU threads; 0 takes cs_threads_granted()
 * @progress: (nullable): called during the sweep
 * @progress_data: passed to @progress
 * @device: (nullable): what to run on, as in chromosweep/device.h. %NULL or "auto" takes a GPU if
 *   one works and has enough memory for the problem, else the CPU. If @device names a GPU, that GPU
 *   computes or the comparison fails
 * @grid_blocks: B, blocks per external diagonal; here and below 0 lets the engine choose. Every
 *   grid gives the same result
 * @grid_threads: T, threads per CUDA block, at most 1024. A CPU uses it only with @grid_alpha
 * @grid_alpha: rows per thread: a block has @grid_alpha * T rows; needs @grid_threads
 * @note: (nullable): called with messages for the user
 * @note_data: passed to @note
 * @bits: width of the arithmetic, for experiments: 16, 32 or 64. The comparison fails if no
 *   eligible engine has that width, or if it cannot hold the scores. 0 lets the engine choose
 * @checkpoint: (nullable): a folder to save the state in, created if missing. If it holds a state
 *   of the same comparison, the comparison resumes from it. %NULL saves nothing
 * @checkpoint_interval: seconds between two saved states; 0 is %CS_CHECKPOINT_INTERVAL
 * @checkpoint_fresh: start over; the newest old state is kept until the new run is complete
 * @memo: (nullable): UTF-8, kept in the checkpoint unchanged (CsCheckpointInfo.memo)
 * @control: (nullable): asked whether to save or to stop
 * @control_data: passed to @control
 * @strand: which strand of the query to compare
 * @one_of_many: whether this is one of many pairs. Most of them may be unrelated, so no note warns
 *   that these two seem to be
 * @skip: which cells may be skipped
 * @row_budget: bytes that special rows may take, which are kept to trace the alignment back: in the
 *   checkpoint if there is one, else in memory, or in a temporary file if that is more than a
 *   quarter of the free memory. 0 chooses by what is free, negative: none are kept. If few are kept,
 *   the matrix is swept a second time, for rows in the same place. Those may take 32 MiB and 4 bytes
 *   for each base of the shorter sequence even if @row_budget is less. The budget changes how long the
 *   alignment takes, never the alignment
 * @no_start: do not find where the alignment starts, which takes a little more time and memory than
 *   the sweep alone
 * @verify: only for cs_align(): prove the score a second time by a sweep of the reversed sequences,
 *   which takes about as long as the first. With a checkpoint a later run goes on with it, and does
 *   not repeat it once it is complete
 * @circular: which records are circular. Alignments may then run over the origin, and have each base
 *   at most once. Starts are positions in the record; an end beyond the record's length stands for
 *   that position minus the length. Circular records are compared whole, not a region, and without
 *   @verify
 * @min_score: lower scores do not matter, so cells that cannot reach it may be skipped; 0: all
 *   matter. Cannot be used with @verify. A result that scores less says no more than that: see
 *   #CsCompareResult.below
 *
 * Initialise with %CS_COMPARE_OPTIONS_INIT, so that later members get their defaults.
 */
typedef struct {
    CsScoring scoring;
    const char *engine;
    guint threads;
    CsProgressFunc progress;
    gpointer progress_data;
    const char *device;
    guint grid_blocks;
    guint grid_threads;
    guint grid_alpha;
    CsNoteFunc note;
    gpointer note_data;
    guint bits;
    const char *checkpoint;
    double checkpoint_interval;
    gboolean checkpoint_fresh;
    const char *memo;
    CsControlFunc control;
    gpointer control_data;
    CsStrand strand;
    gboolean one_of_many;
    CsSkipMode skip;
    gint64 row_budget;
    gboolean no_start;
    gboolean verify;
    CsCircular circular;
    gint64 min_score;
} CsCompareOptions;

#define CS_CHECKPOINT_INTERVAL 600

/* All other members are 0. C++ before C++20 has no designated initialisers. */
#ifdef __cplusplus
static inline CsCompareOptions
cs_compare_options_init()
{
    CsCompareOptions options = {};
    options.scoring = CS_SCORING_DEFAULT;
    options.strand = CS_STRAND_PLUS;
    options.skip = CS_SKIP_AUTO;
    return options;
}
#define CS_COMPARE_OPTIONS_INIT cs_compare_options_init()
#else
#define CS_COMPARE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        .scoring = CS_SCORING_DEFAULT, .strand = CS_STRAND_PLUS, .skip = CS_SKIP_AUTO              \
    }
#endif

/**
 * CsStageSeconds:
 * @all: all stages of this run together
 * @seeds: finding exact matches; here and below 0 means that the stage was left out
 * @chain: finding the best chain of seeds
 * @corridor: finding the best alignment near the chain, whose score is the lower bound
 * @bounds: finding what alignments can still gain, at the same time as chain and corridor
 *
 * Seconds that the stages before a sweep took. They find out what the sweep may skip.
 */
typedef struct {
    double all;
    double seeds;
    double chain;
    double corridor;
    double bounds;
} CsStageSeconds;

/**
 * CsStrandResult:
 * @computed: whether this strand was asked for; if not, all other members are 0
 * @score: as in #CsCompareResult, for this strand
 * @target_start: likewise
 * @target_end: likewise
 * @query_start: likewise
 * @query_end: likewise
 * @skip: how the last run that swept this strand skipped cells; %CS_SKIP_AUTO if not known, because
 *   the checkpoint is from a version that did not record it
 * @lower_bound: score of a real alignment that was known before the sweep; 0 if none was used
 * @cells_computed: as in #CsCompareResult, for this strand; -1 if not known
 * @seconds: seconds of its sweep, in all runs; -1 if not known
 * @stages: the stages before its sweep; work that both strands share counts for the first one
 * @below: if not 0, the strand scores less than this, and all that is known is that: @score, starts
 *   and ends are 0
 *
 * The result of one strand.
 */
typedef struct {
    gboolean computed;
    gint64 score;
    gint64 target_start;
    gint64 target_end;
    gint64 query_start;
    gint64 query_end;
    CsSkipMode skip;
    gint64 lower_bound;
    gint64 cells_computed;
    double seconds;
    CsStageSeconds stages;
    gint64 below;
} CsStrandResult;

/**
 * CsCompareResult:
 * @score: score of the best local alignment, >= 0
 * @target_start: first aligned base of the target, 1-based in the whole record, even if the sequence
 *   is a region; 0 if @score is 0 or with #CsCompareOptions.no_start
 * @target_end: last aligned base of the target, at least @target_start; 0 if @score is 0
 * @query_start: first aligned base of the query on its forward strand; 0 if @score is 0, or, on plus,
 *   with #CsCompareOptions.no_start
 * @query_end: last aligned base of the query, at least @query_start; 0 if @score is 0, or, on minus,
 *   with #CsCompareOptions.no_start: on minus the alignment reads from @query_end down to
 *   @query_start
 * @cells: bases of the target times those of the query, twice that for both strands
 * @cells_computed: cells computed in all runs of the comparison; a cell computed twice counts twice
 * @seconds: seconds of the sweeps alone, in all runs
 * @engine: (transfer none): the engine that computed
 * @threads: CPU threads used: fewer than asked for if a small matrix has no work for more
 * @device: (transfer none) (nullable): name of the GPU; %NULL for the CPU
 * @cells_resumed: cells that a checkpoint already covered
 * @strand: strand of the result, %CS_STRAND_PLUS or %CS_STRAND_MINUS
 * @strands: the result of each strand, by %CS_STRAND_PLUS and %CS_STRAND_MINUS
 * @skip: how cells of the result's strand were skipped, as in #CsStrandResult
 * @lower_bound: lower bound for the result's strand, as in #CsStrandResult
 * @stages: the stages before the sweeps of all strands
 * @cells_corridor: how many of @cells_computed were computed for lower bounds and bounds,
 *   outside @seconds
 * @below: if not 0, all strands score less than this, which is #CsCompareOptions.min_score: @score,
 *   starts and ends are 0
 *
 * What a comparison found.
 */
typedef struct {
    gint64 score;
    gint64 target_start;
    gint64 target_end;
    gint64 query_start;
    gint64 query_end;
    gint64 cells;
    gint64 cells_computed;
    double seconds;
    const char *engine;
    guint threads;
    const char *device;
    gint64 cells_resumed;
    CsStrand strand;
    CsStrandResult strands[2];
    CsSkipMode skip;
    gint64 lower_bound;
    CsStageSeconds stages;
    gint64 cells_corridor;
    gint64 below;
} CsCompareResult;

/**
 * cs_compare:
 * @target: S0 of the CUDAlign paper
 * @query: S1
 * @options: (nullable): %NULL is %CS_COMPARE_OPTIONS_INIT
 * @result: (out): filled on success, untouched on failure
 * @error: CS_ERROR_USAGE if the scoring or another option makes no sense, if scores could overflow,
 *   if engine and device contradict each other, or if the checkpoint's folder holds other files and
 *   no checkpoint; CS_ERROR_DEVICE if the device, the engine or enough memory is not available;
 *   CS_ERROR_STOPPED if @progress or @control asked to stop; CS_ERROR_CHECKPOINT if the checkpoint
 *   is damaged, in use, or of another comparison; CS_ERROR_FAILED if its folder cannot be written,
 *   or if the last state could not be saved
 *
 * Finds the best local alignment (Smith-Waterman with affine gaps, exact). If several have the best
 * score, it takes the one that ends first in the target; of these, the one that ends first in the
 * query as read (on minus in its reverse complement). cs_align() says which one it is of those with
 * the same end. The result is the same with every engine and any number of threads.
 *
 * Memory, besides the sequences: at most 16 bytes for each base of the shorter sequence (8 if
 * scores fit 32 bits), less than a megabyte per thread, and about 16 megabytes. The rows that are
 * kept to find the start take at most #CsCompareOptions.row_budget. The search for what can be
 * skipped takes more before the sweep: up to 20 bytes for each base of the shorter sequence, and up
 * to 50 megabytes for short sequences. A pair of 1 Mb each took 46 megabytes in all. If
 * memory is short, the search gives way and a note says so. With a checkpoint, a GPU needs the 16
 * or 8 bytes on the host too. Each save needs twice as much again while it lasts, or three times
 * while a resumed run still fills the staircase.
 *
 * Every problem that can be known in advance is reported before anything is computed, including
 * that there is not enough memory (chromosweep/plan.h has the figures).
 *
 * A GPU that will compute for more than a minute must first pass cs_device_test().
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_compare(const CsSequence *target, const CsSequence *query,
                           const CsCompareOptions *options, CsCompareResult *result,
                           GError **error);

G_END_DECLS

#endif
