/*
 * Where a result goes.
 *
 * A regular file, or one that does not exist yet, is replaced: the result is written under a
 * temporary name in the same folder, flushed to disk and renamed, and the folder is flushed. So a
 * reader sees the old file or the new one, and a failure leaves the old one. Once written, the
 * result survives a crash, so its checkpoint may be removed. Links are followed first: a link
 * stays, and the file that it points at is replaced. Everything else (a device, a FIFO, an open
 * descriptor such as /dev/stdout) is written directly, and flushed if possible.
 *
 * g_file_set_contents_full() does not do all of this. The name of its temporary file is longer than
 * that of the file, which may already have the maximum length. The umask restricts the mode of the
 * replaced file. It does not report that the folder could not be flushed, in which case a
 * checkpoint must stay. Its errors have no errno that tells a mount point, which is written over,
 * from a full disk.
 *
 * The temporary file exists only while the result is written. Signals that end the program are held
 * back for that time, so an interruption leaves nothing behind. It gets the mode of the file that
 * it replaces.
 *
 * A result that comes row by row, perhaps over hours, is collected in a visible file with .part
 * added to its name until it is complete. It stays if the rest never comes.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <linux/magic.h>

#include <chromosweep/error.h>

#include "command/output.h"

struct _CsOutput {
    char *shown;   /* its name in messages */
    char *final;   /* the file to replace; NULL when writing through */
    gboolean over; /* it cannot be replaced by renaming: write over it */
    gboolean durable;
    int fd;             /* what to write through; -1 when replacing */
    char *part;         /* where rows are collected; NULL if they are written directly */
    gboolean made_part; /* it did not exist before */
    gboolean has_rows;
};

enum {
    LINKS_MAX = 40,
    PART_TRIES = 100,
};

static gboolean
fail(const CsOutput *output, int code, GError **error)
{
    const gboolean pipe = code == EPIPE;
    g_set_error(error, pipe ? G_FILE_ERROR : CS_ERROR,
                pipe ? (gint)G_FILE_ERROR_PIPE : (gint)CS_ERROR_FAILED, "cannot write %s: %s",
                output->shown, g_strerror(code));
    return FALSE;
}

/*
 * The descriptor of this process that the path names in procfs, such as /dev/stdout or /dev/fd/3,
 * or -1. Opening such a path would start at the beginning of the file, and fails for a socket.
 */
static int
own_descriptor(const char *path)
{
    static const char *const directories[] = {"/proc/self/fd", "/proc/thread-self/fd"};
    g_autofree char *directory = g_path_get_dirname(path);
    g_autofree char *number = g_path_get_basename(path);
    char *real = realpath(directory, NULL);
    guint64 fd = 0;
    gboolean own = FALSE;
    for (guint k = 0; real != NULL && !own && k < G_N_ELEMENTS(directories); k++) {
        char *listed = realpath(directories[k], NULL);
        own = g_strcmp0(real, listed) == 0;
        free(listed);
    }
    free(real);
    return own && g_ascii_string_to_unsigned(number, 10, 0, G_MAXINT, &fd, NULL) ? (int)fd : -1;
}

/* Whether a link is in procfs, where its text describes the target and need not be a path. */
static gboolean
is_magic(const char *link)
{
    g_autofree char *directory = g_path_get_dirname(link);
    struct statfs status;
    return statfs(directory, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

/* Follows links until the path names no link, or one in procfs. */
static char *
follow_links(const CsOutput *output, const char *path, GError **error)
{
    g_autofree char *place = g_strdup(path);
    for (int links = 0; links < LINKS_MAX; links++) {
        struct stat status;
        if (lstat(place, &status) != 0 || !S_ISLNK(status.st_mode) || is_magic(place))
            return g_steal_pointer(&place);
        g_autofree char *target = g_file_read_link(place, NULL);
        if (target == NULL) {
            fail(output, errno, error);
            return NULL;
        }
        g_autofree char *directory = g_path_get_dirname(place);
        char *next = g_path_is_absolute(target) ? g_strdup(target)
                                                : g_strconcat(directory, "/", target, NULL);
        g_free(place);
        place = next;
    }
    fail(output, ELOOP, error);
    return NULL;
}

static gboolean
refuse_inputs(const char *shown, const struct stat *status, const char *const *inputs,
              GError **error)
{
    if (!S_ISREG(status->st_mode) && !S_ISFIFO(status->st_mode))
        return TRUE;
    for (; *inputs != NULL; inputs++) {
        struct stat input;
        int failed =
            strcmp(*inputs, "-") == 0 ? fstat(STDIN_FILENO, &input) : stat(*inputs, &input);
        if (failed == 0 && input.st_dev == status->st_dev && input.st_ino == status->st_ino) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "%s is both an input and the output",
                        strcmp(*inputs, "-") == 0 ? shown : *inputs);
            return FALSE;
        }
    }
    return TRUE;
}

/* Duplicates fd, so that closing the copy reports late failures even if others hold fd. */
static gboolean
open_descriptor(CsOutput *output, int fd, const char *const *inputs, GError **error)
{
    struct stat status;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return fail(output, EBADF, error);
    if (fstat(fd, &status) != 0)
        return fail(output, errno, error);
    if (!refuse_inputs(output->shown, &status, inputs, error))
        return FALSE;
    output->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return output->fd >= 0 || fail(output, errno, error);
}

/* Blocks or unblocks the signals that end the program. */
static void
hold_signals(int how)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGQUIT);
    sigaddset(&signals, SIGXCPU);
    pthread_sigmask(how, &signals, NULL);
}

/* Creates a file beside the one to replace, with the umask's mode. -1 on failure. */
static int
create_temporary(const CsOutput *output, char **name, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(output->final);
    *name = g_build_filename(directory, ".chromosweep-XXXXXX", NULL);
    int fd = g_mkstemp_full(*name, O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        fail(output, errno, error);
    return fd;
}

/* Whether a file can be put at `final` now. Hours later it can only be hoped for. */
static gboolean
try_replacing(CsOutput *output, const char *final, GError **error)
{
    if (g_str_has_suffix(final, "/"))
        return fail(output, EISDIR, error);
    g_autofree char *name = NULL;
    output->final = g_strdup(final);
    hold_signals(SIG_BLOCK);
    int fd = create_temporary(output, &name, error);
    gboolean success = fd >= 0 && close(fd) == 0 && g_unlink(name) == 0;
    if (fd >= 0 && !success)
        fail(output, errno, error);
    hold_signals(SIG_UNBLOCK);
    return success;
}

static gboolean
open_path(CsOutput *output, const char *path, const char *const *inputs, GError **error)
{
    g_autofree char *place = follow_links(output, path, error);
    if (place == NULL)
        return FALSE;
    int fd = own_descriptor(place);
    if (fd >= 0)
        return open_descriptor(output, fd, inputs, error);
    struct stat status;
    if (stat(place, &status) != 0)
        return errno == ENOENT ? try_replacing(output, place, error) : fail(output, errno, error);
    if (S_ISDIR(status.st_mode))
        return fail(output, EISDIR, error);
    if (!refuse_inputs(output->shown, &status, inputs, error))
        return FALSE;
    if (access(place, W_OK) != 0) /* renaming would ignore that the file is write-protected */
        return fail(output, errno, error);
    if (S_ISREG(status.st_mode) && g_file_test(place, G_FILE_TEST_IS_SYMLINK)) {
        output->final = g_steal_pointer(&place);
        output->over = TRUE;
        return TRUE;
    }
    if (S_ISREG(status.st_mode))
        return try_replacing(output, place, error);
    output->fd = open(place, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return output->fd >= 0 || fail(output, errno, error);
}

CsOutput *
cs_output_open(const char *path, const char *const *inputs, GError **error)
{
    gboolean standard = path == NULL || strcmp(path, "-") == 0;
    g_autoptr(CsOutput) output = g_new0(CsOutput, 1);
    output->shown = g_strdup(standard ? "standard output" : path);
    output->fd = -1;
    if (standard ? !open_descriptor(output, STDOUT_FILENO, inputs, error)
                 : !open_path(output, path, inputs, error))
        return NULL;
    return g_steal_pointer(&output);
}

const char *
cs_output_path(const CsOutput *output)
{
    return output->final;
}

/* Returns 0 or the errno of the failure. */
static int
write_all(int fd, const char *bytes, gsize length)
{
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written >= 0) {
            bytes += written;
            length -= (gsize)written;
        } else if (errno == EAGAIN) {
            struct pollfd ready = {fd, POLLOUT, 0};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* Flushes to disk. Some file systems do not support that, which is no failure. */
static int
flush(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* Flushes the folder, so that the new name is on the disk. A folder may be writable and yet not
 * readable; then *durable is FALSE. */
static int
flush_directory(const char *file, gboolean *durable)
{
    g_autofree char *directory = g_path_get_dirname(file);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        *durable = FALSE;
        return errno == EACCES ? 0 : errno;
    }
    int code = flush(fd);
    close(fd);
    return code;
}

/* Flushes fd, unless code is a failure already, and closes it. Returns 0 or the first errno. */
static int
flush_and_close(int fd, int code)
{
    if (code == 0)
        code = flush(fd);
    if (close(fd) != 0 && code == 0)
        code = errno;
    return code;
}

static gboolean
write_through(CsOutput *output, const char *bytes, gsize length, GError **error)
{
    int code = flush_and_close(output->fd, write_all(output->fd, bytes, length));
    output->fd = -1;
    return code == 0 || fail(output, code, error);
}

/* For a file that cannot be replaced: a mount point, or one that has lost its name. */
static gboolean
write_over(const CsOutput *output, const char *bytes, gsize length, GError **error)
{
    int fd = open(output->final, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    int code = fd >= 0 ? flush_and_close(fd, write_all(fd, bytes, length)) : errno;
    return code == 0 || fail(output, code, error);
}

static gboolean
replace(CsOutput *output, const char *bytes, gsize length, GError **error)
{
    g_autofree char *name = NULL;
    int fd = create_temporary(output, &name, error);
    if (fd < 0)
        return FALSE;
    struct stat old;
    if (stat(output->final, &old) == 0)
        (void)fchmod(fd, old.st_mode & 07777); /* if that fails, the umask's mode stays */
    int code = flush_and_close(fd, write_all(fd, bytes, length));
    if (code == 0 && g_rename(name, output->final) == 0) {
        code = flush_directory(output->final, &output->durable);
        return code == 0 || fail(output, code, error);
    }
    if (code == 0)
        code = errno;
    g_unlink(name);
    if (code == EBUSY || code == EPERM || code == EXDEV)
        return write_over(output, bytes, length, error);
    return fail(output, code, error);
}

gboolean
cs_output_write_bytes(CsOutput *output, const char *bytes, gsize length, GError **error)
{
    g_assert(output->final != NULL || output->fd >= 0);
    output->durable = TRUE;
    if (output->final == NULL)
        return write_through(output, bytes, length, error);
    hold_signals(SIG_BLOCK);
    gboolean success = output->over ? write_over(output, bytes, length, error)
                                    : replace(output, bytes, length, error);
    hold_signals(SIG_UNBLOCK);
    return success;
}

gboolean
cs_output_write(CsOutput *output, const char *text, GError **error)
{
    return cs_output_write_bytes(output, text, strlen(text), error);
}

static gboolean
fail_part(const char *part, const char *why, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot write %s: %s", part, why);
    return FALSE;
}

/*
 * Opens the part and locks it, because two runs with one output would mix their rows. A link with
 * its name is refused, because it would lead elsewhere. Old content stays until the first row.
 */
static gboolean
open_part(CsOutput *output, const char *part, const char *const *inputs, GError **error)
{
    struct stat status, named;
    gboolean there = stat(part, &status) == 0;
    if (there && !refuse_inputs(part, &status, inputs, error))
        return FALSE;
    for (int tries = 0; tries < PART_TRIES; tries++) {
        output->fd =
            open(part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0666);
        if (output->fd < 0 || fstat(output->fd, &status) != 0)
            return fail_part(part, g_strerror(errno), error);
        if (!S_ISREG(status.st_mode))
            return fail_part(part, "not a regular file", error);
        if (flock(output->fd, LOCK_EX | LOCK_NB) != 0)
            return fail_part(part,
                             errno == EWOULDBLOCK ? "another run is writing it" : g_strerror(errno),
                             error);
        /* In between, the last holder may have made it the output, or removed it. */
        if (stat(part, &named) == 0 && named.st_dev == status.st_dev &&
            named.st_ino == status.st_ino) {
            output->made_part = !there;
            return TRUE;
        }
        close(output->fd);
        output->fd = -1;
    }
    return fail_part(part, "it keeps being replaced", error);
}

gboolean
cs_output_begin_rows(CsOutput *output, const char *const *inputs, GError **error)
{
    if (output->final == NULL)
        return TRUE;
    if (output->over) {
        output->fd = open(output->final, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
        return output->fd >= 0 || fail(output, errno, error);
    }
    g_autofree char *part = g_strconcat(output->final, ".part", NULL);
    if (!open_part(output, part, inputs, error))
        return FALSE;
    output->part = g_steal_pointer(&part);
    return TRUE;
}

/* Empties the part, so that it has only what is written now. */
static gboolean
empty_part(CsOutput *output, GError **error)
{
    gboolean first = output->part != NULL && !output->has_rows;
    output->has_rows = TRUE;
    return !first || ftruncate(output->fd, 0) == 0 || fail(output, errno, error);
}

gboolean
cs_output_add_row(CsOutput *output, const char *text, GError **error)
{
    if (!empty_part(output, error))
        return FALSE;
    int code = write_all(output->fd, text, strlen(text));
    return code == 0 || fail(output, code, error);
}

gboolean
cs_output_finish_rows(CsOutput *output, GError **error)
{
    struct stat old;
    output->durable = TRUE;
    if (!empty_part(output, error)) /* there may be no row */
        return FALSE;
    if (output->part != NULL && stat(output->final, &old) == 0)
        (void)fchmod(output->fd, old.st_mode & 07777);
    if (output->part == NULL)
        return write_through(output, "", 0, error);
    /* Closing the descriptor gives up the lock, so the name changes first. */
    int code = flush(output->fd);
    if (code == 0 && g_rename(output->part, output->final) != 0)
        code = errno;
    if (close(output->fd) != 0 && code == 0)
        code = errno;
    output->fd = -1;
    if (code != 0)
        return fail(output, code, error);
    g_clear_pointer(&output->part, g_free);
    code = flush_directory(output->final, &output->durable);
    return code == 0 || fail(output, code, error);
}

const char *
cs_output_part(const CsOutput *output)
{
    return output->has_rows ? output->part : NULL;
}

gboolean
cs_output_is_durable(const CsOutput *output)
{
    return output->durable;
}

void
cs_output_free(CsOutput *output)
{
    struct stat status;
    if (output->part != NULL && output->fd >= 0 && output->made_part &&
        fstat(output->fd, &status) == 0 && status.st_size == 0)
        g_unlink(output->part);
    if (output->fd >= 0)
        close(output->fd);
    g_free(output->shown);
    g_free(output->final);
    g_free(output->part);
    g_free(output);
}
