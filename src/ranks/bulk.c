/* Sends and receives large values, see bulk.h. */
#include <chromosweep/error.h>

#include "ranks/bulk.h"
#include "ranks/ranks.h"
#include "system/memory.h"

#define CHUNK ((gint64)1 << 20) /* bases */

/* How a bus comes: its cells follow in two messages. */
typedef struct {
    gint64 length; /* -1: none */
    gint64 width;
} BusHead;

static void
fail(GError **failure, const char *text)
{
    if (*failure == NULL)
        g_set_error_literal(failure, CS_ERROR, CS_ERROR_DEVICE, text);
}

/* Takes the next message into `data`, which has `bytes`; NULL drops it. */
static void
receive_into(guint from, void *data, gsize bytes, GError **failure)
{
    const gsize sent = cs_ranks_wait(from);
    const gboolean fits = data != NULL && sent == bytes;
    cs_ranks_take(from, sent, fits ? data : NULL, fits ? bytes : 0);
    if (sent != bytes)
        fail(failure, "a value of another process has another size than was told");
}

void
cs_bulk_send(guint to, const void *data, gsize bytes)
{
    cs_ranks_send_bytes(to, data, data != NULL ? bytes : 0);
}

gpointer
cs_bulk_receive(guint from, gint64 bytes, GError **failure)
{
    const gsize size = (gsize)MAX(0, bytes);
    gpointer data = *failure == NULL && bytes >= 0 ? cs_memory_try(MAX(1, size), 1) : NULL;
    if (data == NULL && bytes >= 0)
        fail(failure, "not enough memory for a table of another process");
    receive_into(from, data, size, failure);
    return data;
}

void
cs_bulk_send_bases(guint to, const CsView *view)
{
    g_autofree guint8 *codes = g_malloc(CHUNK);
    for (gint64 from = 0; from < view->length; from += CHUNK) {
        const CsView part = cs_view_slice(view, from, MIN(CHUNK, view->length - from));
        cs_view_read(&part, CS_CODE_AMBIGUOUS, codes);
        cs_ranks_send_bytes(to, codes, (gsize)part.length);
    }
    cs_ranks_send_bytes(to, NULL, 0); /* there are no more */
}

guint8 *
cs_bulk_receive_bases(guint from, gint64 length, GError **failure)
{
    guint8 *codes = *failure == NULL ? cs_memory_try((gsize)MAX(1, length), 1) : NULL;
    gsize sent, received = 0;
    if (codes == NULL)
        fail(failure, "not enough memory for the bases");
    do {
        sent = cs_ranks_wait(from);
        const gboolean fits = codes != NULL && sent <= (gsize)length - received;
        cs_ranks_take(from, sent, fits ? codes + received : NULL, fits ? sent : 0);
        received += fits ? sent : 0;
    } while (sent > 0);
    if (received != (gsize)length)
        fail(failure, "bases of another process are missing");
    return codes;
}

void
cs_bulk_send_bus(guint to, const CsBus *bus)
{
    const BusHead head = {bus != NULL ? bus->length : -1, bus != NULL ? (gint64)bus->width : 0};
    const gsize bytes = bus != NULL ? (gsize)(bus->length * (gint64)bus->width) : 0;
    cs_ranks_send_bytes(to, &head, sizeof head);
    cs_bulk_send(to, bus != NULL ? bus->h : NULL, bytes);
    cs_bulk_send(to, bus != NULL ? bus->gap : NULL, bytes);
}

/* Takes the cells of a bus; NULL drops them. */
static void
receive_cells(guint from, CsBus *bus, const BusHead *head, GError **failure)
{
    const gsize bytes = (gsize)(MAX(0, head->length) * head->width);
    receive_into(from, bus != NULL ? bus->h : NULL, bytes, failure);
    receive_into(from, bus != NULL ? bus->gap : NULL, bytes, failure);
}

CsBus *
cs_bulk_receive_bus(guint from, GError **failure)
{
    BusHead head = {0};
    receive_into(from, &head, sizeof head, failure);
    CsBus *bus = NULL;
    if (*failure == NULL && head.length >= 0)
        bus = cs_bus_new(head.length, (CsWidth)head.width, failure);
    receive_cells(from, bus, &head, failure);
    return bus;
}

void
cs_bulk_receive_into(guint from, CsBus *bus, GError **failure)
{
    BusHead head = {0};
    receive_into(from, &head, sizeof head, failure);
    const gboolean same = bus != NULL
                              ? head.length == bus->length && head.width == (gint64)bus->width
                              : head.length < 0;
    if (!same)
        fail(failure, "a border of another process has another size than was told");
    receive_cells(from, same ? bus : NULL, &head, failure);
}
