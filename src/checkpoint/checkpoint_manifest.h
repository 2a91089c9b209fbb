/*
 * What a folder of checkpoints holds: the manifest, which names its generations and whose they
 * are, and the generations' files.
 */
#ifndef CS_CHECKPOINT_MANIFEST_H
#define CS_CHECKPOINT_MANIFEST_H

#include <chromosweep/checkpoint.h>

#include "checkpoint/state_file.h"

#define CS_MANIFEST "manifest.json"
#define CS_TEMPORARY ".tmp" /* after the name of a file that is not yet complete */
#define CS_MANIFEST_TEMPORARY CS_MANIFEST CS_TEMPORARY
#define CS_LOCK "lock"
#define CS_PAIRS_LOCK "pairs.lock" /* in a folder of the folders of many pairs */
/* What was found before a sweep (found.h): this, its name, and this. */
#define CS_FOUND_PREFIX "found-"
#define CS_FOUND_SUFFIX ".state"

char *cs_generation_name(gint64 number);

/* No number is above. */
#define CS_GENERATION_MOST G_GINT64_CONSTANT(999999999999)

/* The public description of a generation, and what it is recognised by. */
typedef struct {
    CsGeneration shown;
    guint64 head;      /* checksum of its file's head */
    gboolean verified; /* it was read whole and was good */
    gboolean kept;     /* of an older chain: it stays until the new one is complete */
} CsEntry;

/* An array of CsEntry that clears them, the newest first. */
GArray *cs_entries_new(void);
void cs_entry_clear(CsEntry *entry);
CsEntry cs_entry_copy(const CsEntry *entry);

/* What a head says of its generation; bytes are the file's. */
CsEntry cs_entry_of_head(const CsStateHead *head, const CsState *state, gint64 bytes);

typedef struct {
    CsFingerprintRecord *record;
    char *program_version;
    GArray *entries;
    char *text; /* as it stands in the file */
} CsManifest;

void cs_manifest_clear(CsManifest *manifest);

/* The text of a manifest, for free(); NULL: too little memory. */
char *cs_manifest_dump(const CsFingerprintRecord *record, const GArray *entries);

/*
 * Reads a folder's manifest. Fails with CS_ERROR_CONTENT where it is damaged (the message says
 * what, without the path), with CS_ERROR_CHECKPOINT where it is good but of another version, with
 * CS_ERROR_FAILED where it cannot be read. *found is FALSE, and nothing else touched, where there
 * is none.
 */
gboolean cs_manifest_read(const char *directory, CsManifest *manifest, gboolean *found,
                          GError **error);

/*
 * Refuses, with CS_ERROR_USAGE, a folder that holds other files and nothing of a checkpoint.
 * Hidden files do not count, nor does lost+found. One that is not there, or cannot be read, is left
 * to whoever opens it.
 */
gboolean cs_directory_check(const char *directory, GError **error);

/*
 * Opens a generation's file and reads its head; -1 on failure, as cs_state_file_read_head() fails,
 * and with CS_ERROR_CONTENT where it is another generation's or, if known is not NULL, not the file
 * that it describes. cs_state_file_read_blocks() can follow.
 */
int cs_generation_open(const char *directory, gint64 number, const CsEntry *known,
                       CsStateHead *head, GError **error);

/* What an unlisted file says of itself, with a fault where its head is damaged. Fails as above. */
gboolean cs_generation_describe(const char *directory, gint64 number, CsEntry *entry,
                                CsStateHead *head, GError **error);

/*
 * The numbers (gint64) of the generation files in a folder, the highest first, and the names
 * (char *) of temporaries; either may be NULL. Fails with CS_ERROR_FAILED.
 */
gboolean cs_directory_list(const char *directory, GArray *numbers, GPtrArray *temporaries,
                           GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsManifest, cs_manifest_clear)

#endif
