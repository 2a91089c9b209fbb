/* How a comparison would be run: what cs_compare() decides before it sweeps. */
#ifndef CS_COMPARE_PRIVATE_H
#define CS_COMPARE_PRIVATE_H

#include <chromosweep/compare.h>

#include "sweep/sweep.h"

typedef struct {
    CsRectangle rectangle; /* of the first strand */
    CsGrid *grid;          /* of its whole */
    CsSweepOptions sweep;  /* engine and options; its shape is the grid's */
    CsGridShape wish;      /* the shape as it was asked for */
    const char *phrase;    /* what the engine runs on */
    gint64 cells;          /* of all strands */
    gboolean is_new;       /* no checkpoint holds anything to go on from */
} CsPrepared;

/*
 * Fails as cs_compare() would before it sweeps, but for memory and damage to a checkpoint, which it
 * leaves as it is. The sequences outlive what is prepared.
 */
gboolean cs_compare_prepare(const CsSequence *target, const CsSequence *query,
                            const CsCompareOptions *options, CsPrepared *prepared, GError **error);

void cs_prepared_clear(CsPrepared *prepared);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPrepared, cs_prepared_clear)

#endif
