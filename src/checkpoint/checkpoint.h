/*
 * A folder of checkpoints: who may use it, which generations it holds, and how a new one becomes
 * the newest without any moment at which a crash could cost the last good one. checkpoint.c opens
 * with its invariants; state_file.h is one generation's file.
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
 * Takes the folder for this run, making it if only its last component is missing. The identity
 * is copied; it is compared with that of what the folder holds unless fresh, where a new chain
 * of generations begins beside the old. note is told of damage that was got round. Fails with
 * CS_ERROR_CHECKPOINT where another run holds the folder, where the identity differs (naming the
 * field and both values), where everything there is damaged, and where the format's version is
 * not this program's; with CS_ERROR_USAGE where the folder holds other files and no checkpoint;
 * with CS_ERROR_FAILED where the folder cannot be made or, holding nothing
 * that could be loaded, cannot be written.
 */
CsCheckpoint *cs_checkpoint_open(const char *directory, const CsFingerprint *identity,
                                 gboolean fresh, CsNoteFunc note, gpointer note_data,
                                 GError **error);

/*
 * The newest state whose checksums are all right, if there is any and it was not opened afresh;
 * else *found is FALSE and state untouched. Warns of each that it passed over; fails as open does
 * when there were some and none is good, and where the state is not complete and the folder
 * cannot be written.
 */
gboolean cs_checkpoint_load(CsCheckpoint *checkpoint, CsState *state, gboolean *found,
                            GError **error);

/*
 * Makes the state the newest generation, compressing on so many threads. It then reads it back, and
 * only if that is as it was written removes what is not needed any more; unless *hurry (NULL:
 * CS_HURRY_NOT) is or becomes more, see state_file.h. An abandoned save fails with
 * CS_ERROR_STOPPED. On failure the folder's newest good generation is as before. May be called
 * from any thread, by one at a time; where only reading back or clearing away fails, note is told
 * from that thread.
 */
gboolean cs_checkpoint_save(CsCheckpoint *checkpoint, const CsState *state, guint threads,
                            const gint *hurry, GError **error);

/* Whether there is nothing that a run could go on from: no file, or it was opened afresh. */
gboolean cs_checkpoint_is_new(const CsCheckpoint *checkpoint);

/*
 * Also gives the lock back. Its file goes if the folder holds no generation, and the folder
 * if it was made by open.
 */
void cs_checkpoint_free(CsCheckpoint *checkpoint);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCheckpoint, cs_checkpoint_free)

#endif
