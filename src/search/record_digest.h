/* Digests of records. Names and lengths are digested, too, so that the same letters cut otherwise are
 * told apart. */
#ifndef CS_RECORD_DIGEST_H
#define CS_RECORD_DIGEST_H

#include <glib.h>
#include <xxhash.h>

void cs_record_digest_add(XXH3_state_t *hash, const char *name, gint64 length,
                          const guint8 *letters);

/* As 32 hexadecimal digits, for g_free(). */
char *cs_record_digest_hex(XXH128_hash_t hash);

#endif
