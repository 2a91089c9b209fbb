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

/* Names: the state of the proof of a score (found_state.h), and what was proved (found_trace.h). The
 * last two are how names begin of what is found before a second sweep and before the proof. */
#define CS_FOUND_PROOF "proof"
#define CS_FOUND_PROVED "proved"
#define CS_FOUND_MARKS "marks" /* set during the sweep (sweep/end_marks.h) */
#define CS_FOUND_AGAIN "again-"
#define CS_FOUND_VERIFY "verify-"

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

/* Removes what was found before a later sweep: all lists whose names begin so. */
void cs_found_drop_stage(const CsCheckpoint *checkpoint, const char *stage);

/* Removes all that a folder holds of them, or only what the stages before the comparison's own
 * sweeps have found. */
gboolean cs_found_remove(const char *directory, gboolean all, GError **error);

/* The name of the file. */
char *cs_found_file_name(const char *name);

/*
 * How a file begins that has more than a list:
 *
 *     | checksum of length and head | length | head, JSON | ...
 *
 * The bytes are for g_free(); NULL: not enough memory.
 */
guint8 *cs_found_start_new(const CsCheckpoint *checkpoint, const char *name, gsize *size);

/* Whether the file begins as one of that name, of this comparison and program. *size is where the
 * rest of it begins. */
gboolean cs_found_start_read(const CsFingerprintRecord *record, const char *name, int fd,
                             gint64 *size);

#endif
