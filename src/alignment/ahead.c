/* A window of strips that threads take one by one. */
#include <pthread.h>

#include "alignment/ahead.h"
#include "system/parallel.h"

enum {
    /* That are traced ahead at most, so that threads have work while the caller traces a long one.
     * Those above the start are in vain. */
    STRIPS_A_THREAD = 8,
};

typedef enum {
    EMPTY,
    GUESSING,
    TRACING, /* the anchor is known */
    DONE,
    FAILED,
} State;

typedef struct {
    State state;
    gsize k;
    gboolean unwanted; /* once it ends, it is empty again */
    gint stop;         /* atomic */
    CsAheadStrip strip;
} Slot;

struct _CsAhead {
    const CsAheadFuncs *funcs;
    const gint *stop; /* of the caller */
    gpointer user_data;
    CsThread **threads;
    guint n_threads;
    gsize n_slots; /* strip k is in slot k % n_slots */

    pthread_mutex_t mutex; /* protects all that follows */
    pthread_cond_t changed;
    Slot *slots;
    gsize at;   /* the strip that the caller has come to */
    gsize next; /* strips 0 .. next - 1 were not begun */
    gboolean closing;
};

static void
empty(Slot *slot)
{
    cs_path_clear(&slot->strip.path);
    *slot = (Slot){0};
}

/* The next strip to trace, or NULL where the window is full. */
static Slot *
begin_strip(CsAhead *ahead)
{
    if (ahead->next == 0 || ahead->next - 1 + ahead->n_slots <= ahead->at)
        return NULL;
    Slot *slot = &ahead->slots[(ahead->next - 1) % ahead->n_slots];
    if (slot->state != EMPTY) /* it is not wanted, but has not ended yet */
        return NULL;
    slot->state = GUESSING;
    slot->k = --ahead->next;
    return slot;
}

/* The mutex is held, but not during the work. */
static void
trace_slot(CsAhead *ahead, Slot *slot, const gint *stop)
{
    const CsAheadFuncs *funcs = ahead->funcs;
    CsAheadStrip strip = {0};
    pthread_mutex_unlock(&ahead->mutex);
    gboolean traced = funcs->guess(slot->k, &strip.anchor, ahead->user_data);
    pthread_mutex_lock(&ahead->mutex);
    if (traced && !slot->unwanted) {
        slot->strip.anchor = strip.anchor;
        slot->state = TRACING;
        pthread_cond_broadcast(&ahead->changed);
        pthread_mutex_unlock(&ahead->mutex);
        traced = funcs->trace(slot->k, &strip, stop, ahead->user_data);
        pthread_mutex_lock(&ahead->mutex);
    }
    slot->strip = strip;
    slot->state = traced ? DONE : FAILED;
    if (slot->unwanted)
        empty(slot);
    pthread_cond_broadcast(&ahead->changed);
}

/* A CsThreadFunc. */
static void
trace_slots(gpointer data)
{
    CsAhead *ahead = data;
    pthread_mutex_lock(&ahead->mutex);
    while (!ahead->closing) {
        Slot *slot = begin_strip(ahead);
        if (slot != NULL)
            trace_slot(ahead, slot, &slot->stop);
        else
            pthread_cond_wait(&ahead->changed, &ahead->mutex);
    }
    pthread_mutex_unlock(&ahead->mutex);
}

CsAhead *
cs_ahead_new(gsize k, guint threads, const CsAheadFuncs *funcs, const gint *stop,
             gpointer user_data)
{
    CsAhead *ahead = g_new0(CsAhead, 1);
    *ahead = (CsAhead){.funcs = funcs,
                       .stop = stop,
                       .user_data = user_data,
                       .threads = g_new(CsThread *, threads),
                       .n_slots = STRIPS_A_THREAD * ((gsize)threads + 1),
                       .at = k,
                       .next = k};
    ahead->slots = g_new0(Slot, ahead->n_slots);
    pthread_mutex_init(&ahead->mutex, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    while (ahead->n_threads < threads && (ahead->threads[ahead->n_threads] = cs_thread_new(
                                              "ahead", trace_slots, ahead, NULL)) != NULL)
        ahead->n_threads++;
    return ahead;
}

void
cs_ahead_free(CsAhead *ahead)
{
    if (ahead == NULL)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->closing = TRUE;
    for (gsize s = 0; s < ahead->n_slots; s++)
        g_atomic_int_set(&ahead->slots[s].stop, 1);
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
    for (guint t = 0; t < ahead->n_threads; t++)
        cs_thread_join(ahead->threads[t]);
    for (gsize s = 0; s < ahead->n_slots; s++)
        empty(&ahead->slots[s]);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->mutex);
    g_free(ahead->slots);
    g_free(ahead->threads);
    g_free(ahead);
}

static gboolean
is_same(const CsNode *a, const CsNode *b)
{
    return a->i == b->i && a->j == b->j && a->state == b->state && a->value == b->value;
}

/* Waits until it is known whether the strip was traced from this anchor. */
static gboolean
wait_for(CsAhead *ahead, const Slot *slot, const CsNode *anchor)
{
    while (slot->state != FAILED) {
        if (slot->state >= TRACING && !is_same(&slot->strip.anchor, anchor))
            return FALSE;
        if (slot->state == DONE)
            return TRUE;
        Slot *other = begin_strip(ahead);
        if (other != NULL)
            trace_slot(ahead, other, ahead->stop != NULL ? ahead->stop : &other->stop);
        else
            pthread_cond_wait(&ahead->changed, &ahead->mutex);
    }
    return FALSE;
}

gboolean
cs_ahead_take(CsAhead *ahead, gsize k, const CsNode *anchor, CsAheadStrip *strip)
{
    gboolean taken = FALSE;
    pthread_mutex_lock(&ahead->mutex);
    Slot *slot = &ahead->slots[k % ahead->n_slots];
    ahead->at = k;
    ahead->next = MIN(ahead->next, k);
    if (slot->state != EMPTY && slot->k == k) {
        taken = wait_for(ahead, slot, anchor);
        if (taken) {
            *strip = slot->strip;
            slot->strip.path = (CsPath){0};
        }
        if (slot->state == DONE || slot->state == FAILED) {
            empty(slot);
        } else {
            slot->unwanted = TRUE;
            g_atomic_int_set(&slot->stop, 1);
        }
    }
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
    return taken;
}
