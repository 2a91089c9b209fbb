/* The devices of this machine, GPUs and the CPU, and whether they compute correctly. */
#ifndef CHROMOSWEEP_DEVICE_H
#define CHROMOSWEEP_DEVICE_H

#include <glib.h>

#include <chromosweep/export.h>

G_BEGIN_DECLS

/*
 * A text chooses a device:
 *
 *   auto        a GPU if one works and has enough memory for the problem, several of one model for
 *               one long pair, else the CPU; NULL is the same
 *   cpu         the CPU
 *   gpu         the first GPU that works
 *   gpu:INDEX   the GPU with this number, from 0
 *   gpu:UUID    the GPU with this UUID, as nvidia-smi prints it; its first characters are enough
 *   gpu:all     a ring of all GPUs that can be used; if there is one, it alone
 *   A,B,...     a ring: these devices, at most 64, share one comparison. Members on the CPU deal the
 *               threads among them; a GPU may be several members. Only for a comparison, its
 *               alignment and its plan
 *
 * The CUDA runtime honours CUDA_VISIBLE_DEVICES: a GPU that it hides does not exist here, and
 * indices count the others.
 */

/**
 * CsDevice:
 * @device: the text that chooses it, such as "gpu:0" or "cpu"
 * @engine: (transfer none): the engine that runs on it
 * @name: (nullable): name of the GPU, or the vector instructions that a CPU engine uses; %NULL if
 *   not known
 * @fault: (nullable): why it cannot be used; %NULL if it can
 * @automatic: whether "auto" tries it first; %FALSE if the list does not have all devices
 * @gpu: whether it is a GPU; if not, all following members are %NULL or 0
 * @index: its number, from 0
 * @uuid: (nullable): such as "GPU-5a8b..."; %NULL if not known
 * @capability_major: compute capability, before the point
 * @capability_minor: compute capability, after the point
 * @multiprocessors: number of streaming multiprocessors
 * @clock_mhz: their clock rate in MHz; 0 if not known
 * @memory_free: free memory in bytes; -1 if not known
 * @memory_total: all memory in bytes
 * @driver: the newest CUDA version that the driver supports, such as "13.0"
 * @runtime: version of the CUDA runtime in this build
 *
 * A GPU, or the CPU with one of its engines.
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
 * @devices: (array length=count): GPUs first, then the CPU once for each of its engines, best first
 * @count: number of devices
 * @no_gpu: (nullable): why the list has no GPU; %NULL if it has one, or none was asked for
 */
typedef struct {
    CsDevice *devices;
    guint count;
    char *no_gpu;
} CsDeviceList;

/**
 * cs_device_list_new:
 * @device: (nullable): "auto" or %NULL for all devices, "cpu", "gpu" for all GPUs, "gpu:INDEX" or
 *   "gpu:UUID"; no list
 * @error: CS_ERROR_USAGE if @device makes no sense, CS_ERROR_DEVICE if it names a GPU that does not
 *   exist
 *
 * With "auto" it is no error if there is no GPU, or none that can be used.
 *
 * Returns: (transfer full) (nullable): the devices, or %NULL with @error set
 */
CS_API CsDeviceList *cs_device_list_new(const char *device, GError **error);
CS_API void cs_device_list_free(CsDeviceList *list);

/**
 * cs_device_describe:
 * @device: (nullable): as above
 * @engine: (nullable): name of an engine; %NULL or "auto" is any
 * @error: CS_ERROR_USAGE if one of them makes no sense or they contradict each other,
 *   CS_ERROR_DEVICE if this machine does not have what they ask for
 *
 * Finds what a comparison with these options would run on, if there is enough memory.
 *
 * Returns: (transfer none) (nullable): what it would run on, such as the GPU's name or the vector
 *   instructions; %NULL with @error set
 */
CS_API const char *cs_device_describe(const char *device, const char *engine, GError **error);

/* A start of the GPU driver. */
typedef struct _CsDeviceStart CsDeviceStart;

/**
 * cs_device_start_new:
 * @device: (nullable): as above
 * @engine: (nullable): name of an engine; %NULL or "auto" is any
 *
 * Starts the driver of the GPUs that these may mean, on a thread of its own, so that the caller can do
 * other things meanwhile. Calls that need a GPU wait for the driver, and report its errors as usual.
 *
 * Returns: (transfer full) (nullable): the start, or %NULL if no GPU is meant
 */
CS_API CsDeviceStart *cs_device_start_new(const char *device, const char *engine);

/**
 * cs_device_start_free:
 * @start: (nullable) (transfer full): a start
 *
 * Waits until the driver has started or failed. Call it before the process ends.
 */
CS_API void cs_device_start_free(CsDeviceStart *start);

/**
 * cs_device_test:
 * @device: (nullable): as above
 * @engine: (nullable): name of an engine; %NULL or "auto" is the best on that device
 * @error: as in cs_device_describe(); also CS_ERROR_DEVICE if the device computes wrongly
 *
 * Computes a few problems with known answers. This takes a few seconds.
 *
 * Returns: whether the device computes correctly
 */
CS_API gboolean cs_device_test(const char *device, const char *engine, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsDeviceList, cs_device_list_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsDeviceStart, cs_device_start_free)

G_END_DECLS

#endif
