/* Buses: see the drawing in bus.h. */
#include <string.h>

#include <chromosweep/error.h>

#include "sweep/bus.h"
#include "system/memory.h"

CsBus *
cs_bus_new(gint64 length, CsWidth width, GError **error)
{
    CsBus *bus = g_new0(CsBus, 1);
    bus->length = length;
    bus->width = width;
    bus->h = cs_memory_try((gsize)MAX(length, 1), width);
    bus->gap = cs_memory_try((gsize)MAX(length, 1), width);
    if (bus->h == NULL || bus->gap == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for a bus of %" G_GINT64_FORMAT " cells of %d bytes", length,
                    2 * (int)width);
        cs_bus_free(bus);
        return NULL;
    }
    return bus;
}

void
cs_bus_free(CsBus *bus)
{
    if (bus == NULL)
        return;
    g_free(bus->h);
    g_free(bus->gap);
    g_free(bus);
}

/* In both, a first loop, which compilers vectorise, does if all values are scores of cells. */
void
cs_width_read(CsWidth width, const void *values, gint64 from, gint64 count, CsScore *scores)
{
    const gint32 *narrow = (const gint32 *)values + from;
    gint32 signs = 0;
    if (width == CS_WIDTH_64) {
        memcpy(scores, (const gint64 *)values + from, (gsize)count * sizeof *scores);
        return;
    }
    for (gint64 k = 0; k < count; k++) {
        signs |= narrow[k];
        scores[k] = narrow[k];
    }
    for (gint64 k = 0; signs < 0 && k < count; k++)
        scores[k] = cs_width_get(width, values, from + k);
}

void
cs_width_write(CsWidth width, void *values, gint64 from, gint64 count, const CsScore *scores)
{
    gint32 *narrow = (gint32 *)values + from;
    guint64 bits = 0;
    for (gint64 k = 0; width == CS_WIDTH_32 && k < count; k++) {
        bits |= (guint64)scores[k];
        narrow[k] = (gint32)scores[k];
    }
    if (width == CS_WIDTH_32 && bits < CS_SCORE_32_LIMIT)
        return;
    for (gint64 k = 0; k < count; k++)
        cs_width_set(width, values, from + k, scores[k]);
}

void
cs_bus_clear(CsBus *bus, gint64 from, gint64 count)
{
    const CsBus cells = cs_bus_slice(bus, from, count);
    memset(cells.h, 0, (gsize)count * cells.width);
    memset(cells.gap, 0, (gsize)count * cells.width);
}

void
cs_bus_copy(CsBus *to, gint64 to_from, const CsBus *from, gint64 from_from, gint64 count)
{
    g_assert(to_from >= 0 && to_from <= to->length - count);
    g_assert(from_from >= 0 && from_from <= from->length - count);
    if (to->width == from->width) {
        gsize bytes = (gsize)count * to->width;
        memmove(cs_width_at(to->width, to->h, to_from),
                cs_width_at(from->width, from->h, from_from), bytes);
        memmove(cs_width_at(to->width, to->gap, to_from),
                cs_width_at(from->width, from->gap, from_from), bytes);
        return;
    }
    for (gint64 k = 0; k < count; k++) {
        cs_width_set(to->width, to->h, to_from + k,
                     cs_width_get(from->width, from->h, from_from + k));
        cs_width_set(to->width, to->gap, to_from + k,
                     cs_width_get(from->width, from->gap, from_from + k));
    }
}

/* Of at least one value; written so that compilers vectorise it. */
static void
range_32(const gint32 *h, gint64 length, CsScore *highest, CsScore *lowest)
{
    gint32 high = h[0], low = h[0];
    for (gint64 k = 1; k < length; k++) {
        high = MAX(high, h[k]);
        low = MIN(low, h[k]);
    }
    *highest = cs_width_get(CS_WIDTH_32, &high, 0);
    *lowest = cs_width_get(CS_WIDTH_32, &low, 0);
}

void
cs_bus_range(const CsBus *bus, CsScore *highest, CsScore *lowest)
{
    if (bus->length > 0 && bus->width == CS_WIDTH_32) {
        range_32(bus->h, bus->length, highest, lowest);
        return;
    }
    *highest = *lowest = bus->length > 0 ? cs_width_get(bus->width, bus->h, 0) : 0;
    for (gint64 k = 1; k < bus->length; k++) {
        CsScore h = cs_width_get(bus->width, bus->h, k);
        *highest = MAX(*highest, h);
        *lowest = MIN(*lowest, h);
    }
}
