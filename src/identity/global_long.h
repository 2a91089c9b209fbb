/*
 * The global alignment of one pair with all lanes of a vector, and many threads, for records that are
 * too long or too few to fill the lanes of global_lanes.h: anti-diagonal by anti-diagonal.
 * global_long_kernel.c is compiled once for each instruction set and width.
 *
 *      columns  ------------------------------>
 *      strip 0  ############################...     one thread each; a strip follows the one above it,
 *      strip 1  ################...                 which leaves u and s of its last row
 *      strip 2  ####...
 *
 * For a path, each cell also carries where the best path to it leaves the row above strip `middle`: twice
 * the column, and 1 if in a gap along the rows. Each cell takes the direction that global_plain.c takes with
 * its record along the rows.
 *
 * A path needs only the cells on some diagonals, and each strip computes the columns that these
 * visit. Before them and behind them, as at the borders, stand gaps from the nearest cell of the row above the
 * strip. So all numbers are those of alignments, and none is too high.
 */
#ifndef CS_GLOBAL_LONG_H
#define CS_GLOBAL_LONG_H

#include <pthread.h>

#include "identity/global_number.h"

enum {
    CS_GLOBAL_LONG_ROWS = 4, /* of a lane */
};

/* Numbers are tilted as in global_lanes.h. */
typedef struct {
    const guint8 *query, *record;
    gint64 rows, columns;
    guint32 matching;
    gint64 match, other; /* what pairs gain, tilted, at least -2 * open, less 1 for a path */
    /* Instead of these (nullable): of letters of query and record, as numbers of the lanes' width. */
    const void *gains;
    gint64 open;
    gboolean from_gap;       /* the alignment begins within a gap along the rows */
    gint64 lowest, highest;  /* diagonals to compute: row - column */
    gint64 middle;           /* strip */
    const gint *stop;        /* if it becomes nonzero, nothing is found */
    gint64 *u, *s;           /* of each column, of the row computed last (global_lane_kernel.c) */
    gint64 *h_from, *s_from; /* (nullable): likewise, where the paths come from */
    /* Of cs_global_long(). */
    CsGlobalSweep *sweep; /* (nullable): which a stop does not break off before it is saved */
    gint64 strip_rows, strips, next;
    gint64 saved;             /* of them, the sweep has */
    gboolean pauses;          /* no strip is begun */
    gint64 *under_way, added; /* of CsGlobalQuery, and what this job has added */
    gint64 *done;             /* of each strip: columns before this one are computed */
    pthread_mutex_t mutex;
    pthread_cond_t more; /* is done */
} CsGlobalLong;

typedef struct {
    int bits, lanes;
    void (*compute)(CsGlobalLong *job, gint64 strip);
} CsGlobalLongKernel;

extern const CsGlobalLongKernel cs_global_long_avx512_32, cs_global_long_avx512_64;
extern const CsGlobalLongKernel cs_global_long_avx2_32, cs_global_long_avx2_64;
extern const CsGlobalLongKernel cs_global_long_128_32, cs_global_long_128_64;

/* Whether lanes of so many bits hold the numbers; see global_lane_kernel.c. */
static inline gboolean
cs_global_long_holds(int bits, CsWide highest, CsWide open)
{
    const CsWide half = (CsWide)1 << (bits - 1);
    return 3 * open <= half && MAX(highest, 0) + open < half;
}

/*
 * Whether they also hold where a path comes from. Point 2 of the proof there stays true although the gap beside
 * one along the rows may begin anew, as a strip begins with a later column than the one above it: if T(i, j)
 * comes by such a gap from a pair, which left (r, j-1), it is at most T(r, j-1) + g - o, and two gaps lead from
 * there to (i, j-1), which cost 2 * o. If it comes from a gap along the columns, it is at most T(r, j-1) - o.
 */
static inline gboolean
cs_global_long_traces(int bits, gint64 letters)
{
    return 2 * letters + 1 < ((CsWide)1 << (bits - 1));
}

/* The first column of the strip that begins with this row, and the one behind the last of the strip that
 * ends before this row. */
static inline gint64
cs_global_long_begin(const CsGlobalLong *job, gint64 row)
{
    return CLAMP(row - job->highest, 0, job->columns - 1);
}

static inline gint64
cs_global_long_end(const CsGlobalLong *job, gint64 row)
{
    return CLAMP(row - job->lowest, 1, job->columns);
}

/* For the kernels. Waits until the strip above this one has computed so many columns, or ends; FALSE: the job is
 * stopped. Tells that this one has. */
gboolean cs_global_long_wait(CsGlobalLong *job, gint64 strip, gint64 columns);
void cs_global_long_tell(CsGlobalLong *job, gint64 strip, gint64 columns);

/* Computes all strips, with the help of the query's team if that takes long enough; those that the job's sweep has done
 * are left out. u and s are those of the last row then, h_from and s_from likewise. FALSE if there is not enough
 * memory. */
gboolean cs_global_long(const CsGlobalLongKernel *kernel, CsGlobalLong *job,
                        const CsGlobalQuery *query);

#endif
