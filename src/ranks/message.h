/*
 * A message between processes: values one after the other, as they are in memory. All processes run
 * the same program (ranks.c refuses others).
 *
 * Reading never fails at once. What cannot be read is zero or NULL, and cs_message_check() tells why.
 */
#ifndef CS_MESSAGE_H
#define CS_MESSAGE_H

#include <glib.h>

/* How much of a message stays where there is no memory for all of it: enough for its first values. */
#define CS_MESSAGE_HEAD 64

/* The bytes that have not been read yet. */
typedef struct {
    guint8 *data;
    gsize bytes, read;
    gboolean no_memory; /* for the whole message, or for what it holds */
    gboolean too_short;
} CsMessageIn;

void cs_message_put(GString *message, const void *data, gsize bytes);
/* count elements of `size` bytes, or NULL. */
void cs_message_put_array(GString *message, const void *data, gsize count, gsize size);
void cs_message_put_text(GString *message, const char *text);
void cs_message_put_error(GString *message, const GError *error); /* or NULL */

#define CS_MESSAGE_PUT(message, value) cs_message_put(message, &(value), sizeof(value))

void cs_message_get(CsMessageIn *message, void *data, gsize bytes);
/* A new array, or NULL. */
gpointer cs_message_get_array(CsMessageIn *message, gsize *count, gsize size);
char *cs_message_get_text(CsMessageIn *message);
/* FALSE with error set if there is one, or if it cannot be read. */
gboolean cs_message_get_error(CsMessageIn *message, GError **error);

#define CS_MESSAGE_GET(message, value) cs_message_get(message, &(value), sizeof(value))

/* Whether everything could be read so far. Else fails with CS_ERROR_DEVICE. */
gboolean cs_message_check(const CsMessageIn *message, GError **error);

void cs_message_in_clear(CsMessageIn *message);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsMessageIn, cs_message_in_clear)

#endif
