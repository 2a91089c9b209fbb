/*
 * The numbers of pairs from a GPU. The columns of a tile are loaded, and stay for the next tile that has
 * the same ones.
 */
#ifndef CS_DEVICE_GLOBAL_H
#define CS_DEVICE_GLOBAL_H

#include "identity/tiles.h"
#include "scores/global_class.h"

typedef struct _CsDeviceGlobal CsDeviceGlobal;

/* Opens a device, as CsGlobalScorerClass. The inputs must outlive it. It is for one thread at a time.
 * columns: whether they are wanted even where they take more time. */
CsDeviceGlobal *cs_device_global_new(const CsGlobalScorerClass *scorer, const char *device,
                                     const CsIdentityInputs *inputs, guint32 matching,
                                     gboolean columns, GError **error);

/* The device, such as "NVIDIA H200"; lives as long as the process. */
const char *cs_device_global_name(const CsDeviceGlobal *device);

/*
 * The numbers of a row of a tile, by columns from tile->column_begin on; those before the row's first
 * column are not set. Not all may be known (CsGlobalNumbers). They stay until the next call. NULL: failed.
 */
const CsGlobalNumbers *cs_device_global_row(CsDeviceGlobal *device, const CsIdentityTiles *tiles,
                                            const CsIdentityTile *tile, gint64 row, GError **error);

void cs_device_global_free(CsDeviceGlobal *device);

/* The bytes that it needs for the tiles of a run. */
gint64 cs_device_global_bytes(const CsIdentityTiles *tiles);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsDeviceGlobal, cs_device_global_free)

#endif
