/* Checkpoints: what a directory of them holds, and how to be rid of it. */
#ifndef CHROMOSWEEP_CHECKPOINT_H
#define CHROMOSWEEP_CHECKPOINT_H

#include <glib.h>

#include <chromosweep/export.h>
#include <chromosweep/scoring.h>
#include <chromosweep/skip.h>
#include <chromosweep/strand.h>

G_BEGIN_DECLS

/**
 * CsGeneration:
 * @number: counts up from 1
 * @file: its name within the directory
 * @bytes: of the file
 * @saved: when, in seconds since 1970
 * @cells_done: of the matrix's cells, for both strands of both matrices'
 * @rows_done: complete rows of the matrix as swept, the longer sequence along the rows; for both
 *   strands those of the matrix under way
 * @score: the best so far
 * @target_end: where it ends, 1-based; 0 while @score is 0
 * @query_end: likewise
 * @seconds: of computing that went into it
 * @fault: (nullable): why it cannot be used; %NULL: every checksum is right
 * @strand: %CS_STRAND_PLUS or %CS_STRAND_MINUS: that of the best
 * @under_way: likewise: that of the matrix under way
 * @skip: what the last session did on that strand, as in #CsStrandResult; %CS_SKIP_AUTO where it is
 *   not known
 * @of_another: whether @fault is that it is of another comparison: then nothing is damaged
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
    gint64 query_end;
    double seconds;
    char *fault;
    CsStrand strand;
    CsStrand under_way;
    CsSkipMode skip;
    gboolean of_another;
} CsGeneration;

/**
 * CsCheckpointInfo:
 * @format_version: of the files, 1
 * @program_version: that wrote them
 * @target_file: (nullable): absolute; %NULL when it was made in memory, "-" for standard input
 * @query_file: (nullable): likewise
 * @target_name: the record's
 * @query_name: the record's
 * @target_length: bases compared: of a region, the region's
 * @query_length: likewise
 * @target_digest: of the bases, as 32 hexadecimal digits (docs/formats.md)
 * @query_digest: likewise
 * @strand: "+", "-" or "both"
 * @scoring: of the comparison
 * @memo: (nullable): what the caller left there, CsCompareOptions.memo
 * @holder: (nullable): who uses the directory now, such as "process 4711 on node17"
 * @fault: (nullable): what is wrong with the manifest; the rest then comes from the newest
 *   generation that is good
 * @generations: (array length=n_generations): the newest first
 * @n_generations: how many
 * @target_from: the region's first base in the record, 1-based; 0: the whole record
 * @target_to: its last one; 0: the whole record
 * @query_from: likewise
 * @query_to: likewise
 *
 * What a directory of checkpoints holds.
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
} CsCheckpointInfo;

/**
 * cs_checkpoint_info_new:
 * @directory: as in CsCompareOptions.checkpoint
 * @verify: whether to read every generation whole and check all of its checksums; if not, only
 *   heads are read
 * @error: CS_ERROR_FAILED when there is no such directory or it cannot be read,
 *   CS_ERROR_CHECKPOINT when it holds no checkpoint or none of a version that this program reads
 *
 * Tells what a directory holds, whether or not a run uses it, without changing anything there.
 *
 * Returns: (transfer full) (nullable): %NULL with @error set
 */
CS_API CsCheckpointInfo *cs_checkpoint_info_new(const char *directory, gboolean verify,
                                                GError **error);
CS_API void cs_checkpoint_info_free(CsCheckpointInfo *info);

/**
 * cs_checkpoint_remove:
 * @directory: as in CsCompareOptions.checkpoint
 * @error: CS_ERROR_CHECKPOINT when a run uses it, CS_ERROR_FAILED when something cannot be removed
 *
 * Removes what chromosweep wrote into the directory, and the directory if nothing else is there.
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_checkpoint_remove(const char *directory, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCheckpointInfo, cs_checkpoint_info_free)

/**
 * CsCheckpointPairs:
 *
 * A directory in which each of many comparisons has a checkpoint in a folder of its own, with a
 * lock on all of it.
 */
typedef struct _CsCheckpointPairs CsCheckpointPairs;

/**
 * cs_checkpoint_pairs_open:
 * @directory: made where only its last component is missing
 * @error: CS_ERROR_CHECKPOINT when another run has it open, or when it is of one comparison alone;
 *   CS_ERROR_USAGE when it holds other files and no checkpoint; CS_ERROR_FAILED when it cannot be
 *   made. One that can only be read is enough for pairs that are
 *   done
 *
 * Returns: (transfer full) (nullable): %NULL with @error set
 */
CS_API CsCheckpointPairs *cs_checkpoint_pairs_open(const char *directory, GError **error);

/**
 * cs_checkpoint_pairs_close:
 * @pairs: (nullable) (transfer full): what cs_checkpoint_pairs_open() gave
 * @remove: whether to remove the directory where nothing is left in it; one that was made for
 *   @pairs goes then anyhow
 */
CS_API void cs_checkpoint_pairs_close(CsCheckpointPairs *pairs, gboolean remove);

/** cs_checkpoint_is_of_pairs: whether the directory is one for many pairs. */
CS_API gboolean cs_checkpoint_is_of_pairs(const char *directory);

/** cs_checkpoint_pairs_check: fails as cs_checkpoint_pairs_open() does where it is of one alone, or
 * where it holds other files and no checkpoint. */
CS_API gboolean cs_checkpoint_pairs_check(const char *directory, GError **error);

G_END_DECLS

#endif
