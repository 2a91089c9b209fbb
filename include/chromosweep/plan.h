/* What a comparison will take, before it is begun. */
#ifndef CHROMOSWEEP_PLAN_H
#define CHROMOSWEEP_PLAN_H

#include <glib.h>

#include <chromosweep/compare.h>
#include <chromosweep/export.h>
#include <chromosweep/sequence.h>

G_BEGIN_DECLS

/**
 * CsPlan:
 * @cells: bases of the target times those of the query, twice that for both strands
 * @cells_done: of these, what the checkpoint covers already
 * @engine: (transfer none): that will compute
 * @device: (transfer none) (nullable): the GPU's name; %NULL when it is the CPU
 * @threads: CPU threads, as many as there is work for
 * @bits: of the arithmetic on a GPU; on the CPU of scores between blocks, which are computed in 8
 *   or 16 bits where these hold them
 * @block_rows: rows of blocks that the matrix of a strand is cut into
 * @block_columns: columns of them
 * @blocks_a_diagonal: blocks that may be at work at once
 * @block_height: bases; a block at an edge may be smaller, and so may each part of a resumed run
 * @block_width: likewise
 * @host_bytes: memory of the process, at most: the sum of the five that follow and of
 *   @host_bytes_skip
 * @host_bytes_program: libraries, stacks and the like
 * @host_bytes_sequences: of the bases
 * @host_bytes_buses: of the horizontal bus
 * @host_bytes_engine: of block states, or of a GPU's driver
 * @host_bytes_checkpoint: of what states are copied to and packed in; 0 without a checkpoint
 * @host_bytes_least: @host_bytes without copies that are only made when a stop comes amid a save,
 *   and without a GPU's driver
 * @host_bytes_available: what this process can have in all, what it holds now included, its cgroup
 *   and limits minded; -1: not known
 * @host_limit: (transfer none) (nullable): what bounds that, in words; %NULL: not known
 * @device_bytes: memory of the GPU, at most; 0 when it is the CPU
 * @disk_bytes: of the checkpoint's directory, at most; 0 without a checkpoint
 * @disk_bytes_expected: of it, as genomes pack as a rule
 * @disk_bytes_there: of it, what is there already
 * @disk_bytes_free: what can still be written there; -1: not known
 * @cells_a_second: as probed; 0 when it was not, or there are no cells
 * @seconds: for @cells at this speed, or those of @cells_expected, and @seconds_before; likewise
 * @seconds_left: for what is not done; likewise
 * @skip: what would be skipped; %CS_SKIP_AUTO where it was not found out
 * @lower_bound: as in #CsCompareResult; 0: none is used, or it was not found out
 * @cells_expected: cells that are likely to be computed for @cells, those that @lower_bound takes
 *   included; -1: not known. On pairs tried it was within a third of what a run then computed
 * @seconds_before: that it took here to find out what can be skipped, or was tried for: a run takes
 *   them before it sweeps; 0 without a probe
 * @host_bytes_skip: of @host_bytes, for finding out what can be skipped, as far as that is not
 *   given back before the sweep needs as much
 *
 * What cs_compare() would do with the same sequences and options, on this machine. Loading aside.
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
} CsPlan;

/* Seconds that suffice for a probe, as a rule. */
#define CS_PLAN_PROBE 3

/* Seconds at most in which it is found out how much can be skipped, as a run would; two cores can
 * do it for pairs up to some 100 Mb each. */
#define CS_PLAN_SKIP 60

/**
 * cs_plan:
 * @target: as for cs_compare(), like @query and @options
 * @query: likewise
 * @options: (nullable): likewise; @progress and @control are not called
 * @probe: for how many seconds at most the speed may be measured, on growing corners of the matrix
 *   and on the engine that will compute it: %CS_PLAN_PROBE, or 0 not to measure it, nor to find out
 *   how much can be skipped, which takes up to %CS_PLAN_SKIP seconds more
 * @plan: (out): filled on success, untouched on failure
 * @error: that of cs_compare() for what it would refuse before it sweeps; too little memory or disk
 *   is no error here but of cs_plan_check(). CS_ERROR_CHECKPOINT also where no state of the
 *   checkpoint is sound
 *
 * Leaves nothing behind: a checkpoint's directory is only tried.
 *
 * Returns: whether it succeeded
 */
CS_API gboolean cs_plan(const CsSequence *target, const CsSequence *query,
                        const CsCompareOptions *options, double probe, CsPlan *plan,
                        GError **error);

/**
 * cs_plan_check:
 * @plan: as cs_plan() filled it
 * @error: CS_ERROR_DEVICE where not three fifths of @host_bytes_least are available, which is an
 * upper bound: runs took about 80% of it; CS_ERROR_FAILED where more disk is expected to be
 * taken than is free or taken already
 *
 * cs_compare() fails likewise for want of memory; with too little disk it warns, and goes on
 * without saved states.
 *
 * Returns: whether the comparison can work
 */
CS_API gboolean cs_plan_check(const CsPlan *plan, GError **error);

G_END_DECLS

#endif
