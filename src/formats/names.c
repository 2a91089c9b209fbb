/* The names of strands, regions and sequences in all formats. */
#include <string.h>

#include "formats/escape.h"
#include "formats/names.h"

const char *const cs_names_circular[] = {"", "target", "query", "both", NULL};

const char *
cs_names_strand(CsStrand strand)
{
    return strand == CS_STRAND_BOTH ? "both" : strand == CS_STRAND_MINUS ? "-" : "+";
}

CsStrand
cs_names_strand_of(const char *name)
{
    return strcmp(name, "both") == 0 ? CS_STRAND_BOTH
           : strcmp(name, "-") == 0  ? CS_STRAND_MINUS
                                     : CS_STRAND_PLUS;
}

char *
cs_names_region(const char *name, gint64 from, gint64 to)
{
    if (from == 0)
        return NULL;
    const gboolean braced = name[0] == '{' || strchr(name, ':') != NULL;
    return g_strdup_printf("%s%s%s:%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, braced ? "{" : "", name,
                           braced ? "}" : "", from, to);
}

char *
cs_names_region_of(const CsSequence *sequence)
{
    const gint64 from = cs_sequence_get_offset(sequence) + 1;
    const gint64 length = cs_sequence_get_length(sequence);
    return length == cs_sequence_get_record_length(sequence)
               ? NULL
               : cs_names_region(cs_sequence_get_name(sequence), from, from + length - 1);
}

char *
cs_names_sequence(const char *file, const CsSequence *sequence)
{
    const gint64 length = cs_sequence_get_length(sequence);
    const gint64 whole = cs_sequence_get_record_length(sequence);
    g_autofree char *shown_file = cs_escape(file, FALSE), *region = cs_names_region_of(sequence);
    g_autofree char *name =
        cs_escape(region != NULL ? region : cs_sequence_get_name(sequence), FALSE);
    g_autofree char *of =
        region != NULL ? g_strdup_printf(" of %" G_GINT64_FORMAT, whole) : g_strdup("");
    return g_strdup_printf("%s, %s, %" G_GINT64_FORMAT "%s %s", shown_file,
                           name[0] != '\0' ? name : "(no name)", length, of,
                           whole == 1 ? "base" : "bases");
}
