/*
 * Plain calls on files, each of them checked: an interrupted one is repeated, a short one
 * continued, and a failure is CS_ERROR_FAILED with the path and errno's text.
 *
 * They are for states of gigabytes that are written as they come: g_file_set_contents_full() wants
 * the whole of a file in memory, and g_fsync() is fsync() by another name.
 */
#ifndef CS_DISK_H
#define CS_DISK_H

#include <glib.h>

/* Sets error to "cannot VERB PATH: text of code". Always returns FALSE. */
gboolean cs_disk_fail(const char *verb, const char *path, int code, GError **error);

/*
 * The path from the root, but otherwise as given: what .. behind a link means only the system
 * knows.
 */
char *cs_disk_absolute(const char *path);

/* Creates a file that must not exist, or one that replaces what had its name; -1 on failure. */
int cs_disk_create(const char *path, GError **error);

/* Opens a regular file to read; -1 on failure, which is CS_ERROR_CONTENT where it is no such. */
int cs_disk_open(const char *path, GError **error);

gboolean cs_disk_write(int fd, const char *path, const void *data, gsize size, GError **error);

/* Reads size bytes, or as many as there are; -1 on failure. */
gssize cs_disk_read(int fd, const char *path, void *data, gsize size, GError **error);

gboolean cs_disk_sync(int fd, const char *path, GError **error);

/* Closes *fd and makes it -1. */
gboolean cs_disk_close(int *fd, const char *path, GError **error);

gboolean cs_disk_rename(const char *from, const char *to, GError **error);

/* It may be gone already. */
gboolean cs_disk_unlink(const char *path, GError **error);

/* Makes names that were given or taken in a folder durable. */
gboolean cs_disk_sync_directory(const char *path, GError **error);

#endif
