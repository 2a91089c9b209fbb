/* Names of files that have a number: see numbered_file.h. */
#include <string.h>

#include "checkpoint/numbered_file.h"

gint64
cs_numbered_file_number(const CsNumberedFile *kind, const char *name)
{
    const gsize prefix = strlen(kind->prefix);
    guint64 number;
    if (!g_str_has_prefix(name, kind->prefix) || !g_str_has_suffix(name, kind->suffix) ||
        strlen(name) != prefix + kind->digits + strlen(kind->suffix))
        return 0;
    g_autofree char *digits = g_strndup(name + prefix, kind->digits);
    return g_ascii_string_to_unsigned(digits, 10, 1, (guint64)kind->most, &number, NULL)
               ? (gint64)number
               : 0;
}

char *
cs_numbered_file_path(const CsNumberedFile *kind, const char *directory, gint64 number)
{
    g_autofree char *name = g_strdup_printf("%s%0*" G_GINT64_FORMAT "%s", kind->prefix,
                                            (int)kind->digits, number, kind->suffix);
    return g_build_filename(directory, name, NULL);
}
