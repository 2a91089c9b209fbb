/* The columns of an alignment: its runs, and the bases that they pair. */
#include <string.h>

#include "formats/alignment_columns.h"

void
cs_alignment_columns_init(CsAlignmentColumns *columns, const CsAlignmentStory *story,
                          const CsAlignment *part)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(part);
    const CsSequence *target = cs_alignment_format_record(story, part, 0);
    const CsSequence *query = cs_alignment_format_record(story, part, 1);
    const gint64 from = cs_sequence_get_offset(query);
    const gint64 to = from + cs_sequence_get_length(query);
    *columns = (CsAlignmentColumns){
        .records = {target, query},
        .strand = s->strand,
        .target = s->target_start - 1 - cs_sequence_get_offset(target),
        .query = s->strand == CS_STRAND_MINUS ? to - s->query_end : s->query_start - 1 - from,
    };
    cs_alignment_iter_init(&columns->iter, part);
}

void
cs_alignment_columns_clear(CsAlignmentColumns *columns)
{
    cs_alignment_iter_clear(&columns->iter);
}

gint64
cs_alignment_columns_next(CsAlignmentColumns *columns, gint64 most, char *op, char *target,
                          char *query)
{
    if (columns->left.length == 0 && !cs_alignment_iter_next(&columns->iter, &columns->left))
        return 0;
    const gint64 count = MIN(most, columns->left.length);
    *op = columns->left.op;
    columns->left.length -= count;
    if (*op == 'I') {
        memset(target, '-', (gsize)count);
    } else {
        cs_sequence_read(columns->records[0], columns->target, count, CS_STRAND_PLUS, target);
        columns->target += count;
    }
    if (*op == 'D') {
        memset(query, '-', (gsize)count);
    } else {
        cs_sequence_read(columns->records[1], columns->query, count, columns->strand, query);
        columns->query += count;
    }
    return count;
}
