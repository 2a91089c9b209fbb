/*
 * Who uses a folder of checkpoints: the holder of a lock on its file `lock`, which the kernel
 * takes back when the holder ends, however it ends. The file itself stays.
 */
#ifndef CS_CHECKPOINT_LOCK_H
#define CS_CHECKPOINT_LOCK_H

#include <glib.h>

/*
 * Takes the lock, of the file of that name in the folder; if made is not NULL, makes the
 * folder where only its last component is missing and sets *made when it did. Returns a
 * descriptor to close, or -1: CS_ERROR_CHECKPOINT where another holds it, CS_ERROR_FAILED where the
 * folder or the lock cannot be made. If the lock's file cannot be opened to write and unwritable
 * is not NULL, *unwritable is errno's number (else 0), and the lock a shared one, or none where
 * there is no such file: enough only to read.
 */
int cs_checkpoint_lock(const char *directory, const char *name, gboolean *made, int *unwritable,
                       GError **error);

/* Whether the folder's lock is still this one, and so the folder that which was locked. */
gboolean cs_checkpoint_lock_is_held(int lock, const char *directory, const char *name);

/* Who holds it, as messages say it, or NULL: nobody, as far as can be told. */
char *cs_checkpoint_lock_holder(const char *directory);

#endif
