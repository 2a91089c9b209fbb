/*
 * A library for LD_PRELOAD that makes the n-th file operation below a folder go wrong.
 *
 *     FAULT_SHIM_FOLDER   the folder; it and everything below it counts. If not set, the shim does
 *                         nothing
 *     FAULT_SHIM_AT       n, counted from 1 over all threads
 *     FAULT_SHIM_DO       what happens there, below
 *     FAULT_SHIM_KIND     counts operations of one kind only, as the log calls them
 *     FAULT_SHIM_LOG      a file to which each operation counted appends `NUMBER KIND PATH`
 *     FAULT_SHIM_JOURNAL  a file to which each appends what is needed to repeat it, between tabs:
 *                         write PATH OFFSET HEX, truncate PATH LENGTH, open PATH FLAGS, sync PATH,
 *                         rename FROM TO, unlink PATH
 *
 *     eio enospc eintr    the operation is not done and fails with this error, once; a close is
 *                         done nevertheless, and eintr does not happen to rename and unlink
 *     short               a read or write does half; other operations are done
 *     tear                a write does half; other operations are not done; then the process is
 *                         killed
 *     kill-before         the process is killed before the operation
 *     kill-after          the process is killed after the operation
 *     full                from here on, everything that may need space fails with ENOSPC
 *     dead                from here on, everything fails with EIO
 *
 * Kinds: open (for writing), read, write, sync, rename, unlink, close. The log is written by plain
 * system calls, so that it is complete even if the process is killed.
 */
/* Otherwise open() would mean open64(), and so on. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum {
    DO_IT,
    FAIL,  /* errno is set */
    HALVE, /* and go on */
    TEAR,  /* halve, then die */
    DIE_AFTER,
} Fate;

/* The next definition of a function. It is looked up once. */
#define REAL(name) ((__typeof__(&name))real(#name))

static void *
real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void
die(void)
{
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;)
        pause();
}

static const char *
setting(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

static int
below(const char *path)
{
    const char *folder = setting("FAULT_SHIM_FOLDER");
    size_t length = strlen(folder);
    return length > 0 && strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

/* The path of a descriptor, or of a name below one (AT_FDCWD: the current folder). Links and dots
 * in it are not resolved. */
static const char *
path_of(int fd, const char *name, char *path)
{
    char link[64];
    ssize_t length = 0;
    path[0] = '\0';
    if (name != NULL && name[0] == '/')
        return strncpy(path, name, PATH_MAX - 1);
    if (name != NULL && fd == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/self/cwd");
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    if (name != NULL)
        snprintf(path + strlen(path), PATH_MAX - strlen(path), "/%s", name);
    return path;
}

static void
append(const char *file, const char *text, size_t size)
{
    long fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    syscall(SYS_write, fd, text, size);
    syscall(SYS_close, fd);
}

/* Appends a line to the journal; data, if any, becomes its last field. */
static void
journal(const char *path, const void *data, size_t size, const char *format, ...)
{
    const char *file = setting("FAULT_SHIM_JOURNAL");
    if (file[0] == '\0' || !below(path))
        return;
    int before = errno;
    size_t room = 2 * PATH_MAX + 64 + 2 * size;
    char *line = malloc(room);
    va_list values;
    va_start(values, format);
    size_t length = (size_t)vsnprintf(line, room, format, values);
    va_end(values);
    for (size_t k = 0; k < size; k++)
        length += (size_t)sprintf(line + length, "%02x", ((const unsigned char *)data)[k]);
    line[length++] = '\n';
    append(file, line, length);
    free(line);
    errno = before;
}

/* Numbers an operation, and logs it. */
static unsigned long
count(const char *kind, const char *path)
{
    static atomic_ulong seen;
    unsigned long number = ++seen;
    char line[PATH_MAX + 64];
    const char *log = setting("FAULT_SHIM_LOG");
    if (log[0] != '\0')
        append(log, line, (size_t)snprintf(line, sizeof line, "%lu %s %s\n", number, kind, path));
    return number;
}

static int
needs_room(const char *kind)
{
    return strcmp(kind, "read") != 0 && strcmp(kind, "unlink") != 0 && strcmp(kind, "close") != 0;
}

/* What to do with an operation. errno changes only if the operation should fail. */
static Fate
judge(const char *kind, const char *path)
{
    int before = errno;
    const char *only = setting("FAULT_SHIM_KIND"), *what = setting("FAULT_SHIM_DO");
    if (!below(path) || (only[0] != '\0' && strcmp(only, kind) != 0))
        return DO_IT;
    unsigned long number = count(kind, path), at = strtoul(setting("FAULT_SHIM_AT"), NULL, 10);
    errno = before;
    if (at == 0 || number < at)
        return DO_IT;
    if (strcmp(what, "full") == 0 || strcmp(what, "dead") == 0) {
        if (what[0] == 'f' && !needs_room(kind))
            return DO_IT;
        errno = what[0] == 'f' ? ENOSPC : EIO;
        return FAIL;
    }
    if (number > at)
        return DO_IT;
    if (strcmp(what, "kill-before") == 0 ||
        (strcmp(what, "tear") == 0 && strcmp(kind, "write") != 0))
        die();
    if (strcmp(what, "kill-after") == 0)
        return DIE_AFTER;
    if (strcmp(what, "tear") == 0)
        return TEAR;
    if (strcmp(what, "short") == 0)
        return HALVE;
    if (strcmp(what, "eintr") == 0 && (strcmp(kind, "rename") == 0 || strcmp(kind, "unlink") == 0))
        return DO_IT;
    errno = strcmp(what, "eintr") == 0 ? EINTR : strcmp(what, "enospc") == 0 ? ENOSPC : EIO;
    return FAIL;
}

static void
after(Fate fate)
{
    if (fate == DIE_AFTER || fate == TEAR)
        die();
}

/* The number of bytes that the operation should do. */
static size_t
portion(Fate fate, size_t size)
{
    return (fate == HALVE || fate == TEAR) && size > 1 ? size / 2 : size;
}

/* path is the path of fd and name. record writes the operation to the journal. */
#define AROUND(kind, fd, name, type, record, call)                                                 \
    do {                                                                                           \
        char path[PATH_MAX];                                                                       \
        Fate fate = judge(kind, path_of(fd, name, path));                                          \
        if (fate == FAIL)                                                                          \
            return -1;                                                                             \
        record;                                                                                    \
        type result_ = (call);                                                                     \
        after(fate);                                                                               \
        return result_;                                                                            \
    } while (0)

#define WRITTEN(data, size, offset)                                                                \
    journal(path, data, portion(fate, size), "write	%s	%lld	", path,                   \
            (long long)(offset))
#define NOTED(kind) journal(path, NULL, 0, kind "	%s", path)

ssize_t
write(int fd, const void *data, size_t size)
{
    AROUND("write", fd, NULL, ssize_t, WRITTEN(data, size, lseek(fd, 0, SEEK_CUR)),
           REAL(write)(fd, data, portion(fate, size)));
}

ssize_t
pwrite(int fd, const void *data, size_t size, off_t offset)
{
    AROUND("write", fd, NULL, ssize_t, WRITTEN(data, size, offset),
           REAL(pwrite)(fd, data, portion(fate, size), offset));
}

ssize_t
pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    AROUND("write", fd, NULL, ssize_t, WRITTEN(data, size, offset),
           REAL(pwrite64)(fd, data, portion(fate, size), offset));
}

/* Half of a vector is its first piece, or half of that piece if there is only one. */
static int
vectors(Fate fate, int count, const struct iovec *from, struct iovec *half)
{
    *half = from[0];
    if (fate != HALVE && fate != TEAR)
        return 0;
    if (count == 1)
        half->iov_len = portion(fate, half->iov_len);
    return 1;
}

ssize_t
writev(int fd, const struct iovec *from, int count)
{
    struct iovec half;
    AROUND("write", fd, NULL, ssize_t, NOTED("writev"),
           vectors(fate, count, from, &half) ? REAL(writev)(fd, &half, 1)
                                             : REAL(writev)(fd, from, count));
}

ssize_t
read(int fd, void *data, size_t size)
{
    AROUND("read", fd, NULL, ssize_t, (void)0, REAL(read)(fd, data, portion(fate, size)));
}

ssize_t
pread(int fd, void *data, size_t size, off_t offset)
{
    AROUND("read", fd, NULL, ssize_t, (void)0, REAL(pread)(fd, data, portion(fate, size), offset));
}

ssize_t
pread64(int fd, void *data, size_t size, off64_t offset)
{
    AROUND("read", fd, NULL, ssize_t, (void)0,
           REAL(pread64)(fd, data, portion(fate, size), offset));
}

/* With _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *data, size_t size, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t size, off64_t offset, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t size, off_t offset, size_t room);

ssize_t
__read_chk(int fd, void *data, size_t size, size_t room)
{
    return size <= room ? read(fd, data, size) : (abort(), -1);
}

ssize_t
__pread_chk(int fd, void *data, size_t size, off_t offset, size_t room)
{
    return size <= room ? pread(fd, data, size, offset) : (abort(), -1);
}

ssize_t
__pread64_chk(int fd, void *data, size_t size, off64_t offset, size_t room)
{
    return size <= room ? pread64(fd, data, size, offset) : (abort(), -1);
}

int
fsync(int fd)
{
    AROUND("sync", fd, NULL, int, NOTED("sync"), REAL(fsync)(fd));
}

int
fdatasync(int fd)
{
    AROUND("sync", fd, NULL, int, NOTED("sync"), REAL(fdatasync)(fd));
}

int
syncfs(int fd)
{
    AROUND("sync", fd, NULL, int, NOTED("sync"), REAL(syncfs)(fd));
}

#define RENAMED(fd, name)                                                                          \
    do {                                                                                           \
        char old[PATH_MAX];                                                                        \
        journal(path, NULL, 0, "rename\t%s\t%s", path_of(fd, name, old), path);                    \
    } while (0)

int
rename(const char *from, const char *to)
{
    AROUND("rename", AT_FDCWD, to, int, RENAMED(AT_FDCWD, from), REAL(rename)(from, to));
}

int
renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    AROUND("rename", to_fd, to, int, RENAMED(from_fd, from),
           REAL(renameat)(from_fd, from, to_fd, to));
}

int
renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
    AROUND("rename", to_fd, to, int, RENAMED(from_fd, from),
           REAL(renameat2)(from_fd, from, to_fd, to, flags));
}

int
unlink(const char *name)
{
    AROUND("unlink", AT_FDCWD, name, int, NOTED("unlink"), REAL(unlink)(name));
}

int
unlinkat(int fd, const char *name, int flags)
{
    AROUND("unlink", fd, name, int, NOTED("unlink"), REAL(unlinkat)(fd, name, flags));
}

int
remove(const char *name)
{
    AROUND("unlink", AT_FDCWD, name, int, NOTED("unlink"), REAL(remove)(name));
}

int
ftruncate(int fd, off_t length)
{
    AROUND("write", fd, NULL, int,
           journal(path, NULL, 0, "truncate\t%s\t%lld", path, (long long)length),
           REAL(ftruncate)(fd, length));
}

int
ftruncate64(int fd, off64_t length)
{
    AROUND("write", fd, NULL, int,
           journal(path, NULL, 0, "truncate\t%s\t%lld", path, (long long)length),
           REAL(ftruncate64)(fd, length));
}

/* On Linux a descriptor is closed even if close() fails. */
int
close(int fd)
{
    char path[PATH_MAX];
    int before = errno;
    Fate fate = judge("close", path_of(fd, NULL, path));
    int failure = errno;
    errno = before;
    int result = REAL(close)(fd);
    after(fate);
    if (fate != FAIL)
        return result;
    errno = failure;
    return -1;
}

static int
mode_of(int flags, va_list values)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(values, int) : 0;
}

/* Opening for reading does not change a file and is not counted. */
#define OPEN(fd, name, flags, call)                                                                \
    do {                                                                                           \
        va_list values;                                                                            \
        va_start(values, flags);                                                                   \
        mode_t mode = (mode_t)mode_of(flags, values);                                              \
        va_end(values);                                                                            \
        if ((flags & (O_WRONLY | O_RDWR)) == 0)                                                    \
            return (call);                                                                         \
        AROUND("open", fd, name, int, journal(path, NULL, 0, "open\t%s\t%d", path, flags), call);  \
    } while (0)

int
open(const char *name, int flags, ...)
{
    OPEN(AT_FDCWD, name, flags, REAL(open)(name, flags, mode));
}

int
open64(const char *name, int flags, ...)
{
    OPEN(AT_FDCWD, name, flags, REAL(open64)(name, flags, mode));
}

int
openat(int fd, const char *name, int flags, ...)
{
    OPEN(fd, name, flags, REAL(openat)(fd, name, flags, mode));
}

int
openat64(int fd, const char *name, int flags, ...)
{
    OPEN(fd, name, flags, REAL(openat64)(fd, name, flags, mode));
}
