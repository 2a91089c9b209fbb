/* Parts of tiles: see part.h, docs/formats.md. */
#include <string.h>

#include "identity/part.h"
#include "system/memory.h"
#include "system/stop.h"

enum {
    TOGETHER = 128,    /* short records at least, which fill the lanes */
    SAVING_SHARE = 10, /* a save takes at most this part of the time */
    /* Numbers at the beginning, and of each step. */
    HEAD_NUMBERS = 10,
    STEP_NUMBERS = 8,
};

/* A piece of a path with fewer cells is divided again, which takes some milliseconds. */
#define DIVISION_CELLS ((gint64)1 << 24)

/* What is swept. */
typedef enum {
    ALL_NUMBERS,
    SCORES_ONLY,
    PATH,
} Kind;

/* Which pair it is, and which sweep of it. */
typedef struct {
    gint64 row, place, kind;    /* place: of the record's letters; kind: Kind */
    gint64 column, last_column; /* of the piece of a path, otherwise 0 */
} Key;

/* A pair is done: `found` has its score, matches and columns. Or a piece of its path is divided: `found` has the
 * middle, where the path leaves it, and 0. */
typedef struct {
    Key key;
    gint64 found[3];
} Step;

G_STATIC_ASSERT(sizeof(Step) == STEP_NUMBERS * sizeof(gint64));

struct _CsPart {
    const CsPartKeeper *keeper;
    gint64 tile;
    GArray *steps;           /* in their order */
    guint next;              /* the first of them that has not been taken again */
    gint64 done;             /* cells of all pairs before it */
    gint64 *under_way, told; /* of CsGlobalQuery, and what was added there */
    /* The sweep behind them. */
    Key key;
    gint64 rows, columns;    /* rows: 0 if there is none */
    const gint64 *arrays[4]; /* u and s, and of a path h_from and s_from */
    gint64 *kept;            /* (nullable): these as they were read */
    gint64 earlier, begun;   /* microseconds of earlier runs; when this one began */
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

/* How many arrays a sweep has. */
static gint64
arrays_of(const Key *key)
{
    return key->kind == PATH ? 4 : 2;
}

/* The bytes, for g_free(). NULL: not enough memory. */
static guint8 *
pack(const CsPart *part, gsize *size)
{
    const Key *key = &part->key;
    const gint64 columns = part->rows > 0 ? part->columns : 0;
    const gint64 head[HEAD_NUMBERS] = {part->tile,  cs_part_microseconds(part),
                                       part->next,  part->rows,
                                       columns,     key->row,
                                       key->place,  key->kind,
                                       key->column, key->last_column};
    const gint64 steps = STEP_NUMBERS * (gint64)part->next;
    const gint64 count = HEAD_NUMBERS + steps + arrays_of(key) * columns;
    gint64 *numbers = cs_memory_try_new(gint64, count);
    if (numbers == NULL)
        return NULL;
    copy(numbers, head, HEAD_NUMBERS);
    copy(numbers + HEAD_NUMBERS, (const gint64 *)(const void *)part->steps->data, steps);
    for (gint64 k = 0; k < arrays_of(key); k++)
        copy(numbers + HEAD_NUMBERS + steps + k * columns, part->arrays[k], columns);
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
    const Key key = {head[5], head[6], head[7], head[8], head[9]};
    const gint64 arrays = arrays_of(&key);
    if (head[0] != part->tile || head[1] < 0 || rows < 0 || rows % CS_GLOBAL_SWEEP_ROWS != 0 ||
        columns < 0 || (columns > 0) != (rows > 0) || count < 0 || count > all || columns > all ||
        all != HEAD_NUMBERS + STEP_NUMBERS * count + arrays * columns)
        return;
    part->kept = cs_memory_try_new(gint64, MAX(arrays * columns, 1));
    if (part->kept == NULL)
        return;
    copy(part->kept, numbers + all - arrays * columns, arrays * columns);
    for (gint64 k = 0; k < arrays; k++)
        part->arrays[k] = part->kept + k * columns;
    part->rows = rows;
    part->columns = columns;
    part->key = key;
    part->earlier = head[1];
    g_array_set_size(part->steps, (guint)count);
    copy((gint64 *)(void *)part->steps->data, numbers + HEAD_NUMBERS, STEP_NUMBERS * count);
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
    part->steps = g_array_new(FALSE, FALSE, sizeof(Step));
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
    g_array_unref(part->steps);
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
    const gint64 swept = part->key.kind == PATH ? 0 : part->rows * part->columns;
    if (bytes != NULL)
        part->keeper->save(part->tile, part->done + swept, bytes, size, part->keeper->data);
    const gint64 now = g_get_monotonic_time(), interval = part->keeper->interval;
    part->save_at = now + (interval > 0 ? MAX(interval, SAVING_SHARE * (now - begun)) : 0);
    part->unsaved = FALSE;
}

static void
save_if_due(CsPart *part)
{
    if (part->unsaved && g_get_monotonic_time() >= part->save_at)
        cs_part_save(part);
}

static void
end_sweep(CsPart *part)
{
    g_clear_pointer(&part->kept, g_free);
    part->rows = part->columns = 0;
    part->key = (Key){.kind = ALL_NUMBERS};
}

static gboolean
is_same(const Key *one, const Key *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

/* The step that comes next, if it is this. NULL: the part has it not. */
static const Step *
known_step(const CsPart *part, gint64 after, const Key *key)
{
    const gint64 index = part->next + after;
    const Step *step =
        index < (gint64)part->steps->len ? &g_array_index(part->steps, Step, index) : NULL;
    return step != NULL && is_same(&step->key, key) ? step : NULL;
}

static void
add_step(CsPart *part, const Step *step)
{
    g_array_append_val(part->steps, *step);
    part->unsaved = TRUE;
}

/* The sweep of some rows and columns, of which the part may have some. */
typedef struct {
    CsPart *part;
    CsGlobalSweep sweep;
    Key key;
    gint64 columns;
} Sweeping;

/* A function of CsGlobalSweep. */
static void
save_sweep(gpointer data)
{
    Sweeping *sweeping = data;
    CsPart *part = sweeping->part;
    const CsGlobalSweep *sweep = &sweeping->sweep;
    end_sweep(part);
    part->key = sweeping->key;
    part->rows = sweep->rows;
    part->columns = sweeping->columns;
    part->arrays[0] = sweep->u;
    part->arrays[1] = sweep->s;
    part->arrays[2] = sweep->h_from;
    part->arrays[3] = sweep->s_from;
    part->unsaved = TRUE;
    cs_part_save(part);
    end_sweep(part);
    sweeping->sweep.save_at = part->save_at;
}

static void
sweeping_init(Sweeping *sweeping, CsPart *part, const Key *key, gint64 rows, gint64 columns)
{
    *sweeping = (Sweeping){.part = part, .key = *key, .columns = columns};
    CsGlobalSweep *sweep = &sweeping->sweep;
    sweep->save_at = part->save_at;
    sweep->save = save_sweep;
    sweep->data = sweeping;
    if (part->rows == 0 || part->rows >= rows || part->columns != columns ||
        !is_same(&part->key, key))
        return;
    sweep->rows = part->rows;
    sweep->u = part->arrays[0];
    sweep->s = part->arrays[1];
    sweep->h_from = key->kind == PATH ? part->arrays[2] : NULL;
    sweep->s_from = key->kind == PATH ? part->arrays[3] : NULL;
}

/* The numbers that a query wants of a record. */
static Key
key_of(const CsGlobalQuery *query, gint64 row, const guint8 *letters, const CsLaneRecord *record)
{
    return (Key){.row = row,
                 .place = record->letters - letters,
                 .kind = query->scores_only ? SCORES_ONLY : ALL_NUMBERS};
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
    for (gint64 k = 0; k < batch->count; k++) {
        const Step *known = known_step(batch->part, k, &batch->keys[k]);
        if (known == NULL)
            return FALSE;
        batch->found[k] = (CsGlobalFound){known->found[0], known->found[1], known->found[2]};
    }
    return TRUE;
}

static gboolean
compute(Batch *batch)
{
    CsPart *part = batch->part;
    CsGlobalQuery query = *batch->query;
    Sweeping sweeping;
    g_array_set_size(part->steps, part->next); /* what was behind is of no use */
    if (batch->count == 1) {
        sweeping_init(&sweeping, part, batch->keys, query.rows, batch->records->length);
        tell_resumed(part, sweeping.sweep.rows * sweeping.columns);
        query.sweep = &sweeping.sweep;
    }
    if (!cs_global_pairs(&query, batch->records, batch->count, batch->found))
        return FALSE;
    end_sweep(part);
    if (cs_is_stopped(query.stop))
        return TRUE;
    for (gint64 k = 0; k < batch->count; k++) {
        const CsGlobalFound *found = &batch->found[k];
        const Step step = {batch->keys[k], {found->score, found->matches, found->columns}};
        add_step(part, &step);
    }
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
        save_if_due(part);
    }
    return TRUE;
}

/* The path of a pair. */
typedef struct {
    CsPart *part;
    Key key;
    Sweeping sweeping;
} Path;

static Key
key_of_piece(const Path *path, gint64 column, gint64 last_column)
{
    Key key = path->key;
    key.column = column;
    key.last_column = last_column;
    return key;
}

/* A function of CsGlobalDivisions. */
static gboolean
find_division(gint64 column, gint64 last_column, gint64 *middle, gint64 *from, gpointer data)
{
    const Path *path = data;
    CsPart *part = path->part;
    const Key key = key_of_piece(path, column, last_column);
    const Step *known = known_step(part, 0, &key);
    if (known == NULL) {
        g_array_set_size(part->steps, part->next); /* what was behind is of no use */
        return FALSE;
    }
    *middle = known->found[0];
    *from = known->found[1];
    part->next++;
    return TRUE;
}

/* Likewise. */
static CsGlobalSweep *
sweep_to_divide(gint64 column, gint64 last_column, gint64 columns, gpointer data)
{
    Path *path = data;
    const Key key = key_of_piece(path, column, last_column);
    sweeping_init(&path->sweeping, path->part, &key, last_column - column, columns);
    return &path->sweeping.sweep;
}

/* Likewise. */
static void
add_division(gint64 column, gint64 last_column, gint64 middle, gint64 from, gpointer data)
{
    const Path *path = data;
    CsPart *part = path->part;
    const Step step = {key_of_piece(path, column, last_column), {middle, from, 0}};
    end_sweep(part);
    add_step(part, &step);
    part->next++;
    save_if_due(part);
}

gboolean
cs_part_path(CsPart *part, gint64 row, const guint8 *letters, const CsGlobalQuery *query,
             const CsLaneRecord *record, const CsGlobalFound *found, GString *cigar)
{
    if (part == NULL)
        return cs_global_path(query, record, found, cigar);
    Path path = {.part = part, .key = key_of(query, row, letters, record)};
    const CsGlobalDivisions divisions = {.cells = MIN(part->keeper->cells, DIVISION_CELLS),
                                         .find = find_division,
                                         .sweep = sweep_to_divide,
                                         .add = add_division,
                                         .data = &path};
    CsGlobalQuery kept = *query;
    path.key.kind = PATH;
    kept.divisions = &divisions;
    return cs_global_path(&kept, record, found, cigar);
}
