/* A result as JSON, one object on a line. Unknown values are null. A strand that was not computed
 * has no object. */
#include "formats/format.h"
#include "formats/json.h"
#include "formats/result_fields.h"

static json_t *
format_value(const CsResultField *field, const CsResult *result)
{
    g_auto(CsFieldValue) value;
    cs_result_field_read(field, result, &value);
    if (!value.known)
        return json_null();
    return field->type == CS_FIELD_WHOLE  ? json_integer(value.whole)
           : field->type == CS_FIELD_REAL ? cs_json_millionths(value.real)
                                          : cs_json_text(value.text);
}

/* The object that gets the field's key. It is created with its first field. *strands is the array
 * of the objects of strands. */
static json_t *
find_object(const CsResultField *field, json_t *whole, json_t **strands)
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

static char *
format_result(const CsResult *result, const CsColumns *columns)
{
    json_t *whole = json_object(), *strands[2] = {NULL};
    for (const CsResultField *field = cs_result_fields; field->read != NULL; field++)
        if (field->key != NULL &&
            !(field->is_of_strand && !result->found.strands[field->strand].computed))
            json_object_set_new(find_object(field, whole, strands), field->key,
                                format_value(field, result));
    return cs_json_line(whole);
}

const CsResultFormat cs_result_json = {.result = format_result};
