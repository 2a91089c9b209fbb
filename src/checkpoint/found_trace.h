/*
 * What a checkpoint holds of the stages after the sweeps (found.h): how far the alignment of each
 * strand has been traced back, which compare/align_keep.c writes, and whether the score was proved.
 */
#ifndef CS_FOUND_TRACE_H
#define CS_FOUND_TRACE_H

#include "checkpoint/checkpoint.h"

/* The numbers of a trace, in order; the runs follow, the last one of the path first. */
enum {
    CS_FOUND_TRACE_SCORE,
    CS_FOUND_TRACE_END_I,
    CS_FOUND_TRACE_END_J,
    CS_FOUND_TRACE_NODE_I,
    CS_FOUND_TRACE_NODE_J,
    CS_FOUND_TRACE_NODE_STATE,
    CS_FOUND_TRACE_NODE_VALUE,
    CS_FOUND_TRACE_COMPLETE,
    CS_FOUND_TRACE_RUNS, /* from here on */
};

const char *cs_found_trace_name(CsStrand strand);

/* What is done of the stages after the sweeps. */
typedef struct {
    double traced; /* the share of tracing back what is wanted; 1: it is done */
    double proved; /* the share of the proof; 1: it is done */
} CsFoundLater;

/* Of a state that covers all cells; of another one, nothing. The record is that of the folder. */
CsFoundLater cs_found_later(const char *directory, const CsFingerprintRecord *record,
                            const CsState *state);

/* The same of an open checkpoint. */
CsFoundLater cs_found_later_of(const CsCheckpoint *checkpoint, const CsState *state);

/* The share of tracing back that strand, whose alignment ends there; 1 if the score is 0. */
double cs_found_traced(const char *directory, const CsFingerprintRecord *record, CsStrand strand,
                       const CsBest *end);

/* Whether there is a file with rows of that strand, which need not be all. */
gboolean cs_found_has_rows(const char *directory, CsStrand strand);

/* The score of the state, which covers all cells, was proved. Fails as cs_found_save() does. */
gboolean cs_found_prove(const CsCheckpoint *checkpoint, const CsState *state, GError **error);

#endif
