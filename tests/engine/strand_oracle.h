/* What a comparison must find on a strand: the oracle's answer for the bases of that strand. */
#ifndef STRAND_ORACLE_H
#define STRAND_ORACLE_H

#include <string.h>

#include <chromosweep/compare.h>

#include "../reverse_complement.h"
#include "oracle.h"

/* Sets `computed`, the score and its ends; everything else is 0. */
static inline CsStrandResult
strand_oracle_solve(const char *target, const char *query, const CsScoring *scoring,
                    CsStrand strand)
{
    g_autofree char *read = strand == CS_STRAND_MINUS ? reverse_complement(query) : g_strdup(query);
    OracleProblem problem = {
        .a = target,
        .b = read,
        .m = (int)strlen(target),
        .n = (int)strlen(query),
        .match = scoring->match,
        .mismatch = scoring->mismatch,
        .open = scoring->gap_open,
        .extend = scoring->gap_extend,
    };
    Oracle oracle;
    oracle_solve(&problem, &oracle);
    CsStrandResult result = {
        .computed = TRUE, .score = oracle.score, .target_end = oracle.i, .query_end = oracle.j};
    if (strand == CS_STRAND_MINUS && oracle.score > 0)
        result.query_end = problem.n - oracle.j + 1;
    oracle_clear(&oracle);
    return result;
}

#endif
