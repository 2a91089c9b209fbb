/* Command lines: what the subcommands' options have in common. */
#include <string.h>

#include "command/arguments.h"
#include "command/suggest.h"
#include "formats/format.h"

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

/* Whether GOption takes the argument, which begins with "-", for an option or options. */
static gboolean
is_known(const GOptionEntry *entries, const char *argument)
{
    gboolean is_long = argument[1] == '-';
    gsize length = is_long ? strcspn(argument + 2, "=") : 1;
    for (const char *at = argument + 1 + is_long; *at != '\0'; at += length) {
        const GOptionEntry *entry = entries;
        while (entry->long_name != NULL && (is_long ? strncmp(entry->long_name, at, length) != 0 ||
                                                          entry->long_name[length] != '\0'
                                                    : entry->short_name != *at))
            entry++;
        if (entry->long_name == NULL || is_long)
            return entry->long_name != NULL;
    }
    return TRUE;
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

/* The long option that the first unknown one was meant to be, or NULL. "-format" may mean one, too.
 */
static const char *
suggest_option(const GOptionEntry *entries, char *const *arguments)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
        if (*entry->long_name != '\0') /* of what is no option */
            g_ptr_array_add(names, (gpointer)entry->long_name);
    const char *const *known = (const char *const *)names->pdata;
    gboolean value = FALSE;
    for (guint k = 1; arguments[k] != NULL && strcmp(arguments[k], "--") != 0; k++) {
        const char *word = arguments[k] + strspn(arguments[k], "-");
        if (value || word < arguments[k] + 1 || is_known(entries, arguments[k])) {
            value = !value && awaits_value(entries, arguments[k]);
            continue;
        }
        g_autofree char *name = g_strndup(word, strcspn(word, "="));
        gboolean single = word == arguments[k] + 1 && name[0] != '\0' && name[1] == '\0';
        return single ? NULL : cs_suggest(name, known, names->len);
    }
    return NULL;
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
    if (!parsed) {
        failure->message[0] = g_ascii_tolower(failure->message[0]);
        if (g_error_matches(failure, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
            cs_arguments_append_suggestion(failure, "--", suggest_option(entries, split));
        g_propagate_error(error, failure);
    }
    g_strfreev(split);
    return parsed;
}

void
cs_arguments_append_suggestion(GError *error, const char *prefix, const char *word)
{
    if (word == NULL)
        return;
    g_autofree char *message = g_steal_pointer(&error->message);
    error->message = g_strdup_printf("%s (did you mean %s%s?)", message, prefix, word);
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

static gboolean
needs_starts(const char *format)
{
    static const char *const formats[] = {"paf", "sam", "bam", "blast6", "maf", "axt", NULL};
    return g_strv_contains(formats, format);
}

gboolean
cs_arguments_format(const char *text, CsFormat *format, GError **error)
{
    guint place = CS_FORMAT_TEXT;
    GError *failure = NULL;
    if (cs_arguments_choice("--format", text, cs_format_names, &place, &failure)) {
        *format = (CsFormat)place;
        return TRUE;
    }
    if (needs_starts(text)) {
        g_autofree char *message = failure->message;
        failure->message = g_strconcat(
            message, ", which needs where alignments start: that is not computed", NULL);
    }
    g_propagate_error(error, failure);
    return FALSE;
}

gboolean
cs_arguments_choice(const char *option, const char *text, const char *const *names, guint *place,
                    GError **error)
{
    GString *all = g_string_new(NULL);
    for (guint k = 0; names[k] != NULL; k++) {
        if (text == NULL || strcmp(text, names[k]) == 0) {
            *place = text != NULL ? k : *place;
            g_string_free(all, TRUE);
            return TRUE;
        }
        g_string_append_printf(all, "%s%s",
                               k == 0                 ? ""
                               : names[k + 1] == NULL ? " or "
                                                      : ", ",
                               names[k]);
    }
    cs_arguments_usage(error, "%s must be %s, not '%s'", option, all->str, text);
    g_string_free(all, TRUE);
    return FALSE;
}

gboolean
cs_arguments_number(const char *option, const char *text, gint64 min, gint64 max, gint64 *number,
                    GError **error)
{
    if (text == NULL || g_ascii_string_to_signed(text, 10, min, max, number, NULL))
        return TRUE;
    return cs_arguments_usage(error,
                              "%s must be a whole number from %" G_GINT64_FORMAT
                              " to %" G_GINT64_FORMAT ", not '%s'",
                              option, min, max, text);
}

/* Whole numbers with units, the larger units first and each at most once; 0: it is none such. */
static double
read_time(const char *text)
{
    static const char units[] = "dhms";
    static const double unit_seconds[] = {86400, 3600, 60, 1};
    const char *next = units;
    double seconds = 0;
    while (*text != '\0') {
        gsize digits = strspn(text, "0123456789");
        const char *unit = digits > 0 && text[digits] != '\0' ? strchr(next, text[digits]) : NULL;
        if (unit == NULL)
            return 0;
        seconds += g_ascii_strtod(text, NULL) * unit_seconds[unit - units];
        text += digits + 1;
        next = unit + 1;
    }
    return seconds;
}

gboolean
cs_arguments_time(const char *option, const char *text, double *seconds, GError **error)
{
    if (text == NULL)
        return TRUE;
    double time = read_time(text);
    if (!(time > 0 && time <= CS_ARGUMENTS_TIME_MAX))
        return cs_arguments_usage(error,
                                  "%s must be a time such as 90s, 10m or 11h30m, above 0 and at "
                                  "most 36500d, not '%s'",
                                  option, text);
    *seconds = time;
    return TRUE;
}

const char *
cs_arguments_directory(const char *const *rest, GError **error)
{
    guint count = rest != NULL ? g_strv_length((char **)rest) : 0;
    if (count == 1 && rest[0][0] != '\0')
        return rest[0];
    if (count == 1)
        cs_arguments_usage(error, "the name of the checkpoint's directory is empty");
    else
        cs_arguments_usage(error, "a checkpoint's directory is needed; %u given", count);
    return NULL;
}
