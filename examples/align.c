/* Aligns two FASTA files and prints each gap of the best alignment: where it is, and how long. */
#include <stdio.h>

#include <chromosweep/chromosweep.h>

static void
print_gaps(const CsAlignment *alignment)
{
    const CsAlignmentSummary *s = cs_alignment_get_summary(alignment);
    const gboolean minus = s->strand == CS_STRAND_MINUS;
    gint64 target = s->target_start - 1, query = minus ? s->query_end + 1 : s->query_start - 1;
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run)) {
        if (run.op == 'I' || run.op == 'D')
            printf("%" G_GINT64_FORMAT "%c after %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "\n",
                   run.length, run.op, target, query);
        target += run.op != 'I' ? run.length : 0;
        query += run.op == 'D' ? 0 : minus ? -run.length : run.length;
    }
}

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) target = NULL;
    g_autoptr(CsSequence) query = NULL;
    g_autoptr(CsAlignment) alignment = NULL;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.strand = CS_STRAND_BOTH;
    if (argc != 3) {
        fprintf(stderr, "Usage: %s TARGET.fa QUERY.fa\n", argv[0]);
        return 2;
    }
    if ((target = cs_sequence_load(argv[1], NULL, &error)) == NULL ||
        (query = cs_sequence_load(argv[2], NULL, &error)) == NULL ||
        !cs_align(target, query, &options, NULL, &alignment, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return error->code;
    }
    if (alignment != NULL)
        print_gaps(alignment);
    return 0;
}
