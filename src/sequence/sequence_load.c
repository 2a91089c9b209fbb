/*
 * Sequences from files: a region by index if there is a fresh one beside the file, everything else
 * by streaming the file.
 */
#include <errno.h>
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/sequence.h>

#include "sequence/faidx.h"
#include "sequence/fasta.h"
#include "sequence/input.h"
#include "sequence/region.h"

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
    BGZF *input = cs_input_open(path, &before);
    if (input == NULL) {
        cs_input_fail(path, errno, error);
        return FALSE;
    }
    gboolean good;
    if (wish->all != NULL)
        good = cs_fasta_read_all(input, path, wish->names, wish->all, error);
    else
        good = (wish->sequence = cs_fasta_read(input, path, wish->region, error)) != NULL;
    cs_input_close(input);
    if (good && cs_input_has_changed(path, &before)) {
        cs_input_fail_changed(path, error);
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
    BGZF *input = cs_input_open(path, &before);
    if (input == NULL)
        return NULL;
    g_autoptr(CsSequence) sequence = cs_faidx_read(input, path, &before, region);
    cs_input_close(input);
    return sequence != NULL && !cs_input_has_changed(path, &before) ? g_steal_pointer(&sequence)
                                                                    : NULL;
}

CsSequence *
cs_sequence_load(const char *path, const char *name, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    g_autoptr(CsRegion) record = name != NULL ? cs_region_new_record(name) : NULL;
    Wish wish = {.region = record};
    cs_input_begin();
    load_streaming(path, &wish, error);
    cs_input_end();
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
    cs_input_begin();
    wish.sequence = load_indexed(path, parsed);
    if (wish.sequence == NULL)
        load_streaming(path, &wish, error);
    cs_input_end();
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
    cs_input_begin();
    gboolean good = load_streaming(path, &wish, error);
    cs_input_end();
    return good ? g_steal_pointer(&all) : NULL;
}
