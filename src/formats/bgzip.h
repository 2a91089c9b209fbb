/* Bytes as bgzip compresses them, and files that only memory holds. */
#ifndef CS_BGZIP_H
#define CS_BGZIP_H

#include <glib.h>

/* A descriptor of a new file in memory, or -1 with CS_ERROR_DEVICE set. */
int cs_bgzip_open_memory(GError **error);

/* All that the file holds; the descriptor is closed. NULL on failure, likewise. */
GBytes *cs_bgzip_close_memory(int fd, GError **error);

GBytes *cs_bgzip(GBytes *bytes, GError **error);

#endif
