/*
 * What the command says. Messages go through GLib's structured logging to one writer, which puts
 * on standard error what the user wants to hear of them and into the log file all of them. The
 * terminal's progress line goes here too, so that no message runs into it: nothing else in this
 * folder writes to standard error.
 */
#ifndef CS_MESSAGES_H
#define CS_MESSAGES_H

#include <glib.h>

/* What a message is worth; each says when standard error gets it. */
typedef enum {
    CS_MESSAGE_DETAIL = G_LOG_LEVEL_INFO,     /* when verbose */
    CS_MESSAGE_EVENT = G_LOG_LEVEL_MESSAGE,   /* unless quiet */
    CS_MESSAGE_WARNING = G_LOG_LEVEL_WARNING, /* likewise */
    CS_MESSAGE_ERROR = G_LOG_LEVEL_CRITICAL,  /* always */
} CsMessage;

/* Once, before anything is said. */
void cs_messages_init(void);

/* Neither holds until then. */
void cs_messages_set(gboolean quiet, gboolean verbose);

/* One line, which may hold any bytes: they are escaped as cs_escape() does. */
void cs_message(CsMessage say, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same with another name before it than "chromosweep". */
void cs_message_as(const char *who, CsMessage say, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* On standard error as it is, for what is no message. */
void cs_messages_print(const char *text);

/* Columns of the terminal that standard error is; 0: it is none. */
int cs_messages_columns(void);

/* Puts the text, of printable ASCII and cut to the terminal, in place of the line there; NULL takes
 * it away. */
void cs_messages_line(const char *text);

/*
 * Appends all that is said from now on to the file, each line with the time and what it is, first
 * the command line. Fails with CS_ERROR_FAILED where it cannot be written.
 */
gboolean cs_messages_open_log(const char *file, const char *command_line, GError **error);

gboolean cs_messages_is_logged(void);

/* A line for the log file alone. */
void cs_messages_log(const char *what, const char *text);

/* The last line of the log file: how the program ends, in words. */
void cs_messages_end(const char *how);

#endif
