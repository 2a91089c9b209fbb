/* Whether a file is the same one on all machines. */
#ifndef CS_FILES_H
#define CS_FILES_H

#include "ranks/message.h"

/*
 * Rank 0: fails with CS_ERROR_FAILED if another rank cannot read the file or finds other bytes in it.
 * Nothing is checked of what is no regular file, such as standard input, or NULL.
 */
gboolean cs_files_check(const char *path, GError **error);

/* Answers rank 0, on another rank. */
void cs_files_answer(CsMessageIn *message, GString *answer);

#endif
