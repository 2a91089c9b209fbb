/*
 * The devices of a process that compares many records with scorers (scores/): threads of the CPU, some
 * GPUs, or both.
 */
#ifndef CS_SCORER_DEVICES_H
#define CS_SCORER_DEVICES_H

#include "engines/device.h"

/* Zeroes before. */
typedef struct {
    CsDeviceChoice choice;
    guint gpus;        /* that were chosen; 0: the CPU alone computes, or `auto` is not settled */
    gboolean with_cpu; /* whether threads of the CPU compute, too */
} CsScorerDevices;

/*
 * What was asked for. Processes of one machine that may take any GPU take them in turn. Fails as
 * cs_device_choice_init() does. The text must outlive it.
 */
gboolean cs_scorer_devices_init(CsScorerDevices *devices, const char *text, GError **error);

/* Whether `auto` should try a GPU: threads of the CPU would need longer for these cells than a GPU needs
 * to be ready. */
gboolean cs_scorer_devices_may_take_gpu(const CsScorerDevices *devices, double cells,
                                        guint threads);

/* `auto` takes one. */
void cs_scorer_devices_take_gpu(CsScorerDevices *devices);

/* The CPU alone computes. */
void cs_scorer_devices_take_cpu(CsScorerDevices *devices);

/* The k-th GPU, as in CsEngineOptions. */
const char *cs_scorer_devices_get(const CsScorerDevices *devices, guint k);

/* All GPUs in words, given the name of the first. Lives as long as the process. */
const char *cs_scorer_devices_name(const CsScorerDevices *devices, const char *first);

#endif
