/* Whether a scoring makes sense, and whether its scores fit. */
#include <chromosweep/error.h>
#include <chromosweep/scoring.h>

/*
 * Every value of a local sweep is between minus the largest cost and match * min(m, n). If both are
 * limited to a quarter of the 64-bit range, there is room for sums before a maximum is taken, and
 * for minus infinity.
 */
#define LIMIT (G_MAXINT64 / 4)

gboolean
cs_scoring_check(const CsScoring *scoring, gint64 m, gint64 n, GError **error)
{
    g_return_val_if_fail(m >= 0 && n >= 0, FALSE);
    const struct {
        const char *name;
        gint64 value;
        gint64 least;
    } terms[] = {{"match", scoring->match, 1},
                 {"mismatch", scoring->mismatch, 0},
                 {"gap-open", scoring->gap_open, 0},
                 {"gap-extend", scoring->gap_extend, 0}};
    for (guint k = 0; k < G_N_ELEMENTS(terms); k++) {
        if (terms[k].value < terms[k].least) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                        "%s is %" G_GINT64_FORMAT "; it must be at least %" G_GINT64_FORMAT "%s",
                        terms[k].name, terms[k].value, terms[k].least,
                        k > 0 ? " (costs are given as positive numbers)" : "");
            return FALSE;
        }
        if (terms[k].value > LIMIT / 16) {
            g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                        "%s is %" G_GINT64_FORMAT ", too large for 64-bit arithmetic",
                        terms[k].name, terms[k].value);
            return FALSE;
        }
    }
    if (MIN(m, n) >= LIMIT / scoring->match) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "match %" G_GINT64_FORMAT " over %" G_GINT64_FORMAT
                    " bases could overflow 64-bit arithmetic",
                    scoring->match, MIN(m, n));
        return FALSE;
    }
    return TRUE;
}
