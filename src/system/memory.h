/* How much memory this process can get, and allocations that may fail. */
#ifndef CS_MEMORY_H
#define CS_MEMORY_H

#include <glib.h>

/*
 * The bytes that this process can have: those that it has now, and those that it may still get. The
 * limit is the machine's free memory (swap included), a cgroup or the limit of address space;
 * *limit says in words which one. -1 if nothing is known. Reads ROOT/proc and files below
 * ROOT/sys/fs/cgroup. What other processes take may be a tenth of a second old, but not what this
 * one has.
 */
gint64 cs_memory_reach(const char *root, const char **limit);

/* What this process and others that begin on the machine can have together: the same without the limit of address
 * space, which each has for itself. */
gint64 cs_memory_reach_together(const char *root, const char **limit);

/* The part of cs_memory_reach() that this process does not have yet. */
gint64 cs_memory_left(const char *root, const char **limit);

/*
 * Under a limit of address space (ulimit -v), large allocations and threads leave this much free.
 * It is for the stack, which grows, and for small allocations: GLib ends the program if one fails.
 */
#define CS_MEMORY_SPARE ((gsize)4 << 20)

/* Whether the limit of address space leaves so many bytes in addition to CS_MEMORY_SPARE. */
gboolean cs_memory_has_room(gsize bytes);

/* The same. No other thread can take these bytes before cs_memory_leave(). */
gboolean cs_memory_enter(gsize bytes);
void cs_memory_leave(void);

/* Like g_try_malloc0_n() and g_try_realloc_n() (which does not zero new bytes), for memory that
 * grows with the input. NULL if there is not enough memory beside CS_MEMORY_SPARE. Free with
 * g_free(). */
gpointer cs_memory_try(gsize count, gsize size);
gpointer cs_memory_try_resize(gpointer memory, gsize count, gsize size);

#define cs_memory_try_new(Type, count) ((Type *)cs_memory_try((gsize)(count), sizeof(Type)))

#endif
