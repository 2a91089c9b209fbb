/* Makes any text fit to stand on a line of output. */
#include <string.h>

#include "formats/escape.h"

/* Whether c can be printed as it is. GLib returns -1 and -2 for bytes that are no character. */
static gboolean
is_plain(gunichar c)
{
    if (c == (gunichar)-1 || c == (gunichar)-2 || !g_unichar_isprint(c))
        return FALSE;
    GUnicodeType type = g_unichar_type(c);
    return type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR;
}

char *
cs_escape(const char *text, gboolean backslash)
{
    static const char codes[] = "\t\n\r", letters[] = "tnr";
    GString *escaped = g_string_new(NULL);
    while (*text != '\0') {
        const char *code = strchr(codes, *text);
        gunichar c = g_utf8_get_char_validated(text, -1);
        gssize size = 1;
        if (c == '\\' && backslash) {
            g_string_append(escaped, "\\\\");
        } else if (is_plain(c)) {
            size = g_utf8_next_char(text) - text;
            g_string_append_len(escaped, text, size);
        } else if (code != NULL) {
            g_string_append_printf(escaped, "\\%c", letters[code - codes]);
        } else {
            g_string_append_printf(escaped, "\\x%02x", (guint8)*text);
        }
        text += size;
    }
    return g_string_free(escaped, FALSE);
}
