/*
 * A bus: what blocks hand to each other across a border of the matrix (CUDAlign paper, section 3).
 *
 *        column  1 2 3 4 ...              horizontal bus: H and F of each column of one row,
 *               +-+-+-+-+                 read by the block below
 *   row 1       |H|H|H|H|   top
 *               |F|F|F|F|                 vertical bus: H and E of each row of one column,
 *          +--+ +-+-+-+-+ +--+            read by the block to the right
 *        1 |HE| |       | |HE|
 *        2 |HE| | block | |HE|            The corner, H of the cell left of a top border and above
 *        3 |HE| |       | |HE|            a left border, belongs to neither.
 *          +--+ +-+-+-+-+ +--+
 *          left |H|H|H|H| right
 *               |F|F|F|F| bottom
 *
 * A cell of a bus holds H and the value of the gap that runs across the border: F on a horizontal
 * bus, E on a vertical one. H is never below zero, so a gap value below zero carries no
 * information. What leaves a block has zero instead.
 */
#ifndef CS_BUS_H
#define CS_BUS_H

#include "sweep/types.h"

/* How wide a stored score is, in bytes. */
typedef enum {
    CS_WIDTH_32 = 4, /* only for scores in the range below */
    CS_WIDTH_64 = 8,
} CsWidth;

/*
 * The 32-bit range: scores lie strictly between -CS_SCORE_32_LIMIT, which stands for minus
 * infinity, and CS_SCORE_32_LIMIT, and costs are below CS_COST_32_LIMIT. One cost subtracted from
 * minus infinity, or a match added to the highest score, then still fits an int32_t.
 */
#define CS_SCORE_32_LIMIT (G_GINT64_CONSTANT(1) << 30)
#define CS_COST_32_LIMIT (G_GINT64_CONSTANT(1) << 27)

typedef struct {
    gint64 length;
    CsWidth width;
    void *h;   /* length of them, int32_t or gint64 by width */
    void *gap; /* F or E, likewise */
} CsBus;

/* A bus of `length` cells, all zero. Fails with CS_ERROR_DEVICE if there is not enough memory. */
CsBus *cs_bus_new(gint64 length, CsWidth width, GError **error);
void cs_bus_free(CsBus *bus);

/* Cell k of `values`, the h or gap of a bus. */
static inline CsScore
cs_width_get(CsWidth width, const void *values, gint64 k)
{
    if (width == CS_WIDTH_64)
        return ((const gint64 *)values)[k];
    CsScore score = ((const gint32 *)values)[k];
    return score > -CS_SCORE_32_LIMIT ? score : CS_SCORE_NONE;
}

/* Stores a score; one at or below minus infinity is stored as minus infinity. */
static inline void
cs_width_set(CsWidth width, void *values, gint64 k, CsScore score)
{
    if (width == CS_WIDTH_32) {
        g_assert(score < CS_SCORE_32_LIMIT);
        ((gint32 *)values)[k] = (gint32)MAX(score, -CS_SCORE_32_LIMIT);
    } else {
        ((gint64 *)values)[k] = MAX(score, CS_SCORE_NONE);
    }
}

static inline void *
cs_width_at(CsWidth width, void *values, gint64 k)
{
    return (char *)values + k * (gint64)width;
}

/* A bus that shares cells from + 1 .. from + count of this one: no copy, nothing to free. */
static inline CsBus
cs_bus_slice(const CsBus *bus, gint64 from, gint64 count)
{
    g_assert(from >= 0 && count >= 0 && from <= bus->length - count);
    return (CsBus){count, bus->width, cs_width_at(bus->width, bus->h, from),
                   cs_width_at(bus->width, bus->gap, from)};
}

/* Copies count values from `values`, the h or gap of a bus, after the first `from` ones. */
void cs_width_read(CsWidth width, const void *values, gint64 from, gint64 count, CsScore *scores);

/* The other way round. */
void cs_width_write(CsWidth width, void *values, gint64 from, gint64 count, const CsScore *scores);

/* Makes count cells zero. */
void cs_bus_clear(CsBus *bus, gint64 from, gint64 count);

/* Copies count cells; the widths may differ. */
void cs_bus_copy(CsBus *to, gint64 to_from, const CsBus *from, gint64 from_from, gint64 count);

/* The highest and lowest H of a bus; both 0 for an empty one. */
void cs_bus_range(const CsBus *bus, CsScore *highest, CsScore *lowest);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsBus, cs_bus_free)

#endif
