/* One run of a comparison with a checkpoint. It saves, stops or dies where a test wants. */
#ifndef TEST_RUN_H
#define TEST_RUN_H

#include <chromosweep/chromosweep.h>

typedef enum {
    RUN_GO_ON, /* to the end of the matrix */
    RUN_STOP,  /* CS_CONTROL_STOP */
    RUN_KILL,  /* SIGKILL */
} RunEnd;

typedef struct {
    CsScoring scoring;
    CsStrand strand;
    const char *engine;
    const char *device; /* as in CsCompareOptions */
    guint threads, bits;
    guint blocks, block_threads, alpha; /* the grid; 0: as suits */
    guint save_every;                   /* diagonals between two requests to save; 0: none */
    gboolean wait;                      /* after a request, wait until the manifest has changed */
    RunEnd end;
    guint end_after; /* diagonals */
    gboolean fresh;
    gboolean talk; /* notes go to standard error */
} RunPlan;

typedef struct {
    gboolean killed;  /* by RUN_KILL; the rest is not filled then */
    gboolean success; /* of cs_compare() */
    int code;         /* of its error */
    char message[512];
    gint64 score, target_end, query_end, cells, cells_resumed;
    CsStrand strand;
    guint diagonals;
    guint warnings;
    char warning[512]; /* the last one */
} RunOutcome;

void run_here(const RunPlan *plan, const CsSequence *target, const CsSequence *query,
              const char *directory, RunOutcome *outcome);

/* The same in a child process, which may be killed. If it crashes, the test fails. */
void run_in_child(const RunPlan *plan, const CsSequence *target, const CsSequence *query,
                  const char *directory, RunOutcome *outcome);

/* Whether the engine works on this machine. Asked in a child, because a driver does not survive a
 * fork. */
gboolean run_engine_works(const char *engine);

#endif
