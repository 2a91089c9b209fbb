/*
 * A state of another sweep than those of a comparison, such as the proof's, kept as something found
 * (found.h): one that is damaged, or of another comparison or version of the program, counts as not
 * there.
 *
 *     | checksum of length and head | length | head, JSON | a state file (state_file.h) |
 */
#ifndef CS_FOUND_STATE_H
#define CS_FOUND_STATE_H

#include "checkpoint/checkpoint.h"

/* Replaces the state of that name durably, compressing on so many threads. *hurry can cut this short
 * (state_file.h). Fails as cs_found_save() does, and with CS_ERROR_STOPPED if it is abandoned. */
gboolean cs_found_state_save(const CsCheckpoint *checkpoint, const char *name, const CsState *state,
                             guint threads, const gint *hurry, GError **error);

/* The state of that name; FALSE, with a warning if it is damaged, where there is none that can be
 * used. */
gboolean cs_found_state_load(const CsCheckpoint *checkpoint, const char *name, CsState *state);

/* The head of that state, from a folder that need not be open, of the comparison of that record. The
 * rest of the file may be damaged. */
gboolean cs_found_state_read_head(const char *directory, const CsFingerprintRecord *record,
                                  const char *name, CsStateHead *head);

#endif
