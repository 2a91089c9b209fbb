/*
 * Which tiles of a matrix can hold anything of an alignment that scores enough, whatever is masked:
 * those with a mark, where alignments end, and those that lead there.
 *
 *     +-------+-------+-------+      R is the most that is gained on the way to a marked tile. It is
 *     |       |  R>0  |       |      computed tile by tile, from the last one back, over the
 *     +-------+----\--+-------+      reversed bases. It never counts more than an alignment needs to
 *     |       |  R>0 \|  R>0  |      get its mark. Where R is 0, nothing leads to the marked tile.
 *     +-------+-------+--\----+
 *     |       |       | mark *|      Tiles that high scores enter from these are added later
 *     +-------+-------+-------+      (masked_matrix.h). Both together are enough
 *                                    (docs/proofs/alignment-sets.md, Lemma 8).
 */
#ifndef CS_MASKED_ZONE_H
#define CS_MASKED_ZONE_H

#include "sweep/engine_class.h"

typedef struct {
    const CsRectangle *matrix;
    const CsEndMarks *marks;
    const CsEngineClass *engine; /* of the CPU */
    gint64 side;                 /* rows and columns of a tile */
    guint threads;
    const gint *stop; /* or NULL; once it is set, fails with CS_ERROR_STOPPED */
    gint *millionths; /* or NULL: is set to what is done of twice the work */
} CsMaskedZone;

/* Appends the tiles' numbers (gint64): row of tiles * columns of tiles + column. */
gboolean cs_masked_zone_find(const CsMaskedZone *zone, GArray *tiles, GError **error);

#endif
