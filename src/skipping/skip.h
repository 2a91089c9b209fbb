/*
 * What a local sweep of a whole matrix may skip, and why: the bounds and the threshold of
 * skip_rule.h, found before the sweep.
 *
 *     seeds -> chain -> corridor -> lower bound     (lower_bound.h)
 *          `-> absent k-mers -> bounds               (bounds.h) beside chain and corridor
 *
 * Where it is to find out itself whether that pays, each stage that is dear is begun only where the
 * one before lets hope so: a chain that promises little ends it all.
 */
#ifndef CS_SKIP_H
#define CS_SKIP_H

#include <stdatomic.h>

#include <chromosweep/control.h>
#include <chromosweep/skip.h>

#include "lower_bound/lower_bound.h"
#include "skipping/bounds.h"
#include "sweep/rectangle.h"

typedef struct {
    CsSkipMode mode;  /* that is used: never CS_SKIP_AUTO */
    CsBounds *bounds; /* NULL with CS_SKIP_NONE */
    CsLowerBound lower;
    double share_left; /* with CS_SKIP_BOUNDS: of the cells, what will about remain beside a band */
    double seconds;    /* of all stages */
    double seconds_bounds; /* of the bounds, which are found beside the lower bound */
    CsSeed *chain;         /* that the lower bound came from, if it was to be kept, or NULL */
    gint64 chain_length;
    char *note; /* why it is less than what was wanted, or NULL */
} CsSkip;

/* What whoever waits for it may look at meanwhile. */
typedef struct {
    atomic_int stage;         /* CsStage */
    atomic_llong lower_bound; /* as soon as there is one, or 0 */
} CsSkipWatch;

/* How to look for it. */
typedef struct {
    CsSkipMode wanted;
    gboolean gpu; /* what will sweep is one: the same cells cost a sixtieth */
    guint threads;
    gboolean keep_chain;
    gint64 sweep_bytes;   /* of memory, that the sweep will need after the search */
    CsScore known;        /* the lower bound where it was found before, or 0 */
    CsSeedsIndex **index; /* as in lower_bound.h; both strands of a pair may share one; or NULL */
    const gint *stop;     /* or NULL */
    const CsKeep *keep;   /* of what earlier runs found (survey.h), or NULL */
    gboolean give_up;     /* takes what is kept, or else the best score so far, and looks for
                             nothing */
    CsSkipWatch *watch;   /* or NULL */
} CsSkipSearch;

/*
 * Finds what the mode needs. CS_SKIP_AUTO becomes CS_SKIP_NONE where it would not pay.
 * CS_SKIP_BOUNDS becomes CS_SKIP_BEST under a scoring that has no bounds beside matches, and, as
 * CS_SKIP_AUTO does, where memory is short, which is noted. All become CS_SKIP_NONE where there are
 * no cells. Fails with CS_ERROR_STOPPED soon after *stop becomes other than 0, and with other
 * errors as its stages do; skip can be cleared in either case.
 */
gboolean cs_skip_init(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search,
                      GError **error);
void cs_skip_clear(CsSkip *skip);

/* Gives back what was found, for a sweep that would have too little memory beside it, and skips
 * nothing; the note says why. */
void cs_skip_give_way(CsSkip *skip, const char *cause);

/* Whether that takes any time, in which somebody may want to stop it. */
gboolean cs_skip_takes_time(const CsRectangle *whole, const CsSkipSearch *search);

/* What cs_skip_init() begins with: CS_STAGE_SWEEP where no stage takes any time. */
CsStage cs_skip_first_stage(const CsRectangle *whole, const CsSkipSearch *search);

/*
 * Whether blocks are to be small (CsRectangle's skipping). Where more than half of the cells remain,
 * those of a dense sweep skip nearly as much and are never slower: ones of 768 x 5,676 took 15%
 * longer where nothing was skipped. A GPU has others wherever it is to skip anything.
 */
gboolean cs_skip_wants_small_blocks(const CsSkip *skip, gboolean gpu);

/*
 * No sweep of a whole ends below the score of an alignment that is known. Fails with
 * CS_ERROR_FAILED: then the program is wrong, and its result is not to be given out.
 */
gboolean cs_skip_check_score(CsScore known, CsScore score, GError **error);

/* The bytes that cs_skip_init() holds at its peak, and those of what it returns. */
guint64 cs_skip_memory(gint64 m, gint64 n, guint threads, guint64 *kept);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsSkip, cs_skip_clear)

/* What a part was given to skip by. */
typedef struct {
    CsRectangle *part; /* NULL: nothing */
    CsScore *rows, *columns;
} CsSkipBounds;

/*
 * Gives a part of the whole, which lies below so many rows and right of so many columns, what it
 * may skip, for its grid; best is a score that is known to be reached. To be detached before the
 * part goes. No skip (NULL) is one that skips nothing.
 */
CsSkipBounds cs_skip_attach(const CsSkip *skip, CsRectangle *part, const CsGrid *grid, gint64 above,
                            gint64 left, CsScore best);
void cs_skip_detach(CsSkipBounds *attached);

#endif
