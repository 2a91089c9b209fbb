/* What the kinds of `info` print alike. */
#ifndef CS_INFO_LINES_H
#define CS_INFO_LINES_H

#include <glib.h>

/* Appends a line. The value is escaped. */
void cs_info_line(GString *text, const char *label, const char *value);

/* Seconds since 1970, in UTC; NULL if the time is outside the calendar. */
char *cs_info_time(gint64 seconds, const char *format);

/* As JSON has it, and as text has it. */
#define CS_INFO_TIME_JSON "%Y-%m-%dT%H:%M:%SZ"
#define CS_INFO_TIME_TEXT "%Y-%m-%d %H:%M:%S UTC"

#endif
