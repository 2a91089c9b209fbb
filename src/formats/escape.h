/* Text of anybody's on a line of ours. */
#ifndef CS_ESCAPE_H
#define CS_ESCAPE_H

#include <glib.h>

/*
 * text with every byte that is no printable UTF-8 character as \t, \n, \r or \xNN, so that it stays
 * on its line and cannot steer a terminal; with backslash, each backslash doubled too, so that it
 * can be read back.
 */
char *cs_escape(const char *text, gboolean backslash);

#endif
