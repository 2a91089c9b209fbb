/* Computes the pairs of a tile. */
#ifndef CS_TILE_PAIRS_H
#define CS_TILE_PAIRS_H

#include "identity/device_global.h"
#include "identity/global_pairs.h"
#include "identity/packed_pairs.h"
#include "identity/part.h"
#include "identity/record_words.h"
#include "identity/tile_log.h"
#include "identity/tiles.h"

/* A least identity is a whole number of these parts, so that it is compared exactly. */
#define CS_IDENTITY_UNIT 1000000000

/* What all tiles have in common. Nothing is owned. */
typedef struct {
    const CsIdentityInputs *inputs;
    const CsIdentityTiles *tiles;
    const CsGlobalKernels *kernels;
    CsIdentityOver over;
    gint64 least;               /* identity of the pairs to keep, in parts of CS_IDENTITY_UNIT */
    const CsRecordWords *words; /* (nullable): what rules out pairs that do not reach it */
    gboolean align;
    CsGlobalTeam *team;        /* helps with long pairs */
    gint64 *under_way;         /* (nullable): their cells, as of CsGlobalQuery */
    const CsPartKeeper *parts; /* (nullable): keeps what of a tile is done before all of it is */
    const gint *stop;
} CsTileWork;

/*
 * Sets everything in the record but `tile`, and adds its pairs, with the numbers of a device if there is
 * one. FALSE if there is not enough memory, if *stop became nonzero, or, with an error, if the device
 * failed. Several threads may compute tiles at the same time.
 */
gboolean cs_tile_compute(const CsTileWork *work, CsDeviceGlobal *device, const CsIdentityTile *tile,
                         CsTileRecord *record, CsPackedPairs *packed, GError **error);

/* The letters that match themselves. */
guint32 cs_tile_matching(const CsIdentityInputs *inputs);

/* What the matches of a pair are divided by. */
gint64 cs_identity_divisor(CsIdentityOver over, gint64 first_length, gint64 second_length,
                           gint64 columns);

/* The bytes that a thread needs, beside what it adds. */
gint64 cs_tile_bytes(const CsTileWork *work);

#endif
