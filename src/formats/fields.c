/* Fields of a report: how they are read, and written in each format. */
#include <string.h>

#include <chromosweep/sequence.h>
#include <chromosweep/version.h>

#include "formats/escape.h"
#include "formats/fields.h"
#include "formats/json.h"
#include "formats/names.h"

void
cs_field_int64(const CsField *field, const void *member, CsFieldValue *value)
{
    value->whole = *(const gint64 *)member;
}

void
cs_field_uint(const CsField *field, const void *member, CsFieldValue *value)
{
    value->whole = *(const guint *)member;
}

void
cs_field_double(const CsField *field, const void *member, CsFieldValue *value)
{
    value->real = *(const double *)member;
}

void
cs_field_text(const CsField *field, const void *member, CsFieldValue *value)
{
    value->text = g_strdup(*(const char *const *)member);
}

void
cs_field_strand(const CsField *field, const void *member, CsFieldValue *value)
{
    value->text = g_strdup(cs_names_strand(*(const CsStrand *)member));
}

void
cs_field_name(const CsField *field, const void *member, CsFieldValue *value)
{
    value->text = g_strdup(cs_sequence_get_name(*(const CsSequence *const *)member));
}

void
cs_field_length(const CsField *field, const void *member, CsFieldValue *value)
{
    value->whole = cs_sequence_get_record_length(*(const CsSequence *const *)member);
}

void
cs_field_region(const CsField *field, const void *member, CsFieldValue *value)
{
    value->text = cs_names_region_of(*(const CsSequence *const *)member);
}

void
cs_field_program_version(const CsField *field, const void *member, CsFieldValue *value)
{
    value->text = g_strdup(cs_version());
}

const CsField *
cs_field_find(const CsField *fields, const char *column, gsize length)
{
    for (const CsField *field = fields; field->read != NULL; field++)
        if (field->column != NULL && strncmp(field->column, column, length) == 0 &&
            field->column[length] == '\0')
            return field;
    return NULL;
}

void
cs_field_value_clear(CsFieldValue *value)
{
    g_clear_pointer(&value->text, g_free);
}

static gboolean
is_there(const CsField *field, const void *report)
{
    return field->is_there == NULL || field->is_there(field, report);
}

void
cs_field_read(const CsField *field, const void *report, CsFieldValue *value)
{
    *value = (CsFieldValue){0};
    if (!is_there(field, report))
        return;
    field->read(field, (const char *)report + field->offset, value);
    const gboolean real = field->type == CS_FIELD_REAL || field->type == CS_FIELD_SMALL;
    value->known = field->type == CS_FIELD_WHOLE ? value->whole >= field->least
                   : real                        ? value->real >= (double)field->least
                                                 : value->text != NULL;
}

/* x with as many decimals as it has, from 1 to 6. */
static char *
format_real(double x)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE + G_MAXINT8];
    g_autofree char *text = g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.6f", x));
    gsize length = strlen(text);
    while (text[length - 1] == '0' && text[length - 2] != '.')
        length--;
    return g_strndup(text, length);
}

/* x with three digits. */
static char *
format_small(double x)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.3g", x));
}

char *
cs_field_cell(const CsField *field, const void *report)
{
    g_auto(CsFieldValue) value;
    cs_field_read(field, report, &value);
    if (!value.known)
        return g_strdup("NA");
    if (field->type == CS_FIELD_WHOLE)
        return g_strdup_printf("%" G_GINT64_FORMAT, value.whole);
    if (field->type == CS_FIELD_SMALL)
        return format_small(value.real);
    return field->type == CS_FIELD_REAL ? format_real(value.real) : cs_escape(value.text, TRUE);
}

static json_t *
format_value(const CsField *field, const void *report)
{
    g_auto(CsFieldValue) value;
    cs_field_read(field, report, &value);
    if (!value.known)
        return json_null();
    if (field->type == CS_FIELD_SMALL) {
        g_autofree char *digits = format_small(value.real);
        return json_real(g_ascii_strtod(digits, NULL));
    }
    return field->type == CS_FIELD_WHOLE  ? json_integer(value.whole)
           : field->type == CS_FIELD_REAL ? cs_json_millionths(value.real)
                                          : cs_json_text(value.text);
}

/* The object that gets the field's key. It is created with its first field. *strands is the array
 * of the objects of strands. */
static json_t *
find_object(const CsField *field, json_t *whole, json_t **strands)
{
    if (field->object == NULL)
        return whole;
    json_t *there = json_object_get(whole, field->object);
    if (there == NULL) {
        there = field->is_of_strand ? json_array() : json_object();
        json_object_set_new(whole, field->object, there);
    }
    if (!field->is_of_strand)
        return there;
    if (strands[field->strand] == NULL) {
        strands[field->strand] = json_object();
        json_array_append_new(there, strands[field->strand]);
    }
    return strands[field->strand];
}

json_t *
cs_fields_json(const CsField *fields, const void *report)
{
    json_t *whole = json_object(), *strands[2] = {NULL};
    for (const CsField *field = fields; field->read != NULL; field++)
        if (field->key != NULL && is_there(field, report))
            json_object_set_new(find_object(field, whole, strands), field->key,
                                format_value(field, report));
    return whole;
}

void
cs_fields_json_line(GString *text, const char *format, int version, const CsField *fields,
                    const void *report)
{
    json_t *object = json_object(), *values = cs_fields_json(fields, report);
    json_object_set_new(object, "format", json_string(format));
    json_object_set_new(object, "version", json_integer(version));
    json_object_update(object, values);
    json_decref(values);
    g_autofree char *line = cs_json_line(object);
    g_string_append(text, line);
}

static void
append_field(GString *text, const CsField *field, const void *report)
{
    g_auto(CsFieldValue) value;
    cs_field_read(field, report, &value);
    g_autofree char *shown = value.text != NULL ? cs_escape(value.text, FALSE) : NULL;
    if (field->type == CS_FIELD_WHOLE)
        g_string_append_printf(text, "%" G_GINT64_FORMAT, value.whole);
    else if (field->type == CS_FIELD_REAL)
        g_string_append_printf(text, "%.2f", value.real);
    else
        g_string_append(text, shown);
}

void
cs_fields_line(GString *text, const CsField *fields, const void *report, const char *label,
               const char *line)
{
    g_string_append_printf(text, "%-12s", label);
    while (*line != '\0') {
        const gsize plain = strcspn(line, "{");
        g_string_append_len(text, line, (gssize)plain);
        line += plain;
        if (*line == '{') {
            const gsize length = strcspn(++line, "}");
            const CsField *field = cs_field_find(fields, line, length);
            g_assert(field != NULL); /* callers name columns of their own tables */
            append_field(text, field, report);
            line += length + 1;
        }
    }
    g_string_append_c(text, '\n');
}
