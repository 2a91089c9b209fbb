/* What a rank other than 0 does (ranks.h), one request at a time. */
#ifndef CS_SERVE_H
#define CS_SERVE_H

#include "ranks/message.h"

/* What requests of higher folders need. */
typedef struct {
    void (*search)(CsMessageIn *message);
    void (*identity)(CsMessageIn *message);
    void (*lanes)(CsMessageIn *message);
} CsServeMore;

/* No runs yet. */
GHashTable *cs_serve_runs_new(void);

/* Waits for rank 0's next request and does it. FALSE if that was the last one. */
gboolean cs_serve_next(GHashTable *runs, const CsServeMore *more);

#endif
