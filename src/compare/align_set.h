/*
 * A set of alignments that is being found.
 *
 *     align_set.c     checks what is asked for, and tells the progress
 *     one_to_one.c    best first, over boxes of bases that are not taken
 *     set_box.c       the best alignment of one box
 *     set_join.c      many boxes in one sweep, most of which hold none
 *     set_keep.c      the alignments so far, in the checkpoint
 *     align_set_many.c  of all records of two files
 *     all_circle.c    the same on circles, where pairs have copies
 *     all.c           the next best without the pairs of those before (alignment/masked_matrix)
 */
#ifndef CS_COMPARE_ALIGN_SET_H
#define CS_COMPARE_ALIGN_SET_H

#include <chromosweep/align_set.h>

#include "alignment/masked_matrix.h"
#include "compare/comparison.h"

/* Values of `later`: not known, or as long as the sweep under way. */
#define CS_SET_LATER_UNKNOWN (-1.0)
#define CS_SET_LATER_AS_NOW (-2.0)

/* What is small, and how tiles are cut; 0 takes a value that is fast. */
typedef struct {
    double small; /* cells of a box that takes next to no time */
    gint64 join;  /* 1 or more: all boxes are joined, with marks of such squares; below 0: none */
    CsScore far;  /* with all: an alignment that scores so much is found before the others */
    CsMaskedSizes masked;
} CsSetSizes;

/* Bases of target and query that nobody takes: those between records that were joined. */
typedef struct {
    const gint64 *at[2]; /* bases before each, in order */
    guint n[2];
} CsSetBars;

/* Bases of the target and the query, counted from the first of each that is compared. */
typedef struct {
    gint64 target, target_end; /* from the one after so many, to this one */
    gint64 query, query_end;
    CsStrand strand;
} CsSetBox;

/* A box, and what is known of it. */
typedef struct {
    CsSetBox box;
    gboolean round[2]; /* its target, its query: a whole circle, of which no base is taken */
    CsScore most;      /* no alignment in it scores more */
    CsAlignment *best; /* its best alignment, or NULL: not known */
    gboolean slow;     /* a run was stopped in it, so it gets a checkpoint even if it is small */
    gboolean joined;   /* a sweep with other boxes did not rule it out */
} CsSetPart;

typedef struct _CsSetJoin CsSetJoin;

typedef struct {
    const CsSequence *target, *query;
    const CsSetBars *bars;              /* or NULL */
    gint64 target_period, query_period; /* of circular records, whose bases are there twice; or 0 */
    CsSequence *owned[2];               /* such sequences, or NULL */
    CsSetBars doubled;                  /* the bars between them, */
    gint64 *owned_bars[2];              /* of which these were made for it, or NULL */
    /* All alignments of these: pairs that boxes may not have, in all copies; of CsMaskRun, with rows of
     * the target and columns of the query as it is read. NULL: all may be had. */
    GArray *masked;
    const CsCompareOptions *options; /* never NULL */
    /* Of all bases, which are doubled if they are circular. It has the checkpoint, if there is one. */
    const CsComparison *keeper;
    CsSetSizes sizes;
    CsAlignSetRule rule;
    CsScore least; /* that an alignment scores, at least 1 */
    gint64 most;   /* alignments, or G_MAXINT64 */
    gint64 max_drop;
    gboolean self;         /* only pairs whose base of the query lies beyond that of the target */
    GPtrArray *found;      /* of CsAlignment, in their order: at least those that are wanted */
    GArray *wholes;        /* of CsScore, one-to-one: of the alignment that each is a piece of */
    GPtrArray *parts;      /* of CsSetPart, one-to-one: all that may hold an alignment of the set */
    GPtrArray *closed;     /* likewise: that were swept, and hold none */
    GPtrArray *joins;      /* of CsSetJoin, one-to-one: sweeps of many boxes */
    double join_vain;      /* cells of a box, one-to-one: such boxes were joined in vain; or 0 */
    gboolean gpu;          /* one-to-one: whether a large box is swept on a GPU */
    gboolean ended[2];     /* nothing more scores enough: with all on plus, on minus; else [0] */
    char *folder;          /* of the checkpoint of a box; NULL: none is kept */
    gint64 cells;          /* of all strands */
    gint64 cells_computed; /* by sweeps that have ended */
    double seconds;        /* that those took */
    CsCompareResult last;  /* the latest of them */
    double done, sweep;    /* the share of the work that is done, and that the sweep under way is */
    double later;          /* all: seconds of a sweep after the one under way; or one of these: */
    const CsEndMarks *marking; /* all: those of the sweep under way, or NULL */
    double after; /* all: seconds that tiles and traces of plus took, with so many squares */
    gint64 after_squares; /* marked by a CPU; 0: not known */
    double told;          /* the share that was told last, and when to tell it again */
    gint64 next;
    gint64 begun;
    double
        timed_share;  /* that was done when the first sweep of this run began, and when that was; */
    gint64 timed;     /* 0: it has not begun */
    gboolean stopped; /* the progress function asked to stop */
    gboolean save;    /* the control function asked to save */
    gint64 saved;     /* when the set was saved last, on the monotonic clock */
} CsSetWork;

/* Whether nothing is left to find; with all, on a strand. */
gboolean cs_set_is_complete(const CsSetWork *work);
gboolean cs_set_strand_is_complete(const CsSetWork *work, CsStrand strand);

/* Whether to stop: fails with CS_ERROR_STOPPED. */
gboolean cs_set_go_on(CsSetWork *work, GError **error);

/* Tells what is done, now and then; at the end (done 1) always. inner: of the sweep under way, or
 * NULL. */
void cs_set_tell(CsSetWork *work, const CsProgress *inner);

static inline double
cs_set_box_cells(const CsSetBox *box)
{
    return (double)(box->target_end - box->target) * (double)(box->query_end - box->query);
}

/* A match for each base of the shorter side: no alignment in it scores more. */
static inline CsScore
cs_set_box_most(const CsSetWork *work, const CsSetBox *box)
{
    return work->options->scoring.match *
           MIN(box->target_end - box->target, box->query_end - box->query);
}

static inline gboolean
cs_set_box_holds(const CsSetBox *box, const CsSetBox *other)
{
    return other->target >= box->target && other->target_end <= box->target_end &&
           other->query >= box->query && other->query_end <= box->query_end;
}

void cs_set_part_free(gpointer part);

/* What is looked for in a box. */
typedef struct {
    CsScore floor;     /* an alignment that scores at least so much is found */
    gboolean hopeless; /* most likely there is none */
    CsScore least;     /* and one of at least so much if nothing was skipped, at most the floor */
    CsEndMarks *marks; /* in place of an alignment (cs_set_box_mark()), or NULL */
} CsSetAim;

/*
 * Finds the best alignment in a part's box if it scores enough, else leaves it NULL, and lowers the most
 * that one in it scores. With a checkpoint a box that is large or slow has one, too, from which the
 * next run goes on; *kept says so. It stays until cs_set_box_forget().
 */
gboolean cs_set_box_align(CsSetWork *work, CsSetPart *part, const CsSetAim *aim, gboolean *kept,
                          GError **error);
void cs_set_box_forget(const CsSetWork *work);

/*
 * Sweeps a box on any engine, and marks where alignments end that score enough (sweep/end_marks.h). With a
 * checkpoint the sweep and the marks are kept as a box is, also after the sweep. The second says
 * whether such a sweep was begun.
 */
gboolean cs_set_box_mark(CsSetWork *work, const CsSetBox *box, CsEndMarks *marks, GError **error);
gboolean cs_set_box_is_marked(const CsSetWork *work, const CsSetBox *box, const CsEndMarks *marks);

/* The CPU threads of a sweep. */
guint cs_set_threads(const CsSetWork *work);

/* Whether a sweep of so many cells runs on a GPU. */
gboolean cs_set_uses_gpu(const CsSetWork *work, double cells);

/* Sweeps joined bases without a checkpoint, and marks where alignments end on a strand. */
gboolean cs_set_box_mark_joined(CsSetWork *work, const CsSequence *target, const CsSequence *query,
                                CsStrand strand, CsEndMarks *marks, GError **error);

/*
 * Sweeps boxes of one strand together if that saves time, the first one and others of `parts` (of
 * CsSetPart, each with at most as many cells as cs_set_join_takes() allows). *swept says whether it did. Then the
 * next call says of each of these boxes, and of any box inside, whether it holds no alignment that scores enough;
 * else it is marked as joined. A run that is stopped marks the first box as slow, so that the next one does
 * not join it again.
 */
gboolean cs_set_join_sweep(CsSetWork *work, GPtrArray *parts, gboolean *swept, GError **error);
gboolean cs_set_join_excludes(const CsSetWork *work, const CsSetBox *box);
gboolean cs_set_join_takes(const CsSetWork *work, const CsSetBox *box);
void cs_set_join_free(gpointer join);

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

/* The same of joined sequences (align_set_many.c): no alignment passes a bar. */
GPtrArray *cs_set_find_between(const CsSequence *target, const CsSequence *query,
                               const CsSetBars *bars, const CsCompareOptions *options,
                               const CsAlignSetOptions *set, const CsSetSizes *sizes,
                               GError **error);

/* Does what cs_align_set_many() does, with other sizes. */
GPtrArray *cs_set_find_many(const CsSequence *const *targets, guint n_targets,
                            const CsSequence *const *queries, guint n_queries,
                            const CsCompareOptions *options, const CsAlignSetOptions *set,
                            const CsSetSizes *sizes, GError **error);

/* Opens the checkpoint of the comparison, which holds a state from the beginning. */
gboolean cs_set_open_checkpoint(CsSetWork *work, CsComparison *whole, GError **error);

/*
 * Loads what an earlier run saved in the checkpoint of the whole comparison: the alignments that
 * belong to this set, whether there are more, and boxes (work->parts), of which only those matter that
 * are still boxes. Limits may be others than those of the earlier run. Fails with CS_ERROR_USAGE if
 * the alignments are those of another rule. What is damaged counts as missing.
 */
gboolean cs_set_keep_load(CsSetWork *work, const CsComparison *whole, GError **error);

/* The path of an alignment of the set through the whole matrix of its strand. */
gboolean cs_set_keep_path(const CsSetWork *work, const CsComparison *whole,
                          const CsAlignment *alignment, CsPath *path, GError **error);

/* Appends an alignment to a list of numbers, as a path through the whole matrix of its strand. of: the
 * score of the one that it is a piece of, or its own. */
gboolean cs_set_keep_append(const CsSetWork *work, const CsComparison *whole,
                            const CsAlignment *alignment, CsScore of, GArray *numbers,
                            GError **error);

/* Numbers that are read one after the other, up to the last. The first function takes so many; NULL: not
 * so many are left. The second reads an alignment and scores it anew; NULL: it is none. */
typedef struct {
    const gint64 *next;
    gint64 left;
} CsSetReader;
const gint64 *cs_set_reader_take(CsSetReader *reader, gint64 count);
CsAlignment *cs_set_keep_read(const CsSetWork *work, const CsComparison *whole, CsSetReader *reader,
                              CsScore *of);

/* Saves those that were found, at once or when it is time. What was found has to be whole: all
 * pieces of an alignment. FALSE: it could not be saved, and a note said so. */
gboolean cs_set_keep_save(CsSetWork *work, const CsComparison *whole);
void cs_set_keep_save_if_due(CsSetWork *work, const CsComparison *whole);

/* Find a set, or what is left of it. The comparison is that of the whole sequences. */
gboolean cs_one_to_one_run(CsSetWork *work, const CsComparison *whole, GError **error);
gboolean cs_all_run(CsSetWork *work, CsComparison *whole, GError **error);

/* The bytes of borders of tiles within the row budget, at most, if alignments are to score so much.
 * Fails with CS_ERROR_DEVICE if that is too little. */
gboolean cs_all_borders(const CsComparison *whole, CsScore least, double *bytes, GError **error);

/* Checks what a set's options have to have. */
gboolean cs_set_check(const CsCompareOptions *options, const CsAlignSetOptions *set,
                      GError **error);

/* The engine and the budget of the tiles of a masked matrix. */
const CsEngineClass *cs_all_engine(const CsDeviceChoice *choice);
gint64 cs_all_budget(const CsCompareOptions *options);

static inline gboolean
cs_set_is_circular(const CsSetWork *work)
{
    return work->target_period > 0 || work->query_period > 0;
}

/* Masks the pairs of a path through the doubled matrix in all copies: in the matrix, and in boxes. */
gboolean cs_all_circle_mask(CsSetWork *work, const CsComparison *doubled, CsMaskedMatrix *matrix,
                            CsStrand strand, const CsPath *path, GError **error);

/* Moves a path so that it begins in the first copies, and tells where it ends. */
void cs_all_circle_settle(const CsSetWork *work, const CsComparison *doubled, CsPath *path,
                          CsBest *end);

/* Whether an alignment with such a path has no base twice. */
gboolean cs_all_circle_fits(const CsSetWork *work, const CsComparison *doubled, CsStrand strand,
                            const CsPath *path);

/* Whether rows and columns are the same circle, of which an alignment has to lie in one turn. */
gboolean cs_all_circle_is_tied(const CsSetWork *work, CsStrand strand);

/* Finds the best alignment of a box without the pairs that are masked, if it scores at least `floor`; else it is
 * NULL. The options of the comparison, which is that of the box, were read. kept: what is computed is kept in the
 * checkpoint, until cs_all_circle_forget(). */
gboolean cs_all_circle_box(CsSetWork *work, const CsComparison *comparison, const CsSetBox *box,
                           CsScore floor, gboolean kept, CsAlignment **best, GError **error);
void cs_all_circle_forget(const CsSetWork *work);

/* What tells these masked pairs from others, in whatever order they were masked; 0: there are none. */
gint64 cs_all_circle_hash(const CsSetWork *work);

/* Puts the alignments of both strands in order. */
void cs_all_put_in_order(CsSetWork *work);

#endif
