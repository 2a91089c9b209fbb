/*
 * What a process computes tiles with: threads of the CPU, or some threads for each GPU, or both. A thread of
 * a GPU has a scorer of its own. While one takes what its scorer has found, the GPU computes for
 * another.
 */
#ifndef CS_TILE_DEVICES_H
#define CS_TILE_DEVICES_H

#include "identity/tile_pairs.h"
#include "ranks/scorer_devices.h"

/* Zeroes before. */
typedef struct {
    CsScorerDevices which;
    CsDeviceGlobal **of; /* of the threads for GPUs, which come first */
    guint count;         /* how many these are */
} CsTileDevices;

/*
 * What was asked for. Processes of one machine that may take any GPU take them in turn. Fails as
 * cs_identity() does, also if a GPU must be there and none is. The text must outlive it.
 */
gboolean cs_tile_devices_init(CsTileDevices *devices, const char *text, GError **error);

/* Decides whether `auto` takes a GPU: if one works and threads of the CPU would need long. */
void cs_tile_devices_settle(CsTileDevices *devices, const CsTileWork *work, guint threads);

/* How many threads compute, and how many of these for GPUs, if the CPU has so many. */
guint cs_tile_devices_threads(const CsTileDevices *devices, guint threads);
guint cs_tile_devices_wanted(const CsTileDevices *devices);

/* Opens the GPUs. */
gboolean cs_tile_devices_open(CsTileDevices *devices, const CsTileWork *work, GError **error);

/* The GPU of a thread; NULL: the CPU. */
CsDeviceGlobal *cs_tile_devices_get(const CsTileDevices *devices, gint64 thread);

/* The GPUs, as in CsIdentitySummary; NULL: there are none. Lives as long as the process. */
const char *cs_tile_devices_name(const CsTileDevices *devices);

void cs_tile_devices_clear(CsTileDevices *devices);

#endif
