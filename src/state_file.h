/*
 * One generation's file: a head that says whose state it is and where the sweep stands, then the
 * values of its buses in blocks, each compressed and with a checksum of its own. docs/formats.md
 * specifies it to the byte.
 */
#ifndef CS_STATE_FILE_H
#define CS_STATE_FILE_H

#include <chromosweep/scoring.h>
#include <chromosweep/sequence.h>

#include "staircase.h"

#define CS_STATE_VERSION 1

/* Whose state it is. Nothing in it is owned. */
typedef struct {
    const CsSequence *target;
    const CsSequence *query;
    gboolean transposed; /* the query lies along the rows */
    CsScoring scoring;
    const char *memo; /* of the caller, or NULL */
} CsIdentity;

/* Where a sweep stands. The rows m and columns n are those of the matrix as swept. */
typedef struct {
    CsStaircase staircase;
    gint64 cells;          /* that it covers */
    gint64 cells_computed; /* by all sessions, reruns included */
    double seconds;        /* of all sessions */
    /* Skipping: the score of a real alignment that blocks were compared with, or 0, and whether
     * any was skipped, so that the buses are bounds and not rows of the matrix. */
    CsScore threshold;
    gboolean skipped;
    const char *engine; /* of the last session; interned */
    const char *device; /* likewise; NULL: the CPU */
    guint threads;
} CsState;

void cs_state_clear(CsState *state);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsState, cs_state_clear)

#endif
