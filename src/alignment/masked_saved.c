/* The tiles of a masked matrix, and which of them lead to marks, in the checkpoint: saved and loaded. */
#include <string.h>

#include <xxhash.h>

#include "alignment/masked_inside.h"
#include "checkpoint/found.h"

enum {
    ZONE_HEAD = 2, /* numbers: least score, side */
};

CsMaskedDigest
cs_masked_digest(const CsMaskedPart *part)
{
    const gsize row = (gsize)part->row->length * (gsize)part->row->width;
    const gsize column = (gsize)part->column->length * (gsize)part->column->width;
    const XXH128_hash_t parts[] = {
        XXH3_128bits(part->row->h, row), XXH3_128bits(part->row->gap, row),
        XXH3_128bits(part->column->h, column), XXH3_128bits(part->column->gap, column),
        XXH3_128bits(&part->corner, sizeof part->corner)};
    const XXH128_hash_t all = XXH3_128bits(parts, sizeof parts);
    return (CsMaskedDigest){{all.low64, all.high64}};
}

static void
warn(const CsMaskedMatrix *matrix, const char *what, const GError *failure)
{
    const CsMaskedOptions *options = &matrix->options;
    if (options->note == NULL)
        return;
    g_autofree char *message = g_strdup_printf("%s: %s", what, failure->message);
    options->note(CS_NOTE_WARNING, message, options->note_data);
}

void
cs_masked_open_keep(CsMaskedMatrix *matrix)
{
    const CsMaskedOptions *options = &matrix->options;
    const CsMaskedKind kind = cs_masked_kind(matrix);
    g_autoptr(GError) failure = NULL;
    matrix->saved = g_get_monotonic_time();
    if (options->checkpoint == NULL)
        return;
    matrix->keep = cs_masked_keep_new(options->checkpoint, options->name, &kind, &failure);
    if (matrix->keep == NULL)
        warn(matrix, "what was computed cannot be saved; continuing", failure);
}

/* Appends a tile to what is kept. */
static gboolean
save_square(CsMaskedMatrix *matrix, CsMaskedSquare *square, GError **error)
{
    const CsMaskedKept kept = {square->pairs, square->best, square->entered};
    if (!cs_masked_keep_save(matrix->keep, square->number, &kept, square->bottom, square->right,
                             error))
        return FALSE;
    square->unsaved = FALSE;
    return TRUE;
}

void
cs_masked_matrix_save(CsMaskedMatrix *matrix)
{
    g_autoptr(GError) failure = NULL;
    gboolean good = matrix->keep != NULL;
    for (guint k = 0; k < matrix->all->len && good; k++) {
        CsMaskedSquare *square = g_ptr_array_index(matrix->all, k);
        good = !square->unsaved || square->changed || save_square(matrix, square, &failure);
    }
    good = good && cs_masked_keep_tidy(matrix->keep, &failure);
    matrix->saved = g_get_monotonic_time();
    g_atomic_int_set(&matrix->save, 0);
    if (failure == NULL)
        return;
    warn(matrix, "what was computed could not be saved; continuing", failure);
    g_clear_pointer(&matrix->keep, cs_masked_keep_free);
}

void
cs_masked_matrix_save_soon(CsMaskedMatrix *matrix)
{
    g_atomic_int_set(&matrix->save, 1);
}

/* Puts a tile that was kept in its place. */
static gboolean
load_square(CsMaskedMatrix *matrix, gint64 number, CsMaskedKept *kept, GError **error)
{
    CsMaskedSquare *square =
        cs_masked_add(matrix, number / matrix->columns, number % matrix->columns, error);
    if (square == NULL)
        return FALSE;
    if (cs_masked_keep_load(matrix->keep, number, kept, square->bottom, square->right)) {
        square->best = kept->best;
        square->entered = kept->entered;
        return TRUE;
    }
    kept->pairs = -1;
    cs_bus_clear(square->bottom, 0, square->bottom->length);
    cs_bus_clear(square->right, 0, square->right->length);
    return TRUE;
}

/* Whether a kept tile is unchanged: it has the same borders and the same masked pairs. */
static gboolean
is_as_kept(const CsMaskedMatrix *matrix, const CsMaskedSquare *square, const CsMaskedKept *kept)
{
    const CsMaskedPlace place = cs_masked_place_of(matrix, square);
    g_auto(CsMaskedOwned) part = {0};
    if (kept->pairs != square->pairs || !cs_masked_enter(matrix, &place, &part, NULL))
        return FALSE;
    const CsMaskedDigest now = cs_masked_digest(&part);
    return memcmp(&now, &kept->entered, sizeof now) == 0;
}

gboolean
cs_masked_load(CsMaskedMatrix *matrix, GError **error)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (matrix->keep == NULL)
        return TRUE;
    cs_masked_keep_list(matrix->keep, numbers);
    g_autofree CsMaskedKept *kept = g_new0(CsMaskedKept, numbers->len + 1);
    for (guint k = 0; k < numbers->len; k++)
        if (!load_square(matrix, g_array_index(numbers, gint64, k), &kept[k], error))
            return FALSE;
    for (guint k = 0; k < numbers->len; k++) {
        const gint64 number = g_array_index(numbers, gint64, k);
        CsMaskedSquare *square = g_hash_table_lookup(matrix->squares, &number);
        /* A tile that was still to be computed is not kept, although what enters it is. */
        if (!cs_masked_add_entered(matrix, square, error))
            return FALSE;
        if (is_as_kept(matrix, square, &kept[k]))
            cs_masked_set_done(matrix, square);
    }
    if (cs_masked_keep_damaged(matrix->keep) > 0 && matrix->options.note != NULL)
        matrix->options.note(CS_NOTE_WARNING,
                             "what was saved of the matrix is damaged or cut short; its missing "
                             "parts are computed again",
                             matrix->options.note_data);
    return TRUE;
}

gboolean
cs_masked_load_zone(const CsMaskedMatrix *matrix, GArray *numbers)
{
    const CsMaskedOptions *options = &matrix->options;
    gint64 count = 0;
    g_autofree gint64 *there = options->checkpoint != NULL && options->marks != NULL
                                   ? cs_found_load(options->checkpoint, options->zone_name, &count)
                                   : NULL;
    if (there == NULL || count < ZONE_HEAD || there[0] != options->marks->least ||
        there[1] != matrix->side)
        return FALSE;
    for (gint64 k = ZONE_HEAD; k < count; k++)
        if (there[k] < 0 || there[k] >= matrix->rows * matrix->columns)
            return FALSE;
    g_array_append_vals(numbers, there + ZONE_HEAD, (guint)(count - ZONE_HEAD));
    return TRUE;
}

void
cs_masked_save_zone(const CsMaskedMatrix *matrix, GArray *numbers)
{
    const CsMaskedOptions *options = &matrix->options;
    const gint64 head[ZONE_HEAD] = {options->marks->least, matrix->side};
    if (options->checkpoint == NULL)
        return;
    g_array_prepend_vals(numbers, head, ZONE_HEAD);
    (void)cs_found_save(options->checkpoint, options->zone_name, (gint64 *)(gpointer)numbers->data,
                        numbers->len, NULL);
    g_array_remove_range(numbers, 0, ZONE_HEAD);
}
