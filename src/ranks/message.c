/* Writes and reads messages between processes. */
#include <string.h>

#include <chromosweep/error.h>

#include "ranks/message.h"
#include "system/memory.h"

void
cs_message_put(GString *message, const void *data, gsize bytes)
{
    if (bytes > 0)
        g_string_append_len(message, data, (gssize)bytes);
}

void
cs_message_put_array(GString *message, const void *data, gsize count, gsize size)
{
    const gint64 length = data != NULL ? (gint64)count : -1;
    CS_MESSAGE_PUT(message, length);
    cs_message_put(message, data, data != NULL ? count * size : 0);
}

void
cs_message_put_text(GString *message, const char *text)
{
    cs_message_put_array(message, text, text != NULL ? strlen(text) + 1 : 0, 1);
}

void
cs_message_put_error(GString *message, const GError *error)
{
    /* An error of the library's own domain; others are failures without a kind. */
    const int code = error == NULL ? 0 : error->domain == CS_ERROR ? error->code : CS_ERROR_FAILED;
    CS_MESSAGE_PUT(message, code);
    cs_message_put_text(message, error != NULL ? error->message : NULL);
}

void
cs_message_get(CsMessageIn *message, void *data, gsize bytes)
{
    if (message->too_short || bytes > message->bytes - message->read) {
        message->too_short = TRUE;
        memset(data, 0, bytes);
        return;
    }
    if (bytes > 0)
        memcpy(data, message->data + message->read, bytes);
    message->read += bytes;
}

gpointer
cs_message_get_array(CsMessageIn *message, gsize *count, gsize size)
{
    gint64 length;
    CS_MESSAGE_GET(message, length);
    *count = 0;
    if (message->too_short || length < 0)
        return NULL;
    if ((guint64)length > (message->bytes - message->read) / size) {
        message->too_short = TRUE;
        return NULL;
    }
    gpointer data = cs_memory_try(MAX(1, (gsize)length), size); /* not NULL, which is no array */
    if (data == NULL) {
        message->no_memory = message->too_short = TRUE;
        return NULL;
    }
    *count = (gsize)length;
    cs_message_get(message, data, *count * size);
    return data;
}

char *
cs_message_get_text(CsMessageIn *message)
{
    gsize count;
    return cs_message_get_array(message, &count, 1);
}

gboolean
cs_message_get_error(CsMessageIn *message, GError **error)
{
    int code;
    CS_MESSAGE_GET(message, code);
    g_autofree char *text = cs_message_get_text(message);
    if (!cs_message_check(message, error))
        return FALSE;
    if (code == 0)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, code, text != NULL ? text : "a failure without a message");
    return FALSE;
}

gboolean
cs_message_check(const CsMessageIn *message, GError **error)
{
    if (message->no_memory)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory for a message of another process");
    else if (message->too_short)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "a message of another process ends too early");
    return !message->no_memory && !message->too_short;
}

void
cs_message_in_clear(CsMessageIn *message)
{
    g_clear_pointer(&message->data, g_free);
}
