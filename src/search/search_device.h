/* Whether a GPU finds the scores of a search, and which one. */
#ifndef CS_SEARCH_DEVICE_H
#define CS_SEARCH_DEVICE_H

#include "engines/device.h"
#include "search/search_chunk.h"

typedef struct {
    CsDeviceChoice choice;
    gboolean settled; /* it is decided whether a GPU searches */
    gboolean wanted;  /* it does */
} CsSearchDevice;

/* What was asked for. Processes of one machine that may take any GPU take them in turn. Fails as
 * cs_search() does. */
gboolean cs_search_device_init(CsSearchDevice *device, const char *text, GError **error);

/* Decides if a GPU must be there. FALSE if one must, but the scoring is not for GPUs. */
gboolean cs_search_device_prepare(CsSearchDevice *device, const CsQueries *queries);

/* Opens the GPU for the search. */
gboolean cs_search_device_open(const CsSearchDevice *device, CsChunkSearch *search, GError **error);

/* Before a chunk of so many letters: a GPU that may be there is opened when the search turns out to be
 * long. */
void cs_search_device_settle(CsSearchDevice *device, CsChunkSearch *search, gsize letters);

#endif
