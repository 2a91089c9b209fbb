/*
 * The k-mers of one sequence that occur nowhere in another.
 *
 * Which k-mers of `longest` bases the other one holds is a bitmap, 4^longest bits; that of the
 * shorter k-mers follows from it by joining bits, four to one, so that one bitmap is there at a time
 * and each base is looked up about once. K-mers never hold an ambiguous base.
 */
#ifndef CS_ABSENT_KMERS_H
#define CS_ABSENT_KMERS_H

#include "sequence/view.h"

enum {
    CS_ABSENT_LONGEST = 16, /* 512 MiB of bitmap */
    CS_MARK_NONE = 0,       /* 1 .. 14: a k-mer of so many bases more than shortest - 1 */
    CS_MARK_AMBIGUOUS = 15,
};

/* The mark of base k, counted from 0: what ends with it. */
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
 * A mark for each base of `of`, the same for any number of threads: CS_MARK_AMBIGUOUS, or the
 * shortest k-mer of shortest .. longest bases that ends there and is not in `in`, or
 * CS_MARK_NONE. Where a stretch of `in` ends, a few k-mers that would follow if As stood there count
 * as if they were in it, which only leaves out k-mers. With longest 0 only ambiguous bases are
 * marked. g_free() takes the marks back. Fails with CS_ERROR_DEVICE where memory is short, with
 * CS_ERROR_STOPPED soon after *stop, if there is one, becomes other than 0.
 */
guint8 *cs_absent_kmers_mark(const CsView *of, const CsView *in, guint shortest, guint longest,
                             guint threads, const gint *stop, GError **error);

/* The bytes that cs_absent_kmers_mark() holds at its peak, the marks included. */
guint64 cs_absent_kmers_memory(gint64 length, guint longest, guint threads);

#endif
