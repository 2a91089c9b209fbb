/* Makes text from outside safe to print on a line. */
#ifndef CS_ESCAPE_H
#define CS_ESCAPE_H

#include <glib.h>

/*
 * Writes every byte that is not part of a printable UTF-8 character as \t, \n, \r or \xNN. So the
 * text stays on its line and cannot control a terminal. With backslash, each backslash is doubled
 * too, so that the text can be read back.
 */
char *cs_escape(const char *text, gboolean backslash);

#endif
