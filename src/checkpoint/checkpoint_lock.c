/* The lock on a folder of checkpoints: see checkpoint_lock.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_lock.h"
#include "system/disk.h"
#include "system/display.h"
#include "system/error_detail.h"

enum {
    TRIES = 10, /* a process that only asks who holds the lock has it for a moment */
    PAUSE_US = 20000,
    MOST_REMOVALS = 100, /* of the lock file by others while it is being taken */
    MOST_TEXT = 200,
};

static int
flock_again(int fd, int how)
{
    int failed;
    do {
        failed = flock(fd, how);
    } while (failed != 0 && errno == EINTR);
    return failed;
}

/* The first line of a lock file that another process holds. */
static char *
read_holder(int fd)
{
    char text[MOST_TEXT + 1];
    ssize_t length = pread(fd, text, MOST_TEXT, 0);
    text[MAX(length, 0)] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text[0] != '\0' ? cs_display_name(text) : g_strdup("another process");
}

char *
cs_checkpoint_lock_holder(const char *directory, const char *name)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    char *holder = NULL;
    if (flock_again(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        holder = read_holder(fd);
    close(fd); /* which also gives the lock back */
    return holder;
}

static gboolean
make_directory(const char *directory, gboolean *made, GError **error)
{
    if (mkdir(directory, 0777) != 0)
        return errno == EEXIST || cs_disk_fail("create", directory, errno, error);
    *made = TRUE;
    g_autofree char *above = g_path_get_dirname(directory);
    return cs_disk_sync_directory(above, error);
}

/* Waits a little for the lock. Sets errno on failure. */
static gboolean
take(int fd, int how)
{
    for (int k = 0; flock_again(fd, how | LOCK_NB) != 0; k++) {
        if (errno != EWOULDBLOCK || k >= TRIES)
            return FALSE;
        g_usleep(PAUSE_US);
    }
    return TRUE;
}

/* Writes who holds the lock, for messages only, so a full disk is ignored. */
static void
write_holder(int fd, const char *path)
{
    g_autofree char *text =
        g_strdup_printf("process %ld on %s\n", (long)getpid(), g_get_host_name());
    if (ftruncate(fd, 0) == 0)
        cs_disk_write(fd, path, text, strlen(text), NULL);
}

/* Whether the path still names the file of fd: the last holder may have removed it. */
static gboolean
is_current(int fd, const char *path)
{
    struct stat mine, named;
    return fstat(fd, &mine) == 0 && stat(path, &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
}

/* Opens the lock file. If it cannot be opened for writing, *code says why, and it is opened for
 * reading, or the folder in its place. */
static int
open_lock(const char *directory, const char *path, int *code)
{
    *code = 0;
    int fd;
    do {
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd >= 0 ||
        (errno != EACCES && errno != EPERM && errno != EROFS && errno != ENOSPC && errno != EDQUOT))
        return fd;
    *code = errno;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        fd = open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0)
        errno = *code;
    return fd;
}

int
cs_checkpoint_lock(const char *directory, const char *name, gboolean *made, int *unwritable,
                   GError **error)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    for (int k = 0; k < MOST_REMOVALS; k++) {
        if (made != NULL && !make_directory(directory, made, error))
            return -1;
        int code;
        int fd = open_lock(directory, path, &code);
        if (fd < 0 || (code != 0 && unwritable == NULL)) {
            code = fd < 0 ? errno : code;
            if (code == ENOTDIR)
                cs_disk_fail("open checkpoint", directory, code, error);
            else
                cs_disk_fail("open", path, code, error);
            if (fd >= 0)
                close(fd);
            return -1;
        }
        if (unwritable != NULL)
            *unwritable = code;
        if (!take(fd, code != 0 ? LOCK_SH : LOCK_EX)) {
            code = errno;
            g_autofree char *shown = cs_display_name(directory), *holder = read_holder(fd);
            if (code != EWOULDBLOCK)
                cs_disk_fail("lock", path, code, error);
            else {
                g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT, "checkpoint %s is in use by %s",
                            shown, holder);
                cs_error_set_detail(error, CS_DETAIL_IN_USE);
            }
        } else if (code != 0) {
            return fd;
        } else if (!is_current(fd, path)) {
            close(fd);
            continue;
        } else {
            write_holder(fd, path);
            return fd;
        }
        close(fd);
        return -1;
    }
    cs_disk_fail("lock", path, EAGAIN, error);
    return -1;
}

gboolean
cs_checkpoint_lock_is_held(int lock, const char *directory, const char *name)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    return is_current(lock, path);
}
