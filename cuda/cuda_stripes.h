/*
 * Where the queries of a set lie in the two halves that a GPU computes side by side (score_kernel.h).
 *
 * Each half has queries one behind the other. A lane computes a stripe of rows, so each query begins with
 * a stripe of its own, and behind an end at most a stripe is lost:
 *
 *     stripes of `rows` rows    pass of `lanes` stripes      pass
 *     half 0                   A A A A A A A A             A A A A B B B -
 *     half 1                   C C C D D D D D             D D E E E F F F
 *
 * A query below another one of its half begins with a row that is none. None begins at the first stripe
 * of a later pass, which takes its cells from the earlier one: there is a stripe of rows that are none.
 */
#ifndef CS_CUDA_STRIPES_H
#define CS_CUDA_STRIPES_H

#include "scores/scorer_class.h"

typedef struct {
    const CsScorerSequence *queries;
    guint count; /* at most CS_SCORER_SEQUENCES */
    guint8 half[CS_SCORER_SEQUENCES];
} CsCudaStripes;

/* Shares the queries among the halves. The longest one is to come first. They must outlive the stripes. */
void cs_cuda_stripes_init(CsCudaStripes *stripes, const CsScorerSequence *queries, guint count);

/* How many stripes a half has at most. Teams of one lane cannot compute a half with two queries: 0. */
gint64 cs_cuda_stripes_count(const CsCudaStripes *stripes, gint64 rows, gint64 lanes);

/* Sets, of a half, the letters of `count` stripes and then what they are for (CsTapeLaunch.stripes), with
 * CS_CUDA_STRIPES_PAD more that are for nothing. */
enum {
    CS_CUDA_STRIPES_PAD = 32
};
void cs_cuda_stripes_lay(const CsCudaStripes *stripes, guint half, gint64 rows, gint64 lanes,
                         gint64 count, guint8 *to);

#endif
