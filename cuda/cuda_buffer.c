#include <cuda_runtime_api.h>

#include "cuda/cuda_buffer.h"
#include "cuda/cuda_device.h"

void
cs_cuda_buffer_clear(CsCudaBuffer *buffer)
{
    if (buffer->start != NULL)
        (void)(buffer->pinned ? cudaFreeHost(buffer->start) : cudaFree(buffer->start));
    buffer->start = NULL;
    buffer->bytes = 0;
}

gboolean
cs_cuda_buffer_reserve(CsCudaBuffer *buffer, gsize bytes, GError **error)
{
    if (bytes <= buffer->bytes)
        return TRUE;
    cs_cuda_buffer_clear(buffer);
    const gsize more = bytes + bytes / 8 + 256;
    const cudaError_t code =
        buffer->pinned ? cudaHostAlloc(&buffer->start, more, 0) : cudaMalloc(&buffer->start, more);
    if (!cs_cuda_check(code,
                       buffer->pinned ? "allocating pinned memory" : "allocating device memory",
                       error)) {
        buffer->start = NULL;
        return FALSE;
    }
    buffer->bytes = more;
    return TRUE;
}
