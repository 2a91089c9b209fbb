/*
 * A queue of pieces of special rows for a function that takes a while, such as packing. The
 * function runs on a thread of its own, so the sweep does not wait for it.
 */
#ifndef CS_ROW_QUEUE_H
#define CS_ROW_QUEUE_H

#include "sweep/rectangle.h"

typedef struct _CsRowQueue CsRowQueue;

/* func gets the pieces in the order in which they come. NULL if no thread can be started. */
CsRowQueue *cs_row_queue_new(CsRowFunc func, gpointer user_data);

/* A CsRowFunc; user_data is a CsRowQueue. Waits while too many cells are queued. FALSE with error
 * set once func has failed; it then gets no more pieces. If func fails after the last call of this,
 * the failure is lost. */
gboolean cs_row_queue_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                           gboolean bounds, gpointer user_data, GError **error);

/* Waits until func is done with all pieces. */
void cs_row_queue_wait(CsRowQueue *queue);

/* Waits for that, too, and frees the queue. */
void cs_row_queue_free(CsRowQueue *queue);

#endif
