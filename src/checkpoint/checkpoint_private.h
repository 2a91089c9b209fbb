/* An open checkpoint, as checkpoint.c and checkpoint_save.c share it. */
#ifndef CS_CHECKPOINT_PRIVATE_H
#define CS_CHECKPOINT_PRIVATE_H

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_manifest.h"

struct _CsCheckpoint {
    char *directory; /* absolute */
    char *shown;
    gboolean made; /* whether this run created the folder */
    gboolean fresh;
    int lock;
    int unwritable; /* 0: the folder can be written; else errno, and the lock is only shared */
    CsNoteFunc note;
    gpointer note_data;
    CsFingerprintRecord *record;
    char *manifest;  /* text of the manifest on disk; NULL: none, or none that can be read */
    gboolean listed; /* entries come from a manifest */
    GArray *entries; /* the newest first */
    gint64 highest;  /* the highest generation number known to have been used */
};

static inline CsEntry *
cs_checkpoint_entry(const GArray *entries, guint k)
{
    return &g_array_index(entries, CsEntry, k);
}

char *cs_checkpoint_path(const CsCheckpoint *checkpoint, const char *name);

/* Fails with this failure, whose message then names the folder as it was given. FALSE. */
gboolean cs_checkpoint_fail(const CsCheckpoint *checkpoint, GError *failure, GError **error);

/* Whether the folder is still the one that was locked. Fails with CS_ERROR_FAILED. */
gboolean cs_checkpoint_check_held(const CsCheckpoint *checkpoint, GError **error);

/* The rest of invariant 1, after the content was written to *fd under a temporary name. */
gboolean cs_checkpoint_settle_file(const CsCheckpoint *checkpoint, int *fd, const char *temporary,
                                   const char *final, gboolean *renamed, GError **error);

/* Replaces the content of a file durably, by way of NAME.tmp. If this fails, *renamed says whether
 * the new content may be there nevertheless. */
gboolean cs_checkpoint_replace_file(const CsCheckpoint *checkpoint, const char *name,
                                    const void *bytes, gsize size, gboolean *renamed,
                                    GError **error);

/* Whether the generation covers all cells. */
gboolean cs_checkpoint_is_complete(const CsCheckpoint *checkpoint, const CsEntry *entry);

/* Tells a warning to note, with the folder's name before it. */
void cs_checkpoint_warn(const CsCheckpoint *checkpoint, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/*
 * Called when the newest generation is verified. Writes a new manifest if a generation is no longer
 * needed or if rename is set. Then removes all generations that the manifest does not name. A
 * failure is only a warning.
 */
void cs_checkpoint_clear_away(CsCheckpoint *checkpoint, gboolean rename);

#endif
