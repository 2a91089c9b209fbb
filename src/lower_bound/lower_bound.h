/*
 * A lower bound on the best score, known before the sweep: the score of a real alignment.
 *
 *   sequences -> seeds.c -> chain.c -> corridor.c -> a sweep of the corridor -> its best score
 *
 * The bound is valid however good or bad the seeds and the chain are, because the sweep of the
 * corridor finds the score of a real alignment (docs/proofs/lower-bound.md). For related sequences
 * it is the best score or a little less. For unrelated ones it is no more than a chance score.
 */
#ifndef CS_LOWER_BOUND_H
#define CS_LOWER_BOUND_H

#include "lower_bound/seeds.h"
#include "lower_bound/survey.h"
#include "sweep/types.h"

typedef struct {
    CsScore score;         /* at least 0, at most match * min(m, n) */
    gint64 seeds;          /* number of seeds */
    gint64 chain;          /* number of seeds in the chain */
    gint64 cells_computed; /* by the corridor's sweep */
    gint64 cells_kept;     /* computed by earlier runs, whose results were kept */
    double seconds_seeds, seconds_chain, seconds_corridor;
} CsLowerBound;

/* The row of a cut through the chain, and the score of the lower bound's alignment up to there. */
typedef struct {
    gint64 row;
    CsScore score;
} CsLowerBoundCut;

/* The search for the lower bound, stage by stage. Initialise with zeroes. */
typedef struct {
    CsSeed *seeds; /* until there is a chain */
    CsSeed *chain;
    gint64 bases;          /* of the chain's seeds, minus the costs of the steps between them */
    CsLowerBoundCut *cuts; /* from top to bottom; NULL unless this run swept the corridor */
    gint64 n_cuts;
    CsLowerBound bound;
} CsLowerBoundSearch;

/*
 * The three stages, in this order, under a scoring that cs_scoring_check() accepts.
 *
 * If *index is NULL, the index is made. It can be used for both strands of the same two sequences,
 * and is not needed any more once there are seeds. The results are the same for any number of
 * threads, except the seconds and, in cells_computed, the cells that are computed again.
 *
 * A stage fails with CS_ERROR_DEVICE if there is not enough memory. It takes from the survey's keep
 * what the keep holds, and leaves there what it finds. The corridor is kept section by section,
 * even if its sweep fails.
 */
gboolean cs_lower_bound_find_seeds(CsLowerBoundSearch *search, const CsSurvey *survey,
                                   CsSeedsIndex **index, GError **error);
gboolean cs_lower_bound_find_chain(CsLowerBoundSearch *search, const CsSurvey *survey,
                                   GError **error);
gboolean cs_lower_bound_sweep(CsLowerBoundSearch *search, const CsSurvey *survey, GError **error);
void cs_lower_bound_search_clear(CsLowerBoundSearch *search);

/* Loads the lower bound that is kept. FALSE unless an earlier run completed the stages. */
gboolean cs_lower_bound_load(CsLowerBound *bound, const CsSurvey *survey);

/* Loads the chain that is kept beside it, for g_free(); NULL if there is none. */
CsSeed *cs_lower_bound_load_chain(const CsSurvey *survey, gint64 *length);

/* Likewise the cuts. */
CsLowerBoundCut *cs_lower_bound_load_cuts(const CsSurvey *survey, gint64 *length);

/* The most bytes that the stages hold. */
guint64 cs_lower_bound_memory(gint64 m, gint64 n, guint threads);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsLowerBoundSearch, cs_lower_bound_search_clear)

#endif
