/*
 * A comparison under way: what cs_compare() and cs_plan() make of their arguments, and what is
 * known of it so far, filled from top to bottom.
 *
 *     compare_options.c   what is compared, what was asked for
 *     compare_engine.c    what computes it, in which grid, and whether there is memory for it
 *     compare_skip.c      what need not be computed; compare_keep.c keeps what was found of it
 *     compare_rows.c      which rows are kept for an alignment
 *     compare.c           the sweeps, at once or resumable
 *     compare_result.c    what came of them
 *     compare_notes.c     what is told on the way: notes
 *     compare_progress.c  and progress
 */
#ifndef CS_COMPARISON_H
#define CS_COMPARISON_H

#include <pthread.h>

#include <chromosweep/align.h>

#include "alignment/trace.h"
#include "checkpoint/checkpoint.h"
#include "engines/device.h"
#include "skipping/skip.h"
#include "skipping/work_meter.h"
#include "sweep/strand.h"
#include "sweep/sweep.h"

/* What progress is told by, apart from the state. */
typedef struct {
    gint64 next; /* when to tell it again, on the monotonic clock */
    CsStage stage;
    CsStrand stage_strand;
    gint64 stage_begun; /* on the monotonic clock */
    gint64 lower_bound; /* of any strand; 0: none is known */
    double speed;       /* cells computed a second, by the latest work; 0: not known */
    double seconds;     /* of computing, and the cells computed, when that was learnt */
    gint64 computed;
    double later_done; /* share of the stages after the sweeps */
} CsProgressClock;

/*
 * The longer sequence lies along the rows: the horizontal bus, which grows with the columns, then
 * costs least. When that is the query, the matrix is transposed, and so is the tie order.
 */
typedef struct {
    const CsSequence *target, *query;
    const CsCompareOptions *options;
    CsPlacement placement;
    gint64 cells; /* of all strands */
    CsDeviceChoice choice;
    CsGridShape wish; /* the shape that was asked for */

    CsSweepOptions sweep; /* the engine that was chosen; its shape is the grid's */
    CsGrid *grid;         /* of the whole matrix of a strand */
    const char *phrase;   /* what the engine runs on */
    gboolean suspect;     /* its last test failed */

    CsCheckpoint *checkpoint; /* NULL: nothing is saved */
    CsState state;            /* of all runs, as far as strands or runs are complete */
    gint64 cells_resumed;     /* of the state, those of earlier runs */
    gint64 computed_resumed;
    double seconds_resumed;

    gint64 sweep_bytes;       /* of memory, at most, that a sweep will need */
    CsSkip skips[2];          /* CS_STRAND_PLUS, CS_STRAND_MINUS */
    CsStageSeconds stages[2]; /* that went into them */

    gboolean aligns;     /* rather than compares only */
    gint64 row_distance; /* 0: as is fast */
    CsTrace trace;       /* only the sizes, likewise */
    CsRows *rows[2]; /* of a strand that was swept with rows kept from its first row on, or NULL */
    gint64 *rows_at[2]; /* which the sweep hands out */

    CsWorkForecast forecasts[2]; /* likewise, of the strands that are still to be swept */
    CsWorkMeter work;            /* of the sweeps */
    CsProgressClock clock;
    gint64 begun;           /* on the monotonic clock */
    gboolean asked_to_save; /* before there was anything to save */
    gboolean stopped;       /* the progress function asked for it */
    gboolean threads_told;  /* that there are fewer of them */
    pthread_t caller;       /* of cs_compare(): the thread that notes are told on */
    pthread_mutex_t lock;
    GQueue notes; /* of other threads, until then; with the lock held */
} CsComparison;

/* Options may be NULL, and outlive the comparison, like the sequences. */
void cs_comparison_init(CsComparison *comparison, const CsSequence *target, const CsSequence *query,
                        const CsCompareOptions *options);
void cs_comparison_clear(CsComparison *comparison);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsComparison, cs_comparison_clear)

/* The matrix of a strand. */
CsRectangle cs_comparison_rectangle(const CsComparison *comparison, CsStrand strand);

/* Refuses what makes no sense; what is left of the options is for an engine to judge. */
gboolean cs_compare_options_read(CsComparison *comparison, GError **error);

/* The checkpoint that the options name, which may tell notes of the comparison while it lasts. */
CsCheckpoint *cs_compare_options_open_checkpoint(CsComparison *comparison, GError **error);

/* Takes the first engine of the choice that works and accepts the rectangle, and cuts its grid. */
gboolean cs_compare_engine_choose(CsComparison *comparison, const CsRectangle *rectangle,
                                  GError **error);

/* Refuses what cannot work for want of memory; a state that cannot be saved does not end a run. */
gboolean cs_compare_engine_check_needs(CsComparison *comparison, const CsRectangle *rectangle,
                                       GError **error);

/* What the stages before a sweep find, kept in the checkpoint from run to run. */
typedef struct CsCompareKeep {
    CsComparison *comparison;
    CsKeep strands[2]; /* CS_STRAND_PLUS, CS_STRAND_MINUS */
    struct CsKeptStrand {
        struct CsCompareKeep *keep;
        const char *prefix; /* of names */
    } kept[2];
    gint64 tried; /* milliseconds in which earlier runs, one after the other, found nothing */
    gint64 start;
    gint found; /* something new: atomic, like the next */
    gint failed;
} CsCompareKeep;

/*
 * Begins the stages: makes sure that there is a state to go on from, and counts this run. TRUE where
 * it should give the stages up: runs before it were stopped again and again and found nothing more.
 * The next one tries again.
 */
gboolean cs_compare_keep_begin(CsCompareKeep *keep, CsComparison *comparison);

/* The stages have ended, or were stopped. */
void cs_compare_keep_end(CsCompareKeep *keep, gboolean ended);

/* What of the strands that are still to be swept may be skipped, and how much work that leaves. */
gboolean cs_compare_skip_find(CsComparison *comparison, gboolean plus_complete, GError **error);

/* From the options to the last row, resumed where there is a checkpoint. */
gboolean cs_comparison_run(CsComparison *comparison, GError **error);

/* As cs_align(). */
gboolean cs_comparison_align(CsComparison *comparison, CsCompareResult *result,
                             CsAlignment **alignment, GError **error);

/* The matrix of a strand, to be cut into blocks as suits what is skipped of it. */
CsRectangle cs_compare_skip_rectangle(const CsComparison *comparison, CsStrand strand);

/* Rows to be kept for an alignment of a matrix of which so much is left: their numbers. */
GArray *cs_compare_rows_choose(const CsComparison *comparison, gint64 m, gint64 n,
                               double share_left);

/* No rows of a strand take more; 0: none are to be kept. */
gint64 cs_compare_rows_budget(const CsComparison *comparison);

/* Has a sweep of a strand keep rows, if they are wanted and if it begins with the first row. */
void cs_compare_rows_attach(CsComparison *comparison, CsStrand strand, CsRectangle *rectangle);

CsCompareResult cs_compare_result(const CsComparison *comparison);

/* Of a strand whose best cell as swept is this. */
CsStrandResult cs_compare_result_of(const CsComparison *comparison, CsStrand strand,
                                    const CsBest *best);

void cs_compare_notes_init(CsComparison *comparison);
void cs_compare_notes_clear(CsComparison *comparison);

/* Tells a note, on the caller's thread. */
void cs_compare_note(const CsComparison *comparison, CsNoteKind kind, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* A CsNoteFunc for any thread, of a CsComparison: notes of others than the caller's wait for
 * cs_compare_notes_tell(). */
void cs_compare_notes_leave(CsNoteKind kind, const char *message, gpointer comparison);
void cs_compare_notes_tell(CsComparison *comparison);

/* Tells what a look at the sequences says: the strand may be the wrong one, or a file. */
void cs_compare_notes_look(const CsComparison *comparison);

/* Tells from where a comparison with a checkpoint goes on; found: it held a state. */
void cs_compare_notes_begin(const CsComparison *comparison, gboolean found);

/* Before anything is told: the state is that of earlier runs. */
void cs_compare_progress_begin(CsComparison *comparison);

/* The strand under way begins or goes on. */
void cs_compare_progress_strand(CsComparison *comparison);

/*
 * Progress as the state has it, and, now and then, as a sweep has it that counts all strands and
 * runs. next is in how many seconds a state is due; negative: none is.
 */
void cs_compare_progress_tell(CsComparison *comparison, double next);
void cs_compare_progress_sweep(CsComparison *comparison, const CsSweepState *sweep, double next);

/* The stage that the comparison is in, and a lower bound, or 0; told now and then. */
void cs_compare_progress_stage(CsComparison *comparison, CsStage stage, CsStrand strand,
                               gint64 lower_bound);

/* A stage after the sweeps, and the share of all of them that is done; told now and then, and when
 * it is 1. */
void cs_compare_progress_later(CsComparison *comparison, CsStage stage, CsStrand strand,
                               double done);

#endif
