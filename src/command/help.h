/* The options --help, --help-all and --version of every command. */
#ifndef CS_HELP_H
#define CS_HELP_H

#include <glib.h>

/* Which of them the command line contains. */
typedef struct {
    gboolean help, all, version;
} CsHelpArguments;

#define CS_HELP_ENTRIES(a)                                                                         \
    {"help", 'h', 0, G_OPTION_ARG_NONE, &(a)->help, NULL, NULL},                                   \
        {"help-all", 0, 0, G_OPTION_ARG_NONE, &(a)->all, NULL, NULL},                              \
    {                                                                                              \
        "version", 'V', 0, G_OPTION_ARG_NONE, &(a)->version, NULL, NULL                            \
    }

/* The lines about these options in the help of every command. */
#define CS_HELP_LINES                                                                              \
    "  -h, --help              this help; --help-all shows all options\n"                          \
    "+     --help-all          all options, signals and exit statuses\n"                           \
    "  -V, --version           the version and how it was built\n"

gboolean cs_help_is_wanted(const CsHelpArguments *arguments);

/*
 * Prints what they ask for and returns the exit status. Only --help-all shows lines of help that
 * begin with '+', without the '+', or with a blank in its place if a blank follows. --help must fit
 * a terminal of 40 lines and 80 columns.
 */
int cs_help_print(const CsHelpArguments *arguments, const char *help);

#endif
