/* Sets of places, as bits. */
#include "lower_bound/place_set.h"

#include "system/memory.h"

/* Room for one place more, so that a search may begin there. */
gboolean
cs_place_set_init(CsPlaceSet *set, gint32 count)
{
    gsize words = (gsize)count;
    *set = (CsPlaceSet){0};
    do {
        words = words / 64 + 1;
        set->words[set->levels] = cs_memory_try_new(guint64, words);
        if (set->words[set->levels++] == NULL) {
            cs_place_set_clear(set);
            return FALSE;
        }
    } while (words > 1);
    return TRUE;
}

void
cs_place_set_clear(CsPlaceSet *set)
{
    for (int level = 0; level < set->levels; level++)
        g_clear_pointer(&set->words[level], g_free);
    set->levels = 0;
}

void
cs_place_set_add(CsPlaceSet *set, gint32 place)
{
    for (int level = 0; level < set->levels; level++, place >>= 6)
        set->words[level][place >> 6] |= G_GUINT64_CONSTANT(1) << (place & 63);
}

void
cs_place_set_remove(CsPlaceSet *set, gint32 place)
{
    for (int level = 0; level < set->levels; level++, place >>= 6)
        if ((set->words[level][place >> 6] &= ~(G_GUINT64_CONSTANT(1) << (place & 63))) != 0)
            return;
}

gint32
cs_place_set_before(const CsPlaceSet *set, gint32 place)
{
    for (int level = 0; level < set->levels && place >= 0; level++) {
        const guint64 word = set->words[level][place >> 6] & G_MAXUINT64 >> (63 - (place & 63));
        if (word == 0) {
            place = (place >> 6) - 1;
            continue;
        }
        place = (place & ~63) | (63 - __builtin_clzll(word));
        while (level-- > 0)
            place = place << 6 | (63 - __builtin_clzll(set->words[level][place]));
        return place;
    }
    return -1;
}

gint32
cs_place_set_after(const CsPlaceSet *set, gint32 place)
{
    for (int level = 0; level < set->levels; level++) {
        const guint64 word = set->words[level][place >> 6] & G_MAXUINT64 << (place & 63);
        if (word == 0) {
            place = (place >> 6) + 1;
            continue;
        }
        place = (place & ~63) | __builtin_ctzll(word);
        while (level-- > 0)
            place = place << 6 | __builtin_ctzll(set->words[level][place]);
        return place;
    }
    return -1;
}
