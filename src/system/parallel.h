/*
 * Threads. Several threads take tasks one by one, or one function runs on a thread of its own, and
 * others wait for its end. They are pthreads, which ThreadSanitizer understands.
 */
#ifndef CS_PARALLEL_H
#define CS_PARALLEL_H

#include <glib.h>

typedef void (*CsParallelFunc)(gint64 task, gpointer user_data);

/*
 * Calls func for tasks 0 .. tasks - 1, in any order, on at most `threads` threads including this
 * one. If a thread cannot be started, the others do its work. FALSE if *stop (if any) became
 * nonzero; some tasks may then be left out.
 */
gboolean cs_parallel_run(gint64 tasks, guint threads, const gint *stop, CsParallelFunc func,
                         gpointer user_data);

/*
 * Threads that wait for tasks, for a caller that has some again and again. Starting threads takes
 * some 20 microseconds each, waking them a few. Only one caller may use a crew at a time.
 */
typedef struct _CsCrew CsCrew;

/* At most `threads` threads including the caller's; fewer if some cannot be started. */
CsCrew *cs_crew_new(guint threads);
void cs_crew_free(CsCrew *crew);

/* Its threads, including the caller's. */
guint cs_crew_size(const CsCrew *crew);

/* Calls func for tasks 0 .. tasks - 1, taken in this order. */
void cs_crew_run(CsCrew *crew, gint64 tasks, CsParallelFunc func, gpointer user_data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsCrew, cs_crew_free)

/* Bytes of a thread's stack: ten times what any function here needs. A limit of address space
 * (ulimit -v) counts the whole stack; with the default of 8 MiB, stacks would use up the limit. */
#define CS_THREAD_STACK ((gsize)1 << 20)

typedef struct _CsThread CsThread;
typedef void (*CsThreadFunc)(gpointer user_data);

/*
 * Calls func on a thread of its own, which must be joined. The name, of at most 15 bytes, is for
 * debuggers. Fails with CS_ERROR_DEVICE; errno says why.
 */
CsThread *cs_thread_new(const char *name, CsThreadFunc func, gpointer user_data, GError **error);

/* The address space for the stacks of so many more threads. */
gsize cs_thread_stacks(gsize threads);

/* Waits for at most so many microseconds. Returns whether func has returned. */
gboolean cs_thread_wait(CsThread *thread, gint64 microseconds);

/* Waits until func has returned, and frees the thread. */
void cs_thread_join(CsThread *thread);

/*
 * The same for a caller that must do something else during the wait. Calls ask on this thread, at
 * once and after 20 microseconds, then less and less often, but at least every millisecond.
 */
void cs_thread_join_asking(CsThread *thread, CsThreadFunc ask, gpointer user_data);

#endif
