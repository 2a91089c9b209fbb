/*
 * What a comparison has found beside its states, such as the results of the stages before a sweep:
 * lists of numbers, each in a file of its own, until the comparison is complete. They save time and
 * nothing else: one that is damaged, or of another version of the program, counts as not there.
 *
 *     | checksum of all that follows | length | head, JSON | numbers, one zstd frame |
 */
#ifndef CS_FOUND_H
#define CS_FOUND_H

#include "checkpoint/checkpoint.h"

/* The numbers of a name, for g_free(); NULL where there are none that can be used. */
gint64 *cs_found_load(const CsCheckpoint *checkpoint, const char *name, gint64 *count);

/* Replaces them, durably. Fails as writing does, and with CS_ERROR_DEVICE where memory is short.
 * From any thread, by one at a time of a name. */
gboolean cs_found_save(const CsCheckpoint *checkpoint, const char *name, const gint64 *values,
                       gint64 count, GError **error);

/* Removes those of a name. That they cannot be removed hurts nobody. */
void cs_found_drop(const CsCheckpoint *checkpoint, const char *name);

/* Removes all that a folder holds of them, or only what the stages before a sweep have found. */
gboolean cs_found_remove(const char *directory, gboolean all, GError **error);

/* The name of the file. */
char *cs_found_file_name(const char *name);

/* The head of a file: of which comparison it is, and how many numbers it holds. For free(); NULL:
 * not enough memory. */
char *cs_found_head_dump(const CsCheckpoint *checkpoint, const char *name, gint64 count);

/* Whether a head belongs to this comparison and program. */
gboolean cs_found_head_read(const CsCheckpoint *checkpoint, const char *name, const char *text,
                            gsize length, gint64 *count);

#endif
