/* Opens inputs, and closes them. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <htslib/hfile.h>
#include <htslib/hts_log.h>

#include <chromosweep/error.h>

#include "sequence/input.h"
#include "system/display.h"
#include "system/error_detail.h"

/* htslib's log level is global: it is off while any thread reads, then restored. */
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static guint log_readers;
static enum htsLogLevel log_level;

void
cs_input_begin(void)
{
    pthread_mutex_lock(&log_mutex);
    if (log_readers++ == 0) {
        log_level = hts_get_log_level();
        hts_set_log_level(HTS_LOG_OFF);
    }
    pthread_mutex_unlock(&log_mutex);
}

void
cs_input_end(void)
{
    pthread_mutex_lock(&log_mutex);
    if (--log_readers == 0)
        hts_set_log_level(log_level);
    pthread_mutex_unlock(&log_mutex);
}

BGZF *
cs_input_open(const char *path, struct stat *status)
{
    errno = 0;
    /* htslib's function would treat "http://..." and "data:..." as URLs. */
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return NULL;
    hFILE *file = fstat(fd, status) == 0 ? hdopen(fd, "r") : NULL;
    if (file == NULL) {
        int saved_errno = errno;
        close(fd);
        errno = saved_errno;
        return NULL;
    }
    BGZF *input = bgzf_hopen(file, "r");
    if (input == NULL)
        hclose_abruptly(file); /* keeps errno */
    return input;
}

gboolean
cs_input_has_changed(const char *path, const struct stat *before)
{
    struct stat after;
    return S_ISREG(before->st_mode) && stat(path, &after) == 0 && after.st_dev == before->st_dev &&
           after.st_ino == before->st_ino &&
           (after.st_size != before->st_size || after.st_mtim.tv_sec != before->st_mtim.tv_sec ||
            after.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

void
cs_input_close(BGZF *input)
{
    hclearerr(input->fp); /* it was reported, and bgzf_close() leaks if it finds one */
    bgzf_close(input);
}

void
cs_input_fail(const char *path, int code, GError **error)
{
    g_autofree char *shown =
        strcmp(path, "-") == 0 ? g_strdup("standard input") : cs_display_name(path);
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open %s: %s", shown, g_strerror(code));
    cs_error_set_detail_of_errno(error, code);
    cs_error_set_path(error, path);
}

void
cs_input_fail_changed(const char *path, GError **error)
{
    g_autofree char *shown = cs_display_name(path);
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "%s changed while it was read", shown);
}
