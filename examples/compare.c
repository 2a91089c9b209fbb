/* Compares two FASTA files: the score of the best local alignment, and where it starts and ends. */
#include <stdio.h>

#include <chromosweep/chromosweep.h>

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) target = NULL;
    g_autoptr(CsSequence) query = NULL;
    CsCompareResult result;
    if (argc != 3) {
        fprintf(stderr, "Usage: %s TARGET.fa QUERY.fa\n", argv[0]);
        return 2;
    }
    if ((target = cs_sequence_load(argv[1], NULL, &error)) == NULL ||
        (query = cs_sequence_load(argv[2], NULL, &error)) == NULL ||
        !cs_compare(target, query, NULL, &result, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return error->code;
    }
    if (result.score == 0) {
        printf("0, no alignment\n");
        return 0;
    }
    printf("%" G_GINT64_FORMAT ": %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT " in the target, "
           "%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT " in the query\n",
           result.score, result.target_start, result.target_end, result.query_start,
           result.query_end);
    return 0;
}
