/* Command lines: what the subcommands' options have in common. */
#ifndef CS_ARGUMENTS_H
#define CS_ARGUMENTS_H

#include <glib.h>

#include "report.h"

/*
 * Parses the arguments as the entries say; those that take values are to be G_OPTION_ARG_FILENAME,
 * the only type that lets every byte through. Errors are of G_OPTION_ERROR, here and below.
 */
gboolean cs_arguments_parse(const GOptionEntry *entries, int argc, char **argv, GError **error);

/* Sets an error of usage and returns FALSE. */
gboolean cs_arguments_usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* --format; NULL is text. */
gboolean cs_arguments_format(const char *text, CsReportFormat *format, GError **error);

#endif
