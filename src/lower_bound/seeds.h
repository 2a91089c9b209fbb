/*
 * Seeds: maximal exact matches between two sequences, from which a chain is made (chain.h).
 *
 * Every `step`-th k-mer of the columns goes into an index, and each k-mer of the rows is looked up.
 * An exact match of k + step - 1 bases contains at least one whole k-mer of the index. So all
 * matches of that length are found, except those in which every k-mer is frequent.
 */
#ifndef CS_SEEDS_H
#define CS_SEEDS_H

#include "sequence/view.h"

enum {
    CS_SEEDS_LONGEST_KMER = 16
};

/* Bases row + 1 .. row + length equal bases column + 1 .. column + length; the bases before and
 * after them do not. */
typedef struct {
    gint64 row, column;
    gint64 length;
} CsSeed;

/* How seeds are found. */
typedef struct {
    guint bases; /* k, 1 .. CS_SEEDS_LONGEST_KMER */
    guint step;  /* columns from one k-mer in the index to the next, at least 1 */
    guint most;  /* a k-mer with more occurrences in the index is frequent; at least 1 */
    guint
        kept; /* how many of the seeds of CS_SEEDS_STRETCH rows are kept, the longest; at least 1 */
} CsSeedsRule;

/* The number of rows that `kept` applies to. */
#define CS_SEEDS_STRETCH (1 << 16)

/* The rule for m rows and n columns. */
CsSeedsRule cs_seeds_rule(gint64 m, gint64 n);

/* The k-mers of one sequence. One index is used for both of its strands. */
typedef struct _CsSeedsIndex CsSeedsIndex;

/* Indexes the columns, which must outlive the index. NULL on failure: CS_ERROR_DEVICE if there is
 * not enough memory, CS_ERROR_STOPPED soon after *stop (if any) becomes nonzero. */
CsSeedsIndex *cs_seeds_index_new(const CsView *columns, const CsSeedsRule *rule, guint threads,
                                 const gint *stop, GError **error);
void cs_seeds_index_free(CsSeedsIndex *index);

/*
 * The seeds of k + step - 1 bases or more that contain a k-mer of the index that is not frequent,
 * sorted by row, then column. If the first such k-mers of several seeds lie in the same
 * CS_SEEDS_STRETCH rows, only the longest of these seeds are kept. With other_strand the seeds are
 * matches with the other strand of the columns, and the groups of rows are counted from the last
 * row up. The result is the same for any number of threads (at least 1). Free it with g_free().
 * NULL on failure, as above.
 */
CsSeed *cs_seeds_look_up(const CsSeedsIndex *index, const CsView *rows, gboolean other_strand,
                         guint threads, const gint *stop, gint64 *count, GError **error);

/* The size of an index in bytes, by the rule for m rows and n columns. */
guint64 cs_seeds_index_memory(gint64 m, gint64 n);

/* The bytes that index and seeds take at their peak, by the rule for m rows and n columns, and the
 * largest possible number of seeds. */
guint64 cs_seeds_memory(gint64 m, gint64 n, guint threads, gint64 *most_seeds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsSeedsIndex, cs_seeds_index_free)

#endif
