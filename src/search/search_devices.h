/*
 * What a process searches with: threads of the CPU, a GPU that finds the scores, or several devices, on
 * each of which workers search chunks (search_worker.h). A worker of a GPU has a scorer of its own.
 */
#ifndef CS_SEARCH_DEVICES_H
#define CS_SEARCH_DEVICES_H

#include "ranks/scorer_devices.h"
#include "search/device_scores.h"

/* Zeroes before. */
typedef struct {
    CsScorerDevices which;
    gboolean settled;    /* `auto` is */
    CsDeviceScores **of; /* of the workers for GPUs, which come first */
    guint count;         /* how many of these are open */
} CsSearchDevices;

/* What was asked for. Fails as cs_search() does. The text must outlive it. */
gboolean cs_search_devices_init(CsSearchDevices *devices, const char *text, GError **error);

/* FALSE if there must be GPUs, but the scoring is not for them: then the CPU searches. */
gboolean cs_search_devices_prepare(CsSearchDevices *devices, const CsQueries *queries);

/* Whether GPUs find scores. */
gboolean cs_search_devices_has_gpu(const CsSearchDevices *devices);

/* How many workers there are, and how many of them for GPUs. */
guint cs_search_devices_workers(const CsSearchDevices *devices);
guint cs_search_devices_wanted(const CsSearchDevices *devices);

/* The threads of a worker, where the CPU has so many. */
guint cs_search_devices_threads(const CsSearchDevices *devices, guint worker, guint threads);

/* Opens the GPUs. */
gboolean cs_search_devices_open(CsSearchDevices *devices, const CsQueries *queries, GError **error);

/* Before a chunk, with the cells up to its end: `auto` opens a GPU if the search turns out to be long. */
void cs_search_devices_settle(CsSearchDevices *devices, const CsQueries *queries, double cells,
                              guint threads);

/* The GPU of a worker; NULL: the CPU. */
CsDeviceScores *cs_search_devices_get(const CsSearchDevices *devices, guint worker);

/* The GPUs, as in CsSearchSummary; NULL: none is open. Lives as long as the process. */
const char *cs_search_devices_name(const CsSearchDevices *devices);

void cs_search_devices_clear(CsSearchDevices *devices);

#endif
