/*
 * Strips that are traced ahead of the trace, on other threads.
 *
 *     row k - 1  ---------*------------   A strip is traced upwards from the node where the path
 *                          \              crosses its bottom. Until the strip below is traced,
 *                   strip k \             that node is only a guess. What was traced from a guess
 *                            \            counts if the path crosses exactly there. If it does
 *     row k      -------------*--------   not, the strip is traced again.
 *
 * The result depends only on the rows of the strip and on the node it is traced from. So the path
 * is the same with any guesses and any number of threads.
 */
#ifndef CS_AHEAD_H
#define CS_AHEAD_H

#include "alignment/walk.h"

/* A strip that was traced. */
typedef struct {
    CsNode from;      /* the node it is traced from */
    CsNode to;        /* where the path leaves it at the top */
    gboolean started; /* or starts */
    CsPath path;      /* between the two, not turned */
} CsAheadStrip;

/* What is done for strip k; any thread may call them. FALSE: the strip is left to the caller. */
typedef struct {
    /* Guesses the node that strip k is traced from, given that of the strip below, which may be a
     * guess itself. Called by one thread at a time. After FALSE, strips above are left alone until
     * more is known. */
    gboolean (*guess)(gsize k, const CsNode *below, CsNode *from, gpointer user_data);
    /* strip->from is given. Ends soon after *stop becomes nonzero (atomic). */
    gboolean (*trace)(gsize k, CsAheadStrip *strip, const gint *stop, gpointer user_data);
} CsAheadFuncs;

typedef struct _CsAhead CsAhead;

/* Traces strips k - 1, k - 2 .. 0 ahead, on this many threads, or on fewer if not all can be
 * started. Strip k is traced from `from`. *stop counts while the caller's own thread traces. funcs
 * must outlive it. */
CsAhead *cs_ahead_new(gsize k, const CsNode *from, guint threads, const CsAheadFuncs *funcs,
                      const gint *stop, gpointer user_data);
void cs_ahead_free(CsAhead *ahead);

/*
 * Hands out strip k if it was traced from this node. If it is just being traced, waits for that,
 * and traces another one meanwhile. FALSE: the caller has to trace it. Strips are asked for in
 * falling order. The caller clears strip->path.
 */
gboolean cs_ahead_take(CsAhead *ahead, gsize k, const CsNode *from, CsAheadStrip *strip);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsAhead, cs_ahead_free)

#endif
