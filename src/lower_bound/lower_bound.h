/*
 * A lower bound on the score of a local sweep, known before it: the score of a real alignment.
 *
 *   sequences -> seeds.c -> chain.c -> corridor.c -> a sweep of the corridor -> its best score
 *
 * The bound is sound however good or bad seeds and chain are, because the sweep of the corridor
 * finds the score of a real alignment (docs/proofs/lower-bound.md). On related sequences it is the
 * best score or a little less, on unrelated ones no more than chance gives.
 */
#ifndef CS_LOWER_BOUND_H
#define CS_LOWER_BOUND_H

#include "lower_bound/seeds.h"
#include "lower_bound/survey.h"
#include "sweep/types.h"

typedef struct {
    CsScore score; /* at least 0, at most match * min(m, n) */
    gint64 seeds;
    gint64 chain;          /* of them */
    gint64 cells_computed; /* by the corridor's sweep */
    gint64 cells_kept;     /* computed by earlier runs, whose results were kept */
    double seconds_seeds, seconds_chain, seconds_corridor;
} CsLowerBound;

/* What the lower bound is found by, stage by stage; all zero at first. */
typedef struct {
    CsSeed *seeds; /* until there is a chain */
    CsSeed *chain;
    gint64 bases; /* of the chain's seeds, less what goes between them */
    CsLowerBound bound;
} CsLowerBoundSearch;

/*
 * The three stages, in this order and under a scoring that fits (cs_scoring_check). *index is made
 * where it is NULL; it serves for the same rows and columns of both strands, and is not needed any
 * more when there are seeds. All that is found but the seconds is the same for any number of
 * threads, cells_computed but for the cells computed again. They fail with CS_ERROR_DEVICE where
 * memory is short. Each takes from the survey's keep what it holds, and leaves there what it finds;
 * the corridor is kept piece by piece, also where it fails.
 */
gboolean cs_lower_bound_find_seeds(CsLowerBoundSearch *search, const CsSurvey *survey,
                                   CsSeedsIndex **index, GError **error);
gboolean cs_lower_bound_find_chain(CsLowerBoundSearch *search, const CsSurvey *survey,
                                   GError **error);
gboolean cs_lower_bound_sweep(CsLowerBoundSearch *search, const CsSurvey *survey, GError **error);
void cs_lower_bound_search_clear(CsLowerBoundSearch *search);

/* The lower bound that is kept, if the stages have ended before; else FALSE. */
gboolean cs_lower_bound_load(CsLowerBound *bound, const CsSurvey *survey);

/* The chain that is kept beside it, for g_free(); NULL if there is none. */
CsSeed *cs_lower_bound_load_chain(const CsSurvey *survey, gint64 *length);

/* The bytes that the stages hold at most. */
guint64 cs_lower_bound_memory(gint64 m, gint64 n, guint threads);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsLowerBoundSearch, cs_lower_bound_search_clear)

#endif
