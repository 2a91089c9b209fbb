/* The command's parts that every subcommand shares, and the subcommands. */
#ifndef CS_COMMAND_H
#define CS_COMMAND_H

#include <glib.h>

/* Runs "chromosweep compare"; argv[0] is "compare". Returns the exit status. */
int cs_command_compare(int argc, char **argv);

/* Likewise "chromosweep devices". */
int cs_command_devices(int argc, char **argv);

/* Likewise "chromosweep resume" and "chromosweep info". */
int cs_command_resume(int argc, char **argv);
int cs_command_info(int argc, char **argv);
/* Likewise "chromosweep plan". */
int cs_command_plan(int argc, char **argv);
/* Likewise "chromosweep plot". */
int cs_command_plot(int argc, char **argv);

/* Both return the exit status: 0, or 1 with the failure said when standard output fails. */
int cs_command_print(const char *text);
int cs_command_print_version(void);

/*
 * Says a failure in one line on standard error and returns its exit status. who is the prefix of an
 * error of usage, such as "chromosweep compare".
 */
int cs_command_fail(const char *who, const GError *error);

/*
 * text with every byte that is no printable UTF-8 character as \t, \n, \r or \xNN, so that it stays
 * on its line and cannot steer a terminal; with backslash, each backslash doubled too, so that it
 * can be read back.
 */
char *cs_command_escape(const char *text, gboolean backslash);

#endif
