/*
 * What a ring asks its members before it begins: in which blocks they can share a rectangle, whether
 * they accept it, and what they need.
 *
 * GPUs compute in 16 bits if the borders of the whole allow it: a member sees only its own rows of
 * the left border and, unless it is the first, no top border. Their runs share a rectangle without
 * skipping: zeros of skipped blocks beside high values do not fit 16 bits. Borders from a sweep that
 * skipped are therefore computed in 32 bits, in which any border fits.
 */
#ifndef CS_RING_SHAPE_H
#define CS_RING_SHAPE_H

#include "sweep/engine_class.h"

/* As in CsEngineClass. */
void cs_ring_shape(const CsRectangle *rectangle, const CsEngineOptions *options,
                   CsGridShape *shape);
gboolean cs_ring_shape_accepts(const CsRectangle *rectangle, const CsGridShape *shape,
                               const CsEngineOptions *options, GError **error);
void cs_ring_shape_needs(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
                         const CsEngineOptions *options, CsEngineNeeds *needs);

/* What the first member's engine is told if one run of it computes the whole rectangle, on all members that
 * share a sweep that skips, or on so many of them (0: all). */
CsEngineOptions cs_ring_shape_whole(const CsRectangle *rectangle, const CsEngineOptions *options,
                                    guint members);

/* The widths of the arithmetic in all members on the CPU and in all GPUs (0: there is none). */
gboolean cs_ring_shape_bits(const CsRectangle *rectangle, const CsGrid *grid,
                            const CsGridShape *shape, const CsEngineOptions *options, guint *cpu,
                            guint *gpu, GError **error);

#endif
