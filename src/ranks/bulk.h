/*
 * Large values between processes: bases, tables and buses. They go from memory to memory, so nobody
 * needs memory for a copy.
 *
 * A receiver takes all messages of a value even if it has no place for them, so the two processes
 * agree on what comes next. It sets *failure, which may be set before: then it only takes them.
 */
#ifndef CS_BULK_H
#define CS_BULK_H

#include "sequence/view.h"
#include "sweep/bus.h"

/* NULL, and -1 bytes, for none. */
void cs_bulk_send(guint to, const void *data, gsize bytes);
gpointer cs_bulk_receive(guint from, gint64 bytes, GError **failure);

/* The bases arrive as codes, with the code for ambiguous bases that a view has. */
void cs_bulk_send_bases(guint to, const CsView *view);
guint8 *cs_bulk_receive_bases(guint from, gint64 length, GError **failure);

/* NULL for none. */
void cs_bulk_send_bus(guint to, const CsBus *bus);
CsBus *cs_bulk_receive_bus(guint from, GError **failure);
/* Into a bus of the same size, or NULL. */
void cs_bulk_receive_into(guint from, CsBus *bus, GError **failure);

#endif
