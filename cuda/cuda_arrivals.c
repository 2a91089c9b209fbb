/* What enters a GPU from others, on its way to the device. */
#include <string.h>

#include "cuda/cuda_arrivals.h"
#include "cuda/cuda_device.h"

enum {
    ROOM = 1 << 16, /* cells at first */
};

/* Columns from + 1 .. from + count, whose cells begin at a place of the pinned memory. */
typedef struct {
    gint64 from, count;
    gsize at;
} Stretch;

static gboolean
allocate(gpointer *pinned, gsize bytes, GError **error)
{
    return cs_cuda_check(cudaHostAlloc(pinned, bytes, 0), "allocating host memory", error);
}

gboolean
cs_cuda_arrivals_init(CsCudaArrivals *arrivals, GError **error)
{
    arrivals->stretches = g_array_new(FALSE, FALSE, sizeof(Stretch));
    arrivals->room = ROOM;
    return allocate((gpointer *)&arrivals->cells, ROOM * sizeof(CsKernelCell), error) &&
           allocate((gpointer *)&arrivals->known, sizeof(gint32), error);
}

void
cs_cuda_arrivals_clear(CsCudaArrivals *arrivals)
{
    (void)cudaFreeHost(arrivals->cells);
    (void)cudaFreeHost(arrivals->known);
    if (arrivals->stretches != NULL)
        g_array_free(arrivals->stretches, TRUE);
}

static gboolean
make_room(CsCudaArrivals *arrivals, gsize count, GError **error)
{
    CsKernelCell *cells;
    gsize room = arrivals->room;
    if (count <= room)
        return TRUE;
    while (room < count)
        room *= 2;
    if (!allocate((gpointer *)&cells, room * sizeof *cells, error))
        return FALSE;
    memcpy(cells, arrivals->cells, arrivals->count * sizeof *cells);
    (void)cudaFreeHost(arrivals->cells);
    arrivals->cells = cells;
    arrivals->room = room;
    return TRUE;
}

gboolean
cs_cuda_arrivals_add(CsCudaArrivals *arrivals, gint64 from, gint64 count, const CsKernelCell *cells,
                     GError **error)
{
    GArray *stretches = arrivals->stretches;
    Stretch *last =
        stretches->len > 0 ? &g_array_index(stretches, Stretch, stretches->len - 1) : NULL;
    if (!make_room(arrivals, arrivals->count + (gsize)count, error))
        return FALSE;
    if (last != NULL && last->from + last->count == from)
        last->count += count;
    else
        g_array_append_val(stretches, ((Stretch){from, count, arrivals->count}));
    memcpy(arrivals->cells + arrivals->count, cells, (gsize)count * sizeof *cells);
    arrivals->count += (gsize)count;
    return TRUE;
}

/*
 * The score replaces what the device knows, which may be a little higher, from launches that are not
 * over. Either is the score of an alignment, so this costs at most a little time.
 */
gboolean
cs_cuda_arrivals_enter(CsCudaArrivals *arrivals, CsRun *run, gint32 known, GError **error)
{
    for (guint k = 0; k < arrivals->stretches->len; k++) {
        const Stretch *stretch = &g_array_index(arrivals->stretches, Stretch, k);
        if (!cs_cuda_memory_upload(&run->memory, run->launch.bus + stretch->from,
                                   arrivals->cells + stretch->at,
                                   (gsize)stretch->count * sizeof(CsKernelCell), error))
            return FALSE;
    }
    g_array_set_size(arrivals->stretches, 0);
    arrivals->count = 0;
    if (known <= cs_cuda_run_known(run))
        return TRUE;
    *arrivals->known = known;
    return cs_cuda_memory_upload(&run->memory, run->launch.best_score, arrivals->known,
                                 sizeof *arrivals->known, error);
}
