/* A state file's head as JSON. */
#ifndef CS_STATE_HEAD_H
#define CS_STATE_HEAD_H

#include "checkpoint/state_file.h"

/* The head of a state that is to be written, as a string for free(); NULL: too little memory. */
char *cs_state_head_dump(const CsStateHead *head, const CsState *state);

/*
 * Fills head, with the shape of what follows checked: rows, steps, cells, the best cell and the
 * range of scores. Fails with CS_ERROR_CONTENT, "malformed ..."; head can then only be cleared.
 */
gboolean cs_state_head_parse(const char *text, gsize length, CsStateHead *head, GError **error);

#endif
