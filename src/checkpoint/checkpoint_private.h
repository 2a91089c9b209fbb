/* A folder of checkpoints that is open, as checkpoint.c and checkpoint_save.c share it. */
#ifndef CS_CHECKPOINT_PRIVATE_H
#define CS_CHECKPOINT_PRIVATE_H

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_manifest.h"

struct _CsCheckpoint {
    char *directory; /* absolute */
    char *shown;
    gboolean made; /* the folder, by us */
    gboolean fresh;
    int lock;
    int unwritable; /* errno's number, and the lock only shared; 0: it can be written */
    CsNoteFunc note;
    gpointer note_data;
    CsFingerprintRecord *record;
    char *manifest;  /* text of the durable one; NULL: none, or none that can be read */
    gboolean listed; /* entries come from a manifest */
    GArray *entries; /* the newest first */
    gint64 highest;  /* number that is known to have been used */
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

/* Makes these bytes the content of a file, durably: by way of NAME.tmp. *renamed is whether the new
 * one may be found even if this fails. */
gboolean cs_checkpoint_replace_file(const CsCheckpoint *checkpoint, const char *name,
                                    const void *bytes, gsize size, gboolean *renamed,
                                    GError **error);

/* Whether the generation covers all cells. */
gboolean cs_checkpoint_is_complete(const CsCheckpoint *checkpoint, const CsEntry *entry);

/* Tells note, with the folder's name before it. */
void cs_checkpoint_warn(const CsCheckpoint *checkpoint, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/*
 * The newest generation is verified: names what is still needed, anew if rename is set, and removes
 * the rest. Failure is but a warning.
 */
void cs_checkpoint_clear_away(CsCheckpoint *checkpoint, gboolean rename);

#endif
