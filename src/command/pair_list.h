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
 * Loads the records and makes the pairs: those of the list in that file or, if list is NULL, all
 * pairs of the records that the inputs' names and regions select. Tells details and warnings of
 * each record.
 */
gboolean cs_pair_list_load(CsPairList *pairs, const CsInputs *inputs, const char *list,
                           GError **error);

void cs_pair_list_clear(CsPairList *pairs);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPairList, cs_pair_list_clear)

guint cs_pair_list_count(const CsPairList *pairs);
const CsSequence *cs_pair_list_target(const CsPairList *pairs, guint k);
const CsSequence *cs_pair_list_query(const CsPairList *pairs, guint k);

/* The cells of pair k, on all strands; the largest number if that would overflow. */
gint64 cs_pair_list_cells(const CsPairList *pairs, guint k, CsStrand strand);

/* The bases of all records. */
gint64 cs_pair_list_bases(const CsPairList *pairs);

/* The folder of a pair's checkpoint: both names, without characters that a folder's name must not
 * have. */
char *cs_pair_list_folder(const CsPairList *pairs, guint k, const char *directory);

#endif
