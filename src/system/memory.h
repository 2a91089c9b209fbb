/* How much memory this process can get, and allocations whose failure is an answer. */
#ifndef CS_MEMORY_H
#define CS_MEMORY_H

#include <glib.h>

/*
 * The bytes that this process can hold: what it holds now and what it may still get, by what the
 * machine has left (swap included), by its cgroups and by its limit of address space. *limit says
 * in words which of them it is. -1 where nothing is known. Reads ROOT/proc and below
 * ROOT/sys/fs/cgroup.
 */
gint64 cs_memory_reach(const char *root, const char **limit);

/* The part of cs_memory_reach() that it does not hold yet. */
gint64 cs_memory_left(const char *root, const char **limit);

/*
 * Address space that large allocations and threads leave alone under a limit of it (ulimit -v).
 * Small allocations are GLib's, which ends the program where one fails, and the stack grows.
 */
#define CS_MEMORY_SPARE ((gsize)4 << 20)

/* Whether the limit of address space has room for so many bytes beside CS_MEMORY_SPARE. */
gboolean cs_memory_has_room(gsize bytes);

/* The same, and no other thread takes the room before cs_memory_leave(). */
gboolean cs_memory_enter(gsize bytes);
void cs_memory_leave(void);

/* As g_try_malloc0_n(), and g_try_realloc_n() whose new bytes are not zeroed, for what grows with
 * the input: NULL where memory is short, CS_MEMORY_SPARE included. g_free() takes both back. */
gpointer cs_memory_try(gsize count, gsize size);
gpointer cs_memory_try_resize(gpointer memory, gsize count, gsize size);

#define cs_memory_try_new(Type, count) ((Type *)cs_memory_try((gsize)(count), sizeof(Type)))

#endif
