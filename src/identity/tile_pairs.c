/*
 * The pairs of a tile, row by row: the row's record is the query of cs_global_pairs(), which wants
 * many records, the longest first. So the columns are taken in that order, and what is found is put
 * back in theirs.
 *
 * With a least identity, lengths and words rule out pairs first. Of the others only scores are
 * computed, which is faster, and then everything of those whose score is high enough; not any more
 * once a row has shown that most are.
 */
#include "identity/tile_pairs.h"
#include "system/memory.h"
#include "system/stop.h"

/* The share of a row's pairs whose scores may be high enough before scores alone are not worth
 * their time: they take about half the time of everything. */
#define SCORES_WORTH 0.4

/* A device is about so many times as fast as a thread. */
#define DEVICE_WORTH 32

typedef struct {
    const CsTileWork *work;
    CsDeviceGlobal *device; /* or NULL */
    const CsIdentityTile *tile;
    CsPart *part;          /* NULL: the tile takes little time */
    const gint64 *order;   /* columns of the tile, the longest first */
    CsLaneRecord *records; /* of the row's pairs to compute, in this order */
    gint64 *columns;       /* their numbers */
    CsGlobalFound *found;
    gint64 *found_of; /* index of each column of the tile in `found`, -1: it was filtered */
    /* What a device leaves to the CPU: as above, and indices in `found`. */
    CsLaneRecord *left_records;
    CsGlobalFound *left_found;
    gint64 *left;
    gboolean scores_first;
    GString *cigar;
} Scratch;

static void
scratch_clear(Scratch *scratch)
{
    g_free(scratch->records);
    g_free(scratch->columns);
    g_free(scratch->found);
    g_free(scratch->found_of);
    g_free(scratch->left_records);
    g_free(scratch->left_found);
    g_free(scratch->left);
    g_clear_pointer(&scratch->part, cs_part_free);
    if (scratch->cigar != NULL)
        g_string_free(scratch->cigar, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scratch, scratch_clear)

static gboolean
make_left(Scratch *scratch, gint64 count)
{
    scratch->left_records = cs_memory_try_new(CsLaneRecord, count);
    scratch->left_found = cs_memory_try_new(CsGlobalFound, count);
    scratch->left = cs_memory_try_new(gint64, count);
    return scratch->left_records != NULL && scratch->left_found != NULL && scratch->left != NULL;
}

static gboolean
scratch_init(Scratch *scratch, const CsTileWork *work, CsDeviceGlobal *device,
             const CsIdentityTile *tile)
{
    const gint64 count = tile->column_end - tile->column_begin;
    scratch->work = work;
    scratch->device = device;
    scratch->tile = tile;
    scratch->order = work->tiles->order + tile->column_begin;
    scratch->records = cs_memory_try_new(CsLaneRecord, count);
    scratch->columns = cs_memory_try_new(gint64, count);
    scratch->found = cs_memory_try_new(CsGlobalFound, count);
    scratch->found_of = cs_memory_try_new(gint64, count);
    if (scratch->records == NULL || scratch->columns == NULL || scratch->found == NULL ||
        scratch->found_of == NULL || (device != NULL && !make_left(scratch, count)))
        return FALSE;
    scratch->scores_first = work->words != NULL;
    scratch->cigar = g_string_new(NULL);
    return TRUE;
}

gint64
cs_identity_divisor(CsIdentityOver over, gint64 first_length, gint64 second_length, gint64 columns)
{
    switch (over) {
    case CS_IDENTITY_LONGEST: return MAX(first_length, second_length);
    case CS_IDENTITY_SHORTEST: return MIN(first_length, second_length);
    case CS_IDENTITY_COLUMNS: break;
    }
    return columns;
}

/* No product overflows: lengths and columns are below 2^32, and the unit is below 2^30. */
static gboolean
is_kept(const CsTileWork *work, gint64 rows, gint64 columns, const CsGlobalFound *found)
{
    const gint64 divisor = cs_identity_divisor(work->over, rows, columns, found->columns);
    return found->matches * CS_IDENTITY_UNIT >= work->least * divisor;
}

guint32
cs_tile_matching(const CsIdentityInputs *inputs)
{
    return inputs->alphabet == CS_ALPHABET_NUCLEOTIDE ? cs_global_nucleotide_matching
                                                      : cs_global_protein_matching;
}

static CsGlobalQuery
query_of(const CsTileWork *work, gint64 row)
{
    return (CsGlobalQuery){.kernels = work->kernels,
                           .scoring = &work->inputs->scoring.pairs,
                           .matching = cs_tile_matching(work->inputs),
                           .query = cs_identity_letters(work->inputs->rows, row),
                           .rows = work->inputs->rows->records[row].length,
                           .team = work->team,
                           .under_way = work->under_way,
                           .stop = work->stop};
}

/* Chooses which pairs of a row to compute. */
static gint64
choose_columns(Scratch *scratch, gint64 row, gint64 first)
{
    const CsIdentityTile *tile = scratch->tile;
    const CsTileWork *work = scratch->work;
    const CsIdentitySide *side = work->inputs->columns;
    gint64 count = 0;
    for (gint64 k = 0; k < tile->column_end - tile->column_begin; k++) {
        const gint64 column = scratch->order[k];
        scratch->found_of[column - tile->column_begin] = -1;
        if (column < first ||
            (work->words != NULL && !cs_record_words_pass(work->words, work->inputs, row, column)))
            continue;
        scratch->records[count] = (CsLaneRecord){.letters = cs_identity_letters(side, column),
                                                 .length = side->records[column].length};
        scratch->columns[count] = column;
        scratch->found_of[column - tile->column_begin] = count++;
    }
    return count;
}

static gboolean
add_pair(Scratch *scratch, gint64 row, const CsGlobalQuery *query, gint64 skipped, gint64 index,
         CsPackedPairs *packed)
{
    const CsGlobalFound *found = &scratch->found[index];
    cs_packed_pairs_add_number(packed, (guint64)skipped);
    cs_packed_pairs_add_score(packed, found->score);
    cs_packed_pairs_add_number(packed, (guint64)found->matches);
    cs_packed_pairs_add_number(packed, (guint64)(found->columns - found->matches));
    if (!scratch->work->align)
        return TRUE;
    g_string_truncate(scratch->cigar, 0);
    if (!cs_part_path(scratch->part, row, scratch->work->inputs->columns->chunk->letters, query,
                      &scratch->records[index], found, scratch->cigar))
        return FALSE;
    cs_packed_pairs_add_text(packed, scratch->cigar->str, scratch->cigar->len);
    return TRUE;
}

/* Adds the pairs of a row that are kept. */
static gboolean
pack_row(Scratch *scratch, gint64 row, const CsGlobalQuery *query, gint64 first, gint64 kept,
         CsPackedPairs *packed)
{
    const CsIdentityTile *tile = scratch->tile;
    gint64 next = first;
    cs_packed_pairs_add_number(packed, (guint64)kept);
    for (gint64 column = first; column < tile->column_end && kept > 0; column++) {
        const gint64 index = scratch->found_of[column - tile->column_begin];
        if (index < 0)
            continue;
        kept--;
        if (!add_pair(scratch, row, query, column - next, index, packed))
            return FALSE;
        next = column + 1;
    }
    return TRUE;
}

/* As cs_global_pairs(), for a row of the tile. */
static gboolean
find_pairs(Scratch *scratch, gint64 row, const CsGlobalQuery *query, const CsLaneRecord *records,
           gint64 count, CsGlobalFound *found)
{
    return cs_part_pairs(scratch->part, row, scratch->work->inputs->columns->chunk->letters, query,
                         records, count, found);
}

/* Whether a device has found what is wanted of a pair: columns only if it is kept, which does not depend
 * on them if the device may leave them out. */
static gboolean
is_enough(const CsTileWork *work, gint64 rows, gint64 columns, const CsGlobalFound *found)
{
    return found->matches >= 0 && (found->columns >= 0 || !is_kept(work, rows, columns, found));
}

/* Takes the numbers of a row from the device. The CPU computes those that are not enough. */
static gboolean
take_row(Scratch *scratch, const CsGlobalQuery *query, gint64 row, gint64 count, GError **error)
{
    const CsGlobalNumbers *numbers =
        cs_device_global_row(scratch->device, scratch->work->tiles, scratch->tile, row, error);
    gint64 left = 0;
    if (numbers == NULL)
        return FALSE;
    for (gint64 k = 0; k < count; k++) {
        const CsGlobalNumbers *of = &numbers[scratch->columns[k] - scratch->tile->column_begin];
        scratch->found[k] = (CsGlobalFound){of->score, of->matches, of->columns};
        if (is_enough(scratch->work, query->rows, scratch->records[k].length, &scratch->found[k]))
            continue;
        scratch->left_records[left] = scratch->records[k];
        scratch->left[left++] = k;
    }
    if (left > 0 &&
        !find_pairs(scratch, row, query, scratch->left_records, left, scratch->left_found))
        return FALSE;
    for (gint64 k = 0; k < left; k++)
        scratch->found[scratch->left[k]] = scratch->left_found[k];
    return TRUE;
}

/* A device computes all pairs of a row, so if the filters leave few the CPU does it. */
static gboolean
is_for_device(const Scratch *scratch, gint64 columns, gint64 count)
{
    return scratch->device != NULL && count > 0 && count >= columns / DEVICE_WORTH;
}

/* Keeps only the pairs whose score does not rule them out. FALSE as cs_global_pairs(). */
static gboolean
choose_by_score(Scratch *scratch, gint64 row, const CsGlobalQuery *query, gint64 *count)
{
    const CsTileWork *work = scratch->work;
    CsGlobalQuery scores = *query;
    gint64 left = 0;
    scores.scores_only = TRUE;
    if (!find_pairs(scratch, row, &scores, scratch->records, *count, scratch->found))
        return FALSE;
    for (gint64 k = 0; k < *count && !cs_is_stopped(query->stop); k++) {
        const gint64 least = cs_identity_filter_score(&work->words->filter, query->scoring,
                                                      query->rows, scratch->records[k].length);
        gint64 *index = &scratch->found_of[scratch->columns[k] - scratch->tile->column_begin];
        *index = -1;
        if (scratch->found[k].score < least)
            continue;
        scratch->records[left] = scratch->records[k];
        scratch->columns[left] = scratch->columns[k];
        *index = left++;
    }
    scratch->scores_first = (double)left <= SCORES_WORTH * (double)*count;
    *count = left;
    return TRUE;
}

/* Finds the pairs of a row on the CPU, of which *count are then left. FALSE as cs_global_pairs(). */
static gboolean
find_row(Scratch *scratch, gint64 row, const CsGlobalQuery *query, gint64 *count)
{
    if (*count > 0 && scratch->scores_first && !choose_by_score(scratch, row, query, count))
        return FALSE;
    return *count == 0 || find_pairs(scratch, row, query, scratch->records, *count, scratch->found);
}

/* Computes a row from this column on. */
static gboolean
compute_row(Scratch *scratch, gint64 row, gint64 first, CsTileRecord *record, CsPackedPairs *packed,
            GError **error)
{
    const CsIdentityTile *tile = scratch->tile;
    const CsGlobalQuery query = query_of(scratch->work, row);
    gint64 count = choose_columns(scratch, row, first), letters = 0, kept = 0;
    record->filtered += tile->column_end - first - count;
    for (gint64 k = 0; k < count; k++)
        letters += scratch->records[k].length;
    record->cells_computed += query.rows * letters;
    if (is_for_device(scratch, tile->column_end - first, count)) {
        if (!take_row(scratch, &query, row, count, error))
            return FALSE;
    } else if (!find_row(scratch, row, &query, &count)) {
        return FALSE;
    }
    if (cs_is_stopped(query.stop))
        return FALSE;
    for (gint64 k = 0; k < count && !cs_is_stopped(query.stop); k++) {
        if (is_kept(scratch->work, query.rows, scratch->records[k].length, &scratch->found[k]))
            kept++;
        else
            scratch->found_of[scratch->columns[k] - tile->column_begin] = -1;
    }
    record->kept += kept;
    return pack_row(scratch, row, &query, first, kept, packed) && !packed->failed &&
           !cs_is_stopped(query.stop);
}

static gboolean
compute_rows(Scratch *scratch, CsTileRecord *record, CsPackedPairs *packed, GError **error)
{
    const CsIdentityTile *tile = scratch->tile;
    for (gint64 row = tile->row_begin; row < tile->row_end; row++) {
        const gint64 first = cs_identity_tile_first(scratch->work->tiles, tile, row);
        if (first >= tile->column_end)
            break;
        if (!compute_row(scratch, row, first, record, packed, error))
            return FALSE;
    }
    return TRUE;
}

gboolean
cs_tile_compute(const CsTileWork *work, CsDeviceGlobal *device, const CsIdentityTile *tile,
                CsTileRecord *record, CsPackedPairs *packed, GError **error)
{
    const gint64 begun = g_get_monotonic_time();
    g_auto(Scratch) scratch = {.work = NULL};
    *record = (CsTileRecord){.tile = record->tile, .pairs = tile->pairs, .cells = tile->cells};
    if (!scratch_init(&scratch, work, device, tile))
        return FALSE;
    if (work->parts != NULL && tile->cells >= work->parts->cells)
        scratch.part = cs_part_new(work->parts, record->tile);
    const gboolean computed = compute_rows(&scratch, record, packed, error);
    if (scratch.part != NULL && !computed)
        cs_part_save(scratch.part);
    record->size = (gint64)packed->size;
    record->microseconds =
        scratch.part != NULL ? cs_part_microseconds(scratch.part) : g_get_monotonic_time() - begun;
    return computed;
}

gint64
cs_tile_bytes(const CsTileWork *work)
{
    const CsIdentityTiles *tiles = work->tiles;
    gint64 most = 0;
    for (gint64 k = 0; k < tiles->block_count; k++)
        most = MAX(most, tiles->block_begin[k + 1] - tiles->block_begin[k]);
    return most *
           (gint64)(2 * sizeof(CsLaneRecord) + 3 * sizeof(gint64) + 2 * sizeof(CsGlobalFound));
}
