/* A plan of cs_identity(): the memory and time that it will take. */
#ifndef CHROMOSWEEP_IDENTITY_PLAN_H
#define CHROMOSWEEP_IDENTITY_PLAN_H

#include <glib.h>

#include <chromosweep/export.h>
#include <chromosweep/identity.h>

G_BEGIN_DECLS

/**
 * CsIdentityPlan:
 * @summary: what will be compared, and how; `first`, `second` and `matrix` are %NULL, and what depends on the
 *   pairs that are computed is 0
 * @first_letters: letters of the first file
 * @second_letters: those of the second file; @first_letters if there is one file
 * @first_longest: letters of its longest record
 * @second_longest: likewise
 * @first_name_bytes: of the names of all its records
 * @second_name_bytes: likewise
 * @gpus: how many compute
 * @host_bytes: upper bound on the memory of the process
 * @host_bytes_available: memory that this process can have; negative if that is not known
 * @host_limit: (nullable): what limits it, in words
 * @cells_a_second: cells computed in a second, measured in a short test; 0 if it computed none
 * @seconds: that all pairs will take, with those that filters leave out; negative if that is not known
 * @pairs_kept: how many pairs will be kept, if all are as those of the test, with three more there so that none is not
 *   taken for certain; negative if it computed none
 * @checkpoint_bytes: what a checkpoint takes on disk, beside the pairs that are kept
 * @pair_bytes: what each of these takes there, with its alignment if @options.align is set; measured in the test if that
 *   kept any, otherwise a guess
 * @disk_bytes_free: what can still be written where the checkpoint is, or will be; negative if that is not known, and
 *   without a checkpoint
 * @pairs_done: those that the checkpoint has
 * @fraction_done: how much of the work these are, from 0 to 1
 *
 * What a run of cs_identity() will take.
 */
typedef struct {
    CsIdentitySummary summary;
    gint64 first_letters;
    gint64 second_letters;
    gint64 first_longest;
    gint64 second_longest;
    gint64 first_name_bytes;
    gint64 second_name_bytes;
    guint gpus;
    gint64 host_bytes;
    gint64 host_bytes_available;
    const char *host_limit;
    double cells_a_second;
    double seconds;
    gint64 pairs_kept;
    gint64 checkpoint_bytes;
    gint64 pair_bytes;
    gint64 disk_bytes_free;
    gint64 pairs_done;
    double fraction_done;
} CsIdentityPlan;

/**
 * cs_identity_plan:
 * @first: as for cs_identity(), but neither file may be standard input
 * @second: (nullable): likewise
 * @options: (nullable): likewise; @options.control may stop it
 * @plan: (out caller-allocates): what the run will take
 * @error: as of cs_identity()
 *
 * Reads the files and compares pairs for a second, or until it is known how long all will take, for 20 seconds at
 * most. If there is not enough memory, it compares nothing. Writes nothing.
 *
 * Returns: whether @plan is set
 */
CS_API gboolean cs_identity_plan(const char *first, const char *second,
                                 const CsIdentityOptions *options, CsIdentityPlan *plan,
                                 GError **error);

G_END_DECLS

#endif
