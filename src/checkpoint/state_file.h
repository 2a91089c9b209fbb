/*
 * One generation's file: a head that says whose state it is and where the sweep stands, then the
 * values of its buses in blocks, each compressed and with a checksum of its own. docs/formats.md
 * specifies it to the byte.
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
    CsScore lower_bound;   /* that was used there, or 0 */
    gint64 cells_computed; /* by its sweep; -1: not known */
    gint64 cells_corridor; /* beside these, for the lower bound */
    double seconds;        /* of its sweep; -1: not known */
} CsStrandWork;

/*
 * Where a sweep stands. The rows m and columns n are those of the matrix as swept. Of both strands
 * plus is swept first; the staircase is then that of minus, all else is of both.
 */
typedef struct {
    CsStaircase staircase;
    gint64 cells;          /* that it covers, and those of a strand that is complete */
    gint64 cells_computed; /* by the sweeps of all runs, reruns included */
    gint64 cells_expected; /* of these, how many there will be in the end; 0: not known */
    double seconds;        /* of all runs */
    CsStrandWork work[2];  /* by CS_STRAND_PLUS, CS_STRAND_MINUS */
    /* Of the strand under way: the lower bound that was found for it (lower_bound.h), or 0; and
     * whether any block of it was skipped, so that the buses are bounds and not rows of the
     * matrix. */
    CsScore threshold;
    gboolean skipped;
    const char *engine; /* of the last run; interned */
    const char *device; /* likewise; NULL: the CPU */
    guint threads;
    CsStrand under_way; /* plus or minus */
    CsBest plus;        /* of both strands, once minus is under way; as swept */
    /* Of the strand under way, for what is left of it; m is 0 where there is none. */
    CsWorkForecast forecast;
} CsState;

void cs_state_clear(CsState *state);

/* How much of the work is done, and how much there is in all, of a state of so many cells; where
 * that is not known, as if each cell were computed. */
double cs_state_fraction(const CsState *state, gint64 cells);
gint64 cs_state_expected(const CsState *state, gint64 cells);

/* How soon a save must end; it may become more while it lasts, and is read atomically. */
enum {
    CS_HURRY_NOT,
    CS_HURRY_DURABLE, /* when the state is durable: nothing is read back */
    CS_HURRY_ABANDON, /* at once, undone: a newer state takes its place */
};

/* Whether *hurry, which may be NULL, is CS_HURRY_ABANDON, with CS_ERROR_STOPPED set. */
gboolean cs_state_is_abandoned(const gint *hurry, GError **error);

/* Cells of a block at most, and threads that pack. */
#define CS_STATE_BLOCK_CELLS 262144
#define CS_STATE_MOST_THREADS 64

/* What a head says. */
typedef struct {
    CsFingerprintRecord *record;
    char *program_version;
    gint64 generation;
    gint64 saved;     /* seconds since 1970 */
    CsState state;    /* its buses are NULL */
    CsScore highest;  /* no value of a bus is above */
    CsWidth width;    /* in which every value of the matrix is exact */
    guint64 checksum; /* of the head */
    gint64 bytes;     /* of the whole file, after writing or reading it whole */
} CsStateHead;

void cs_state_head_clear(CsStateHead *head);

/*
 * Writes a state to fd from where it stands, compressing on so many threads. path is for messages.
 * Memory: less than 13 MB for each thread and 6 MB more, of which a tenth is touched as a rule. Of
 * head, record, generation and saved are read; checksum and bytes are set. Fails with
 * CS_ERROR_FAILED, with CS_ERROR_DEVICE where there is too little memory, and with
 * CS_ERROR_STOPPED when *hurry (which may be NULL) becomes CS_HURRY_ABANDON.
 */
gboolean cs_state_file_write(int fd, const char *path, CsStateHead *head, const CsState *state,
                             guint threads, const gint *hurry, GError **error);

/*
 * Reads a head from where fd stands. Fails with CS_ERROR_CONTENT where it is damaged (a message
 * without the path, such as "head: checksum"), with CS_ERROR_CHECKPOINT where it is good but of
 * another version, else as reading does.
 */
gboolean cs_state_file_read_head(int fd, const char *path, CsStateHead *head, GError **error);

/*
 * After cs_state_file_read_head(): reads the rest and checks every checksum and value, with the
 * memory of a block or two. The buses go to head->state if load is set; if same is not NULL, they
 * must be equal to its. Ends early, with success, when *hurry (which may be NULL) becomes nonzero.
 * Fails with CS_ERROR_CONTENT where the file is damaged, CS_ERROR_DEVICE where there is too little
 * memory, else as reading does.
 */
gboolean cs_state_file_read_blocks(int fd, const char *path, CsStateHead *head, gboolean load,
                                   const CsState *same, const gint *hurry, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsState, cs_state_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsStateHead, cs_state_head_clear)

#endif
