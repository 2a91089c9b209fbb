/*
 * The global alignment of one pair with all lanes of a vector, for records that are too long or too few
 * to fill the lanes of global_lanes.h: anti-diagonal by anti-diagonal. It has one number for matches and
 * one for all other pairs. global_long_kernel.c is compiled once for each instruction set and width.
 */
#ifndef CS_GLOBAL_LONG_H
#define CS_GLOBAL_LONG_H

#include "identity/global_number.h"

enum {
    CS_GLOBAL_LONG_ROWS = 4, /* of a lane */
};

/* Numbers are tilted as in global_lanes.h. */
typedef struct {
    const guint8 *query, *record;
    gint64 rows, columns;
    guint32 matching;
    gint64 match, other; /* what pairs gain, tilted, at least -2 * open */
    gint64 open;
    const gint *stop; /* if it becomes nonzero, nothing is found */
    /* u and s of the row computed last (global_lane_kernel.c), of each column */
    gint64 *u, *s;
} CsGlobalLong;

typedef struct {
    int bits, lanes;
    /* Computes as many rows as fill the lanes a number of times, from the first on. Returns how many. */
    gint64 (*compute)(CsGlobalLong *job);
} CsGlobalLongKernel;

extern const CsGlobalLongKernel cs_global_long_avx512_32, cs_global_long_avx512_64;
extern const CsGlobalLongKernel cs_global_long_avx2_32, cs_global_long_avx2_64;
extern const CsGlobalLongKernel cs_global_long_128_32;

/* Whether lanes of so many bits hold the numbers; see global_lane_kernel.c. */
static inline gboolean
cs_global_long_holds(int bits, CsWide highest, CsWide open)
{
    const CsWide half = (CsWide)1 << (bits - 1);
    return 3 * open <= half && MAX(highest, 0) + open < half;
}

/* Finds the number of the best alignment, tilted. FALSE if there is not enough memory. */
gboolean cs_global_long(const CsGlobalLongKernel *kernel, CsGlobalLong *job, CsWide *found);

#endif
