/* Opens the GPU of a process: see tile_devices.h. */
#include <chromosweep/error.h>

#include "engines/engine_registry.h"
#include "identity/tile_devices.h"
#include "ranks/dealt.h"

/* Of pairs with such an identity there are few as a rule, so the CPU finds their columns. */
#define FEW_REACH 0.9

gboolean
cs_tile_devices_init(CsTileDevices *devices, const char *text, GError **error)
{
    CsDeviceChoice *choice = &devices->choice;
    if (!cs_device_choice_init(choice, text, NULL, error))
        return FALSE;
    if (choice->n_members > 0) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "identities are computed on one device, not on '%s'", text);
        return FALSE;
    }
    if (choice->kind != CS_DEVICE_GPU)
        return TRUE;
    cs_dealt_take_gpu(choice);
    return cs_device_choice_describe(choice, 0, error) != NULL;
}

guint
cs_tile_devices_wanted(const CsTileDevices *devices, guint threads)
{
    return devices->choice.kind == CS_DEVICE_GPU ? MIN(threads, CS_TILE_DEVICES) : 0;
}

gboolean
cs_tile_devices_open(CsTileDevices *devices, const CsTileWork *work, guint threads, GError **error)
{
    const gboolean columns =
        work->over == CS_IDENTITY_COLUMNS || work->least < FEW_REACH * CS_IDENTITY_UNIT;
    for (; devices->count < cs_tile_devices_wanted(devices, threads); devices->count++) {
        CsDeviceGlobal *device =
            cs_device_global_new(cs_engine_global_scorer(), devices->choice.device, work->inputs,
                                 cs_tile_matching(work->inputs), columns, error);
        if (device == NULL)
            return FALSE;
        devices->of[devices->count] = device;
    }
    return TRUE;
}

void
cs_tile_devices_clear(CsTileDevices *devices)
{
    for (guint k = 0; k < devices->count; k++)
        cs_device_global_free(devices->of[k]);
    devices->count = 0;
}
