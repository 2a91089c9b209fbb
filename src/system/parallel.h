/*
 * Threads: work in tasks that they take as they come, or one function on a thread of its own, and
 * how its end is waited for. They are pthreads, which ThreadSanitizer sees through.
 */
#ifndef CS_PARALLEL_H
#define CS_PARALLEL_H

#include <glib.h>

typedef void (*CsParallelFunc)(gint64 task, gpointer user_data);

/*
 * Calls func for tasks 0 .. tasks - 1, in any order, on at most `threads` threads, this one among
 * them; one that cannot be started is done without. FALSE where *stop, if there is one, became
 * other than 0: then some may be left out.
 */
gboolean cs_parallel_run(gint64 tasks, guint threads, const gint *stop, CsParallelFunc func,
                         gpointer user_data);

/* Bytes of a thread's stack: ten times what any function of ours takes. A limit of address space
 * (ulimit -v) counts all of it; the default of 8 MiB would spend such a limit on stacks. */
#define CS_THREAD_STACK ((gsize)1 << 20)

typedef struct _CsThread CsThread;
typedef void (*CsThreadFunc)(gpointer user_data);

/*
 * Calls func on a thread of its own, to be joined; the name, of at most 15 bytes, is for debuggers.
 * Fails with CS_ERROR_DEVICE, and errno says why.
 */
CsThread *cs_thread_new(const char *name, CsThreadFunc func, gpointer user_data, GError **error);

/* The address space that the stacks of so many more threads take. */
gsize cs_thread_stacks(gsize threads);

/* Waits for so many microseconds at most; whether func has returned. */
gboolean cs_thread_wait(CsThread *thread, gint64 microseconds);

/* Waits until func has returned, and frees the thread. */
void cs_thread_join(CsThread *thread);

/*
 * The same, for who must look after something else meanwhile: calls ask on this thread, at once and
 * after 20 microseconds, then less and less often, but every millisecond at least.
 */
void cs_thread_join_asking(CsThread *thread, CsThreadFunc ask, gpointer user_data);

#endif
