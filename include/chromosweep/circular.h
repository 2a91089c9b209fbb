/* Which records are circular. */
#ifndef CHROMOSWEEP_CIRCULAR_H
#define CHROMOSWEEP_CIRCULAR_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsCircular:
 * @CS_CIRCULAR_NONE: both are linear
 * @CS_CIRCULAR_TARGET: the target is circular
 * @CS_CIRCULAR_QUERY: the query is
 * @CS_CIRCULAR_BOTH: both are
 *
 * Which records are circular: their first base follows their last one.
 */
typedef enum {
    CS_CIRCULAR_NONE,
    CS_CIRCULAR_TARGET,
    CS_CIRCULAR_QUERY,
    CS_CIRCULAR_BOTH,
} CsCircular;

G_END_DECLS

#endif
