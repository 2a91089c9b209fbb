/*
 * What a comparison has found beside its states, such as the results of the stages before a sweep. A
 * checkpoint keeps it as lists of numbers, each in a file of its own. The lists only save time. A
 * list that is damaged, or from another version of the program, counts as missing.
 *
 *     | checksum of all that follows | length | head, JSON | numbers, one zstd frame |
 */
#ifndef CS_FOUND_H
#define CS_FOUND_H

#include "checkpoint/checkpoint.h"

/* The list of that name, for g_free(); NULL if there is none that can be used. */
gint64 *cs_found_load(const CsCheckpoint *checkpoint, const char *name, gint64 *count);

/* The same from a folder that need not be open, of the comparison of that record. */
gint64 *cs_found_read(const char *directory, const CsFingerprintRecord *record, const char *name,
                      gint64 *count);

/* Replaces the list of that name durably. Fails as writing does, and with CS_ERROR_DEVICE if there
 * is not enough memory. May be called from any thread, but for one name only from one at a time. */
gboolean cs_found_save(const CsCheckpoint *checkpoint, const char *name, const gint64 *values,
                       gint64 count, GError **error);

/* Removes the list of that name. It does no harm if this fails. */
void cs_found_drop(const CsCheckpoint *checkpoint, const char *name);

/* Removes all that a folder holds of them, or only what the stages before a sweep have found. */
gboolean cs_found_remove(const char *directory, gboolean all, GError **error);

/* The name of the file. */
char *cs_found_file_name(const char *name);

/* The head of a file: of which comparison it is, and how many numbers it holds. For free(); NULL:
 * not enough memory. */
char *cs_found_head_dump(const CsCheckpoint *checkpoint, const char *name, gint64 count);

/* Whether a head belongs to this comparison and program. */
gboolean cs_found_head_read(const CsFingerprintRecord *record, const char *name, const char *text,
                            gsize length, gint64 *count);

#endif
