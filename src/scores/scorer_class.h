/*
 * Scores of queries with many records on a device other than the CPU: what a search gives to a
 * scorer, and what it gets.
 *
 *     open      once for a scoring
 *     load      the records of a chunk; nothing may be submitted and not collected
 *     submit    a set of sequences: their scores with all records that are loaded
 *     collect   the scores of the set that was submitted first
 *     free
 *
 * At most CS_SCORER_SLOTS sets may be submitted and not collected. A scorer belongs to one thread at a
 * time. Every failure is CS_ERROR_DEVICE.
 */
#ifndef CS_SCORER_CLASS_H
#define CS_SCORER_CLASS_H

#include <glib.h>

enum {
    CS_LETTERS_MAX = 32, /* codes of letters are below this */
    CS_LETTER_NONE = 31, /* stands for no letter; its pairs gain -1 */
    CS_SCORER_SLOTS = 2,
    CS_SCORER_SEQUENCES = 16, /* of a set */
};

typedef struct _CsScorer CsScorer;

typedef struct {
    /* What a letter of the query (first) gains with a letter of a record. */
    const gint32 (*pairs)[CS_LETTERS_MAX];
    guint letters;          /* codes */
    gint64 lowest, highest; /* of `pairs` */
    gint64 first, more;     /* what the first letter of a gap costs, and each further one */
} CsScorerScoring;

typedef struct {
    const guint8 *letters; /* codes */
    gint64 length;         /* at least 1 */
} CsScorerSequence;

typedef struct {
    /* Whether scores with this scoring can be exact. */
    gboolean (*accepts)(const CsScorerScoring *scoring);
    /* device: as in CsEngineOptions; NULL takes the first that works. */
    CsScorer *(*open)(const char *device, const CsScorerScoring *scoring, GError **error);
    const char *(*describe)(const CsScorer *scorer); /* the device, such as "NVIDIA H200" */
    /* Uses at most so many threads. */
    gboolean (*load)(CsScorer *scorer, const CsScorerSequence *records, guint count, guint threads,
                     GError **error);
    /* The longest sequence comes first. At least one, and at most CS_SCORER_SEQUENCES. */
    gboolean (*submit)(CsScorer *scorer, const CsScorerSequence *sequences, guint count,
                       GError **error);
    /* Waits. Sets the scores of all records with each sequence of the set; -1: not known, because it
     * may be too high or the record is too long. */
    gboolean (*collect)(CsScorer *scorer, gint32 *const *scores, GError **error);
    void (*free)(CsScorer *scorer);
} CsScorerClass;

#endif
