/* The pairs of a run: which records, of which list, and where each has its checkpoint. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "command/couples.h"

enum {
    FOLDER_NAME_MAX = 200, /* bytes of a folder's name; file systems take 255 */
    FOLDER_HEAD = 120,     /* of a longer one what is kept, before its hash */
    FOLDER_HASH = 32,
};

/* By their place among the records. */
typedef struct {
    guint target, query;
} Couple;

void
cs_couples_clear(CsCouples *couples)
{
    for (guint k = 0; k < 2; k++)
        g_clear_pointer(&couples->records[k], g_ptr_array_unref);
    g_clear_pointer(&couples->list, g_array_unref);
}

/* A line of the list: two names, a tab between them; or nothing, or a comment. */
static gboolean
read_line(const char *file, guint number, char *line, gsize length, GPtrArray *names,
          GError **error)
{
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
    if (strlen(line) != length) {
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: NUL byte in line %u", file, number);
        return FALSE;
    }
    if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
        return TRUE;
    g_auto(GStrv) fields = g_strsplit(line, "\t", -1);
    const guint count = g_strv_length(fields);
    if (count != 2) {
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "%s: line %u has %u field%s; needed are a target's name, a tab and a query's "
                    "name",
                    file, number, count, count == 1 ? "" : "s");
        return FALSE;
    }
    g_ptr_array_add(names, g_strdup(fields[0]));
    g_ptr_array_add(names, g_strdup(fields[1]));
    return TRUE;
}

/* Targets' and queries' names by turns. */
static GPtrArray *
read_list(const char *path, GError **error)
{
    const gboolean standard = strcmp(path, "-") == 0;
    const char *file = standard ? "standard input" : path;
    FILE *stream = standard ? stdin : fopen(path, "re");
    if (stream == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open %s: %s", file,
                    g_strerror(errno));
        return NULL;
    }
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    gboolean good = TRUE;
    char *line = NULL;
    gsize size = 0;
    ssize_t length;
    for (guint number = 1; good && (length = getline(&line, &size, stream)) >= 0; number++)
        good = read_line(file, number, line, (gsize)length, names, error);
    if (good && ferror(stream)) {
        good = FALSE;
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot read %s: %s", file,
                    g_strerror(errno));
    } else if (good && names->len == 0) {
        good = FALSE;
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s: the list of pairs is empty", file);
    }
    free(line);
    if (!standard)
        fclose(stream);
    return good ? g_steal_pointer(&names) : NULL;
}

/* Of a list of pairs the names of one side, NULL-terminated; the names stay the list's. */
static const char **
names_of(const GPtrArray *list, guint side)
{
    const char **names = g_new0(const char *, list->len / 2 + 1);
    for (guint k = side; k < list->len; k += 2)
        names[k / 2] = g_ptr_array_index(list, k);
    return names;
}

/* The records of one side; list NULL: those that the options leave. */
static GPtrArray *
load_side(const CsPair *pair, guint side, const GPtrArray *list, GError **error)
{
    if (pair->names[side] == NULL && pair->regions[side] == NULL) {
        g_autofree const char **names = list != NULL ? names_of(list, side) : NULL;
        return cs_sequence_load_all(pair->files[side], names, error);
    }
    CsSequence *sequence = cs_pair_load(pair, (int)side, error);
    if (sequence == NULL)
        return NULL;
    GPtrArray *one =
        g_ptr_array_new_with_free_func((GDestroyNotify)(void (*)(void))cs_sequence_unref);
    g_ptr_array_add(one, sequence);
    return one;
}

/* Whether both sides are all records of the same file. */
static gboolean
is_shared(const CsPair *pair, const GPtrArray *list)
{
    return list == NULL && strcmp(pair->files[0], pair->files[1]) == 0 && pair->names[0] == NULL &&
           pair->names[1] == NULL && pair->regions[0] == NULL && pair->regions[1] == NULL;
}

static guint
place_of(GHashTable *places, const char *name)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(places, name));
}

/* Each record's place by its name. */
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
add(CsCouples *couples, guint target, guint query)
{
    Couple couple = {target, query};
    g_array_append_val(couples->list, couple);
}

static void
make_list(CsCouples *couples, const GPtrArray *names)
{
    couples->list = g_array_new(FALSE, FALSE, sizeof(Couple));
    if (names != NULL) {
        g_autoptr(GHashTable) targets = index_records(couples->records[0]);
        g_autoptr(GHashTable) queries = index_records(couples->records[1]);
        for (guint k = 0; k < names->len; k += 2)
            add(couples, place_of(targets, g_ptr_array_index(names, k)),
                place_of(queries, g_ptr_array_index(names, k + 1)));
        return;
    }
    for (guint t = 0; t < couples->records[0]->len; t++)
        for (guint q = 0; q < couples->records[1]->len; q++)
            add(couples, t, q);
}

gboolean
cs_couples_load(CsCouples *couples, const CsPair *pair, const char *list, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;
    if (list != NULL && (names = read_list(list, error)) == NULL)
        return FALSE;
    for (guint side = 0; side < 2; side++) {
        couples->records[side] = side == 1 && is_shared(pair, names)
                                     ? g_ptr_array_ref(couples->records[0])
                                     : load_side(pair, side, names, error);
        if (couples->records[side] == NULL)
            return FALSE;
        for (guint k = 0; k < couples->records[side]->len; k++) {
            cs_pair_warn((int)side, couples->records[side]->pdata[k]);
            cs_pair_tell((int)side, couples->records[side]->pdata[k]);
        }
    }
    make_list(couples, names);
    return TRUE;
}

guint
cs_couples_count(const CsCouples *couples)
{
    return couples->list->len;
}

const CsSequence *
cs_couples_target(const CsCouples *couples, guint k)
{
    return couples->records[0]->pdata[g_array_index(couples->list, Couple, k).target];
}

const CsSequence *
cs_couples_query(const CsCouples *couples, guint k)
{
    return couples->records[1]->pdata[g_array_index(couples->list, Couple, k).query];
}

gint64
cs_couples_cells(const CsCouples *couples, guint k, CsStrand strand)
{
    return cs_pair_cells(cs_sequence_get_length(cs_couples_target(couples, k)),
                         cs_sequence_get_length(cs_couples_query(couples, k)), strand);
}

gint64
cs_couples_letters(const CsCouples *couples)
{
    gint64 letters = 0;
    for (guint side = 0; side < (couples->records[0] == couples->records[1] ? 1 : 2); side++)
        for (guint k = 0; k < couples->records[side]->len; k++)
            letters += cs_sequence_get_length(couples->records[side]->pdata[k]);
    return letters;
}

char *
cs_couples_folder(const CsCouples *couples, guint k, const char *directory)
{
    const char *target = cs_sequence_get_name(cs_couples_target(couples, k));
    const char *query = cs_sequence_get_name(cs_couples_query(couples, k));
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
