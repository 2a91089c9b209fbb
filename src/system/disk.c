/* Checked calls on files: see disk.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chromosweep/error.h>

#include "system/disk.h"
#include "system/display.h"
#include "system/error_detail.h"

gboolean
cs_disk_fail(const char *verb, const char *path, int code, GError **error)
{
    g_autofree char *shown = cs_display_name(path);
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot %s %s: %s", verb, shown,
                g_strerror(code));
    cs_error_set_detail_of_errno(error, code);
    cs_error_set_path(error, path);
    return FALSE;
}

static int
open_again(const char *path, int flags)
{
    int fd;
    do {
        fd = open(path, flags | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

char *
cs_disk_absolute(const char *path)
{
    if (g_path_is_absolute(path))
        return g_strdup(path);
    g_autofree char *here = g_get_current_dir();
    return g_build_filename(here, path, NULL);
}

int
cs_disk_create(const char *path, GError **error)
{
    if (!cs_disk_unlink(path, error))
        return -1;
    int fd = open_again(path, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0)
        cs_disk_fail("create", path, errno, error);
    return fd;
}

int
cs_disk_open(const char *path, GError **error)
{
    int fd = open_again(path, O_RDONLY | O_NONBLOCK); /* so that a FIFO does not block */
    if (fd < 0) {
        cs_disk_fail("open", path, errno, error);
        return -1;
    }
    struct stat status;
    if (fstat(fd, &status) != 0)
        cs_disk_fail("read", path, errno, error);
    else if (!S_ISREG(status.st_mode))
        g_set_error_literal(error, CS_ERROR, CS_ERROR_CONTENT, "not a regular file");
    else
        return fd;
    close(fd);
    return -1;
}

gboolean
cs_disk_write(int fd, const char *path, const void *data, gsize size, GError **error)
{
    for (const char *from = data; size > 0;) {
        ssize_t written = write(fd, from, size);
        if (written > 0) {
            from += written;
            size -= (gsize)written;
        } else if (written == 0 || errno != EINTR) {
            return cs_disk_fail("write", path, written == 0 ? EIO : errno, error);
        }
    }
    return TRUE;
}

gssize
cs_disk_read(int fd, const char *path, void *data, gsize size, GError **error)
{
    return cs_disk_read_at(fd, path, -1, data, size, error);
}

gssize
cs_disk_read_at(int fd, const char *path, gint64 offset, void *data, gsize size, GError **error)
{
    gsize done = 0;
    while (done < size) {
        char *to = (char *)data + done;
        ssize_t more = offset < 0 ? read(fd, to, size - done)
                                  : pread(fd, to, size - done, offset + (gint64)done);
        if (more == 0)
            break;
        if (more > 0) {
            done += (gsize)more;
        } else if (errno != EINTR) {
            cs_disk_fail("read", path, errno, error);
            return -1;
        }
    }
    return (gssize)done;
}

gboolean
cs_disk_sync(int fd, const char *path, GError **error)
{
    int failed;
    do {
        failed = fsync(fd);
    } while (failed != 0 && errno == EINTR);
    return failed == 0 || cs_disk_fail("write to disk", path, errno, error);
}

gboolean
cs_disk_close(int *fd, const char *path, GError **error)
{
    int failed = close(*fd); /* on Linux it is closed even if this fails */
    *fd = -1;
    return failed == 0 || errno == EINTR || cs_disk_fail("close", path, errno, error);
}

gboolean
cs_disk_rename(const char *from, const char *to, GError **error)
{
    return rename(from, to) == 0 || cs_disk_fail("rename", from, errno, error);
}

gboolean
cs_disk_replace(const char *path, const void *data, gsize size, GError **error)
{
    g_autofree char *temporary = g_strconcat(path, CS_TEMPORARY, NULL);
    int fd = cs_disk_create(temporary, error);
    if (fd < 0)
        return FALSE;
    if (cs_disk_write(fd, temporary, data, size, error) && cs_disk_sync(fd, temporary, error) &&
        cs_disk_close(&fd, temporary, error) && cs_disk_rename(temporary, path, error))
        return TRUE;
    if (fd >= 0)
        close(fd);
    unlink(temporary); /* the error is already set */
    return FALSE;
}

gboolean
cs_disk_unlink(const char *path, GError **error)
{
    return unlink(path) == 0 || errno == ENOENT || cs_disk_fail("remove", path, errno, error);
}

gboolean
cs_disk_sync_directory(const char *path, GError **error)
{
    int fd = open_again(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return cs_disk_fail("open", path, errno, error);
    gboolean synced = cs_disk_sync(fd, path, error);
    return cs_disk_close(&fd, path, synced ? error : NULL) && synced;
}

gint64
cs_disk_free_bytes(const char *directory)
{
    g_autofree char *place = g_canonicalize_filename(directory, NULL);
    struct statvfs status;
    while (statvfs(place, &status) != 0) {
        if (strcmp(place, "/") == 0)
            return -1;
        char *above = g_path_get_dirname(place);
        g_free(place);
        place = above;
    }
    const double bytes = (double)status.f_bavail * (double)status.f_frsize;
    return bytes < (double)G_MAXINT64 / 2 ? (gint64)bytes : G_MAXINT64 / 2;
}
