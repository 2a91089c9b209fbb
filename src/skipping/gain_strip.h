/*
 * A strip around the best path in which gains are exact, as far as the gains around it are
 * (gains.h). A CPU kernel computes it: what an alignment can still gain is the H of the two
 * sequences read backwards.
 *
 *              |  strip  |                   A band's part are a few steps, each a rectangle. From
 *      line  --+---------+--                 below come the values of the strip below or, beside
 *              |  <---   |  side: match      those, on a line the gains of blocks. On the right,
 *              +---^-----+-+  per row + gain where a path may leave it, and beside a step comes a
 *                |   ^     |                 match for each row down to the line and then the
 *      line  ----+---|-----+--------         highest gain that can be reached.
 *                   |  strip  |
 */
#ifndef CS_GAIN_STRIP_H
#define CS_GAIN_STRIP_H

#include <pthread.h>
#include <stdatomic.h>

#include "cpu/simd.h"
#include "skipping/gain_grid.h"

/* Columns from + 1 .. to; none if from = to. */
typedef struct {
    gint64 from, to;
} CsGainSpan;

/* How it is computed. */
typedef struct {
    gint64 height;  /* rows of a step */
    gint64 piece;   /* columns that a kernel computes at once */
    gint64 widest;  /* the most columns that a band's steps and the one below them have together */
    gint64 threads; /* at most */
    const gint *stop; /* or NULL: once nonzero, the rest of a band is left out */
} CsGainStripShape;

typedef struct _CsGainClimber CsGainClimber;

/* How far a step has come: it and those below have computed from this column on. */
typedef struct {
    atomic_llong column;
    atomic_int waiting; /* whether a thread sleeps until the column is further to the left */
} CsGainPassed;

typedef struct {
    const CsGainRule *rule;
    const CsGainBases *bases;
    const CsScoring *scoring;
    const gint *stop;
    gint64 height, steps, piece;        /* rows of a step, steps of a band, columns of a piece */
    const CsSimdKernel *const *kernels; /* NULL: the scalar one */

    /* For each column, modulo a power of two, after the latest step there: the gain, and the gain
     * with a deletion first. */
    gint32 *h, *f;
    gint64 mask;
    gint64 from, to; /* the columns of the band's top step; none before the first band */

    /* The band that is computed. */
    gint64 first, line; /* after row `first`, up to the line */
    const CsGainSpan *spans;
    CsGainSpan under;         /* the step below them */
    const CsGainReach *below; /* or NULL: the strip is a section's (gain_section.h) */
    gint32 entered;           /* then this stands for all that is reached below */

    atomic_llong left;       /* steps that nobody has taken */
    CsGainPassed *passed;    /* of each step, and of the one below the band */
    pthread_mutex_t mutex;   /* for those who wait longer */
    pthread_cond_t *changed; /* of each step */

    gint64 climbers;
    gpointer memory; /* of all climbers */
} CsGainStrip;

/* The rule, the bases and the scoring must outlive it. Fails with CS_ERROR_DEVICE if there is not
 * enough memory. */
gboolean cs_gain_strip_init(CsGainStrip *strip, const CsGainStripShape *shape,
                            const CsGainRule *rule, const CsGainBases *bases,
                            const CsScoring *scoring, GError **error);
void cs_gain_strip_clear(CsGainStrip *strip);

/* Begins a band: a span of columns for each of its steps, the top one first. Of a section, `below` is
 * NULL. Returns how many threads are worth it. */
gint64 cs_gain_strip_begin(CsGainStrip *strip, gint64 band, const CsGainSpan *spans,
                           const CsGainReach *below);

/* Computes steps of the band until all are taken. Several threads may do so at once, each with a
 * number of its own, below the number that begin() returned. One alone computes all. */
void cs_gain_strip_climb(CsGainStrip *strip, gint64 number);

/* After that: lowers the values after some columns of the line above, where the strip has them. */
void cs_gain_strip_limit(CsGainStrip *strip, const CsGainSpan *columns, const gint32 *h,
                         const gint32 *f);

/* The highest gain in some columns after the line above, at least 0. */
gint32 cs_gain_strip_highest(const CsGainStrip *strip, const CsGainSpan *columns);

/* Copies the values after the line above; and back, into a strip that has not computed the band. */
void cs_gain_strip_take(const CsGainStrip *strip, const CsGainSpan *columns, gint32 *h, gint32 *f);
void cs_gain_strip_put(CsGainStrip *strip, const CsGainSpan *columns, const gint32 *h,
                       const gint32 *f);

/* The cells computed so far. */
gint64 cs_gain_strip_cells(const CsGainStrip *strip);

/* After that: the blocks of the line above that have columns of the strip; none if from = to. */
CsGainSpan cs_gain_strip_blocks(const CsGainStrip *strip, gint64 band);

/* Lowers the gains of some of these blocks, where they lie in the strip. Returns the highest gain of
 * the strip's cells in the blocks. Several threads may do so at once, each for blocks of its own. */
gint32 cs_gain_strip_lower(const CsGainStrip *strip, gint64 band, CsGainReach *line,
                           const CsGainSpan *blocks);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsGainStrip, cs_gain_strip_clear)

#endif
