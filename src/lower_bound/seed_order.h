/*
 * Seeds in the order of a key.
 */
#ifndef CS_SEED_ORDER_H
#define CS_SEED_ORDER_H

#include "lower_bound/seeds.h"

typedef enum {
    CS_SEED_COLUMN_END,
    CS_SEED_DIAGONAL,
    CS_SEED_COLUMN,
    CS_SEED_ROW_END,
    CS_SEED_KEYS
} CsSeedKey;

typedef struct {
    gint64 key;
    gint32 seed;
} CsKeyedSeed;

static inline gint64
cs_seed_key(const CsSeed *seed, CsSeedKey key)
{
    switch (key) {
    case CS_SEED_DIAGONAL: return seed->column - seed->row;
    case CS_SEED_COLUMN: return seed->column;
    case CS_SEED_COLUMN_END: return seed->column + seed->length;
    default: return seed->row + seed->length;
    }
}

/* The seeds by a key; of equal keys the first seed first. Free the result with g_free(). NULL if
 * there is not enough memory. */
CsKeyedSeed *cs_seed_order(const CsSeed *seeds, gint32 count, CsSeedKey key);

/* The bytes that this holds at its peak, for each seed. */
#define CS_SEED_ORDER_BYTES (2 * sizeof(CsKeyedSeed))

#endif
