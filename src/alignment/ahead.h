/*
 * Strips that are traced ahead of the trace, on other threads.
 *
 *     row k - 1  ---------*------------   A strip can be traced once the node is known where the
 *                          \              path enters it from below, its anchor. Until the strip
 *                   strip k \             below is traced that node is only guessed. A strip that
 *                            \            was traced from a guess counts only if the anchor turns
 *     row k      -------------*--------   out to be exactly that node, and is traced anew if not.
 *
 * What a strip yields depends on its rows and its anchor alone, so the path is the same with any
 * guesses and any number of threads.
 */
#ifndef CS_AHEAD_H
#define CS_AHEAD_H

#include "alignment/walk.h"

/* A strip that was traced. */
typedef struct {
    CsNode anchor;
    CsNode node;      /* where the path leaves it */
    gboolean started; /* or starts */
    CsPath path;      /* from there to the anchor, not turned */
} CsAheadStrip;

/* What is done for strip k; any thread may call them. FALSE: the strip is left to the caller. */
typedef struct {
    /* From the anchor of the strip below, which may itself be a guess. Called by one thread at a
     * time. After FALSE, strips above are left alone until more is known. */
    gboolean (*guess)(gsize k, const CsNode *below, CsNode *anchor, gpointer user_data);
    /* The anchor is given. Ends soon after *stop becomes nonzero (atomic). */
    gboolean (*trace)(gsize k, CsAheadStrip *strip, const gint *stop, gpointer user_data);
} CsAheadFuncs;

typedef struct _CsAhead CsAhead;

/* Traces strips k - 1, k - 2 .. 0 ahead, on this many threads, or on fewer if not all can be
 * started. The anchor is strip k's. *stop counts while the caller's own thread traces. funcs must
 * outlive it. */
CsAhead *cs_ahead_new(gsize k, const CsNode *anchor, guint threads, const CsAheadFuncs *funcs,
                      const gint *stop, gpointer user_data);
void cs_ahead_free(CsAhead *ahead);

/*
 * Hands out strip k if it was traced from this anchor, and waits for that if it is being traced;
 * meanwhile this thread traces another one. If FALSE the caller has to trace it. Asked for
 * strips in falling order. The caller clears strip->path.
 */
gboolean cs_ahead_take(CsAhead *ahead, gsize k, const CsNode *anchor, CsAheadStrip *strip);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsAhead, cs_ahead_free)

#endif
