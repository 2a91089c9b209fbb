/* Hits as JSON: an object on a line for each. */
#include "formats/json.h"
#include "formats/search_format.h"

#define FORMAT "chromosweep-search"
enum {
    VERSION = 1
};

void
cs_search_json(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count,
               const CsColumns *columns)
{
    for (gint64 n = 0; n < count; n++) {
        json_t *object = json_object(), *fields = cs_fields_json(cs_search_fields, &hits[n]);
        json_object_set_new(object, "format", json_string(FORMAT));
        json_object_set_new(object, "version", json_integer(VERSION));
        json_object_update(object, fields);
        json_decref(fields);
        g_autofree char *line = cs_json_line(object);
        g_string_append(text, line);
    }
}
