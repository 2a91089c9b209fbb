/* Pairs that an alignment may not have, because others have them. */
#ifndef CS_MASK_H
#define CS_MASK_H

#include <glib.h>

/* The pairs of rows i, i + 1 .. with columns j, j + 1 .. */
typedef struct {
    gint64 i, j, length;
} CsMaskRun;

/* What is masked beside the runs. */
typedef enum {
    CS_MASK_NOTHING,
    CS_MASK_LOWER, /* pairs of row i with columns up to i */
    CS_MASK_BACK,  /* pairs of row i with the last i columns of all */
} CsMaskArea;

typedef struct {
    const GArray *runs; /* of CsMaskRun, in any order; or NULL */
    CsMaskArea area;
    gint64 n; /* all columns */
} CsMask;

/* The columns among from + 1 .. from + width that the area masks in row i, as first .. last of them
 * counted from 1; first > last if there are none. */
static inline void
cs_mask_area_of_row(const CsMask *mask, gint64 i, gint64 from, gint64 width, gint64 *first,
                    gint64 *last)
{
    *first = 1;
    *last = 0;
    if (mask->area == CS_MASK_LOWER)
        *last = MIN(i - from, width);
    if (mask->area == CS_MASK_BACK) {
        *first = MAX(mask->n - i + 1 - from, 1);
        *last = width;
    }
}

/* Sets masked[x] for each column from + x of row i that is masked, x = 1 .. width. The others stay
 * as they are. */
static inline void
cs_mask_row(const CsMask *mask, gint64 i, gint64 from, gint64 width, guint8 *masked)
{
    gint64 first, last;
    cs_mask_area_of_row(mask, i, from, width, &first, &last);
    for (gint64 x = first; x <= last; x++)
        masked[x] = 1;
    for (guint k = 0; mask->runs != NULL && k < mask->runs->len; k++) {
        const CsMaskRun *run = &g_array_index(mask->runs, CsMaskRun, k);
        const gint64 x = run->j + (i - run->i) - from;
        if (i >= run->i && i < run->i + run->length && x >= 1 && x <= width)
            masked[x] = 1;
    }
}

#endif
