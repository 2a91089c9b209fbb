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
    /* 0, or the area has a copy: what lies so many columns and more beyond the diagonal, on BACK before it. */
    gint64 period;
} CsMask;

/* Columns first .. last of all; there are none if first > last. */
typedef struct {
    gint64 first, last;
} CsMaskColumns;

/* What the area, or its copy, masks in some of the rows from i on to last_i. */
static inline CsMaskColumns
cs_mask_area_of_rows(const CsMask *mask, gint64 i, gint64 last_i, gboolean copy)
{
    if (mask->area == CS_MASK_NOTHING || (copy && mask->period == 0))
        return (CsMaskColumns){1, 0};
    if (mask->area == CS_MASK_LOWER)
        return copy ? (CsMaskColumns){i + mask->period, mask->n} : (CsMaskColumns){1, last_i};
    return copy ? (CsMaskColumns){1, mask->n + 1 - i - mask->period}
                : (CsMaskColumns){mask->n + 1 - last_i, mask->n};
}

/* Whether it masks all these columns in all rows from i on to last_i. */
static inline gboolean
cs_mask_area_is_all(const CsMask *mask, gint64 i, gint64 last_i, gint64 first, gint64 last)
{
    for (int copy = 0; copy < 2; copy++) {
        const CsMaskColumns one = cs_mask_area_of_rows(mask, i, i, copy != 0);
        const CsMaskColumns other = cs_mask_area_of_rows(mask, last_i, last_i, copy != 0);
        if (MAX(one.first, other.first) <= first && MIN(one.last, other.last) >= last)
            return TRUE;
    }
    return FALSE;
}

/* Sets masked[x] for each column from + x of row i that is masked, x = 1 .. width. The others stay
 * as they are. */
static inline void
cs_mask_row(const CsMask *mask, gint64 i, gint64 from, gint64 width, guint8 *masked)
{
    for (int copy = 0; copy < 2; copy++) {
        const CsMaskColumns area = cs_mask_area_of_rows(mask, i, i, copy != 0);
        for (gint64 x = MAX(area.first - from, 1); x <= MIN(area.last - from, width); x++)
            masked[x] = 1;
    }
    for (guint k = 0; mask->runs != NULL && k < mask->runs->len; k++) {
        const CsMaskRun *run = &g_array_index(mask->runs, CsMaskRun, k);
        const gint64 x = run->j + (i - run->i) - from;
        if (i >= run->i && i < run->i + run->length && x >= 1 && x <= width)
            masked[x] = 1;
    }
}

#endif
