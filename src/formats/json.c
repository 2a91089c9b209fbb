/* JSON as the program prints it. */
#include <stdlib.h>

#include <glib.h>

#include "formats/json.h"

json_t *
cs_json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    return json_string(valid);
}

json_t *
cs_json_millionths(double x)
{
    return json_real(x < 1e12 ? (double)(gint64)(x * 1e6 + 0.5) / 1e6 : x);
}

json_t *
cs_json_millionths_or_null(double x)
{
    return x >= 0 ? cs_json_millionths(x) : json_null();
}

json_t *
cs_json_known(gint64 value)
{
    return value > 0 ? json_integer(value) : json_null();
}

json_t *
cs_json_skip(CsSkipMode skip)
{
    return skip != CS_SKIP_AUTO ? json_string(cs_skip_mode_name(skip)) : json_null();
}

json_t *
cs_json_scoring(const CsScoring *scoring)
{
    json_t *object = json_object();
    json_object_set_new(object, "match", json_integer(scoring->match));
    json_object_set_new(object, "mismatch", json_integer(scoring->mismatch));
    json_object_set_new(object, "gap_open", json_integer(scoring->gap_open));
    json_object_set_new(object, "gap_extend", json_integer(scoring->gap_extend));
    return object;
}

char *
cs_json_line(json_t *object)
{
    char *text = json_dumps(object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    g_assert(text != NULL); /* every string was made valid UTF-8 */
    char *line = g_strconcat(text, "\n", NULL);
    free(text);
    json_decref(object);
    return line;
}
