/* Spans of special rows, in memory. */
#include <string.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "alignment/rows.h"
#include "checkpoint/bus_codec.h"

enum {
    LONGEST_SPAN = 1 << 13, /* columns */
};

typedef struct {
    gint64 from, count;
    CsScore highest; /* H */
    gsize size;      /* bytes */
    guint8 *data;
    guint64 checksum; /* of the data, if they are packed */
} Span;

struct _CsRows {
    gint64 *at;
    gsize n;
    CsWidth width;
    GArray **spans;        /* of each row, from left to right */
    CsBusEncoder *encoder; /* NULL: not packed */
    CsBusDecoder *decoder;
    guint8 *block; /* room for a packed span */
    CsBus *plain;  /* of LONGEST_SPAN cells: on the way in and out */
    gsize bytes;
    gint64 most;     /* bytes */
    gboolean thrown; /* away rather than failed for */
};

static void
clear_span(gpointer data)
{
    g_free(((Span *)data)->data);
}

static gboolean
prepare_packing(CsRows *rows, GError **error)
{
    rows->encoder = cs_bus_encoder_new(LONGEST_SPAN, error);
    if (rows->encoder == NULL)
        return FALSE;
    rows->decoder = cs_bus_decoder_new(LONGEST_SPAN, error);
    if (rows->decoder == NULL)
        return FALSE;
    rows->block = g_malloc(cs_bus_codec_bound(LONGEST_SPAN));
    return TRUE;
}

CsRows *
cs_rows_new(const gint64 *at, gsize n, CsWidth width, gboolean packed, GError **error)
{
    g_autoptr(CsRows) rows = g_new0(CsRows, 1);
    rows->at = g_memdup2(at, n * sizeof *at);
    rows->n = n;
    rows->width = width;
    rows->most = G_MAXINT64;
    rows->spans = g_new(GArray *, n);
    for (gsize k = 0; k < n; k++) {
        rows->spans[k] = g_array_new(FALSE, FALSE, sizeof(Span));
        g_array_set_clear_func(rows->spans[k], clear_span);
    }
    rows->plain = cs_bus_new(LONGEST_SPAN, width, error);
    if (rows->plain == NULL || (packed && !prepare_packing(rows, error)))
        return NULL;
    return g_steal_pointer(&rows);
}

void
cs_rows_free(CsRows *rows)
{
    if (rows == NULL)
        return;
    for (gsize k = 0; k < rows->n; k++)
        g_array_unref(rows->spans[k]);
    g_clear_pointer(&rows->encoder, cs_bus_encoder_free);
    g_clear_pointer(&rows->decoder, cs_bus_decoder_free);
    g_clear_pointer(&rows->plain, cs_bus_free);
    g_free(rows->block);
    g_free(rows->spans);
    g_free(rows->at);
    g_free(rows);
}

void
cs_rows_limit(CsRows *rows, gint64 bytes)
{
    rows->most = bytes;
    rows->thrown = TRUE;
}

void
cs_rows_drop(CsRows *rows, gsize k)
{
    for (guint s = 0; s < rows->spans[k]->len; s++)
        rows->bytes -= g_array_index(rows->spans[k], Span, s).size;
    g_array_unref(rows->spans[k]);
    rows->n--;
    memmove(rows->at + k, rows->at + k + 1, (rows->n - k) * sizeof *rows->at);
    memmove(rows->spans + k, rows->spans + k + 1, (rows->n - k) * sizeof(GArray *));
}

/* Drops every other row, those to come included. */
static void
thin_out(CsRows *rows)
{
    gsize n = 0;
    for (gsize k = 0; k < rows->n; k++) {
        if (k % 2 == 1) {
            rows->at[n] = rows->at[k];
            rows->spans[n++] = rows->spans[k];
            continue;
        }
        for (guint s = 0; s < rows->spans[k]->len; s++)
            rows->bytes -= g_array_index(rows->spans[k], Span, s).size;
        g_array_unref(rows->spans[k]);
    }
    rows->n = n;
}

static gboolean
fail_memory(gint64 i, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory for row %" G_GINT64_FORMAT, i);
    return FALSE;
}

/* Keeps the first count cells of rows->plain as those that follow `from` columns. */
static gboolean
keep(CsRows *rows, gsize k, gint64 from, gint64 count, CsScore highest, GError **error)
{
    const CsBus bus = cs_bus_slice(rows->plain, 0, count);
    const gsize half = (gsize)count * rows->width;
    Span span = {.from = from, .count = count, .highest = highest, .size = 2 * half};
    if (rows->encoder != NULL &&
        !cs_bus_encoder_run(rows->encoder, &bus, rows->block, &span.size, error))
        return FALSE;
    span.data = g_try_malloc(span.size);
    if (span.data == NULL)
        return fail_memory(rows->at[k], error);
    if (rows->encoder != NULL) {
        memcpy(span.data, rows->block, span.size);
        span.checksum = XXH3_64bits(span.data, span.size);
    } else {
        memcpy(span.data, bus.h, half);
        memcpy(span.data + half, bus.gap, half);
    }
    g_array_append_val(rows->spans[k], span);
    rows->bytes += span.size;
    return TRUE;
}

/* The place of row i; n where it was dropped. */
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

/* Keeps the cells that follow `from` columns, as spans. */
static gboolean
keep_spans(CsRows *rows, gsize k, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
           GError **error)
{
    for (gint64 first = 0; first < count;) {
        const gint64 now = MIN(LONGEST_SPAN, count - first);
        CsScore highest = 0;
        for (gint64 c = 0; c < now; c++) {
            highest = MAX(highest, h[first + c]);
            cs_width_set(rows->width, rows->plain->h, c, h[first + c]);
            cs_width_set(rows->width, rows->plain->gap, c, f[first + c]);
        }
        if (!keep(rows, k, from + first, now, highest, error))
            return FALSE;
        first += now;
    }
    return TRUE;
}

gboolean
cs_rows_take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f,
             gboolean bounds, gpointer user_data, GError **error)
{
    CsRows *rows = user_data;
    const gsize k = find_row(rows, i);
    gint64 first = 0, last = count;
    if (k == rows->n)
        return TRUE;
    for (; first < last && h[first] == 0; first++)
        ;
    for (; last > first && h[last - 1] == 0; last--)
        ;
    if (!keep_spans(rows, k, from + first, last - first, h + first, f + first,
                    rows->thrown ? NULL : error)) {
        while (rows->thrown && rows->n > 0)
            thin_out(rows);
        return rows->thrown;
    }
    while (rows->n > 0 && (gint64)rows->bytes > rows->most)
        thin_out(rows);
    return TRUE;
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

CsWidth
cs_rows_width(const CsRows *rows)
{
    return rows->width;
}

gsize
cs_rows_bytes(const CsRows *rows)
{
    return rows->bytes;
}

/* The first span of row k that ends after the first `from` columns, or the number of spans. */
static guint
find_span(const CsRows *rows, gsize k, gint64 from)
{
    const GArray *spans = rows->spans[k];
    guint low = 0, high = spans->len;
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        const Span *span = &g_array_index(spans, Span, middle);
        if (span->from + span->count <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

gboolean
cs_rows_next(const CsRows *rows, gsize k, gint64 from, CsRowsPiece *piece)
{
    const guint s = find_span(rows, k, from);
    if (s == rows->spans[k]->len)
        return FALSE;
    const Span *span = &g_array_index(rows->spans[k], Span, s);
    const gint64 begin = MAX(from, span->from);
    *piece = (CsRowsPiece){begin + 1, span->from + span->count - begin, span->highest};
    return TRUE;
}

/* The cells of a span, in rows->plain. */
static gboolean
unpack(CsRows *rows, const Span *span, CsBus *bus, GError **error)
{
    *bus = cs_bus_slice(rows->plain, 0, span->count);
    if (rows->decoder != NULL && XXH3_64bits(span->data, span->size) != span->checksum) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_CONTENT, "its checksum is wrong");
        return FALSE;
    }
    if (rows->decoder != NULL)
        return cs_bus_decoder_run(rows->decoder, span->data, span->size, CS_SCORE_NONE,
                                  rows->width == CS_WIDTH_32 ? CS_SCORE_32_LIMIT - 1 : G_MAXINT64,
                                  bus, error);
    const gsize half = span->size / 2;
    memcpy(bus->h, span->data, half);
    memcpy(bus->gap, span->data + half, half);
    return TRUE;
}

gboolean
cs_rows_read(CsRows *rows, gsize k, gint64 from, CsBus *bus, GError **error)
{
    const gint64 to = from + bus->length;
    cs_bus_clear(bus, 0, bus->length);
    for (guint s = find_span(rows, k, from); s < rows->spans[k]->len; s++) {
        const Span *span = &g_array_index(rows->spans[k], Span, s);
        if (span->from >= to)
            break;
        CsBus plain;
        if (!unpack(rows, span, &plain, error))
            return FALSE;
        const gint64 begin = MAX(from, span->from), end = MIN(to, span->from + span->count);
        cs_bus_copy(bus, begin - from, &plain, begin - span->from, end - begin);
    }
    return TRUE;
}
