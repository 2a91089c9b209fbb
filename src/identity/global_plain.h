/*
 * The plain recurrence of global alignments, one cell after the other: for what no lanes hold, and for
 * paths.
 */
#ifndef CS_GLOBAL_PLAIN_H
#define CS_GLOBAL_PLAIN_H

#include "identity/global_pairs.h"

/* As cs_global_pairs(), of one record. All three numbers are found. */
gboolean cs_global_plain(const CsGlobalQuery *query, const CsLaneRecord *record,
                         CsGlobalFound *found);

#endif
