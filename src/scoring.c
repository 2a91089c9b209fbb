/* Whether a scoring makes sense, and whether its scores fit. */
#include <chromosweep/error.h>
#include <chromosweep/scoring.h>

/*
 * Every value of a sweep lies within match * min(m, n) above zero and, in an anchored sweep, within
 * 2 * (gap_open + gap_extend) + gap_extend * (m + n) + mismatch below it. Half of the 64-bit range
 * for each side leaves room for the one addition or subtraction that goes before a maximum.
 */
#define LIMIT (G_MAXINT64 / 4)

/* a * b, or LIMIT + 1 when that is more than LIMIT; a, b >= 0. */
static gint64
multiply_up_to_limit(gint64 a, gint64 b)
{
    return b != 0 && a > LIMIT / b ? LIMIT + 1 : a * b;
}

gboolean
cs_scoring_check(const CsScoring *scoring, gint64 m, gint64 n, GError **error)
{
    g_return_val_if_fail(m >= 0 && n >= 0 && m <= LIMIT && n <= LIMIT, FALSE);
    if (scoring->match <= 0) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "match is %" G_GINT64_FORMAT "; it must be at least 1", scoring->match);
        return FALSE;
    }
    const struct {
        const char *name;
        gint64 value;
    } costs[] = {{"mismatch", scoring->mismatch},
                 {"gap-open", scoring->gap_open},
                 {"gap-extend", scoring->gap_extend}};
    for (guint k = 0; k < G_N_ELEMENTS(costs); k++)
        if (costs[k].value < 0) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                        "%s is %" G_GINT64_FORMAT
                        "; it is a cost, given as a positive number, and must be at least 0",
                        costs[k].name, costs[k].value);
            return FALSE;
        }
    gint64 gain = multiply_up_to_limit(scoring->match, MIN(m, n) + 1);
    gint64 gap = multiply_up_to_limit(scoring->gap_extend, m + n + 2);
    if (gain > LIMIT || gap > LIMIT || scoring->gap_open > LIMIT / 4 ||
        scoring->mismatch > LIMIT / 4) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "scores of this scoring on %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                    " cells could overflow 64-bit arithmetic",
                    m, n);
        return FALSE;
    }
    return TRUE;
}
