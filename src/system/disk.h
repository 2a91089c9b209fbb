/*
 * System calls on files, with checks. An interrupted call is repeated, a short read or write is
 * continued, and a failure is CS_ERROR_FAILED with the path and the text of errno.
 *
 * They are for states of gigabytes that are written piece by piece: g_file_set_contents_full()
 * needs the whole file in memory, and g_fsync() is just fsync().
 */
#ifndef CS_DISK_H
#define CS_DISK_H

#include <glib.h>

/* Sets error to "cannot VERB PATH: text of code". Always returns FALSE. */
gboolean cs_disk_fail(const char *verb, const char *path, int code, GError **error);

/*
 * The path from the root, otherwise unchanged: only the system knows what .. after a link means.
 */
char *cs_disk_absolute(const char *path);

/* Creates a file, which must not exist or which replaces the file of that name; -1 on failure. */
int cs_disk_create(const char *path, GError **error);

/* Opens a regular file for reading. -1 on failure; CS_ERROR_CONTENT if it is not a regular file. */
int cs_disk_open(const char *path, GError **error);

gboolean cs_disk_write(int fd, const char *path, const void *data, gsize size, GError **error);

/* Reads size bytes, or as many as there are; -1 on failure. */
gssize cs_disk_read(int fd, const char *path, void *data, gsize size, GError **error);

/* The same from an offset, which leaves the file's own alone, so threads may read at the same time. */
gssize cs_disk_read_at(int fd, const char *path, gint64 offset, void *data, gsize size,
                       GError **error);

gboolean cs_disk_sync(int fd, const char *path, GError **error);

/* Closes *fd and makes it -1. */
gboolean cs_disk_close(int *fd, const char *path, GError **error);

gboolean cs_disk_rename(const char *from, const char *to, GError **error);

#define CS_TEMPORARY ".tmp" /* after the name of a file that is not yet complete */

/* Replaces the file of that name with a whole one, whose name is durable once its folder is. */
gboolean cs_disk_replace(const char *path, const void *data, gsize size, GError **error);

/* Removes a file. It is no failure if the file is gone already. */
gboolean cs_disk_unlink(const char *path, GError **error);

/* Makes new and removed names in a folder durable. */
gboolean cs_disk_sync_directory(const char *path, GError **error);

/* The free bytes of the file system that the folder is on, or will be; -1 if they are not known. */
gint64 cs_disk_free_bytes(const char *directory);

#endif
