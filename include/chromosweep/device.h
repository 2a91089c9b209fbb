/* What can compute here: GPUs and the CPU, and whether they compute rightly. */
#ifndef CHROMOSWEEP_DEVICE_H
#define CHROMOSWEEP_DEVICE_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/*
 * A device is asked for by a text:
 *
 *   auto        a GPU if one works and takes the problem, else the CPU; so is NULL
 *   cpu         the CPU
 *   gpu         the first GPU that works
 *   gpu:INDEX   the GPU of this number, from 0
 *   gpu:UUID    the GPU of this UUID, as nvidia-smi prints it; its first characters are enough
 *
 * The CUDA runtime itself honours CUDA_VISIBLE_DEVICES: what it hides is not there, and indices
 * count what it leaves.
 */

/**
 * CsDevice:
 * @device: the text that asks for it, such as "gpu:0" or "cpu"
 * @engine: (transfer none): the engine that runs on it
 * @name: of the GPU, or the vector instructions that a CPU engine runs on; %NULL when not known
 * @fault: why it cannot be used; %NULL when it can
 * @automatic: whether "auto" takes it first; %FALSE in a list of less than all
 * @gpu: whether it is a GPU; the members that follow are for these alone, else %NULL and 0
 * @index: its number, from 0
 * @uuid: such as "GPU-5a8b...", %NULL when not known
 * @capability_major: compute capability
 * @capability_minor: likewise
 * @multiprocessors: streaming multiprocessors
 * @clock_mhz: of these; 0 when not known
 * @memory_free: bytes; -1 when not known
 * @memory_total: bytes
 * @driver: the newest CUDA version that the driver serves, such as "13.0"
 * @runtime: the version of the CUDA runtime in this build
 */
typedef struct {
    char *device;
    const char *engine;
    char *name;
    char *fault;
    gboolean automatic;
    gboolean gpu;
    guint index;
    char *uuid;
    guint capability_major;
    guint capability_minor;
    guint multiprocessors;
    guint clock_mhz;
    gint64 memory_free;
    gint64 memory_total;
    char *driver;
    char *runtime;
} CsDevice;

/**
 * CsDeviceList:
 * @devices: GPUs first, then the CPU once for each of its engines, best first
 * @count: of them
 * @no_gpu: why there is no GPU among them; %NULL when there is one or none was asked for
 */
typedef struct {
    CsDevice *devices;
    guint count;
    char *no_gpu;
} CsDeviceList;

/**
 * cs_device_list_new:
 * @device: (nullable): which: "auto" for all, "cpu", "gpu" for all GPUs, "gpu:INDEX", "gpu:UUID"
 * @error: CS_ERROR_USAGE when @device makes no sense, CS_ERROR_DEVICE when it asks for a GPU that
 *   is not there
 *
 * That there is no GPU, or none that can be used, is no error of "auto".
 *
 * Returns: (transfer full) (nullable): the devices, or %NULL with @error set
 */
CS_API CsDeviceList *cs_device_list_new(const char *device, GError **error);
CS_API void cs_device_list_free(CsDeviceList *list);

/**
 * cs_device_describe:
 * @device: (nullable): as above
 * @engine: (nullable): an engine's name; %NULL or "auto" is any
 * @error: CS_ERROR_USAGE when one of them makes no sense or they contradict each other,
 *   CS_ERROR_DEVICE when what they ask for is not to be had here
 *
 * Whether a comparison with these would find something to run on, problems that do not fit aside.
 *
 * Returns: (transfer none) (nullable): one phrase on what it runs on, such as the GPU's name or the
 *   vector instructions picked; %NULL with @error set
 */
CS_API const char *cs_device_describe(const char *device, const char *engine, GError **error);

/**
 * cs_device_test:
 * @device: (nullable): as above
 * @engine: (nullable): an engine's name; %NULL or "auto" is the best on that device
 * @error: as of cs_device_describe(), and CS_ERROR_DEVICE when the device computes wrongly
 *
 * Computes a few problems whose answers are known, which takes a few seconds.
 *
 * Returns: whether the device computes rightly
 */
CS_API gboolean cs_device_test(const char *device, const char *engine, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsDeviceList, cs_device_list_free)

G_END_DECLS

#endif
