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
 * All n records of the query (CsMapRecord) in the order of the target. Each is placed on the record
 * of the target with which it has most aligned columns (the first of equal ones), at the median of
 * the middles of those alignments, weighted by columns. Ties keep the order of the file. Records
 * without alignments come last.
 */
GArray *cs_map_order_new(const GPtrArray *alignments, guint n);

#endif
