/* Prints the tables of fields, of a result and of an alignment, one JSON object per line, for
 * result_schema.py. */
#include <stdio.h>

#include "formats/alignment_fields.h"
#include "formats/json.h"
#include "formats/names.h"
#include "formats/result_fields.h"

static const char *const types[] = {
    [CS_FIELD_WHOLE] = "whole",   [CS_FIELD_REAL] = "real", [CS_FIELD_TEXT] = "text",
    [CS_FIELD_STRAND] = "strand", [CS_FIELD_SKIP] = "skip", [CS_FIELD_REGION] = "region",
};

/* The texts that a field can have if there are only a few; otherwise NULL. */
static json_t *
words_of(const CsField *field)
{
    json_t *words = json_array();
    if (field->type == CS_FIELD_STRAND)
        for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
            json_array_append_new(words, json_string(cs_names_strand(strand)));
    else if (field->type == CS_FIELD_SKIP)
        for (CsSkipMode skip = CS_SKIP_NONE; skip <= CS_SKIP_BOUNDS; skip++)
            json_array_append_new(words, cs_json_skip(skip));
    return words;
}

/* The value of a constant; null for any other field. */
static json_t *
constant_of(const CsField *field)
{
    const CsResult nothing = {0};
    g_auto(CsFieldValue) value = {0};
    if (!field->is_constant)
        return json_null();
    cs_field_read(field, &nothing, &value);
    return field->type == CS_FIELD_WHOLE ? json_integer(value.whole) : json_string(value.text);
}

static void
print_table(const char *table, const CsField *fields)
{
    for (const CsField *field = fields; field->read != NULL; field++) {
        json_t *line = json_object();
        json_object_set_new(line, "table", json_string(table));
        json_object_set_new(line, "object", cs_json_text(field->object));
        json_object_set_new(line, "key", cs_json_text(field->key));
        json_object_set_new(line, "column", cs_json_text(field->column));
        json_object_set_new(line, "type", json_string(types[field->type]));
        json_object_set_new(line, "words", words_of(field));
        json_object_set_new(line, "least", json_integer(field->least));
        json_object_set_new(line, "may_be_unknown", json_boolean(field->may_be_unknown));
        json_object_set_new(line, "constant", constant_of(field));
        json_object_set_new(line, "is_of_strand", json_boolean(field->is_of_strand));
        g_autofree char *text = cs_json_line(line);
        fputs(text, stdout);
    }
}

int
main(void)
{
    print_table("result", cs_result_fields);
    print_table("align", cs_alignment_fields);
    return 0;
}
