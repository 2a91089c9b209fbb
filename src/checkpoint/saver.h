/*
 * Saves states beside the computation: one at a time on a thread of its own, the last one on all.
 */
#ifndef CS_SAVER_H
#define CS_SAVER_H

#include "checkpoint/checkpoint.h"
#include "system/parallel.h"

typedef struct {
    CsCheckpoint *checkpoint;
    guint threads; /* for a state that is waited for */
    CsThread *thread;
    CsState state;
    CsBus *spare; /* of the last state, to be used again */
    gint hurry;   /* atomic: as in cs_checkpoint_save() */
    GError *failure;
} CsSaver;

/* Whether a state is being saved. If one was and is no longer, *failure is why it could not be, or
 * NULL; else it is left alone. */
gboolean cs_saver_is_busy(CsSaver *saver, GError **failure);

/* Takes the state over and saves it, while the caller goes on. Not while busy. */
void cs_saver_start(CsSaver *saver, CsState *state);

/*
 * Ends what is under way, then saves this state and waits until it is durable; with hurry, what is
 * under way is abandoned unless it is named already, and neither is read back. *failure is why a
 * state before could not be saved.
 */
gboolean cs_saver_finish(CsSaver *saver, const CsState *state, gboolean hurry, GError **failure,
                         GError **error);

/* Waits for what is under way. */
void cs_saver_clear(CsSaver *saver);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsSaver, cs_saver_clear)

#endif
