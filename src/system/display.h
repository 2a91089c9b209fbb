/* Makes names from outside safe to show in a message of one line. */
#ifndef CS_DISPLAY_H
#define CS_DISPLAY_H

#include <glib.h>

/*
 * A copy of the name of a file or record. Every byte that is not part of a printable UTF-8
 * character is written as \xNN. So the copy is valid UTF-8, one line, and cannot control a
 * terminal.
 */
char *cs_display_name(const char *name);

/* The same for the name of a record or a region; cut if it is very long. */
char *cs_display_record(const char *name);

/* The same for a byte: 'X' in quotes if it is printable ASCII, else 0xNN. */
char *cs_display_byte(guint8 byte);

#endif
