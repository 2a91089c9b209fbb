/*
 * Fields of a report: a table of them for each kind of report, such as result_fields.c, serves every
 * format. Its order is the order of the TSV's columns and of the JSON's keys within their objects.
 * An object stands where its first key would. No field may change its meaning without a new version
 * of the format.
 */
#ifndef CS_FIELDS_H
#define CS_FIELDS_H

#include <stddef.h>

#include <jansson.h>

#include <chromosweep/strand.h>

typedef enum {
    CS_FIELD_WHOLE,
    CS_FIELD_REAL,  /* rounded to millionths */
    CS_FIELD_SMALL, /* a number of any size, such as 2.5e-80, with three digits */
    CS_FIELD_TEXT,
    CS_FIELD_STRAND, /* a text of cs_names_strand() */
    CS_FIELD_SKIP,   /* a text of cs_skip_mode_name() */
    CS_FIELD_REGION, /* a text of cs_names_region() */
} CsFieldType;

/* The value of a field in one report. */
typedef struct {
    gboolean known; /* if not, the rest is undefined */
    gint64 whole;   /* of CS_FIELD_WHOLE */
    double real;    /* of CS_FIELD_REAL and CS_FIELD_SMALL */
    char *text;     /* of all others; owned */
} CsFieldValue;

typedef struct _CsField CsField;

struct _CsField {
    const char *object; /* the JSON object that has the key; NULL: the report itself */
    const char *key;    /* in the JSON; NULL: not in it */
    const char *column; /* of the TSV, and the name in text; NULL: in neither */
    CsFieldType type;
    void (*read)(const CsField *field, const void *member, CsFieldValue *value);
    gsize offset; /* of the member in the report's struct */
    gint64 least; /* a lower number means that the value is not known */
    gboolean may_be_unknown;
    gboolean is_constant;
    /* Whether a report has the field at all; NULL: always. */
    gboolean (*is_there)(const CsField *field, const void *report);
    /* It belongs to one strand, and the JSON's object is an array of strands. */
    gboolean is_of_strand;
    CsStrand strand; /* which one */
};

/* In a table: where a field stands, */
#define CS_FIELD_AT(in, name, named) .object = in, .key = name, .column = named
#define CS_FIELD_ALONE(name) CS_FIELD_AT(NULL, name, name)
#define CS_FIELD_JSON_ALONE(name) CS_FIELD_AT(NULL, name, NULL)
#define CS_FIELD_IN(object, name) CS_FIELD_AT(object, name, object "_" name)

/* and its type and how it is read, from which member of the report's struct. */
#define CS_FIELD_MEMBER(kind, reader, type_, member)                                               \
    .type = CS_FIELD_##kind, .read = reader, .offset = offsetof(type_, member)
#define CS_FIELD_CONSTANT(kind, reader) .type = CS_FIELD_##kind, .read = reader

/* Readers, by the type of the member. For a name, length or region that is a CsSequence *. */
void cs_field_int64(const CsField *field, const void *member, CsFieldValue *value);
void cs_field_uint(const CsField *field, const void *member, CsFieldValue *value);
void cs_field_double(const CsField *field, const void *member, CsFieldValue *value);
void cs_field_text(const CsField *field, const void *member, CsFieldValue *value);
void cs_field_strand(const CsField *field, const void *member, CsFieldValue *value);
void cs_field_name(const CsField *field, const void *member, CsFieldValue *value);
void cs_field_length(const CsField *field, const void *member, CsFieldValue *value);
void cs_field_region(const CsField *field, const void *member, CsFieldValue *value);
void cs_field_program_version(const CsField *field, const void *member, CsFieldValue *value);

/* The last field of a table has no read(). */

/* The field with this column name, of this length; NULL if there is none. */
const CsField *cs_field_find(const CsField *fields, const char *column, gsize length);

/* Reads the value of a field. Clear it with cs_field_value_clear(). */
void cs_field_read(const CsField *field, const void *report, CsFieldValue *value);

void cs_field_value_clear(CsFieldValue *value);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsFieldValue, cs_field_value_clear)

/* A cell of a TSV: NA if the value is not known. */
char *cs_field_cell(const CsField *field, const void *report);

/* All keys of a report: null if the value is not known. Keys that the report does not have are
 * left out. */
json_t *cs_fields_json(const CsField *fields, const void *report);

/* Appends these keys as an object on a line, behind `format` and `version`. */
void cs_fields_json_line(GString *text, const char *format, int version, const CsField *fields,
                         const void *report);

/* Appends a line of text: a label, then `line`, in which {COLUMN} stands for the value of that
 * field, which must be known. */
void cs_fields_line(GString *text, const CsField *fields, const void *report, const char *label,
                    const char *line);

#endif
