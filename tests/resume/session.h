/* One session of a comparison with a checkpoint: it saves, stops or dies where a test wants. */
#ifndef SESSION_H
#define SESSION_H

#include <chromosweep/chromosweep.h>

typedef enum {
    SESSION_GO_ON, /* to the end of the matrix */
    SESSION_STOP,  /* CS_CONTROL_STOP */
    SESSION_KILL,  /* SIGKILL */
} SessionEnd;

typedef struct {
    CsScoring scoring;
    CsStrand strand;
    const char *engine;
    guint threads, bits;
    guint blocks, block_threads, alpha; /* the grid; 0: as suits */
    guint save_every;                   /* diagonals between two wishes to save; 0: none */
    gboolean wait;                      /* after a wish, until the manifest is another one */
    SessionEnd end;
    guint end_after; /* diagonals */
    gboolean fresh;
    gboolean talk; /* notes go to standard error */
} SessionPlan;

typedef struct {
    gboolean killed;  /* by SESSION_KILL; the rest then is not filled */
    gboolean success; /* of cs_compare() */
    int code;         /* of its error */
    char message[512];
    gint64 score, target_end, query_end, cells, cells_resumed;
    CsStrand strand;
    guint diagonals;
    guint warnings;
    char warning[512]; /* the last one */
} SessionOutcome;

void session_run(const SessionPlan *plan, const CsSequence *target, const CsSequence *query,
                 const char *directory, SessionOutcome *outcome);

/* The same in a child, which may be killed; a crash of it fails the test. */
void session_fork(const SessionPlan *plan, const CsSequence *target, const CsSequence *query,
                  const char *directory, SessionOutcome *outcome);

/* Whether the engine works on this machine; asked in a child, since a driver survives no fork. */
gboolean session_engine_works(const char *engine);

#endif
