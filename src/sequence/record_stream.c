/*
 * Streams the records of a FASTA file. The sink of the text appends names and codes to the chunk. The
 * last record of a chunk may be incomplete when the chunk is taken; its part moves to the next one.
 */
#include <errno.h>
#include <string.h>

#include <htslib/hfile.h>

#include <chromosweep/error.h>

#include "sequence/bases.h"
#include "sequence/fasta.h"
#include "sequence/input.h"
#include "sequence/record_stream.h"
#include "system/display.h"
#include "system/memory.h"

typedef struct {
    guint8 *data;
    gsize used, size;
} Buffer;

typedef struct {
    CsRecordChunk chunk;
    Buffer records, names, letters;
} FullChunk;

struct _CsRecordStream {
    char *path;
    CsStreamLetters wanted;
    struct stat before;
    BGZF *input;
    CsFastaText *text;
    gboolean ended;
    FullChunk *filled;
    gint64 taken;   /* records of chunks that were taken */
    gboolean begun; /* the last record of `filled` has begun and not ended */
    GError *fault;  /* the first wrong byte; it is told once the text is known to be whole so far */
};

static gboolean
reserve(Buffer *buffer, gsize more, GError **error)
{
    if (buffer->size - buffer->used >= more)
        return TRUE;
    const gsize size = MAX(buffer->used + more, 2 * buffer->size);
    guint8 *data = cs_memory_try_resize(buffer->data, size, 1);
    if (data == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "cannot allocate %" G_GSIZE_FORMAT " bytes",
                    size);
        return FALSE;
    }
    buffer->data = data;
    buffer->size = size;
    return TRUE;
}

static gboolean
append(Buffer *buffer, const void *bytes, gsize length, GError **error)
{
    if (!reserve(buffer, length, error))
        return FALSE;
    if (length > 0)
        memcpy(buffer->data + buffer->used, bytes, length);
    buffer->used += length;
    return TRUE;
}

static CsStreamRecord *
last_record(const FullChunk *full)
{
    return (CsStreamRecord *)(void *)(full->records.data + full->records.used) - 1;
}

static char *
show_name(gpointer data)
{
    const CsRecordStream *stream = data;
    const FullChunk *full = stream->filled;
    const gsize at = last_record(full)->name;
    g_autofree char *name = g_strndup((char *)full->names.data + at, full->names.used - at);
    return cs_display_record(name);
}

/* The records so far are complete, the last one with it. */
static gboolean
end_record(CsRecordStream *stream, GError **error)
{
    if (!stream->begun)
        return TRUE;
    stream->begun = FALSE;
    if (stream->fault != NULL) {
        g_propagate_error(error, g_steal_pointer(&stream->fault));
        return FALSE;
    }
    if (last_record(stream->filled)->length > 0)
        return TRUE;
    g_autofree char *shown = show_name(stream);
    g_set_error(error, CS_ERROR, CS_ERROR_CONTENT, "record \"%s\" has no letters", shown);
    return FALSE;
}

/* The text asks for room for its name before anything else, so a failure is told there. */
static void
begin_record(gpointer data)
{
    CsRecordStream *stream = data;
    g_autoptr(GError) failure = NULL;
    FullChunk *full = stream->filled;
    gboolean good = end_record(stream, &failure);
    const CsStreamRecord record = {full->names.used, full->letters.used, 0};
    good = good && append(&full->records, &record, sizeof record, &failure);
    if (good)
        stream->begun = TRUE;
    else if (stream->fault == NULL)
        stream->fault = g_steal_pointer(&failure);
}

static gboolean
add_name(gpointer data, const guint8 *bytes, gsize length, GError **error)
{
    CsRecordStream *stream = data;
    if (stream->begun)
        return append(&stream->filled->names, bytes, length, error);
    g_propagate_error(error, g_steal_pointer(&stream->fault));
    return FALSE;
}

static gboolean
end_header(gpointer data, GError **error)
{
    static const guint8 nul = '\0';
    return add_name(data, &nul, 1, error);
}

static gboolean
reserve_letters(gpointer data, gsize letters, GError **error)
{
    CsRecordStream *stream = data;
    return reserve(&stream->filled->letters, letters, error);
}

static void
fail_at(CsRecordStream *stream, guint8 byte, gint64 offset, gint64 line)
{
    g_autofree char *shown = show_name(stream), *wrong = cs_display_byte(byte);
    g_set_error(&stream->fault, CS_ERROR, CS_ERROR_CONTENT,
                "record \"%s\": %s at byte offset %" G_GINT64_FORMAT " (line %" G_GINT64_FORMAT
                ") is not %s%s",
                shown, wrong, offset, line, stream->wanted.what,
                byte == '-' ? "; if the file is aligned FASTA, remove the gaps"
                            : stream->wanted.hint);
}

/* Gives the codes of letters. FALSE if a byte may be none: then they mean nothing. */
static gboolean
add_whole(const guint8 *restrict codes, const guint8 *restrict bytes, gsize length,
          guint8 *restrict to)
{
    guint all = 0; /* CS_STREAM_INVALID has all bits, and codes are low */
#pragma GCC unroll 8
    for (gsize k = 0; k < length; k++)
        all |= to[k] = codes[bytes[k]];
    return (all & 0x80) == 0;
}

static void
add_letters(gpointer data, const guint8 *bytes, gsize length, gint64 offset, gint64 line)
{
    CsRecordStream *stream = data;
    Buffer *letters = &stream->filled->letters;
    const guint8 *codes = stream->wanted.codes;
    guint8 *next = letters->data + letters->used, *const begin = next;
    if (add_whole(codes, bytes, length, next))
        next += length;
    else
        for (gsize k = 0; k < length && stream->fault == NULL; k++) {
            const guint8 code = codes[bytes[k]];
            if (code != CS_STREAM_INVALID)
                *next++ = code;
            else if (!cs_bases_is_blank(bytes[k]))
                fail_at(stream, bytes[k], offset + (gint64)k, line);
        }
    letters->used += (gsize)(next - begin);
    last_record(stream->filled)->length += next - begin;
}

static gboolean
finish(gpointer data, GError **error)
{
    return end_record(data, error);
}

static const CsFastaSink sink = {begin_record,    show_name,   add_name, end_header,
                                 reserve_letters, add_letters, finish};

CsRecordStream *
cs_record_stream_new(const char *path, const CsStreamLetters *letters, GError **error)
{
    g_autoptr(CsRecordStream) stream = g_new0(CsRecordStream, 1);
    stream->path = g_strdup(path);
    stream->wanted = *letters;
    stream->filled = g_new0(FullChunk, 1);
    cs_input_begin();
    stream->input = cs_input_open(path, &stream->before);
    if (stream->input == NULL)
        cs_input_fail(path, errno, error);
    else
        stream->text = cs_fasta_text_new(stream->input, path, &sink, stream, error);
    return stream->text != NULL ? g_steal_pointer(&stream) : NULL;
}

void
cs_record_stream_free(CsRecordStream *stream)
{
    g_clear_pointer(&stream->text, cs_fasta_text_free);
    if (stream->input != NULL)
        cs_input_close(stream->input);
    cs_input_end();
    cs_record_chunk_free(&stream->filled->chunk);
    g_clear_error(&stream->fault);
    g_free(stream->path);
    g_free(stream);
}

CsRecordChunk *
cs_record_chunk_new(const CsRecordChunkParts *parts, gint64 first, guint count)
{
    FullChunk *full = g_new0(FullChunk, 1);
    full->records.data = (guint8 *)parts->records;
    full->names.data = (guint8 *)parts->names;
    full->letters.data = parts->letters;
    full->chunk = (CsRecordChunk){.first = first,
                                  .count = count,
                                  .records = parts->records,
                                  .names = parts->names,
                                  .letters = parts->letters,
                                  .letters_count = parts->letters_size,
                                  .fraction = -1};
    return &full->chunk;
}

gsize
cs_record_chunk_names_size(const CsRecordChunk *chunk)
{
    if (chunk->count == 0)
        return 0;
    const gsize last = chunk->records[chunk->count - 1].name;
    return last + strlen(chunk->names + last) + 1;
}

void
cs_record_chunk_free(CsRecordChunk *chunk)
{
    FullChunk *full = (FullChunk *)(void *)chunk; /* its first member */
    g_free(full->records.data);
    g_free(full->names.data);
    g_free(full->letters.data);
    g_free(full);
}

/* A new chunk with the incomplete record of the old one, which loses it. */
static FullChunk *
split(const CsRecordStream *stream, GError **error)
{
    FullChunk *old = stream->filled, *next = g_new0(FullChunk, 1);
    if (!stream->begun)
        return next;
    CsStreamRecord record = *last_record(old);
    if (append(&next->names, old->names.data + record.name, old->names.used - record.name, error) &&
        append(&next->letters, old->letters.data + record.letters,
               old->letters.used - record.letters, error)) {
        old->records.used -= sizeof record;
        old->names.used = record.name;
        old->letters.used = record.letters;
        record.name = record.letters = 0;
        if (append(&next->records, &record, sizeof record, error))
            return next;
    }
    cs_record_chunk_free(&next->chunk);
    return NULL;
}

static double
fraction_read(const CsRecordStream *stream)
{
    return S_ISREG(stream->before.st_mode) && stream->before.st_size > 0
               ? MIN(1.0, (double)htell(stream->input->fp) / (double)stream->before.st_size)
               : -1;
}

static gint64
complete_letters(const CsRecordStream *stream)
{
    const FullChunk *full = stream->filled;
    return (gint64)(stream->begun ? last_record(full)->letters : full->letters.used);
}

/* The chunk so far becomes the caller's. */
static CsRecordChunk *
take(CsRecordStream *stream, GError **error)
{
    FullChunk *next = split(stream, error);
    if (next == NULL)
        return NULL;
    FullChunk *full = stream->filled;
    stream->filled = next;
    full->chunk = (CsRecordChunk){.first = stream->taken,
                                  .count = (guint)(full->records.used / sizeof(CsStreamRecord)),
                                  .records = (CsStreamRecord *)(void *)full->records.data,
                                  .names = (char *)full->names.data,
                                  .letters = full->letters.data,
                                  .letters_count = full->letters.used,
                                  .fraction = stream->ended ? 1 : fraction_read(stream)};
    stream->taken += full->chunk.count;
    return &full->chunk;
}

CsRecordChunk *
cs_record_stream_next(CsRecordStream *stream, gint64 letters, GError **error)
{
    while (!stream->ended && complete_letters(stream) < letters)
        if (!cs_fasta_text_read(stream->text, &stream->ended, error))
            return NULL;
    if (stream->ended && cs_input_has_changed(stream->path, &stream->before)) {
        cs_input_fail_changed(stream->path, error);
        return NULL;
    }
    return stream->filled->records.used > 0 ? take(stream, error) : NULL;
}
