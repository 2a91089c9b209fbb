/* Runs sweeps for tests and holds what they handed out. */
#ifndef SWEEPS_H
#define SWEEPS_H

#include "cases.h"
#include "sweep/sweep.h"

/* An engine and, for the vector engine, the target that it is masked to. */
typedef struct {
    const char *engine;
    const char *simd; /* the target, or NULL */
    guint bits;       /* width of the arithmetic, or 0 */
} Variant;

/* Every variant that this machine can run, the scalar engine first. Returns how many; variants
 * lives as long as the process. */
guint sweeps_variants(const Variant **variants);

/* Everything that a sweep hands out. */
typedef struct {
    CsSweepState state;
    CsGrid *grid;
    CsBus *bottom, *right;
    CsScore **special_h, **special_f; /* n for each special row */
    gsize n_special;
} Swept;

/* A rectangle of all of a case, with borders of zero, no borders that leave, no special rows. */
CsRectangle sweeps_rectangle(const Case *c, const CsSequence *a, const CsSequence *b);

/* Whether the variant takes this rectangle of the case; scores may be too wide for one. */
gboolean sweeps_accepts(const Case *c, const Variant *variant, const CsRectangle *rectangle);

/* The variant if it takes the rectangle, else the scalar engine. */
const Variant *sweeps_fitting(const Case *c, const Variant *variant, const CsRectangle *rectangle);

/* The case's grid and threads on a variant. */
CsSweepOptions sweeps_options(const Case *c, const Variant *variant);

/*
 * Sweeps the rectangle with the case's grid and threads on a variant and keeps all that leaves;
 * bottom, right and the row function are set here. bounds, if any, must fit sweeps_grid().
 */
void sweeps_run(const Case *c, const Variant *variant, CsRectangle rectangle, Swept *swept);
CsGrid *sweeps_grid(const Case *c, const Variant *variant, const CsRectangle *rectangle);
void swept_clear(Swept *swept);

#endif
