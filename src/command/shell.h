/* Words and lines quoted for a shell. */
#ifndef CS_SHELL_H
#define CS_SHELL_H

#include <glib.h>

/* One word. */
char *cs_shell_word(const char *word);

/* The command line of these arguments. */
char *cs_shell_line(int argc, char *const *argv);

#endif
