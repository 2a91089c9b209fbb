/* Opens the GPUs of a search: see search_devices.h. */
#include "engines/engine_registry.h"
#include "search/search_devices.h"

enum {
    GPU_WORKERS =
        2, /* of a GPU, if there are several devices: one loads a chunk while it computes for
                      * the other */
};

gboolean
cs_search_devices_init(CsSearchDevices *devices, const char *text, GError **error)
{
    return cs_scorer_devices_init(&devices->which, text, error);
}

static gboolean
accepts(const CsQueries *queries)
{
    const CsScorerScoring scoring = cs_device_scoring(queries);
    return cs_engine_scorer()->accepts(&scoring);
}

gboolean
cs_search_devices_prepare(CsSearchDevices *devices, const CsQueries *queries)
{
    if (!cs_search_devices_has_gpu(devices) || accepts(queries))
        return TRUE;
    cs_scorer_devices_take_cpu(&devices->which);
    return FALSE;
}

gboolean
cs_search_devices_has_gpu(const CsSearchDevices *devices)
{
    return devices->which.gpus > 0;
}

guint
cs_search_devices_wanted(const CsSearchDevices *devices)
{
    const CsScorerDevices *which = &devices->which;
    return which->gpus + which->with_cpu > 1 ? GPU_WORKERS * which->gpus : which->gpus;
}

guint
cs_search_devices_workers(const CsSearchDevices *devices)
{
    return cs_search_devices_wanted(devices) + devices->which.with_cpu;
}

guint
cs_search_devices_threads(const CsSearchDevices *devices, guint worker, guint threads)
{
    const guint wanted = cs_search_devices_wanted(devices);
    return worker < wanted ? (threads + wanted - 1) / wanted : threads;
}

gboolean
cs_search_devices_open(CsSearchDevices *devices, const CsQueries *queries, GError **error)
{
    const guint wanted = cs_search_devices_wanted(devices);
    devices->of = g_new0(CsDeviceScores *, wanted);
    for (; devices->count < wanted; devices->count++) {
        const char *device =
            cs_scorer_devices_get(&devices->which, devices->count % devices->which.gpus);
        CsDeviceScores *scores = cs_device_scores_new(cs_engine_scorer(), device, queries, error);
        if (scores == NULL)
            return FALSE;
        devices->of[devices->count] = scores;
    }
    return TRUE;
}

void
cs_search_devices_settle(CsSearchDevices *devices, const CsQueries *queries, double cells,
                         guint threads)
{
    if (devices->settled || cs_engine_scorer() == NULL ||
        !cs_scorer_devices_may_take_gpu(&devices->which, cells, threads))
        return;
    devices->settled = TRUE;
    if (!accepts(queries))
        return;
    cs_scorer_devices_take_gpu(&devices->which);
    if (!cs_search_devices_open(devices, queries, NULL))
        cs_scorer_devices_take_cpu(&devices->which);
}

CsDeviceScores *
cs_search_devices_get(const CsSearchDevices *devices, guint worker)
{
    return worker < devices->count ? devices->of[worker] : NULL;
}

const char *
cs_search_devices_name(const CsSearchDevices *devices)
{
    return devices->count > 0
               ? cs_scorer_devices_name(&devices->which, cs_device_scores_name(devices->of[0]))
               : NULL;
}

void
cs_search_devices_clear(CsSearchDevices *devices)
{
    for (guint k = 0; k < devices->count; k++)
        cs_device_scores_free(devices->of[k]);
    g_clear_pointer(&devices->of, g_free);
    devices->count = 0;
}
