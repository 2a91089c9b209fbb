/* Compression as by bgzip, and files in memory. */
#ifndef CS_BGZIP_H
#define CS_BGZIP_H

#include <glib.h>

/* A descriptor of a new file in memory, or -1 with CS_ERROR_DEVICE set. */
int cs_bgzip_open_memory(GError **error);

/* Returns the content of the file and closes the descriptor. NULL with CS_ERROR_DEVICE set on
 * failure. */
GBytes *cs_bgzip_close_memory(int fd, GError **error);

GBytes *cs_bgzip(GBytes *bytes, GError **error);

#endif
