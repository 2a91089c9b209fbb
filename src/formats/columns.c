/* The columns of a table: the default ones, or those of a list. */
#include <string.h>

#include "formats/columns.h"
#include "formats/result_fields.h"

enum {
    HELP_WIDTH = 78,
};

/*
 * These depend only on the sequences and the options, so rows of two runs can be compared: no
 * times, no engine, no files.
 */
static const char default_list[] =
    "target_name,target_length,target_start,target_end,"
    "query_name,query_length,query_start,query_end,strand,score,plus_score,minus_score";

const CsColumnsChoice cs_result_columns = {cs_result_fields, default_list};

static gboolean
has_column(const CsColumns *columns, const CsField *field)
{
    for (guint k = 0; k < columns->count; k++)
        if (columns->fields[k] == field)
            return TRUE;
    return FALSE;
}

/* Adds a column by its name. On failure *wrong is the name. */
static gboolean
add_column(const CsColumnsChoice *choice, CsColumns *columns, const char *name, char **wrong)
{
    const CsField *field = cs_field_find(choice->fields, name, strlen(name));
    if (field == NULL || has_column(columns, field)) {
        *wrong = g_strdup(name);
        return FALSE;
    }
    g_assert(columns->count < CS_COLUMNS_MAX);
    columns->fields[columns->count++] = field;
    return TRUE;
}

static gboolean
add_all(const CsColumnsChoice *choice, CsColumns *columns, char **wrong)
{
    gboolean good = TRUE;
    for (const CsField *field = choice->fields; good && field->read != NULL; field++)
        good = field->column == NULL || add_column(choice, columns, field->column, wrong);
    return good;
}

static gboolean
add_default(const CsColumnsChoice *choice, CsColumns *columns, char **wrong)
{
    if (choice->usual == NULL)
        return add_all(choice, columns, wrong);
    g_auto(GStrv) names = g_strsplit(choice->usual, ",", 0);
    gboolean good = TRUE;
    for (guint k = 0; good && names[k] != NULL; k++)
        good = add_column(choice, columns, names[k], wrong);
    return good;
}

gboolean
cs_columns_parse(const CsColumnsChoice *choice, const char *list, CsColumns *columns, char **wrong)
{
    g_auto(GStrv) names = g_strsplit(list, ",", 0);
    gboolean good = TRUE;
    *columns = (CsColumns){0};
    *wrong = NULL;
    if (names[0] == NULL) /* it is empty */
        return add_column(choice, columns, list, wrong);
    for (guint k = 0; good && names[k] != NULL; k++)
        good = strcmp(names[k], CS_COLUMNS_ALL) == 0 ? add_all(choice, columns, wrong)
               : strcmp(names[k], CS_COLUMNS_DEFAULT) == 0
                   ? add_default(choice, columns, wrong)
                   : add_column(choice, columns, names[k], wrong);
    return good;
}

char *
cs_columns_list(const CsColumns *columns)
{
    GString *list = g_string_new(NULL);
    for (guint k = 0; k < columns->count; k++)
        g_string_append_printf(list, "%s%s", k > 0 ? "," : "", columns->fields[k]->column);
    return g_string_free(list, FALSE);
}

void
cs_columns_header(GString *text, const CsColumns *columns)
{
    for (guint k = 0; k < columns->count; k++)
        g_string_append_printf(text, "%c%s", k > 0 ? '\t' : '#', columns->fields[k]->column);
    g_string_append_c(text, '\n');
}

void
cs_columns_row(GString *text, const CsColumns *columns, const void *report)
{
    for (guint k = 0; k < columns->count; k++) {
        g_autofree char *cell = cs_field_cell(columns->fields[k], report);
        g_string_append_printf(text, "%s%s", k > 0 ? "\t" : "", cell);
    }
    g_string_append_c(text, '\n');
}

/* Appends a heading and the names, as many on a line as fit. */
static void
append_names(GString *text, const char *heading, const CsColumns *columns)
{
    gsize width = HELP_WIDTH;
    g_string_append_printf(text, "%s:", heading);
    for (guint k = 0; k < columns->count; k++) {
        const char *name = columns->fields[k]->column;
        const gboolean fits = width + 1 + strlen(name) <= HELP_WIDTH;
        g_string_append_printf(text, "%s%s", fits ? " " : "\n  ", name);
        width = fits ? width + 1 + strlen(name) : 2 + strlen(name);
    }
    g_string_append_c(text, '\n');
}

char *
cs_columns_help(const CsColumnsChoice *choice)
{
    GString *text = g_string_new(NULL);
    g_autofree char *wrong = NULL;
    CsColumns usual = {0}, more = {0};
    add_default(choice, &usual, &wrong);
    for (const CsField *field = choice->fields; field->read != NULL; field++)
        if (field->column != NULL && !has_column(&usual, field))
            add_column(choice, &more, field->column, &wrong);
    append_names(text, "The default columns of a TSV", &usual);
    if (more.count > 0)
        append_names(text, "More columns", &more);
    g_string_append(text, "--columns takes names with commas between them. \"default\" stands for "
                          "the default\ncolumns and \"all\" for all of them.\n");
    return g_string_free(text, FALSE);
}
