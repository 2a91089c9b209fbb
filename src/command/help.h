/* --help, --help-all and --version, which every command has. */
#ifndef CS_HELP_H
#define CS_HELP_H

#include <glib.h>

/* Which of them the command line has. */
typedef struct {
    gboolean help, all, version;
} CsHelpArguments;

#define CS_HELP_ENTRIES(a)                                                                         \
    {"help", 'h', 0, G_OPTION_ARG_NONE, &(a)->help, NULL, NULL},                                   \
        {"help-all", 0, 0, G_OPTION_ARG_NONE, &(a)->all, NULL, NULL},                              \
    {                                                                                              \
        "version", 'V', 0, G_OPTION_ARG_NONE, &(a)->version, NULL, NULL                            \
    }

/* The lines of every command's help about these options. */
#define CS_HELP_LINES                                                                              \
    "  -h, --help              this help; --help-all shows all options\n"                          \
    "+     --help-all          all options, signals and exit statuses\n"                           \
    "  -V, --version           the version and how it was built\n"

gboolean cs_help_is_wanted(const CsHelpArguments *arguments);

/*
 * Prints what they ask for and returns the exit status. A line of help that begins with '+' is
 * shown by --help-all only, without the '+'; where a blank follows, the '+' stands for another one.
 * --help must fit a terminal of 40 lines and 80 columns.
 */
int cs_help_print(const CsHelpArguments *arguments, const char *help);

#endif
