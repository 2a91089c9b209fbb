/*
 * What a sweep of a whole matrix may skip: the bounds and the threshold of skip_rule.h, found
 * before the sweep.
 *
 *     seeds -> chain -> corridor -> lower bound     (lower_bound.h)
 *          `-> absent k-mers -> bounds               (bounds.h) while chain and corridor run
 *
 * CS_SKIP_AUTO begins an expensive stage only if the stage before suggests that skipping will save
 * time. A chain that promises little ends the search.
 */
#ifndef CS_SKIP_H
#define CS_SKIP_H

#include <stdatomic.h>

#include <chromosweep/control.h>
#include <chromosweep/skip.h>

#include "lower_bound/lower_bound.h"
#include "skipping/bounds.h"
#include "skipping/gain_rule.h"
#include "skipping/stage_time.h"
#include "sweep/gain_table.h"
#include "sweep/rectangle.h"
#include "sweep/sweep.h"

typedef struct {
    CsSkipMode mode;    /* the mode in use, never CS_SKIP_AUTO */
    CsBounds *bounds;   /* NULL with CS_SKIP_NONE */
    CsGainTable *gains; /* sharper bounds near the best path (gains.h), or NULL */
    CsLowerBound lower;
    CsScore floor;         /* as in CsSkipSearch */
    double share_left;     /* with CS_SKIP_BOUNDS: about what share of the cells will be computed,
                              apart from a band */
    double seconds;        /* of all stages */
    double seconds_bounds; /* of the bounds, which are found at the same time as the lower bound */
    gint64 cells_gains;    /* computed for the gains */
    CsSeed *chain;         /* the chain behind the lower bound if keep_chain was set, or NULL */
    gint64 chain_length;
    CsLowerBoundCut *cuts; /* cells on it whose H is known, or NULL */
    gint64 n_cuts;
    char *note; /* why less can be skipped than was asked for, or NULL */
} CsSkip;

/* What another thread may look at during the search. */
typedef struct {
    atomic_int stage;         /* CsStage */
    atomic_llong lower_bound; /* 0 until there is one */
} CsSkipWatch;

/* Is told, on the thread of the search, when more is known of what the sweep will skip: `skip` has bounds
 * and a lower bound, which are guessed at first (skip_guess.h); table and follow are those of cs_foresight(). */
typedef struct {
    void (*func)(const CsSkip *skip, const CsGainTable *table, gboolean follow, gpointer data);
    gpointer data;
} CsSkipNews;

/* Stages that began before the search (cs_skip_ahead_new()). */
typedef struct _CsSkipAhead CsSkipAhead;

/* How to search. */
typedef struct {
    CsSkipMode wanted;
    gboolean gpu; /* whether a GPU will sweep, which computes the same cells in a sixtieth of the
                     time */
    const CsSweepOptions *sweep; /* its engine and the engine's options, with which it also counts
                                    gains; or NULL: they are counted without it */
    guint threads;
    gboolean keep_chain;
    gint64 sweep_bytes; /* memory that the sweep will need after the search */
    CsScore known;      /* the lower bound if it was found before, or 0 */
    CsScore floor; /* lower scores do not matter, so cells that cannot reach this are skipped, too;
                             or 0 */
    gboolean hopeless;    /* most likely nothing scores so much: look for no lower bound */
    CsSeedsIndex **index; /* as in lower_bound.h; both strands of a pair may share one; or NULL */
    const gint *stop;     /* or NULL */
    CsSkipAhead *ahead;   /* what has begun of this search, and is taken over, or NULL */
    const CsKeep *keep;   /* of what earlier runs found (survey.h), or NULL */
    gboolean give_up;     /* search for nothing: use what is kept, or else the best score so far */
    CsSkipWatch *watch;   /* or NULL */
    CsStageTime *time;    /* or NULL: has begun, and is told how far the stages are */
    const CsSkipNews *news;        /* or NULL */
    const CsGainSizes *gain_sizes; /* for tests, or NULL */
} CsSkipSearch;

/*
 * Finds what the mode needs.
 *
 * CS_SKIP_AUTO becomes CS_SKIP_NONE if skipping would not save time. CS_SKIP_BOUNDS becomes
 * CS_SKIP_BEST if the scoring allows no bounds better than a match for each base. Both become
 * CS_SKIP_BEST, with a note, if memory is short. Every mode becomes CS_SKIP_NONE if there are no
 * cells. Fails with CS_ERROR_STOPPED soon after *stop (if any) becomes nonzero, and with other
 * errors as its stages do. After a failure, skip can still be cleared.
 */
gboolean cs_skip_init(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search,
                      GError **error);
void cs_skip_clear(CsSkip *skip);

/*
 * Begins the lower bound and the bounds of a search on a thread of its own, for a caller that does not know its
 * sweep yet. The search must be the same later, but for what needs the sweep, who watches, index and stop. NULL
 * if it has no such stages, or if a thread or plenty of memory is lacking.
 */
CsSkipAhead *cs_skip_ahead_new(const CsRectangle *whole, const CsSkipSearch *search);

/* Stops what still runs. */
void cs_skip_ahead_free(CsSkipAhead *ahead);

/* Scores below a higher floor do not matter any more. Finds bounds if there are none and those now
 * pay. Fails as cs_skip_init() does. */
gboolean cs_skip_raise_floor(CsSkip *skip, const CsRectangle *whole, const CsSkipSearch *search,
                             CsScore floor, GError **error);

/* Frees what was found, because the sweep needs the memory. Nothing is skipped then; the note says
 * why. */
void cs_skip_give_way(CsSkip *skip, const char *cause);

/* Whether cs_skip_init() takes so much time that somebody may want to stop it. */
gboolean cs_skip_takes_time(const CsRectangle *whole, const CsSkipSearch *search);

/* What cs_skip_init() begins with: CS_STAGE_SWEEP where no stage takes any time. */
CsStage cs_skip_first_stage(const CsRectangle *whole, const CsSkipSearch *search);

/*
 * Whether blocks should be small (CsRectangle's skipping). If more than half of the cells remain,
 * the blocks of a dense sweep skip nearly as much and are never slower: small blocks of 768 x 5,676
 * took 15% longer when nothing was skipped. A GPU uses other blocks whenever it may skip anything.
 */
gboolean cs_skip_wants_small_blocks(const CsSkip *skip, gboolean gpu);

/*
 * Checks that the score of a whole matrix is not below the score of a known alignment. Fails with
 * CS_ERROR_FAILED: the program is then wrong, and its result must not be reported.
 */
gboolean cs_skip_check_score(CsScore known, CsScore score, GError **error);

/* The bytes that cs_skip_init() holds at its peak, with gains or without; *kept is how many of them
 * its result takes. */
guint64 cs_skip_memory(gint64 m, gint64 n, gboolean gains, guint threads, guint64 *kept);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsSkip, cs_skip_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsSkipAhead, cs_skip_ahead_free)

/* The bounds that are attached to a part. */
typedef struct {
    CsRectangle *part; /* NULL: none are attached */
    CsScore *rows, *columns;
} CsSkipBounds;

/*
 * Attaches bounds and threshold to a part of the whole matrix, for the part's grid. The part lies
 * below `above` rows and right of `left` columns. best is the score of some real alignment, or 0. A
 * NULL skip skips nothing. Detach the bounds before the part is freed.
 */
CsSkipBounds cs_skip_attach(const CsSkip *skip, CsRectangle *part, const CsGrid *grid, gint64 above,
                            gint64 left, CsScore best);
void cs_skip_detach(CsSkipBounds *attached);

#endif
