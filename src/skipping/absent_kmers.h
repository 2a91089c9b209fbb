/*
 * The k-mers of one sequence that occur nowhere in another.
 *
 * A bitmap of 4^longest bits says which k-mers of `longest` bases the other sequence contains.
 * Joining four bits to one makes the bitmap of the k-mers that are one base shorter. So there is
 * only one bitmap at a time, and each base is looked up about once. A k-mer never contains an
 * ambiguous base.
 */
#ifndef CS_ABSENT_KMERS_H
#define CS_ABSENT_KMERS_H

#include "sequence/view.h"

enum {
    CS_ABSENT_LONGEST = 16, /* 512 MiB of bitmap */
    CS_MARK_NONE = 0,       /* 1 .. 14: a k-mer of shortest - 1 + mark bases */
    CS_MARK_AMBIGUOUS = 15,
};

/* The mark of base k, counted from 0: the item that ends there. */
static inline guint
cs_marks_get(const guint8 *marks, gint64 k)
{
    return marks[k >> 1] >> (k & 1) * 4 & 15;
}

static inline void
cs_marks_set(guint8 *marks, gint64 k, guint mark)
{
    guint shift = (k & 1) * 4;
    marks[k >> 1] = (guint8)((marks[k >> 1] & ~(15 << shift)) | mark << shift);
}

/*
 * A mark for each base of `of`: CS_MARK_AMBIGUOUS, or the shortest k-mer of shortest .. longest
 * bases that ends there and is not in `in`, or CS_MARK_NONE. The end of a stretch of `in` is read
 * as if As followed it. So a few absent k-mers count as present, and are merely not marked.
 * With longest 0 only ambiguous bases are marked. The marks are the same for any number of threads.
 * Free them with g_free(). Fails with CS_ERROR_DEVICE if there is not enough memory, and with
 * CS_ERROR_STOPPED soon after *stop (if any) becomes nonzero.
 */
guint8 *cs_absent_kmers_mark(const CsView *of, const CsView *in, guint shortest, guint longest,
                             guint threads, const gint *stop, GError **error);

/* The bytes that cs_absent_kmers_mark() holds at its peak, the marks included. */
guint64 cs_absent_kmers_memory(gint64 length, guint longest, guint threads);

#endif
