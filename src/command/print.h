/* What the command prints beside results: help, the version, a failure. */
#ifndef CS_PRINT_H
#define CS_PRINT_H

#include <signal.h>

#include <glib.h>

/*
 * The status of a command whose output is a pipe that nobody reads any more, as `| head` leaves it.
 * main() then dies of SIGPIPE without a word, as other filters do.
 */
enum {
    CS_PRINT_NOBODY_READS = 128 + SIGPIPE,
};

/* Both return the exit status: 0, or what cs_print_failure() returns when standard output fails. */
int cs_print_text(const char *text);
int cs_print_version(void);

/*
 * Says a failure in one line on standard error and returns its exit status. who is the prefix of an
 * error of usage, such as "chromosweep compare".
 */
int cs_print_failure(const char *who, const GError *error);

#endif
