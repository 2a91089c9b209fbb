/* JSON as the command prints it. */
#include <stdlib.h>

#include <glib.h>

#include "json_text.h"

json_t *
cs_json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    return json_string(valid);
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
