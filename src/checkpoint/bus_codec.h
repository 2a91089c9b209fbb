/*
 * Packs consecutive cells of a bus into a compressed block: all H, then all gap values (F or E).
 * Each value is stored as the difference from the value before it, in zigzag and LEB128 encoding,
 * and the whole block is a zstd frame. Neighbouring cells differ little, so nearly every value is
 * one byte before compression.
 */
#ifndef CS_BUS_CODEC_H
#define CS_BUS_CODEC_H

#include "sweep/bus.h"

/* The most bytes that so many cells (at most 2^30) can take as a block. */
gsize cs_bus_codec_bound(gint64 cells);

typedef struct _CsBusEncoder CsBusEncoder;

/* An encoder for at most so many cells at once. Fails with CS_ERROR_DEVICE if there is not enough
 * memory. */
CsBusEncoder *cs_bus_encoder_new(gint64 most_cells, GError **error);
void cs_bus_encoder_free(CsBusEncoder *encoder);

/*
 * Encodes all cells of a bus (or of a slice of one) into block, which has room for
 * cs_bus_codec_bound() bytes. The minus infinity of 32 bits becomes CS_SCORE_NONE.
 */
gboolean cs_bus_encoder_run(CsBusEncoder *encoder, const CsBus *bus, guint8 *block, gsize *size,
                            GError **error);

typedef struct _CsBusDecoder CsBusDecoder;

/* As cs_bus_encoder_new(). */
CsBusDecoder *cs_bus_decoder_new(gint64 most_cells, GError **error);
void cs_bus_decoder_free(CsBusDecoder *decoder);

/*
 * Decodes a block, which may be damaged, into all cells of a bus. Fails with CS_ERROR_CONTENT if it
 * is not a valid block of exactly so many cells with all values within lowest .. highest. lowest
 * and highest must fit the width of the bus. After a failure the bus holds nothing useful.
 */
gboolean cs_bus_decoder_run(CsBusDecoder *decoder, const guint8 *block, gsize size, CsScore lowest,
                            CsScore highest, CsBus *bus, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsBusEncoder, cs_bus_encoder_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsBusDecoder, cs_bus_decoder_free)

#endif
