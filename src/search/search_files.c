/* The files in the checkpoint of a search: see search_files.h, docs/formats.md. */
#include <string.h>

#include "checkpoint/numbered_file.h"
#include "config.h"
#include "search/search_files.h"

#define FORMAT "chromosweep-search-state"
#define PREFIX "search-"
#define SUFFIX ".state"

enum {
    VERSION = 1,
    DIGITS = 12,
};

static const CsNumberedFile states = {PREFIX, SUFFIX, DIGITS, G_MAXINT64};

char *
cs_search_files_path(const char *directory, gint64 number)
{
    return cs_numbered_file_path(&states, directory, number);
}

static int
higher_first(gconstpointer a, gconstpointer b)
{
    const gint64 one = *(const gint64 *)a, other = *(const gint64 *)b;
    return one > other ? -1 : one < other;
}

GArray *
cs_search_files_list(const char *directory, char **other)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        const gint64 number = cs_numbered_file_number(&states, name);
        if (number > 0)
            g_array_append_val(numbers, number);
        else if (other != NULL && *other == NULL && name[0] != '.' &&
                 strcmp(name, "lost+found") != 0 && !g_str_has_prefix(name, PREFIX) &&
                 strcmp(name, CS_SEARCH_LOCK) != 0)
            *other = g_strdup(name);
    }
    g_array_sort(numbers, higher_first);
    return numbers;
}

/* What only this version writes. */
static gboolean
read_rest(CsSearchFile *state)
{
    json_int_t numbers, size, records;
    json_t *search;
    if (json_unpack(state->head, "{s:I, s:I, s:I, s:F, s:F, s:o}", "numbers", &numbers, "size",
                    &size, "records", &records, "seconds", &state->seconds, "fraction",
                    &state->fraction, "search", &search) != 0 ||
        numbers < 0 || size < 0)
        return FALSE;
    state->numbers = numbers;
    state->size = size;
    state->records = records;
    state->search = search;
    return TRUE;
}

gboolean
cs_search_file_read(CsSearchFile *state, const char *path)
{
    gboolean damaged;
    const char *format = NULL, *saved = NULL;
    int version = 0, order = 0;
    *state = (CsSearchFile){0};
    if (!cs_packed_file_read(path, &state->file, &damaged))
        return FALSE;
    state->head =
        json_loadb(state->file.head, state->file.head_length, JSON_REJECT_DUPLICATES, NULL);
    if (state->head == NULL ||
        json_unpack(state->head, "{s:s, s:i, s:s, s:s, s:i}", "format", &format, "version",
                    &version, "program_version", &state->program_version, "saved", &saved,
                    "byte_order", &order) != 0 ||
        strcmp(format, FORMAT) != 0)
        return FALSE;
    state->saved = cs_json_time_read(saved);
    state->usable = version == VERSION && order == G_BYTE_ORDER;
    return !state->usable || read_rest(state);
}

void
cs_search_file_clear(CsSearchFile *state)
{
    cs_packed_file_clear(&state->file);
    json_decref(state->head);
    state->head = NULL;
}

guint8 *
cs_search_file_new(const CsSearchFile *state, const char *memo, const guint8 *data,
                   gsize *file_size)
{
    g_autofree char *saved = cs_json_time_new(g_get_real_time() / G_USEC_PER_SEC);
    g_autoptr(CsJson) head =
        json_pack("{s:s, s:i, s:s, s:s, s:i, s:I, s:I, s:I, s:f, s:f, s:O}", "format", FORMAT,
                  "version", VERSION, "program_version", CS_VERSION, "saved", saved, "byte_order",
                  G_BYTE_ORDER, "numbers", (json_int_t)state->numbers, "size",
                  (json_int_t)state->size, "records", (json_int_t)state->records, "seconds",
                  state->seconds, "fraction", state->fraction, "search", state->search);
    const gboolean good = head != NULL && cs_json_text_write(head, "memo", memo);
    char *text = good ? json_dumps(head, JSON_COMPACT) : NULL;
    guint8 *file =
        text != NULL ? cs_packed_file_new(text, data, (gsize)state->size, file_size) : NULL;
    free(text);
    return file;
}
