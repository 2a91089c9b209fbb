/*
 * What a checkpoint holds of a set of alignments (found.h): a list of numbers that compare/set_keep.c
 * writes. After the head come the alignments, then the boxes.
 *
 *     an alignment: strand, score, score of the one that it is a piece of, rows and columns before
 *                   it, runs, and the runs themselves
 *     a box:        first and last bases, strand, the most that an alignment in it scores, whether
 *                   a run was stopped in it, whether its best alignment is known, and that
 */
#ifndef CS_FOUND_SET_H
#define CS_FOUND_SET_H

#include "checkpoint/checkpoint.h"

#define CS_FOUND_SET "set"

/* The folder inside that of a set where the box under way has a checkpoint of its own. */
#define CS_FOUND_SET_BOX "box"

enum {
    CS_FOUND_SET_LAYOUT, /* CS_FOUND_SET_LATEST */
    CS_FOUND_SET_ALL,    /* 0: one-to-one */
    CS_FOUND_SET_SELF,
    CS_FOUND_SET_MAX_DROP, /* of one-to-one, else -1 */
    CS_FOUND_SET_LEAST,    /* the limits of the run that wrote it: score */
    CS_FOUND_SET_MOST,     /* and number; G_MAXINT64: none */
    CS_FOUND_SET_ENDED,    /* nothing more scores as much: of all strands, or with all on plus */
    CS_FOUND_SET_ENDED_MINUS,
    CS_FOUND_SET_COMPLETE, /* within those limits */
    CS_FOUND_SET_DONE,     /* millionths of the work */
    CS_FOUND_SET_BARS,     /* a hash of where records were joined; 0: there is one of each */
    CS_FOUND_SET_COUNT,    /* alignments; pieces of the last one may be beyond the limit */
    CS_FOUND_SET_HEAD,     /* numbers */
};

enum {
    CS_FOUND_SET_LATEST = 3,
};

/* What a folder holds of a set; NULL: nothing that can be used. */
CsCheckpointSet *cs_found_set_read(const char *directory, const CsFingerprintRecord *record);

#endif
