/* Manifests as JSON, and the names in a folder: see checkpoint_manifest.h, docs/formats.md. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "checkpoint/checkpoint_manifest.h"
#include "checkpoint/json_values.h"
#include "config.h"
#include "system/disk.h"
#include "system/display.h"

#define FORMAT "chromosweep-checkpoint"
#define PREFIX "generation-"
#define SUFFIX ".state"
#define TEMPORARY SUFFIX CS_TEMPORARY

enum {
    VERSION = 1,
    MOST_BYTES = 64 << 20,
    MOST_ENTRIES = 1000,
};

char *
cs_generation_name(gint64 number)
{
    return g_strdup_printf(PREFIX "%06" G_GINT64_FORMAT SUFFIX, number);
}

/* A generation's number from its name; 0 if the name is not exactly as we write it. */
static gint64
number_of(const char *name, const char *suffix)
{
    if (!g_str_has_prefix(name, PREFIX) || !g_str_has_suffix(name, suffix))
        return 0;
    gint64 number = g_ascii_strtoll(name + strlen(PREFIX), NULL, 10);
    if (number < 1 || number > CS_GENERATION_MOST)
        return 0;
    g_autofree char *wanted = g_strdup_printf(PREFIX "%06" G_GINT64_FORMAT "%s", number, suffix);
    return strcmp(name, wanted) == 0 ? number : 0;
}

void
cs_entry_clear(CsEntry *entry)
{
    g_clear_pointer(&entry->shown.file, g_free);
    g_clear_pointer(&entry->shown.fault, g_free);
}

GArray *
cs_entries_new(void)
{
    GArray *entries = g_array_new(FALSE, TRUE, sizeof(CsEntry));
    g_array_set_clear_func(entries, (GDestroyNotify)cs_entry_clear);
    return entries;
}

CsEntry
cs_entry_copy(const CsEntry *entry)
{
    CsEntry copy = *entry;
    copy.shown.file = g_strdup(entry->shown.file);
    copy.shown.fault = g_strdup(entry->shown.fault);
    return copy;
}

/* The manifest's query_end is the last base as read, which on minus comes first in the query. */
static void
put_query(CsGeneration *shown, CsStrand strand, gint64 last)
{
    shown->query_start = strand == CS_STRAND_MINUS ? last : 0;
    shown->query_end = strand == CS_STRAND_MINUS ? 0 : last;
}

CsEntry
cs_entry_of_head(const CsStateHead *head, const CsState *state, gint64 bytes)
{
    const CsBest *best = &state->staircase.best;
    const GArray *steps = state->staircase.steps;
    const CsPlacement placement = cs_fingerprint_record_placement(head->record);
    CsStrand strand = state->under_way;
    if (head->record->strand == CS_STRAND_BOTH && strand == CS_STRAND_MINUS &&
        (strand = cs_strand_better(&state->plus, best)) == CS_STRAND_PLUS)
        best = &state->plus;
    CsGeneration shown = {
        .number = head->generation,
        .file = cs_generation_name(head->generation),
        .bytes = bytes,
        .saved = head->saved,
        .cells_done = state->cells,
        .rows_done = steps != NULL && steps->len > 0 ? g_array_index(steps, CsStep, 0).row
                                                     : state->staircase.row,
        .score = best->score,
        .target_end = cs_placement_target(&placement, best),
        .seconds = state->seconds,
        .strand = strand,
        .under_way = state->under_way,
        .skip = state->work[state->under_way].skip,
    };
    put_query(&shown, strand, cs_placement_query(&placement, strand, best));
    return (CsEntry){.shown = shown, .head = head->checksum};
}

void
cs_manifest_clear(CsManifest *manifest)
{
    g_clear_pointer(&manifest->record, cs_fingerprint_record_free);
    g_clear_pointer(&manifest->program_version, g_free);
    g_clear_pointer(&manifest->entries, g_array_unref);
    g_clear_pointer(&manifest->text, g_free);
}

static json_t *
entry_to_json(const CsEntry *entry)
{
    const CsGeneration *shown = &entry->shown;
    g_autofree char *saved = cs_json_time_new(shown->saved);
    g_autofree char *head = cs_json_hex_new(entry->head);
    return json_pack(
        "{s:I, s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:b, s:b, s:s, s:s}", "number",
        (json_int_t)shown->number, "file", shown->file, "bytes", (json_int_t)shown->bytes, "saved",
        saved, "row", (json_int_t)shown->rows_done, "cells", (json_int_t)shown->cells_done, "score",
        (json_int_t)shown->score, "target_end", (json_int_t)shown->target_end, "query_end",
        (json_int_t)MAX(shown->query_start, shown->query_end), "seconds", shown->seconds, "head",
        head, "verified", (int)entry->verified, "kept", (int)entry->kept, "strand",
        cs_strand_name(shown->strand), "under_way", cs_strand_name(shown->under_way));
}

/* The checksum of the object without its key "checksum". FALSE: not enough memory. */
static gboolean
checksum_of(const json_t *object, guint64 *checksum)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    if (text != NULL)
        *checksum = XXH64(text, strlen(text), 0);
    gboolean done = text != NULL;
    free(text);
    return done;
}

char *
cs_manifest_dump(const CsFingerprintRecord *record, const GArray *entries)
{
    json_t *list = json_array();
    gboolean complete = list != NULL;
    for (guint k = 0; k < entries->len && complete; k++)
        complete =
            json_array_append_new(list, entry_to_json(&g_array_index(entries, CsEntry, k))) == 0;
    g_autoptr(CsJson) object = json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:o}", "format", FORMAT, "version", VERSION, "program_version",
        CS_VERSION, "m", (json_int_t)cs_fingerprint_record_rows(record), "n",
        (json_int_t)cs_fingerprint_record_columns(record), "generations", list);
    guint64 checksum;
    if (!complete || object == NULL || !cs_fingerprint_record_write(record, object) ||
        !checksum_of(object, &checksum))
        return NULL;
    g_autofree char *hex = cs_json_hex_new(checksum);
    if (json_object_set_new(object, "checksum", json_string(hex)) != 0)
        return NULL;
    return json_dumps(object, JSON_COMPACT);
}

static gboolean
fail(GError **error, const char *what)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_CONTENT, what);
    return FALSE;
}

static gboolean
read_entry(json_t *object, CsEntry *entry)
{
    const char *file = NULL, *saved = NULL, *head = NULL;
    json_int_t number, bytes, row, cells, score, target_end, query_end;
    double seconds = 0;
    /* Keys that manifests of earlier versions lack. */
    int verified = 0, kept = 0;
    const char *strand = "+", *under_way = "+";
    CsStrand strands[2];
    if (json_unpack(object,
                    "{s:I, s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:F, s:s, s?b, s?b, s?s, s?s}",
                    "number", &number, "file", &file, "bytes", &bytes, "saved", &saved, "row", &row,
                    "cells", &cells, "score", &score, "target_end", &target_end, "query_end",
                    &query_end, "seconds", &seconds, "head", &head, "verified", &verified, "kept",
                    &kept, "strand", &strand, "under_way", &under_way) != 0 ||
        !cs_strand_read(strand, &strands[0]) || !cs_strand_read(under_way, &strands[1]) ||
        number < 1 || number_of(file, SUFFIX) != number || bytes < 0 ||
        cs_json_time_read(saved) < 0 || row < 0 || cells < 0 || score < 0 || target_end < 0 ||
        query_end < 0 || !isfinite(seconds) || seconds < 0 || !cs_json_hex_read(head, &entry->head))
        return FALSE;
    entry->verified = verified;
    entry->kept = kept;
    entry->shown = (CsGeneration){
        .number = number,
        .file = g_strdup(file),
        .bytes = bytes,
        .saved = cs_json_time_read(saved),
        .cells_done = cells,
        .rows_done = row,
        .score = score,
        .target_end = target_end,
        .seconds = seconds,
        .strand = strands[0],
        .under_way = strands[1],
    };
    put_query(&entry->shown, strands[0], query_end);
    return TRUE;
}

/* Reads the entries, the newest first: each number must be lower than the one before. */
static gboolean
read_entries(json_t *list, GArray *entries, GError **error)
{
    if (!json_is_array(list) || json_array_size(list) > MOST_ENTRIES)
        return fail(error, "malformed generations");
    gint64 before = G_MAXINT64;
    for (gsize k = 0; k < json_array_size(list); k++) {
        CsEntry entry;
        if (!read_entry(json_array_get(list, k), &entry))
            return fail(error, "malformed generations");
        g_array_append_val(entries, entry);
        if (entry.shown.number >= before)
            return fail(error, "malformed generations");
        before = entry.shown.number;
    }
    return TRUE;
}

/* As in a state file, the version counts only if the checksum is right. */
static gboolean
parse(const char *text, gsize length, CsManifest *manifest, GError **error)
{
    const char *format = NULL, *hex = NULL, *program = NULL;
    json_int_t version = 0;
    guint64 stored, found = 0;
    g_autoptr(CsJson) object = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    if (object == NULL ||
        json_unpack(object, "{s:s, s:I, s:s}", "format", &format, "version", &version, "checksum",
                    &hex) != 0 ||
        strcmp(format, FORMAT) != 0)
        return fail(error, "not a manifest");
    if (!cs_json_hex_read(hex, &stored))
        return fail(error, "checksum");
    json_object_del(object, "checksum");
    if (!checksum_of(object, &found) || stored != found)
        return fail(error, "wrong checksum");
    if (version != VERSION) {
        g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                    "format version %" G_GINT64_FORMAT "; this program reads version %d",
                    (gint64)version, VERSION);
        return FALSE;
    }
    if (json_unpack(object, "{s:s}", "program_version", &program) != 0)
        return fail(error, "malformed description");
    manifest->program_version = g_strdup(program);
    manifest->record = cs_fingerprint_record_read(object, error);
    manifest->entries = cs_entries_new();
    return manifest->record != NULL &&
           read_entries(json_object_get(object, "generations"), manifest->entries, error);
}

static gboolean
read_text(int fd, const char *path, char **text, gsize *length, GError **error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return cs_disk_fail("read", path, errno, error);
    if (status.st_size > MOST_BYTES)
        return fail(error, "too long");
    *text = g_try_malloc((gsize)status.st_size + 1);
    if (*text == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for a manifest");
        return FALSE;
    }
    gssize done = cs_disk_read(fd, path, *text, (gsize)status.st_size, error);
    *length = (gsize)MAX(done, 0);
    (*text)[*length] = '\0';
    return done >= 0;
}

gboolean
cs_manifest_read(const char *directory, CsManifest *manifest, gboolean *found, GError **error)
{
    g_autofree char *path = g_build_filename(directory, CS_MANIFEST, NULL);
    g_autofree char *text = NULL;
    struct stat status;
    *found = lstat(path, &status) == 0;
    if (!*found && errno == ENOENT)
        return TRUE;
    int fd = cs_disk_open(path, error);
    if (fd < 0)
        return FALSE;
    gsize length = 0;
    *manifest = (CsManifest){0};
    gboolean success = read_text(fd, path, &text, &length, error);
    if (!cs_disk_close(&fd, path, success ? error : NULL) || !success)
        return FALSE;
    if (parse(text, length, manifest, error)) {
        manifest->text = g_steal_pointer(&text);
        return TRUE;
    }
    cs_manifest_clear(manifest);
    return FALSE;
}

static gint
higher_first(gconstpointer a, gconstpointer b)
{
    gint64 one = *(const gint64 *)a, other = *(const gint64 *)b;
    return one < other ? 1 : one > other ? -1 : 0;
}

static gboolean
is_temporary(const char *name)
{
    return strcmp(name, CS_MANIFEST_TEMPORARY) == 0 || number_of(name, TEMPORARY) > 0 ||
           (g_str_has_prefix(name, CS_FOUND_PREFIX) &&
            g_str_has_suffix(name, CS_FOUND_SUFFIX CS_TEMPORARY));
}

static void
sort_name(const char *name, GArray *numbers, GPtrArray *temporaries)
{
    gint64 number = number_of(name, SUFFIX);
    if (number > 0 && numbers != NULL)
        g_array_append_val(numbers, number);
    if (temporaries != NULL && is_temporary(name))
        g_ptr_array_add(temporaries, g_strdup(name));
}

gboolean
cs_directory_list(const char *directory, GArray *numbers, GPtrArray *temporaries, GError **error)
{
    DIR *listing = opendir(directory);
    if (listing == NULL)
        return cs_disk_fail("open", directory, errno, error);
    errno = 0;
    for (struct dirent *item; (item = readdir(listing)) != NULL; errno = 0)
        sort_name(item->d_name, numbers, temporaries);
    int code = errno;
    if (closedir(listing) != 0 && code == 0)
        code = errno;
    if (code != 0)
        return cs_disk_fail("read", directory, code, error);
    if (numbers != NULL)
        g_array_sort(numbers, higher_first);
    return TRUE;
}

/* What the name of a file says about its folder. */
typedef enum {
    NAME_OF_NOTHING, /* another program may have made it: a lock, a manifest unlike ours */
    NAME_OF_CHECKPOINT,
    NAME_OF_OTHERS,
} NameKind;

static NameKind
kind_of(const char *directory, const char *name)
{
    g_autofree char *path = g_build_filename(directory, name, NULL), *text = NULL;
    if (number_of(name, SUFFIX) > 0 || strcmp(name, CS_PAIRS_LOCK) == 0)
        return NAME_OF_CHECKPOINT;
    if (strcmp(name, CS_MANIFEST) == 0)
        return g_file_get_contents(path, &text, NULL, NULL) && strstr(text, FORMAT) != NULL
                   ? NAME_OF_CHECKPOINT
                   : NAME_OF_NOTHING;
    return name[0] == '.' || strcmp(name, "lost+found") == 0 || strcmp(name, CS_LOCK) == 0 ||
                   is_temporary(name) || g_str_has_prefix(name, CS_FOUND_PREFIX)
               ? NAME_OF_NOTHING
               : NAME_OF_OTHERS;
}

gboolean
cs_directory_check(const char *directory, GError **error)
{
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    g_autofree char *other = NULL;
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        const NameKind kind = kind_of(directory, name);
        if (kind == NAME_OF_CHECKPOINT)
            return TRUE;
        if (kind == NAME_OF_OTHERS && (other == NULL || strcmp(name, other) < 0)) {
            g_free(other);
            other = g_strdup(name);
        }
    }
    if (other == NULL)
        return TRUE;
    g_autofree char *shown = cs_display_name(directory), *shown_other = cs_display_name(other);
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "%s holds other files, such as %s: a checkpoint needs a new or an empty folder, or "
                "one that already holds a checkpoint",
                shown, shown_other);
    return FALSE;
}

int
cs_generation_open(const char *directory, gint64 number, const CsEntry *known, CsStateHead *head,
                   GError **error)
{
    g_autofree char *name = cs_generation_name(number);
    g_autofree char *path = g_build_filename(directory, name, NULL);
    int fd = cs_disk_open(path, error);
    if (fd < 0)
        return -1;
    if (cs_state_file_read_head(fd, path, head, error)) {
        if (head->generation != number)
            fail(error, "head: belongs to another generation");
        else if (known != NULL && known->head != head->checksum)
            fail(error, "head: not the one that the manifest names");
        else
            return fd;
        cs_state_head_clear(head);
    }
    close(fd); /* it was only read */
    return -1;
}

gboolean
cs_generation_describe(const char *directory, gint64 number, CsEntry *entry, CsStateHead *head,
                       GError **error)
{
    g_autoptr(GError) failure = NULL;
    struct stat status = {0};
    int fd = cs_generation_open(directory, number, NULL, head, &failure);
    if (fd >= 0) {
        int failed = fstat(fd, &status);
        close(fd);
        if (failed == 0) {
            *entry = cs_entry_of_head(head, &head->state, status.st_size);
            return TRUE;
        }
        cs_state_head_clear(head);
        return cs_disk_fail("read", directory, errno, error);
    }
    if (!g_error_matches(failure, CS_ERROR, CS_ERROR_CONTENT) &&
        !g_error_matches(failure, CS_ERROR, CS_ERROR_FAILED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    *head = (CsStateHead){0};
    *entry = (CsEntry){.shown = {.number = number,
                                 .file = cs_generation_name(number),
                                 .fault = g_strdup(failure->message)}};
    return TRUE;
}
