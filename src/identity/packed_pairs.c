/* Pairs as bytes: see packed_pairs.h. */
#include <string.h>

#include "identity/packed_pairs.h"
#include "system/memory.h"

enum {
    NUMBER_MOST = 10, /* bytes */
};

void
cs_packed_pairs_clear(CsPackedPairs *packed)
{
    g_free(packed->bytes);
    *packed = (CsPackedPairs){.bytes = NULL};
}

guint8 *
cs_packed_pairs_steal(CsPackedPairs *packed)
{
    guint8 *smaller = g_try_realloc(packed->bytes, packed->size);
    guint8 *bytes = smaller != NULL ? smaller : packed->bytes;
    packed->bytes = NULL;
    cs_packed_pairs_clear(packed);
    return bytes;
}

/* Room for so many more bytes. */
static gboolean
reserve(CsPackedPairs *packed, gsize more)
{
    if (packed->room - packed->size >= more)
        return !packed->failed;
    const gsize room = MAX(packed->size + more, 2 * packed->room);
    guint8 *bytes = packed->failed ? NULL : cs_memory_try_resize(packed->bytes, room, 1);
    if (bytes == NULL) {
        packed->failed = TRUE;
        return FALSE;
    }
    packed->bytes = bytes;
    packed->room = room;
    return TRUE;
}

gint64
cs_packed_pairs_number_bytes(guint64 number)
{
    gint64 bytes = 1;
    for (; number >= 128; number >>= 7)
        bytes++;
    return bytes;
}

void
cs_packed_pairs_add_number(CsPackedPairs *packed, guint64 number)
{
    if (!reserve(packed, NUMBER_MOST))
        return;
    for (; number >= 128; number >>= 7)
        packed->bytes[packed->size++] = (guint8)(number | 128);
    packed->bytes[packed->size++] = (guint8)number;
}

void
cs_packed_pairs_add_score(CsPackedPairs *packed, gint64 score)
{
    cs_packed_pairs_add_number(packed, (guint64)score << 1 ^ (guint64)(score < 0 ? -1 : 0));
}

void
cs_packed_pairs_add_text(CsPackedPairs *packed, const char *text, gsize length)
{
    cs_packed_pairs_add_number(packed, length);
    if (!reserve(packed, length))
        return;
    memcpy(packed->bytes + packed->size, text, length);
    packed->size += length;
}

gboolean
cs_packed_reader_number(CsPackedReader *reader, guint64 *number)
{
    *number = 0;
    for (guint shift = 0; shift < 64 && reader->next < reader->end; shift += 7) {
        const guint8 byte = *reader->next++;
        *number |= (guint64)(byte & 127) << shift;
        if (byte < 128)
            return TRUE;
    }
    return FALSE;
}

gboolean
cs_packed_reader_score(CsPackedReader *reader, gint64 *score)
{
    guint64 number;
    if (!cs_packed_reader_number(reader, &number))
        return FALSE;
    *score = (gint64)(number >> 1) ^ -(gint64)(number & 1);
    return TRUE;
}

gboolean
cs_packed_reader_text(CsPackedReader *reader, const char **text, gsize *length)
{
    guint64 number;
    if (!cs_packed_reader_number(reader, &number) || number > (gsize)(reader->end - reader->next))
        return FALSE;
    *text = (const char *)reader->next;
    *length = number;
    reader->next += number;
    return TRUE;
}
