/* Opens the GPUs of a process: see tile_devices.h. */
#include <chromosweep/error.h>

#include "engines/engine_registry.h"
#include "identity/tile_devices.h"
#include "ranks/dealt.h"

enum {
    GPU_THREADS = 4, /* for each GPU */
};

/* Of pairs with such an identity there are few as a rule, so the CPU finds their columns. */
#define FEW_REACH 0.9

/* Cells that a thread computes in about a second: so long it takes until a GPU is ready. */
#define AUTO_CELLS ((double)(G_GINT64_CONSTANT(1) << 35))

gboolean
cs_tile_devices_init(CsTileDevices *devices, const char *text, GError **error)
{
    CsDeviceChoice *choice = &devices->choice;
    if (!cs_device_choice_init(choice, text, NULL, error))
        return FALSE;
    for (guint k = 0; k < choice->n_members; k++)
        devices->gpus += choice->members[k].engine->gpu;
    if (choice->n_members == 0) {
        cs_dealt_take_gpu(choice);
        devices->gpus = choice->kind == CS_DEVICE_GPU;
    }
    devices->with_cpu = devices->gpus == 0 || choice->n_members > devices->gpus;
    return devices->gpus == 0 || cs_device_choice_describe(choice, 0, error) != NULL;
}

void
cs_tile_devices_settle(CsTileDevices *devices, const CsTileWork *work, guint threads)
{
    CsDeviceChoice *choice = &devices->choice;
    if (choice->kind != CS_DEVICE_AUTO || cs_engine_global_scorer() == NULL ||
        (double)work->tiles->cells < AUTO_CELLS * threads || work->words != NULL)
        return;
    g_autoptr(CsDeviceGlobal) there = cs_device_global_new(
        cs_engine_global_scorer(), choice->device, work->inputs, 0, FALSE, NULL);
    if (there == NULL)
        return;
    devices->gpus = 1;
    devices->with_cpu = FALSE;
}

guint
cs_tile_devices_wanted(const CsTileDevices *devices)
{
    return GPU_THREADS * devices->gpus;
}

guint
cs_tile_devices_threads(const CsTileDevices *devices, guint threads)
{
    return cs_tile_devices_wanted(devices) + (devices->with_cpu ? threads : 0);
}

/* Of the k-th GPU that was chosen. */
static const char *
device_of(const CsTileDevices *devices, guint k)
{
    const CsDeviceChoice *choice = &devices->choice;
    return choice->n_members > 0 ? choice->members[k].device : choice->device;
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
            cs_engine_global_scorer(), device_of(devices, devices->count % devices->gpus),
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
    if (devices->count == 0)
        return NULL;
    const char *first = cs_device_global_name(devices->of[0]);
    if (devices->gpus == 1)
        return first;
    g_autofree char *text = g_strdup_printf("%u GPUs, the first %s", devices->gpus, first);
    return g_intern_string(text);
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
