/*
 * The fields of a result: one table that every format and the JSON schema are made from. The order
 * is that of the TSV's columns, and that of the JSON's keys within their objects; objects come
 * where their first key does. No field may change its meaning without a new version of the format.
 */
#ifndef CS_RESULT_FIELDS_H
#define CS_RESULT_FIELDS_H

#include "formats/result.h"

typedef enum {
    CS_FIELD_WHOLE,
    CS_FIELD_REAL, /* rounded to millionths */
    CS_FIELD_TEXT,
    CS_FIELD_STRAND, /* a text as cs_names_strand() has it */
    CS_FIELD_SKIP,   /* one as cs_skip_mode_name() has it */
    CS_FIELD_REGION, /* one as cs_names_region() has it */
} CsFieldType;

/* A field of one result. */
typedef struct {
    gboolean known; /* the rest is undefined if not */
    gint64 whole;   /* of CS_FIELD_WHOLE */
    double real;    /* of CS_FIELD_REAL */
    char *text;     /* of all others; owned */
} CsFieldValue;

typedef struct _CsResultField CsResultField;

struct _CsResultField {
    const char *object; /* the JSON object that has the key; NULL: the result itself */
    const char *key;    /* in the JSON; NULL: not there */
    const char *column; /* of the TSV, and its name in text; NULL: in neither */
    CsFieldType type;
    void (*read)(const CsResultField *field, const void *member, CsFieldValue *value);
    gsize offset; /* of the member in CsResult */
    gint64 least; /* of a number; what is below it is not known */
    gboolean may_be_unknown;
    gboolean is_constant;
    gboolean is_of_strand; /* of one of found.strands; in the JSON, object is an array of them */
    CsStrand strand;       /* of which */
};

/* Ends with a field without read(). */
extern const CsResultField cs_result_fields[];

/* The field whose column has the name of this length; NULL where there is none. */
const CsResultField *cs_result_field_find(const char *column, gsize length);

/* Free with cs_field_value_clear(). */
void cs_result_field_read(const CsResultField *field, const CsResult *result, CsFieldValue *value);

void cs_field_value_clear(CsFieldValue *value);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsFieldValue, cs_field_value_clear)

#endif
