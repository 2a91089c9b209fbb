/* Chooses and opens the GPU of a search: see search_device.h. */
#include <chromosweep/error.h>

#include "engines/engine_registry.h"
#include "ranks/dealt.h"
#include "search/search_device.h"

/* Cells that a thread computes in about a second: so long it takes until a GPU is ready. */
#define AUTO_CELLS ((double)(G_GINT64_CONSTANT(1) << 35))

gboolean
cs_search_device_init(CsSearchDevice *device, const char *text, GError **error)
{
    CsDeviceChoice *choice = &device->choice;
    if (!cs_device_choice_init(choice, text, NULL, error))
        return FALSE;
    device->settled = choice->kind == CS_DEVICE_CPU || cs_engine_scorer() == NULL;
    if (choice->n_members == 0) {
        cs_dealt_take_gpu(choice);
        return TRUE;
    }
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "a search runs on one device, not on '%s'", text);
    return FALSE;
}

static gboolean
accepts(const CsQueries *queries)
{
    const CsScorerScoring scoring = cs_device_scoring(queries);
    return cs_engine_scorer()->accepts(&scoring);
}

gboolean
cs_search_device_prepare(CsSearchDevice *device, const CsQueries *queries)
{
    if (device->choice.kind != CS_DEVICE_GPU)
        return TRUE;
    device->settled = TRUE;
    device->wanted = accepts(queries);
    return device->wanted;
}

gboolean
cs_search_device_open(const CsSearchDevice *device, CsChunkSearch *search, GError **error)
{
    search->device =
        cs_device_scores_new(cs_engine_scorer(), device->choice.device, search->queries, error);
    return search->device != NULL;
}

void
cs_search_device_settle(CsSearchDevice *device, CsChunkSearch *search, gsize letters)
{
    const CsQueries *queries = search->queries;
    const double strands = queries->strand == CS_STRAND_BOTH ? 2 : 1;
    const double cells =
        (double)search->cells + strands * (double)queries->letter_count * (double)letters;
    if (device->settled || cells < AUTO_CELLS * search->threads)
        return;
    device->settled = TRUE;
    device->wanted = accepts(queries) && cs_search_device_open(device, search, NULL);
}
