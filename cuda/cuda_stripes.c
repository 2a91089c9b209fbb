/* Lays queries into two halves: see cuda_stripes.h. */
#include <string.h>

#include "cuda/cuda_stripes.h"
#include "cuda/tape.h"

G_STATIC_ASSERT(CS_STRIPE_QUERY *CS_SCORER_SEQUENCES <= 256);

/* A query in its half. */
typedef struct {
    gint64 first, end; /* stripes */
    gint64 begin;      /* row of its first letter, from that of its first stripe on */
} Place;

/* The next query, behind a stripe. */
static Place
place_query(gint64 behind, gint64 length, gint64 rows, gint64 lanes)
{
    Place place = {.first = behind};
    if (place.first > 0 && place.first % lanes == 0)
        place.first++;
    place.begin = place.first > 0;
    place.end = place.first + (place.begin + length + rows - 1) / rows;
    return place;
}

void
cs_cuda_stripes_init(CsCudaStripes *stripes, const CsScorerSequence *queries, guint count)
{
    gint64 letters[2] = {0, 0};
    *stripes = (CsCudaStripes){.queries = queries, .count = count};
    for (guint k = 0; k < count; k++) {
        stripes->half[k] = letters[1] < letters[0];
        letters[stripes->half[k]] += queries[k].length;
    }
}

gint64
cs_cuda_stripes_count(const CsCudaStripes *stripes, gint64 rows, gint64 lanes)
{
    gint64 ends[2] = {0, 0};
    for (guint k = 0; k < stripes->count; k++) {
        gint64 *end = &ends[stripes->half[k]];
        if (lanes == 1 && *end > 0)
            return 0;
        *end = place_query(*end, stripes->queries[k].length, rows, lanes).end;
    }
    return MAX(ends[0], ends[1]);
}

static void
lay_query(const CsCudaStripes *stripes, guint number, const Place *place, gint64 rows, gint64 lanes,
          guint8 *letters, guint8 *marks)
{
    memcpy(letters + place->first * rows + place->begin, stripes->queries[number].letters,
           (gsize)stripes->queries[number].length);
    for (gint64 stripe = place->first; stripe < place->end; stripe++) {
        guint mark = number * CS_STRIPE_QUERY;
        if (stripe == place->first && stripe > 0)
            mark |= CS_STRIPE_BEGINS;
        if (stripe + 1 == place->end || (stripe + 1) % lanes == 0)
            mark |= CS_STRIPE_STORES;
        if (stripe / lanes > place->first / lanes)
            mark |= CS_STRIPE_TAKES;
        marks[stripe] = (guint8)mark;
    }
}

void
cs_cuda_stripes_lay(const CsCudaStripes *stripes, guint half, gint64 rows, gint64 lanes,
                    gint64 count, guint8 *to)
{
    guint8 *marks = to + count * rows;
    gint64 behind = 0;
    memset(to, CS_LETTER_NONE, (gsize)(count * rows));
    memset(marks, 0, (gsize)count + CS_CUDA_STRIPES_PAD);
    for (guint k = 0; k < stripes->count; k++) {
        if (stripes->half[k] != half)
            continue;
        const Place place = place_query(behind, stripes->queries[k].length, rows, lanes);
        lay_query(stripes, k, &place, rows, lanes, to, marks);
        behind = place.end;
    }
}
