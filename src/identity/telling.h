/* Gives the pairs that are done to the caller, row by row, from one thread. */
#ifndef CS_TELLING_H
#define CS_TELLING_H

#include "identity/tile_pairs.h"
#include "identity/tile_queue.h"

typedef struct {
    const CsTileWork *work;
    CsTileQueue *queue;
    gboolean align;
    /* Gives some pairs. FALSE: the caller wants no more. NULL: nobody wants any. */
    gboolean (*tell)(const CsIdentityPair *pairs, gint64 count, gpointer user_data);
    gpointer user_data;
    gint64 band; /* the next one */
} CsTelling;

/* Tells all bands that are complete. FALSE with an error; if `tell` says so, without one. */
gboolean cs_telling_go_on(CsTelling *telling, GError **error);

/* Whether all were told. */
gboolean cs_telling_is_over(const CsTelling *telling);

#endif
