/*
 * identity_subject FILE.fa FOLDER THREADS
 *
 * All pairs of a file in small tiles, each of which is saved at once, as is each step of the longer pairs, for tests
 * that kill it. Prints
 * the pairs. The exit status is that of the error. Several processes under mpirun share the pairs.
 */
#include <stdio.h>
#include <stdlib.h>

#include <chromosweep/error.h>
#include <chromosweep/ranks.h>

#include "identity/identity_run.h"

static gboolean
print_pairs(const CsIdentitySummary *summary, const CsIdentityPair *pairs, gint64 count,
            gpointer data)
{
    (void)data;
    for (gint64 k = 0; k < count; k++)
        printf("%s %s %d %d %d %s\n", summary->first[pairs[k].first].name,
               summary->second[pairs[k].second].name, (int)pairs[k].score, (int)pairs[k].matches,
               (int)pairs[k].columns, pairs[k].cigar);
    return TRUE;
}

static int
run(char **argv, GError **error)
{
    CsIdentityOptions options = CS_IDENTITY_OPTIONS_INIT;
    const CsIdentityTuning tuning = {.tile_cells = 1 << 17, .part_cells = 1 << 16};
    options.checkpoint = argv[2];
    options.checkpoint_interval = 0;
    options.threads = (guint)atoi(argv[3]);
    options.min_identity = 0.3;
    options.align = TRUE;
    options.pairs = print_pairs;
    g_autoptr(CsIdentity) identity = cs_identity_run(argv[1], NULL, &options, &tuning, error);
    if (identity != NULL)
        return fflush(stdout) == 0 ? 0 : CS_ERROR_FAILED;
    return (*error)->domain == CS_ERROR ? (*error)->code : CS_ERROR_FAILED;
}

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    guint rank;
    if (argc != 4)
        return CS_ERROR_USAGE;
    const guint size = cs_ranks_start(argv[1], &rank, &error);
    if (rank > 0) {
        if (size > 0)
            cs_ranks_serve();
        return 0;
    }
    const int status = size > 0 ? run(argv, &error) : CS_ERROR_DEVICE;
    if (error != NULL)
        fprintf(stderr, "%s\n", error->message);
    cs_ranks_end();
    return status;
}
