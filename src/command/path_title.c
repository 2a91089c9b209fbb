/* What a viewer shows of an alignment in a picture. */
#include "command/path_title.h"
#include "formats/escape.h"
#include "formats/names.h"

static char *
region_of(const char *name, gint64 start, gint64 end)
{
    g_autofree char *region = cs_names_region(name, start, end);
    return cs_escape(region, FALSE);
}

char *
cs_path_title(const CsAlignment *alignment, const char *target, const char *query)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    g_autofree char *in_target = region_of(target, s->target_start, s->target_end);
    g_autofree char *in_query = region_of(query, s->query_start, s->query_end);
    char identity[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(identity, sizeof identity, "%.4f",
                    100 * (double)s->matches / (double)s->columns);
    return g_strdup_printf(
        "target %s\nquery %s, %s strand\nscore %" G_GINT64_FORMAT ", identity %s%%", in_target,
        in_query, s->strand == CS_STRAND_MINUS ? "minus" : "plus", s->score, identity);
}
