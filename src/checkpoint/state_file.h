/*
 * The file of one generation. Its head says which comparison the state belongs to and where the
 * sweep stands. Then come the values of the buses in blocks, each compressed and with a checksum of
 * its own. docs/formats.md specifies every byte.
 *
 *     | magic, version, length | head, JSON | checksum | block | block | ... | end, checksum |
 *                                                       horizontal bus, then the risers
 */
#ifndef CS_STATE_FILE_H
#define CS_STATE_FILE_H

#include <chromosweep/skip.h>

#include "checkpoint/fingerprint.h"
#include "skipping/work_forecast.h"
#include "sweep/staircase.h"

#define CS_STATE_VERSION 1

/* How a strand is swept, and what that took in all runs. */
typedef struct {
    CsSkipMode skip;       /* of the last run; CS_SKIP_AUTO: not begun, or not known */
    CsScore lower_bound;   /* that the last run used, or 0 */
    gint64 cells_computed; /* by its sweep; -1: not known */
    gint64 cells_corridor; /* computed in addition, for the lower bound */
    double seconds;        /* of its sweep; -1: not known */
    CsScore floor;         /* the highest below which a run skipped scores, or 0 */
} CsStrandWork;

/*
 * Where a sweep stands. The rows m and columns n are those of the matrix as swept. With both
 * strands, plus is swept first; the staircase is that of the strand under way, everything else is
 * of both.
 */
typedef struct {
    CsStaircase staircase;
    gint64 cells;          /* that the staircase covers, and those of a complete strand */
    gint64 cells_computed; /* by the sweeps of all runs; a cell computed twice counts twice */
    gint64 cells_expected; /* what cells_computed will be in the end; 0: not known */
    gboolean no_start;     /* alignments are not traced back */
    gboolean best_start;   /* only that of the better strand is */
    gboolean verifies;     /* the score is proved a second time after that */
    double seconds;        /* of all runs */
    CsStrandWork work[2];  /* by CS_STRAND_PLUS, CS_STRAND_MINUS */
    /* For the strand under way: the lower bound that was found (lower_bound.h), or 0; and whether
     * any block was skipped, so that the buses hold bounds and not the matrix's own values. */
    CsScore threshold;
    gboolean skipped;
    const char *engine; /* of the last run; interned */
    const char *device; /* likewise; NULL: the CPU */
    guint threads;
    CsStrand under_way; /* plus or minus */
    CsBest plus;        /* with both strands, the best of plus once minus is under way; as swept */
    /* For what is left of the strand under way; m is 0 if there is none. */
    CsWorkForecast forecast;
    CsScore min_score; /* lower ones did not matter to a run */
} CsState;

void cs_state_clear(CsState *state);

/* Plus is complete: minus begins with an empty state that has the best of plus. */
void cs_state_begin_minus(CsState *state);

/* How much of the work is done, and how much work there is in all, if the matrix has so many cells.
 * If the work is not known, every cell counts as work. */
double cs_state_fraction(const CsState *state, gint64 cells);
gint64 cs_state_expected(const CsState *state, gint64 cells);

/* How much is done, as progress tells it: with the stages after the sweeps. Once all cells are
 * computed, `traced` and `proved` say how much of these is done (found_trace.h). */
double cs_state_done(const CsState *state, gint64 cells, double traced, double proved);

/* How soon a save must end. The value may rise during the save, and is read atomically. */
enum {
    CS_HURRY_NOT,
    CS_HURRY_DURABLE, /* as soon as the state is durable: nothing is read back */
    CS_HURRY_ABANDON, /* at once, unfinished: a newer state takes its place */
};

/* Whether *hurry, which may be NULL, is CS_HURRY_ABANDON, with CS_ERROR_STOPPED set. */
gboolean cs_state_is_abandoned(const gint *hurry, GError **error);

/* The most cells of a block, and the most threads that pack. */
#define CS_STATE_BLOCK_CELLS 262144
#define CS_STATE_MOST_THREADS 64

/* What a head says. */
typedef struct {
    CsFingerprintRecord *record;
    char *program_version;
    gint64 generation;
    gint64 saved;     /* seconds since 1970 */
    CsState state;    /* its buses are NULL */
    CsScore highest;  /* no value of a bus is above this */
    CsWidth width;    /* in which every value of the matrix is exact */
    guint64 checksum; /* of the head */
    gint64 bytes;     /* of the whole file, once it was written or read in full */
} CsStateHead;

void cs_state_head_clear(CsStateHead *head);

/*
 * Writes a state to fd at its current offset, compressing on so many threads. path is for messages.
 * Memory: less than 13 MB for each thread and 6 MB more; usually a tenth of it is touched. Reads
 * record, generation and saved of head; sets its checksum and bytes. Fails with CS_ERROR_FAILED,
 * with CS_ERROR_DEVICE if there is not enough memory, and with CS_ERROR_STOPPED when *hurry (if
 * any) becomes CS_HURRY_ABANDON.
 */
gboolean cs_state_file_write(int fd, const char *path, CsStateHead *head, const CsState *state,
                             guint threads, const gint *hurry, GError **error);

/*
 * Reads a head from fd at its current offset. Fails with CS_ERROR_CONTENT if it is damaged (the
 * message has no path: "head: checksum"), with CS_ERROR_CHECKPOINT if it is good but has another
 * version, and as reading does.
 */
gboolean cs_state_file_read_head(int fd, const char *path, CsStateHead *head, GError **error);

/*
 * Called after cs_state_file_read_head(). Reads the rest and checks every checksum and value, in
 * the memory of a block or two. If load is set, the buses go to head->state. If same is not NULL,
 * they must be equal to the buses of same. Ends early, with success, when *hurry (if any) becomes
 * nonzero. Fails with CS_ERROR_CONTENT if the file is damaged, with CS_ERROR_DEVICE if there is not
 * enough memory, and as reading does.
 */
gboolean cs_state_file_read_blocks(int fd, const char *path, CsStateHead *head, gboolean load,
                                   const CsState *same, const gint *hurry, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsState, cs_state_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsStateHead, cs_state_head_clear)

#endif
