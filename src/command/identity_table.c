/* Reads a table of identity. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "command/identity_table.h"

/* Which columns are read. */
enum {
    FIRST,
    SECOND,
    IDENTITY,
    NEEDED, /* columns that must be there */
    FIRST_NUMBER = NEEDED,
    SECOND_NUMBER,
    KNOWN,
    NOWHERE = -1,
    FIRST_ROOM = 1 << 10, /* pairs */
};

static const char *const known[KNOWN] = {"first", "second", "identity", "first_number",
                                         "second_number"};

/* A record: one of a name, or of a name and a number. */
typedef struct {
    char *name;
    gint64 number;  /* 0 without numbers */
    guint32 place;  /* in order of appearance */
    gboolean on[2]; /* it is in that column */
} Record;

typedef struct {
    CsIdentityTable *table;
    const char *shown;
    FILE *file;
    gint64 line;
    guint columns;
    int at[KNOWN];
    GHashTable *places; /* of records, by name and number */
    GArray *records;
} Reader;

static void
reader_clear(Reader *reader)
{
    if (reader->file != NULL && reader->file != stdin)
        fclose(reader->file);
    g_hash_table_unref(reader->places);
    g_array_unref(reader->records);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reader, reader_clear)

static void
record_clear(gpointer data)
{
    g_free(((Record *)data)->name);
}

static gboolean fail(const Reader *reader, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static gboolean
fail(const Reader *reader, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "%s, line %" G_GINT64_FORMAT ": %s",
                reader->shown, reader->line, what);
    return FALSE;
}

/* Reads a line into *line, without its end. *length is -1 at the end of the file. */
static gboolean
read_line(Reader *reader, char **line, gsize *room, gssize *length, GError **error)
{
    errno = 0;
    *length = getline(line, room, reader->file);
    reader->line++;
    if (*length < 0 && (ferror(reader->file) || errno != 0)) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot read %s: %s", reader->shown,
                    g_strerror(errno));
        return FALSE;
    }
    if (*length < 0)
        return TRUE;
    if ((*line)[*length - 1] != '\n')
        return fail(reader, error,
                    "the table is truncated: its last line does not end in a newline");
    (*line)[--*length] = '\0';
    if (*length > 0 && (*line)[*length - 1] == '\r')
        (*line)[--*length] = '\0';
    return strlen(*line) == (gsize)*length || fail(reader, error, "there is a NUL byte");
}

static gboolean
read_header(Reader *reader, char *line, GError **error)
{
    g_auto(GStrv) names = line != NULL && line[0] == '#' ? g_strsplit(line + 1, "\t", 0) : NULL;
    reader->columns = names != NULL ? g_strv_length(names) : 0;
    for (guint k = 0; k < KNOWN; k++) {
        reader->at[k] = NOWHERE;
        for (guint n = 0; n < reader->columns; n++)
            if (strcmp(names[n], known[k]) == 0)
                reader->at[k] = (int)n;
        if (k < NEEDED && reader->at[k] == NOWHERE)
            return fail(reader, error,
                        "expected the header of a table of chromosweep identity, with # and the "
                        "columns first, second and identity");
    }
    if (reader->at[FIRST_NUMBER] == NOWHERE || reader->at[SECOND_NUMBER] == NOWHERE)
        reader->at[FIRST_NUMBER] = reader->at[SECOND_NUMBER] = NOWHERE;
    return TRUE;
}

/* Sets values of the known columns. */
static gboolean
split(const Reader *reader, char *line, char *values[KNOWN], GError **error)
{
    guint count = 0;
    for (char *cell = line, *next; cell != NULL; cell = next) {
        next = strchr(cell, '\t');
        if (next != NULL)
            *next++ = '\0';
        for (guint k = 0; k < KNOWN; k++)
            if (reader->at[k] == (int)count)
                values[k] = cell;
        count++;
    }
    return count == reader->columns ||
           fail(reader, error, "expected %u columns, got %u", reader->columns, count);
}

/* The record with this name and number, which may be new. */
static gboolean
find_record(Reader *reader, int side, char *const values[KNOWN], guint32 *place, GError **error)
{
    const char *name = values[side == 0 ? FIRST : SECOND];
    const char *number = values[side == 0 ? FIRST_NUMBER : SECOND_NUMBER];
    gint64 value = 0;
    if (number != NULL && !g_ascii_string_to_signed(number, 10, 1, G_MAXINT64, &value, NULL))
        return fail(reader, error, "%s must be a number from 1, not '%s'",
                    known[side == 0 ? FIRST_NUMBER : SECOND_NUMBER], number);
    g_autofree char *key = g_strdup_printf("%s\t%" G_GINT64_FORMAT, name, value);
    gpointer known_place;
    if (g_hash_table_lookup_extended(reader->places, key, NULL, &known_place)) {
        *place = GPOINTER_TO_UINT(known_place);
    } else {
        *place = reader->records->len;
        const Record record = {
            .name = g_utf8_make_valid(name, -1), .number = value, .place = *place};
        g_array_append_val(reader->records, record);
        g_hash_table_insert(reader->places, g_steal_pointer(&key), GUINT_TO_POINTER(*place));
    }
    g_array_index(reader->records, Record, *place).on[side] = TRUE;
    return TRUE;
}

static gboolean
add_cell(CsIdentityTable *table, const CsIdentityCell *cell, GError **error)
{
    if (table->count == table->room) {
        const gsize room = MAX(FIRST_ROOM, table->room + table->room / 2);
        CsIdentityCell *cells = g_try_renew(CsIdentityCell, table->cells, room);
        if (cells == NULL) {
            g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory for more than %" G_GSIZE_FORMAT " pairs", table->count);
            return FALSE;
        }
        table->cells = cells;
        table->room = room;
    }
    table->cells[table->count++] = *cell;
    return TRUE;
}

static gboolean
read_row(Reader *reader, char *line, GError **error)
{
    char *values[KNOWN] = {NULL}, *end;
    CsIdentityCell cell;
    if (!split(reader, line, values, error))
        return FALSE;
    const char *text = values[IDENTITY];
    const double identity = g_ascii_strtod(text, &end);
    if (!g_ascii_isdigit(*text) || *end != '\0' || !(identity >= 0 && identity <= 1))
        return fail(reader, error, "the identity must be a number from 0 to 1, not '%s'", text);
    if (!find_record(reader, 0, values, &cell.first, error) ||
        !find_record(reader, 1, values, &cell.second, error))
        return FALSE;
    cell.identity = (float)identity;
    return add_cell(reader->table, &cell, error);
}

static gboolean
read_rows(Reader *reader, GError **error)
{
    char *line = NULL;
    gsize room = 0;
    gssize length;
    gboolean good = read_line(reader, &line, &room, &length, error) &&
                    read_header(reader, length >= 0 ? line : NULL, error);
    while (good) {
        good = read_line(reader, &line, &room, &length, error);
        if (!good || length < 0)
            break;
        good = read_row(reader, line, error);
    }
    free(line);
    if (good && reader->table->count == 0)
        return fail(reader, error, "there is no pair in the table");
    return good;
}

static int
compare_cells(gconstpointer a, gconstpointer b)
{
    const CsIdentityCell *one = a, *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return one->second < other->second ? -1 : one->second > other->second;
}

/* A pair that is there twice means that names are not unique, and two records would be drawn as one. */
static gboolean
refuse_repeats(const Reader *reader, GError **error)
{
    const CsIdentityTable *table = reader->table;
    qsort(table->cells, table->count, sizeof *table->cells, compare_cells);
    for (gsize k = 1; k < table->count; k++) {
        const CsIdentityCell *cell = &table->cells[k];
        if (compare_cells(cell - 1, cell) != 0)
            continue;
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "%s: the pair of %s and %s is there twice; if records share a name, add the "
                    "columns first_number and second_number",
                    reader->shown, g_array_index(reader->records, Record, cell->first).name,
                    g_array_index(reader->records, Record, cell->second).name);
        return FALSE;
    }
    return TRUE;
}

/* By number, then as they appeared. */
static int
compare_records(gconstpointer a, gconstpointer b)
{
    const Record *one = a, *other = b;
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return one->place < other->place ? -1 : one->place > other->place;
}

/* Whether the table is that of two files: see CsIdentityTable. */
static gboolean
is_rectangle(const Reader *reader)
{
    guint64 count[2] = {0, 0};
    for (guint k = 0; k < reader->records->len; k++) {
        const Record *record = &g_array_index(reader->records, Record, k);
        if (record->on[0] && record->on[1])
            return FALSE;
        count[record->on[0] ? 0 : 1]++;
    }
    const guint64 cells = reader->table->count;
    return cells > 1 && count[0] * count[1] == cells;
}

/* Gives each record its place on its side. */
static void
place_records(Reader *reader)
{
    CsIdentityTable *table = reader->table;
    g_autofree guint32 *places = g_new(guint32, reader->records->len);
    table->square = !is_rectangle(reader);
    g_array_sort(reader->records, compare_records);
    table->names[0] = g_ptr_array_new_with_free_func(g_free);
    table->names[1] =
        table->square ? g_ptr_array_ref(table->names[0]) : g_ptr_array_new_with_free_func(g_free);
    for (guint k = 0; k < reader->records->len; k++) {
        Record *record = &g_array_index(reader->records, Record, k);
        GPtrArray *names = table->names[record->on[0] ? 0 : 1];
        places[record->place] = names->len;
        g_ptr_array_add(names, g_steal_pointer(&record->name));
    }
    for (gsize k = 0; k < table->count; k++) {
        CsIdentityCell *cell = &table->cells[k];
        cell->first = places[cell->first];
        cell->second = places[cell->second];
    }
}

gboolean
cs_identity_table_load(CsIdentityTable *table, const char *file, GError **error)
{
    const gboolean standard = strcmp(file, "-") == 0;
    *table = (CsIdentityTable){0};
    g_auto(Reader) reader = {
        .table = table,
        .shown = standard ? "standard input" : file,
        .file = standard ? stdin : fopen(file, "re"),
        .places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .records = g_array_new(FALSE, FALSE, sizeof(Record)),
    };
    g_array_set_clear_func(reader.records, record_clear);
    if (reader.file == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot open %s: %s", file,
                    g_strerror(errno));
        return FALSE;
    }
    if (!read_rows(&reader, error) || !refuse_repeats(&reader, error))
        return FALSE;
    place_records(&reader);
    return TRUE;
}

static int
compare_identities(gconstpointer a, gconstpointer b)
{
    const CsIdentityCell *one = a, *other = b;
    if (one->identity != other->identity)
        return one->identity > other->identity ? -1 : 1;
    return compare_cells(a, b);
}

/* Clusters while they are joined: lists of records. */
typedef struct {
    guint32 *cluster; /* of each record: its cluster's first record, or one nearer to that */
    guint32 *next;    /* in the list; G_MAXUINT32 at its end */
    guint32 *last;    /* of the list that the record is the first of */
} Lists;

static guint32
find_list(const Lists *lists, guint32 record)
{
    while (lists->cluster[record] != record)
        record = lists->cluster[record] = lists->cluster[lists->cluster[record]];
    return record;
}

static void
join(Lists *lists, guint32 a, guint32 b)
{
    const guint32 x = find_list(lists, a), y = find_list(lists, b);
    const guint32 first = MIN(x, y), second = MAX(x, y);
    if (x == y)
        return;
    lists->cluster[second] = first;
    lists->next[lists->last[first]] = second;
    lists->last[first] = lists->last[second];
}

void
cs_identity_table_sort(CsIdentityTable *table)
{
    const guint32 n = table->names[0]->len;
    g_autofree guint32 *cluster = g_new(guint32, n), *next = g_new(guint32, n);
    g_autofree guint32 *last = g_new(guint32, n), *places = g_new(guint32, n);
    Lists lists = {cluster, next, last};
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint32 k = 0; k < n; k++) {
        cluster[k] = last[k] = k;
        next[k] = G_MAXUINT32;
    }
    qsort(table->cells, table->count, sizeof *table->cells, compare_identities);
    for (gsize k = 0; k < table->count; k++) {
        const CsIdentityCell *cell = &table->cells[k];
        join(&lists, cell->first, cell->second);
    }
    for (guint32 k = 0; k < n; k++)
        for (guint32 at = cluster[k] == k ? k : G_MAXUINT32; at != G_MAXUINT32; at = next[at]) {
            places[at] = names->len;
            g_ptr_array_add(names, g_steal_pointer(&table->names[0]->pdata[at]));
        }
    for (gsize k = 0; k < table->count; k++) {
        CsIdentityCell *cell = &table->cells[k];
        cell->first = places[cell->first];
        cell->second = places[cell->second];
    }
    for (int side = 0; side < 2; side++) {
        g_ptr_array_unref(table->names[side]);
        table->names[side] = g_ptr_array_ref(names);
    }
}

void
cs_identity_table_clear(CsIdentityTable *table)
{
    g_clear_pointer(&table->names[0], g_ptr_array_unref);
    g_clear_pointer(&table->names[1], g_ptr_array_unref);
    g_clear_pointer(&table->cells, g_free);
}
