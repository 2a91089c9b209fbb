/*
 * A checkpoint: who may use the folder, which generations it holds, and how a new generation
 * becomes the newest so that no crash can ever cost the last good one. checkpoint.c opens with the
 * invariants; state_file.h is the file of one generation.
 *
 *     open (lock, identity) -> [load] -> { save, save, ... } -> free
 */
#ifndef CS_CHECKPOINT_H
#define CS_CHECKPOINT_H

#include <chromosweep/checkpoint.h>
#include <chromosweep/control.h>

#include "checkpoint/state_file.h"

typedef struct _CsCheckpoint CsCheckpoint;

/*
 * Locks the folder for this run. Creates it if only its last component is missing. The identity is
 * copied, and must be that of the folder's generations. With `fresh` it is not compared: a new
 * chain of generations begins, and the old one stays for now. Damage that the program can work
 * around is reported to note.
 *
 * Fails with CS_ERROR_CHECKPOINT if another run holds the folder, if the identity differs (the
 * message names the field and both values), if everything there is damaged, or if the format has
 * another version; with CS_ERROR_USAGE if the folder holds other files and no checkpoint; with
 * CS_ERROR_FAILED if the folder cannot be created, or if it cannot be written and holds nothing to
 * load.
 */
CsCheckpoint *cs_checkpoint_open(const char *directory, const CsFingerprint *identity,
                                 gboolean fresh, CsNoteFunc note, gpointer note_data,
                                 GError **error);

/*
 * Loads the newest state whose checksums are all right. *found is FALSE, and state untouched, if
 * there is no state or the folder was opened afresh. Warns of each newer state that is damaged.
 * Fails as cs_checkpoint_open() does if there are states and none is good, or if the state is not
 * complete and the folder cannot be written.
 */
gboolean cs_checkpoint_load(CsCheckpoint *checkpoint, CsState *state, gboolean *found,
                            GError **error);

/*
 * Makes the state the newest generation, compressing on so many threads. Then reads it back, and
 * removes what is no longer needed only if it reads as it was written. *hurry can cut this short
 * (state_file.h); NULL is CS_HURRY_NOT. An abandoned save fails with CS_ERROR_STOPPED. After a
 * failure the newest good generation is the same as before. May be called from any thread, but only
 * from one at a time. A state that reads back damaged is a failure. But if the state cannot be read
 * back, or old files cannot be removed, the save succeeds and note is called from that thread.
 */
gboolean cs_checkpoint_save(CsCheckpoint *checkpoint, const CsState *state, guint threads,
                            const gint *hurry, GError **error);

/* Whether there is nothing to resume from: no generation, or the folder was opened afresh. */
gboolean cs_checkpoint_is_new(const CsCheckpoint *checkpoint);

/* Whether anything can be saved. A complete comparison can be loaded even if nothing can. */
gboolean cs_checkpoint_is_writable(const CsCheckpoint *checkpoint);

/*
 * Also gives the lock back. If the folder holds no generation, removes the lock's file, and the
 * folder if cs_checkpoint_open() created it.
 */
void cs_checkpoint_free(CsCheckpoint *checkpoint);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCheckpoint, cs_checkpoint_free)

#endif
