/* Strips of a part, and what lies between their masked pairs. */
#include <string.h>

#include <chromosweep/error.h>

#include "alignment/masked_tile.h"
#include "sweep/sweep.h"

enum {
    LEAST_STRIP = 64, /* rows */
};

/* Columns from + 1 .. to of the matrix. */
typedef struct {
    gint64 from, to;
} Span;

/* Rows of a part that are computed together. */
typedef struct {
    const CsMaskedTile *tile;
    CsMaskedPart *part;
    gint64 above, height;
    GArray *spans;  /* of Span: masked columns, from left to right */
    CsBus column;   /* of the part's, these rows */
    CsScore corner; /* H above the first row and left of the columns to come */
} Strip;

/* The slice of the part's row. */
static CsBus
row_of(const Strip *strip, const Span *span)
{
    return cs_bus_slice(strip->part->row, span->from - strip->part->left_of, span->to - span->from);
}

/* H above the column after the span, before it is overwritten. */
static CsScore
next_corner(const Strip *strip, const Span *span)
{
    const CsBus *row = strip->part->row;
    return cs_width_get(row->width, row->h, span->to - strip->part->left_of - 1);
}

static gboolean
must_stop(const CsMaskedTile *tile)
{
    return tile->stop != NULL && g_atomic_int_get(tile->stop) != 0;
}

/* A CsSweepFunc. */
static CsSweepAction
watch(const CsSweepState *state, gpointer user_data)
{
    (void)state;
    return must_stop(user_data) ? CS_SWEEP_STOP : CS_SWEEP_GO_ON;
}

static gboolean
sweep(Strip *strip, const Span *span, GError **error)
{
    const CsMaskedTile *tile = strip->tile;
    const CsRectangle *matrix = tile->matrix;
    CsBus row = row_of(strip, span), *column = &strip->column;
    const CsScore next = next_corner(strip, span);
    CsRectangle rectangle = {
        .rows = cs_view_slice(&matrix->rows, strip->above, strip->height),
        .columns = cs_view_slice(&matrix->columns, span->from, span->to - span->from),
        .scoring = matrix->scoring,
        .tie_order = matrix->tie_order,
        .corner = strip->corner,
        .top = &row,
        .left = column,
        .bottom = &row,
        .right = column,
        .threshold = tile->threshold,
    };
    CsSweepOptions options = {.engine = tile->engine,
                              .engine_options = {.threads = 1, .on_caller = TRUE},
                              .shape = CS_MASKED_SHAPE,
                              .func = watch,
                              .func_data = (gpointer)tile};
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    CsSweepState state;
    if (!cs_sweep_run(&rectangle, grid, &options, &state, error))
        return FALSE;
    strip->corner = next;
    if (state.best.score < tile->threshold)
        return TRUE;
    state.best.i += strip->above;
    state.best.j += span->from;
    cs_best_merge(&strip->part->best, matrix->tie_order, &state.best);
    return TRUE;
}

/* What a box of single cells is computed with. */
typedef struct {
    guint8 *row, *columns, *masked; /* bases; [1] .. is the first column's mask */
    CsScore *h, *f;
} Box;

static void
box_clear(Box *box)
{
    g_free(box->row);
    g_free(box->columns);
    g_free(box->masked);
    g_free(box->h);
    g_free(box->f);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Box, box_clear)

static gboolean
box_init(Box *box, const Strip *strip, const Span *span, const CsBus *top, GError **error)
{
    const CsRectangle *matrix = strip->tile->matrix;
    const gint64 width = span->to - span->from;
    const CsView rows = cs_view_slice(&matrix->rows, strip->above, strip->height);
    const CsView columns = cs_view_slice(&matrix->columns, span->from, width);
    *box = (Box){.row = g_try_malloc((gsize)strip->height),
                 .columns = g_try_malloc((gsize)width),
                 .masked = g_try_malloc((gsize)width + 1),
                 .h = g_try_new(CsScore, width),
                 .f = g_try_new(CsScore, width)};
    if (box->row == NULL || box->columns == NULL || box->masked == NULL || box->h == NULL ||
        box->f == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "not enough memory to leave out pairs of other alignments");
        return FALSE;
    }
    cs_view_read(&rows, CS_ROW_AMBIGUOUS, box->row);
    cs_view_read(&columns, CS_COLUMN_AMBIGUOUS, box->columns);
    for (gint64 x = 0; x < width; x++) {
        box->h[x] = cs_width_get(top->width, top->h, x);
        box->f[x] = cs_width_get(top->width, top->gap, x);
    }
    return TRUE;
}

/* One row of a box: the recurrence, without masked pairs. */
static void
compute_row(Box *box, Strip *strip, const Span *span, gint64 y, CsScore diagonal)
{
    const CsRectangle *matrix = strip->tile->matrix;
    const CsScoring *scoring = &matrix->scoring;
    const CsScore first = cs_scoring_first_gap(scoring), extend = scoring->gap_extend;
    const gint64 width = span->to - span->from, i = strip->above + y + 1;
    CsBus *column = &strip->column;
    CsBest *best = &strip->part->best;
    CsScore left = cs_width_get(column->width, column->h, y);
    CsScore e = cs_width_get(column->width, column->gap, y);
    memset(box->masked, 0, (gsize)width + 1);
    cs_mask_row(&strip->tile->mask, i, span->from, width, box->masked);
    for (gint64 x = 0; x < width; x++) {
        e = MAX(e - extend, left - first);
        box->f[x] = MAX(box->f[x] - extend, box->h[x] - first);
        left = MAX(MAX(0, e), box->f[x]);
        if (!box->masked[x + 1]) {
            const gboolean equal = box->row[y] == box->columns[x];
            left = MAX(left, diagonal + (equal ? scoring->match : -scoring->mismatch));
        }
        diagonal = box->h[x];
        box->h[x] = left;
        if (left >= strip->tile->threshold &&
            cs_best_yields_to(best, matrix->tie_order, left, i, span->from + x + 1))
            *best = (CsBest){left, i, span->from + x + 1};
    }
    cs_width_set(column->width, column->h, y, left);
    cs_width_set(column->width, column->gap, y, MAX(e, 0));
}

/* Computes a span cell by cell. */
static gboolean
compute(Strip *strip, const Span *span, GError **error)
{
    CsBus top = row_of(strip, span), *column = &strip->column;
    const CsScore next = next_corner(strip, span);
    CsScore diagonal = strip->corner;
    g_auto(Box) box = {0};
    if (!box_init(&box, strip, span, &top, error))
        return FALSE;
    for (gint64 y = 0; y < strip->height; y++) {
        const CsScore below = cs_width_get(column->width, column->h, y);
        compute_row(&box, strip, span, y, diagonal);
        diagonal = below;
    }
    for (gint64 x = 0; x < span->to - span->from; x++) {
        cs_width_set(top.width, top.h, x, box.h[x]);
        cs_width_set(top.width, top.gap, x, MAX(box.f[x], 0));
    }
    strip->corner = next;
    return TRUE;
}

static gint
compare_spans(gconstpointer one, gconstpointer other)
{
    const Span *a = one, *b = other;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* Adds columns, as far as they belong to the part. */
static void
add_span(GArray *spans, const CsMaskedPart *part, gint64 from, gint64 to)
{
    const Span span = {MAX(from, part->left_of), MIN(to, part->left_of + part->width)};
    if (span.from < span.to)
        g_array_append_val(spans, span);
}

/* Columns that are masked somewhere in these rows, those near to each other joined. */
static void
find_spans(const CsMaskedTile *tile, const CsMaskedPart *part, gint64 above, gint64 height,
           GArray *spans)
{
    const CsMask *mask = &tile->mask;
    g_array_set_size(spans, 0);
    for (int copy = 0; copy < 2; copy++) {
        const CsMaskColumns area = cs_mask_area_of_rows(mask, above + 1, above + height, copy != 0);
        add_span(spans, part, area.first - 1, area.last);
    }
    for (guint k = 0; mask->runs != NULL && k < mask->runs->len; k++) {
        const CsMaskRun *run = &g_array_index(mask->runs, CsMaskRun, k);
        const gint64 first = MAX(run->i, above + 1);
        const gint64 last = MIN(run->i + run->length - 1, above + height);
        if (first <= last)
            add_span(spans, part, run->j + first - run->i - 1, run->j + last - run->i);
    }
    g_array_sort(spans, compare_spans);
    guint kept = 0;
    for (guint k = 0; k < spans->len; k++) {
        const Span span = g_array_index(spans, Span, k);
        Span *last = kept > 0 ? &g_array_index(spans, Span, kept - 1) : NULL;
        if (last != NULL && span.from <= last->to + tile->near)
            last->to = MAX(last->to, span.to);
        else
            g_array_index(spans, Span, kept++) = span;
    }
    g_array_set_size(spans, kept);
}

static gboolean
run_strip(Strip *strip, GError **error)
{
    const CsMaskedPart *part = strip->part;
    gint64 at = part->left_of;
    for (guint k = 0; k < strip->spans->len; k++) {
        const Span *span = &g_array_index(strip->spans, Span, k);
        const Span before = {at, span->from};
        if ((before.from < before.to && !sweep(strip, &before, error)) ||
            !compute(strip, span, error))
            return FALSE;
        at = span->to;
    }
    const Span last = {at, part->left_of + part->width};
    return last.from == last.to || sweep(strip, &last, error);
}

static gint64
columns_of(const GArray *spans)
{
    gint64 columns = 0;
    for (guint k = 0; k < spans->len; k++) {
        const Span *span = &g_array_index(spans, Span, k);
        columns += span->to - span->from;
    }
    return columns;
}

/* How many rows to compute next, of at most so many. Fewer if most columns would be computed cell by cell, as in
 * repeats with alignments near to each other. */
static gint64
choose_strip(const CsMaskedTile *tile, const CsMaskedPart *part, gint64 done, gint64 most,
             GArray *spans)
{
    gint64 height = MIN(tile->strip, most);
    find_spans(tile, part, part->above + done, height, spans);
    while (2 * columns_of(spans) > part->width && height >= 2 * LEAST_STRIP) {
        height /= 2;
        find_spans(tile, part, part->above + done, height, spans);
    }
    return height;
}

/* How many rows to compute next. Those without masked pairs go together. */
static gint64
choose_height(const CsMaskedTile *tile, const CsMaskedPart *part, gint64 done, GArray *spans)
{
    const gint64 most = part->distance > 0
                            ? MIN(part->height, (done / part->distance + 1) * part->distance)
                            : part->height;
    gint64 end = done + choose_strip(tile, part, done, most - done, spans);
    if (spans->len > 0)
        return end - done;
    g_autoptr(GArray) more = g_array_new(FALSE, FALSE, sizeof(Span));
    while (end < most) {
        const gint64 next = MIN(end + tile->strip, most);
        find_spans(tile, part, part->above + end, next - end, more);
        if (more->len > 0)
            break;
        end = next;
    }
    return end - done;
}

gboolean
cs_masked_tile_run(const CsMaskedTile *tile, CsMaskedPart *part, GError **error)
{
    g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(Span));
    CsScore corner = part->corner;
    part->best = (CsBest){0};
    for (gint64 done = 0; done < part->height;) {
        const gint64 height = choose_height(tile, part, done, spans);
        Strip strip = {.tile = tile,
                       .part = part,
                       .above = part->above + done,
                       .height = height,
                       .spans = spans,
                       .column = cs_bus_slice(part->column, done, height),
                       .corner = corner};
        /* The left border is overwritten. */
        corner = cs_width_get(part->column->width, part->column->h, done + height - 1);
        if (must_stop(tile)) {
            g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped");
            return FALSE;
        }
        if (!run_strip(&strip, error))
            return FALSE;
        done += height;
        if (part->distance > 0 && done % part->distance == 0 && done < part->height &&
            !part->row_func(done, part->row, part->row_data, error))
            return FALSE;
    }
    return TRUE;
}
