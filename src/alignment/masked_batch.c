/* Some tiles of a masked matrix are computed at the same time, and what leaves them is passed on. */
#include <string.h>

#include "alignment/masked_inside.h"

enum {
    AHEAD = 16,  /* tiles for each thread that are looked at for those that are ready */
    AT_ONCE = 3, /* ready tiles for each thread, since some take longer than others */
};

static gboolean
is_zero(const CsBus *bus)
{
    CsScore highest, lowest;
    cs_bus_range(bus, &highest, &lowest);
    return highest == 0;
}

/* Whether so high a score enters that the tile can matter, if it does not lead to a mark. */
static gboolean
is_entered(const CsMaskedMatrix *matrix, const CsMaskedPart *part)
{
    CsScore row, column, lowest;
    cs_bus_range(part->row, &row, &lowest);
    cs_bus_range(part->column, &column, &lowest);
    return MAX(part->corner, MAX(row, column)) >= matrix->options.least;
}

/* What leaves a tile that no longer matters. */
static void
leave_zeros(CsMaskedPart *part)
{
    cs_bus_clear(part->row, 0, part->row->length);
    cs_bus_clear(part->column, 0, part->column->length);
}

/* Whether nothing can be above zero: all pairs are masked, and nothing enters. */
static gboolean
is_dead(const CsMaskedMatrix *matrix, const CsMaskedPart *part)
{
    const CsMask mask = cs_masked_mask(matrix, NULL);
    return cs_mask_area_is_all(&mask, part->above + 1, part->above + part->height,
                               part->left_of + 1, part->left_of + part->width) &&
           part->corner == 0 && is_zero(part->row) && is_zero(part->column);
}

/* Takes over a border. Returns whether it is another than before. */
static gboolean
put(CsBus *there, const CsBus *here)
{
    const gsize bytes = (gsize)here->length * (gsize)here->width;
    if (memcmp(there->h, here->h, bytes) == 0 && memcmp(there->gap, here->gap, bytes) == 0)
        return FALSE;
    cs_bus_copy(there, 0, here, 0, here->length);
    return TRUE;
}

enum {
    COMPUTED = 1, /* 0: stopped, or failed */
    PASSED_OVER,
};

/* Tiles that are computed at the same time. */
typedef struct {
    CsMaskedMatrix *matrix;
    GPtrArray *squares;
    CsMaskedPart *parts; /* of each: what entered, then what leaves */
    CsMaskedDigest *entered;
    guint8 *ended; /* what became of each */
    GError **errors;
} Batch;

static void
batch_clear(Batch *batch)
{
    for (guint k = 0; k < batch->squares->len; k++) {
        cs_masked_part_clear(&batch->parts[k]);
        g_clear_error(&batch->errors[k]);
    }
    g_free(batch->parts);
    g_free(batch->entered);
    g_free(batch->ended);
    g_free(batch->errors);
    g_ptr_array_unref(batch->squares);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Batch, batch_clear)

/* A CsParallelFunc: computes a tile from its borders and its masked pairs. */
static void
compute(gint64 task, gpointer user_data)
{
    Batch *batch = user_data;
    CsMaskedMatrix *matrix = batch->matrix;
    const CsMaskedSquare *square = g_ptr_array_index(batch->squares, task);
    const CsMaskedPlace place = cs_masked_place_of(matrix, square);
    const CsMaskedTile kernel = cs_masked_kernel(matrix, square);
    CsMaskedPart *part = &batch->parts[task];
    GError **error = &batch->errors[task];
    if (g_atomic_int_get(&matrix->stop) != 0 || !cs_masked_enter(matrix, &place, part, error))
        return;
    if (matrix->keep != NULL)
        batch->entered[task] = cs_masked_digest(part);
    if (!square->leads && !is_entered(matrix, part)) {
        leave_zeros(part);
        batch->ended[task] = PASSED_OVER;
    } else if (is_dead(matrix, part) || cs_masked_tile_run(&kernel, part, error)) {
        batch->ended[task] = COMPUTED;
    }
}

/* Whether nothing that enters the tile from its section will change any more. */
static gboolean
is_ready(const CsMaskedMatrix *matrix, const CsMaskedSquare *square)
{
    const gint64 section = (square->row + square->column) / matrix->section;
    for (int k = 1; k < 4; k++) {
        const CsMaskedSquare *before =
            cs_masked_square(matrix, square->row - (k & 1), square->column - k / 2);
        if (before != NULL && before->changed &&
            (before->row + before->column) / matrix->section == section)
            return FALSE;
    }
    return TRUE;
}

/* The first tiles of a section that changed: those that are ready, and others. */
static void
look_for_ready(CsMaskedMatrix *matrix, gint64 section, GPtrArray *ready, GPtrArray *others)
{
    const gint64 end = MIN((section + 1) * matrix->section, matrix->rows + matrix->columns - 1);
    const guint threads = cs_crew_size(matrix->crew);
    const gint64 most = AHEAD * (gint64)threads / cs_masked_sections(matrix);
    gint64 *first = &matrix->firsts[section];
    while (*first < end && (matrix->waiting[*first] == NULL || matrix->waiting[*first]->len == 0))
        ++*first;
    for (gint64 d = *first, seen = 0; d < end && seen < most && ready->len < AT_ONCE * threads;
         d++) {
        const GPtrArray *waiting = matrix->waiting[d];
        for (guint k = 0; waiting != NULL && k < waiting->len; k++, seen++) {
            CsMaskedSquare *square = g_ptr_array_index(waiting, k);
            g_ptr_array_add(is_ready(matrix, square) ? ready : others, square);
        }
    }
}

/*
 * Tiles that changed: those that are ready, and if these are too few for all threads, others. Along one long
 * alignment only a few are ready at a time. So the diagonals of tiles around marks are cut into sections, and
 * each section begins as if what enters it were final. When that changes, what is computed again ends where
 * borders come out as before, mostly after a tile or two.
 */
static GPtrArray *
choose_squares(CsMaskedMatrix *matrix)
{
    const guint threads = cs_crew_size(matrix->crew);
    GPtrArray *chosen = g_ptr_array_new();
    g_autoptr(GPtrArray) others = g_ptr_array_new();
    for (gint64 k = 0; k < cs_masked_sections(matrix) && chosen->len < AT_ONCE * threads; k++)
        look_for_ready(matrix, k, chosen, others);
    for (guint k = 0; k < others->len && chosen->len < threads; k++)
        g_ptr_array_add(chosen, g_ptr_array_index(others, k));
    return chosen;
}

/* Whether a border holds so high a score that the tile it enters can matter. */
static gboolean
is_high(const CsMaskedMatrix *matrix, const CsBus *bus)
{
    CsScore highest, lowest;
    cs_bus_range(bus, &highest, &lowest);
    return highest >= matrix->options.least;
}

gboolean
cs_masked_add_entered(CsMaskedMatrix *matrix, const CsMaskedSquare *square, GError **error)
{
    const gint64 row = square->row, column = square->column;
    const gboolean below = row + 1 < matrix->rows, beside = column + 1 < matrix->columns;
    const gboolean high = cs_masked_last(square) >= matrix->options.least;
    return (!below || !is_high(matrix, square->bottom) ||
            cs_masked_add(matrix, row + 1, column, error) != NULL) &&
           (!beside || !is_high(matrix, square->right) ||
            cs_masked_add(matrix, row, column + 1, error) != NULL) &&
           (!below || !beside || !high ||
            cs_masked_add(matrix, row + 1, column + 1, error) != NULL);
}

/* A border that enters the tile of that place changed. */
static void
pass_on(CsMaskedMatrix *matrix, gint64 row, gint64 column)
{
    CsMaskedSquare *square = cs_masked_square(matrix, row, column);
    if (square != NULL)
        cs_masked_set_changed(matrix, square);
}

/* Takes over what was computed of a tile, and passes on what changed. */
static gboolean
take_over(CsMaskedMatrix *matrix, CsMaskedSquare *square, const CsMaskedPart *part, GError **error)
{
    const gint64 row = square->row, column = square->column;
    const CsScore corner = cs_masked_last(square);
    square->best = part->best;
    square->unsaved = TRUE;
    if (put(square->bottom, part->row))
        pass_on(matrix, row + 1, column);
    if (put(square->right, part->column))
        pass_on(matrix, row, column + 1);
    if (corner != cs_masked_last(square))
        pass_on(matrix, row + 1, column + 1);
    return cs_masked_add_entered(matrix, square, error);
}

static gboolean
run_batch(CsMaskedMatrix *matrix, GPtrArray *squares, GError **error)
{
    const guint count = squares->len;
    g_auto(Batch) batch = {matrix,
                           squares,
                           g_new0(CsMaskedPart, count),
                           g_new0(CsMaskedDigest, count),
                           g_new0(guint8, count),
                           g_new0(GError *, count)};
    cs_crew_run(matrix->crew, count, compute, &batch);
    for (guint k = 0; k < count; k++)
        if (batch.ended[k])
            cs_masked_set_done(matrix, g_ptr_array_index(squares, k));
    for (guint k = 0; k < count; k++) {
        CsMaskedSquare *square = g_ptr_array_index(squares, k);
        if (batch.ended[k] != 0) {
            if (batch.ended[k] == COMPUTED)
                matrix->cells += batch.parts[k].height * batch.parts[k].width;
            square->entered = batch.entered[k];
            if (!take_over(matrix, square, &batch.parts[k], error))
                return FALSE;
        } else if (batch.errors[k] != NULL) {
            g_propagate_error(error, g_steal_pointer(&batch.errors[k]));
            return FALSE;
        }
    }
    return TRUE;
}

gboolean
cs_masked_compute(CsMaskedMatrix *matrix, GError **error)
{
    return run_batch(matrix, choose_squares(matrix), error);
}
