/*
 * The GPUs as the CUDA runtime shows them, which honours CUDA_VISIBLE_DEVICES: which there are,
 * which one is meant, and why one cannot be used.
 */
#ifndef CS_CUDA_DEVICE_H
#define CS_CUDA_DEVICE_H

#include <cuda_runtime_api.h>
#include <glib.h>

/* Whether a call succeeded; else sets CS_ERROR_DEVICE, "<what>: <in words> (<name of the code>)".
 */
gboolean cs_cuda_check(cudaError_t code, const char *what, GError **error);

/*
 * Makes the GPU of this index or UUID (or of what only its UUID begins with), for NULL the first
 * that works, the current one of this thread, context included. Fails with CS_ERROR_DEVICE and the
 * reason in words: no driver, no such GPU, too old, busy.
 */
gboolean cs_cuda_device_open(const char *device, int *ordinal, GError **error);

/* Its name, which lives as long as the process. */
const char *cs_cuda_device_name(int ordinal, GError **error);

/* What of a device matters to a sweep's layout. */
typedef struct {
    int multiprocessors;
    int shared_block;          /* bytes of shared memory that a block may have */
    int shared_multiprocessor; /* and all blocks of a multiprocessor together */
    gint64 memory;             /* of the device, in bytes; 0: unknown */
} CsCudaSize;

/* The size of a device; of a small one where it cannot be asked for. */
CsCudaSize cs_cuda_device_size(int ordinal);

/* Whether so many bytes are free on the current device. */
gboolean cs_cuda_device_has_room(gint64 bytes, GError **error);

/* cs_engine_list_gpus(); asking for its free memory leaves a context on each. */
gboolean cs_cuda_device_list(const char *device, GArray *devices, GError **error);

#endif
