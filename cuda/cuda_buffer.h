/* Memory of the device or pinned memory that grows. */
#ifndef CS_CUDA_BUFFER_H
#define CS_CUDA_BUFFER_H

#include <glib.h>

typedef struct {
    void *start;
    gsize bytes;
    gboolean pinned;
} CsCudaBuffer;

/* Makes room for so many bytes. What was there is lost. */
gboolean cs_cuda_buffer_reserve(CsCudaBuffer *buffer, gsize bytes, GError **error);

void cs_cuda_buffer_clear(CsCudaBuffer *buffer);

#endif
