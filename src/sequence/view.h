/*
 * A stretch of a sequence as a sweep reads it: forwards or backwards, complemented or not. Regions
 * and the minus strand are views, so no sequence is ever copied whole.
 */
#ifndef CS_VIEW_H
#define CS_VIEW_H

#include "sequence/bases.h"
#include "sequence/sequence_private.h"

/* Codes for ambiguous bases in rows and columns. They differ, so they never match. */
enum {
    CS_ROW_AMBIGUOUS = CS_CODE_AMBIGUOUS,
    CS_COLUMN_AMBIGUOUS = CS_CODE_AMBIGUOUS + 1,
};

typedef struct {
    const guint8 *codes; /* the stretch's first base in the sequence's own direction */
    gint64 length;
    gboolean reversed;   /* read from the last base to the first */
    gboolean complement; /* A <-> T, C <-> G */
} CsView;

/* The whole sequence, forwards. */
static inline CsView
cs_view_of(const CsSequence *sequence)
{
    return (CsView){sequence->codes, sequence->length, FALSE, FALSE};
}

/* The `length` bases after the first `from` ones, in the view's own direction. */
static inline CsView
cs_view_slice(const CsView *view, gint64 from, gint64 length)
{
    g_assert(from >= 0 && length >= 0 && from <= view->length - length);
    CsView slice = *view;
    slice.codes += view->reversed ? view->length - from - length : from;
    slice.length = length;
    return slice;
}

/* The number of ambiguous ones among `length` bases after the first `from` ones. */
static inline gint64
cs_view_count_ambiguous(const CsView *view, gint64 from, gint64 length)
{
    const CsView slice = cs_view_slice(view, from, length);
    gint64 count = 0;
    for (gint64 k = 0; k < length; k++)
        count += slice.codes[k] == CS_CODE_AMBIGUOUS;
    return count;
}

/* Writes the view's bases to codes. Ambiguous bases become `ambiguous`. */
static inline void
cs_view_read(const CsView *view, guint8 ambiguous, guint8 *codes)
{
    for (gint64 k = 0; k < view->length; k++) {
        guint8 code = view->codes[view->reversed ? view->length - 1 - k : k];
        codes[k] = code == CS_CODE_AMBIGUOUS ? ambiguous : view->complement ? 3 - code : code;
    }
}

#endif
