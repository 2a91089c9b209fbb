/*
 * The fields of a result: one table for every format and for the JSON schema. Its order is the
 * order of the TSV's columns and of the JSON's keys within their objects. An object stands where
 * its first key would. No field may change its meaning without a new version of the format.
 */
#ifndef CS_RESULT_FIELDS_H
#define CS_RESULT_FIELDS_H

#include "formats/result.h"

typedef enum {
    CS_FIELD_WHOLE,
    CS_FIELD_REAL, /* rounded to millionths */
    CS_FIELD_TEXT,
    CS_FIELD_STRAND, /* a text of cs_names_strand() */
    CS_FIELD_SKIP,   /* a text of cs_skip_mode_name() */
    CS_FIELD_REGION, /* a text of cs_names_region() */
} CsFieldType;

/* A field of one result. */
typedef struct {
    gboolean known; /* if not, the rest is undefined */
    gint64 whole;   /* of CS_FIELD_WHOLE */
    double real;    /* of CS_FIELD_REAL */
    char *text;     /* of all others; owned */
} CsFieldValue;

typedef struct _CsResultField CsResultField;

struct _CsResultField {
    const char *object; /* the JSON object that has the key; NULL: the result itself */
    const char *key;    /* in the JSON; NULL: not in it */
    const char *column; /* of the TSV, and the name in text; NULL: in neither */
    CsFieldType type;
    void (*read)(const CsResultField *field, const void *member, CsFieldValue *value);
    gsize offset; /* of the member in CsResult */
    gint64 least; /* a lower number means that the value is not known */
    gboolean may_be_unknown;
    gboolean is_constant;
    /* It belongs to a strand in found.strands, and the JSON's object is an array of strands. */
    gboolean is_of_strand;
    CsStrand strand; /* which one */
};

/* The last one has no read(). */
extern const CsResultField cs_result_fields[];

/* The field with this column name, of this length; NULL if there is none. */
const CsResultField *cs_result_field_find(const char *column, gsize length);

/* Reads the value of a field. Clear it with cs_field_value_clear(). */
void cs_result_field_read(const CsResultField *field, const CsResult *result, CsFieldValue *value);

void cs_field_value_clear(CsFieldValue *value);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsFieldValue, cs_field_value_clear)

#endif
