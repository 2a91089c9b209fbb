/* A plan: the memory, disk space and time that a comparison will take. */
#ifndef CHROMOSWEEP_PLAN_H
#define CHROMOSWEEP_PLAN_H

#include <glib.h>

#include <chromosweep/align_set.h>
#include <chromosweep/compare.h>
#include <chromosweep/export.h>
#include <chromosweep/sequence.h>

G_BEGIN_DECLS

/**
 * CsPlanMember:
 * @device: (transfer none): the device that was asked for, such as "cpu" or "gpu:0"
 * @threads: CPU threads that it gets; 0 if it is left alone or a GPU
 * @rows: rows of the matrix of one strand that it computes; 0 if it is left alone
 *
 * One of several devices that share a comparison.
 */
typedef struct {
    const char *device;
    guint threads;
    gint64 rows;
} CsPlanMember;

/* The most devices that a comparison can share. */
#define CS_PLAN_MEMBERS 64

/**
 * CsPlan:
 * @cells: bases of the target times those of the query, twice that for both strands
 * @cells_done: how many of these the checkpoint already covers
 * @engine: (transfer none): the engine that will compute
 * @device: (transfer none) (nullable): name of the GPU; %NULL for the CPU
 * @threads: CPU threads, no more than there is work for
 * @bits: width of the arithmetic on a GPU; on the CPU, of scores between blocks. Inside a block the
 *   CPU computes in 8 or 16 bits if these hold the scores
 * @block_rows: rows of blocks in the matrix of one strand
 * @block_columns: columns of blocks
 * @blocks_a_diagonal: blocks that are computed at the same time
 * @block_height: rows of a block, in bases; blocks at an edge may be smaller, and so may those of a
 *   resumed run
 * @block_width: columns of a block, likewise
 * @host_bytes: upper bound on the memory of the process: the sum of the next five and of
 *   @host_bytes_skip, and of @row_bytes without a checkpoint
 * @host_bytes_program: memory for libraries, stacks and the like
 * @host_bytes_sequences: memory for the bases
 * @host_bytes_buses: memory for the horizontal bus
 * @host_bytes_engine: memory for block states, or for the driver of a GPU
 * @host_bytes_checkpoint: memory for copies of a state and for packing it; 0 without a checkpoint
 * @host_bytes_least: @host_bytes without @host_bytes_skip, without the driver of a GPU, and without
 *   copies that are only made if a stop comes during a save
 * @host_bytes_available: memory that this process can have within its cgroup and limits, including
 *   what it holds now; -1 if not known
 * @host_limit: (transfer none) (nullable): what sets that limit, in words; %NULL if not known
 * @device_bytes: upper bound on the memory of the GPU; 0 for the CPU
 * @disk_bytes: upper bound on the size of the checkpoint; 0 without a checkpoint
 * @disk_bytes_expected: likely size of the checkpoint, if the states pack as those of genomes
 *   usually do
 * @disk_bytes_there: size of the checkpoint now
 * @disk_bytes_free: what can still be written there; -1 if not known
 * @cells_a_second: cells per second, as probed; 0 without a probe or without cells
 * @seconds: @seconds_before and the time for the sweeps at this speed, for @cells_expected if cells
 *   are skipped by bounds, otherwise for @cells, and for tracing the alignment back; with
 *   #CsCompareOptions.verify also for the proof. 0 without a probe
 * @seconds_left: time for what is not done yet, likewise: once a checkpoint has all cells, for the
 *   trace unless it is there, with a second sweep if there are no rows for it, and for the proof
 * @skip: how cells would be skipped; %CS_SKIP_AUTO if not known
 * @lower_bound: as in #CsCompareResult; 0 if none is used or if not known
 * @cells_expected: cells that are likely to be computed for @cells and for @lower_bound; -1 if not
 *   known. On the pairs that we tried it was within a third of what a run then computed
 * @seconds_before: how long it took here to work out what can be skipped, or to try; a run takes
 *   that time before it sweeps. 0 without a probe
 * @host_bytes_skip: the part of @host_bytes for working out what can be skipped; it does not count
 *   memory that is freed before the sweep needs as much
 * @row_bytes: what special rows take at most, which are kept to find the start; with a checkpoint
 *   this is part of @disk_bytes, else of @host_bytes, where @host_bytes_least leaves it out; 0 with
 *   #CsCompareOptions.no_start
 * @cells_most: of a set, cells that are likely to be computed at most, judging by sets of real genomes;
 *   0 if this is no set, or not known
 * @seconds_most: of a set, @seconds_left and what follows the first sweeps, at most; likewise, and 0 without
 *   a probe
 * @n_members: how many devices were asked for; 0 if #CsCompareOptions.device is not a list
 * @members: (array length=n_members): what each of them gets. A device for which there is no thread
 *   or no block is left alone
 *
 * What cs_compare() would do with the same sequences and options on this machine. Loading the
 * sequences does not count.
 */
typedef struct {
    gint64 cells;
    gint64 cells_done;
    const char *engine;
    const char *device;
    guint threads;
    guint bits;
    gint64 block_rows;
    gint64 block_columns;
    gint64 blocks_a_diagonal;
    gint64 block_height;
    gint64 block_width;
    gint64 host_bytes;
    gint64 host_bytes_program;
    gint64 host_bytes_sequences;
    gint64 host_bytes_buses;
    gint64 host_bytes_engine;
    gint64 host_bytes_checkpoint;
    gint64 host_bytes_least;
    gint64 host_bytes_available;
    const char *host_limit;
    gint64 device_bytes;
    gint64 disk_bytes;
    gint64 disk_bytes_expected;
    gint64 disk_bytes_there;
    gint64 disk_bytes_free;
    double cells_a_second;
    double seconds;
    double seconds_left;
    CsSkipMode skip;
    gint64 lower_bound;
    gint64 cells_expected;
    double seconds_before;
    gint64 host_bytes_skip;
    gint64 row_bytes;
    gint64 cells_most;
    double seconds_most;
    guint n_members;
    CsPlanMember members[CS_PLAN_MEMBERS];
} CsPlan;

/* Seconds that are usually enough for a probe. */
#define CS_PLAN_PROBE 3

/* The most seconds to spend on working out how much a run can skip, so that a plan takes at most two
 * minutes. Two cores would need four minutes for similar sequences of 30 and 36.3 Mb. */
#define CS_PLAN_SKIP 110

/**
 * cs_plan:
 * @target: as for cs_compare()
 * @query: likewise
 * @options: (nullable): likewise; progress and control are not called
 * @probe: seconds for measuring the speed of the engine on growing corners of the matrix, such as
 *   %CS_PLAN_PROBE. Working out how much can be skipped takes up to %CS_PLAN_SKIP seconds more.
 *   0 does neither
 * @plan: (out): filled on success, untouched on failure
 * @error: as in cs_compare() for anything that it would refuse before it sweeps, except a lack of
 *   memory or disk space, which cs_plan_check() reports; also CS_ERROR_CHECKPOINT if no state of
 *   the checkpoint is good
 *
 * Plans a comparison. Leaves nothing behind, and changes no state of a checkpoint. For circular records
 * it plans the comparison of the doubled sequences, which comes first and is usually the only one.
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_plan(const CsSequence *target, const CsSequence *query,
                        const CsCompareOptions *options, double probe, CsPlan *plan,
                        GError **error);

/**
 * cs_plan_set:
 * @target: as for cs_align_set()
 * @query: likewise
 * @options: (nullable): likewise
 * @set: which alignments
 * @probe: as for cs_plan()
 * @plan: (out): filled on success, untouched on failure
 * @error: as in cs_plan() and cs_align_set(); CS_ERROR_DEVICE also if the row budget is too small for
 *   %CS_ALIGN_SET_ALL
 *
 * Plans the first sweep of each strand of a set of alignments, and tells what follows at most; how many
 * alignments there are is not known before. For one-to-one, which then sweeps parts of these matrices again,
 * the plan is that of cs_compare(). All computes each matrix whole, and then, on the CPU, tiles around the
 * alignments, and again those that each alignment passes; @host_bytes_buses are the borders of the tiles, at
 * most. Of two circular records in a one-to-one set the most is not known.
 * What a checkpoint of a set already holds does not count.
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_plan_set(const CsSequence *target, const CsSequence *query,
                            const CsCompareOptions *options, const CsAlignSetOptions *set,
                            double probe, CsPlan *plan, GError **error);

/**
 * cs_plan_set_many:
 * @targets: (array length=n_targets): as for cs_align_set_many()
 * @n_targets: their number
 * @queries: (array length=n_queries): likewise
 * @n_queries: their number
 * @options: (nullable): likewise
 * @set: which alignments
 * @probe: as for cs_plan()
 * @plan: (out): filled on success, untouched on failure
 * @error: as in cs_plan_set() and cs_align_set_many()
 *
 * Plans a set between all records, as cs_plan_set() does. One-to-one, grid, memory and disk are those
 * of one matrix of all records. All, they are those of the longest target and query, and cells and
 * time are those of all pairs.
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_plan_set_many(const CsSequence *const *targets, guint n_targets,
                                 const CsSequence *const *queries, guint n_queries,
                                 const CsCompareOptions *options, const CsAlignSetOptions *set,
                                 double probe, CsPlan *plan, GError **error);

/**
 * cs_plan_check:
 * @plan: as cs_plan() filled it
 * @error: CS_ERROR_DEVICE if less than three fifths of @host_bytes_least is available (it is an
 *   upper bound: runs took about 60 to 75% of it); CS_ERROR_FAILED if the likely size of the checkpoint
 *   is more than the space that it already takes and that is free
 *
 * cs_compare() fails in the same way if there is not enough memory. If there is not enough disk
 * space, it warns and goes on without saving states.
 *
 * Returns: whether there is enough memory and disk space for the comparison
 */
CS_API gboolean cs_plan_check(const CsPlan *plan, GError **error);

G_END_DECLS

#endif
