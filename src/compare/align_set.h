/*
 * A set of alignments that is being found.
 *
 *     align_set.c     checks what is asked for, and tells the progress
 *     one_to_one.c    best first, over boxes of bases that are not taken
 *     set_box.c       the best alignment of one box
 */
#ifndef CS_COMPARE_ALIGN_SET_H
#define CS_COMPARE_ALIGN_SET_H

#include <chromosweep/align_set.h>

#include "compare/comparison.h"

typedef struct {
    const CsSequence *target, *query;
    const CsCompareOptions *options; /* never NULL */
    double small;                    /* a box with so many cells takes next to no time */
    CsScore least;                   /* that an alignment scores, at least 1 */
    gint64 most;                     /* alignments, or G_MAXINT64 */
    gint64 max_drop;
    GPtrArray *found;      /* of CsAlignment, in their order */
    gint64 cells;          /* of all strands */
    gint64 cells_computed; /* by sweeps that have ended */
    double seconds;        /* that those took */
    double done, sweep;    /* the share of the work that is done, and that the sweep under way is */
    double told;           /* the share that was told last, and when */
    gint64 next;
    gint64 begun;
    gboolean stopped; /* the progress function asked to stop */
} CsSetWork;

/* Whether to stop: fails with CS_ERROR_STOPPED. */
gboolean cs_set_go_on(CsSetWork *work, GError **error);

/* Tells what is done, now and then; at the end (done 1) always. inner: of the sweep under way, or
 * NULL. */
void cs_set_tell(CsSetWork *work, const CsProgress *inner);

/* Bases of the target and the query, counted from the first of each that is compared. */
typedef struct {
    gint64 target, target_end; /* from the one after so many, to this one */
    gint64 query, query_end;
    CsStrand strand;
} CsSetBox;

/* What is small if nothing else is asked for. */
#define CS_SET_SMALL 1e9

static inline double
cs_set_box_cells(const CsSetBox *box)
{
    return (double)(box->target_end - box->target) * (double)(box->query_end - box->query);
}

/*
 * The best alignment in a box if it scores at least `floor`, else NULL. hopeless: it most likely
 * does not.
 */
gboolean cs_set_box_align(CsSetWork *work, const CsSetBox *box, CsScore floor, gboolean hopeless,
                          CsAlignment **alignment, GError **error);

/* Where an alignment lies. */
CsSetBox cs_set_box_of(const CsSetWork *work, const CsAlignment *alignment);

/* Does what cs_align_set() does, with another size of boxes that are small. */
GPtrArray *cs_set_find(const CsSequence *target, const CsSequence *query,
                       const CsCompareOptions *options, const CsAlignSetOptions *set, double small,
                       GError **error);

/* Finds the set. */
gboolean cs_one_to_one_run(CsSetWork *work, GError **error);

#endif
