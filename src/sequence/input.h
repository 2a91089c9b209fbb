/* Files that sequences are read from. */
#ifndef CS_INPUT_H
#define CS_INPUT_H

#include <sys/stat.h>

#include <glib.h>
#include <htslib/bgzf.h>

/* htslib's log is off while anything is read. Each call of the first goes with one of the second. */
void cs_input_begin(void);
void cs_input_end(void);

/* Opens a file, "-" for standard input. NULL with errno set if that fails. */
BGZF *cs_input_open(const char *path, struct stat *status);

/* Whether a regular file has changed since it was opened. */
gboolean cs_input_has_changed(const char *path, const struct stat *before);

void cs_input_close(BGZF *input);

/* Sets the error of a file that could not be opened, with this errno, or that has changed. */
void cs_input_fail(const char *path, int code, GError **error);
void cs_input_fail_changed(const char *path, GError **error);

#endif
