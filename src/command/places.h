/* Protects files from being overwritten: which names mean the same file, and which files belong to
 * the checkpoint. */
#ifndef CS_PLACES_H
#define CS_PLACES_H

#include "command/run_job.h"

/* Whether both names mean the same regular file, which need not exist yet. */
gboolean cs_places_are_same(const char *a, const char *b);

/*
 * Refuses (CS_ERROR_USAGE) a path that belongs to the checkpoint or to one of its files, even if
 * they do not exist yet. A NULL path passes. `shown` is what the error calls the path.
 */
gboolean cs_places_refuse_checkpoint(const CsRunJob *job, const char *path, const char *shown,
                                     GError **error);

/* Refuses an output that is the folder of the checkpoint itself, likewise. */
gboolean cs_places_refuse_folder(const CsRunJob *job, GError **error);

#endif
