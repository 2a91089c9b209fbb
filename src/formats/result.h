/* The result of a comparison, for the formats. */
#ifndef CS_RESULT_H
#define CS_RESULT_H

#include <chromosweep/compare.h>

/* Nothing in it is owned. */
typedef struct {
    const char *files[2];           /* target and query, as they were given */
    const CsSequence *sequences[2]; /* target and query */
    CsScoring scoring;
    CsCompareResult found;
    double seconds_total; /* loading included */
} CsResult;

#endif
