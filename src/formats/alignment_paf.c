/*
 * An alignment as a line of PAF, or a line for each piece or each alignment of a set, with the tags of
 * minimap2. There is no mapping quality, which is the probability of an error: there is none.
 */
#include "formats/alignment_columns.h"
#include "formats/names.h"

enum {
    NO_QUALITY = 255,
    AT_ONCE = 4096,
    /* Bits of minimap2's zd: the alignment was split after the piece, before it. */
    SPLIT_AFTER = 1,
    SPLIT_BEFORE = 2,
};

static void
append_place(GString *text, const CsSequence *sequence, gint64 start, gint64 end,
             const char *between)
{
    const char *name = cs_sequence_get_name(sequence);
    g_string_append(text, name[0] != '\0' ? name : "*");
    g_string_append_printf(text, "\t%" G_GINT64_FORMAT, cs_sequence_get_record_length(sequence));
    if (between != NULL)
        g_string_append_printf(text, "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%s", start - 1,
                               end, between);
    else
        g_string_append_printf(text, "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT, start - 1, end);
}

static void
append_lower(GString *text, const char *bases, gint64 count)
{
    for (gint64 k = 0; k < count; k++)
        g_string_append_c(text, g_ascii_tolower(bases[k]));
}

/*
 * The short form of minimap2's cs, along the target: : and the number of matches, * and both bases of
 * any other pair, + and bases of the query alone, - and bases of the target alone.
 */
static void
append_differences(GString *text, const CsAlignmentStory *story, const CsAlignment *part)
{
    char target[AT_ONCE], query[AT_ONCE], op, before = '\0';
    g_auto(CsAlignmentColumns) columns;
    gint64 count, matches = 0;
    cs_alignment_columns_init(&columns, story, part);
    while ((count = cs_alignment_columns_next(&columns, AT_ONCE, &op, target, query)) > 0) {
        if (op != '=' && matches > 0)
            g_string_append_printf(text, ":%" G_GINT64_FORMAT, matches);
        matches = op == '=' ? matches + count : 0;
        if ((op == 'I' || op == 'D') && op != before)
            g_string_append_c(text, op == 'I' ? '+' : '-');
        if (op == 'I' || op == 'D')
            append_lower(text, op == 'I' ? query : target, count);
        for (gint64 k = 0; op == 'X' && k < count; k++)
            g_string_append_printf(text, "*%c%c", g_ascii_tolower(target[k]),
                                   g_ascii_tolower(query[k]));
        before = op;
    }
    if (matches > 0)
        g_string_append_printf(text, ":%" G_GINT64_FORMAT, matches);
}

static void
append_line(GString *text, const CsAlignmentForm *form, const CsAlignmentStory *story, guint k)
{
    const CsAlignment *alignment = cs_alignment_format_part(story, k);
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const gboolean split = story->set == NULL;
    const gboolean before = split && k > 0,
                   after = split && k + 1 < cs_alignment_format_parts(story);
    char divergence[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(divergence, sizeof divergence, "%.6f", 1 - cs_alignment_format_identity(s));
    append_place(text, cs_alignment_format_record(story, alignment, 1), s->query_start,
                 s->query_end, cs_names_strand(s->strand));
    g_string_append_c(text, '\t');
    append_place(text, cs_alignment_format_record(story, alignment, 0), s->target_start,
                 s->target_end, NULL);
    g_string_append_printf(text, "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%d", s->matches,
                           s->columns, NO_QUALITY);
    g_string_append_printf(text,
                           "\tNM:i:%" G_GINT64_FORMAT "\tAS:i:%" G_GINT64_FORMAT
                           "\tnn:i:%" G_GINT64_FORMAT "\tde:f:%s\ttp:A:%c",
                           s->columns - s->matches, s->score, s->ambiguous, divergence,
                           cs_alignment_format_is_secondary(story, k) ? 'S' : 'P');
    if (before || after)
        g_string_append_printf(text, "\tzd:i:%d",
                               (after ? SPLIT_AFTER : 0) | (before ? SPLIT_BEFORE : 0));
    g_string_append(text, "\tcg:Z:");
    cs_alignment_format_cigar(alignment, form->merged, text);
    if (form->differences) {
        g_string_append(text, "\tcs:Z:");
        append_differences(text, story, alignment);
    }
    g_string_append_c(text, '\n');
}

char *
cs_alignment_paf(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    GString *text = g_string_new(NULL);
    for (guint k = 0; k < cs_alignment_format_parts(story); k++)
        append_line(text, form, story, k);
    return g_string_free(text, FALSE);
}
