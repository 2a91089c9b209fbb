/* Names from outside, made fit for a one-line message. */
#ifndef CS_DISPLAY_H
#define CS_DISPLAY_H

#include <glib.h>

/*
 * A copy of a file's or record's name in which every byte that is not part of a printable UTF-8
 * character stands as \xNN: valid UTF-8, one line, and nothing that steers a terminal.
 */
char *cs_display_name(const char *name);

/* The same for a record's name or a region, cut when it is very long. */
char *cs_display_record(const char *name);

/* The same for a byte: 'X' in quotes where it is printable ASCII, else 0xNN. */
char *cs_display_byte(guint8 byte);

#endif
