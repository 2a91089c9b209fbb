/*
 * How much an alignment can still gain, counted along rows and diagonals: upper bounds for block
 * skipping (skip_rule.h), sharper than those of bounds.h.
 *
 *     chain, lower bound, bounds -> cs_gain_plan_init() -> cs_gains_new() -> CsGainTable
 *
 * From the last row up, band by band:
 *
 *     gain_index.c   where each k-mer occurs in the columns
 *     gain_seeds.c   which seeds of the band occur near each diagonal
 *     gain_grid.c    what an alignment gains that loses at least for those that do not
 *     gain_strip.c   exact gains along the chain
 *
 * docs/proofs/gains.md has the proof.
 */
#ifndef CS_GAINS_H
#define CS_GAINS_H

#include "lower_bound/seeds.h"
#include "skipping/bounds.h"
#include "skipping/gain_strip.h"
#include "sweep/gain_table.h"

/* Numbers of 2 bytes that the counts of seeds take at once, per base of both sequences, unless those
 * of one band take more. */
#define CS_GAIN_MISSING 1

/* How gains are counted. */
typedef struct {
    CsGainRule rule;
    gint64 bands;
    gint64 step;       /* rows of a step of the strip */
    gint64 piece;      /* its columns that are computed at once */
    gint64 steps;      /* of a band: the last one may have fewer rows */
    gint64 tile;       /* blocks that one thread computes at once */
    gint64 beside;     /* diagonals that are counted on either side of the strip, at most */
    CsScore slack;     /* how far below the highest gain one may be and still be kept */
    gint64 coarse;     /* blocks that have one entry of the table */
    CsGainSpan *strip; /* of each step, the columns where gains are exact; none if from = to */
    CsGainSpan *chain; /* of each band, the chain's own columns; none if from >= to */
    gint64 *middle;    /* of each band, a diagonal near which gains matter most */
    gint64 most;       /* entries of the table */
} CsGainPlan;

/* What is known before. */
typedef struct {
    const CsSurvey *survey;
    const CsBounds *bounds;
    CsScore lower_bound;
    gboolean gpu; /* whether a GPU will sweep */
    const CsSeed *chain;
    gint64 chain_length;
    const CsGainSizes *sizes; /* for tests, or NULL */
} CsGainSearch;

/*
 * Plans how to count. FALSE if gains could not be counted, would be of no use or not worth their
 * time: for some scorings, and where the alignment behind the lower bound gains so little per base
 * that seeds cannot tell it from others.
 */
gboolean cs_gain_plan_init(CsGainPlan *plan, const CsGainSearch *search);
void cs_gain_plan_clear(CsGainPlan *plan);

/* How many diagonals to count on either side of the strip, so that beyond them the gains of paths that
 * come from there have fallen by so much. */
gint64 cs_gain_plan_beside(const CsGainRule *rule, CsScore fall);

/*
 * Counts. *cells, unless NULL, becomes the number of cells that were computed for it. Fails with
 * CS_ERROR_DEVICE if there is not enough memory, and with CS_ERROR_STOPPED soon after the survey's
 * *stop (if any) becomes nonzero.
 */
CsGainTable *cs_gains_new(const CsGainPlan *plan, const CsSurvey *survey, const CsBounds *bounds,
                          gint64 *cells, GError **error);

/* The bytes that gains take at their peak, by any plan for m rows and n columns; *kept is how many
 * of them the table takes. */
guint64 cs_gains_memory(gint64 m, gint64 n, guint64 *kept);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainPlan, cs_gain_plan_clear)

#endif
