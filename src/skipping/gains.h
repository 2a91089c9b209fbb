/*
 * How much an alignment can still gain, counted along rows and diagonals: upper bounds for block
 * skipping (skip_rule.h), sharper than those of bounds.h.
 *
 *     chain, lower bound, bounds -> cs_gain_plan_init() -> cs_gains_new() -> CsGainTable
 *
 * First all diagonals are counted coarsely, without a strip. That tells what can be gained far from the
 * chain. Then those near it are counted finely. From the last row up, band by band:
 *
 *     gain_index.c   where each k-mer occurs in the columns
 *     gain_kmers.c   which k-mers of the band occur near each diagonal
 *     gain_grid.c    what an alignment gains at most, as it loses something for those that do not
 *     gain_strip.c   exact gains along the chain
 *     gain_section.c the same for many bands at once, where the best path gains well
 *     gain_room.c    exact gains on both sides of it where it gains little, on a GPU
 *
 * docs/proofs/gains.md has the proof.
 */
#ifndef CS_GAINS_H
#define CS_GAINS_H

#include "lower_bound/seeds.h"
#include "skipping/bounds.h"
#include "skipping/gain_room.h"
#include "skipping/gain_section.h"
#include "sweep/gain_table.h"

/* Counts of k-mers in memory at a time, 2 bytes each, per base of both sequences; more if one band
 * needs more. */
#define CS_GAIN_MISSING 1

/* Sections of the strip that are computed at a time. */
#define CS_GAIN_SECTIONS 128

/* Told while gains are counted, on the thread that counts them. */
typedef struct {
    /* So many seconds of cs_gain_plan_all_seconds() are done. The coarse table is told once it is complete;
     * otherwise far is NULL. */
    void (*func)(double done, const CsGainTable *far, gpointer data);
    gpointer data;
} CsGainWatch;

/* How gains are counted. */
typedef struct CsGainPlan {
    CsGainRule rule;
    gboolean gpu; /* whether a GPU will sweep */
    gint64 bands;
    gint64 step;       /* rows of a step of the strip */
    gint64 piece;      /* its columns that are computed at once */
    gint64 steps;      /* of a band: the last one may have fewer rows */
    gint64 tile;       /* blocks that one thread computes at once */
    double width;      /* diagonals that are counted on a line, about */
    gint64 beside;     /* diagonals that are counted on either side of the strip, at most */
    CsScore slack;     /* gains so far below the highest one are still kept */
    gboolean all;      /* or those of all diagonals that are counted */
    gint64 coarse;     /* blocks that have one entry of the table */
    CsGainSpan *strip; /* of each step, the columns where gains are exact; none if from = to */
    CsGainSpan *chain; /* of each band, the chain's own columns; none if from >= to */
    GArray *sections;  /* of CsGainSection, from the last band up, or NULL */
    gboolean *shared;  /* of each band, whether a section owns it; or NULL */
    gint64 near;       /* columns at either end of a band's chain that the best path may need */
    gint32 lower;   /* so much less is gained beside a section than on its chain, it is guessed */
    gint64 *middle; /* of each band, a diagonal near which gains matter most */
    gint64 most;    /* entries of the table */
    /* Rooms, and how they are swept: bands from one of their lines that is kept to the next. */
    GArray *rooms; /* of CsGainRoom, or NULL */
    const CsSweepOptions *sweep;
    gint64 apart;
    struct CsGainPlan *far;   /* a coarse count of all diagonals, which is made first; or NULL */
    const CsGainWatch *watch; /* or NULL */
} CsGainPlan;

/* What is known before. */
typedef struct {
    const CsSurvey *survey;
    const CsBounds *bounds;
    CsScore lower_bound;
    gboolean gpu;                /* whether a GPU will sweep */
    const CsSweepOptions *sweep; /* its engine, which also sweeps rooms; or NULL: there are none */
    const CsSeed *chain;
    gint64 chain_length;
    const CsGainSizes *sizes; /* for tests, or NULL */
} CsGainSearch;

/*
 * Plans how to count. FALSE if gains cannot be counted or would not pay: for some scorings, and if
 * the alignment behind the lower bound gains so little per base that k-mers cannot tell it from
 * others.
 */
gboolean cs_gain_plan_init(CsGainPlan *plan, const CsGainSearch *search);
void cs_gain_plan_clear(CsGainPlan *plan);

/* Whether cs_gain_plan_init() would find a plan; faster than that. */
gboolean cs_gain_plan_pays(const CsGainSearch *search);

/* About how many seconds the plan's own count of a band takes; those of all bands and of the coarse
 * count before them; of one index of the columns; and of everything. */
double cs_gain_plan_band_seconds(const CsGainPlan *plan, gint64 band, guint threads);
double cs_gain_plan_seconds(const CsGainPlan *plan, guint threads);
double cs_gain_plan_index_seconds(gint64 columns, guint threads);
double cs_gain_plan_all_seconds(const CsGainPlan *plan, gint64 columns, guint threads);

/* The most columns from the first to the last of a band's steps and the one below. */
gint64 cs_gain_plan_widest(const CsGainPlan *plan);

/* The plan of a coarse count of all diagonals of m rows and n columns, without a strip. */
CsGainPlan *cs_gain_plan_far(const CsGainRule *rule, gint64 m, gint64 n);

/* How many diagonals to count on either side of the strip, so that the gain of a path that comes
 * from further away has fallen by so much. */
gint64 cs_gain_plan_beside(const CsGainRule *rule, gboolean gpu, CsScore fall);

/*
 * Counts the gains. *cells, unless NULL, becomes the number of cells computed for that. Fails with
 * CS_ERROR_DEVICE if there is not enough memory, and with CS_ERROR_STOPPED soon after the survey's
 * *stop (if any) becomes nonzero.
 */
CsGainTable *cs_gains_new(const CsGainPlan *plan, const CsSurvey *survey, const CsBounds *bounds,
                          gint64 *cells, GError **error);

/* The most bytes that counting takes, by any plan for m rows and n columns. *kept is what the table
 * takes of these. */
guint64 cs_gains_memory(gint64 m, gint64 n, guint64 *kept);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainPlan, cs_gain_plan_clear)

#endif
