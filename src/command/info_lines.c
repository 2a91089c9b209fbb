/* What the kinds of `info` print alike. */
#include "command/info_lines.h"

#include "formats/escape.h"

void
cs_info_line(GString *text, const char *label, const char *value)
{
    g_autofree char *shown = cs_escape(value, FALSE);
    g_string_append_printf(text, "%-12s%s\n", label, shown);
}

char *
cs_info_time(gint64 seconds, const char *format)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);
    return time != NULL ? g_date_time_format(time, format) : NULL;
}
