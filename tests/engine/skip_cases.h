/* Pairs that are hard to skip blocks in: the case table of the tests of skipping. */
#ifndef SKIP_CASES_H
#define SKIP_CASES_H

#include <glib.h>

#include <chromosweep/scoring.h>

/* Features of a pair; most pairs have several. */
typedef enum {
    SKIP_TANDEM,    /* a tandem array in the target */
    SKIP_HALVES,    /* the target is the same half twice */
    SKIP_NS,        /* a run of ambiguous bases in either */
    SKIP_ROTATED,   /* the query begins elsewhere */
    SKIP_INVERTED,  /* the query, or a part of it, is reverse-complemented */
    SKIP_COPIES,    /* the query occurs in the target more than once: equally good ends */
    SKIP_GAP,       /* either has a stretch that the other lacks */
    SKIP_UNRELATED, /* only chance similarity */
    SKIP_KINDS,
} SkipKind;

typedef struct {
    GString *target, *query;
    const CsScoring *scoring;
    gboolean has[SKIP_KINDS];
} SkipCase;

/* The case of a seed, the same on every machine, with at most a few bases more than `longest`. The
 * scorings take turns. */
SkipCase *skip_case_new(guint32 seed, int longest);

/* A pair in which one sequence has bases that the other lacks. Only along such a gap can the best
 * alignment touch only the last row (column) of a block. This happens from base 20 * scale on, if a
 * block has about two columns (rows), or 300 if the scale is more than 1. */
SkipCase *skip_case_new_gap(guint32 seed, int scale);

/* A pair under the default scoring. One sequence has a run of Ns inside bases that both have. */
SkipCase *skip_case_new_ns(guint32 seed);

void skip_case_free(SkipCase *c);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SkipCase, skip_case_free)

/* Counts the features of a case, so that a test can require enough of each. */
void skip_case_count(guint counts[SKIP_KINDS], const SkipCase *c);
void skip_case_expect_all(const guint counts[SKIP_KINDS], guint cases);

#endif
