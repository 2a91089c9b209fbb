/* A state file's head as JSON. */
#ifndef CS_STATE_HEAD_H
#define CS_STATE_HEAD_H

#include "checkpoint/state_file.h"

/* The head of a state, to write to a file, for free(); NULL if there is not enough memory. */
char *cs_state_head_dump(const CsStateHead *head, const CsState *state);

/*
 * Fills head, and checks the shape of what follows it: rows, steps, cells, the best cell and the
 * range of scores. Fails with CS_ERROR_CONTENT ("malformed ..."); head can then only be cleared.
 */
gboolean cs_state_head_parse(const char *text, gsize length, CsStateHead *head, GError **error);

#endif
