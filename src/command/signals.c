/* Signals at which a run with a checkpoint saves its state. */
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "command/messages.h"
#include "command/signals.h"

/*
 * A second signal this soon after the first is the same request. So is SIGXCPU at any time: the
 * kernel repeats it every second of processor time, and saving takes some on all cores.
 */
#define REPEAT_MILLISECONDS 250

static const struct {
    int number;
    const char *name;
} stop_signals[] = {
    {SIGTERM, "SIGTERM"},
    {SIGINT, "SIGINT"},
    {SIGHUP, "SIGHUP"},
    {SIGXCPU, "SIGXCPU"},
};

/* Written by handlers, which may run on any thread, so they are lock-free atomics. */
static _Atomic long long stopped_at; /* milliseconds of a clock; 0: not asked to stop */
static _Atomic int stop_signal;
static _Atomic int save_wanted;

static struct sigaction old_stops[G_N_ELEMENTS(stop_signals)];
static gboolean watching_stops;

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2,
               "a signal handler cannot wait for a lock");

static void
note_stop(int number)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    long long now = 1 + (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000, first = 0;
    if (atomic_compare_exchange_strong(&stopped_at, &first, now)) {
        atomic_store(&stop_signal, number);
    } else if (number != SIGXCPU && now - first >= REPEAT_MILLISECONDS) {
        signal(number, SIG_DFL);
        raise(number); /* delivered as soon as this handler, which blocks it, returns */
    }
}

static void
note_save(int number)
{
    (void)number;
    atomic_store(&save_wanted, 1);
}

/* Signals that are ignored stay ignored, as with nohup and background jobs of some shells. */
static void
install(int number, void (*handler)(int), struct sigaction *old)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, NULL, old);
    if (old->sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void
cs_signals_watch_save(void)
{
    struct sigaction old;
    install(SIGUSR1, note_save, &old);
}

void
cs_signals_watch_stops(void)
{
    atomic_store(&stopped_at, 0);
    atomic_store(&stop_signal, 0);
    watching_stops = TRUE;
    for (guint k = 0; k < G_N_ELEMENTS(stop_signals); k++)
        install(stop_signals[k].number, note_stop, &old_stops[k]);
}

int
cs_signals_stop(void)
{
    return atomic_load(&stop_signal);
}

gboolean
cs_signals_take_save(void)
{
    return atomic_exchange(&save_wanted, 0) != 0;
}

gboolean
cs_signals_must_stop(gint64 start, double max_time)
{
    const double seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
    return cs_signals_stop() != 0 || (max_time > 0 && seconds >= max_time);
}

CsControl
cs_signals_control(gint64 start, double max_time, gboolean keeps_state)
{
    if (cs_signals_must_stop(start, max_time))
        return CS_CONTROL_STOP;
    if (!cs_signals_take_save())
        return CS_CONTROL_GO_ON;
    if (!keeps_state)
        cs_message(CS_MESSAGE_WARNING, "SIGUSR1: no state to save without --checkpoint");
    return CS_CONTROL_SAVE;
}

int
cs_signals_unwatch_stops(void)
{
    for (guint k = 0; watching_stops && k < G_N_ELEMENTS(stop_signals); k++)
        sigaction(stop_signals[k].number, &old_stops[k], NULL);
    watching_stops = FALSE;
    return cs_signals_stop();
}

const char *
cs_signals_name(int number)
{
    for (guint k = 0; k < G_N_ELEMENTS(stop_signals); k++)
        if (stop_signals[k].number == number)
            return stop_signals[k].name;
    return "a signal";
}

void
cs_signals_die(int number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 +
          number); /* if it could not be raised, for example in the init process of a container */
}
