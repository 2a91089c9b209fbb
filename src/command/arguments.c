/* Command lines: what the options of all commands share. */
#include <string.h>

#include "command/arguments.h"
#include "command/suggest.h"
#include "formats/format.h"

/* The entry whose long name is the first `length` bytes of name, or, if name is NULL, whose short
 * name is `letter`. NULL if there is none. */
static const GOptionEntry *
find_entry(const GOptionEntry *entry, const char *name, gsize length, char letter)
{
    for (; entry->long_name != NULL; entry++)
        if (name != NULL
                ? strncmp(entry->long_name, name, length) == 0 && entry->long_name[length] == '\0'
                : entry->short_name == letter)
            return entry;
    return NULL;
}

enum {
    NO_OPTION = -1, /* the argument is no known option */
    NO_VALUE = 0,   /* it takes no value, or has it after "=" */
};

/* Where the value of an option begins in the argument: at 3 in "-qt4". If that is the end of the
 * argument, the value is the next argument. */
static gssize
find_value(const GOptionEntry *entries, const char *argument)
{
    const gsize length = strlen(argument);
    if (argument[1] == '-') {
        const gsize name = strcspn(argument + 2, "=");
        const GOptionEntry *entry = find_entry(entries, argument + 2, name, 0);
        return entry == NULL                                                   ? NO_OPTION
               : entry->arg == G_OPTION_ARG_NONE || argument[name + 2] != '\0' ? NO_VALUE
                                                                               : (gssize)length;
    }
    for (gsize at = 1; at < length; at++) {
        const GOptionEntry *entry = find_entry(entries, NULL, 0, argument[at]);
        if (entry == NULL)
            return NO_OPTION;
        if (entry->arg != G_OPTION_ARG_NONE)
            return (gssize)at + 1;
    }
    return NO_VALUE;
}

/*
 * The arguments with "-t4" split into "-t", "4", because GOption knows only the second form and
 * people type the first. *unknown is the first unknown option, or NULL.
 */
static char **
split_attached_values(const GOptionEntry *entries, int argc, char **argv, const char **unknown)
{
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    gboolean options = TRUE, awaited = FALSE;
    *unknown = NULL;
    for (int k = 0; k < argc; k++) {
        options = options && (awaited || strcmp(argv[k], "--") != 0);
        const gboolean option = k > 0 && options && !awaited && argv[k][0] == '-';
        const gssize at = option ? find_value(entries, argv[k]) : NO_VALUE;
        awaited = at > 0 && argv[k][at] == '\0';
        if (at == NO_OPTION && *unknown == NULL)
            *unknown = argv[k];
        if (at > 0 && !awaited) {
            g_autofree char *cluster = g_strndup(argv[k], (gsize)at);
            g_strv_builder_add_many(builder, cluster, argv[k] + at, NULL);
        } else {
            g_strv_builder_add(builder, argv[k]);
        }
    }
    return g_strv_builder_end(builder);
}

/* What replaces an option that minimap2 or samtools has, or another command; NULL if nothing does. */
static const char *
find_replacement(const char *unknown)
{
    static const struct {
        const char *option, *replacement;
    } replacements[] = {
        {"-a", "for SAM, use align --format sam"},
        {"-c", "align always writes the CIGAR"},
        {"-x", "there are no presets: the result is always exact"},
        {"-@", "for threads, use -t"},
        {"--one-to-one", "for a set of alignments, use align --one-to-one"},
        {"--all-pairs", "compare, align and plot have it"},
        {"--pairs", "only compare has it"},
    };
    for (gsize k = 0; k < G_N_ELEMENTS(replacements); k++) {
        const char *option = replacements[k].option;
        const gsize length = strlen(option);
        if (strncmp(unknown, option, length) == 0 &&
            (option[1] != '-' || unknown[length] == '\0' || unknown[length] == '='))
            return replacements[k].replacement;
    }
    return NULL;
}

/* The long option that an unknown one was meant to be, or NULL. "-format" may mean one, too. */
static const char *
suggest_option(const GOptionEntry *entries, const char *unknown)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
        if (*entry->long_name != '\0') /* the entry of arguments that are no options has no name */
            g_ptr_array_add(names, (gpointer)entry->long_name);
    const char *word = unknown + strspn(unknown, "-");
    g_autofree char *name = g_strndup(word, strcspn(word, "="));
    const gboolean single = word == unknown + 1 && name[0] != '\0' && name[1] == '\0';
    return single ? NULL : cs_suggest(name, (const char *const *)names->pdata, names->len);
}

static void
explain_unknown(GError *error, const GOptionEntry *entries, const char *unknown)
{
    const char *meant = suggest_option(entries, unknown);
    const char *replacement = meant == NULL ? find_replacement(unknown) : NULL;
    cs_arguments_append_suggestion(error, "--", meant);
    if (replacement == NULL)
        return;
    g_autofree char *message = g_steal_pointer(&error->message);
    error->message = g_strdup_printf("%s (%s)", message, replacement);
}

gboolean
cs_arguments_parse(const GOptionEntry *entries, int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_option_context_set_help_enabled(context, FALSE); /* GOption's would exit by itself */
    g_option_context_add_main_entries(context, entries, NULL);
    const char *unknown;
    char **split = split_attached_values(entries, argc, argv, &unknown);
    GError *failure = NULL;
    gboolean parsed = g_option_context_parse_strv(context, &split, &failure);
    if (!parsed) {
        failure->message[0] = g_ascii_tolower(failure->message[0]);
        if (unknown != NULL &&
            g_error_matches(failure, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
            explain_unknown(failure, entries, unknown);
        g_propagate_error(error, failure);
    }
    g_strfreev(split);
    return parsed;
}

gboolean
cs_arguments_parse_both(const GOptionEntry *own, const GOptionEntry *shared, int argc, char **argv,
                        GError **error)
{
    g_autoptr(GArray) entries = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));
    for (; own->long_name != NULL; own++)
        g_array_append_vals(entries, own, 1);
    for (; shared->long_name != NULL; shared++)
        g_array_append_vals(entries, shared, 1);
    return cs_arguments_parse((const GOptionEntry *)(const void *)entries->data, argc, argv, error);
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
is_of_alignments(const char *format)
{
    static const char *const formats[] = {"paf",   "sam",    "bam", "cram", "maf",
                                          "chain", "blast6", "axt", NULL};
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
    if (is_of_alignments(text)) {
        g_autofree char *message = failure->message;
        failure->message = g_strconcat(
            message, " (chromosweep align writes alignments, as PAF, SAM, MAF and more)", NULL);
    }
    g_propagate_error(error, failure);
    return FALSE;
}

/* The name of a column that a wrong one was meant to be, or NULL. */
static const char *
suggest_column(const CsField *fields, const char *wrong)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const CsField *field = fields; field->read != NULL; field++)
        if (field->column != NULL)
            g_ptr_array_add(names, (gpointer)field->column);
    return cs_suggest(wrong, (const char *const *)names->pdata, names->len);
}

gboolean
cs_arguments_columns(const CsColumnsChoice *choice, const char *text, CsColumns *columns,
                     GError **error)
{
    g_autofree char *wrong = NULL;
    if (cs_columns_parse(choice, text != NULL ? text : CS_COLUMNS_DEFAULT, columns, &wrong))
        return TRUE;
    if (cs_field_find(choice->fields, wrong, strlen(wrong)) != NULL)
        return cs_arguments_usage(error, "--columns has %s twice", wrong);
    const char *meant = suggest_column(choice->fields, wrong);
    g_autofree char *hint =
        meant != NULL ? g_strdup_printf(" (did you mean %s?)", meant) : g_strdup("");
    return cs_arguments_usage(error, "there is no column '%s'%s; --columns help lists all", wrong,
                              hint);
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

/* Reads whole numbers with units, larger units first, each at most once. 0 if it is not a time. */
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

gboolean
cs_arguments_size(const char *option, const char *text, gint64 *bytes, GError **error)
{
    static const char units[] = "KMGT";
    if (text == NULL)
        return TRUE;
    const gsize digits = strspn(text, "0123456789");
    const char *unit = text[digits] != '\0' ? strchr(units, g_ascii_toupper(text[digits])) : NULL;
    const guint shift = unit != NULL ? 10 * (guint)(unit - units + 1) : 0;
    g_autofree char *number = g_strndup(text, digits);
    if ((text[digits] == '\0' || (unit != NULL && text[digits + 1] == '\0')) &&
        g_ascii_string_to_signed(number, 10, 0, G_MAXINT64 >> shift, bytes, NULL)) {
        *bytes <<= shift;
        return TRUE;
    }
    return cs_arguments_usage(error, "%s must be a size such as 500M or 2G, not '%s'", option,
                              text);
}

const char *
cs_arguments_directory(const char *const *rest, GError **error)
{
    guint count = rest != NULL ? g_strv_length((char **)rest) : 0;
    if (count == 1 && rest[0][0] != '\0')
        return rest[0];
    if (count == 1)
        cs_arguments_usage(error, "the name of the checkpoint folder is empty");
    else
        cs_arguments_usage(error, "expected one checkpoint folder, got %u", count);
    return NULL;
}
