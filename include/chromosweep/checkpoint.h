/* Checkpoints: what one holds, and how to remove it. */
#ifndef CHROMOSWEEP_CHECKPOINT_H
#define CHROMOSWEEP_CHECKPOINT_H

#include <glib.h>

#include <chromosweep/circular.h>
#include <chromosweep/export.h>
#include <chromosweep/scoring.h>
#include <chromosweep/skip.h>
#include <chromosweep/strand.h>

G_BEGIN_DECLS

/**
 * CsGeneration:
 * @number: counts up from 1
 * @file: its name within the folder
 * @bytes: size of the file
 * @saved: when it was saved, in seconds since 1970
 * @cells_done: cells that it covers; with both strands, cells of both matrices
 * @rows_done: complete rows of the matrix as swept, with the longer sequence along the rows; with
 *   both strands, rows of the matrix that is being swept
 * @score: the best score so far; 0 if there is none
 * @target_end: last base of that alignment in the target, 1-based; 0 while @score is 0
 * @query_start: on minus, its first base in the query; else 0
 * @query_end: on plus, its last base in the query; else 0
 * @seconds: seconds of computing that went into it, in all runs
 * @fault: (nullable): why it cannot be used; %NULL if every checksum is right
 * @strand: strand of @score, %CS_STRAND_PLUS or %CS_STRAND_MINUS
 * @under_way: strand of the matrix that is being swept, likewise
 * @skip: how the last run skipped cells of that strand, as in #CsStrandResult; %CS_SKIP_AUTO
 *   if not known
 * @of_another: whether the only @fault is that the state belongs to another comparison; then
 *   nothing is damaged
 * @fraction: how much of the work was done, as in #CsProgress; once all cells are computed, how much
 *   is done, also in the stages after the sweeps. 0 if it has a @fault
 * @traced: how much of tracing the alignments back is done, from 0 to 1; 0 while not
 *   all cells are computed
 * @proved: how much of proving the score a second time is done, likewise; 1 once cs_align() has
 *   proved it
 * @min_score: as in #CsCompareOptions, the highest of all runs that led to it: nothing is known of lower scores
 *
 * One saved state.
 */
typedef struct {
    gint64 number;
    char *file;
    gint64 bytes;
    gint64 saved;
    gint64 cells_done;
    gint64 rows_done;
    gint64 score;
    gint64 target_end;
    gint64 query_start;
    gint64 query_end;
    double seconds;
    char *fault;
    CsStrand strand;
    CsStrand under_way;
    CsSkipMode skip;
    gboolean of_another;
    double fraction;
    double traced;
    double proved;
    gint64 min_score;
} CsGeneration;

/**
 * CsCheckpointSet:
 * @all: whether the rule is %CS_ALIGN_SET_ALL; else it is %CS_ALIGN_SET_ONE_TO_ONE
 * @self: as in #CsAlignSetOptions
 * @max_drop: the drop at which alignments are split; -1 with @all, or if they are not split
 * @min_score: as in #CsAlignSetOptions, of the last run, but at least 1
 * @most: as in #CsAlignSetOptions, of the last run
 * @alignments: how many were found so far, on all strands. Before the set is @complete there may be
 *   more than @most, with @all or if alignments are split
 * @fraction: about how much of the work was done, from 0 to 1; the number of alignments is not known
 *   before the end
 * @complete: whether nothing is left to find within these limits
 * @sweep: how much is done of the sweep that the next run continues, from 0 to 1; -1 if it begins a
 *   new one, or, with @all, continues with the parts of the matrix that are kept
 *
 * How far a set of alignments has come (cs_align_set()).
 */
typedef struct {
    gboolean all;
    gboolean self;
    gint64 max_drop;
    gint64 min_score;
    gint64 most;
    gint64 alignments;
    double fraction;
    gboolean complete;
    double sweep;
} CsCheckpointSet;

/**
 * CsCheckpointInfo:
 * @format_version: version of the files' format, 1
 * @program_version: version of the program that wrote them
 * @target_file: (nullable): absolute path; "-" for standard input, %NULL if made in memory
 * @query_file: (nullable): likewise
 * @target_name: name of the record
 * @query_name: likewise
 * @target_length: number of bases compared; with a region, bases of the region
 * @query_length: likewise
 * @target_digest: digest of these bases, 32 hexadecimal digits (docs/formats.md)
 * @query_digest: likewise
 * @strand: "+", "-" or "both"
 * @scoring: scoring of the comparison
 * @memo: (nullable): what the caller left there (CsCompareOptions.memo)
 * @holder: (nullable): who uses the folder now, such as "process 4711 on node17"
 * @fault: (nullable): what is wrong with the manifest; everything else then comes from the newest
 *   good generation
 * @generations: (array length=n_generations): the saved states, newest first
 * @n_generations: number of saved states
 * @target_from: first base of the region in the record, 1-based; 0 for the whole record
 * @target_to: last base of the region; 0 for the whole record
 * @query_from: likewise
 * @query_to: likewise
 * @set: (nullable): the set of alignments that is being found, or was; the saved states then cover
 *   no cells unless the sequences were also compared
 * @circular: which records are circular. Then the saved states cover no cells, and their fraction and
 *   score, without its place, are those of the search on circles
 *
 * What a checkpoint holds.
 */
typedef struct {
    gint64 format_version;
    char *program_version;
    char *target_file;
    char *query_file;
    char *target_name;
    char *query_name;
    gint64 target_length;
    gint64 query_length;
    char *target_digest;
    char *query_digest;
    char *strand;
    CsScoring scoring;
    char *memo;
    char *holder;
    char *fault;
    CsGeneration *generations;
    guint n_generations;
    gint64 target_from;
    gint64 target_to;
    gint64 query_from;
    gint64 query_to;
    CsCheckpointSet *set;
    CsCircular circular;
} CsCheckpointInfo;

/**
 * cs_checkpoint_info_new:
 * @directory: as in CsCompareOptions.checkpoint
 * @verify: whether to read every generation in full and check all its checksums; otherwise only the
 *   heads are read
 * @error: CS_ERROR_FAILED if the folder does not exist or cannot be read, CS_ERROR_CHECKPOINT if it
 *   holds no checkpoint, or only one of a version that this library cannot read
 *
 * Reads what a checkpoint holds, even while a run uses it. Changes nothing.
 *
 * Returns: (transfer full) (nullable): %NULL with @error set
 */
CS_API CsCheckpointInfo *cs_checkpoint_info_new(const char *directory, gboolean verify,
                                                GError **error);
CS_API void cs_checkpoint_info_free(CsCheckpointInfo *info);

/**
 * cs_checkpoint_remove:
 * @directory: as in CsCompareOptions.checkpoint
 * @error: CS_ERROR_CHECKPOINT if a run uses it, CS_ERROR_FAILED if something cannot be removed
 *
 * Removes what chromosweep wrote into the folder, then the folder itself if it is empty.
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_checkpoint_remove(const char *directory, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCheckpointInfo, cs_checkpoint_info_free)

/**
 * CsCheckpointPairs:
 *
 * A locked folder that holds the checkpoints of many comparisons, each in a folder of its own.
 */
typedef struct _CsCheckpointPairs CsCheckpointPairs;

/**
 * cs_checkpoint_pairs_open:
 * @directory: created if only its last component is missing
 * @error: CS_ERROR_CHECKPOINT if another run has it open, or if it is the checkpoint of a single
 *   comparison; CS_ERROR_USAGE if it holds other files and no checkpoint; CS_ERROR_FAILED if it
 *   cannot be created. A read-only folder is accepted, because pairs that are done need no writing
 *
 * Returns: (transfer full) (nullable): %NULL with @error set
 */
CS_API CsCheckpointPairs *cs_checkpoint_pairs_open(const char *directory, GError **error);

/**
 * cs_checkpoint_pairs_close:
 * @pairs: (nullable) (transfer full): from cs_checkpoint_pairs_open()
 * @remove: whether to remove the folder if it is empty; an empty folder that was created for @pairs
 *   is removed in any case
 */
CS_API void cs_checkpoint_pairs_close(CsCheckpointPairs *pairs, gboolean remove);

/** cs_checkpoint_is_of_pairs: whether the folder holds the checkpoints of many pairs. */
CS_API gboolean cs_checkpoint_is_of_pairs(const char *directory);

/** cs_checkpoint_pairs_check: fails, as cs_checkpoint_pairs_open() does, if the folder is the
 * checkpoint of a single comparison, or if it holds other files and no checkpoint. */
CS_API gboolean cs_checkpoint_pairs_check(const char *directory, GError **error);

G_END_DECLS

#endif
