/*
 * Threads: see parallel.h.
 *
 * When its function returns, a thread signals its condition under its mutex. So waiting threads do
 * not poll, and a wait with a time limit ends as soon as the function returns.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <chromosweep/error.h>

#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

/* Microseconds between two calls of `ask` during a wait. */
enum {
    FIRST_PAUSE = 20,
    LONGEST_PAUSE = 1000,
    MOST_KEPT = 32, /* stacks */
};

struct _CsThread {
    const char *name;
    CsThreadFunc func;
    gpointer user_data;
    pthread_t id;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    gboolean returned; /* whether func has returned; protected by the mutex */
};

static void *
thread_main(void *data)
{
    CsThread *thread = data;
    (void)pthread_setname_np(pthread_self(), thread->name); /* just for debuggers */
    thread->func(thread->user_data);
    pthread_mutex_lock(&thread->mutex);
    thread->returned = TRUE;
    pthread_cond_signal(&thread->changed);
    pthread_mutex_unlock(&thread->mutex);
    return NULL;
}

static void
thread_free(CsThread *thread)
{
    pthread_cond_destroy(&thread->changed);
    pthread_mutex_destroy(&thread->mutex);
    g_free(thread);
}

/* glibc keeps the stacks of ended threads for the next ones, at most 40 MiB. */
static atomic_uint kept_stacks;

/* Starts the thread if a limit of address space leaves room for its stack. Returns 0 or an
 * errno. */
static int
start(CsThread *thread)
{
    pthread_attr_t attributes;
    if (!cs_memory_enter(0))
        return EAGAIN;
    int status = EAGAIN;
    if (kept_stacks > 0 || cs_memory_has_room(CS_THREAD_STACK)) {
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, CS_THREAD_STACK);
        status = pthread_create(&thread->id, &attributes, thread_main, thread);
        pthread_attr_destroy(&attributes);
    }
    if (status == 0 && kept_stacks > 0)
        kept_stacks--;
    cs_memory_leave();
    return status;
}

CsThread *
cs_thread_new(const char *name, CsThreadFunc func, gpointer user_data, GError **error)
{
    CsThread *thread = g_new(CsThread, 1);
    *thread = (CsThread){.name = name, .func = func, .user_data = user_data};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&thread->mutex, NULL);
    pthread_cond_init(&thread->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    const int status = start(thread);
    if (status == 0)
        return thread;
    thread_free(thread);
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "cannot start a thread: %s", g_strerror(status));
    errno = status;
    return NULL;
}

gboolean
cs_thread_wait(CsThread *thread, gint64 microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const gint64 nanoseconds = until.tv_nsec + microseconds % G_USEC_PER_SEC * 1000;
    until.tv_sec += microseconds / G_USEC_PER_SEC + nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    pthread_mutex_lock(&thread->mutex);
    while (!thread->returned && microseconds > 0 &&
           pthread_cond_timedwait(&thread->changed, &thread->mutex, &until) != ETIMEDOUT)
        ;
    const gboolean returned = thread->returned;
    pthread_mutex_unlock(&thread->mutex);
    return returned;
}

void
cs_thread_join(CsThread *thread)
{
    pthread_join(thread->id, NULL);
    thread_free(thread);
    if (kept_stacks < MOST_KEPT)
        kept_stacks++;
}

gsize
cs_thread_stacks(gsize threads)
{
    const gsize kept = kept_stacks;
    return threads > kept ? (threads - kept) * CS_THREAD_STACK : 0;
}

void
cs_thread_join_asking(CsThread *thread, CsThreadFunc ask, gpointer user_data)
{
    gint64 pause = FIRST_PAUSE;
    for (ask(user_data); !cs_thread_wait(thread, pause); ask(user_data))
        pause = MIN(2 * pause, LONGEST_PAUSE);
    cs_thread_join(thread);
}

typedef struct {
    gint64 tasks;
    const gint *stop;
    CsParallelFunc func;
    gpointer user_data;
    atomic_llong next; /* the next task */
} Work;

static void
take_tasks(gpointer data)
{
    Work *work = data;
    for (gint64 task; !cs_is_stopped(work->stop) && (task = work->next++) < work->tasks;)
        work->func(task, work->user_data);
}

gboolean
cs_parallel_run(gint64 tasks, guint threads, const gint *stop, CsParallelFunc func,
                gpointer user_data)
{
    Work work = {.tasks = tasks, .stop = stop, .func = func, .user_data = user_data};
    const guint wanted = (guint)CLAMP(tasks, 1, (gint64)MAX(threads, 1)) - 1;
    g_autofree CsThread **others = g_new(CsThread *, wanted + 1);
    guint started = 0;
    while (started < wanted &&
           (others[started] = cs_thread_new("tasks", take_tasks, &work, NULL)) != NULL)
        started++;
    take_tasks(&work);
    for (guint k = 0; k < started; k++)
        cs_thread_join(others[k]);
    return !cs_is_stopped(stop);
}

struct _CsCrew {
    pthread_mutex_t mutex;
    pthread_cond_t given, done;
    Work *work;        /* none to take if NULL */
    guint64 works;     /* given so far */
    guint busy;        /* threads that have taken part in it and have not come back */
    gboolean is_ended; /* this and all above are protected by the mutex */
    guint count;
    CsThread *threads[];
};

static void
serve(gpointer data)
{
    CsCrew *crew = data;
    guint64 seen = 0;
    pthread_mutex_lock(&crew->mutex);
    while (!crew->is_ended) {
        if (crew->work == NULL || crew->works == seen) {
            pthread_cond_wait(&crew->given, &crew->mutex);
            continue;
        }
        Work *work = crew->work;
        seen = crew->works;
        crew->busy++;
        pthread_mutex_unlock(&crew->mutex);
        take_tasks(work);
        pthread_mutex_lock(&crew->mutex);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->done);
    }
    pthread_mutex_unlock(&crew->mutex);
}

CsCrew *
cs_crew_new(guint threads)
{
    const guint wanted = MAX(threads, 1) - 1;
    CsCrew *crew = g_malloc0(sizeof(CsCrew) + wanted * sizeof(CsThread *));
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->given, NULL);
    pthread_cond_init(&crew->done, NULL);
    while (crew->count < wanted &&
           (crew->threads[crew->count] = cs_thread_new("crew", serve, crew, NULL)) != NULL)
        crew->count++;
    return crew;
}

void
cs_crew_free(CsCrew *crew)
{
    pthread_mutex_lock(&crew->mutex);
    crew->is_ended = TRUE;
    pthread_cond_broadcast(&crew->given);
    pthread_mutex_unlock(&crew->mutex);
    for (guint k = 0; k < crew->count; k++)
        cs_thread_join(crew->threads[k]);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->given);
    pthread_mutex_destroy(&crew->mutex);
    g_free(crew);
}

guint
cs_crew_size(const CsCrew *crew)
{
    return crew->count + 1;
}

void
cs_crew_run(CsCrew *crew, gint64 tasks, CsParallelFunc func, gpointer user_data)
{
    Work work = {.tasks = tasks, .func = func, .user_data = user_data};
    if (tasks > 1 && crew->count > 0) {
        pthread_mutex_lock(&crew->mutex);
        crew->work = &work;
        crew->works++;
        pthread_cond_broadcast(&crew->given);
        pthread_mutex_unlock(&crew->mutex);
    }
    take_tasks(&work);
    pthread_mutex_lock(&crew->mutex);
    crew->work = NULL;
    while (crew->busy > 0)
        pthread_cond_wait(&crew->done, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}
