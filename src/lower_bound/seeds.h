/*
 * Seeds: maximal exact matches between two sequences, from which a chain is made (chain.h).
 *
 * Every `step`-th k-mer of the columns is in an index; each k-mer of the rows is looked up. An exact
 * match of bases + step - 1 bases holds one k-mer of the index at least, whole, so that all
 * matches of that length are found, but for those whose every k-mer is frequent.
 */
#ifndef CS_SEEDS_H
#define CS_SEEDS_H

#include "sequence/view.h"

enum {
    CS_SEEDS_LONGEST_KMER = 16
};

/* Bases row + 1 .. row + length pair with bases column + 1 .. column + length, each with its
 * equal, and neither the bases before nor those behind do. */
typedef struct {
    gint64 row, column;
    gint64 length;
} CsSeed;

/* How seeds are sought. */
typedef struct {
    guint bases; /* of a k-mer, 1 .. CS_SEEDS_LONGEST_KMER */
    guint step;  /* columns from one k-mer in the index to the next, at least 1 */
    guint most;  /* occurrences in the index of a k-mer that is looked up, at least 1 */
    guint kept;  /* seeds of each CS_SEEDS_CHUNK rows, the longest ones, at least 1 */
} CsSeedsRule;

/* Rows of which so many seeds are kept. */
#define CS_SEEDS_CHUNK (1 << 16)

/* What suits m rows and n columns. */
CsSeedsRule cs_seeds_rule(gint64 m, gint64 n);

/* The k-mers of one sequence, which serve for both of its strands. */
typedef struct _CsSeedsIndex CsSeedsIndex;

/* Reads the columns, which outlive the index. NULL is failure: CS_ERROR_DEVICE where memory is
 * short, CS_ERROR_STOPPED soon after *stop, if there is one, becomes other than 0. */
CsSeedsIndex *cs_seeds_index_new(const CsView *columns, const CsSeedsRule *rule, guint threads,
                                 const gint *stop, GError **error);
void cs_seeds_index_free(CsSeedsIndex *index);

/*
 * The seeds of bases + step - 1 bases or more that hold a k-mer of the index which is not
 * frequent, sorted by row, then column; of those whose first such k-mer lies in one chunk of rows
 * the longest ones. They are those of the index's columns or, if so wished, of their other strand:
 * chunks of rows then count from the last one up. The same for any number of threads (at least 1).
 * g_free() takes them back; NULL is failure, as above.
 */
CsSeed *cs_seeds_look_up(const CsSeedsIndex *index, const CsView *rows, gboolean other_strand,
                         guint threads, const gint *stop, gint64 *count, GError **error);

/* The bytes of an index by the rule for m rows and n columns. */
guint64 cs_seeds_index_memory(gint64 m, gint64 n);

/* The bytes that index and seeds by the rule for m rows and n columns take at their peak, and at
 * most how many seeds are found. */
guint64 cs_seeds_memory(gint64 m, gint64 n, guint threads, gint64 *most_seeds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsSeedsIndex, cs_seeds_index_free)

#endif
