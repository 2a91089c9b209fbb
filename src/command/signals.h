/*
 * Signals that a run with a checkpoint answers by saving its state, instead of dying with it
 * unsaved.
 *
 * SIGTERM, SIGINT, SIGHUP and SIGXCPU ask to stop, SIGUSR1 asks to save and go on. What the program
 * was started to ignore stays ignored. The handlers only note what came. A second request to stop
 * is met with the signal's default action at once; within a quarter of a second it counts as
 * the first one, because timeout(1) and schedulers signal a process and then its whole group.
 * SIGXCPU is never a second request, because the kernel repeats it for each further second of
 * processor time.
 */
#ifndef CS_SIGNALS_H
#define CS_SIGNALS_H

#include <glib.h>

/* Begins to note SIGUSR1, to the program's end: unnoted it would kill, while files load too. */
void cs_signals_watch_save(void);

/* Begins to note the signals that ask to stop. Once at a time. */
void cs_signals_watch_stops(void);

/* The signal that asked to stop, or 0. */
int cs_signals_stop(void);

/* Whether SIGUSR1 came since this was last asked, or ever. */
gboolean cs_signals_take_save(void);

/* Puts back what was before cs_signals_watch_stops(), if that was. Returns cs_signals_stop(). */
int cs_signals_unwatch_stops(void);

/* "SIGTERM" and so on, of a signal that asks to stop. */
const char *cs_signals_name(int number);

/* Dies of the signal, so that who waits for the program sees what ended it. */
G_NORETURN void cs_signals_die(int number);

#endif
