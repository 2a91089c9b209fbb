/* The strands of a query. */
#ifndef CHROMOSWEEP_STRAND_H
#define CHROMOSWEEP_STRAND_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsStrand:
 * @CS_STRAND_PLUS: the query as it is
 * @CS_STRAND_MINUS: its reverse complement
 * @CS_STRAND_BOTH: one sweep for each, plus first; the result is that of the better one, or of plus
 *   if they are equal
 *
 * What the target is compared with. Ends are positions on the forward strands of both, so that on
 * minus the query's end, the last base of the alignment as it is read, is its smallest position.
 */
typedef enum {
    CS_STRAND_PLUS,
    CS_STRAND_MINUS,
    CS_STRAND_BOTH,
} CsStrand;

G_END_DECLS

#endif
