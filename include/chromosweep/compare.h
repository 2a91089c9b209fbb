/* The main job: the best local alignment of two sequences, its score and where it ends. */
#ifndef CHROMOSWEEP_COMPARE_H
#define CHROMOSWEEP_COMPARE_H

#include <glib.h>

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
 * @engine: (nullable): an engine's name; %NULL or "auto" takes the best one that works here
 * @threads: CPU threads; 0 takes cs_threads_granted()
 * @progress: (nullable): called as the sweep goes on
 * @progress_data: handed to @progress
 * @device: (nullable): what to run on, as in chromosweep/device.h; %NULL or "auto" takes a GPU if
 *   one works and has room for the problem, else the CPU. A GPU asked for by name is taken or the
 *   comparison fails
 * @grid_blocks: B, blocks on a diagonal; 0 is as suits, here and below. Any grid gives the same
 *   result
 * @grid_threads: T, threads of a GPU's block, at most 1024; the CPU ignores it, but not the rows
 * below
 * @grid_alpha: rows a thread, so that a block has this many times T rows; needs @grid_threads
 * @note: (nullable): told what is worth knowing
 * @note_data: handed to @note
 * @bits: width of the arithmetic, for experiments: 16, 32 or 64, or the comparison fails where no
 *   engine that may be taken has it or where it cannot hold the scores; 0 is as suits
 * @checkpoint: (nullable): a directory, made if missing, in which the state is saved and from which
 *   an earlier run of the same comparison is resumed; %NULL: nothing is written
 * @checkpoint_interval: seconds between two saved states; 0 is %CS_CHECKPOINT_INTERVAL
 * @checkpoint_fresh: begin anew beside what the directory holds
 * @memo: (nullable): UTF-8, kept in the checkpoint as it is (CsCheckpointInfo.memo)
 * @control: (nullable): whether to save or to stop
 * @control_data: handed to @control
 * @strand: of the query
 * @one_of_many: whether this is one of many pairs, of which most may be unrelated: no note says so
 * @skip: what need not be computed
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
} CsCompareOptions;

#define CS_CHECKPOINT_INTERVAL 600

/* All else is 0. C++ before C++20 names no members. */
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
 * @all: what it took to find out what a sweep may skip, in this session
 * @seeds: of these, for matches that an alignment found first may be made of; like what follows 0
 *   where the stage was not run
 * @chain: for the best row of them
 * @corridor: for the best alignment near it, whose score is the lower bound
 * @bounds: for what alignments can still gain, beside chain and corridor
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
 * @computed: whether this strand was asked for; the rest is 0 if not
 * @score: as in #CsCompareResult, of this strand
 * @target_end: likewise
 * @query_end: likewise
 * @skip: what was done, by the last session that swept it; %CS_SKIP_AUTO where that is not known,
 *   from a checkpoint of a version that did not tell
 * @lower_bound: the score of a real alignment that was known before the sweep; 0: none was used
 * @cells_computed: as in #CsCompareResult, of this strand; -1 where that is not known
 * @seconds: of its sweep, in all sessions; -1 where that is not known
 * @stages: before its sweep; what both strands share counts for the first
 */
typedef struct {
    gboolean computed;
    gint64 score;
    gint64 target_end;
    gint64 query_end;
    CsSkipMode skip;
    gint64 lower_bound;
    gint64 cells_computed;
    double seconds;
    CsStageSeconds stages;
} CsStrandResult;

/**
 * CsCompareResult:
 * @score: of the best local alignment, >= 0
 * @target_end: its last base in the target, 1-based in the whole record, also where the sequence
 *   is a region of one; 0 when @score is 0
 * @query_end: its last base in the query, likewise; on minus the last one as the alignment is
 *   read, which is its smallest position
 * @cells: bases of the target times those of the query, twice that for both strands
 * @cells_computed: cells really computed, reruns included, of all sessions of a resumed run
 * @seconds: the sweep alone, of all sessions
 * @engine: (transfer none): the engine that computed it
 * @threads: CPU threads that it used: fewer than asked for where a small matrix has no work for
 * more
 * @device: (transfer none) (nullable): the GPU's name; %NULL when it was the CPU
 * @cells_resumed: cells that a checkpoint already covered
 * @strand: %CS_STRAND_PLUS or %CS_STRAND_MINUS: that of the result
 * @strands: what each strand has, by %CS_STRAND_PLUS and %CS_STRAND_MINUS
 * @skip: what was done on the strand of the result, as in #CsStrandResult
 * @lower_bound: likewise
 * @stages: before the sweeps, of all strands
 * @cells_corridor: of @cells_computed those that lower bounds took: @seconds has no part in them
 */
typedef struct {
    gint64 score;
    gint64 target_end;
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
} CsCompareResult;

/**
 * cs_compare:
 * @target: S0 of the CUDAlign paper
 * @query: S1
 * @options: (nullable): %NULL is %CS_COMPARE_OPTIONS_INIT
 * @result: (out): filled on success, untouched on failure
 * @error: CS_ERROR_USAGE when the scoring or another option makes no sense, when scores could
 * overflow, when engine and device contradict each other, or when the checkpoint's directory holds
 * other files and no checkpoint, CS_ERROR_DEVICE when the device, the
 * engine or the memory is not to be had, CS_ERROR_STOPPED when @progress or @control asked to stop,
 * CS_ERROR_CHECKPOINT when the checkpoint is damaged, in use or of another comparison,
 * CS_ERROR_FAILED when its directory cannot be written, or a last state could not be saved
 *
 * Finds the best local alignment (Smith-Waterman with affine gaps, exact). Among the cells that
 * have the best score it reports the one with the smallest target end, then the smallest query end
 * (on minus the smallest in the reverse complement, which is the largest on the forward strand),
 * whatever the engine and the number of threads. Memory: at most 16 bytes for each base of the
 * shorter sequence (8 wherever scores fit 32 bits) plus less than a megabyte a thread. With a
 * checkpoint a GPU needs as much on the host, and each saved state in turn twice as much again,
 * three times while a resumed run still fills the staircase.
 *
 * What can be told beforehand is refused before anything is computed, too little memory included
 * (chromosweep/plan.h tells the figures).
 *
 * Before a GPU is trusted with what it will need more than a minute for, it must pass the test of
 * cs_device_test().
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_compare(const CsSequence *target, const CsSequence *query,
                           const CsCompareOptions *options, CsCompareResult *result,
                           GError **error);

G_END_DECLS

#endif
