/* Command lines: what the subcommands' options have in common. */
#ifndef CS_ARGUMENTS_H
#define CS_ARGUMENTS_H

#include <glib.h>

#include "formats/format.h"

/*
 * Parses the arguments as the entries say; those that take values are to be G_OPTION_ARG_FILENAME,
 * the only type that lets every byte through. Errors are of G_OPTION_ERROR, here and below.
 */
gboolean cs_arguments_parse(const GOptionEntry *entries, int argc, char **argv, GError **error);

/* Adds "(did you mean PREFIXWORD?)" to the error's message; a NULL word adds nothing. */
void cs_arguments_append_suggestion(GError *error, const char *prefix, const char *word);

/* Sets an error of usage and returns FALSE. */
gboolean cs_arguments_usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* --format; NULL is text. */
gboolean cs_arguments_format(const char *text, CsFormat *format, GError **error);

/* --columns; NULL is the default. */
gboolean cs_arguments_columns(const char *text, CsColumns *columns, GError **error);

/* An absent text leaves number as it is; so below. */
gboolean cs_arguments_number(const char *option, const char *text, gint64 min, gint64 max,
                             gint64 *number, GError **error);

/* More threads than these no command takes. */
#define CS_ARGUMENTS_THREADS_MAX 4096

/* The place of the text among the names, of which the last is NULL. */
gboolean cs_arguments_choice(const char *option, const char *text, const char *const *names,
                             guint *place, GError **error);

/* A century: sums of times below it are exact, and far from any limit of a clock. */
#define CS_ARGUMENTS_TIME_MAX (36500 * 86400.0)

/* A time above 0, whose units d, h, m and s are never left out: "90s", "11h30m". */
gboolean cs_arguments_time(const char *option, const char *text, double *seconds, GError **error);

/* A size in bytes: "500M", "2G"; K, M, G and T are powers of 1024. */
gboolean cs_arguments_size(const char *option, const char *text, gint64 *bytes, GError **error);

/* The one folder among what is no option; NULL and an error when it is not one. */
const char *cs_arguments_directory(const char *const *rest, GError **error);

#endif
