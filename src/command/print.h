/* Prints everything but results: help, the version, a failure. */
#ifndef CS_PRINT_H
#define CS_PRINT_H

#include <signal.h>

#include <glib.h>

/*
 * The exit status of a command whose output is a pipe that nobody reads any more, as after `|
 * head`. main() then dies of SIGPIPE without a message, as other filters do.
 */
enum {
    CS_PRINT_NOBODY_READS = 128 + SIGPIPE,
};

/* Both return the exit status: 0, or that of cs_print_failure() if standard output fails. */
int cs_print_text(const char *text);
int cs_print_version(void);

/*
 * Writes a failure as one line to standard error and returns its exit status. who is the prefix of
 * errors of usage, such as "chromosweep compare".
 */
int cs_print_failure(const char *who, const GError *error);

/* For a command that was started as several processes, and cannot use them. Returns the exit status. */
int cs_print_one_process(const char *command, guint processes);

#endif
