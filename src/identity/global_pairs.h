/*
 * Global alignments of one query with many records: score, matches and columns, and the path.
 *
 * Both sequences are aligned from end to end, and gaps at the ends cost what others do. Among the
 * alignments with the best score the ones with the most matches count, and of those the ones with the
 * fewest columns, which are those with the most pairs. So all three numbers are defined whichever of
 * the best alignments is found, and if the scoring is symmetric, they do not depend on which sequence
 * is the query.
 *
 * An insertion may follow a deletion, or the other way round; both are paid in full.
 */
#ifndef CS_GLOBAL_PAIRS_H
#define CS_GLOBAL_PAIRS_H

#include "identity/global_team.h"
#include "search/pair_scores.h"

/* Kernels of an instruction set. */
typedef struct _CsGlobalKernels CsGlobalKernels;

/* Those of the best instruction set that works here and that CHROMOSWEEP_SIMD allows; NULL if none
 * does. */
const CsGlobalKernels *cs_global_kernels(GError **error);

/*
 * Letters that match themselves, as a bit for each code. Those that stand for several letters do not:
 * they count as no match even where they are equal. Of proteins these are B, J, X and Z; of
 * nucleotides all but A, C, G and T.
 */
extern const guint32 cs_global_protein_matching, cs_global_nucleotide_matching;

/* Saves where the sweep of a record stands that has all lanes for itself, or one that divides a path. */
typedef struct {
    gint64 rows; /* that are done, a multiple of CS_GLOBAL_SWEEP_ROWS, at first, too */
    const gint64 *u,
        *s; /* of each column, of the last of these rows, if there are any (global_long.h) */
    const gint64 *h_from, *s_from; /* likewise, where a path is divided */
    gint64 save_at; /* time from which on it is to be saved, on the monotonic clock */
    /* Saves the above, and sets save_at; also called after a stop. No thread computes meanwhile. */
    void (*save)(gpointer data);
    gpointer data;
} CsGlobalSweep;

/* Keeps where paths are divided (global_plain.c): between two columns, which are letters of the record, the path leaves
 * the column `middle` at `from`. */
typedef struct {
    gint64 cells; /* a piece of the path has at least, else it is divided again rather than kept */
    /* Whether it is known. */
    gboolean (*find)(gint64 column, gint64 last_column, gint64 *middle, gint64 *from,
                     gpointer data);
    /* The sweep that finds it, with so many columns (global_long.h). */
    CsGlobalSweep *(*sweep)(gint64 column, gint64 last_column, gint64 columns, gpointer data);
    /* It is found. */
    void (*add)(gint64 column, gint64 last_column, gint64 middle, gint64 from, gpointer data);
    gpointer data;
} CsGlobalDivisions;

/* A multiple of the rows of all strips, so that all kernels can go on behind them. */
#define CS_GLOBAL_SWEEP_ROWS 64

typedef struct {
    const CsGlobalKernels *kernels; /* (nullable): without, the plain recurrence does everything */
    const CsPairScoring *scoring;   /* first >= more >= 0 */
    guint32 matching;               /* bit a: the letter with code a matches itself */
    const guint8 *query;            /* codes, at least one */
    gint64 rows;                    /* letters of the query, at most CS_GLOBAL_MOST_LETTERS */
    gboolean scores_only;           /* which is faster: matches and columns are -1 */
    gboolean alone;                 /* for tests: no lane has a record of its own */
    /* For tests: cells whose directions a path keeps at a time; 0: as many as is good. */
    gint64 path_cells;
    CsGlobalTeam *team; /* (nullable): helps with long pairs */
    /* (nullable): atomic; the cells of the long pairs under way that are computed are added, and taken off at their end unless that is a
     * stop */
    gint64 *under_way;
    const gint *stop;                   /* (nullable): if it becomes nonzero, nothing is found */
    CsGlobalSweep *sweep;               /* (nullable): of the one record of cs_global_pairs() */
    const CsGlobalDivisions *divisions; /* (nullable): of the path of cs_global_path() */
} CsGlobalQuery;

#define CS_GLOBAL_MOST_LETTERS ((gint64)G_MAXINT32)

typedef struct {
    gint64 score;
    gint64 matches;
    gint64 columns; /* pairs and unpaired letters */
} CsGlobalFound;

/*
 * Finds the numbers of each record, whose lengths are 1 to CS_GLOBAL_MOST_LETTERS. Records of any
 * lengths in any order are right; it is fastest if there are many, the longest first. FALSE if there
 * is not enough memory.
 */
gboolean cs_global_pairs(const CsGlobalQuery *query, const CsLaneRecord *records, gint64 count,
                         CsGlobalFound *found);

/*
 * Finds an alignment with the numbers that cs_global_pairs() finds. Appends it to `cigar`, along the query: '=' is a match, 'X'
 * any other pair, 'I' an unpaired letter of the query, 'D' one of the record. If there are several
 * alignments, it is this: read from the end, a pair is preferred to an unpaired letter of the query,
 * this to one of the record, and a gap begins (which is its end when read from the end) as soon as it
 * can. If `found` (nullable) holds what cs_global_pairs() found, this is faster, most of all for similar sequences.
 * Memory grows with the lengths, not with their product. FALSE if there is not enough.
 */
gboolean cs_global_path(const CsGlobalQuery *query, const CsLaneRecord *record,
                        const CsGlobalFound *found, GString *cigar);

#endif
