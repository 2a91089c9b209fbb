/* What computes with scorers: see scorer_devices.h. */
#include "ranks/dealt.h"
#include "ranks/scorer_devices.h"

/* Cells that a thread computes in about a second, the time until a GPU is ready. */
#define AUTO_CELLS ((double)(G_GINT64_CONSTANT(1) << 35))

gboolean
cs_scorer_devices_init(CsScorerDevices *devices, const char *text, GError **error)
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
    return TRUE;
}

gboolean
cs_scorer_devices_may_take_gpu(const CsScorerDevices *devices, double cells, guint threads)
{
    return devices->choice.kind == CS_DEVICE_AUTO && cells >= AUTO_CELLS * threads;
}

void
cs_scorer_devices_take_gpu(CsScorerDevices *devices)
{
    devices->gpus = 1;
    devices->with_cpu = FALSE;
}

void
cs_scorer_devices_take_cpu(CsScorerDevices *devices)
{
    devices->gpus = 0;
    devices->with_cpu = TRUE;
}

const char *
cs_scorer_devices_get(const CsScorerDevices *devices, guint k)
{
    const CsDeviceChoice *choice = &devices->choice;
    return choice->n_members > 0 ? choice->members[k].device : choice->device;
}

const char *
cs_scorer_devices_name(const CsScorerDevices *devices, const char *first)
{
    if (devices->gpus == 1)
        return first;
    g_autofree char *text = g_strdup_printf("%u GPUs, the first %s", devices->gpus, first);
    return g_intern_string(text);
}
