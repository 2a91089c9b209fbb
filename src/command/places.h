/* What must not be written over: which names are of one file, and which are the checkpoint's. */
#ifndef CS_PLACES_H
#define CS_PLACES_H

#include "command/run_job.h"

/* Whether both names are of one regular file, which need not be there yet. */
gboolean cs_places_are_same(const char *a, const char *b);

/*
 * Refuses (CS_ERROR_USAGE) a path where the checkpoint, which may not be there yet, or its files
 * have their place; a NULL path takes none. The error calls it shown.
 */
gboolean cs_places_refuse_checkpoint(const CsRunJob *job, const char *path, const char *shown,
                                     GError **error);

/* Refuses, likewise, an output that is the checkpoint's folder itself. */
gboolean cs_places_refuse_folder(const CsRunJob *job, GError **error);

#endif
