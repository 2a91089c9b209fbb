/* Checkpoints of cs_identity(): what one holds, and how to remove it. */
#ifndef CHROMOSWEEP_IDENTITY_CHECKPOINT_H
#define CHROMOSWEEP_IDENTITY_CHECKPOINT_H

#include <glib.h>

#include <chromosweep/export.h>
#include <chromosweep/identity.h>

G_BEGIN_DECLS

/**
 * CsIdentityCheckpointInfo:
 * @program_version: of the program that wrote the newest log
 * @alphabet: what the sequences are
 * @first_count: records of the first file
 * @second_count: those of the second file; @first_count if there is one file
 * @one_file: whether there is one file
 * @gap_open: as in #CsIdentitySummary
 * @gap_extend: likewise
 * @over: likewise
 * @min_identity: likewise
 * @align: as in #CsIdentityOptions
 * @pairs: of all
 * @pairs_done: that need not be computed again
 * @pairs_kept: of @pairs_done, those that reach @min_identity
 * @pairs_filtered: of @pairs_done, those that a filter left out
 * @fraction: how much is done, from 0 to 1, by letters times letters; 1 only if all is
 * @seconds: of computing, of all threads together
 * @saved: when something was saved last, in seconds since 1970
 * @logs: files
 * @bytes: their size
 * @damaged: places in them that are damaged: what was there is computed again
 * @memo: (nullable): what the caller left there (CsIdentityOptions.memo)
 * @holder: (nullable): the process that uses the folder, in words
 *
 * What the checkpoint of cs_identity() holds.
 */
typedef struct {
    char *program_version;
    CsAlphabet alphabet;
    gint64 first_count;
    gint64 second_count;
    gboolean one_file;
    gint64 gap_open;
    gint64 gap_extend;
    CsIdentityOver over;
    double min_identity;
    gboolean align;
    gint64 pairs;
    gint64 pairs_done;
    gint64 pairs_kept;
    gint64 pairs_filtered;
    double fraction;
    double seconds;
    gint64 saved;
    guint logs;
    gint64 bytes;
    guint damaged;
    char *memo;
    char *holder;
} CsIdentityCheckpointInfo;

/** cs_identity_checkpoint_is_there: whether the folder is one that cs_identity() saves in. */
CS_API gboolean cs_identity_checkpoint_is_there(const char *directory);

/**
 * cs_identity_checkpoint_info_new:
 * @directory: the folder
 * @error: CS_ERROR_FAILED if there is no such folder; CS_ERROR_CHECKPOINT if nothing has been saved
 *   there, or if nothing can be read
 *
 * Reads all logs and changes nothing. While a run goes on, the end of its log may be told as damaged.
 *
 * Returns: (transfer full) (nullable): what is there, or %NULL with @error set
 */
CS_API CsIdentityCheckpointInfo *cs_identity_checkpoint_info_new(const char *directory,
                                                                 GError **error);

CS_API void cs_identity_checkpoint_info_free(CsIdentityCheckpointInfo *info);

/** cs_identity_checkpoint_remove: removes what is saved, and the folder if nothing else is in it. */
CS_API gboolean cs_identity_checkpoint_remove(const char *directory, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsIdentityCheckpointInfo, cs_identity_checkpoint_info_free)

G_END_DECLS

#endif
