/* Edges of regions, and stretches of an alignment that score low. */
#include "command/caution.h"

#define MATCHES G_GINT64_CONSTANT(10000)

/* A start or end of 0 is not known. */
static void
tell_edge(CsMessage say, const char *side, const CsSequence *sequence, gint64 start, gint64 end)
{
    const gint64 from = cs_sequence_get_offset(sequence) + 1;
    const gint64 to = from + cs_sequence_get_length(sequence) - 1;
    const gboolean first = start == from && from > 1;
    const gboolean last = end == to && to < cs_sequence_get_record_length(sequence);
    if (first || last)
        cs_message(say, "the alignment reaches %s of the %s region and may continue beyond %s",
                   first && last ? "both ends"
                   : first       ? "the start"
                                 : "the end",
                   side, first && last ? "them" : "it");
}

void
cs_caution_tell_edges(CsMessage say, const CsSequence *target, const CsSequence *query,
                      const CsCompareResult *result)
{
    tell_edge(say, "target", target, result->target_start, result->target_end);
    tell_edge(say, "query", query, result->query_start, result->query_end);
}

gint64
cs_caution_limit(const CsScoring *scoring)
{
    return scoring->match > G_MAXINT64 / MATCHES ? G_MAXINT64 : scoring->match * MATCHES;
}

/* "101-250", or "between 100 and 101" where it has no base. */
static char *
format_range(gint64 start, gint64 end)
{
    if (start > end)
        return g_strdup_printf("between %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, end, start);
    return g_strdup_printf("%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, start, end);
}

void
cs_caution_tell_drops(const GArray *drops, gint64 limit)
{
    if (drops->len == 0)
        return;
    const CsAlignmentDrop *worst = &g_array_index(drops, CsAlignmentDrop, 0);
    for (guint k = 1; k < drops->len; k++) {
        const CsAlignmentDrop *drop = &g_array_index(drops, CsAlignmentDrop, k);
        worst = drop->score < worst->score ? drop : worst;
    }
    g_autofree char *target = format_range(worst->target_start, worst->target_end);
    g_autofree char *query = format_range(worst->query_start, worst->query_end);
    g_autofree char *many = g_strdup_printf(
        "%u low-scoring stretches (below -%" G_GINT64_FORMAT "; the lowest: ", drops->len, limit);
    cs_message(CS_MESSAGE_WARNING,
               "the alignment bridges %s%" G_GINT64_FORMAT " at target %s, query %s); --max-drop "
               "%" G_GINT64_FORMAT " splits the alignment there",
               drops->len > 1 ? many : "a low-scoring stretch (", worst->score, target, query,
               limit);
}
