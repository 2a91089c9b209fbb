/*
 * Pieces of special rows on their way to a function that takes a while, such as one that packs them.
 * It runs on a thread of its own, so that a sweep need not wait.
 */
#ifndef CS_ROW_QUEUE_H
#define CS_ROW_QUEUE_H

#include "sweep/rectangle.h"

typedef struct _CsRowQueue CsRowQueue;

/* Pieces go to func, in the order in which they come. NULL if no thread can be started. */
CsRowQueue *cs_row_queue_new(CsRowFunc func, gpointer user_data);

/* A CsRowFunc; user_data is a CsRowQueue. Waits while too many cells are queued. FALSE with error set
 * once func has failed; no piece goes to it then. If it fails after the last call, nobody is told. */
gboolean cs_row_queue_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                           gboolean bounds, gpointer user_data, GError **error);

/* Waits until func has had all pieces. */
void cs_row_queue_wait(CsRowQueue *queue);

/* Waits likewise, and frees the queue. */
void cs_row_queue_free(CsRowQueue *queue);

#endif
