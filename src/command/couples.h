/* The pairs of a run: every record against every record, or a chosen list. */
#ifndef CS_COUPLES_H
#define CS_COUPLES_H

#include <chromosweep/compare.h>

#include "command/pair.h"

/* Initialise with zeroes. */
typedef struct {
    GPtrArray *records[2]; /* CsSequence: targets, queries */
    GArray *list;          /* in the order of the rows */
} CsCouples;

/*
 * Loads the records and makes the pairs, of the list in that file or, where it is NULL, of all that
 * the pair's names and regions leave. Tells of each record what there is to tell.
 */
gboolean cs_couples_load(CsCouples *couples, const CsPair *pair, const char *list, GError **error);

void cs_couples_clear(CsCouples *couples);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsCouples, cs_couples_clear)

guint cs_couples_count(const CsCouples *couples);
const CsSequence *cs_couples_target(const CsCouples *couples, guint k);
const CsSequence *cs_couples_query(const CsCouples *couples, guint k);

/* Of pair k, on all strands; the most there can be where they overflow. */
gint64 cs_couples_cells(const CsCouples *couples, guint k, CsStrand strand);

/* Of all records. */
gint64 cs_couples_letters(const CsCouples *couples);

/* The folder of a pair's checkpoint: both names, without what a folder's name may not have. */
char *cs_couples_folder(const CsCouples *couples, guint k, const char *directory);

#endif
