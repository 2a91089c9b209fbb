/*
 * Which lanes hold a pair of sequences that is aligned from end to end, and with which digits.
 *
 * Lanes need not hold the numbers of alignments, only differences of neighbouring cells
 * (global_lane_kernel.c). With linear gaps, one score for all matches and one for all other pairs, the
 * number p of pairs follows from the others, unless a mismatch scores the same as two gaps:
 *
 *     score = match * matches + other * (p - matches) - more * (rows + columns - 2 * p)
 */
#ifndef CS_GLOBAL_WAY_H
#define CS_GLOBAL_WAY_H

#include "identity/global_lanes.h"
#include "identity/global_long.h"
#include "identity/global_number.h"

enum {
    CS_GLOBAL_WIDTHS = 3,
    CS_GLOBAL_LONG_WIDTHS = 2,
};

struct _CsGlobalKernels {
    const CsGlobalLanes *of_bits[CS_GLOBAL_WIDTHS];
    const CsGlobalLongKernel *of_long_bits[CS_GLOBAL_LONG_WIDTHS];
};

/* What the records of a query have in common. */
typedef struct {
    const CsGlobalQuery *query;
    CsGlobalDigits digits;
    gboolean uniform;    /* there is one score for all matches, and one for all other pairs */
    gint64 match, other; /* if so: these */
} CsGlobalWay;

void cs_global_way_init(CsGlobalWay *way, const CsGlobalQuery *query);

/* The number of a pair of the query and a record of this length. */
CsGlobalNumber cs_global_way_number(const CsGlobalWay *way, gint64 length);

/* What opening a gap costs more than continuing it. */
CsWide cs_global_way_open(const CsGlobalWay *way, const CsGlobalNumber *number);

/* What a letter of the query (first) gains with one of a record, tilted, but at least `least`. */
void cs_global_way_gains(const CsGlobalWay *way, const CsGlobalNumber *number, gint64 least,
                         gint64 gains[CS_LETTERS_MAX][CS_LETTERS_MAX]);

/* The narrowest lanes that hold a record's numbers; CS_GLOBAL_WIDTHS if none do. */
guint cs_global_way_width(const CsGlobalWay *way, gint64 length);

/* The kernel with the narrowest lanes that hold a record that has all of them, for a path if wanted; NULL if
 * none do. */
const CsGlobalLongKernel *cs_global_way_long(const CsGlobalWay *way, gint64 length, gboolean path);

/* A table of gains for a CsGlobalLong. */
typedef union {
    gint32 of_32[CS_LETTERS_MAX][CS_LETTERS_MAX];
    gint64 of_64[CS_LETTERS_MAX][CS_LETTERS_MAX];
} CsGlobalLongGains;

/* Sets what pairs gain in a job with this kernel, whose query and record change places for a path. The table must
 * stay. */
void cs_global_way_fill(const CsGlobalWay *way, const CsGlobalNumber *number,
                        const CsGlobalLongKernel *kernel, gboolean path, CsGlobalLong *job,
                        CsGlobalLongGains *table);

/* What the tilted number of an alignment says. */
CsGlobalFound cs_global_way_found(const CsGlobalWay *way, const CsGlobalNumber *number,
                                  gint64 length, CsWide tilted);

#endif
