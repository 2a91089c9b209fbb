/*
 * A keep holds the findings of long work, so that after a stop the next run need not find them
 * again. It holds lists of numbers, each under a name.
 */
#ifndef CS_KEEP_H
#define CS_KEEP_H

#include <glib.h>

/* Each function may be called from any thread. */
typedef struct {
    /* The numbers kept under a name, for g_free(); NULL if there are none. */
    gint64 *(*load)(const char *name, gint64 *count, gpointer data);
    /* Keeps numbers. If this does not work, they must be found again, which is no failure. */
    void (*save)(const char *name, const gint64 *values, gint64 count, gpointer data);
    /* The numbers are no longer needed. */
    void (*drop)(const char *name, gpointer data);
    gpointer data;
} CsKeep;

/* As above. A keep that is NULL is empty and keeps nothing. */
static inline gint64 *
cs_keep_load(const CsKeep *keep, const char *name, gint64 *count)
{
    return keep != NULL ? keep->load(name, count, keep->data) : NULL;
}

static inline void
cs_keep_save(const CsKeep *keep, const char *name, const gint64 *values, gint64 count)
{
    if (keep != NULL)
        keep->save(name, values, count, keep->data);
}

static inline void
cs_keep_drop(const CsKeep *keep, const char *name)
{
    if (keep != NULL)
        keep->drop(name, keep->data);
}

#endif
