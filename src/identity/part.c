/* Parts of tiles: see part.h, docs/formats.md. */
#include <string.h>

#include "identity/part.h"
#include "system/memory.h"
#include "system/stop.h"

enum {
    TOGETHER = 128,    /* short records at least, which fill the lanes */
    SAVING_SHARE = 10, /* a save takes at most this part of the time */
    /* Numbers at the beginning, and of each pair. */
    HEAD_NUMBERS = 8,
    PAIR_NUMBERS = 6,
};

/* Which pair it is, and of which sweep of it. */
typedef struct {
    gint64 row, place, scores_only; /* place: of the record's letters */
} Key;

typedef struct {
    Key key;
    CsGlobalFound found;
} Pair;

G_STATIC_ASSERT(sizeof(Pair) == PAIR_NUMBERS * sizeof(gint64));

struct _CsPart {
    const CsPartKeeper *keeper;
    gint64 tile;
    GArray *pairs;           /* in the order in which they are found */
    guint next;              /* the first of them that has not been found again */
    gint64 done;             /* cells of all before it */
    gint64 *under_way, told; /* of CsGlobalQuery, and what was added there */
    /* The sweep of the pair behind them. */
    Key key;
    gint64 rows, columns; /* rows: 0 if there is none */
    const gint64 *u, *s;
    gint64 *kept;          /* (nullable): u and s as they were read */
    gint64 earlier, begun; /* microseconds of earlier runs; when this one began */
    gint64 save_at;
    gboolean unsaved;
};

static gint64
swapped(gint64 value)
{
    return GINT64_TO_LE(value);
}

static void
copy(gint64 *to, const gint64 *from, gint64 count)
{
    for (gint64 k = 0; k < count; k++)
        to[k] = swapped(from[k]);
}

/* The bytes, for g_free(). NULL: not enough memory. */
static guint8 *
pack(const CsPart *part, gsize *size)
{
    const gint64 columns = part->rows > 0 ? part->columns : 0;
    const gint64 head[HEAD_NUMBERS] = {
        part->tile,      cs_part_microseconds(part), part->next, part->rows, columns, part->key.row,
        part->key.place, part->key.scores_only};
    const gint64 pairs = PAIR_NUMBERS * (gint64)part->next;
    const gint64 count = HEAD_NUMBERS + pairs + 2 * columns;
    gint64 *numbers = cs_memory_try_new(gint64, count);
    if (numbers == NULL)
        return NULL;
    copy(numbers, head, HEAD_NUMBERS);
    copy(numbers + HEAD_NUMBERS, (const gint64 *)(const void *)part->pairs->data, pairs);
    copy(numbers + HEAD_NUMBERS + pairs, part->u, columns);
    copy(numbers + HEAD_NUMBERS + pairs + columns, part->s, columns);
    *size = (gsize)count * sizeof *numbers;
    return (guint8 *)numbers;
}

/* Takes the numbers of a part unless they are none. */
static void
unpack(CsPart *part, const guint8 *bytes, gsize size)
{
    const gint64 *numbers = (const gint64 *)(const void *)bytes;
    const gint64 all = (gint64)(size / sizeof *numbers);
    gint64 head[HEAD_NUMBERS];
    if (size % sizeof *numbers != 0 || all < HEAD_NUMBERS)
        return;
    copy(head, numbers, HEAD_NUMBERS);
    const gint64 count = head[2], rows = head[3], columns = head[4];
    if (head[0] != part->tile || head[1] < 0 || rows < 0 || rows % CS_GLOBAL_SWEEP_ROWS != 0 ||
        columns < 0 || (columns > 0) != (rows > 0) || count < 0 || count > all || columns > all ||
        all != HEAD_NUMBERS + PAIR_NUMBERS * count + 2 * columns)
        return;
    part->kept = cs_memory_try_new(gint64, MAX(2 * columns, 1));
    if (part->kept == NULL)
        return;
    copy(part->kept, numbers + all - 2 * columns, 2 * columns);
    part->u = part->kept;
    part->s = part->kept + columns;
    part->rows = rows;
    part->columns = columns;
    part->key = (Key){head[5], head[6], head[7]};
    part->earlier = head[1];
    g_array_set_size(part->pairs, (guint)count);
    copy((gint64 *)(void *)part->pairs->data, numbers + HEAD_NUMBERS, PAIR_NUMBERS * count);
}

CsPart *
cs_part_new(const CsPartKeeper *keeper, gint64 tile)
{
    CsPart *part = g_new0(CsPart, 1);
    gsize size;
    part->keeper = keeper;
    part->tile = tile;
    part->begun = g_get_monotonic_time();
    part->save_at = part->begun + keeper->interval;
    part->pairs = g_array_new(FALSE, FALSE, sizeof(Pair));
    g_autofree guint8 *bytes = keeper->load(tile, &size, keeper->data);
    if (bytes != NULL)
        unpack(part, bytes, size);
    return part;
}

void
cs_part_free(CsPart *part)
{
    if (part->told > 0)
        __atomic_sub_fetch(part->under_way, part->told, __ATOMIC_RELAXED);
    g_array_unref(part->pairs);
    g_free(part->kept);
    g_free(part);
}

static void
tell_resumed(const CsPart *part, gint64 cells)
{
    if (part->keeper->resumed != NULL)
        __atomic_add_fetch(part->keeper->resumed, cells, __ATOMIC_RELAXED);
}

/* Pairs count as under way until the tile is done. */
static void
tell_pairs(CsPart *part, gint64 *under_way, gint64 cells)
{
    part->done += cells;
    if (under_way == NULL)
        return;
    part->under_way = under_way;
    part->told += cells;
    __atomic_add_fetch(under_way, cells, __ATOMIC_RELAXED);
}

gint64
cs_part_microseconds(const CsPart *part)
{
    return part->earlier + g_get_monotonic_time() - part->begun;
}

void
cs_part_save(CsPart *part)
{
    gsize size;
    if (!part->unsaved)
        return;
    const gint64 begun = g_get_monotonic_time();
    guint8 *bytes = pack(part, &size);
    if (bytes != NULL)
        part->keeper->save(part->tile, part->done + part->rows * part->columns, bytes, size,
                           part->keeper->data);
    const gint64 now = g_get_monotonic_time(), interval = part->keeper->interval;
    part->save_at = now + (interval > 0 ? MAX(interval, SAVING_SHARE * (now - begun)) : 0);
    part->unsaved = FALSE;
}

static void
end_sweep(CsPart *part)
{
    g_clear_pointer(&part->kept, g_free);
    part->u = part->s = NULL;
    part->rows = part->columns = 0;
}

static Key
key_of(const CsGlobalQuery *query, gint64 row, const guint8 *letters, const CsLaneRecord *record)
{
    return (Key){row, record->letters - letters, query->scores_only};
}

static gboolean
is_same(const Key *one, const Key *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

/* Where the records end that are computed together. */
static gint64
find_end(const CsPart *part, const CsGlobalQuery *query, const CsLaneRecord *records, gint64 begin,
         gint64 count)
{
    gint64 cells = 0, end = begin;
    while (end < count && (cells < part->keeper->cells || end - begin < TOGETHER)) {
        const gint64 more = query->rows * records[end].length;
        if (more >= part->keeper->cells && end > begin)
            break;
        cells += more;
        end++;
        if (more >= part->keeper->cells)
            break;
    }
    return end;
}

/* Some records of a row, which are computed together. */
typedef struct {
    CsPart *part;
    const CsGlobalQuery *query;
    const CsLaneRecord *records;
    const Key *keys;
    gint64 count;
    CsGlobalFound *found;
} Batch;

static gboolean
take_known(Batch *batch)
{
    CsPart *part = batch->part;
    const Pair *known = &g_array_index(part->pairs, Pair, part->next);
    gint64 k = 0;
    while (k < batch->count && k < (gint64)part->pairs->len - part->next &&
           is_same(&known[k].key, &batch->keys[k]))
        k++;
    if (k < batch->count)
        return FALSE;
    for (k = 0; k < batch->count; k++)
        batch->found[k] = known[k].found;
    return TRUE;
}

typedef struct {
    CsPart *part;
    CsGlobalSweep sweep;
    const Key *key;
    gint64 columns;
} Sweeping;

/* A function of CsGlobalSweep. */
static void
save_sweep(gpointer data)
{
    Sweeping *sweeping = data;
    CsPart *part = sweeping->part;
    end_sweep(part);
    part->key = *sweeping->key;
    part->rows = sweeping->sweep.rows;
    part->columns = sweeping->columns;
    part->u = sweeping->sweep.u;
    part->s = sweeping->sweep.s;
    part->unsaved = TRUE;
    cs_part_save(part);
    end_sweep(part);
    sweeping->sweep.save_at = part->save_at;
}

static gboolean
compute(Batch *batch)
{
    CsPart *part = batch->part;
    CsGlobalQuery query = *batch->query;
    Sweeping sweeping = {.part = part, .key = batch->keys, .columns = batch->records->length};
    g_array_set_size(part->pairs, part->next); /* what was behind is of no use */
    if (batch->count == 1) {
        sweeping.sweep =
            (CsGlobalSweep){.save_at = part->save_at, .save = save_sweep, .data = &sweeping};
        if (part->rows > 0 && part->rows < query.rows && part->columns == sweeping.columns &&
            is_same(&part->key, sweeping.key)) {
            sweeping.sweep.rows = part->rows;
            sweeping.sweep.u = part->u;
            sweeping.sweep.s = part->s;
            tell_resumed(part, part->rows * part->columns);
        }
        query.sweep = &sweeping.sweep;
    }
    if (!cs_global_pairs(&query, batch->records, batch->count, batch->found))
        return FALSE;
    end_sweep(part);
    if (cs_is_stopped(query.stop))
        return TRUE;
    for (gint64 k = 0; k < batch->count; k++) {
        const Pair pair = {batch->keys[k], batch->found[k]};
        g_array_append_val(part->pairs, pair);
    }
    part->unsaved = TRUE;
    return TRUE;
}

gboolean
cs_part_pairs(CsPart *part, gint64 row, const guint8 *letters, const CsGlobalQuery *query,
              const CsLaneRecord *records, gint64 count, CsGlobalFound *found)
{
    if (part == NULL)
        return cs_global_pairs(query, records, count, found);
    g_autofree Key *keys = cs_memory_try_new(Key, MAX(count, 1));
    if (keys == NULL)
        return FALSE;
    for (gint64 k = 0; k < count; k++)
        keys[k] = key_of(query, row, letters, &records[k]);
    for (gint64 begin = 0, end; begin < count && !cs_is_stopped(query->stop); begin = end) {
        end = find_end(part, query, records, begin, count);
        Batch batch = {part, query, records + begin, keys + begin, end - begin, found + begin};
        const gboolean known = take_known(&batch);
        if (!known && !compute(&batch))
            return FALSE;
        if (cs_is_stopped(query->stop))
            break;
        gint64 cells = 0; /* of scores alone, none: they are computed again */
        for (gint64 k = begin; k < end && !query->scores_only; k++)
            cells += query->rows * records[k].length;
        part->next += (guint)batch.count;
        tell_pairs(part, query->under_way, cells);
        if (known)
            tell_resumed(part, cells);
        if (part->unsaved && g_get_monotonic_time() >= part->save_at)
            cs_part_save(part);
    }
    return TRUE;
}
