/* Where the alignment of a hit starts, and its path. Scores and ends are known (pair_scores.h). */
#ifndef CS_HIT_PATH_H
#define CS_HIT_PATH_H

#include "search/pair_scores.h"

/* Both sequences as far as the end of the alignment. */
typedef struct {
    const CsPairScoring *scoring;
    const guint8 *query, *record; /* codes */
    gint64 rows, columns;         /* the alignment ends with the last ones */
    gint64 score;                 /* no alignment of these sequences scores more, and none that ends
                                   * before scores as much */
    const gint *stop;             /* (nullable): if it becomes nonzero, nothing is found */
} CsHitEnd;

/*
 * Finds the start: of the alignments with the score, the one that starts with the last letter of the
 * record, then of the query. *row and *column count from 1. FALSE if there is not enough memory.
 */
gboolean cs_hit_start(const CsHitEnd *end, gint64 *row, gint64 *column);

/*
 * Finds the path from the start to the end. Read from the end, a pair is preferred to unpaired letters
 * of the query, these to unpaired letters of the record, and a gap is opened as soon as it can be.
 * Appends 'M', 'I' or 'D' for each column of the alignment, from its start on: a pair, an unpaired
 * letter of the query, of the record. FALSE if there is not enough memory.
 */
gboolean cs_hit_path(const CsHitEnd *end, gint64 row, gint64 column, GString *path);

/* The most bytes that cs_hit_path() takes, for a query of so many letters and records of at most
 * `longest`. */
gint64 cs_hit_path_bytes(const CsPairScoring *scoring, gint64 rows, gint64 longest);

#endif
