/* A comparison's result as formats see it. */
#ifndef CS_RESULT_H
#define CS_RESULT_H

#include <chromosweep/compare.h>

/* Nothing in it is owned. */
typedef struct {
    const char *files[2];           /* target, query: as they were given */
    const CsSequence *sequences[2]; /* likewise */
    CsScoring scoring;
    CsCompareResult found;
    double seconds_total; /* loading included */
} CsResult;

#endif
