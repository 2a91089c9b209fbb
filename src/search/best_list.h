/* The best N records of a query: by score, then in the order of the database. */
#ifndef CS_BEST_LIST_H
#define CS_BEST_LIST_H

#include <chromosweep/strand.h>

typedef struct {
    gint64 score;
    gint64 number; /* of the record in the database, from 0 */
    char *name;    /* of the record; the list's */
    gint64 length; /* of the record */
    CsStrand strand;
    gint64 column, row;             /* where the score ends, counted from 1; 0: not known yet */
    gint64 column_start, row_start; /* where it starts, likewise */
    /* Of the alignment, if it is wanted. */
    char *cigar; /* the list's */
    gint64 matches, columns, gap_openings;
} CsBestEntry;

/*
 * Entries may come in any order, and more than once: those that stay are the first N of the order
 * above. Some more are kept until cs_best_list_trim().
 */
typedef struct {
    gint64 most;  /* N */
    gint64 least; /* score */
    GArray *entries;
    CsBestEntry last; /* if `is_full`: what is not before this entry is not among the first N */
    gboolean is_full;
} CsBestList;

void cs_best_list_init(CsBestList *list, gint64 most, gint64 least);
void cs_best_list_clear(CsBestList *list);

/* Whether a record with this score could be among the first N. */
gboolean cs_best_list_wants(const CsBestList *list, gint64 score, gint64 number);

/* Adds an entry with copies of its texts. */
void cs_best_list_add(CsBestList *list, const CsBestEntry *entry);

/* Says that N others, with this entry as the last of them, are before what is not before it. */
void cs_best_list_raise(CsBestList *list, gint64 score, gint64 number);

/* Sorts the entries, and leaves the first N. */
void cs_best_list_trim(CsBestList *list);

/* Removes all entries. */
void cs_best_list_empty(CsBestList *list);

/* The most entries that a list of N holds at a time: an eighth more, so that it is seldom sorted. */
static inline gint64
cs_best_list_most(gint64 n)
{
    return n + n / 8 + 16;
}

#endif
