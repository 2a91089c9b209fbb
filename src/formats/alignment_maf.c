/*
 * An alignment as MAF, UCSC's multiple alignment format, with a block for each piece: starts count from 0, on minus from the
 * query's other end.
 */
#include <string.h>

#include "formats/alignment_columns.h"
#include "formats/names.h"

enum {
    AT_ONCE = 4096,
};

/* All columns of one side. */
static void
print_bases(FILE *file, const CsAlignmentStory *story, const CsAlignment *part, gboolean of_target)
{
    char target[AT_ONCE], query[AT_ONCE], op;
    g_auto(CsAlignmentColumns) columns;
    gint64 count;
    cs_alignment_columns_init(&columns, story, part);
    while ((count = cs_alignment_columns_next(&columns, AT_ONCE, &op, target, query)) > 0)
        fwrite(of_target ? target : query, 1, (gsize)count, file);
}

static void
print_side(FILE *file, const CsSequence *sequence, gint64 start, gint64 size, CsStrand strand)
{
    fprintf(file, "s %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s %" G_GINT64_FORMAT " ",
            cs_sequence_get_name(sequence), start, size, cs_names_strand(strand),
            cs_sequence_get_record_length(sequence));
}

static void
print_block(FILE *file, const CsAlignmentStory *story, const CsAlignment *part)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(part);
    const CsSequence *target = cs_alignment_format_record(story, part, 0);
    const CsSequence *query = cs_alignment_format_record(story, part, 1);
    const gint64 query_start = s->strand == CS_STRAND_MINUS
                                   ? cs_sequence_get_record_length(query) - s->query_end
                                   : s->query_start - 1;
    fprintf(file, "a score=%" G_GINT64_FORMAT "\n", s->score);
    print_side(file, target, s->target_start - 1, s->target_end - s->target_start + 1,
               CS_STRAND_PLUS);
    print_bases(file, story, part, TRUE);
    fputc('\n', file);
    print_side(file, query, query_start, s->query_end - s->query_start + 1, s->strand);
    print_bases(file, story, part, FALSE);
    fputs("\n\n", file);
}

void
cs_alignment_maf(const CsAlignmentForm *form, const CsAlignmentStory *story, FILE *file)
{
    fprintf(file, "##maf version=1 scoring=chromosweep\n# %s\n\n", form->line);
    for (guint k = 0; k < cs_alignment_format_parts(story); k++)
        print_block(file, story, cs_alignment_format_part(story, k));
}
