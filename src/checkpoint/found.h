/*
 * What the stages before a sweep have found. A checkpoint keeps it beside its generations until the
 * comparison is complete, as lists of numbers, each in a file of its own. The lists only save time.
 * A list that is damaged, or from another version of the program, counts as missing.
 *
 *     | checksum of all that follows | length | head, JSON | numbers, one zstd frame |
 */
#ifndef CS_FOUND_H
#define CS_FOUND_H

#include "checkpoint/checkpoint.h"

/* The list of that name, for g_free(); NULL if there is none that can be used. */
gint64 *cs_found_load(const CsCheckpoint *checkpoint, const char *name, gint64 *count);

/* Replaces the list of that name durably. Fails as writing does, and with CS_ERROR_DEVICE if there
 * is not enough memory. May be called from any thread, but for one name only from one at a time. */
gboolean cs_found_save(const CsCheckpoint *checkpoint, const char *name, const gint64 *values,
                       gint64 count, GError **error);

/* Removes the list of that name. It does no harm if this fails. */
void cs_found_drop(const CsCheckpoint *checkpoint, const char *name);

/* Removes all lists from a folder. */
gboolean cs_found_remove(const char *directory, GError **error);

#endif
