/* Tiles in a file of records: see masked_keep.h, docs/formats.md. */
#include <string.h>

#include <chromosweep/error.h>

#include "alignment/masked_keep.h"
#include "checkpoint/bus_codec.h"
#include "checkpoint/found.h"

enum {
    LAYOUT = 1,
    OF_ALL = -1, /* in the place of a tile's number: the first record */
    AREAS = 16,  /* more than there are */
};

/* Bytes of a file that is not written anew. */
#define SMALL (G_GINT64_CONSTANT(1) << 20)

/* What precedes the blocks of a record: a digest, and the size of the first block. */
typedef struct {
    guint64 digest[2];
    guint64 size;
} Start;

struct _CsMaskedKeep {
    const CsCheckpoint *checkpoint;
    char *name;
    CsMaskedKind kind;
    CsFoundLog *log;
    GHashTable *records; /* of CsFoundRecord, by number of tile: the latest; size 0: damaged */
    CsFoundRecord last;  /* of the file */
    gint64 tiles, live;  /* all that there may be; bytes of records that count */
    gint64 damaged;
    CsBusEncoder *encoder;
    CsBusDecoder *decoder;
    gsize room;
    guint8 *bytes; /* for one record, of at most so many */
};

void
cs_masked_keep_free(CsMaskedKeep *keep)
{
    if (keep == NULL)
        return;
    cs_found_log_free(keep->log);
    cs_bus_encoder_free(keep->encoder);
    cs_bus_decoder_free(keep->decoder);
    g_clear_pointer(&keep->records, g_hash_table_unref);
    g_free(keep->bytes);
    g_free(keep->name);
    g_free(keep);
}

/* The numbers of the first record. */
static void
fill_numbers(const CsMaskedKind *kind, gint64 *numbers)
{
    numbers[0] = OF_ALL;
    numbers[1] = kind->side;
    numbers[2] = ((gint64)kind->width * AREAS) + (gint64)kind->area;
    numbers[3] = kind->least;
    numbers[4] = LAYOUT;
}

/* A CsFoundRecordFunc. */
static gboolean
take_first(const CsFoundRecord *record, gpointer user_data)
{
    memcpy(user_data, record->numbers, sizeof record->numbers);
    return FALSE;
}

/* The same as in cs_masked_keep_find(). */
static gboolean
read_kind(CsFoundLog *log, CsMaskedKind *kind)
{
    gint64 there[CS_FOUND_NUMBERS] = {0}, wanted[CS_FOUND_NUMBERS];
    fill_numbers(kind, wanted);
    cs_found_log_list(log, take_first, there);
    if (there[0] != wanted[0] || there[1] <= 0 || there[2] != wanted[2] || there[3] <= 0 ||
        there[3] > wanted[3] || there[4] != wanted[4])
        return FALSE;
    kind->side = there[1];
    kind->least = there[3];
    return TRUE;
}

gboolean
cs_masked_keep_find(const CsCheckpoint *checkpoint, const char *name, CsMaskedKind *kind)
{
    g_autoptr(CsFoundLog) log = cs_found_log_open(checkpoint, name);
    return log != NULL && read_kind(log, kind);
}

static gint64
tiles_along(gint64 length, gint64 side)
{
    return (length + side - 1) / side;
}

/* A record becomes the latest of its tile. */
static void
put_record(CsMaskedKeep *keep, const CsFoundRecord *record)
{
    CsFoundRecord *there = g_hash_table_lookup(keep->records, &record->numbers[0]);
    if (there == NULL) {
        there = g_new0(CsFoundRecord, 1);
        there->numbers[0] = record->numbers[0];
        g_hash_table_insert(keep->records, &there->numbers[0], there);
    }
    keep->live += record->size - there->size;
    *there = *record;
}

/* A CsFoundRecordFunc. */
static gboolean
take_record(const CsFoundRecord *record, gpointer user_data)
{
    CsMaskedKeep *keep = user_data;
    const gint64 tile = record->numbers[0];
    keep->last = *record;
    if (tile == OF_ALL)
        return TRUE;
    if (tile < 0 || tile >= keep->tiles || record->size < (gint64)sizeof(Start) ||
        record->size > (gint64)keep->room)
        return FALSE;
    put_record(keep, record);
    return TRUE;
}

/* An empty file, which is not there until it is settled. */
static CsFoundLog *
begin(const CsMaskedKeep *keep, GError **error)
{
    CsFoundRecord first = {0};
    g_autoptr(CsFoundLog) log = cs_found_log_new(keep->checkpoint, keep->name, error);
    fill_numbers(&keep->kind, first.numbers);
    return log != NULL && cs_found_log_append(log, &first, "", error) ? g_steal_pointer(&log)
                                                                      : NULL;
}

/* Reads which tiles are there. What follows the last good record is cut off. */
static gboolean
look(CsMaskedKeep *keep, GError **error)
{
    keep->log = cs_found_log_open(keep->checkpoint, keep->name);
    CsMaskedKind there = keep->kind;
    if (keep->log == NULL || !read_kind(keep->log, &there) || there.side != keep->kind.side ||
        there.least != keep->kind.least) {
        g_clear_pointer(&keep->log, cs_found_log_free);
        keep->log = begin(keep, error);
        return keep->log != NULL && cs_found_log_settle(keep->log, error);
    }
    cs_found_log_list(keep->log, take_record, keep);
    const gint64 end = keep->last.offset + keep->last.size;
    keep->damaged += end != cs_found_log_bytes(keep->log);
    return cs_found_log_cut(keep->log, &keep->last, error);
}

static gboolean
fail_memory(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
    return FALSE;
}

CsMaskedKeep *
cs_masked_keep_new(const CsCheckpoint *checkpoint, const char *name, const CsMaskedKind *kind,
                   GError **error)
{
    g_autoptr(CsMaskedKeep) keep = g_new0(CsMaskedKeep, 1);
    const gint64 cells = MIN(kind->side, MAX(kind->m, kind->n));
    keep->checkpoint = checkpoint;
    keep->name = g_strdup(name);
    keep->kind = *kind;
    keep->tiles = tiles_along(kind->m, kind->side) * tiles_along(kind->n, kind->side);
    keep->records = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    keep->room = sizeof(Start) + 2 * cs_bus_codec_bound(cells);
    keep->bytes = g_try_malloc(keep->room);
    if (keep->bytes == NULL && !fail_memory(error))
        return NULL;
    keep->encoder = cs_bus_encoder_new(cells, error);
    keep->decoder = keep->encoder != NULL ? cs_bus_decoder_new(cells, error) : NULL;
    return keep->decoder != NULL && look(keep, error) ? g_steal_pointer(&keep) : NULL;
}

/* A record turned out to be damaged. */
static void
drop(CsMaskedKeep *keep, CsFoundRecord *record)
{
    keep->damaged++;
    keep->live -= record->size;
    record->size = 0;
}

/* Decodes both blocks of a record. */
static gboolean
decode(const CsMaskedKeep *keep, gint64 size, const Start *start, CsBus *row, CsBus *column)
{
    const guint64 first = GUINT64_FROM_LE(start->size);
    const gsize blocks = (gsize)size - sizeof *start;
    const guint8 *block = keep->bytes + sizeof *start;
    return first <= blocks &&
           cs_bus_decoder_run(keep->decoder, block, first, 0, keep->kind.highest, row, NULL) &&
           cs_bus_decoder_run(keep->decoder, block + first, blocks - first, 0, keep->kind.highest,
                              column, NULL);
}

gboolean
cs_masked_keep_load(CsMaskedKeep *keep, gint64 tile, CsMaskedKept *kept, CsBus *row, CsBus *column)
{
    CsFoundRecord *record = g_hash_table_lookup(keep->records, &tile);
    Start start;
    if (record == NULL || record->size == 0)
        return FALSE;
    const gint64 *numbers = record->numbers;
    gboolean good = cs_found_log_read(keep->log, record, keep->bytes, NULL);
    if (good) {
        memcpy(&start, keep->bytes, sizeof start);
        good = decode(keep, record->size, &start, row, column) && numbers[2] >= 0 &&
               numbers[2] <= keep->kind.highest;
    }
    if (!good) {
        drop(keep, record);
        return FALSE;
    }
    *kept = (CsMaskedKept){
        .pairs = numbers[1],
        .best = {numbers[2], numbers[3], numbers[4]},
        .entered = {{GUINT64_FROM_LE(start.digest[0]), GUINT64_FROM_LE(start.digest[1])}},
    };
    return TRUE;
}

gboolean
cs_masked_keep_save(CsMaskedKeep *keep, gint64 tile, const CsMaskedKept *kept, const CsBus *row,
                    const CsBus *column, GError **error)
{
    Start start = {
        .digest = {GUINT64_TO_LE(kept->entered.words[0]), GUINT64_TO_LE(kept->entered.words[1])}};
    guint8 *block = keep->bytes + sizeof start;
    gsize first = 0, second = 0;
    if (!cs_bus_encoder_run(keep->encoder, row, block, &first, error) ||
        !cs_bus_encoder_run(keep->encoder, column, block + first, &second, error))
        return FALSE;
    start.size = GUINT64_TO_LE((guint64)first);
    memcpy(keep->bytes, &start, sizeof start);
    CsFoundRecord record = {
        .numbers = {tile, kept->pairs, kept->best.score, kept->best.i, kept->best.j},
        .size = (gint64)(sizeof start + first + second)};
    if (!cs_found_log_append(keep->log, &record, keep->bytes, error))
        return FALSE;
    put_record(keep, &record);
    return TRUE;
}

/* Copies the records that count to another file. They lie elsewhere there: *moved says where. */
static gboolean
copy_records(CsMaskedKeep *keep, CsFoundLog *log, GArray *moved, GError **error)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, keep->records);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        CsFoundRecord *old = value;
        if (old->size > 0 && !cs_found_log_read(keep->log, old, keep->bytes, NULL))
            drop(keep, old);
        CsFoundRecord record = *old;
        if (old->size > 0 && !cs_found_log_append(log, &record, keep->bytes, error))
            return FALSE;
        g_array_append_val(moved, record);
    }
    return TRUE;
}

gboolean
cs_masked_keep_tidy(CsMaskedKeep *keep, GError **error)
{
    if (cs_found_log_bytes(keep->log) <= SMALL + 2 * keep->live)
        return TRUE;
    g_autoptr(GArray) moved = g_array_new(FALSE, FALSE, sizeof(CsFoundRecord));
    g_autoptr(CsFoundLog) log = begin(keep, error);
    if (log == NULL || !copy_records(keep, log, moved, error) || !cs_found_log_settle(log, error))
        return FALSE;
    cs_found_log_free(keep->log);
    keep->log = g_steal_pointer(&log);
    for (guint k = 0; k < moved->len; k++)
        put_record(keep, &g_array_index(moved, CsFoundRecord, k));
    return TRUE;
}

void
cs_masked_keep_list(const CsMaskedKeep *keep, GArray *numbers)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, keep->records);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        if (((CsFoundRecord *)value)->size > 0)
            g_array_append_val(numbers, ((CsFoundRecord *)value)->numbers[0]);
}

gint64
cs_masked_keep_damaged(const CsMaskedKeep *keep)
{
    return keep->damaged;
}
