/*
 * A run of a bus's cells as a compressed block: its H, then its gap values (F or E), each value as
 * the difference to the one before it, zigzag, LEB128, the whole a zstd frame. Neighbouring cells
 * differ little, so that nearly every value is one byte before compression.
 */
#ifndef CS_BUS_CODEC_H
#define CS_BUS_CODEC_H

#include "sweep/bus.h"

/* The most bytes that so many cells (at most 2^30) take when encoded. */
gsize cs_bus_codec_bound(gint64 cells);

typedef struct _CsBusEncoder CsBusEncoder;

/* For runs of at most so many cells. Fails with CS_ERROR_DEVICE when there is no memory. */
CsBusEncoder *cs_bus_encoder_new(gint64 most_cells, GError **error);
void cs_bus_encoder_free(CsBusEncoder *encoder);

/*
 * Encodes all cells of a bus (or of a slice of one) into block, which has cs_bus_codec_bound()
 * bytes of room. Minus infinity of 32 bits becomes CS_SCORE_NONE.
 */
gboolean cs_bus_encoder_run(CsBusEncoder *encoder, const CsBus *bus, guint8 *block, gsize *size,
                            GError **error);

typedef struct _CsBusDecoder CsBusDecoder;

/* As cs_bus_encoder_new(). */
CsBusDecoder *cs_bus_decoder_new(gint64 most_cells, GError **error);
void cs_bus_decoder_free(CsBusDecoder *decoder);

/*
 * Decodes a block, which may hold anything, into all cells of a bus. Fails with CS_ERROR_CONTENT
 * where it is not exactly a block of so many cells whose values lie within lowest .. highest; the
 * latter must fit the bus's width. What was in the bus is then lost.
 */
gboolean cs_bus_decoder_run(CsBusDecoder *decoder, const guint8 *block, gsize size, CsScore lowest,
                            CsScore highest, CsBus *bus, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsBusEncoder, cs_bus_encoder_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsBusDecoder, cs_bus_decoder_free)

#endif
