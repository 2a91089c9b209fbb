/*
 * The messages of the command. They go through GLib's structured logging to one writer. It writes
 * those that the user wants to standard error, and all of them to the log file. The progress line
 * of a terminal comes here too, so that no message runs into it. Nothing else in this folder writes
 * to standard error.
 */
#ifndef CS_MESSAGES_H
#define CS_MESSAGES_H

#include <glib.h>

/* How important a message is, and when it goes to standard error. */
typedef enum {
    CS_MESSAGE_DETAIL = G_LOG_LEVEL_INFO,     /* when verbose */
    CS_MESSAGE_EVENT = G_LOG_LEVEL_MESSAGE,   /* unless quiet */
    CS_MESSAGE_WARNING = G_LOG_LEVEL_WARNING, /* likewise */
    CS_MESSAGE_ERROR = G_LOG_LEVEL_CRITICAL,  /* always */
} CsMessage;

/* Call this once, before the first message. */
void cs_messages_init(void);

/* Until this is called, both are FALSE. */
void cs_messages_set(gboolean quiet, gboolean verbose);

/* Writes a message of one line. It may hold any bytes; they are escaped by cs_escape(). */
void cs_message(CsMessage say, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same, with another name in front than "chromosweep". */
void cs_message_as(const char *who, CsMessage say, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Writes text that is not a message to standard error as it is. */
void cs_messages_print(const char *text);

/* The columns of the terminal; 0 if standard error is not a terminal. */
int cs_messages_columns(void);

/* Replaces the progress line on the terminal. The text must be printable ASCII that fits the
 * terminal; NULL removes the line. */
void cs_messages_line(const char *text);

/*
 * Appends the command line and all later messages to the file, each line with the time and its
 * kind. Fails with CS_ERROR_FAILED if the file cannot be written.
 */
gboolean cs_messages_open_log(const char *file, const char *command_line, GError **error);

gboolean cs_messages_is_logged(void);

/* Writes a line to the log file only. */
void cs_messages_log(const char *what, const char *text);

/* Writes the last line of the log file, which says how the program ends. */
void cs_messages_end(const char *how);

#endif
