/* What a comparison must find on a strand: the oracle's answer for the bases of that strand. */
#ifndef STRAND_ORACLE_H
#define STRAND_ORACLE_H

#include <stdlib.h>
#include <string.h>

#include <chromosweep/compare.h>

#include "../reverse_complement.h"
#include "path_oracle.h"

/* Sets `computed`, the score, and where it starts and ends; everything else is 0. */
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
    int i0, j0;
    oracle_solve(&problem, &oracle);
    CsStrandResult result = {.computed = TRUE, .score = oracle.score};
    char *steps = path_oracle(&problem, &oracle, false, &i0, &j0);
    if (steps != NULL) {
        const gboolean minus = strand == CS_STRAND_MINUS;
        result.target_start = i0 + 1;
        result.target_end = oracle.i;
        result.query_start = minus ? problem.n - oracle.j + 1 : j0 + 1;
        result.query_end = minus ? problem.n - j0 : oracle.j;
    }
    free(steps);
    oracle_clear(&oracle);
    return result;
}

/* No more is said of a strand that scores less than the other one that is asked for, or than `least`,
 * than that it is below this. */
static inline void
strand_oracle_hide(CsStrandResult *solved, CsStrand asked, gint64 least)
{
    gint64 wanted = least;
    for (int k = 0; k < 2; k++)
        if (asked == CS_STRAND_BOTH || (int)asked == k)
            wanted = MAX(wanted, solved[k].score);
    for (int k = 0; k < 2; k++)
        if (solved[k].score < wanted)
            solved[k] = (CsStrandResult){.computed = TRUE, .below = wanted};
}

/* Whether a strand has what is wanted, in records that begin so many bases before the sequences. */
static inline void
strand_oracle_expect(const CsStrandResult *found, const CsStrandResult *wanted, CsStrand strand,
                     gboolean no_start, gint64 target_offset, gint64 query_offset)
{
    const gboolean some = wanted->score > 0;
    const gboolean minus = strand == CS_STRAND_MINUS;
    g_assert_cmpint(found->computed, ==, wanted->computed);
    g_assert_cmpint(found->score, ==, wanted->score);
    g_assert_cmpint(found->below, ==, wanted->below);
    g_assert_cmpint(found->target_start, ==,
                    some && !no_start ? wanted->target_start + target_offset : 0);
    g_assert_cmpint(found->target_end, ==, some ? wanted->target_end + target_offset : 0);
    g_assert_cmpint(found->query_start, ==,
                    some && (minus || !no_start) ? wanted->query_start + query_offset : 0);
    g_assert_cmpint(found->query_end, ==,
                    some && (!minus || !no_start) ? wanted->query_end + query_offset : 0);
}

#endif
