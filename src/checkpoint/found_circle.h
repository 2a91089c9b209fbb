/*
 * What a checkpoint holds of the search for the best alignment of circular records on a strand
 * (found.h): a list of numbers that compare/circle_keep.c writes. After the head come
 *
 *     the nodes that are left: two turns of each side, whether the area and the core were swept, the
 *                              place of the alignment in the area, first turns, what the rest scores
 *     the points of the track: row, column, score, operation
 *     the best alignment, if it is known, as in found_set.h
 */
#ifndef CS_FOUND_CIRCLE_H
#define CS_FOUND_CIRCLE_H

#include "checkpoint/checkpoint.h"

enum {
    CS_FOUND_CIRCLE_LAYOUT, /* CS_FOUND_CIRCLE_LATEST */
    CS_FOUND_CIRCLE_FLOOR,  /* what an alignment has to score */
    CS_FOUND_CIRCLE_MASKS,  /* a hash of the pairs that are masked; 0: none are */
    CS_FOUND_CIRCLE_SLOW,   /* whether a run was stopped in the next sweep */
    CS_FOUND_CIRCLE_SCORE,  /* of the best so far; 0: there is none */
    CS_FOUND_CIRCLE_BEST,   /* where that lies: rows and columns before it, its last ones */
    CS_FOUND_CIRCLE_AREA = CS_FOUND_CIRCLE_BEST + 4, /* where it was found; likewise */
    CS_FOUND_CIRCLE_DONE = CS_FOUND_CIRCLE_AREA + 4, /* millionths of the work of all strands */
    CS_FOUND_CIRCLE_NODES,                           /* how many there are */
    CS_FOUND_CIRCLE_POINTS,
    CS_FOUND_CIRCLE_KNOWN, /* whether the best alignment follows */
    CS_FOUND_CIRCLE_TIED,  /* 1: of a circle that is aligned with itself, with --self */
    CS_FOUND_CIRCLE_BOX,   /* what is searched: bases before it in both sides, and its last ones; */
    CS_FOUND_CIRCLE_ROUND = CS_FOUND_CIRCLE_BOX + 4,  /* 1: a circle; target, query */
    CS_FOUND_CIRCLE_HEAD = CS_FOUND_CIRCLE_ROUND + 2, /* numbers */
};

enum {
    CS_FOUND_CIRCLE_LATEST = 3,
    CS_FOUND_CIRCLE_NODE = 13, /* numbers of a node */
    CS_FOUND_CIRCLE_POINT = 4,
};

/* The name of the list. */
static inline const char *
cs_found_circle_name(CsStrand strand)
{
    return strand == CS_STRAND_MINUS ? "minus-turns" : "plus-turns";
}

typedef struct {
    double fraction; /* of the work; 1: nothing is left to do */
    CsScore score;   /* the best of all strands so far */
} CsFoundCircle;

/* What a folder holds of a search for one alignment. */
CsFoundCircle cs_found_circle_read(const char *directory, const CsFingerprintRecord *record);

#endif
