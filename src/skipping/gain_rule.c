/* Sizes and prices for gains along rows and diagonals. */
#include "skipping/gain_rule.h"

#include "sweep/grid.h"

/* Diagonals of a window for each k-mer of the band. A path that leaves the window and comes back
 * then loses at least twice the weight of all k-mers of the band. */
#define WINDOW_A_KMER 8

/* No sum of scores or costs is above a few times this. */
#define MOST ((gint64)1 << 28)

/* How long k-mers are: so long that one in 64 occurs in a window by chance. Shorter ones occur by
 * chance more often; with longer ones a path beside the best one loses less per base. */
static gint64
kmer_of(gint64 window)
{
    gint64 kmer = 3;
    for (gint64 words = 2; words <= 2 * window; words *= 4)
        kmer++;
    return CLAMP(kmer, CS_GAIN_SHORTEST_KMER, CS_GAIN_LONGEST_KMER);
}

/* The prices if a k-mer has this weight. FALSE if nothing can be charged for bases beside it. */
static gboolean
price_of(CsGainPrice *price, const CsGainRule *rule, const CsScoring *scoring, CsScore weight)
{
    const CsScore extend = scoring->gap_extend, deleted = rule->deleted;
    const CsScore pair = scoring->match + scoring->mismatch;
    const CsScore one = rule->split + deleted - weight; /* a deletion that breaks one k-mer */
    const CsScore whole =
        deleted - cs_divide_up(weight, rule->kmer); /* one that takes k-mers whole */
    const CsScore more = MIN(one, whole);
    if (weight <= 0 || weight > pair || weight > scoring->gap_open + extend || more < 0)
        return FALSE;
    *price = (CsGainPrice){
        .missing = (gint32)weight,
        .inserted = (gint32)MIN(extend, scoring->gap_open + extend - weight),
        .deleted = (gint32)more,
        .ambiguous = (gint32)MIN(pair, deleted - more),
    };
    return TRUE;
}

/* Adds the price for a weight unless there is one already. */
static void
add_price(CsGainRule *rule, const CsScoring *scoring, CsScore weight)
{
    CsGainPrice price;
    if (!price_of(&price, rule, scoring, weight))
        return;
    for (int k = 0; k < rule->n_prices; k++)
        if (rule->prices[k].missing == price.missing)
            return;
    rule->prices[rule->n_prices++] = price;
}

/* Whether all sums fit 32 bits. */
static gboolean
sums_fit(const CsScoring *scoring, gint64 m, gint64 n, gint64 widest)
{
    const CsScore pair = scoring->match + scoring->mismatch;
    const CsScore dearest = MAX(pair, scoring->gap_open + scoring->gap_extend) + scoring->match;
    return dearest < MOST / (4 * widest) && scoring->match < 4 * MOST / (m + n + 1);
}

gboolean
cs_gain_rule_init_sized(CsGainRule *rule, const CsScoring *unscaled, gint64 m, gint64 n,
                        gint64 kmers, gint64 block, gint64 kmer, gint64 window)
{
    const CsScoring twice = {.match = 2 * unscaled->match,
                             .mismatch = 2 * unscaled->mismatch,
                             .gap_open = 2 * unscaled->gap_open,
                             .gap_extend = 2 * unscaled->gap_extend};
    if (unscaled->gap_extend <= 0 || !sums_fit(unscaled, m, n, window + block))
        return FALSE;
    const gboolean halves = unscaled->gap_open % 2 != 0 && sums_fit(&twice, m, n, window + block);
    const CsScoring *scoring = halves ? &twice : unscaled;
    const CsScore pair = scoring->match + scoring->mismatch, open = scoring->gap_open;
    *rule = (CsGainRule){
        .scale = halves ? 2 : 1,
        .kmer = kmer,
        .kmers = kmers,
        .band = kmer * kmers,
        .block = block,
        .window = window,
        .match = (gint32)scoring->match,
        .open = (gint32)open,
        .inserted = (gint32)scoring->gap_extend,
        .deleted = (gint32)(scoring->match + scoring->gap_extend),
        .split = (gint32)(open / 2),
        .back = scoring->gap_extend * window,
        .away = window / 2 + 1,
    };
    /* Two diagonals of blocks that are q blocks apart differ by (q + 1) * block - 1 at most. */
    rule->blocks_away = MAX(0, cs_divide_up(rule->away + 1, block) - 1);
    /* Three weights: the highest; the highest with which an insertion still pays for all of its
     * bases; and one with which a deletion pays for more of them. */
    const CsScore most = MIN(MIN(MIN(pair, open + rule->inserted), rule->deleted + rule->split),
                             kmer * rule->deleted);
    add_price(rule, scoring, most);
    add_price(rule, scoring, MIN(most, open));
    add_price(rule, scoring, MIN(most, MIN(open, (rule->deleted + rule->split) / 2)));
    return rule->n_prices > 0;
}

gboolean
cs_gain_rule_init(CsGainRule *rule, const CsScoring *scoring, gint64 m, gint64 n, gint64 kmers,
                  gint64 block)
{
    const gint64 window = WINDOW_A_KMER * kmers;
    return cs_gain_rule_init_sized(rule, scoring, m, n, kmers, block, kmer_of(window), window);
}
