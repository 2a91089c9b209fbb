/* The order of the records of a query in a plot of whole assemblies, and which way round they lie. */
#ifndef CS_MAP_ORDER_H
#define CS_MAP_ORDER_H

#include <chromosweep/align.h>

typedef struct {
    guint place;     /* among the records of the query, as their file has them */
    gboolean minus;  /* most of it is aligned on minus */
    gboolean placed; /* it has an alignment */
} CsMapRecord;

/*
 * All n records of the query (CsMapRecord) in the order of the target. Each lies where its alignments
 * with one record of the target are: the one with which they have most columns, the first of equal
 * ones. There the median of their middles counts, weighted by columns. Of equal ones the first in
 * the file goes first; those without alignments follow.
 */
GArray *cs_map_order_new(const GPtrArray *alignments, guint n);

#endif
