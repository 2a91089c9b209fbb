/* What the files of a checkpoint hold as JSON: checksums, times, and text of any bytes. */
#ifndef CS_JSON_VALUES_H
#define CS_JSON_VALUES_H

#include <glib.h>
#include <jansson.h>

/* 16 hexadecimal digits of a checksum: to text, and from it, FALSE where it is none. */
char *cs_json_hex_new(guint64 checksum);
gboolean cs_json_hex_read(const char *text, guint64 *checksum);

/* Whether these are so many hexadecimal digits, in lower case. */
gboolean cs_json_is_hex(const char *text, gsize digits);

/* UTC as JSON holds it, 2026-11-21T16:00:00Z, of seconds since 1970; -1 where text is none. */
char *cs_json_time_new(gint64 seconds);
gint64 cs_json_time_read(const char *text);

/*
 * Text that need not be UTF-8, under a key and, where it is not, also as it is under KEY_base64;
 * NULL is null. The first returns FALSE where there is too little memory, the second where the
 * object does not hold such text.
 */
gboolean cs_json_text_write(json_t *object, const char *key, const char *text);
gboolean cs_json_text_read(json_t *object, const char *key, char **text);

typedef json_t CsJson;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsJson, json_decref)

#endif
