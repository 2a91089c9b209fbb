/* The strands of a query. */
#ifndef CHROMOSWEEP_STRAND_H
#define CHROMOSWEEP_STRAND_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsStrand:
 * @CS_STRAND_PLUS: the query as it is
 * @CS_STRAND_MINUS: its reverse complement
 * @CS_STRAND_BOTH: one sweep for each, plus first; the better strand gives the result, or plus if
 *   they are equal
 *
 * The strand of the query that the target is compared with. Starts and ends are positions on the
 * forward strands of both sequences, and start <= end. On minus the alignment reads the query from
 * its end down to its start.
 */
typedef enum {
    CS_STRAND_PLUS,
    CS_STRAND_MINUS,
    CS_STRAND_BOTH,
} CsStrand;

G_END_DECLS

#endif
