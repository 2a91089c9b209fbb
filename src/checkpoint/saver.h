/*
 * Saves states while the computation goes on, one at a time on a thread of its own. The last state
 * is saved with all threads.
 */
#ifndef CS_SAVER_H
#define CS_SAVER_H

#include "checkpoint/checkpoint.h"
#include "system/parallel.h"

typedef struct {
    CsCheckpoint *checkpoint;
    const char *found; /* NULL: as a generation; else as what is found, under this name */
    guint threads;     /* for a save that the caller waits for */
    CsThread *thread;
    CsState state;
    CsBus *spare; /* the bus of the last state, to use again */
    gint hurry;   /* atomic: as in cs_checkpoint_save() */
    GError *failure;
} CsSaver;

/* Whether a state is being saved. If a save has ended since the last call, *failure becomes its
 * error or NULL; otherwise *failure is unchanged. */
gboolean cs_saver_is_busy(CsSaver *saver, GError **failure);

/* Takes the state over and saves it while the caller goes on. Must not be called while busy. */
void cs_saver_start(CsSaver *saver, CsState *state);

/*
 * Ends a save that is under way, then saves this state and waits until it is durable. With hurry, a
 * save under way is abandoned unless a manifest already names its state, and neither state is read
 * back. *failure is why an earlier state could not be saved.
 */
gboolean cs_saver_finish(CsSaver *saver, const CsState *state, gboolean hurry, GError **failure,
                         GError **error);

/* Waits for a save that is under way. */
void cs_saver_clear(CsSaver *saver);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsSaver, cs_saver_clear)

#endif
