/* Compression by htslib, which writes to files: here to one that only memory holds. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <htslib/bgzf.h>

#include <chromosweep/error.h>

#include "formats/bgzip.h"

static void
fail(GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for the alignment: %s",
                g_strerror(errno));
}

int
cs_bgzip_open_memory(GError **error)
{
    const int fd = memfd_create("chromosweep", MFD_CLOEXEC);
    if (fd < 0)
        fail(error);
    return fd;
}

GBytes *
cs_bgzip_close_memory(int fd, GError **error)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    char *bytes = size >= 0 ? g_try_malloc((gsize)size) : NULL;
    gsize done = 0;
    while (bytes != NULL && done < (gsize)size) {
        const ssize_t now = pread(fd, bytes + done, (gsize)size - done, (off_t)done);
        if (now > 0)
            done += (gsize)now;
        else if (now == 0 || errno != EINTR)
            g_clear_pointer(&bytes, g_free);
    }
    close(fd);
    if (bytes != NULL)
        return g_bytes_new_take(bytes, done);
    fail(error);
    return NULL;
}

GBytes *
cs_bgzip(GBytes *bytes, GError **error)
{
    const int fd = cs_bgzip_open_memory(error);
    if (fd < 0)
        return NULL;
    gsize size;
    const void *data = g_bytes_get_data(bytes, &size);
    BGZF *file = bgzf_dopen(dup(fd), "w");
    const gboolean written = file != NULL && bgzf_write(file, data, size) == (ssize_t)size;
    if (file != NULL && bgzf_close(file) == 0 && written)
        return cs_bgzip_close_memory(fd, error);
    fail(error);
    close(fd);
    return NULL;
}
