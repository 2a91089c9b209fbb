/*
 * The database as a search reads it: chunks of records, and a digest of all that was read so far. A
 * search that goes on reads again what an earlier run has searched, and compares the digests, so
 * that it works with pipes and notices another database.
 */
#ifndef CS_DATABASE_H
#define CS_DATABASE_H

#include <xxhash.h>

#include "sequence/record_stream.h"

/* A place between two records. */
typedef struct {
    gint64 records; /* before it */
    guint64 digest[2];
} CsDatabaseMark;

typedef struct {
    CsDatabaseMark mark;
    gint64 letters;  /* before it */
    double fraction; /* of the database; negative while not known */
} CsDatabasePlace;

typedef struct {
    CsRecordStream *stream;
    XXH3_state_t *hash;
    CsDatabasePlace place;   /* behind what was read */
    CsDatabaseMark known[2]; /* what an earlier run read, the first one first; 0 records: none */
    gint64 skip;             /* chunks that end before this record are read and not returned */
    const char *shown;       /* the name in messages */
    const gint *stop;
} CsDatabase;

gboolean cs_database_init(CsDatabase *database, const char *path, const CsStreamLetters *letters,
                          GError **error);
void cs_database_clear(CsDatabase *database);

/*
 * The next chunk, as cs_record_stream_next(), and the places before and behind it. Fails with
 * CS_ERROR_CHECKPOINT if the database is not the known one. NULL without an error at its end, and if
 * *stop became nonzero while chunks were skipped.
 */
CsRecordChunk *cs_database_next(CsDatabase *database, gint64 letters, CsDatabasePlace places[2],
                                GError **error);

#endif
