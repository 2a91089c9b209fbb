/* Runs of cells as compressed blocks: see bus_codec.h and docs/formats.md. */
#include <string.h>

#include <zstd.h>

#include <chromosweep/error.h>

#include "checkpoint/bus_codec.h"

enum {
    LEVEL = 1,        /* of zstd: it must keep up with the disk */
    VALUE_BYTES = 10, /* of the longest LEB128 of 64 bits */
    BATCH = 16,       /* values that are first tried as one byte each */
    MOST_CELLS = 1 << 30,
};

struct _CsBusEncoder {
    gint64 most_cells;
    guint8 *text;
    ZSTD_CCtx *context;
};

struct _CsBusDecoder {
    gint64 most_cells;
    guint8 *text;
    ZSTD_DCtx *context;
};

static gsize
text_bound(gint64 cells)
{
    return 2 * VALUE_BYTES * (gsize)cells;
}

gsize
cs_bus_codec_bound(gint64 cells)
{
    g_assert(cells >= 0 && cells <= MOST_CELLS);
    return ZSTD_compressBound(text_bound(cells));
}

static gboolean
fail_memory(gint64 cells, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory to pack %" G_GINT64_FORMAT " cells", cells);
    return FALSE;
}

CsBusEncoder *
cs_bus_encoder_new(gint64 most_cells, GError **error)
{
    g_assert(most_cells >= 0 && most_cells <= MOST_CELLS);
    g_autoptr(CsBusEncoder) encoder = g_new0(CsBusEncoder, 1);
    encoder->most_cells = most_cells;
    encoder->text = g_try_malloc(MAX(1, text_bound(most_cells)));
    encoder->context = ZSTD_createCCtx();
    if (encoder->text == NULL || encoder->context == NULL) {
        fail_memory(most_cells, error);
        return NULL;
    }
    return g_steal_pointer(&encoder);
}

void
cs_bus_encoder_free(CsBusEncoder *encoder)
{
    if (encoder == NULL)
        return;
    ZSTD_freeCCtx(encoder->context);
    g_free(encoder->text);
    g_free(encoder);
}

/* Differences wrap around, so any two values have one. */
static inline guint64
zigzag(guint64 difference)
{
    return (difference << 1) ^ (guint64)((gint64)difference >> 63);
}

static inline guint64
unzigzag(guint64 value)
{
    return (value >> 1) ^ (0 - (value & 1));
}

static inline guint8 *
put(guint8 *text, CsScore value, CsScore before)
{
    guint64 rest = zigzag((guint64)value - (guint64)before);
    for (; rest >= 0x80; rest >>= 7)
        *text++ = (guint8)(rest | 0x80);
    *text++ = (guint8)rest;
    return text;
}

/*
 * Writes sixteen values as one byte each, each as the difference from the value before. FALSE if a
 * difference does not fit. Differences of finite 32-bit values fit 32 bits, and minus infinity is
 * hardly ever within 64 of a finite value, so the compiler can use vectors.
 */
static inline gboolean
put_batch_32(guint8 *text, const gint32 *values)
{
    guint32 all = 0;
    gint32 lowest = 0;
    for (int k = 0; k < BATCH; k++) {
        guint32 difference = (guint32)values[k] - (guint32)values[k - 1];
        guint32 folded = (difference << 1) ^ (guint32)((gint32)difference >> 31);
        text[k] = (guint8)folded;
        all |= folded;
        lowest = MIN(lowest, MIN(values[k], values[k - 1]));
    }
    return all < 0x80 && lowest > -CS_SCORE_32_LIMIT;
}

static guint8 *
put_values_32(guint8 *text, const gint32 *values, gint64 count)
{
    CsScore before = 0;
    gint64 k = 0;
    while (k < count) {
        if (k > 0 && count - k >= BATCH && put_batch_32(text, values + k)) {
            text += BATCH;
            k += BATCH;
            before = values[k - 1];
            continue;
        }
        gint64 end = MIN(count, k + BATCH);
        for (; k < end; k++) {
            CsScore value = cs_width_get(CS_WIDTH_32, values, k);
            text = put(text, value, before);
            before = value;
        }
    }
    return text;
}

static guint8 *
put_values_64(guint8 *text, const gint64 *values, gint64 count)
{
    for (gint64 k = 0; k < count; k++)
        text = put(text, values[k], k > 0 ? values[k - 1] : 0);
    return text;
}

static guint8 *
put_values(guint8 *text, CsWidth width, const void *values, gint64 count)
{
    return width == CS_WIDTH_32 ? put_values_32(text, values, count)
                                : put_values_64(text, values, count);
}

gboolean
cs_bus_encoder_run(CsBusEncoder *encoder, const CsBus *bus, guint8 *block, gsize *size,
                   GError **error)
{
    g_assert(bus->length <= encoder->most_cells);
    guint8 *end = put_values(encoder->text, bus->width, bus->h, bus->length);
    end = put_values(end, bus->width, bus->gap, bus->length);
    gsize result = ZSTD_compressCCtx(encoder->context, block, cs_bus_codec_bound(bus->length),
                                     encoder->text, (gsize)(end - encoder->text), LEVEL);
    if (ZSTD_isError(result)) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "cannot compress %" G_GINT64_FORMAT " cells: %s", bus->length,
                    ZSTD_getErrorName(result));
        return FALSE;
    }
    *size = result;
    return TRUE;
}

CsBusDecoder *
cs_bus_decoder_new(gint64 most_cells, GError **error)
{
    g_assert(most_cells >= 0 && most_cells <= MOST_CELLS);
    g_autoptr(CsBusDecoder) decoder = g_new0(CsBusDecoder, 1);
    decoder->most_cells = most_cells;
    decoder->text = g_try_malloc(MAX(1, text_bound(most_cells)));
    decoder->context = ZSTD_createDCtx();
    if (decoder->text == NULL || decoder->context == NULL) {
        fail_memory(most_cells, error);
        return NULL;
    }
    return g_steal_pointer(&decoder);
}

void
cs_bus_decoder_free(CsBusDecoder *decoder)
{
    if (decoder == NULL)
        return;
    ZSTD_freeDCtx(decoder->context);
    g_free(decoder->text);
    g_free(decoder);
}

typedef struct {
    const guint8 *text;
    const guint8 *end;
    CsScore lowest;
    guint64 range; /* highest - lowest */
} Reading;

/* Reads one number. FALSE if the text ends inside it or it has more than 64 bits. */
static inline gboolean
take(Reading *reading, guint64 *value)
{
    *value = 0;
    for (guint shift = 0; shift < 70 && reading->text < reading->end; shift += 7) {
        guint64 byte = *reading->text++;
        if (shift == 63 && byte > 1)
            return FALSE;
        *value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return byte != 0 || shift == 0; /* each number has only one valid form */
    }
    return FALSE;
}

static inline void
store(CsWidth width, void *values, gint64 k, CsScore value)
{
    if (width == CS_WIDTH_32)
        ((gint32 *)values)[k] = (gint32)MAX(value, -CS_SCORE_32_LIMIT);
    else
        ((gint64 *)values)[k] = value;
}

/* Always inlined, once for each width. Returns what is wrong, or NULL. */
static inline __attribute__((always_inline)) const char *
take_values(Reading *reading, CsWidth width, void *values, gint64 count)
{
    guint64 value = 0;
    gboolean outside = FALSE;
    gint64 k = 0;
    while (k < count) {
        guint64 eight;
        if (count - k >= 8 && reading->end - reading->text >= 8 &&
            (memcpy(&eight, reading->text, 8), (eight & 0x8080808080808080u) == 0)) {
            for (int byte = 0; byte < 8; byte++) {
                value += unzigzag(reading->text[byte]);
                outside |= value - (guint64)reading->lowest > reading->range;
                store(width, values, k + byte, (CsScore)value);
            }
            reading->text += 8;
            k += 8;
            continue;
        }
        gint64 end = MIN(count, k + 8);
        for (; k < end; k++) {
            guint64 folded;
            if (!take(reading, &folded))
                return "malformed number";
            value += unzigzag(folded);
            outside |= value - (guint64)reading->lowest > reading->range;
            store(width, values, k, (CsScore)value);
        }
    }
    return outside ? "value out of range" : NULL;
}

static const char *
take_bus(Reading *reading, CsBus *bus)
{
    void *const both[] = {bus->h, bus->gap};
    const char *wrong = NULL;
    for (guint k = 0; k < G_N_ELEMENTS(both) && wrong == NULL; k++)
        wrong = bus->width == CS_WIDTH_32 ? take_values(reading, CS_WIDTH_32, both[k], bus->length)
                                          : take_values(reading, CS_WIDTH_64, both[k], bus->length);
    if (wrong == NULL && reading->text != reading->end)
        wrong = "more than its cells";
    return wrong;
}

gboolean
cs_bus_decoder_run(CsBusDecoder *decoder, const guint8 *block, gsize size, CsScore lowest,
                   CsScore highest, CsBus *bus, GError **error)
{
    g_assert(bus->length <= decoder->most_cells && lowest <= highest);
    g_assert(bus->width == CS_WIDTH_64 || highest < CS_SCORE_32_LIMIT);
    const char *wrong = NULL;
    gsize text = ZSTD_findFrameCompressedSize(block, size);
    if (ZSTD_isError(text)) {
        wrong = ZSTD_getErrorName(text);
    } else if (text != size) {
        wrong = "more than a frame";
    } else {
        text = ZSTD_decompressDCtx(decoder->context, decoder->text, text_bound(bus->length), block,
                                   size);
        wrong = ZSTD_isError(text) ? ZSTD_getErrorName(text) : NULL;
    }
    if (wrong == NULL) {
        Reading reading = {decoder->text, decoder->text + text, lowest,
                           (guint64)highest - (guint64)lowest};
        wrong = take_bus(&reading, bus);
    }
    if (wrong != NULL)
        g_set_error_literal(error, CS_ERROR, CS_ERROR_CONTENT, wrong);
    return wrong == NULL;
}
