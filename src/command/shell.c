/* Words and lines quoted for a shell. */
#include <string.h>

#include "command/shell.h"

/* Quotes a word for a shell. */
char *
cs_shell_word(const char *word)
{
    static const char plain[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_./+,:@%=-";
    return strspn(word, plain) == strlen(word) && word[0] != '\0' ? g_strdup(word)
                                                                  : g_shell_quote(word);
}

char *
cs_shell_line(int argc, char *const *argv)
{
    GString *line = g_string_new("chromosweep");
    for (int k = 0; k < argc; k++) {
        g_autofree char *word = cs_shell_word(argv[k]);
        g_string_append_printf(line, " %s", word);
    }
    return g_string_free(line, FALSE);
}
