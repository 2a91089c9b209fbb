/* Command lines: what the subcommands' options have in common. */
#include <string.h>

#include "arguments.h"

/* Where in a cluster of short options, such as "-qt4", the value of its last one begins; 0: none.
 */
static gsize
find_attached_value(const GOptionEntry *entries, const char *argument)
{
    if (argument[0] != '-' || argument[1] == '-')
        return 0;
    for (gsize at = 1; argument[at] != '\0'; at++) {
        const GOptionEntry *entry = entries;
        while (entry->long_name != NULL && entry->short_name != argument[at])
            entry++;
        if (entry->long_name == NULL || entry->short_name == 0)
            return 0;
        if (entry->arg != G_OPTION_ARG_NONE)
            return argument[at + 1] != '\0' ? at + 1 : 0;
    }
    return 0;
}

/* Whether the argument is an option that takes the next one as its value. */
static gboolean
awaits_value(const GOptionEntry *entries, const char *argument)
{
    gsize length = strlen(argument);
    for (; entries->long_name != NULL; entries++)
        if (entries->arg != G_OPTION_ARG_NONE && length >= 2 && argument[0] == '-' &&
            (argument[1] == '-' ? strcmp(argument + 2, entries->long_name) == 0
                                : argument[length - 1] == entries->short_name))
            return TRUE;
    return FALSE;
}

/* The arguments with "-t4" as "-t", "4": GOption knows only the latter, everybody's hands the
 * former. */
static char **
split_attached_values(const GOptionEntry *entries, int argc, char **argv)
{
    GStrvBuilder *builder = g_strv_builder_new();
    gboolean options = TRUE, value = FALSE;
    for (int k = 0; k < argc; k++) {
        gsize at = k > 0 && options && !value ? find_attached_value(entries, argv[k]) : 0;
        if (at > 0) {
            g_autofree char *cluster = g_strndup(argv[k], at);
            g_strv_builder_add_many(builder, cluster, argv[k] + at, NULL);
            continue;
        }
        g_strv_builder_add(builder, argv[k]);
        options = options && (value || strcmp(argv[k], "--") != 0);
        value = k > 0 && options && !value && awaits_value(entries, argv[k]);
    }
    char **split = g_strv_builder_end(builder);
    g_strv_builder_unref(builder);
    return split;
}

gboolean
cs_arguments_parse(const GOptionEntry *entries, int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_option_context_set_help_enabled(context, FALSE); /* GOption's would exit by itself */
    g_option_context_add_main_entries(context, entries, NULL);
    char **split = split_attached_values(entries, argc, argv);
    GError *failure = NULL;
    gboolean parsed = g_option_context_parse_strv(context, &split, &failure);
    g_strfreev(split);
    if (!parsed) {
        failure->message[0] = g_ascii_tolower(failure->message[0]);
        g_propagate_error(error, failure);
    }
    return parsed;
}

gboolean
cs_arguments_usage(GError **error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *message = g_strdup_vprintf(format, values);
    va_end(values);
    g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, message);
    return FALSE;
}

gboolean
cs_arguments_format(const char *text, CsReportFormat *format, GError **error)
{
    if (text == NULL || strcmp(text, "text") == 0)
        *format = CS_REPORT_TEXT;
    else if (strcmp(text, "tsv") == 0)
        *format = CS_REPORT_TSV;
    else if (strcmp(text, "json") == 0)
        *format = CS_REPORT_JSON;
    else
        return cs_arguments_usage(error, "--format must be text, tsv or json, not '%s'", text);
    return TRUE;
}
