/*
 * How gains along rows and diagonals are counted (gains.h): the sizes of bands, blocks and windows,
 * and what an alignment loses at least. docs/proofs/gains.md has the derivation.
 */
#ifndef CS_GAIN_RULE_H
#define CS_GAIN_RULE_H

#include <chromosweep/scoring.h>

#include "sweep/types.h"

enum {
    CS_GAIN_PRICES = 3,
    CS_GAIN_SHORTEST_KMER = 2,
    CS_GAIN_LONGEST_KMER = 12,
};

/*
 * A path that crosses a band loses at least the sum of these. All are at least 0. One path is
 * subject to all prices at once, so the highest sum counts.
 */
typedef struct {
    gint32 missing;   /* per k-mer of the band that it cannot match */
    gint32 ambiguous; /* per ambiguous base of the band's rows */
    gint32 inserted;  /* per diagonal by which it ends further to the right */
    gint32 deleted;   /* per diagonal by which it ends further to the left */
} CsGainPrice;

typedef struct {
    gint64 kmer;   /* bases of a k-mer */
    gint64 kmers;  /* of a band, at most 65535 */
    gint64 band;   /* rows: kmer * kmers */
    gint64 block;  /* diagonals */
    gint64 window; /* diagonals on either side of a block on which its k-mers are looked for */
    gint32 scale;  /* of what follows, and of all gains but those of strip, rooms and tables: 2 if
                    * half an opening is no whole number, else 1 */
    gint32 match, open;
    gint32 inserted, deleted; /* what any path loses per diagonal */
    gint32 split; /* what each part of a deletion that crosses a line pays of gap_open */
    gint64 back;  /* the least that a path loses by leaving its window and coming back */
    /* A path has left the window if it ends so many diagonals away. These are at least so many
     * blocks. */
    gint64 away, blocks_away;
    int n_prices;
    CsGainPrice prices[CS_GAIN_PRICES];
} CsGainRule;

/* Sizes that a test chooses; it wants gains whatever they cost. */
typedef struct {
    gint64 kmers, block, kmer, window;
    gint64 margin; /* columns of the strip on either side of the chain */
} CsGainSizes;

/*
 * The rule for m rows and n columns, with bands of so many k-mers and blocks of so many diagonals.
 * FALSE if it cannot be used with the scoring: a longer gap costs no more than a short one, or sums
 * might not fit 32 bits.
 */
gboolean cs_gain_rule_init(CsGainRule *rule, const CsScoring *scoring, gint64 m, gint64 n,
                           gint64 kmers, gint64 block);

/* The same, with k-mers of so many bases and windows of so many diagonals, for tests. */
gboolean cs_gain_rule_init_sized(CsGainRule *rule, const CsScoring *unscaled, gint64 m, gint64 n,
                                 gint64 kmers, gint64 block, gint64 kmer, gint64 window);

/* What a path that matches no k-mers gains per base. */
static inline double
cs_gain_rule_beside(const CsGainRule *rule)
{
    return MAX(0, (double)rule->match - (double)rule->prices[0].missing / (double)rule->kmer) /
           (double)rule->scale;
}

/* The block of diagonal d = column - row, and a block's first diagonal, in a matrix of m rows. */
static inline gint64
cs_gain_block_of(const CsGainRule *rule, gint64 m, gint64 d)
{
    return (d + m) / rule->block;
}

static inline gint64
cs_gain_block_start(const CsGainRule *rule, gint64 m, gint64 block)
{
    return block * rule->block - m;
}

#endif
