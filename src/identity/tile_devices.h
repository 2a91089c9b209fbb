/* The GPU on which a process computes tiles, if it is asked for: a scorer for each of some threads. While
 * one takes what its scorer has found, the GPU computes for another. */
#ifndef CS_TILE_DEVICES_H
#define CS_TILE_DEVICES_H

#include "engines/device.h"
#include "identity/tile_pairs.h"

#define CS_TILE_DEVICES 4

/* Zeroes before. */
typedef struct {
    CsDeviceChoice choice;
    CsDeviceGlobal *of[CS_TILE_DEVICES]; /* by threads; NULL: the CPU computes */
    guint count;
} CsTileDevices;

/* What was asked for. Processes of one machine that may take any GPU take them in turn. Fails as
 * cs_identity() does, also if a GPU must be there and none is. The text must outlive it. */
gboolean cs_tile_devices_init(CsTileDevices *devices, const char *text, GError **error);

/* How many there will be, for so many threads. */
guint cs_tile_devices_wanted(const CsTileDevices *devices, guint threads);

/* Opens them. */
gboolean cs_tile_devices_open(CsTileDevices *devices, const CsTileWork *work, guint threads,
                              GError **error);

void cs_tile_devices_clear(CsTileDevices *devices);

#endif
