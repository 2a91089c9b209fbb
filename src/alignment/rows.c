/* Special rows, in memory or in a file. */
#include <pthread.h>
#include <string.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "alignment/rows.h"
#include "checkpoint/bus_codec.h"
#include "checkpoint/found_log.h"

enum {
    LONGEST_PIECE = 1 << 13, /* columns */
};

/* The first number of a record is its kind. The others follow, in the order given here. */
enum {
    RECORD_SCHEDULE, /* m, distance */
    RECORD_SPAN,     /* row, columns before it, columns, highest H */
    RECORD_RESTART,  /* pieces before it that belong to rows below this one do not count */
    RECORD_MARK,     /* and above: a CsRowsMarkKind; the mark's numbers */
};

typedef struct {
    gint64 from, count;
    CsScore highest; /* H */
    guint8 *data;    /* NULL: in the file */
    CsFoundRecord record;
} Piece;

/* What is kept of a piece that a sweep hands out. */
typedef struct {
    gint64 i;
    GError *failure; /* why it cannot be kept, or NULL */
    guint n;
    Piece pieces[];
} Packed;

/* What it takes to pack a piece. */
typedef struct _Packer Packer;
struct _Packer {
    CsBusEncoder *encoder; /* NULL: it is not packed */
    guint8 *block;         /* room for a packed piece */
    CsBus *plain;          /* of LONGEST_PIECE cells */
    Packer *next;
};

/* What it takes to read a packed piece. */
typedef struct _Reader Reader;
struct _Reader {
    CsBusDecoder *decoder;
    guint8 *block; /* room for a packed piece */
    CsBus *plain;  /* of LONGEST_PIECE cells */
    Reader *next;
};

struct _CsRows {
    gint64 *at;
    gsize n;
    CsWidth width;
    GArray **pieces; /* of each row, from left to right */
    gboolean packed;
    gint64 bytes;
    pthread_mutex_t lock; /* protects `at` and n while pieces are packed, and what follows: */
    Packer *packers;      /* those that no thread uses, */
    Reader *readers;      /* likewise */

    /* Of packed rows. */
    gint64 m, distance;
    gint64 most; /* bytes */
    CsNoteFunc note;
    gpointer note_data;
    const CsCheckpoint *checkpoint;
    char *name;
    CsFoundLog *log;    /* NULL: in memory */
    CsFoundRecord mark; /* the last mark; its offset is 0 if there is none */
};

static void
clear_piece(gpointer data)
{
    g_free(((Piece *)data)->data);
}

static GArray *
new_pieces(void)
{
    GArray *pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
    g_array_set_clear_func(pieces, clear_piece);
    return pieces;
}

static void
packer_free(Packer *packer)
{
    g_clear_pointer(&packer->encoder, cs_bus_encoder_free);
    g_clear_pointer(&packer->plain, cs_bus_free);
    g_free(packer->block);
    g_free(packer);
}

static Packer *
packer_new(CsWidth width, gboolean packed, GError **error)
{
    Packer *packer = g_new0(Packer, 1);
    packer->plain = cs_bus_new(LONGEST_PIECE, width, error);
    if (packer->plain != NULL && !packed)
        return packer;
    if (packer->plain != NULL)
        packer->encoder = cs_bus_encoder_new(LONGEST_PIECE, error);
    if (packer->encoder != NULL)
        packer->block = g_try_malloc(cs_bus_codec_bound(LONGEST_PIECE));
    if (packer->block != NULL)
        return packer;
    if (packer->encoder != NULL)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory to pack rows");
    packer_free(packer);
    return NULL;
}

/* A packer for one thread at a time. */
static Packer *
borrow_packer(CsRows *rows, GError **error)
{
    pthread_mutex_lock(&rows->lock);
    Packer *packer = rows->packers;
    if (packer != NULL)
        rows->packers = packer->next;
    pthread_mutex_unlock(&rows->lock);
    return packer != NULL ? packer : packer_new(rows->width, rows->packed, error);
}

static void
return_packer(CsRows *rows, Packer *packer)
{
    pthread_mutex_lock(&rows->lock);
    packer->next = rows->packers;
    rows->packers = packer;
    pthread_mutex_unlock(&rows->lock);
}

static void
reader_free(Reader *reader)
{
    g_clear_pointer(&reader->decoder, cs_bus_decoder_free);
    g_clear_pointer(&reader->plain, cs_bus_free);
    g_free(reader->block);
    g_free(reader);
}

static Reader *
reader_new(CsWidth width, GError **error)
{
    Reader *reader = g_new0(Reader, 1);
    reader->block = g_malloc(cs_bus_codec_bound(LONGEST_PIECE));
    reader->decoder = cs_bus_decoder_new(LONGEST_PIECE, error);
    if (reader->decoder != NULL)
        reader->plain = cs_bus_new(LONGEST_PIECE, width, error);
    if (reader->plain != NULL)
        return reader;
    reader_free(reader);
    return NULL;
}

/* A reader for one thread at a time. */
static Reader *
borrow_reader(CsRows *rows, GError **error)
{
    pthread_mutex_lock(&rows->lock);
    Reader *reader = rows->readers;
    if (reader != NULL)
        rows->readers = reader->next;
    pthread_mutex_unlock(&rows->lock);
    return reader != NULL ? reader : reader_new(rows->width, error);
}

static void
return_reader(CsRows *rows, Reader *reader)
{
    pthread_mutex_lock(&rows->lock);
    reader->next = rows->readers;
    rows->readers = reader;
    pthread_mutex_unlock(&rows->lock);
}

static CsRows *
rows_new(const gint64 *at, gsize n, CsWidth width, gboolean packed, GError **error)
{
    g_autoptr(CsRows) rows = g_new0(CsRows, 1);
    rows->at = g_memdup2(at, n * sizeof *at);
    rows->n = n;
    rows->width = width;
    rows->packed = packed;
    rows->most = G_MAXINT64;
    rows->pieces = g_new(GArray *, n);
    pthread_mutex_init(&rows->lock, NULL);
    for (gsize k = 0; k < n; k++)
        rows->pieces[k] = new_pieces();
    rows->packers = packer_new(width, packed, error);
    return rows->packers != NULL ? g_steal_pointer(&rows) : NULL;
}

CsRows *
cs_rows_new(const gint64 *at, gsize n, CsWidth width, GError **error)
{
    return rows_new(at, n, width, FALSE, error);
}

static gint64 *
schedule(gint64 m, gint64 distance, gsize *n)
{
    *n = m > 0 ? (gsize)((m - 1) / distance) : 0;
    gint64 *at = g_new(gint64, *n);
    for (gsize k = 0; k < *n; k++)
        at[k] = (gint64)(k + 1) * distance;
    return at;
}

CsRows *
cs_rows_new_packed(gint64 m, gint64 distance, CsWidth width, gint64 most_bytes, CsNoteFunc note,
                   gpointer note_data, GError **error)
{
    gsize n;
    g_autofree gint64 *at = schedule(m, distance, &n);
    g_autoptr(CsRows) rows = rows_new(at, n, width, TRUE, error);
    if (rows == NULL)
        return NULL;
    rows->m = m;
    rows->distance = distance;
    rows->most = most_bytes;
    rows->note = note;
    rows->note_data = note_data;
    rows->readers = reader_new(width, error);
    return rows->readers != NULL ? g_steal_pointer(&rows) : NULL;
}

void
cs_rows_free(CsRows *rows)
{
    if (rows == NULL)
        return;
    for (gsize k = 0; k < rows->n; k++)
        g_array_unref(rows->pieces[k]);
    while (rows->packers != NULL) {
        Packer *packer = rows->packers;
        rows->packers = packer->next;
        packer_free(packer);
    }
    while (rows->readers != NULL) {
        Reader *reader = rows->readers;
        rows->readers = reader->next;
        reader_free(reader);
    }
    pthread_mutex_destroy(&rows->lock);
    g_clear_pointer(&rows->log, cs_found_log_free);
    g_free(rows->name);
    g_free(rows->pieces);
    g_free(rows->at);
    g_free(rows);
}

static void
empty_row(CsRows *rows, gsize k)
{
    for (guint s = 0; s < rows->pieces[k]->len; s++)
        rows->bytes -= g_array_index(rows->pieces[k], Piece, s).record.size;
    g_array_set_size(rows->pieces[k], 0);
}

void
cs_rows_drop(CsRows *rows, gsize k)
{
    empty_row(rows, k);
    g_array_unref(rows->pieces[k]);
    pthread_mutex_lock(&rows->lock);
    rows->n--;
    memmove(rows->at + k, rows->at + k + 1, (rows->n - k) * sizeof *rows->at);
    pthread_mutex_unlock(&rows->lock);
    memmove(rows->pieces + k, rows->pieces + k + 1, (rows->n - k) * sizeof(GArray *));
}

/* Rows are no longer kept. */
static void
give_up(CsRows *rows, GError *failure)
{
    if (rows->note != NULL) {
        g_autofree char *message = g_strdup_printf(
            "no rows are kept for the alignment, so it will take longer: %s", failure->message);
        rows->note(CS_NOTE_WARNING, message, rows->note_data);
    }
    g_error_free(failure);
    while (rows->n > 0)
        cs_rows_drop(rows, rows->n - 1);
    g_clear_pointer(&rows->log, cs_found_log_free);
}

static gboolean
write_schedule(CsFoundLog *log, const CsRows *rows, GError **error)
{
    CsFoundRecord record = {.numbers = {RECORD_SCHEDULE, rows->m, rows->distance}};
    return cs_found_log_append(log, &record, NULL, error);
}

gboolean
cs_rows_use_file(CsRows *rows, const CsCheckpoint *checkpoint, const char *name, GError **error)
{
    rows->checkpoint = checkpoint;
    rows->name = g_strdup(name);
    rows->log = cs_found_log_new(checkpoint, name, error);
    if (rows->log != NULL && write_schedule(rows->log, rows, error) &&
        cs_found_log_settle(rows->log, error))
        return TRUE;
    g_clear_pointer(&rows->log, cs_found_log_free);
    return FALSE;
}

/* Copies pieces to the end of another file. */
static gboolean
copy_pieces(CsRows *rows, const GPtrArray *pieces, CsFoundLog *to, GError **error)
{
    g_autofree guint8 *block = g_malloc(cs_bus_codec_bound(LONGEST_PIECE));
    for (guint s = 0; s < pieces->len; s++) {
        Piece *piece = g_ptr_array_index(pieces, s);
        if (!cs_found_log_read(rows->log, &piece->record, block, error) ||
            !cs_found_log_append(to, &piece->record, block, error))
            return FALSE;
    }
    return TRUE;
}

/* Writes the rows that are left to a new file: pieces from before the last mark, the mark, and the
 * rest. */
static gboolean
rewrite(CsRows *rows, GError **error)
{
    g_autoptr(CsFoundLog) log = cs_found_log_new(rows->checkpoint, rows->name, error);
    g_autoptr(GPtrArray) before = g_ptr_array_new(), after = g_ptr_array_new();
    const gboolean marked = rows->mark.offset > 0;
    for (gsize k = 0; k < rows->n; k++)
        for (guint s = 0; s < rows->pieces[k]->len; s++) {
            Piece *piece = &g_array_index(rows->pieces[k], Piece, s);
            g_ptr_array_add(piece->record.offset < rows->mark.offset ? before : after, piece);
        }
    if (log == NULL || !write_schedule(log, rows, error) ||
        !copy_pieces(rows, before, log, error) ||
        (marked && !cs_found_log_append(log, &rows->mark, NULL, error)) ||
        !copy_pieces(rows, after, log, error) || !cs_found_log_settle(log, error))
        return FALSE;
    cs_found_log_free(rows->log);
    rows->log = g_steal_pointer(&log);
    return TRUE;
}

/* Drops every other row, also of those still to come. */
static gboolean
thin_out(CsRows *rows, GError **error)
{
    gsize n = 0;
    pthread_mutex_lock(&rows->lock);
    for (gsize k = 0; k < rows->n; k++) {
        if (rows->at[k] % (2 * rows->distance) == 0) {
            rows->at[n] = rows->at[k];
            rows->pieces[n++] = rows->pieces[k];
            continue;
        }
        empty_row(rows, k);
        g_array_unref(rows->pieces[k]);
    }
    rows->n = n;
    pthread_mutex_unlock(&rows->lock);
    rows->distance *= 2;
    return rows->log == NULL || rewrite(rows, error);
}

static gboolean
append(CsRows *rows, CsFoundRecord *record, const void *bytes)
{
    GError *failure = NULL;
    if (cs_found_log_append(rows->log, record, bytes, &failure))
        return TRUE;
    give_up(rows, failure);
    return FALSE;
}

void
cs_rows_mark(CsRows *rows, const CsRowsMark *mark)
{
    CsFoundRecord record = {.numbers = {RECORD_MARK + (gint64)mark->kind, mark->numbers[0],
                                        mark->numbers[1], mark->numbers[2]}};
    if (rows->log != NULL && append(rows, &record, NULL))
        rows->mark = record;
}

void
cs_rows_restart(CsRows *rows, gint64 i)
{
    CsFoundRecord record = {.numbers = {RECORD_RESTART, i}};
    for (gsize k = rows->n; k-- > 0 && rows->at[k] > i;)
        empty_row(rows, k);
    if (rows->log != NULL)
        (void)append(rows, &record, NULL);
}

/* The index of row i; n if it was dropped. */
static gsize
find_row(const CsRows *rows, gint64 i)
{
    gsize low = 0, high = rows->n;
    while (low < high) {
        const gsize middle = low + (high - low) / 2;
        if (rows->at[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows->n && rows->at[low] == i ? low : rows->n;
}

static gboolean
is_kept(CsRows *rows, gint64 i)
{
    pthread_mutex_lock(&rows->lock);
    const gboolean kept = find_row(rows, i) < rows->n;
    pthread_mutex_unlock(&rows->lock);
    return kept;
}

/* The bytes of the first piece->count cells of packer->plain. */
static gboolean
pack_piece(Packer *packer, Piece *piece, GError **error)
{
    const CsBus bus = cs_bus_slice(packer->plain, 0, piece->count);
    const gsize half = (gsize)piece->count * bus.width;
    gsize size = 2 * half;
    if (packer->encoder != NULL &&
        !cs_bus_encoder_run(packer->encoder, &bus, packer->block, &size, error))
        return FALSE;
    piece->record.size = (gint64)size;
    piece->data = g_try_malloc(size);
    if (piece->data == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for %" G_GINT64_FORMAT " cells of a row", piece->count);
        return FALSE;
    }
    if (packer->encoder != NULL) {
        memcpy(piece->data, packer->block, size);
        piece->record.checksum = XXH3_64bits(piece->data, size);
    } else {
        memcpy(piece->data, bus.h, half);
        memcpy(piece->data + half, bus.gap, half);
    }
    return TRUE;
}

/* Packs the cells after the first `from` columns, as pieces. */
static gboolean
pack_pieces(Packer *packer, Packed *packed, gint64 from, gint64 count, const CsScore *h,
            const CsScore *f, GError **error)
{
    const CsBus *plain = packer->plain;
    for (gint64 first = 0; first < count;) {
        Piece *piece = &packed->pieces[packed->n++];
        *piece = (Piece){.from = from + first, .count = MIN(LONGEST_PIECE, count - first)};
        for (gint64 c = 0; c < piece->count; c++) {
            piece->highest = MAX(piece->highest, h[first + c]);
            cs_width_set(plain->width, plain->h, c, h[first + c]);
            cs_width_set(plain->width, plain->gap, c, f[first + c]);
        }
        if (!pack_piece(packer, piece, error))
            return FALSE;
        first += piece->count;
    }
    return TRUE;
}

/* A CsRowWork's pack(): what is to be kept of a piece, or NULL. */
static gpointer
pack(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gpointer user_data)
{
    CsRows *rows = user_data;
    gint64 first = 0, last = count;
    if (!is_kept(rows, i))
        return NULL;
    for (; first < last && h[first] == 0; first++)
        ;
    for (; last > first && h[last - 1] == 0; last--)
        ;
    if (first == last)
        return NULL;
    const gsize most = (gsize)((last - first - 1) / LONGEST_PIECE + 1);
    Packed *packed = g_malloc(sizeof *packed + most * sizeof *packed->pieces);
    *packed = (Packed){.i = i};
    Packer *packer = borrow_packer(rows, &packed->failure);
    if (packer == NULL)
        return packed;
    (void)pack_pieces(packer, packed, from + first, last - first, h + first, f + first,
                      &packed->failure);
    return_packer(rows, packer);
    return packed;
}

static void
packed_free(gpointer data)
{
    Packed *packed = data;
    for (guint k = 0; k < packed->n; k++)
        g_free(packed->pieces[k].data);
    g_clear_error(&packed->failure);
    g_free(packed);
}

/* Keeps a piece of row k; its bytes go to the file, if there is one. */
static gboolean
keep_piece(CsRows *rows, gsize k, Piece *piece, GError **error)
{
    if (rows->log != NULL) {
        const gint64 numbers[] = {RECORD_SPAN, rows->at[k], piece->from, piece->count,
                                  piece->highest};
        memcpy(piece->record.numbers, numbers, sizeof numbers);
        if (!cs_found_log_append(rows->log, &piece->record, piece->data, error))
            return FALSE;
        g_clear_pointer(&piece->data, g_free);
    }
    g_array_append_val(rows->pieces[k], *piece);
    rows->bytes += piece->record.size;
    piece->data = NULL;
    return TRUE;
}

static gboolean
keep_pieces(CsRows *rows, gsize k, Packed *packed, GError **error)
{
    if (packed->failure != NULL) {
        g_propagate_error(error, g_steal_pointer(&packed->failure));
        return FALSE;
    }
    for (guint s = 0; s < packed->n; s++)
        if (!keep_piece(rows, k, &packed->pieces[s], error))
            return FALSE;
    return TRUE;
}

static gboolean
keep(gpointer data, gpointer user_data, GError **error)
{
    CsRows *rows = user_data;
    Packed *packed = data;
    const gsize k = find_row(rows, packed->i);
    GError *failure = NULL;
    if (k == rows->n)
        return TRUE;
    gboolean kept = keep_pieces(rows, k, packed, &failure);
    while (kept && rows->n > 0 && rows->bytes > rows->most)
        kept = thin_out(rows, &failure);
    if (kept)
        return TRUE;
    if (!rows->packed) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    give_up(rows, failure);
    return TRUE;
}

gboolean
cs_rows_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
             gboolean bounds, gpointer user_data, GError **error)
{
    gpointer packed = pack(i, from, count, h, f, user_data);
    if (packed == NULL)
        return TRUE;
    const gboolean kept = keep(packed, user_data, error);
    packed_free(packed);
    return kept;
}

CsRowWork
cs_rows_work(CsRows *rows)
{
    return (CsRowWork){.pack = pack, .keep = keep, .free = packed_free, .user_data = rows};
}

/* Rows that are read from a file. */
typedef struct {
    CsRows *rows;
    const CsRowsMark *wanted;
    CsFoundRecord
        mark; /* the latest one of the kind that is wanted; its offset is 0 if there is none */
    gint64 m, distance; /* of the schedule */
    gboolean wrong;
} Loading;

/* A CsFoundRecordFunc: finds the mark. */
static gboolean
find_mark(const CsFoundRecord *record, gpointer user_data)
{
    Loading *loading = user_data;
    const CsRowsMark *wanted = loading->wanted;
    const gint64 *numbers = record->numbers;
    if (numbers[0] == RECORD_SCHEDULE) {
        loading->m = numbers[1];
        loading->distance = numbers[2];
    }
    if (numbers[0] == RECORD_MARK + (gint64)wanted->kind &&
        (wanted->kind == CS_ROWS_MARK_ROW ||
         memcmp(numbers + 1, wanted->numbers, sizeof wanted->numbers) == 0))
        loading->mark = *record;
    return TRUE;
}

/* A CsFoundRecordFunc: takes the pieces before the mark. */
static gboolean
load_piece(const CsFoundRecord *record, gpointer user_data)
{
    Loading *loading = user_data;
    CsRows *rows = loading->rows;
    const gint64 *numbers = record->numbers;
    if (record->offset >= loading->mark.offset)
        return FALSE;
    if (numbers[0] == RECORD_RESTART)
        for (gsize k = rows->n; k-- > 0 && rows->at[k] > numbers[1];)
            empty_row(rows, k);
    if (numbers[0] != RECORD_SPAN)
        return TRUE;
    const Piece piece = {
        .from = numbers[2], .count = numbers[3], .highest = numbers[4], .record = *record};
    const gsize k = find_row(rows, numbers[1]);
    if (k == rows->n)
        return TRUE;
    const GArray *pieces = rows->pieces[k];
    const Piece *before = pieces->len > 0 ? &g_array_index(pieces, Piece, pieces->len - 1) : NULL;
    if (piece.count < 1 || piece.count > LONGEST_PIECE || record->size < 0 ||
        (gsize)record->size > cs_bus_codec_bound(LONGEST_PIECE) ||
        piece.from < (before != NULL ? before->from + before->count : 0)) {
        loading->wrong = TRUE;
        return FALSE;
    }
    g_array_append_val(rows->pieces[k], piece);
    rows->bytes += record->size;
    return TRUE;
}

CsRows *
cs_rows_load(const CsCheckpoint *checkpoint, const char *name, gint64 m, CsWidth width,
             CsRowsMark *mark, gint64 most_bytes, CsNoteFunc note, gpointer note_data)
{
    g_autoptr(CsFoundLog) log = cs_found_log_open(checkpoint, name);
    Loading loading = {.wanted = mark};
    if (log == NULL)
        return NULL;
    cs_found_log_list(log, find_mark, &loading);
    if (loading.mark.offset == 0 || loading.m != m || loading.distance < 1)
        return NULL;
    g_autoptr(CsRows) rows =
        cs_rows_new_packed(m, loading.distance, width, most_bytes, note, note_data, NULL);
    loading.rows = rows;
    if (rows == NULL)
        return NULL;
    cs_found_log_list(log, load_piece, &loading);
    if (loading.wrong)
        return NULL;
    memcpy(mark->numbers, loading.mark.numbers + 1, sizeof mark->numbers);
    rows->checkpoint = checkpoint;
    rows->name = g_strdup(name);
    rows->mark = loading.mark;
    (void)cs_found_log_cut(log, &loading.mark, NULL); /* it may only be readable */
    rows->log = g_steal_pointer(&log);
    return g_steal_pointer(&rows);
}

gsize
cs_rows_count(const CsRows *rows)
{
    return rows->n;
}

gint64
cs_rows_at(const CsRows *rows, gsize k)
{
    return rows->at[k];
}

gint64 *
cs_rows_list(const CsRows *rows)
{
    return g_memdup2(rows->at, rows->n * sizeof *rows->at);
}

CsWidth
cs_rows_width(const CsRows *rows)
{
    return rows->width;
}

gint64
cs_rows_bytes(const CsRows *rows)
{
    return rows->bytes;
}

/* The first piece of row k that ends after the first `from` columns, or the number of pieces. */
static guint
find_piece(const CsRows *rows, gsize k, gint64 from)
{
    const GArray *pieces = rows->pieces[k];
    guint low = 0, high = pieces->len;
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        const Piece *piece = &g_array_index(pieces, Piece, middle);
        if (piece->from + piece->count <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

gboolean
cs_rows_next(const CsRows *rows, gsize k, gint64 from, CsRowsPiece *next)
{
    const guint s = find_piece(rows, k, from);
    if (s == rows->pieces[k]->len)
        return FALSE;
    const Piece *piece = &g_array_index(rows->pieces[k], Piece, s);
    const gint64 begin = MAX(from, piece->from);
    *next = (CsRowsPiece){begin + 1, piece->from + piece->count - begin, piece->highest};
    return TRUE;
}

/* The bytes of a packed piece, from memory, or read into `block`. NULL if they are damaged. */
static const guint8 *
fetch(const CsRows *rows, const Piece *piece, guint8 *block, GError **error)
{
    if (piece->data == NULL)
        return cs_found_log_read(rows->log, &piece->record, block, error) ? block : NULL;
    if (XXH3_64bits(piece->data, (gsize)piece->record.size) == piece->record.checksum)
        return piece->data;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_CONTENT, "wrong checksum");
    return NULL;
}

/* The cells of a piece; those of a packed one are unpacked to reader->plain. */
static gboolean
unpack(const CsRows *rows, const Piece *piece, Reader *reader, CsBus *bus, GError **error)
{
    const gsize size = (gsize)piece->record.size;
    if (reader == NULL) {
        *bus = (CsBus){piece->count, rows->width, piece->data, piece->data + size / 2};
        return TRUE;
    }
    const guint8 *data = fetch(rows, piece, reader->block, error);
    if (data == NULL)
        return FALSE;
    *bus = cs_bus_slice(reader->plain, 0, piece->count);
    return cs_bus_decoder_run(reader->decoder, data, size, CS_SCORE_NONE,
                              rows->width == CS_WIDTH_32 ? CS_SCORE_32_LIMIT - 1 : G_MAXINT64, bus,
                              error);
}

static gboolean
read_pieces(const CsRows *rows, gsize k, gint64 from, Reader *reader, CsBus *bus, GError **error)
{
    const gint64 to = from + bus->length;
    cs_bus_clear(bus, 0, bus->length);
    for (guint s = find_piece(rows, k, from); s < rows->pieces[k]->len; s++) {
        const Piece *piece = &g_array_index(rows->pieces[k], Piece, s);
        if (piece->from >= to)
            break;
        CsBus plain;
        if (!unpack(rows, piece, reader, &plain, error))
            return FALSE;
        const gint64 begin = MAX(from, piece->from), end = MIN(to, piece->from + piece->count);
        cs_bus_copy(bus, begin - from, &plain, begin - piece->from, end - begin);
    }
    return TRUE;
}

gboolean
cs_rows_read(CsRows *rows, gsize k, gint64 from, CsBus *bus, GError **error)
{
    if (!rows->packed)
        return read_pieces(rows, k, from, NULL, bus, error);
    Reader *reader = borrow_reader(rows, error);
    if (reader == NULL)
        return FALSE;
    const gboolean read = read_pieces(rows, k, from, reader, bus, error);
    return_reader(rows, reader);
    return read;
}
