/*
 * Scores of one query with many records on vectors: each lane of a vector computes a record of its
 * own, and takes the next one when that ends. lane_kernel.c is compiled once for each instruction
 * set and width of the lanes. striped_kernel.c is the other way: a record in all lanes, one after the
 * other.
 */
#ifndef CS_LANE_KERNEL_H
#define CS_LANE_KERNEL_H

#include "scores/scorer_class.h"

enum {
    CS_LANE_COLUMNS_MAX = 8,
    CS_LANE_VECTOR_MAX = 64,        /* bytes */
    CS_STRIPED_MOST_ROWS = 1 << 18, /* so that their scratch has at most 37 MB */
};

/* A record, or its first letters. */
typedef struct {
    const guint8 *letters; /* codes */
    gint64 length;         /* at least 1 */
    gint64 score;          /* read by find_rows(): the score to look for */
} CsLaneRecord;

/* What was found of a record. */
typedef struct {
    gint64 score;  /* -1 if it may be too high for the lanes */
    gint64 column; /* number of letters as far as the first column with the score; 0: no pair */
    gint64 row;    /* the same of the query: the first row with the score, in that column */
} CsLaneFound;

typedef struct {
    const guint8 *query; /* codes, at least one */
    gint64 rows;         /* letters of the query */
    /* What a letter of the query gains with a letter of a record. The lanes must hold the values. */
    const gint32 (*pairs)[CS_LETTERS_MAX];
    gint64 lowest, highest; /* of `pairs` */
    gint64 first, more;     /* what the first letter of a gap costs, and each further one */
    const CsLaneRecord *records;
    gint64 count;
    CsLaneFound *found; /* of each record */
    const gint *stop;   /* if it becomes nonzero, the kernel returns, and nothing is found */
    gpointer
        scratch; /* cs_lane_scratch() or cs_striped_scratch() bytes, aligned to CS_LANE_VECTOR_MAX */
} CsLaneJob;

typedef struct {
    int bits, lanes;
    /* Scores from this on are too high; 0 if the lanes cannot hold the pairs and gaps at all. */
    gint64 (*find_top)(const CsLaneJob *job);
    void (*find_scores)(CsLaneJob *job);  /* sets `score` */
    void (*find_columns)(CsLaneJob *job); /* sets `score` and `column` */
    /* Sets `row`. The records end in the column, so that the row is found in their last one. Their
     * scores must not be too high. */
    void (*find_rows)(CsLaneJob *job);
} CsLaneKernel;

/* Bytes of scratch for a query with so many rows. */
static inline gsize
cs_lane_scratch(gint64 rows)
{
    return CS_LANE_VECTOR_MAX * (2 * (gsize)rows + CS_LETTERS_MAX * CS_LANE_COLUMNS_MAX);
}

/* The same for a record in all lanes. Rows are rounded up to whole vectors. */
static inline gsize
cs_striped_scratch(gint64 rows)
{
    const gsize bytes = sizeof(gint32) * (gsize)rows + CS_LANE_VECTOR_MAX;
    return bytes * (3 + CS_LETTERS_MAX);
}

/* For each instruction set: lanes of 8, 16 and 32 bits. */
extern const CsLaneKernel cs_lane_avx512_8, cs_lane_avx512_16, cs_lane_avx512_32;
extern const CsLaneKernel cs_lane_avx2_8, cs_lane_avx2_16, cs_lane_avx2_32;
extern const CsLaneKernel cs_lane_128_8, cs_lane_128_16, cs_lane_128_32;

/* With a record in all lanes: of 16 and 32 bits. */
extern const CsLaneKernel cs_striped_avx512_16, cs_striped_avx512_32;
extern const CsLaneKernel cs_striped_avx2_16, cs_striped_avx2_32;
extern const CsLaneKernel cs_striped_128_16, cs_striped_128_32;

#endif
