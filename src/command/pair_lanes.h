/*
 * Shares a list of pairs among devices. Each device is a lane, which compares one pair at a time, the
 * largest first. A pair that is larger than a lane's share of the cells comes last and takes all devices
 * together. With one device the pairs come in the order of the list.
 */
#ifndef CS_PAIR_LANES_H
#define CS_PAIR_LANES_H

#include <pthread.h>

#include <glib.h>

/* What a pair runs on. */
typedef struct {
    guint index;         /* of the lane; 0 for all devices together */
    const char *device;  /* as --device takes it; NULL is auto */
    guint threads;       /* at most */
    gboolean has_others; /* there are other lanes that a device's failure does not concern */
} CsLane;

typedef enum {
    CS_LANE_NEXT,   /* the pair is over */
    CS_LANE_BROKEN, /* the device failed: it gets no more pairs, and others compare this one */
    CS_LANE_LATER,  /* the pair waits until all lanes have ended */
    CS_LANE_STOP,   /* no pair is to begin any more */
} CsLaneAnswer;

/* Compares pair k. Called with the lock held, on a thread of the lane. May give the lock back while it
 * computes. */
typedef CsLaneAnswer (*CsLaneFunc)(guint k, const CsLane *lane, gpointer data);

/* What lanes are made of. */
typedef struct {
    const char *device, *engine; /* as CsCompareOptions */
    guint threads;
} CsLanesWish;

/*
 * The devices that can each be a lane. Of several processes those of all (cs_ranks_devices()). Of one,
 * those that are listed: its GPUs, each once, or else the CPU, not more often than there are threads. If
 * that is only one, or none is listed, the text as it is.
 */
GPtrArray *cs_pair_lanes_devices(const CsLanesWish *wish, GError **error);

/*
 * The pairs, of so many cells, in the order in which they begin. The first *alone take a lane each, the
 * others take all lanes. For g_free().
 */
guint *cs_pair_lanes_order(const gint64 *cells, guint count, guint lanes, guint *alone);

/* Compares all pairs. `lock` is held by the caller, and while `func` is called. */
void cs_pair_lanes_run(const GPtrArray *devices, const CsLanesWish *wish, const gint64 *cells,
                       guint count, pthread_mutex_t *lock, CsLaneFunc func, gpointer data);

#endif
