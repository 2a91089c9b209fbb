/*
 * A lower bound on the score of a local sweep, known before it: the score of a real alignment.
 *
 *   sequences -> seeds.c -> chain.c -> corridor.c -> a sweep of the corridor -> its best score
 *
 * Whatever seeds and chain are worth, the bound is sound: every value that the sweep computes is
 * the score of an alignment, since it begins from zeros only. On related sequences it is the score
 * of the best alignment, or a little less; on unrelated ones it is what chance gives.
 */
#ifndef CS_LOWER_BOUND_H
#define CS_LOWER_BOUND_H

#include <chromosweep/scoring.h>

#include "anchors/seeds.h"
#include "sweep/types.h"
#include "sequence/view.h"

typedef struct {
    CsScore score; /* at least 0, at most match * min(m, n) */
    gint64 seeds;
    gint64 chain;          /* of them */
    gint64 cells_computed; /* by the corridor's sweep */
    double seconds_seeds, seconds_chain, seconds_corridor;
} CsLowerBound;

/* What the lower bound is found by, stage by stage; all zero at first. */
typedef struct {
    CsSeed *seeds; /* until there is a chain */
    CsSeed *chain;
    gint64 letters; /* of the chain's seeds, less what goes between them */
    CsLowerBound bound;
} CsAnchors;

/*
 * The three stages of cs_lower_bound(), in this order and under a scoring that fits. *index is made
 * where it is NULL; it serves for the same rows and columns of both strands, and is not needed any
 * more when there are seeds.
 */
gboolean cs_anchors_find_seeds(CsAnchors *anchors, const CsView *rows, const CsView *columns,
                               CsSeedsIndex **index, guint threads, const gint *stop,
                               GError **error);
gboolean cs_anchors_find_chain(CsAnchors *anchors, const CsScoring *scoring, const gint *stop,
                               GError **error);
gboolean cs_anchors_sweep(CsAnchors *anchors, const CsView *rows, const CsView *columns,
                          const CsScoring *scoring, guint threads, const gint *stop,
                          GError **error);
void cs_anchors_clear(CsAnchors *anchors);

/*
 * The lower bound for rows against columns. All but the seconds is the same for any number of
 * threads (at least 1), cells_computed but for the cells computed again. Fails with CS_ERROR_USAGE
 * where the scoring does not fit the sequences (cs_scoring_check), with CS_ERROR_DEVICE where
 * memory is short, and with CS_ERROR_STOPPED soon after *stop, if there is one, becomes other than
 * 0; then `bound` is left alone.
 */
gboolean cs_lower_bound(const CsView *rows, const CsView *columns, const CsScoring *scoring,
                        guint threads, const gint *stop, CsLowerBound *bound, GError **error);

/* The bytes that cs_lower_bound() holds at most. */
guint64 cs_lower_bound_memory(gint64 m, gint64 n, guint threads);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsAnchors, cs_anchors_clear)

#endif
