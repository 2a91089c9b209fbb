/* A window of strips that threads take one by one. */
#include <pthread.h>

#include "alignment/ahead.h"
#include "system/parallel.h"

enum {
    /* At most so many strips are traced ahead, so that threads have work while the caller traces a
     * long one. Strips above the start of the alignment are traced in vain. */
    STRIPS_A_THREAD = 8,
    VERSIONS = 3,    /* of a strip, each traced from another node */
    MOST_MISSES = 2, /* strips in a row that were traced from wrong nodes only */
    MOST_PAUSE = 16, /* strips */
};

typedef enum {
    EMPTY,
    GUESSING,
    WANTED, /* from here on it is known which node it is traced from */
    TRACING,
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
    gsize n_strips; /* of the window: strip k has the slots from VERSIONS * (k % n_strips) on */

    pthread_mutex_t mutex; /* protects all that follows */
    pthread_cond_t changed;
    Slot *slots;
    gsize at;          /* the strip that the caller has come to */
    gsize next;        /* strips 0 .. next - 1 were not begun */
    CsNode below;      /* strip `next` is traced from it; the next guess is made from it, too */
    gboolean guessing; /* that guess is being made */
    gboolean lost;     /* it cannot be made */
    guint misses;      /* strips in a row that were traced from wrong nodes only */
    guint pause;       /* for so many strips the caller is left alone */
    guint next_pause;
    gboolean closing;
};

static void
empty(Slot *slot)
{
    cs_path_clear(&slot->strip.path);
    *slot = (Slot){0};
}

static gboolean
is_same(const CsNode *a, const CsNode *b)
{
    return a->i == b->i && a->j == b->j && a->state == b->state && a->value == b->value;
}

static Slot *
slots_of(const CsAhead *ahead, gsize k)
{
    return &ahead->slots[VERSIONS * (k % ahead->n_strips)];
}

/* The version of strip k from this node, one whose node is being guessed, or NULL. */
static Slot *
find_version(const CsAhead *ahead, gsize k, const CsNode *from)
{
    Slot *guessed = NULL;
    for (Slot *slot = slots_of(ahead, k), *end = slot + VERSIONS; slot < end; slot++) {
        if (slot->state == EMPTY || slot->k != k || slot->unwanted)
            continue;
        if (slot->state == GUESSING)
            guessed = slot;
        else if (is_same(&slot->strip.from, from))
            return slot;
    }
    return guessed;
}

/* A version of strip k that can be begun, if it is in the window, or NULL. */
static Slot *
new_version(CsAhead *ahead, gsize k, State state)
{
    if (k >= ahead->at || k + ahead->n_strips <= ahead->at)
        return NULL;
    for (Slot *slot = slots_of(ahead, k), *end = slot + VERSIONS; slot < end; slot++)
        if (slot->state == EMPTY) { /* else it may be unwanted, but has not ended yet */
            slot->state = state;
            slot->k = k;
            return slot;
        }
    return NULL;
}

/* The lowest strip that is to be traced from another node than was guessed, else the next one to
 * guess. NULL if there is none for now. */
static Slot *
begin_strip(CsAhead *ahead)
{
    Slot *found = NULL;
    for (Slot *slot = ahead->slots, *end = slot + VERSIONS * ahead->n_strips; slot < end; slot++)
        if (slot->state == WANTED && (found == NULL || slot->k > found->k))
            found = slot;
    if (found != NULL) {
        found->state = TRACING;
        return found;
    }
    if (ahead->next == 0 || ahead->guessing || ahead->lost)
        return NULL;
    found = new_version(ahead, ahead->next - 1, GUESSING);
    if (found != NULL)
        ahead->next--;
    return found;
}

/* The mutex is held, but not during the work. */
static gboolean
guess(CsAhead *ahead, Slot *slot)
{
    const CsNode below = ahead->below;
    CsNode from;
    ahead->guessing = TRUE;
    pthread_mutex_unlock(&ahead->mutex);
    const gboolean guessed = ahead->funcs->guess(slot->k, &below, &from, ahead->user_data);
    pthread_mutex_lock(&ahead->mutex);
    ahead->guessing = FALSE;
    pthread_cond_broadcast(&ahead->changed);
    if (ahead->next == slot->k) {
        ahead->lost = !guessed;
        ahead->below = guessed ? from : below;
    }
    slot->strip.from = guessed ? from : (CsNode){0};
    slot->state = guessed ? TRACING : FAILED;
    return guessed;
}

/* Where a strip was left is a good guess for the one above: even from a wrong node the walk soon
 * joins the path. */
static void
follow(CsAhead *ahead, const Slot *traced)
{
    const gsize k = traced->k;
    const CsNode *node = &traced->strip.to;
    if (k == 0 || traced->strip.started || node->j == 0 ||
        (ahead->next < k && find_version(ahead, k - 1, node) != NULL))
        return;
    Slot *slot = new_version(ahead, k - 1, WANTED);
    if (slot == NULL)
        return;
    slot->strip.from = *node;
    if (ahead->next < k)
        return;
    ahead->next = k - 1;
    ahead->below = *node;
    ahead->lost = FALSE;
}

/* The mutex is held, but not during the work. */
static void
trace_slot(CsAhead *ahead, Slot *slot, const gint *stop)
{
    gboolean traced = FALSE;
    if ((slot->state == TRACING || guess(ahead, slot)) && !slot->unwanted) {
        CsAheadStrip strip = {.from = slot->strip.from};
        pthread_mutex_unlock(&ahead->mutex);
        traced = ahead->funcs->trace(slot->k, &strip, stop, ahead->user_data);
        pthread_mutex_lock(&ahead->mutex);
        slot->strip = strip;
    }
    slot->state = traced ? DONE : FAILED;
    if (slot->unwanted)
        empty(slot);
    else if (traced)
        follow(ahead, slot);
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
cs_ahead_new(gsize k, const CsNode *from, guint threads, const CsAheadFuncs *funcs,
             const gint *stop, gpointer user_data)
{
    CsAhead *ahead = g_new0(CsAhead, 1);
    *ahead = (CsAhead){.funcs = funcs,
                       .stop = stop,
                       .user_data = user_data,
                       .threads = g_new(CsThread *, threads),
                       .n_strips = STRIPS_A_THREAD * ((gsize)threads + 1),
                       .at = k,
                       .next = k,
                       .below = *from,
                       .next_pause = 1};
    ahead->slots = g_new0(Slot, VERSIONS * ahead->n_strips);
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
    for (gsize s = 0; s < VERSIONS * ahead->n_strips; s++)
        g_atomic_int_set(&ahead->slots[s].stop, 1);
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
    for (guint t = 0; t < ahead->n_threads; t++)
        cs_thread_join(ahead->threads[t]);
    for (gsize s = 0; s < VERSIONS * ahead->n_strips; s++)
        empty(&ahead->slots[s]);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->mutex);
    g_free(ahead->slots);
    g_free(ahead->threads);
    g_free(ahead);
}

/* Waits until it is known whether strip k was traced from this node. Returns that version, if it
 * was. */
static Slot *
wait_for(CsAhead *ahead, gsize k, const CsNode *from)
{
    for (;;) {
        Slot *slot = find_version(ahead, k, from);
        if (slot == NULL || slot->state == WANTED || slot->state == FAILED)
            return NULL;
        if (slot->state == DONE)
            return slot;
        Slot *other = begin_strip(ahead);
        if (other != NULL)
            trace_slot(ahead, other, ahead->stop != NULL ? ahead->stop : &other->stop);
        else
            pthread_cond_wait(&ahead->changed, &ahead->mutex);
    }
}

/* No version of the strip is wanted any longer. */
static void
drop_strip(CsAhead *ahead, gsize k)
{
    for (Slot *slot = slots_of(ahead, k), *end = slot + VERSIONS; slot < end; slot++)
        if (slot->state == GUESSING || slot->state == TRACING) {
            slot->unwanted = TRUE;
            g_atomic_int_set(&slot->stop, 1);
        } else {
            empty(slot);
        }
}

/* The next guess is made from the node of strip k, which is known. */
static void
guess_from(CsAhead *ahead, gsize k, const CsNode *from)
{
    ahead->next = k;
    ahead->below = *from;
    ahead->lost = FALSE;
}

/*
 * Counts the strips that were traced from wrong nodes. After a few, those above are most likely wrong as well: a path
 * that enters a long gap elsewhere does not join the right one before the end of the gap. So they are guessed anew. If
 * that does not help, the sequences are unrelated here, where no guess is right and paths seldom join. Then the threads
 * pause, as the caller needs all cores: for one strip, two, four and so on.
 */
static void
count_misses(CsAhead *ahead, gsize k, const CsNode *from)
{
    if (find_version(ahead, k, from) != NULL) {
        ahead->misses = 0;
        ahead->next_pause = 1;
        return;
    }
    if (++ahead->misses < MOST_MISSES)
        return;
    for (gsize above = ahead->next; above < k; above++)
        drop_strip(ahead, above);
    guess_from(ahead, k, from);
    if (ahead->misses == MOST_MISSES)
        return;
    ahead->lost = TRUE;
    ahead->pause = ahead->next_pause;
    ahead->next_pause = MIN(2 * ahead->next_pause, MOST_PAUSE);
}

gboolean
cs_ahead_take(CsAhead *ahead, gsize k, const CsNode *from, CsAheadStrip *strip)
{
    pthread_mutex_lock(&ahead->mutex);
    ahead->at = k;
    const gboolean begun = ahead->next <= k, paused = ahead->pause > 0;
    if (ahead->next >= k) {
        guess_from(ahead, k, from);
        ahead->lost = paused;
        pthread_cond_broadcast(&ahead->changed);
    }
    ahead->pause -= paused;
    Slot *slot = wait_for(ahead, k, from);
    if (slot != NULL) {
        *strip = slot->strip;
        slot->strip.path = (CsPath){0};
    }
    if (begun)
        count_misses(ahead, k, from);
    drop_strip(ahead, k);
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
    return slot != NULL;
}
