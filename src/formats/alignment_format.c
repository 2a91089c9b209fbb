/* The formats of an alignment, and what they share. */
#include <string.h>

#include "formats/alignment_format.h"
#include "formats/bgzip.h"

const char *const cs_alignment_format_names[] = {
    [CS_ALIGNMENT_FORMAT_PAF] = "paf",
    [CS_ALIGNMENT_FORMAT_SAM] = "sam",
    [CS_ALIGNMENT_FORMAT_BAM] = "bam",
    [CS_ALIGNMENT_FORMAT_JSON] = "json",
    NULL,
};

gboolean
cs_alignment_format_check(const CsAlignmentForm *form, const CsSequence *target,
                          const CsSequence *query, GError **error)
{
    return (form->format != CS_ALIGNMENT_FORMAT_SAM && form->format != CS_ALIGNMENT_FORMAT_BAM) ||
           cs_alignment_sam_check(target, query, error);
}

guint
cs_alignment_format_parts(const CsAlignmentStory *story)
{
    return story->parts != NULL ? story->parts->len : story->alignment != NULL;
}

const CsAlignment *
cs_alignment_format_part(const CsAlignmentStory *story, guint k)
{
    return story->parts != NULL ? g_ptr_array_index(story->parts, k) : story->alignment;
}

void
cs_alignment_format_cigar(const CsAlignment *alignment, gboolean merged, GString *text)
{
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    gint64 pairs = 0;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run)) {
        const gboolean joined = merged && (run.op == '=' || run.op == 'X');
        if (joined)
            pairs += run.length;
        if (!joined && pairs > 0)
            g_string_append_printf(text, "%" G_GINT64_FORMAT "M", pairs);
        if (!joined) {
            pairs = 0;
            g_string_append_printf(text, "%" G_GINT64_FORMAT "%c", run.length, run.op);
        }
    }
    if (pairs > 0)
        g_string_append_printf(text, "%" G_GINT64_FORMAT "M", pairs);
}

double
cs_alignment_format_identity(const CsAlignmentSummary *s)
{
    return (double)s->matches / (double)(s->matches + s->mismatches + s->insertions + s->deletions);
}

GBytes *
cs_alignment_format_write(const CsAlignmentForm *form, const CsAlignmentStory *story,
                          GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    if (form->format == CS_ALIGNMENT_FORMAT_SAM || form->format == CS_ALIGNMENT_FORMAT_BAM) {
        bytes = cs_alignment_sam(form, story, error);
    } else {
        char *text = form->format == CS_ALIGNMENT_FORMAT_PAF ? cs_alignment_paf(form, story)
                                                             : cs_alignment_json(form, story);
        bytes = g_bytes_new_take(text, strlen(text));
    }
    if (bytes == NULL || !form->bgzip || form->format == CS_ALIGNMENT_FORMAT_BAM)
        return g_steal_pointer(&bytes);
    return cs_bgzip(bytes, error);
}
