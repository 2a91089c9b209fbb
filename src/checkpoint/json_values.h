/* How a checkpoint's files write checksums, times and text of any bytes as JSON. */
#ifndef CS_JSON_VALUES_H
#define CS_JSON_VALUES_H

#include <glib.h>
#include <jansson.h>

/* A checksum as 16 hexadecimal digits. Reading returns FALSE if text is not a checksum. */
char *cs_json_hex_new(guint64 checksum);
gboolean cs_json_hex_read(const char *text, guint64 *checksum);

/* Whether text is exactly so many hexadecimal digits in lower case. */
gboolean cs_json_is_hex(const char *text, gsize digits);

/* Seconds since 1970 as UTC, such as 2026-11-21T16:00:00Z. Reading returns -1 if text is not a
 * time. */
char *cs_json_time_new(gint64 seconds);
gint64 cs_json_time_read(const char *text);

/*
 * Text under a key. If it is not UTF-8, its bytes are under KEY_base64 too. NULL is null. Writing
 * returns FALSE if there is not enough memory, reading if the object does not hold such text.
 */
gboolean cs_json_text_write(json_t *object, const char *key, const char *text);
gboolean cs_json_text_read(json_t *object, const char *key, char **text);

/* A key of an object, and in words what it holds. */
typedef struct {
    const char *key, *what;
} CsJsonKey;

/* The first key whose values differ, as "WHAT: VALUE there, VALUE here", for g_free(); NULL if all
 * are equal. The second object has all keys. */
char *cs_json_difference(const json_t *there, const json_t *here, const CsJsonKey *keys,
                         gsize count);

typedef json_t CsJson;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsJson, json_decref)

#endif
