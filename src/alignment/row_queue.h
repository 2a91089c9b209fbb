/*
 * A queue of pieces of special rows, which threads of its own pack while the sweep goes on.
 *
 *     sweep --> | open | --> | waiting | being packed | packed | --> kept, one after the other
 *
 * Pieces go through in batches. Any thread packs any batch, but all pieces are kept in the order in
 * which they came, so the number of threads makes no difference to what is kept.
 */
#ifndef CS_ROW_QUEUE_H
#define CS_ROW_QUEUE_H

#include "sweep/rectangle.h"

typedef struct _CsRowQueue CsRowQueue;

/* What is done with a piece. */
typedef struct {
    /* Packs a piece; several threads may call this at once. What it returns may be NULL. */
    gpointer (*pack)(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                     gpointer user_data);
    /* Keeps what pack() returned. Only one thread at a time calls this, and in the order in which the
     * pieces came. */
    gboolean (*keep)(gpointer packed, gpointer user_data, GError **error);
    GDestroyNotify free; /* frees what pack() returned, kept or not */
    gpointer user_data;
} CsRowWork;

enum {
    CS_ROW_QUEUE_MOST_CELLS = 1 << 21, /* in the queue, or one piece that has more */
};

/* The most bytes that a queue takes for pieces that are not packed, unless one is longer than the
 * queue. */
#define CS_ROW_QUEUE_BYTES ((gint64)CS_ROW_QUEUE_MOST_CELLS * 2 * (gint64)sizeof(CsScore))

/* With at most so many threads; fewer if some cannot be started, and NULL if none can. */
CsRowQueue *cs_row_queue_new(const CsRowWork *work, guint threads);

/* A CsRowFunc; user_data is a CsRowQueue. Waits while too many cells are queued. FALSE with error
 * set once a piece could not be kept; no more are kept then. A failure after the last call of this
 * is lost. */
gboolean cs_row_queue_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
                           gboolean bounds, gpointer user_data, GError **error);

/* Waits until all pieces are kept. */
void cs_row_queue_wait(CsRowQueue *queue);

/* Waits for that, too, and frees the queue. */
void cs_row_queue_free(CsRowQueue *queue);

#endif
