/* The pairs of a run: every record against every record, or a chosen list. */
#ifndef CS_PAIR_LIST_H
#define CS_PAIR_LIST_H

#include "command/inputs.h"

/* Initialise with zeroes. */
typedef struct {
    GPtrArray *records[2]; /* CsSequence: targets, queries */
    GArray *list;          /* in the order of the rows */
} CsPairList;

/*
 * Loads the records and makes the pairs, of the list in that file or, where it is NULL, of all that
 * the pair's names and regions leave. Tells of each record what there is to tell.
 */
gboolean cs_pair_list_load(CsPairList *pairs, const CsInputs *inputs, const char *list,
                           GError **error);

void cs_pair_list_clear(CsPairList *pairs);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPairList, cs_pair_list_clear)

guint cs_pair_list_count(const CsPairList *pairs);
const CsSequence *cs_pair_list_target(const CsPairList *pairs, guint k);
const CsSequence *cs_pair_list_query(const CsPairList *pairs, guint k);

/* Of pair k, on all strands; the most there can be where they overflow. */
gint64 cs_pair_list_cells(const CsPairList *pairs, guint k, CsStrand strand);

/* Of all records. */
gint64 cs_pair_list_bases(const CsPairList *pairs);

/* The folder of a pair's checkpoint: both names, without what a folder's name may not have. */
char *cs_pair_list_folder(const CsPairList *pairs, guint k, const char *directory);

#endif
