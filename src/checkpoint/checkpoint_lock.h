/*
 * The lock of a checkpoint. A run that uses the folder holds a lock on its file `lock`. The kernel
 * releases the lock when the run ends, however it ends. The file itself stays.
 */
#ifndef CS_CHECKPOINT_LOCK_H
#define CS_CHECKPOINT_LOCK_H

#include <glib.h>

/*
 * Locks the file of that name in the folder. If made is not NULL, creates the folder if only its
 * last component is missing, and sets *made if it did. Returns a descriptor to close, or -1 on
 * failure: CS_ERROR_CHECKPOINT if another process holds the lock, CS_ERROR_FAILED if the folder or
 * the lock's file cannot be created.
 *
 * If the lock's file cannot be opened for writing and unwritable is not NULL, *unwritable is set to
 * the value of errno, otherwise to 0. Such a lock is shared, or there is none because there is no
 * such file; it is good for reading only.
 */
int cs_checkpoint_lock(const char *directory, const char *name, gboolean *made, int *unwritable,
                       GError **error);

/* Whether the folder's lock is still this one, so that the folder is the one that was locked. */
gboolean cs_checkpoint_lock_is_held(int lock, const char *directory, const char *name);

/* The holder of the folder's lock of that name in words, for messages; NULL if nobody is known to hold it. */
char *cs_checkpoint_lock_holder(const char *directory, const char *name);

#endif
