/* Parsing of command lines, for all subcommands. */
#ifndef CS_ARGUMENTS_H
#define CS_ARGUMENTS_H

#include <glib.h>

#include "formats/format.h"

/*
 * Parses the arguments by the entries. Entries that take values must be G_OPTION_ARG_FILENAME, the
 * only type that lets every byte through. Here and below, errors are of the domain G_OPTION_ERROR.
 */
gboolean cs_arguments_parse(const GOptionEntry *entries, int argc, char **argv, GError **error);

/* The same with the entries of a command and those that it shares with others. Each list ends with
 * G_OPTION_ENTRY_NULL. */
gboolean cs_arguments_parse_both(const GOptionEntry *own, const GOptionEntry *shared, int argc,
                                 char **argv, GError **error);

/* Adds "(did you mean PREFIXWORD?)" to the error's message; a NULL word adds nothing. */
void cs_arguments_append_suggestion(GError *error, const char *prefix, const char *word);

/* Sets an error of usage and returns FALSE. */
gboolean cs_arguments_usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* --format; NULL is text. */
gboolean cs_arguments_format(const char *text, CsFormat *format, GError **error);

/* --columns; NULL is the default. */
gboolean cs_arguments_columns(const CsColumnsChoice *choice, const char *text, CsColumns *columns,
                              GError **error);

/* Here and below, an absent text leaves the output unchanged. */
gboolean cs_arguments_number(const char *option, const char *text, gint64 min, gint64 max,
                             gint64 *number, GError **error);

/* The most threads that any command takes. */
#define CS_ARGUMENTS_THREADS_MAX 4096

/* The index of the text among the names, a NULL-terminated list. */
gboolean cs_arguments_choice(const char *option, const char *text, const char *const *names,
                             guint *place, GError **error);

/* A century. Sums of shorter times are exact and far from the limits of any clock. */
#define CS_ARGUMENTS_TIME_MAX (36500 * 86400.0)

/* A time above 0. The units d, h, m and s must be given: "90s", "11h30m". */
gboolean cs_arguments_time(const char *option, const char *text, double *seconds, GError **error);

/* A size in bytes: "500M", "2G"; K, M, G and T are powers of 1024. */
gboolean cs_arguments_size(const char *option, const char *text, gint64 *bytes, GError **error);

/* The folder, the only argument that is not an option; NULL with error set if there is not exactly
 * one such argument. */
const char *cs_arguments_directory(const char *const *rest, GError **error);

#endif
