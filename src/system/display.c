/* Makes names from outside safe to show in a message of one line. */
#include <string.h>

#include "system/display.h"

enum {
    RECORD_SHOWN_BYTES = 80,
};

static gboolean
is_showable(gunichar c)
{
    /* g_utf8_get_char_validated() returns these two for bytes that are no character. */
    if (c == (gunichar)-1 || c == (gunichar)-2 || !g_unichar_isprint(c))
        return FALSE;
    GUnicodeType type = g_unichar_type(c);
    return type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR;
}

char *
cs_display_name(const char *name)
{
    g_return_val_if_fail(name != NULL, NULL);

    GString *shown = g_string_new(NULL);
    while (*name != '\0') {
        gunichar c = g_utf8_get_char_validated(name, -1);
        if (is_showable(c)) {
            g_string_append_unichar(shown, c);
            name = g_utf8_next_char(name);
        } else {
            g_string_append_printf(shown, "\\x%02x", (guint8)*name);
            name++; /* the rest of a multi-byte character is no character, and is escaped too */
        }
    }
    return g_string_free(shown, FALSE);
}

char *
cs_display_record(const char *name)
{
    gsize length = strnlen(name, RECORD_SHOWN_BYTES + 1);
    gboolean cut = length > RECORD_SHOWN_BYTES;
    if (cut) {
        length = RECORD_SHOWN_BYTES;
        while (length > 0 && ((guint8)name[length] & 0xc0) == 0x80)
            length--; /* not inside a character */
    }
    g_autofree char *kept = g_strndup(name, length);
    g_autofree char *shown = cs_display_name(kept);
    return g_strconcat(shown, cut ? "..." : "", NULL);
}

char *
cs_display_byte(guint8 byte)
{
    return g_ascii_isprint((gchar)byte) ? g_strdup_printf("'%c'", byte)
                                        : g_strdup_printf("0x%02x", byte);
}
