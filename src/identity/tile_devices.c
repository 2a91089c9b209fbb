/* Opens the GPUs of a process: see tile_devices.h. */
#include "engines/engine_registry.h"
#include "identity/tile_devices.h"

enum {
    GPU_THREADS = 4, /* for each GPU */
};

/* Few pairs have such an identity as a rule, so the CPU finds their columns. */
#define FEW_REACH 0.9

gboolean
cs_tile_devices_init(CsTileDevices *devices, const char *text, GError **error)
{
    CsScorerDevices *which = &devices->which;
    return cs_scorer_devices_init(which, text, error) &&
           (which->gpus == 0 || cs_device_choice_describe(&which->choice, 0, error) != NULL);
}

void
cs_tile_devices_settle(CsTileDevices *devices, const CsTileWork *work, guint threads)
{
    CsScorerDevices *which = &devices->which;
    if (cs_engine_global_scorer() == NULL || work->words != NULL ||
        !cs_scorer_devices_may_take_gpu(which, (double)work->tiles->cells, threads))
        return;
    g_autoptr(CsDeviceGlobal) there = cs_device_global_new(
        cs_engine_global_scorer(), which->choice.device, work->inputs, 0, FALSE, NULL);
    if (there != NULL)
        cs_scorer_devices_take_gpu(which);
}

guint
cs_tile_devices_wanted(const CsTileDevices *devices)
{
    return GPU_THREADS * devices->which.gpus;
}

guint
cs_tile_devices_threads(const CsTileDevices *devices, guint threads)
{
    return cs_tile_devices_wanted(devices) + (devices->which.with_cpu ? threads : 0);
}

gboolean
cs_tile_devices_open(CsTileDevices *devices, const CsTileWork *work, GError **error)
{
    const guint wanted = cs_tile_devices_wanted(devices);
    const gboolean columns =
        work->over == CS_IDENTITY_COLUMNS || work->least < FEW_REACH * CS_IDENTITY_UNIT;
    devices->of = g_new0(CsDeviceGlobal *, wanted);
    for (; devices->count < wanted; devices->count++) {
        CsDeviceGlobal *device = cs_device_global_new(
            cs_engine_global_scorer(),
            cs_scorer_devices_get(&devices->which, devices->count % devices->which.gpus),
            work->inputs, cs_tile_matching(work->inputs), columns, error);
        if (device == NULL)
            return FALSE;
        devices->of[devices->count] = device;
    }
    return TRUE;
}

CsDeviceGlobal *
cs_tile_devices_get(const CsTileDevices *devices, gint64 thread)
{
    return thread < devices->count ? devices->of[thread] : NULL;
}

const char *
cs_tile_devices_name(const CsTileDevices *devices)
{
    return devices->count > 0
               ? cs_scorer_devices_name(&devices->which, cs_device_global_name(devices->of[0]))
               : NULL;
}

void
cs_tile_devices_clear(CsTileDevices *devices)
{
    for (guint k = 0; k < devices->count; k++)
        cs_device_global_free(devices->of[k]);
    g_free(devices->of);
    devices->of = NULL;
    devices->count = 0;
}
