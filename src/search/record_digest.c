/* Digests of records: see record_digest.h. */
#include <string.h>

#include "search/record_digest.h"

void
cs_record_digest_add(XXH3_state_t *hash, const char *name, gint64 length, const guint8 *letters)
{
    const gint64 written = GINT64_TO_LE(length);
    XXH3_128bits_update(hash, name, strlen(name) + 1);
    XXH3_128bits_update(hash, &written, sizeof written);
    XXH3_128bits_update(hash, letters, (gsize)length);
}

char *
cs_record_digest_hex(XXH128_hash_t hash)
{
    return g_strdup_printf("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
                           (guint64)hash.high64, (guint64)hash.low64);
}
