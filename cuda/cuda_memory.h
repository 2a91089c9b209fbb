/*
 * What a sweep keeps on a device: memory that lives as long as the sweep, copies to and from it in
 * the order of one stream, and sequences and buses in the form that the kernels read.
 *
 * Every failure is CS_ERROR_DEVICE.
 */
#ifndef CS_CUDA_MEMORY_H
#define CS_CUDA_MEMORY_H

#include "cuda/sweep_kernel.h"
#include "sequence/view.h"
#include "sweep/bus.h"

typedef struct {
    cudaStream_t stream;
    GPtrArray *blocks; /* device memory, freed at the end */
} CsCudaMemory;

/* Makes the stream. Must be cleared even if this fails. */
gboolean cs_cuda_memory_init(CsCudaMemory *memory, GError **error);

/* Frees everything. Nothing may be queued any more. */
void cs_cuda_memory_clear(CsCudaMemory *memory);

/* Bytes of device memory, all zero. */
gpointer cs_cuda_memory_allocate(CsCudaMemory *memory, gsize bytes, GError **error);

/* Sets bytes of device memory. Asynchronous. */
gboolean cs_cuda_memory_fill(CsCudaMemory *memory, void *device, int value, gsize bytes,
                             GError **error);

/*
 * Copies to the device, asynchronously. Pageable memory is staged before the call returns, so the
 * source may then change.
 */
gboolean cs_cuda_memory_upload(CsCudaMemory *memory, void *device, const void *host, gsize bytes,
                               GError **error);

/* Allocates device memory and uploads to it. */
gpointer cs_cuda_memory_place(CsCudaMemory *memory, const void *host, gsize bytes, GError **error);

/* Copy from the device: fetch() asynchronously to pinned memory, download() waits. */
gboolean cs_cuda_memory_fetch(CsCudaMemory *memory, void *pinned, const void *device, gsize bytes,
                              GError **error);
gboolean cs_cuda_memory_download(CsCudaMemory *memory, void *host, const void *device, gsize bytes,
                                 GError **error);

/* Copies on the device. Asynchronous. */
gboolean cs_cuda_memory_copy(CsCudaMemory *memory, void *to, const void *from, gsize bytes,
                             GError **error);

/* Makes a texture of a sequence, 4 bits per base, which the caller destroys. */
gboolean cs_cuda_memory_upload_codes(CsCudaMemory *memory, const CsView *view,
                                     cudaTextureObject_t *texture, GError **error);

/* Cell k + 1 of a bus in the kernels' form. */
CsKernelCell cs_cuda_memory_cell(const CsBus *bus, gint64 k);

/* Copies the kernels' cells into a bus, from cell to + 1 on. */
void cs_cuda_memory_put_cells(CsBus *bus, gint64 to, const CsKernelCell *cells, gint64 count);

gboolean cs_cuda_memory_upload_bus(CsCudaMemory *memory, CsKernelCell *device, const CsBus *bus,
                                   GError **error);

/* Downloads cells into a bus, where they begin at cell to + 1. */
gboolean cs_cuda_memory_download_bus(CsCudaMemory *memory, CsBus *bus, gint64 to,
                                     const CsKernelCell *device, gint64 count, GError **error);

#endif
