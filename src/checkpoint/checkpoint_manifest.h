/*
 * The files of a checkpoint: the manifest, which lists the generations and the comparison that they
 * belong to, and the files of the generations.
 */
#ifndef CS_CHECKPOINT_MANIFEST_H
#define CS_CHECKPOINT_MANIFEST_H

#include <chromosweep/checkpoint.h>

#include "checkpoint/state_file.h"
#include "system/disk.h"

#define CS_MANIFEST "manifest.json"
#define CS_MANIFEST_TEMPORARY CS_MANIFEST CS_TEMPORARY
#define CS_LOCK "lock"
#define CS_PAIRS_LOCK "pairs.lock" /* in a folder that holds the checkpoints of many pairs */
/* The files of found.h are named prefix, name, suffix. */
#define CS_FOUND_PREFIX "found-"
#define CS_FOUND_SUFFIX ".state"

char *cs_generation_name(gint64 number);

/* No number is above. */
#define CS_GENERATION_MOST G_GINT64_CONSTANT(999999999999)

/* The public description of a generation, and what it is recognised by. */
typedef struct {
    CsGeneration shown;
    guint64 head;      /* checksum of its file's head */
    gboolean verified; /* it was read in full and is good */
    gboolean kept;     /* it belongs to an older chain and stays until the new one is complete */
} CsEntry;

/* An array of CsEntry that clears them, the newest first. */
GArray *cs_entries_new(void);
void cs_entry_clear(CsEntry *entry);
CsEntry cs_entry_copy(const CsEntry *entry);

/* The entry of a generation, from the head of its file; bytes is the size of the file. */
CsEntry cs_entry_of_head(const CsStateHead *head, const CsState *state, gint64 bytes);

typedef struct {
    CsFingerprintRecord *record;
    char *program_version;
    GArray *entries;
    char *text; /* as it stands in the file */
} CsManifest;

void cs_manifest_clear(CsManifest *manifest);

/* The text of a manifest, for free(); NULL if there is not enough memory. */
char *cs_manifest_dump(const CsFingerprintRecord *record, const GArray *entries);

/*
 * Reads a folder's manifest. If there is none, *found is FALSE and nothing else is touched. Fails
 * with CS_ERROR_CONTENT if the manifest is damaged (the message says what is wrong, without the
 * path), with CS_ERROR_CHECKPOINT if it is good but has another version, with CS_ERROR_FAILED if it
 * cannot be read.
 */
gboolean cs_manifest_read(const char *directory, CsManifest *manifest, gboolean *found,
                          GError **error);

/*
 * Refuses, with CS_ERROR_USAGE, a folder that holds other files and nothing of a checkpoint. Hidden
 * files and lost+found do not count. A folder that does not exist or cannot be read passes: opening
 * it will give the error.
 */
gboolean cs_directory_check(const char *directory, GError **error);

/*
 * Opens a generation's file and reads its head; cs_state_file_read_blocks() can follow. Returns a
 * descriptor, or -1 on failure. Fails as cs_state_file_read_head() does, and with CS_ERROR_CONTENT
 * if the file belongs to another generation or, if known is not NULL, is not the file that known
 * describes.
 */
int cs_generation_open(const char *directory, gint64 number, const CsEntry *known,
                       CsStateHead *head, GError **error);

/* The entry of a file that no manifest lists, from its head; with a fault if the head is damaged.
 * Fails as above. */
gboolean cs_generation_describe(const char *directory, gint64 number, CsEntry *entry,
                                CsStateHead *head, GError **error);

/*
 * Lists the numbers (gint64) of the generation files in a folder, the highest first, and the names
 * (char *) of temporary files. Either may be NULL. Fails with CS_ERROR_FAILED.
 */
gboolean cs_directory_list(const char *directory, GArray *numbers, GPtrArray *temporaries,
                           GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsManifest, cs_manifest_clear)

#endif
