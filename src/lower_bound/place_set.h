/*
 * A set of whole numbers below a limit. Its members are bits, 64 a word; a level above has one bit for
 * each word that is not 0, and so on. So neighbours are found by looking at a few words.
 */
#ifndef CS_PLACE_SET_H
#define CS_PLACE_SET_H

#include <glib.h>

enum {
    CS_PLACE_SET_LEVELS = 6 /* for less than 2^31 places */
};

typedef struct {
    guint64 *words[CS_PLACE_SET_LEVELS];
    int levels;
} CsPlaceSet;

/* An empty set of places 0 .. count - 1. FALSE if there is not enough memory. */
gboolean cs_place_set_init(CsPlaceSet *set, gint32 count);
void cs_place_set_clear(CsPlaceSet *set);

void cs_place_set_add(CsPlaceSet *set, gint32 place);
void cs_place_set_remove(CsPlaceSet *set, gint32 place);

static inline gboolean
cs_place_set_has(const CsPlaceSet *set, gint32 place)
{
    return set->words[0][place >> 6] >> (place & 63) & 1;
}

/* The highest member that is not above a place, or -1. The place may be -1. */
gint32 cs_place_set_before(const CsPlaceSet *set, gint32 place);

/* The lowest member that is not below a place, or -1. The place may be `count`. */
gint32 cs_place_set_after(const CsPlaceSet *set, gint32 place);

/* The bytes that a set takes for each place, rounded up. */
#define CS_PLACE_SET_BYTES 1

#endif
