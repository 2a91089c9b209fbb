/* --help, --help-all and --version, which every command has. */
#include <string.h>

#include "command/help.h"
#include "command/print.h"

gboolean
cs_help_is_wanted(const CsHelpArguments *arguments)
{
    return arguments->help || arguments->all || arguments->version;
}

static char *
choose_lines(const char *help, gboolean all)
{
    GString *text = g_string_new(NULL);
    while (*help != '\0') {
        const gboolean rare = *help == '+';
        const gsize length = strcspn(help, "\n") + 1;
        if (!rare)
            g_string_append_len(text, help, (gssize)length);
        else if (all)
            g_string_append_printf(text, "%s%.*s", help[1] == ' ' ? " " : "", (int)length - 1,
                                   help + 1);
        help += length;
    }
    return g_string_free(text, FALSE);
}

int
cs_help_print(const CsHelpArguments *arguments, const char *help)
{
    if (!arguments->help && !arguments->all)
        return cs_print_version();
    g_autofree char *text = choose_lines(help, arguments->all);
    return cs_print_text(text);
}
