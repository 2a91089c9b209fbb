/*
 * An alignment as UCSC's chain, or a chain for each piece, which liftOver takes: blocks of pairs, and after each but the last
 * the unpaired bases of both sides. A chain lifts positions of its first sequence, whose strand is
 * always plus, to its second: the target to the query, or the other way round if it is swapped. The
 * coordinates of a sequence on minus count from its other end.
 */
#include "formats/alignment_format.h"
#include "formats/names.h"

/* Pairs, then unpaired bases of the target and the query. */
typedef struct {
    gint64 pairs, target, query;
} Block;

static GArray *
make_blocks(const CsAlignment *alignment)
{
    GArray *blocks = g_array_new(FALSE, FALSE, sizeof(Block));
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    Block block = {0};
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run)) {
        if (run.op == 'D') {
            block.target += run.length;
        } else if (run.op == 'I') {
            block.query += run.length;
        } else {
            if (block.target + block.query > 0) {
                g_array_append_val(blocks, block);
                block = (Block){0};
            }
            block.pairs += run.length;
        }
    }
    g_array_append_val(blocks, block);
    return blocks;
}

/* One side of the header, from `start` to `end` on the forward strand, counted from 1. */
static void
append_side(GString *text, const CsSequence *sequence, CsStrand strand, gint64 start, gint64 end)
{
    const gint64 length = cs_sequence_get_record_length(sequence);
    const gboolean minus = strand == CS_STRAND_MINUS;
    g_string_append_printf(text,
                           " %s %" G_GINT64_FORMAT " %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                           cs_sequence_get_name(sequence), length, cs_names_strand(strand),
                           minus ? length - end : start - 1, minus ? length - start + 1 : end);
}

static void
append_header(GString *text, const CsAlignmentForm *form, const CsAlignmentStory *story, guint k)
{
    const CsAlignment *part = cs_alignment_format_part(story, k);
    const CsAlignmentSummary *s = cs_alignment_get_summary(part);
    const CsSequence *target = cs_alignment_format_record(story, part, 0);
    const CsSequence *query = cs_alignment_format_record(story, part, 1);
    g_string_append_printf(text, "chain %" G_GINT64_FORMAT, s->score);
    if (form->swapped)
        append_side(text, query, CS_STRAND_PLUS, s->query_start, s->query_end);
    append_side(text, target, form->swapped ? s->strand : CS_STRAND_PLUS, s->target_start,
                s->target_end);
    if (!form->swapped)
        append_side(text, query, s->strand, s->query_start, s->query_end);
    g_string_append_printf(text, " %u\n", k + 1);
}

static void
append_chain(GString *text, const CsAlignmentForm *form, const CsAlignmentStory *story, guint part)
{
    const CsAlignment *alignment = cs_alignment_format_part(story, part);
    g_autoptr(GArray) blocks = make_blocks(alignment);
    /* Along the query's forward strand the blocks of an alignment on minus are in reverse order. */
    const gboolean back =
        form->swapped && cs_alignment_get_summary(alignment)->strand == CS_STRAND_MINUS;
    append_header(text, form, story, part);
    for (guint k = 0; k + 1 < blocks->len; k++) {
        const Block *block = &g_array_index(blocks, Block, back ? blocks->len - 1 - k : k);
        const Block *gap = &g_array_index(blocks, Block, back ? blocks->len - 2 - k : k);
        g_string_append_printf(text,
                               "%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\n",
                               block->pairs, form->swapped ? gap->query : gap->target,
                               form->swapped ? gap->target : gap->query);
    }
    const Block *last = &g_array_index(blocks, Block, back ? 0 : blocks->len - 1);
    g_string_append_printf(text, "%" G_GINT64_FORMAT "\n\n", last->pairs);
}

char *
cs_alignment_chain(const CsAlignmentForm *form, const CsAlignmentStory *story)
{
    GString *text = g_string_new(NULL);
    for (guint k = 0; k < cs_alignment_format_parts(story); k++)
        append_chain(text, form, story, k);
    return g_string_free(text, FALSE);
}
