/* Reads and digests the database: see database.h. */
#include <string.h>

#include <chromosweep/error.h>

#include "search/database.h"
#include "search/record_digest.h"
#include "system/display.h"
#include "system/stop.h"

gboolean
cs_database_init(CsDatabase *database, const char *path, const CsStreamLetters *letters,
                 GError **error)
{
    database->stream = cs_record_stream_new(path, letters, error);
    database->hash = XXH3_createState();
    if (database->stream == NULL)
        return FALSE;
    if (database->hash != NULL && XXH3_128bits_reset(database->hash) == XXH_OK)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
    return FALSE;
}

void
cs_database_clear(CsDatabase *database)
{
    g_clear_pointer(&database->stream, cs_record_stream_free);
    XXH3_freeState(database->hash);
    database->hash = NULL;
}

static gboolean
fail_changed(const CsDatabase *database, gint64 records, GError **error)
{
    g_autofree char *shown = strcmp(database->shown, "-") == 0 ? g_strdup("standard input")
                                                               : cs_display_name(database->shown);
    g_set_error(error, CS_ERROR, CS_ERROR_CHECKPOINT,
                "%s: the first %" G_GINT64_FORMAT
                " records are not those that the checkpoint has searched",
                shown, records);
    return FALSE;
}

static gboolean
digest_record(CsDatabase *database, const CsRecordChunk *chunk, guint k, GError **error)
{
    const CsStreamRecord *record = &chunk->records[k];
    CsDatabasePlace *place = &database->place;
    cs_record_digest_add(database->hash, chunk->names + record->name, record->length,
                         chunk->letters + record->letters);
    place->mark.records++;
    place->letters += record->length;
    for (guint n = 0; n < 2; n++) {
        const CsDatabaseMark *known = &database->known[n];
        if (known->records != place->mark.records)
            continue;
        const XXH128_hash_t hash = XXH3_128bits_digest(database->hash);
        if (hash.high64 != known->digest[0] || hash.low64 != known->digest[1])
            return fail_changed(database, known->records, error);
    }
    return TRUE;
}

static gboolean
digest(CsDatabase *database, const CsRecordChunk *chunk, GError **error)
{
    for (guint k = 0; k < chunk->count; k++)
        if (!digest_record(database, chunk, k, error))
            return FALSE;
    const XXH128_hash_t hash = XXH3_128bits_digest(database->hash);
    database->place.mark.digest[0] = hash.high64;
    database->place.mark.digest[1] = hash.low64;
    database->place.fraction = chunk->fraction;
    return TRUE;
}

CsRecordChunk *
cs_database_next(CsDatabase *database, gint64 letters, CsDatabasePlace places[2], GError **error)
{
    GError *failure = NULL;
    while (!cs_is_stopped(database->stop)) {
        places[0] = database->place;
        CsRecordChunk *chunk = cs_record_stream_next(database->stream, letters, &failure);
        if (failure != NULL) {
            g_propagate_error(error, failure);
            return NULL;
        }
        if (chunk == NULL) {
            for (guint n = 0; n < 2; n++)
                if (database->known[n].records > database->place.mark.records) {
                    fail_changed(database, database->known[n].records, error);
                    break;
                }
            return NULL;
        }
        const gboolean good = digest(database, chunk, error);
        places[1] = database->place;
        if (good && chunk->first + chunk->count > database->skip)
            return chunk;
        cs_record_chunk_free(chunk);
        if (!good)
            return NULL;
    }
    return NULL;
}
