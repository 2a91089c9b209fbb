/*
 * The GPUs as the CUDA runtime shows them (it honours CUDA_VISIBLE_DEVICES): which there are, which
 * one a text means, and why one cannot be used.
 */
#ifndef CS_CUDA_DEVICE_H
#define CS_CUDA_DEVICE_H

#include <cuda_runtime_api.h>
#include <glib.h>

/* Whether a CUDA call succeeded. Otherwise sets CS_ERROR_DEVICE, "<what>: <reason> (<code>)". */
gboolean cs_cuda_check(cudaError_t code, const char *what, GError **error);

/*
 * Makes a GPU the current one of this thread, with its context: the GPU with this index or UUID (a
 * unique beginning is enough), or for NULL the first that works. Fails with CS_ERROR_DEVICE and the
 * reason in words: no driver, no such GPU, too old, busy.
 */
gboolean cs_cuda_device_open(const char *device, int *ordinal, GError **error);

/* Its name, which lives as long as the process. */
const char *cs_cuda_device_name(int ordinal, GError **error);

/* What the layout of a sweep depends on. */
typedef struct {
    int multiprocessors;
    int shared_block;          /* bytes of shared memory that a block may have */
    int shared_multiprocessor; /* and all blocks of a multiprocessor together */
    gint64 memory;             /* of the device, in bytes; 0: unknown */
} CsCudaSize;

/* The size of a device; that of a small one if it cannot be found out. */
CsCudaSize cs_cuda_device_size(int ordinal);

/* Whether this many bytes are free on the current device. */
gboolean cs_cuda_device_has_room(gint64 bytes, GError **error);

/* cs_engine_list_gpus(); asking for its free memory leaves a context on each. */
gboolean cs_cuda_device_list(const char *device, GArray *devices, GError **error);

#endif
