/*
 * Numbers of global alignments of sequences with many records on a device other than the CPU: what
 * a comparison of all with all gives to a scorer, and what it gets.
 *
 *     open      once for a scoring
 *     load      some records; nothing may be submitted and not collected
 *     submit    a sequence: its numbers with all records that are loaded
 *     collect   the numbers of what was submitted first
 *     free
 *
 * At most CS_SCORER_SLOTS may be submitted and not collected. A scorer belongs to one thread at a
 * time. Every failure is CS_ERROR_DEVICE.
 */
#ifndef CS_GLOBAL_CLASS_H
#define CS_GLOBAL_CLASS_H

#include "scores/scorer_class.h"

typedef struct _CsGlobalScorer CsGlobalScorer;

/* All numbers are at most 10^9, in either direction, and first >= more >= 0. */
typedef struct {
    /* What a letter of the sequence (first) gains with a letter of a record. */
    const gint32 (*pairs)[CS_LETTERS_MAX];
    guint letters;      /* codes, fewer than CS_LETTERS_MAX */
    guint32 matching;   /* bit a: two letters with code a are a match */
    gint64 first, more; /* what the first letter of a gap costs, and each further one */
    gboolean columns;   /* wanted even where they take more time */
} CsGlobalScoring;

/*
 * Of the alignments of all letters with the best score those with the most matches count, and of
 * these those with the fewest columns, which are pairs and unpaired letters.
 */
typedef struct {
    gint64 score;
    gint64 matches; /* -1: nothing is known */
    gint64 columns; /* -1: not known */
} CsGlobalNumbers;

typedef struct {
    /* device: as in CsEngineOptions; NULL takes the first that works. */
    CsGlobalScorer *(*open)(const char *device, const CsGlobalScoring *scoring, GError **error);
    const char *(*describe)(const CsGlobalScorer *scorer); /* the device, such as "NVIDIA H200" */
    /* Uses at most so many threads. */
    gboolean (*load)(CsGlobalScorer *scorer, const CsScorerSequence *records, guint count,
                     guint threads, GError **error);
    gboolean (*submit)(CsGlobalScorer *scorer, const CsScorerSequence *sequence, GError **error);
    /* Waits. Sets the numbers of each record; those of long records may not be known. */
    gboolean (*collect)(CsGlobalScorer *scorer, CsGlobalNumbers *numbers, GError **error);
    void (*free)(CsGlobalScorer *scorer);
} CsGlobalScorerClass;

#endif
