/*
 * search_subject QUERIES.fa DATABASE.fa FOLDER
 *
 * A search in small chunks that saves its state after each of them, for tests that kill it. Prints the
 * hits. The exit status is that of the error.
 */
#include <stdio.h>

#include <chromosweep/error.h>
#include <chromosweep/search.h>

static gboolean
print_hits(const CsSearchSummary *summary, const CsSearchHit *hits, gint64 count, gpointer data)
{
    for (gint64 k = 0; k < count; k++)
        printf("%s %s %d %d %d %d %d %g %s\n", hits[k].query, hits[k].target, (int)hits[k].score,
               (int)hits[k].query_start, (int)hits[k].query_end, (int)hits[k].target_start,
               (int)hits[k].target_end, hits[k].evalue, hits[k].cigar);
    return TRUE;
}

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    if (argc != 4)
        return CS_ERROR_USAGE;
    options.checkpoint = argv[3];
    options.checkpoint_interval = 0;
    options.chunk = 100000;
    options.threads = 2;
    options.number = 20;
    options.align = TRUE;
    options.hits = print_hits;
    g_autoptr(CsSearch) search = cs_search(argv[1], argv[2], &options, &error);
    if (search != NULL)
        return fflush(stdout) == 0 ? 0 : CS_ERROR_FAILED;
    fprintf(stderr, "%s\n", error->message);
    return error->domain == CS_ERROR ? error->code : CS_ERROR_FAILED;
}
