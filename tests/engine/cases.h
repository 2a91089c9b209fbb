/* Random problems whose sizes and contents straddle every edge: the case table of all engines. */
#ifndef CASES_H
#define CASES_H

#include <glib.h>

#include "oracle.h"
#include "sweep/rectangle.h"

typedef struct {
    char *a, *b;
    gint64 m, n;
    CsScoring scoring;
    CsTieOrder tie_order;
    gint64 block_height, block_width, depth;
    guint threads;
    gboolean in_place; /* the borders that leave overwrite those that enter */
    gint64 special_rows[4];
    gsize n_special_rows;
} Case;

/* The case of this seed, the same on every machine. No side is longer than `longest`. */
Case *case_new(guint32 seed, int longest);
void case_free(Case *c);

/* Makes of it a case of tandem repeats: copies of a unit, changed here and there, more or fewer of
 * them in b, with runs of N; no side longer than `longest`. */
void case_repeat(Case *c, GRand *rand, int longest);

/* Gives it so many rows and columns or more, for which a GPU's wave has several slots, and no row slices
 * (sweeps.c). */
void case_widen(Case *c, GRand *rand, gsize rows, gsize columns);

/* The case for the oracle, with zero borders. */
OracleProblem case_problem(const Case *c);

/* One line that describes the case, for messages. */
char *case_describe(const Case *c);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Case, case_free)

#endif
