/*
 * All records of a FASTA file, chunk after chunk, with their letters as codes. Memory is that of the
 * chunks that the caller keeps, and of the longest record.
 */
#ifndef CS_RECORD_STREAM_H
#define CS_RECORD_STREAM_H

#include <glib.h>

enum {
    CS_STREAM_INVALID = 255, /* in a table of codes: not a letter */
};

/* Which bytes are letters. */
typedef struct {
    const guint8 *codes; /* of each byte, CS_STREAM_INVALID if it is not a letter */
    const char *what;    /* "a nucleotide code": what a wrong byte is not, in a message */
    const char *hint;    /* what a message about a wrong byte ends with */
} CsStreamLetters;

typedef struct {
    gsize name;    /* where in `names` it begins; it ends with NUL */
    gsize letters; /* where in `letters` it begins */
    gint64 length; /* letters, at least 1 */
} CsStreamRecord;

typedef struct {
    gint64 first; /* number of the first record in the file, from 0 */
    guint count;
    const CsStreamRecord *records;
    const char *names;
    const guint8 *letters;
    gsize letters_count;
    /* How much of the file was read, from 0 to 1, as far as it is known; negative if it is not. */
    double fraction;
} CsRecordChunk;

typedef struct _CsRecordStream CsRecordStream;

/* path is a FASTA file, plain, gzip or bgzip; "-" is standard input. Errors are those of
 * cs_sequence_load_all(); names need not be unique. */
CsRecordStream *cs_record_stream_new(const char *path, const CsStreamLetters *letters,
                                     GError **error);

/*
 * The next records, with at least so many letters unless the file ends; (transfer full). NULL at the
 * end of the file, or if an error is set. May be called by another thread than the call before.
 */
CsRecordChunk *cs_record_stream_next(CsRecordStream *stream, gint64 letters, GError **error);

/* What chunks that come from elsewhere are made of: arrays of so many bytes, for g_free(). */
typedef struct {
    CsStreamRecord *records;
    char *names;
    guint8 *letters;
    gsize names_size, letters_size;
} CsRecordChunkParts;

/* Takes the parts of `count` records. */
CsRecordChunk *cs_record_chunk_new(const CsRecordChunkParts *parts, gint64 first, guint count);

/* The bytes of all names. */
gsize cs_record_chunk_names_size(const CsRecordChunk *chunk);

void cs_record_stream_free(CsRecordStream *stream);
void cs_record_chunk_free(CsRecordChunk *chunk);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsRecordStream, cs_record_stream_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsRecordChunk, cs_record_chunk_free)

#endif
