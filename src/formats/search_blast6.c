/*
 * Hits in the 12 columns of BLAST's -outfmt 6, without a header: query, target, percent identity,
 * columns, mismatches, gaps, query start and end, target start and end, E-value, bits. Of the minus
 * strand, BLAST writes the target backwards. A scoring without constants has NA instead of E-value and
 * bits.
 */
#include "formats/search_format.h"

static gint64
count_mismatches(const CsSearchHit *hit)
{
    gint64 paired = 0, run = 0;
    for (const char *p = hit->cigar; *p != '\0'; p++) {
        if (g_ascii_isdigit(*p)) {
            run = 10 * run + (*p - '0');
            continue;
        }
        paired += *p == 'X' ? run : 0;
        run = 0;
    }
    return paired;
}

void
cs_search_blast6(GString *text, const CsSearchSummary *summary, const CsSearchHit *hits,
                 gint64 count, const CsColumns *columns)
{
    for (gint64 n = 0; n < count; n++) {
        const CsSearchHit *hit = &hits[n];
        const gboolean minus = hit->strand == CS_STRAND_MINUS;
        char identity[G_ASCII_DTOSTR_BUF_SIZE], bits[G_ASCII_DTOSTR_BUF_SIZE] = "NA";
        g_autofree char *query = cs_search_format_cell(hit, "query");
        g_autofree char *target = cs_search_format_cell(hit, "target");
        g_autofree char *evalue = cs_search_format_cell(hit, "evalue");
        g_ascii_formatd(identity, sizeof identity, "%.3f",
                        100 * (double)hit->matches / (double)hit->columns);
        if (hit->evalue >= 0)
            g_ascii_formatd(bits, sizeof bits, "%.1f", hit->bits);
        g_string_append_printf(text,
                               "%s\t%s\t%s\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT
                               "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT
                               "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%s\t%s\n",
                               query, target, identity, hit->columns, count_mismatches(hit),
                               hit->gap_openings, hit->query_start, hit->query_end,
                               minus ? hit->target_end : hit->target_start,
                               minus ? hit->target_start : hit->target_end, evalue, bits);
    }
}
