/* What the kernel of single bits (sliced_kernel.c) is made for. */
#ifndef CS_SLICED_H
#define CS_SLICED_H

/* The scoring: that of CS_SCORING_DEFAULT. */
enum {
    CS_SLICED_MATCH = 1,
    CS_SLICED_MISMATCH = 3,
    CS_SLICED_OPEN = 3,
    CS_SLICED_EXTEND = 2,
    CS_SLICED_FIRST = CS_SLICED_OPEN + CS_SLICED_EXTEND,
    CS_SLICED_HEIGHT = 1536,  /* of the highest block */
    CS_SLICED_WIDTH = 8192,   /* of parts of a block, each of which may need other lanes */
    CS_SLICED_LEAST_BEST = 8, /* the best score known must be that high: narrow steps do not look */
    CS_SLICED_WIDE_STEPS = 1024,
};

#endif
