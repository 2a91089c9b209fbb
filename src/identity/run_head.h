/* The head of a log: which run it belongs to, as JSON. */
#ifndef CS_RUN_HEAD_H
#define CS_RUN_HEAD_H

#include <jansson.h>

#include <chromosweep/identity_checkpoint.h>

#include "identity/tiles.h"

/* An object of all that the pairs and tiles depend on. least: CsTileWork.least. */
json_t *cs_run_identity_new(const CsIdentityInputs *inputs, const CsIdentityTiles *tiles,
                            const CsIdentityOptions *options, gint64 least);

/* Fails with CS_ERROR_CHECKPOINT, naming the first key that differs and both values. */
gboolean cs_run_identity_compare(const json_t *there, const json_t *here, GError **error);

/* The text of a head, for free(). NULL: not enough memory. memo may be NULL. */
char *cs_run_head_new(json_t *identity, const char *memo);

/* A head that was read. NULL: it is no such head. *usable: by this version; else the identity is
 * NULL. */
json_t *cs_run_head_read(const char *text, gboolean *usable, const json_t **identity);

/* Sets what the head tells. FALSE if it lacks something. cells and tiles: of the whole run. */
gboolean cs_run_head_describe(json_t *head, CsIdentityCheckpointInfo *info, gint64 *cells,
                              gint64 *tiles);

#endif
