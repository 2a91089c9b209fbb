/*
 * Global alignments of one query with many records on vectors: each lane of a vector computes a record
 * of its own, and takes the next one when that ends. global_lane_kernel.c is compiled once for each
 * instruction set and width of the lanes.
 */
#ifndef CS_GLOBAL_LANES_H
#define CS_GLOBAL_LANES_H

#include "search/lane_kernel.h"

/*
 * Numbers are tilted: `more` is added for each letter, so that all but the first letter of a gap
 * cost nothing, and the first one costs `open`.
 */
typedef struct {
    const guint8 *query;
    gint64 rows;
    /* What a letter of the query (first) gains with a letter of a record, tilted by 2 * more, but at
     * least -2 * open, which two gaps gain. Those with CS_LETTER_NONE are -2 * open. */
    const gint64 (*gains)[CS_LETTERS_MAX];
    gint64 open; /* first - more; 0: gaps are linear */
    const CsLaneRecord *records;
    gint64 count;
    gint64 *found;    /* of each record: the number of the best alignment, tilted */
    const gint *stop; /* if it becomes nonzero, nothing is found */
    gpointer scratch; /* cs_global_lanes_scratch() bytes, aligned to CS_LANE_VECTOR_MAX */
} CsGlobalJob;

typedef struct {
    int bits, lanes;
    void (*find)(CsGlobalJob *job);
} CsGlobalLanes;

static inline gsize
cs_global_lanes_scratch(gint64 rows)
{
    return cs_lane_scratch(rows);
}

/*
 * Whether lanes of so many bits hold all numbers, if no gain is above `highest`. global_lane_kernel.c
 * has the proof.
 */
static inline gboolean
cs_global_lanes_hold(int bits, gint64 highest, gint64 open)
{
    const gint64 half = (gint64)1 << (bits - 1);
    return open == 0 ? highest < 2 * half : 3 * open <= half && MAX(highest, 0) + open < half;
}

/* For each instruction set: lanes of 8, 16 and 32 bits. */
extern const CsGlobalLanes cs_global_avx512_8, cs_global_avx512_16, cs_global_avx512_32;
extern const CsGlobalLanes cs_global_avx2_8, cs_global_avx2_16, cs_global_avx2_32;
extern const CsGlobalLanes cs_global_128_8, cs_global_128_16, cs_global_128_32;

#endif
