/*
 * Sequences from files: a region by index if there is a fresh one beside the file, everything else
 * by streaming the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>

#include <chromosweep/error.h>
#include <chromosweep/sequence.h>

#include "sequence/faidx.h"
#include "sequence/fasta.h"
#include "sequence/region.h"
#include "system/display.h"
#include "system/error_detail.h"

/* htslib's log level is global: it is off while any thread reads, then restored. */
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static guint log_readers;
static enum htsLogLevel log_level;

static void
log_off(void)
{
    pthread_mutex_lock(&log_mutex);
    if (log_readers++ == 0) {
        log_level = hts_get_log_level();
        hts_set_log_level(HTS_LOG_OFF);
    }
    pthread_mutex_unlock(&log_mutex);
}

static void
log_restore(void)
{
    pthread_mutex_lock(&log_mutex);
    if (--log_readers == 0)
        hts_set_log_level(log_level);
    pthread_mutex_unlock(&log_mutex);
}

/* Uses open(), because htslib's function treats "http://..." and "data:..." as URLs. */
static BGZF *
open_input(const char *path, struct stat *status)
{
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

/* Whether a regular file has changed since it was opened. */
static gboolean
has_changed(const char *path, const struct stat *before)
{
    struct stat after;
    return S_ISREG(before->st_mode) && stat(path, &after) == 0 && after.st_dev == before->st_dev &&
           after.st_ino == before->st_ino &&
           (after.st_size != before->st_size || after.st_mtim.tv_sec != before->st_mtim.tv_sec ||
            after.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

static void
close_input(BGZF *input)
{
    hclearerr(input->fp); /* it was reported, and bgzf_close() leaks if it finds one */
    bgzf_close(input);
}

/* What cs_fasta_read() or, if `all` is set, cs_fasta_read_all() must take. */
typedef struct {
    const CsRegion *region;
    const char *const *names;
    GPtrArray *all;
    CsSequence *sequence; /* without all: what was taken */
} Wish;

static gboolean
load_streaming(const char *path, Wish *wish, GError **error)
{
    struct stat before = {0};
    errno = 0;
    BGZF *input = open_input(path, &before);
    if (input == NULL) {
        int saved_errno = errno;
        g_autofree char *shown =
            strcmp(path, "-") == 0 ? g_strdup("standard input") : cs_display_name(path);
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open %s: %s", shown,
                    g_strerror(saved_errno));
        cs_error_set_detail_of_errno(error, saved_errno);
        cs_error_set_path(error, path);
        return FALSE;
    }
    gboolean good;
    if (wish->all != NULL)
        good = cs_fasta_read_all(input, path, wish->names, wish->all, error);
    else
        good = (wish->sequence = cs_fasta_read(input, path, wish->region, error)) != NULL;
    close_input(input);
    if (good && has_changed(path, &before)) {
        g_autofree char *shown = cs_display_name(path);
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "%s changed while it was read", shown);
        g_clear_pointer(&wish->sequence, cs_sequence_unref);
        return FALSE;
    }
    return good;
}

/* Loads the region by the file's index. NULL if the file must be streamed, perhaps to an error. */
static CsSequence *
load_indexed(const char *path, const CsRegion *region)
{
    struct stat before;
    /* Only a regular file may be opened twice: a pipe would be drained by the first reader. */
    if (strcmp(path, "-") == 0 || stat(path, &before) != 0 || !cs_faidx_is_fresh(path, &before))
        return NULL;
    BGZF *input = open_input(path, &before);
    if (input == NULL)
        return NULL;
    g_autoptr(CsSequence) sequence = cs_faidx_read(input, path, &before, region);
    close_input(input);
    return sequence != NULL && !has_changed(path, &before) ? g_steal_pointer(&sequence) : NULL;
}

CsSequence *
cs_sequence_load(const char *path, const char *name, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    g_autoptr(CsRegion) record = name != NULL ? cs_region_new_record(name) : NULL;
    Wish wish = {.region = record};
    log_off();
    load_streaming(path, &wish, error);
    log_restore();
    return wish.sequence;
}

CsSequence *
cs_sequence_load_region(const char *path, const char *region, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    if (region == NULL)
        return cs_sequence_load(path, NULL, error);
    g_autoptr(CsRegion) parsed = cs_region_parse(region, error);
    if (parsed == NULL)
        return NULL;
    Wish wish = {.region = parsed};
    log_off();
    wish.sequence = load_indexed(path, parsed);
    if (wish.sequence == NULL)
        load_streaming(path, &wish, error);
    log_restore();
    return wish.sequence;
}

GPtrArray *
cs_sequence_load_all(const char *path, const char *const *names, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)(void (*)(void))cs_sequence_unref);
    Wish wish = {.names = names, .all = all};
    log_off();
    gboolean good = load_streaming(path, &wish, error);
    log_restore();
    return good ? g_steal_pointer(&all) : NULL;
}
