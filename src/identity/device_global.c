/* Numbers of pairs from a GPU: see device_global.h. */
#include <chromosweep/error.h>

#include "identity/device_global.h"
#include "search/alphabet.h"
#include "system/memory.h"

enum {
    SCORER_BYTES = 32, /* of a record in the scorer's own memory, about */
    IDLE = 8,          /* columns loaded of which one may be unwanted */
};

struct _CsDeviceGlobal {
    const CsGlobalScorerClass *class;
    CsGlobalScorer *scorer;
    const CsIdentityInputs *inputs;
    gint64 first, end; /* columns that are loaded */
    gint64 room;       /* columns that there is room for in these */
    CsScorerSequence *records;
    CsGlobalNumbers *numbers; /* of the row that was given last, by columns of its tile */
};

static CsScorerSequence
sequence_of(const CsIdentitySide *side, gint64 k)
{
    return (CsScorerSequence){cs_identity_letters(side, k), side->records[k].length};
}

CsDeviceGlobal *
cs_device_global_new(const CsGlobalScorerClass *scorer, const char *device,
                     const CsIdentityInputs *inputs, guint32 matching, gboolean columns,
                     GError **error)
{
    g_autoptr(CsDeviceGlobal) self = g_new0(CsDeviceGlobal, 1);
    const CsPairScoring *pairs = &inputs->scoring.pairs;
    const CsGlobalScoring scoring = {.pairs = pairs->pairs,
                                     .letters = inputs->alphabet == CS_ALPHABET_NUCLEOTIDE
                                                    ? CS_BASE_LETTERS
                                                    : CS_PROTEIN_LETTERS,
                                     .matching = matching,
                                     .first = pairs->first,
                                     .more = pairs->more,
                                     .columns = columns};
    self->class = scorer;
    self->inputs = inputs;
    self->scorer = scorer->open(device, &scoring, error);
    return self->scorer != NULL ? g_steal_pointer(&self) : NULL;
}

const char *
cs_device_global_name(const CsDeviceGlobal *device)
{
    return device->class->describe(device->scorer);
}

static gboolean
make_room(CsDeviceGlobal *device, gint64 count, GError **error)
{
    if (count <= device->room)
        return TRUE;
    device->room = 0;
    g_free(device->records);
    g_free(device->numbers);
    device->records = cs_memory_try_new(CsScorerSequence, count);
    device->numbers = cs_memory_try_new(CsGlobalNumbers, count);
    if (device->records == NULL || device->numbers == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for tiles of %" G_GINT64_FORMAT " columns", count);
        return FALSE;
    }
    device->room = count;
    return TRUE;
}

/* Loads the columns of a tile from this one on, unless they are there with few others. */
static gboolean
load(CsDeviceGlobal *device, const CsIdentityTile *tile, gint64 first, GError **error)
{
    const gint64 idle = first - device->first;
    if (device->end == tile->column_end && device->first >= tile->column_begin && idle >= 0 &&
        idle <= (tile->column_end - device->first) / IDLE)
        return TRUE;
    device->end = 0;
    if (!make_room(device, tile->column_end - tile->column_begin, error))
        return FALSE;
    for (gint64 k = first; k < tile->column_end; k++)
        device->records[k - first] = sequence_of(device->inputs->columns, k);
    if (!device->class->load(device->scorer, device->records, (guint)(tile->column_end - first), 1,
                             error))
        return FALSE;
    device->first = first;
    device->end = tile->column_end;
    return TRUE;
}

const CsGlobalNumbers *
cs_device_global_row(CsDeviceGlobal *device, const CsIdentityTiles *tiles,
                     const CsIdentityTile *tile, gint64 row, GError **error)
{
    const CsScorerSequence sequence = sequence_of(device->inputs->rows, row);
    if (!load(device, tile, cs_identity_tile_first(tiles, tile, row), error))
        return NULL;
    CsGlobalNumbers *numbers = device->numbers + (device->first - tile->column_begin);
    return device->class->submit(device->scorer, &sequence, error) &&
                   device->class->collect(device->scorer, numbers, error)
               ? device->numbers
               : NULL;
}

void
cs_device_global_free(CsDeviceGlobal *device)
{
    if (device->scorer != NULL)
        device->class->free(device->scorer);
    g_free(device->records);
    g_free(device->numbers);
    g_free(device);
}

gint64
cs_device_global_bytes(const CsIdentityTiles *tiles)
{
    gint64 most = 0;
    for (gint64 k = 0; k < tiles->block_count; k++) {
        const gint64 begin = tiles->block_begin[k], end = tiles->block_begin[k + 1];
        const gint64 letters = tiles->letters_below[end] - tiles->letters_below[begin];
        const gint64 record =
            (gint64)(sizeof(CsScorerSequence) + sizeof(CsGlobalNumbers)) + SCORER_BYTES;
        most = MAX(most, (end - begin) * record + letters + letters / 8);
    }
    return most;
}
