/* The pairs of a run: their records, the list they come from, and the checkpoint of each. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <chromosweep/error.h>

#include "command/inputs.h"
#include "command/pair_list.h"

enum {
    FOLDER_NAME_MAX = 200, /* bytes of a folder's name; file systems take 255 */
    FOLDER_HEAD = 120,     /* how much is kept of a longer name, before its hash */
    FOLDER_HASH = 32,
    LINE_BYTES_MAX = 1 << 20, /* of a line of the list */
};

/* A pair, by indices of records. */
typedef struct {
    guint target, query;
} Pair;

void
cs_pair_list_clear(CsPairList *pairs)
{
    for (guint k = 0; k < 2; k++)
        g_clear_pointer(&pairs->records[k], g_ptr_array_unref);
    g_clear_pointer(&pairs->list, g_array_unref);
}

/* The names in a list, target and query in turn, and the line of each pair. */
typedef struct {
    const char *file; /* its name in messages */
    GPtrArray *names;
    GArray *lines; /* of guint */
} List;

static void
list_clear(List *list)
{
    g_clear_pointer(&list->names, g_ptr_array_unref);
    g_clear_pointer(&list->lines, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(List, list_clear)

/* Fails because of a line. */
static gboolean fail_line(GError **error, const List *list, guint number, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static gboolean
fail_line(GError **error, const List *list, guint number, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *what = g_strdup_vprintf(format, values);
    va_end(values);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: line %u %s", list->file, number, what);
    return FALSE;
}

/*
 * Reads the next line, without its end, into `line`, which has room for LINE_BYTES_MAX + 1 bytes.
 * Returns its length, -1 if there is none left, LINE_BYTES_MAX + 1 if it is longer.
 */
static gssize
next_line(FILE *stream, char *line)
{
    gssize length = 0;
    int byte;
    while ((byte = getc(stream)) != EOF && byte != '\n') {
        if (length == LINE_BYTES_MAX)
            return LINE_BYTES_MAX + 1;
        line[length++] = (char)byte;
    }
    line[length] = '\0';
    return byte == EOF && length == 0 ? -1 : length;
}

/* Takes a line of the list: two names with a tab between them, or nothing, or a comment. */
static gboolean
take_line(List *list, guint number, char *line, gssize length, GError **error)
{
    if (length > LINE_BYTES_MAX)
        return fail_line(error, list, number, "is longer than %d bytes", LINE_BYTES_MAX);
    while (length > 0 && line[length - 1] == '\r')
        line[--length] = '\0';
    if (strlen(line) != (gsize)length)
        return fail_line(error, list, number, "has a NUL byte");
    if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
        return TRUE;
    g_auto(GStrv) fields = g_strsplit(line, "\t", -1);
    const guint count = g_strv_length(fields);
    if (count != 2)
        return fail_line(error, list, number,
                         "has %u field%s; expected a target's name, a tab and a query's name",
                         count, count == 1 ? "" : "s");
    g_ptr_array_add(list->names, g_strdup(fields[0]));
    g_ptr_array_add(list->names, g_strdup(fields[1]));
    g_array_append_val(list->lines, number);
    return TRUE;
}

static gboolean
take_lines(List *list, FILE *stream, GError **error)
{
    g_autofree char *line = g_try_malloc(LINE_BYTES_MAX + 1);
    gssize length;
    if (line == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "%s: not enough memory for a line",
                    list->file);
        return FALSE;
    }
    for (guint number = 1; (length = next_line(stream, line)) >= 0; number++)
        if (!take_line(list, number, line, length, error))
            return FALSE;
    if (ferror(stream))
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot read %s: %s", list->file,
                    g_strerror(errno));
    else if (list->names->len == 0)
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: the list of pairs is empty",
                    list->file);
    else
        return TRUE;
    return FALSE;
}

static gboolean
read_list(List *list, const char *path, GError **error)
{
    const gboolean standard = strcmp(path, "-") == 0;
    list->file = standard ? "standard input" : path;
    list->names = g_ptr_array_new_with_free_func(g_free);
    list->lines = g_array_new(FALSE, FALSE, sizeof(guint));
    FILE *stream = standard ? stdin : fopen(path, "re");
    if (stream == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open %s: %s", list->file,
                    g_strerror(errno));
        return FALSE;
    }
    const gboolean good = take_lines(list, stream, error);
    if (!standard)
        fclose(stream);
    return good;
}

/* Adds the line with the name of a record that a file does not have to the error. */
static void
prefix_line(const List *list, guint side, GError **error)
{
    const char *absent = cs_error_get_absent(*error);
    for (guint k = side; absent != NULL && k < list->names->len; k += 2)
        if (strcmp(g_ptr_array_index(list->names, k), absent) == 0) {
            g_prefix_error(error, "%s: line %u: ", list->file,
                           g_array_index(list->lines, guint, k / 2));
            return;
        }
}

/* The names of one side of a list, NULL-terminated. The list still owns the names. */
static const char **
names_of(const GPtrArray *list, guint side)
{
    const char **names = g_new0(const char *, list->len / 2 + 1);
    for (guint k = side; k < list->len; k += 2)
        names[k / 2] = g_ptr_array_index(list, k);
    return names;
}

/* The records of one side: those of the list or, if that is NULL, those that the options choose. */
static GPtrArray *
load_side(const CsInputs *inputs, guint side, const GPtrArray *list, GError **error)
{
    if (inputs->names[side] == NULL && inputs->regions[side] == NULL) {
        g_autofree const char **names = list != NULL ? names_of(list, side) : NULL;
        return cs_sequence_load_all(inputs->files[side], names, error);
    }
    CsSequence *sequence = cs_inputs_load(inputs, (int)side, error);
    if (sequence == NULL)
        return NULL;
    GPtrArray *one =
        g_ptr_array_new_with_free_func((GDestroyNotify)(void (*)(void))cs_sequence_unref);
    g_ptr_array_add(one, sequence);
    return one;
}

/* Whether both sides are all records of the same file. */
static gboolean
is_shared(const CsInputs *inputs, const GPtrArray *list)
{
    return list == NULL && strcmp(inputs->files[0], inputs->files[1]) == 0 &&
           inputs->names[0] == NULL && inputs->names[1] == NULL && inputs->regions[0] == NULL &&
           inputs->regions[1] == NULL;
}

static guint
place_of(GHashTable *places, const char *name)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(places, name));
}

/* The index of each record by its name. */
static GHashTable *
index_records(const GPtrArray *records)
{
    GHashTable *places = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint k = 0; k < records->len; k++)
        g_hash_table_insert(places, (gpointer)cs_sequence_get_name(records->pdata[k]),
                            GUINT_TO_POINTER(k));
    return places;
}

static void
add(CsPairList *pairs, guint target, guint query)
{
    Pair pair = {target, query};
    g_array_append_val(pairs->list, pair);
}

static void
make_list(CsPairList *pairs, const GPtrArray *names)
{
    pairs->list = g_array_new(FALSE, FALSE, sizeof(Pair));
    if (names != NULL) {
        g_autoptr(GHashTable) targets = index_records(pairs->records[0]);
        g_autoptr(GHashTable) queries = index_records(pairs->records[1]);
        for (guint k = 0; k < names->len; k += 2)
            add(pairs, place_of(targets, g_ptr_array_index(names, k)),
                place_of(queries, g_ptr_array_index(names, k + 1)));
        return;
    }
    for (guint t = 0; t < pairs->records[0]->len; t++)
        for (guint q = 0; q < pairs->records[1]->len; q++)
            add(pairs, t, q);
}

gboolean
cs_pair_list_load(CsPairList *pairs, const CsInputs *inputs, const char *list, GError **error)
{
    g_auto(List) chosen = {0};
    if (list != NULL && !read_list(&chosen, list, error))
        return FALSE;
    for (guint side = 0; side < 2; side++) {
        GError *failure = NULL;
        pairs->records[side] = side == 1 && is_shared(inputs, chosen.names)
                                   ? g_ptr_array_ref(pairs->records[0])
                                   : load_side(inputs, side, chosen.names, &failure);
        if (pairs->records[side] == NULL) {
            if (chosen.names != NULL)
                prefix_line(&chosen, side, &failure);
            g_propagate_error(error, failure);
            return FALSE;
        }
        for (guint k = 0; k < pairs->records[side]->len; k++) {
            cs_inputs_warn((int)side, pairs->records[side]->pdata[k]);
            cs_inputs_tell((int)side, pairs->records[side]->pdata[k]);
        }
    }
    make_list(pairs, chosen.names);
    return TRUE;
}

guint
cs_pair_list_count(const CsPairList *pairs)
{
    return pairs->list->len;
}

const CsSequence *
cs_pair_list_target(const CsPairList *pairs, guint k)
{
    return pairs->records[0]->pdata[g_array_index(pairs->list, Pair, k).target];
}

const CsSequence *
cs_pair_list_query(const CsPairList *pairs, guint k)
{
    return pairs->records[1]->pdata[g_array_index(pairs->list, Pair, k).query];
}

gint64
cs_pair_list_cells(const CsPairList *pairs, guint k, CsStrand strand)
{
    return cs_inputs_cells(cs_sequence_get_length(cs_pair_list_target(pairs, k)),
                           cs_sequence_get_length(cs_pair_list_query(pairs, k)), strand);
}

gint64
cs_pair_list_bases(const CsPairList *pairs)
{
    gint64 bases = 0;
    for (guint side = 0; side < (pairs->records[0] == pairs->records[1] ? 1 : 2); side++)
        for (guint k = 0; k < pairs->records[side]->len; k++)
            bases += cs_sequence_get_length(pairs->records[side]->pdata[k]);
    return bases;
}

char *
cs_pair_list_folder(const CsPairList *pairs, guint k, const char *directory)
{
    const char *target = cs_sequence_get_name(cs_pair_list_target(pairs, k));
    const char *query = cs_sequence_get_name(cs_pair_list_query(pairs, k));
    g_autofree char *first = g_uri_escape_string(target, NULL, FALSE);
    g_autofree char *second = g_uri_escape_string(query, NULL, FALSE);
    g_autofree char *name = g_strconcat(first, ",", second, NULL);
    if (strlen(name) > FOLDER_NAME_MAX) {
        g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, name, -1);
        char *cut = g_strdup_printf("%.*s,%.*s", FOLDER_HEAD, name, FOLDER_HASH, hash);
        g_free(name);
        name = cut;
    }
    return g_build_filename(directory, name, NULL);
}
