/*
 * A comparison under way: the arguments of cs_compare() or cs_plan(), and everything known so far.
 * The members are filled from top to bottom.
 *
 *     compare_options.c   reads the options
 *     compare_engine.c    chooses an engine, cuts the grid, checks that there is enough memory
 *     compare_skip.c      finds what can be skipped; compare_keep.c keeps the findings
 *     compare_rows.c      chooses the rows that are kept for an alignment
 *     compare.c           runs the sweeps, resumable if there is a checkpoint
 *     align.c             traces alignments back from their ends
 *     compare_result.c    makes the result
 *     compare_notes.c     tells notes to the caller
 *     compare_progress.c  tells progress to the caller
 *     compare_foretell.c  how long all takes, before the sweeps
 */
#ifndef CS_COMPARISON_H
#define CS_COMPARISON_H

#include <pthread.h>

#include <chromosweep/align.h>

#include "alignment/row_queue.h"
#include "alignment/trace.h"
#include "checkpoint/checkpoint.h"
#include "engines/device.h"
#include "ring/ring_share.h"
#include "skipping/skip.h"
#include "skipping/work_meter.h"
#include "sweep/strand.h"
#include "sweep/sweep.h"

/* What progress needs to know apart from the state. */
typedef struct {
    gint64 next; /* when to tell progress again, on the monotonic clock */
    CsStage stage;
    CsStrand stage_strand;
    gint64 stage_begun;   /* on the monotonic clock */
    gint64 lower_bound;   /* of any strand; 0: none is known */
    double speed;         /* effort (work_meter.h) per second lately; 0: not known */
    double model_seconds; /* those that the first sweep was expected to take, or 0 */
    double seconds;       /* seconds of computing when speed was last measured */
    double effort;        /* by then */
    double later_done;    /* share of the stages after the sweeps that is done */
    double trace_seconds; /* that the trace is expected to take if its strips are ordinary, or -1 */
    double trace_cost;    /* of its strips, of that of ordinary ones; 0: not known yet */
} CsProgressClock;

/* What is foretold of a strand that is not swept yet: of the stages before its sweep, and of this. */
typedef struct {
    gboolean wanted;
    CsStageTime time;
    atomic_llong effort; /* as of cs_work_meter_effort(), of what is left */
    atomic_bool wide;    /* the band that will be left, since no gains are counted */
    atomic_llong rows;   /* of the best alignment, about; 0: not known */
} CsForetold;

/*
 * The longer sequence lies along the rows. This makes the horizontal bus small, because it grows
 * with the columns. If the longer sequence is the query, the matrix is transposed, and so is the
 * tie order.
 */
typedef struct {
    const CsSequence *target, *query;
    const CsCompareOptions *options;
    /* For a part of two sequences (set_box.c): what it is a part of; the score that the sweep has to
     * find, or 0; whether most likely nothing scores so much; and the least score that is traced if
     * nothing was skipped. */
    const CsSequence *whole_target, *whole_query;
    CsScore floor;
    gboolean hopeless;
    gboolean alone;  /* other processes shall not take part */
    gboolean shared; /* they do */
    CsScore least;
    CsEndMarks *marks; /* that the sweep sets, of one strand, without traces; or NULL */
    CsPlacement placement;
    gint64 cells; /* of all strands */
    CsDeviceChoice choice;
    CsGridShape wish; /* the shape that was asked for */

    CsSweepOptions sweep; /* the engine that was chosen; its shape is the grid's */
    CsGrid *grid;         /* of the whole matrix of a strand */
    const char *phrase;   /* what the engine runs on */
    gboolean suspect;     /* its last test failed */
    gboolean any_device;  /* nobody asked for the members of the ring */
    gboolean measured;    /* the members' speeds */

    CsCheckpoint *checkpoint; /* NULL: nothing is saved */
    CsState state;            /* of all runs, as far as strands or runs are complete */
    gint64 cells_resumed;     /* what the state held when this run began: cells, */
    gint64 computed_resumed;  /* cells computed, */
    double seconds_resumed;   /* and seconds */

    gint64 sweep_bytes;       /* upper bound on the memory that a sweep will need */
    CsSkipAhead *ahead;       /* stages that run while an engine is chosen, or NULL */
    CsSkip skips[2];          /* CS_STRAND_PLUS, CS_STRAND_MINUS */
    CsStageSeconds stages[2]; /* the time that finding each of skips took */

    guint most_members[2]; /* of a ring that sweep a strand, from the first on; 0: all */

    gboolean traces;     /* whether alignments are traced back, so that sweeps keep rows */
    gboolean verifies;   /* whether the score is proved a second time */
    gint64 row_distance; /* 0: a value that is fast */
    const CsGainSizes *gain_sizes; /* NULL: those that save time */
    CsTrace trace;                 /* only the sizes, likewise */
    atomic_llong cells_again;      /* computed by second sweeps of this run, */
    CsTraceWork traced;            /* of traces, likewise */
    CsRows *rows[2];    /* of a strand whose sweep kept rows from the first row on, or NULL */
    gint64 *rows_at[2]; /* the rows that the sweep hands out */
    CsRowQueue *queue;  /* on their way from a GPU, or NULL */
    CsBest starts[2];   /* the first cell of each strand's alignment; score 0: not known */

    CsForetold foretold[2];
    gboolean foretells;          /* whether stages run before the sweeps */
    CsWorkForecast forecasts[2]; /* for each strand that is still to be swept */
    CsWorkMeter work;            /* of the sweeps */
    CsProgressClock clock;
    gint64 begun;           /* on the monotonic clock */
    gboolean asked_to_save; /* control asked to save before there was anything to save */
    gboolean stopped;       /* the progress function asked to stop */
    gboolean threads_told;  /* a note said that fewer threads are used */
    pthread_t caller;       /* the thread that called cs_compare(); notes are told on it */
    pthread_mutex_t lock;
    GQueue notes; /* notes of other threads that are not told yet; the lock protects them */
} CsComparison;

/* options may be NULL. The options and the sequences must outlive the comparison. */
void cs_comparison_init(CsComparison *comparison, const CsSequence *target, const CsSequence *query,
                        const CsCompareOptions *options);
void cs_comparison_clear(CsComparison *comparison);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsComparison, cs_comparison_clear)

/* The matrix of a strand. */
CsRectangle cs_comparison_rectangle(const CsComparison *comparison, CsStrand strand);

/* Reads the options, and refuses those that make no sense. Engines check the rest. */
gboolean cs_compare_options_read(CsComparison *comparison, GError **error);

/* Lets this thread sweep, which may ask other processes, while the one that compares waits for it. That one takes
 * its place back in the same way. Fails with CS_ERROR_DEVICE if MPI does not allow it. */
gboolean cs_compare_options_take_ranks(const CsComparison *comparison, GError **error);

/* Seconds between two saved states; negative without a checkpoint. */
double cs_compare_options_interval(const CsComparison *comparison);

/* Opens the checkpoint that the options name. It may tell notes of the comparison until it is
 * freed. */
CsCheckpoint *cs_compare_options_open_checkpoint(CsComparison *comparison, GError **error);

/* Takes the first engine of the choice that works and accepts the rectangle, and cuts the grid. */
gboolean cs_compare_engine_choose(CsComparison *comparison, const CsRectangle *rectangle,
                                  GError **error);

/* Finds the speed of a sweep of the matrix, whose grid this is, within about `most` seconds. */
gboolean cs_compare_probe(const CsComparison *comparison, const CsSweepOptions *sweep,
                          const CsGrid *grid, double most, double *cells_a_second, GError **error);

/* Measures the members of a ring with GPUs if they differ and the matrix is large enough for it to pay, a second for each
 * kind. Where that fails they keep the speeds that they are taken to have. */
void cs_compare_probe_members(CsComparison *comparison, const CsRectangle *rectangle);

/* How many members of a ring compute the rectangle in this grid, with the shares of these unless NULL, which are
 * then to be cleared; 0 without a ring. */
guint cs_compare_engine_members(const CsComparison *comparison, const CsRectangle *rectangle,
                                const CsGrid *grid, CsShare *shares);

/* How many members of a ring, from the first on, take part in a sweep that is likely to compute so many cells: 0 if all
 * do. Where cells are skipped, some are left alone: those that cannot share such a sweep, and, unless a grid is asked for,
 * which is for experiments, those that do not pay. */
guint cs_compare_engine_most_members(const CsComparison *comparison, const CsRectangle *rectangle,
                                     double cells);

/* Fails if there is certainly not enough memory for the sweep. Warns if memory may run out, or if
 * there may not be enough disk space: a state that cannot be saved does not end a run. */
gboolean cs_compare_engine_check_needs(CsComparison *comparison, const CsRectangle *rectangle,
                                       GError **error);

/* Keeps what the stages before a sweep find in the checkpoint, from run to run. */
typedef struct CsCompareKeep {
    CsComparison *comparison;
    const char *stage; /* of the names of files: "" for the comparison's own sweeps */
    CsKeep strands[2]; /* CS_STRAND_PLUS, CS_STRAND_MINUS */
    struct CsKeptStrand {
        struct CsCompareKeep *keep;
        const char *prefix; /* of names */
    } kept[2];
    gint64 tried; /* milliseconds of the latest runs that found nothing */
    gint64 start;
    gint found;  /* atomic: something new was found */
    gint failed; /* atomic: something could not be kept */
} CsCompareKeep;

/* Saves a first state, which covers no cells, if there is none yet. The engine was chosen. */
void cs_compare_keep_first_state(const CsComparison *comparison);

/*
 * Begins the stages: makes sure that there is a state to resume from, and counts this run. Returns
 * TRUE if this run should give the stages up, because earlier runs were stopped again and again and
 * found nothing more. The next run tries them again.
 */
gboolean cs_compare_keep_begin(CsCompareKeep *keep, CsComparison *comparison, const char *stage);

/* The stages have ended, or (ended FALSE) were stopped. */
void cs_compare_keep_end(CsCompareKeep *keep, gboolean ended);

/* Whether to keep what is found for a sweep of this matrix. */
gboolean cs_compare_keep_pays(const CsComparison *comparison, const CsRectangle *whole,
                              const CsSkipSearch *how);

/* Does what cs_skip_init() does, for a sweep of a later stage of a strand, and keeps what is found
 * if that pays. */
gboolean cs_compare_keep_search(CsComparison *comparison, const char *stage, CsStrand strand,
                                const CsRectangle *whole, const CsSkipSearch *how, CsSkip *skip,
                                GError **error);

/* Begins the stages before an engine is chosen, whose driver may still be starting. */
void cs_compare_skip_begin(CsComparison *comparison);

/* Finds, for the strands that are still to be swept, what may be skipped and how much work is
 * left. */
gboolean cs_compare_skip_find(CsComparison *comparison, gboolean plus_complete, GError **error);

/* Runs the comparison to the last row. Resumes from the checkpoint if there is one. */
gboolean cs_comparison_run(CsComparison *comparison, GError **error);

/* Whether this run has computed every cell of a strand: then its score is the best one, even if it is
 * below the floor. */
gboolean cs_comparison_is_exact(const CsComparison *comparison, CsStrand strand);

/* Asks the caller whether to go on, to save or to stop. */
CsControl cs_compare_control(const CsComparison *comparison);

/* Does what cs_align() does. */
gboolean cs_comparison_align(CsComparison *comparison, CsCompareResult *result,
                             CsAlignment **alignment, GError **error);

/*
 * After the sweeps: traces the alignment of each strand back to its start; with no_start, only that
 * of the better strand, if the alignment is wanted (else NULL). It is NULL if the score is 0.
 */
gboolean cs_comparison_trace(CsComparison *comparison, CsAlignment **alignment, GError **error);

/* The matrix of a strand, set up so that the size of its blocks suits what is skipped. */
CsRectangle cs_compare_skip_rectangle(const CsComparison *comparison, CsStrand strand);

/* The most bytes that the rows of a strand may take; 0: none are kept. */
gint64 cs_compare_rows_budget(const CsComparison *comparison);

/* What the rows of all strands take at most, and what they are expected to take, if such a share of
 * the cells is left. */
gint64 cs_compare_rows_bytes(const CsComparison *comparison, double share_left, gint64 *expected);

/* Whether rows of a matrix save time. If not, none are kept. */
gboolean cs_compare_rows_pay(const CsRectangle *matrix);

/* Room for the rows of a matrix, or NULL if none are to be kept. A second sweep (again) gets some
 * room whatever the budget is. */
CsRows *cs_compare_rows_new(CsComparison *comparison, CsStrand strand, const CsRectangle *matrix,
                            gboolean again);

/* The special rows among the first m rows of a strand's matrix that an earlier run kept up to that
 * mark, or NULL. again: those of a second sweep, whatever the budget is. */
CsRows *cs_compare_rows_load(CsComparison *comparison, CsStrand strand, gint64 m, gboolean again,
                             CsRowsMark *mark);

/* Makes a sweep of a strand keep rows, if they are wanted. */
void cs_compare_rows_attach(CsComparison *comparison, CsStrand strand, CsRectangle *rectangle);

/* A queue that packs rows on threads of its own, beside a sweep on a GPU; else NULL. */
CsRowQueue *cs_compare_rows_queue(const CsComparison *comparison, const CsEngineClass *engine,
                                  CsRows *rows);

/* The memory that such a queue takes. */
gint64 cs_compare_rows_packing_bytes(const CsComparison *comparison);

/* The sweep has ended. */
void cs_compare_rows_detach(CsComparison *comparison);

/* Marks in the file of rows that what it holds so far belongs to a state of the strand under way. */
void cs_compare_rows_mark(CsComparison *comparison, const CsStaircase *staircase,
                          gboolean complete);

/* The rows of a strand that was swept, whose best cell is this; NULL where none were kept. */
CsRows *cs_compare_rows_complete(CsComparison *comparison, CsStrand strand, const CsBest *best);

/* Drops them when they are no longer needed. */
void cs_compare_rows_drop(CsComparison *comparison, CsStrand strand);

CsCompareResult cs_compare_result(const CsComparison *comparison);

/*
 * Says of a strand no more than that it scores less, where it scores less than `least` or than the other
 * strand. What was found of it depends on what was skipped, and a result must not.
 */
void cs_compare_result_hide(CsCompareResult *result, CsScore least);

/* The result of a strand; best is its best cell as swept. */
CsStrandResult cs_compare_result_of(const CsComparison *comparison, CsStrand strand,
                                    const CsBest *best);

void cs_compare_notes_init(CsComparison *comparison);
void cs_compare_notes_clear(CsComparison *comparison);

/* Tells a note. Those of other threads than the caller's wait for cs_compare_notes_tell(). */
void cs_compare_note(const CsComparison *comparison, CsNoteKind kind, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* The same, as a CsNoteFunc; the user data is a CsComparison. */
void cs_compare_notes_leave(CsNoteKind kind, const char *message, gpointer comparison);
void cs_compare_notes_tell(CsComparison *comparison);

/* Looks at the sequences (sketch.h), and warns if the strand or a file seems to be the wrong
 * one. */
void cs_compare_notes_look(const CsComparison *comparison);

/* Tells where a comparison with a checkpoint resumes; found says whether it held a state. */
void cs_compare_notes_begin(const CsComparison *comparison, gboolean found);

/* Called before any progress is told. The state is that of earlier runs. */
void cs_compare_progress_begin(CsComparison *comparison);

/* The forecast of a strand, from the chain of this run or from an earlier run. */
const CsWorkForecast *cs_compare_progress_forecast(const CsComparison *comparison, CsStrand strand);

/* The strand under way begins or continues. */
void cs_compare_progress_strand(CsComparison *comparison);

/*
 * The first tells the progress of the state. The second tells the progress of a sweep from time to
 * time; the sweep's counts include all strands and runs. next is the seconds until a state is due,
 * negative if none is.
 */
void cs_compare_progress_tell(CsComparison *comparison, double next);
void cs_compare_progress_sweep(CsComparison *comparison, const CsSweepState *sweep, double next);

/* Before the stages before the sweeps of these strands begin. */
void cs_compare_foretell_begin(CsComparison *comparison, const gboolean *wanted);

/* A CsSkipNews's function; the data is a CsForetoldStrand. */
typedef struct {
    CsComparison *comparison;
    CsStrand strand;
} CsForetoldStrand;
void cs_compare_foretell_news(const CsSkip *skip, const CsGainTable *table, gboolean follow,
                              gpointer data);

/* The stages of a strand have ended. If they found nothing to skip, all cells will be computed, unless the
 * other strand has more. */
void cs_compare_foretell_end(CsComparison *comparison, CsStrand strand);

/* All stages have ended with this forecast for a sweep in this grid. */
void cs_compare_foretell_forecast(CsComparison *comparison, CsStrand strand,
                                  const CsWorkForecast *forecast, const CsGrid *grid);

/* The seconds left of the stages and of all sweeps, none of which has begun, as far as can be foretold;
 * -1: there are no stages to tell it from. */
double cs_compare_foretell_left(const CsComparison *comparison, gint64 now);

/* The seconds that a strand's sweep on a CPU can be expected to take, as far as the stages have told; else 0. */
double cs_compare_foretell_seconds(const CsComparison *comparison, CsStrand strand);

/* How many times as long as by the models the CPU takes, as far as the stages have told; else 1. */
double cs_compare_foretell_slowness(const CsComparison *comparison);

/*
 * The first progress of a run, before anything is computed. It names the stage that comes first. No
 * state is due before the sweep begins.
 */
void cs_compare_progress_first(CsComparison *comparison, CsStage stage, CsStrand strand);

/* Tells, from time to time, the stage that the comparison is in, and a lower bound or 0. */
void cs_compare_progress_stage(CsComparison *comparison, CsStage stage, CsStrand strand,
                               gint64 lower_bound);

/* The most of a stage after the sweeps that counts as done while it lasts. */
#define CS_NEARLY_DONE 0.999

/* How long the traces of all strands take, through rows so far apart; -1 without an engine. */
double cs_compare_progress_trace_seconds(const CsComparison *comparison, gint64 distance);

/* Before the trace, whose thread changes what the forecast needs. */
void cs_compare_progress_expect_trace(CsComparison *comparison);

/* Tells, from time to time and at the end, a stage after the sweeps and the share of all these
 * stages that is done. */
void cs_compare_progress_later(CsComparison *comparison, CsStage stage, CsStrand strand,
                               double done);

#endif
