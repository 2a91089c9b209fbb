/*
 * A matrix on its way from a staircase to its last row, as rectangles that any engine computes.
 *
 * The rows of a staircase's step are done up to its column; the step above it is done further, up
 * to its own column, and what is above the first one to the last column. So each step can be taken
 * as far as the one above has come, which makes one step of the two:
 *
 *        p2     p1        p0          n                p2               p0          n
 *     i0 |......|.........+===========|             i0 |................+===========|
 *        |      |         |   step 0                   |                |
 *     i1 |......+=========+                            |                |   step 0
 *        |      |  part   |   step 1         ->        |                |
 *     i2 |======+---------+                         i2 |======+=========+
 *
 * The smallest such part comes first, so that heights and widths grow together and the engines get
 * rectangles that can keep them busy: S steps are S parts, of which few are large. When no step is
 * left, the rows below follow as one part. The state is a staircase at any time, also amid a part.
 *
 * The whole's borders are NULL.
 */
#ifndef CS_REMAINDER_H
#define CS_REMAINDER_H

#include "sweep/rectangle.h"
#include "sweep/staircase.h"

typedef struct {
    const CsRectangle *whole;
    CsStaircase staircase;
} CsRemainder;

typedef struct {
    CsRectangle rectangle;
    gint64 i0, j0; /* rows above and columns left of it */
    guint step;    /* that it takes further; how many there are: the rows below all of them */
    CsBus top;     /* a slice of the remainder's; also the bottom */
    CsBus *right;  /* NULL at the last column */
    gint64 *special_rows;
    const CsRectangle *whole;
} CsPart;

/* At the top of the matrix. Fails with CS_ERROR_DEVICE when there is too little memory. */
gboolean cs_remainder_init(CsRemainder *remainder, const CsRectangle *whole, GError **error);

/* Where a staircase of the whole, which is taken over, stands. */
void cs_remainder_init_take(CsRemainder *remainder, const CsRectangle *whole,
                            CsStaircase *staircase);
void cs_remainder_clear(CsRemainder *remainder);

/* Whether every cell is done. */
gboolean cs_remainder_is_complete(const CsRemainder *remainder);

/*
 * The next part, when not complete. Until it is finished or cleared, the part's rectangle and the
 * remainder must stay where they are. Fails with CS_ERROR_DEVICE.
 */
gboolean cs_remainder_next(CsRemainder *remainder, CsPart *part, GError **error);

/* The part was computed, with this best cell in its own coordinates. Clears it. Fails with
 * CS_ERROR_DEVICE. */
gboolean cs_remainder_finish(CsRemainder *remainder, CsPart *part, const CsBest *best,
                             GError **error);

/*
 * Where the whole stands when its part stands at `within`, whose content may be taken over; the
 * remainder stays as it is. Fails with CS_ERROR_DEVICE.
 */
gboolean cs_remainder_stand(const CsRemainder *remainder, const CsPart *part, CsStaircase *within,
                            CsStaircase *stand, GError **error);

void cs_part_clear(CsPart *part);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsRemainder, cs_remainder_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPart, cs_part_clear)

#endif
