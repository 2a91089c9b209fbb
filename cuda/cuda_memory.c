/* Device memory of a sweep, and copies to and from it. */
#include <string.h>

#include "cuda/cuda_device.h"
#include "cuda/cuda_memory.h"
#include "sweep/grid.h"

enum {
    PACK = 1 << 20, /* bases or cells packed at a time; a multiple of CS_CODES */
};

gboolean
cs_cuda_memory_init(CsCudaMemory *memory, GError **error)
{
    *memory = (CsCudaMemory){.blocks = g_ptr_array_new()};
    return cs_cuda_check(cudaStreamCreateWithFlags(&memory->stream, cudaStreamNonBlocking),
                         "creating a stream", error);
}

void
cs_cuda_memory_clear(CsCudaMemory *memory)
{
    for (guint k = 0; k < memory->blocks->len; k++)
        (void)cudaFree(g_ptr_array_index(memory->blocks, k));
    g_ptr_array_free(memory->blocks, TRUE);
    if (memory->stream != NULL)
        (void)cudaStreamDestroy(memory->stream);
}

gboolean
cs_cuda_memory_fill(CsCudaMemory *memory, void *device, int value, gsize bytes, GError **error)
{
    return cs_cuda_check(cudaMemsetAsync(device, value, bytes, memory->stream), "clearing memory",
                         error);
}

gpointer
cs_cuda_memory_allocate(CsCudaMemory *memory, gsize bytes, GError **error)
{
    void *block;
    if (!cs_cuda_check(cudaMalloc(&block, MAX(bytes, 16)), "allocating device memory", error))
        return NULL;
    g_ptr_array_add(memory->blocks, block);
    return cs_cuda_memory_fill(memory, block, 0, MAX(bytes, 16), error) ? block : NULL;
}

gboolean
cs_cuda_memory_upload(CsCudaMemory *memory, void *device, const void *host, gsize bytes,
                      GError **error)
{
    return cs_cuda_check(
        cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, memory->stream),
        "copying to the device", error);
}

gpointer
cs_cuda_memory_place(CsCudaMemory *memory, const void *host, gsize bytes, GError **error)
{
    gpointer device = cs_cuda_memory_allocate(memory, bytes, error);
    return device != NULL && cs_cuda_memory_upload(memory, device, host, bytes, error) ? device
                                                                                       : NULL;
}

gboolean
cs_cuda_memory_fetch(CsCudaMemory *memory, void *pinned, const void *device, gsize bytes,
                     GError **error)
{
    return cs_cuda_check(
        cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, memory->stream),
        "copying from the device", error);
}

gboolean
cs_cuda_memory_download(CsCudaMemory *memory, void *host, const void *device, gsize bytes,
                        GError **error)
{
    return cs_cuda_memory_fetch(memory, host, device, bytes, error) &&
           cs_cuda_check(cudaStreamSynchronize(memory->stream), "running on the device", error);
}

gboolean
cs_cuda_memory_copy(CsCudaMemory *memory, void *to, const void *from, gsize bytes, GError **error)
{
    return cs_cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, memory->stream),
                         "copying on the device", error);
}

gboolean
cs_cuda_memory_upload_codes(CsCudaMemory *memory, const CsView *view, cudaTextureObject_t *texture,
                            GError **error)
{
    gsize texels = (gsize)cs_divide_up(view->length, CS_CODES);
    guint32 *device = cs_cuda_memory_allocate(memory, texels * sizeof(guint32), error);
    if (device == NULL)
        return FALSE;
    g_autofree guint8 *codes = g_malloc(PACK);
    g_autofree guint32 *packed = g_malloc(PACK / CS_CODES * sizeof(guint32));
    for (gint64 from = 0; from < view->length; from += PACK) {
        gint64 count = MIN(PACK, view->length - from);
        CsView part = cs_view_slice(view, from, count);
        cs_view_read(&part, CS_ROW_AMBIGUOUS, codes);
        memset(codes + count, CS_CODE_AMBIGUOUS, (gsize)(PACK - count));
        gsize words = (gsize)cs_divide_up(count, CS_CODES);
        for (gsize word = 0; word < words; word++) {
            guint32 bits = 0;
            for (guint k = 0; k < CS_CODES; k++)
                bits |= (guint32)codes[word * CS_CODES + k] << 4 * k;
            packed[word] = bits;
        }
        if (!cs_cuda_memory_upload(memory, device + from / CS_CODES, packed,
                                   words * sizeof(guint32), error))
            return FALSE;
    }
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    resource.res.linear.sizeInBytes = MAX(texels * sizeof(guint32), 16);
    struct cudaTextureDesc description = {.readMode = cudaReadModeElementType};
    return cs_cuda_check(cudaCreateTextureObject(texture, &resource, &description, NULL),
                         "creating a texture of the sequence", error);
}

CsKernelCell
cs_cuda_memory_cell(const CsBus *bus, gint64 k)
{
    CsKernelCell cell;
    cs_width_set(CS_WIDTH_32, &cell.h, 0, cs_width_get(bus->width, bus->h, k));
    cs_width_set(CS_WIDTH_32, &cell.gap, 0, cs_width_get(bus->width, bus->gap, k));
    return cell;
}

void
cs_cuda_memory_put_cells(CsBus *bus, gint64 to, const CsKernelCell *cells, gint64 count)
{
    for (gint64 k = 0; k < count; k++) {
        cs_width_set(bus->width, bus->h, to + k, cs_width_get(CS_WIDTH_32, &cells[k].h, 0));
        cs_width_set(bus->width, bus->gap, to + k, cs_width_get(CS_WIDTH_32, &cells[k].gap, 0));
    }
}

gboolean
cs_cuda_memory_upload_bus(CsCudaMemory *memory, CsKernelCell *device, const CsBus *bus,
                          GError **error)
{
    g_autofree CsKernelCell *cells = g_new(CsKernelCell, PACK);
    for (gint64 from = 0; from < bus->length; from += PACK) {
        gint64 count = MIN(PACK, bus->length - from);
        for (gint64 k = 0; k < count; k++)
            cells[k] = cs_cuda_memory_cell(bus, from + k);
        if (!cs_cuda_memory_upload(memory, device + from, cells, (gsize)count * sizeof *cells,
                                   error))
            return FALSE;
    }
    return TRUE;
}

gboolean
cs_cuda_memory_download_bus(CsCudaMemory *memory, CsBus *bus, gint64 to, const CsKernelCell *device,
                            gint64 count, GError **error)
{
    g_autofree CsKernelCell *cells = g_new(CsKernelCell, MIN(PACK, count) + 1);
    for (gint64 from = 0; from < count; from += PACK) {
        gint64 some = MIN(PACK, count - from);
        if (!cs_cuda_memory_download(memory, cells, device + from, (gsize)some * sizeof *cells,
                                     error))
            return FALSE;
        cs_cuda_memory_put_cells(bus, to + from, cells, some);
    }
    return TRUE;
}
