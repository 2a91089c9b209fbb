/*
 * Signals that make a run with a checkpoint save its state instead of dying without saving it.
 *
 * SIGTERM, SIGINT, SIGHUP and SIGXCPU ask to stop, SIGUSR1 asks to save and go on. Signals that
 * were ignored when the program started stay ignored. The handlers only note that a signal came. A
 * second request to stop has the signal's default action at once. Within a quarter of a second it
 * counts as the first request, because timeout(1) and schedulers signal a process and then its
 * whole group. SIGXCPU never counts as a second request, because the kernel repeats it for each
 * further second of processor time.
 */
#ifndef CS_SIGNALS_H
#define CS_SIGNALS_H

#include <chromosweep/control.h>

/* Handles SIGUSR1 until the program ends. Without a handler it would kill the program, even while
 * files load. */
void cs_signals_watch_save(void);

/* Starts to handle the signals that ask to stop. Must not be called twice in a row. */
void cs_signals_watch_stops(void);

/* The signal that asked to stop, or 0. */
int cs_signals_stop(void);

/* Whether SIGUSR1 came since the last call. */
gboolean cs_signals_take_save(void);

/* Whether to stop: a signal asked for it, or max_time seconds (0: no limit) have passed since `start`, on
 * the monotonic clock in microseconds. */
gboolean cs_signals_must_stop(gint64 start, double max_time);

/* The same as a control function answers; SIGUSR1 asks to save. Warns if it came and no state is kept. */
CsControl cs_signals_control(gint64 start, double max_time, gboolean keeps_state);

/* Undoes cs_signals_watch_stops(), if it was called. Returns cs_signals_stop(). */
int cs_signals_unwatch_stops(void);

/* The name of a signal that asks to stop, such as "SIGTERM". */
const char *cs_signals_name(int number);

/* Dies of the signal, so that the parent process sees what ended the program. */
G_NORETURN void cs_signals_die(int number);

#endif
