/* Each task is done once, even if threads are stopped or refused; waiting for a thread works. */
#include <pthread.h>

#include <chromosweep/error.h>

#include "system/memory.h"
#include "system/parallel.h"

#include "limit_memory.h"

typedef struct {
    gint done[1000];
    gint count;
    gint stop_after;
    gint stop;
} Tasks;

static void
do_task(gint64 task, gpointer user_data)
{
    Tasks *tasks = user_data;
    g_atomic_int_inc(&tasks->done[task]);
    if (g_atomic_int_add(&tasks->count, 1) + 1 == tasks->stop_after)
        g_atomic_int_set(&tasks->stop, 1);
}

static void
test_tasks(void)
{
    for (guint threads = 0; threads < 9; threads++)
        for (gint n = 0; n <= 1000; n = 3 * n + 1) {
            Tasks tasks = {.stop = 0};
            g_assert_true(cs_parallel_run(n, threads, NULL, do_task, &tasks));
            g_assert_cmpint(tasks.count, ==, n);
            for (gint k = 0; k < 1000; k++)
                g_assert_cmpint(tasks.done[k], ==, k < n);
        }
}

/* A thread may be at a task when another one stops them. */
static void
test_stopped_tasks(void)
{
    for (gint threads = 1; threads < 9; threads++) {
        Tasks tasks = {.stop_after = 10};
        g_assert_false(cs_parallel_run(1000, (guint)threads, &tasks.stop, do_task, &tasks));
        g_assert_cmpint(tasks.count, >=, 10);
        g_assert_cmpint(tasks.count, <, 10 + threads);
    }
}

/* Whoever comes late finds no tasks, or those of a later call, whole. */
static void
test_crew(void)
{
    for (guint threads = 0; threads < 9; threads++) {
        g_autoptr(CsCrew) crew = cs_crew_new(threads);
        g_assert_cmpuint(cs_crew_size(crew), ==, MAX(threads, 1));
        for (gint round = 0; round < 300; round++) {
            const gint n = round % 7 == 0 ? 1000 : round % 7 - 1;
            Tasks tasks = {.stop = 0};
            cs_crew_run(crew, n, do_task, &tasks);
            g_assert_cmpint(tasks.count, ==, n);
            for (gint k = 0; k < 1000; k++)
                g_assert_cmpint(tasks.done[k], ==, k < n);
        }
    }
}

/* A thread that returns when it is told to. */
typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    gboolean may_end;
    gboolean ended; /* not under the mutex: who has joined may read it */
    guint asked;
} Patient;

static void
wait_for_word(gpointer user_data)
{
    Patient *patient = user_data;
    pthread_mutex_lock(&patient->mutex);
    while (!patient->may_end)
        pthread_cond_wait(&patient->changed, &patient->mutex);
    pthread_mutex_unlock(&patient->mutex);
    patient->ended = TRUE;
}

static void
let_end(Patient *patient)
{
    pthread_mutex_lock(&patient->mutex);
    patient->may_end = TRUE;
    pthread_cond_signal(&patient->changed);
    pthread_mutex_unlock(&patient->mutex);
}

static void
ask(gpointer user_data)
{
    Patient *patient = user_data;
    if (++patient->asked == 20)
        let_end(patient);
}

#define PATIENT_INIT                                                                               \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, FALSE, FALSE, 0                       \
    }

static void
test_wait(void)
{
    for (int k = 0; k < 50; k++) {
        Patient patient = PATIENT_INIT;
        CsThread *thread = cs_thread_new("patient", wait_for_word, &patient, NULL);
        g_assert_nonnull(thread);
        g_assert_false(cs_thread_wait(thread, 0));
        const gint64 start = g_get_monotonic_time();
        g_assert_false(cs_thread_wait(thread, 1500));
        g_assert_cmpint(g_get_monotonic_time() - start, >=, 1500);
        let_end(&patient);
        g_assert_true(cs_thread_wait(thread, 600 * G_USEC_PER_SEC)); /* it wakes at once */
        g_assert_true(patient.ended);
        g_assert_true(cs_thread_wait(thread, 0));
        cs_thread_join(thread);
    }
}

static void
test_join(void)
{
    for (int k = 0; k < 50; k++) {
        Patient patient = PATIENT_INIT;
        CsThread *thread = cs_thread_new("patient", wait_for_word, &patient, NULL);
        g_assert_nonnull(thread);
        if (k % 2 == 0) {
            cs_thread_join_asking(thread, ask, &patient);
            g_assert_cmpuint(patient.asked, >=, 20);
        } else {
            let_end(&patient);
            cs_thread_join(thread);
        }
        g_assert_true(patient.ended);
    }
}

/* If no thread can be started, a single thread is an error, and tasks are done by the caller. */
static void
test_refused(void)
{
#ifdef SANITIZED
    g_test_skip("the memory is the sanitizer's");
#else
    if (!in_own_process())
        return;
    limit_memory(CS_THREAD_STACK / 2 + CS_MEMORY_SPARE);
    g_autoptr(GError) error = NULL;
    g_assert_null(cs_thread_new("refused", wait_for_word, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_true(g_str_has_prefix(error->message, "cannot start a thread: "));
    Tasks tasks = {.stop = 0};
    g_assert_true(cs_parallel_run(1000, 8, NULL, do_task, &tasks));
    g_assert_cmpint(tasks.count, ==, 1000);
    g_autoptr(CsCrew) crew = cs_crew_new(8);
    g_assert_cmpuint(cs_crew_size(crew), ==, 1);
    cs_crew_run(crew, 1000, do_task, &tasks);
    g_assert_cmpint(tasks.count, ==, 2000);
#endif
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/parallel/tasks", test_tasks);
    g_test_add_func("/parallel/stopped-tasks", test_stopped_tasks);
    g_test_add_func("/parallel/crew", test_crew);
    g_test_add_func("/parallel/wait", test_wait);
    g_test_add_func("/parallel/join", test_join);
    g_test_add_func("/parallel/refused", test_refused);
    return g_test_run();
}
