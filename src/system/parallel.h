/* Work in chunks that threads take as they come. */
#ifndef CS_PARALLEL_H
#define CS_PARALLEL_H

#include <glib.h>

typedef void (*CsParallelFunc)(gint64 chunk, gpointer user_data);

/*
 * Calls func for chunks 0 .. chunks - 1, in any order, on at most `threads` threads, this one among
 * them; one that cannot be started is done without. FALSE where *stop, if there is one, became
 * other than 0: then some may be left out.
 */
gboolean cs_parallel_run(gint64 chunks, guint threads, const gint *stop, CsParallelFunc func,
                         gpointer user_data);

#endif
