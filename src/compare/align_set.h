/*
 * A set of alignments that is being found.
 *
 *     align_set.c     checks what is asked for, and tells the progress
 *     one_to_one.c    best first, over boxes of bases that are not taken
 *     set_box.c       the best alignment of one box
 *     set_keep.c      the alignments so far, in the checkpoint
 *     all.c           the next best without the pairs of those before (alignment/masked_matrix)
 */
#ifndef CS_COMPARE_ALIGN_SET_H
#define CS_COMPARE_ALIGN_SET_H

#include <chromosweep/align_set.h>

#include "alignment/masked_matrix.h"
#include "compare/comparison.h"

/* What is small, and how tiles are cut; 0 takes a value that is fast. */
typedef struct {
    double small; /* cells of a box that takes next to no time */
    CsMaskedSizes masked;
} CsSetSizes;

typedef struct {
    const CsSequence *target, *query;
    gint64 target_period, query_period; /* of circular records, whose bases are there twice; or 0 */
    CsSequence *owned[2];               /* such sequences, or NULL */
    const CsCompareOptions *options;    /* never NULL */
    CsSetSizes sizes;
    CsAlignSetRule rule;
    CsScore least; /* that an alignment scores, at least 1 */
    gint64 most;   /* alignments, or G_MAXINT64 */
    gint64 max_drop;
    gboolean self;         /* only pairs whose base of the query lies beyond that of the target */
    GPtrArray *found;      /* of CsAlignment, in their order */
    gint64 cells;          /* of all strands */
    gint64 cells_computed; /* by sweeps that have ended */
    double seconds;        /* that those took */
    CsCompareResult last;  /* the latest of them */
    double done, sweep;    /* the share of the work that is done, and that the sweep under way is */
    double told;           /* the share that was told last, and when */
    gint64 next;
    gint64 begun;
    gboolean stopped;  /* the progress function asked to stop */
    gboolean save;     /* the control function asked to save */
    gint64 saved;      /* when the set was saved last, on the monotonic clock */
    gboolean complete; /* nothing is left to find */
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

/* A box with so many cells takes next to no time. */
static inline double
cs_set_small(const CsSetWork *work)
{
    return work->sizes.small > 0 ? work->sizes.small : 1e9;
}

/* Where an alignment lies. */
CsSetBox cs_set_box_of(const CsSetWork *work, const CsAlignment *alignment);

/* Does what cs_align_set() does, with other sizes. */
GPtrArray *cs_set_find(const CsSequence *target, const CsSequence *query,
                       const CsCompareOptions *options, const CsAlignSetOptions *set,
                       const CsSetSizes *sizes, GError **error);

/* Loads the alignments that an earlier run saved in the checkpoint of the whole comparison, if it was
 * to find the same set, and what it said of their end. */
void cs_set_keep_load(CsSetWork *work, const CsComparison *whole);

/* The path of an alignment of the set through the whole matrix of its strand. */
gboolean cs_set_keep_path(const CsSetWork *work, const CsComparison *whole,
                          const CsAlignment *alignment, CsPath *path, GError **error);

/* Saves those that were found, at once or when it is time. What was found has to be whole: all
 * pieces of an alignment. */
void cs_set_keep_save(CsSetWork *work, const CsComparison *whole);
void cs_set_keep_save_if_due(CsSetWork *work, const CsComparison *whole);

/* Find a set, or what is left of it. The comparison is that of the whole sequences. */
gboolean cs_one_to_one_run(CsSetWork *work, const CsComparison *whole, GError **error);
gboolean cs_all_run(CsSetWork *work, const CsComparison *whole, GError **error);

#endif
