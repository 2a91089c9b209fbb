/*
 * An alignment that is being traced back after the sweeps.
 *
 *     align.c        the stages, on a thread of their own
 *     align_rows.c   a second sweep, where the first kept no rows
 *     align_keep.c   how far the trace has come, kept in the checkpoint
 */
#ifndef CS_COMPARE_ALIGN_H
#define CS_COMPARE_ALIGN_H

#include "compare/comparison.h"

typedef struct {
    CsComparison *comparison;
    CsRectangle matrix;
    CsStrand strand;
    CsBest end;
    CsPath path;
    CsTrace how; /* the trace, */
    CsNode node; /* and how far an earlier run has come */
    guint threads;
    gint stop;       /* atomic, like the next two */
    gint stage;      /* CsStage */
    gint stage_done; /* of it, in millionths */
    gint cost;       /* of all strips, as trace.h has it; atomic */
    gboolean second_sweep;
    guint before, traces; /* strands traced before this one, and in all */
    gint64 next;          /* when to keep the trace again, on the monotonic clock */
    gboolean done;
    GError *error;
} CsAligning;

/* Sweeps the matrix a second time as far as the end, for its rows. Continues what an earlier run
 * began. *rows is NULL, without an error, if there is no room for any. */
gboolean cs_align_rows_find(CsAligning *aligning, CsRows **rows, GError **error);

/* How far an earlier run has come; FALSE if that is not known. The path goes from the node to the
 * end, or is complete. */
gboolean cs_align_keep_load(CsAligning *aligning, CsNode *node, gboolean *complete);

/* A CsTraceFunc, of a CsAligning. */
void cs_align_keep_save(const CsNode *node, const CsPath *path, gboolean complete,
                        gpointer aligning);

/* Removes the trace that was kept. */
void cs_align_keep_drop(const CsAligning *aligning);

#endif
