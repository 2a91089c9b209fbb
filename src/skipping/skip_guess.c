/* Guesses lower bound and bounds from a chain: see skip_guess.h. */
#include "skipping/skip_guess.h"

#include "lower_bound/way.h"
#include "skipping/skip_estimate.h"

enum {
    CUTS = 1024,  /* rows of the matrix where H on the chain is told, at most */
    PARTS = 4096, /* bounds of a side, at most */
};

/* What bases beside the chain gain of a match each, at most: 0.6 in random sequences, more where there are repeats.
 * Measured on pairs of chromosweep-simulate of 5 million bases. */
#define UNRELATED 0.69

/* What is lost on the way to a seed. */
static double
lost_before(const CsSurvey *survey, const CsSeed *seed, double apart)
{
    const CsScoring *scoring = &survey->scoring;
    CsWay way = cs_way_between(seed - 1, seed);
    if (cs_way_is_long(&way)) {
        cs_way_count_ambiguous(&way, survey, seed - 1);
        return cs_way_cost(scoring, &way);
    }
    const double aside = (double)ABS(way.columns - way.rows);
    const double gap =
        aside > 0 ? (double)scoring->gap_open + (double)scoring->gap_extend * aside : 0;
    return gap + (double)(scoring->match + scoring->mismatch) * cs_way_mismatches(&way, apart) -
           (double)(scoring->match * MIN(way.rows, way.columns));
}

/* Follows H along the chain: to cuts, and to where it is highest. */
static void
follow_chain(CsSkip *guess, const CsSurvey *survey)
{
    const gint64 rows = cs_divide_up(MAX(1, survey->rows.length), CUTS);
    const double apart = cs_way_apart(guess->chain, guess->chain_length);
    double h = 0, highest = 0;
    gint64 next = rows;
    guess->cuts = g_new(CsLowerBoundCut, CUTS);
    for (gint64 k = 0; k < guess->chain_length; k++) {
        const CsSeed *seed = &guess->chain[k];
        const gint64 row = seed->row + seed->length;
        h = k > 0 ? MAX(0, h - lost_before(survey, seed, apart)) : 0;
        h += (double)(survey->scoring.match * seed->length);
        highest = MAX(highest, h);
        if (row < next)
            continue;
        guess->cuts[guess->n_cuts++] = (CsLowerBoundCut){row, (CsScore)h};
        next = row + rows;
    }
    guess->lower.score = (CsScore)highest;
}

/* Spreads a gain over the parts of some bases. */
static void
add_gain(double *gains, guint shift, gint64 from, gint64 bases, double gain)
{
    for (gint64 at = from; at < from + bases;) {
        const gint64 end = MIN(from + bases, ((at >> shift) + 1) << shift);
        gains[at >> shift] += gain * (double)(end - at) / (double)bases;
        at = end;
    }
}

/* Adds what the bases of the chain gain more than others, with short ways. */
static void
add_chain(double *gains, guint shift, const CsSkip *guess, const CsBoundsRule *rule, CsScore match,
          gboolean columns)
{
    const double apart = cs_way_apart(guess->chain, guess->chain_length);
    for (gint64 k = 0; k < guess->chain_length; k++) {
        const CsSeed *seed = &guess->chain[k];
        const CsWay way = k > 0 ? cs_way_between(seed - 1, seed) : (CsWay){0};
        const gboolean is_related = k > 0 && !cs_way_is_long(&way);
        const gint64 before = is_related ? columns ? way.columns : way.rows : 0;
        const gint64 bases = before + seed->length;
        const double lost = is_related ? (double)rule->kmer * cs_way_mismatches(&way, apart) : 0;
        add_gain(gains, shift, (columns ? seed->column : seed->row) - before, bases,
                 MAX(0, (1 - UNRELATED) * (double)(match * bases) - lost));
    }
}

/* The bounds along the survey's rows, which are columns for the chain if it is turned. */
static CsBoundsSide
guess_side(const CsSkip *guess, const CsSurvey *survey, gboolean turned)
{
    const CsView *view = &survey->rows;
    const gint64 length = view->length, other = survey->columns.length;
    const CsScore match = survey->scoring.match;
    const CsBoundsRule rule = cs_bounds_rule(&survey->scoring, length, other);
    CsBoundsSide side = {.length = length};
    while (length >> side.shift >= PARTS)
        side.shift++;
    const gint64 parts = (length >> side.shift) + 1;
    g_autofree double *gains = g_new(double, parts);
    gint64 before = 0; /* parts without a base that can match */
    for (gint64 k = 0; k < parts; k++) {
        const gint64 from = k << side.shift, bases = MIN(length - from, (gint64)1 << side.shift);
        const gint64 ambiguous = cs_view_count_ambiguous(view, from, bases);
        before += before == k && ambiguous == bases;
        gains[k] = UNRELATED * (double)(match * (bases - ambiguous)) -
                   (double)((rule.ambiguous - match) * ambiguous);
    }
    add_chain(gains, side.shift, guess, &rule, match, turned);
    side.highest = g_new0(CsScore, parts);
    double bound = 0;
    for (gint64 k = parts - 1; k >= before; k--) {
        const double below = bound;
        bound = MAX(0, bound + gains[k]);
        side.highest[k] = MIN((CsScore)MAX(below, bound), match * MIN(length, other));
    }
    return side;
}

void
cs_skip_guess_init(CsSkip *guess, const CsSurvey *survey, const CsSeed *chain, gint64 length)
{
    const CsSurvey turned = cs_survey_turned(survey);
    *guess = (CsSkip){.mode = CS_SKIP_BOUNDS,
                      .chain = g_memdup2(chain, (gsize)length * sizeof *chain),
                      .chain_length = length};
    follow_chain(guess, survey);
    guess->bounds = g_new0(CsBounds, 1);
    guess->bounds->rows = guess_side(guess, survey, FALSE);
    guess->bounds->columns = guess_side(guess, &turned, TRUE);
    guess->share_left =
        cs_skip_estimate_share_left(guess->bounds, NULL, guess->lower.score, &survey->scoring);
}
