/* Runs sweeps for tests and keeps what they hand out. */
#ifndef SWEEPS_H
#define SWEEPS_H

#include "cases.h"
#include "sweep/sweep.h"

/* An engine; for the vector engine, with the instruction set that it may use. */
typedef struct {
    const char *engine;
    const char *simd; /* the instruction set, or NULL */
    guint bits;       /* width of the arithmetic, or 0 */
} Variant;

/* Every variant that this machine can run, the scalar engine first. Returns how many. The array
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

/* A rectangle of the whole case, with zero borders, without borders that leave or special rows. */
CsRectangle sweeps_rectangle(const Case *c, const CsSequence *a, const CsSequence *b);

/* Whether the variant accepts this rectangle of the case; the scores may be too wide for it. */
gboolean sweeps_accepts(const Case *c, const Variant *variant, const CsRectangle *rectangle);

/* The variant if it accepts the rectangle, else the scalar engine. */
const Variant *sweeps_fitting(const Case *c, const Variant *variant, const CsRectangle *rectangle);

/* The case's grid and threads on a variant. */
CsSweepOptions sweeps_options(const Case *c, const Variant *variant);

/* How many members of a ring compute the rectangle in this grid. */
guint sweeps_members(const Case *c, const Variant *variant, const CsRectangle *rectangle,
                     const CsGrid *grid);

/*
 * Sweeps the rectangle with the case's grid and threads on a variant, and keeps everything that
 * leaves. Sets bottom, right and the row function. Bounds, if any, must fit the grid.
 */
void sweeps_run(const Case *c, const Variant *variant, CsRectangle rectangle, Swept *swept);
CsGrid *sweeps_grid(const Case *c, const Variant *variant, const CsRectangle *rectangle);
void swept_clear(Swept *swept);

#endif
