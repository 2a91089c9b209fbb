/* Values in JSON: see json_values.h. */
#include <string.h>

#include "checkpoint/json_values.h"

enum {
    HEX_DIGITS = 16,
};

char *
cs_json_hex_new(guint64 checksum)
{
    return g_strdup_printf("%016" G_GINT64_MODIFIER "x", checksum);
}

gboolean
cs_json_is_hex(const char *text, gsize digits)
{
    return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

gboolean
cs_json_hex_read(const char *text, guint64 *checksum)
{
    return cs_json_is_hex(text, HEX_DIGITS) &&
           g_ascii_string_to_unsigned(text, 16, 0, G_MAXUINT64, checksum, NULL);
}

char *
cs_json_time_new(gint64 seconds)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);
    return time != NULL ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ")
                        : g_strdup("1970-01-01T00:00:00Z");
}

gint64
cs_json_time_read(const char *text)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_iso8601(text, NULL);
    return time != NULL ? g_date_time_to_unix(time) : -1;
}

gboolean
cs_json_text_write(json_t *object, const char *key, const char *text)
{
    if (text == NULL)
        return json_object_set_new(object, key, json_null()) == 0;
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    if (json_object_set_new(object, key, json_string(valid)) != 0)
        return FALSE;
    if (strcmp(valid, text) == 0)
        return TRUE;
    g_autofree char *twin = g_strconcat(key, "_base64", NULL);
    g_autofree char *base64 = g_base64_encode((const guchar *)text, strlen(text));
    return json_object_set_new(object, twin, json_string(base64)) == 0;
}

gboolean
cs_json_text_read(json_t *object, const char *key, char **text)
{
    g_autofree char *twin = g_strconcat(key, "_base64", NULL);
    json_t *value = json_object_get(object, key);
    const char *base64 = json_string_value(json_object_get(object, twin));
    if (!json_is_string(value) && !json_is_null(value))
        return FALSE;
    gsize length;
    if (base64 != NULL) {
        g_autofree guchar *bytes = g_base64_decode(base64, &length);
        *text = g_strndup((const char *)bytes, length);
    } else {
        *text = g_strdup(json_string_value(value));
    }
    return TRUE;
}

char *
cs_json_difference(const json_t *there, const json_t *here, const CsJsonKey *keys, gsize count)
{
    for (gsize k = 0; k < count; k++) {
        const json_t *a = json_object_get(there, keys[k].key);
        const json_t *b = json_object_get(here, keys[k].key);
        if (json_equal(a, b))
            continue;
        const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(15); /* 0.97 as such */
        char *one = a != NULL ? json_dumps(a, flags) : NULL;
        char *other = json_dumps(b, flags);
        char *difference = g_strdup_printf("%s: %s there, %s here", keys[k].what,
                                           one != NULL ? one : "nothing", other);
        free(one);
        free(other);
        return difference;
    }
    return NULL;
}
