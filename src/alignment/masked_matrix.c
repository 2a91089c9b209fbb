/* Tiles, and in which order they are computed. */
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "alignment/masked_inside.h"
#include "alignment/masked_zone.h"
#include "checkpoint/found.h"

enum {
    LEAST_SIDE = 1024,   /* around marks */
    ALL_SIDE = 4096,     /* of all tiles */
    MOST_SIDE = 1 << 17, /* a stop waits for a tile: a few seconds */
    STRIP = 64,
    NEAR = 64,
    DISTANCE = 256,
    REACH = 1 << 20, /* cells */
    ZONE_HEAD = 2,   /* numbers: least score, side */
    AHEAD = 8,       /* tiles for each thread that are looked at for those that are ready */
};

#define MEBIBYTE 1048576.0

static gint64
tiles_along(gint64 length, gint64 side)
{
    return (length + side - 1) / side;
}

/* The bytes of the borders of so many tiles. */
static double
bytes_of(double tiles, CsWidth width, gint64 side)
{
    return 4.0 * width * tiles * (double)side;
}

/* Those of all tiles. */
static double
bytes_of_all(gint64 m, gint64 n, CsWidth width, gint64 side)
{
    return 2.0 * width *
           ((double)tiles_along(m, side) * (double)n + (double)tiles_along(n, side) * (double)m);
}

/* The smallest side with which borders of all tiles fit the budget; else the largest. */
static gint64
fitting_side(gint64 m, gint64 n, CsWidth width, gint64 budget)
{
    gint64 side = ALL_SIDE;
    while (bytes_of_all(m, n, width, side) > (double)budget && side < MAX(m, n) && side < MOST_SIDE)
        side *= 2;
    return side;
}

static gboolean
check_bytes(double bytes, gint64 budget, GError **error)
{
    if (bytes <= (double)budget)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory: all alignments of these sequences need a row budget of %.0fM, "
                "and %.3gM are granted",
                ceil(bytes / MEBIBYTE), (double)budget / MEBIBYTE);
    return FALSE;
}

gboolean
cs_masked_matrix_bytes(const CsRectangle *matrix, gint64 budget, gboolean marked, double *bytes,
                       GError **error)
{
    const gint64 m = cs_rectangle_m(matrix), n = cs_rectangle_n(matrix);
    CsWidth width;
    if (!cs_rectangle_width(matrix, &width, error))
        return FALSE;
    *bytes = bytes_of_all(m, n, width, marked ? LEAST_SIDE : fitting_side(m, n, width, budget));
    if (!marked)
        return check_bytes(*bytes, budget, error);
    *bytes = MIN(*bytes, (double)budget);
    return TRUE;
}

static CsMaskedKind
kind_of(const CsMaskedMatrix *matrix)
{
    const CsMaskedOptions *options = &matrix->options;
    return (CsMaskedKind){.m = matrix->m,
                          .n = matrix->n,
                          .side = matrix->side,
                          .width = matrix->width,
                          .area = options->area,
                          .least = options->least,
                          .highest = matrix->whole.scoring.match * MIN(matrix->m, matrix->n)};
}

/* Takes the side of tiles that were kept, and their least score. */
static gboolean
take_kept(CsMaskedMatrix *matrix)
{
    CsMaskedOptions *options = &matrix->options;
    CsMaskedKind kind = kind_of(matrix);
    if (options->checkpoint == NULL ||
        !cs_masked_keep_find(options->checkpoint, options->name, &kind))
        return FALSE;
    matrix->side = kind.side;
    options->least = kind.least;
    return TRUE;
}

static void
choose_side(CsMaskedMatrix *matrix)
{
    const CsMaskedOptions *options = &matrix->options;
    if (take_kept(matrix))
        return;
    if (options->sizes.side > 0)
        matrix->side = options->sizes.side;
    else if (options->marks != NULL)
        matrix->side = LEAST_SIDE;
    else
        matrix->side = fitting_side(matrix->m, matrix->n, matrix->width, options->budget);
}

CsMaskedPlace
cs_masked_place(const CsMaskedMatrix *matrix, gint64 row, gint64 column)
{
    const gint64 above = row * matrix->side, left_of = column * matrix->side;
    return (CsMaskedPlace){above, MIN(matrix->side, matrix->m - above), left_of,
                           MIN(matrix->side, matrix->n - left_of)};
}

static CsMaskedPlace
place_of(const CsMaskedMatrix *matrix, const CsMaskedSquare *square)
{
    return cs_masked_place(matrix, square->row, square->column);
}

CsMaskedSquare *
cs_masked_square(const CsMaskedMatrix *matrix, gint64 row, gint64 column)
{
    const gint64 number = row * matrix->columns + column;
    if (row < 0 || column < 0 || row >= matrix->rows || column >= matrix->columns)
        return NULL;
    return g_hash_table_lookup(matrix->squares, &number);
}

static double
cells_of(const CsMaskedPlace *place)
{
    return (double)place->height * (double)place->width;
}

static void
square_free(gpointer data)
{
    CsMaskedSquare *square = data;
    cs_bus_free(square->bottom);
    cs_bus_free(square->right);
    if (square->runs != NULL)
        g_array_unref(square->runs);
    g_free(square);
}

/* The tile has to be computed. */
static void
set_changed(CsMaskedMatrix *matrix, CsMaskedSquare *square)
{
    const gint64 diagonal = square->row + square->column;
    const CsMaskedPlace place = place_of(matrix, square);
    if (square->changed)
        return;
    square->changed = TRUE;
    matrix->left += cells_of(&place);
    if (matrix->waiting[diagonal] == NULL)
        matrix->waiting[diagonal] = g_ptr_array_new();
    g_ptr_array_add(matrix->waiting[diagonal], square);
    matrix->first = MIN(matrix->first, diagonal);
}

/* It need not be computed. */
static void
set_done(CsMaskedMatrix *matrix, CsMaskedSquare *square)
{
    const CsMaskedPlace place = place_of(matrix, square);
    if (!square->changed)
        return;
    square->changed = FALSE;
    matrix->left -= cells_of(&place);
    g_ptr_array_remove_fast(matrix->waiting[square->row + square->column], square);
}

/* The tile of that place, which from now on can matter. */
static CsMaskedSquare *
add_square(CsMaskedMatrix *matrix, gint64 row, gint64 column, GError **error)
{
    CsMaskedSquare *square = cs_masked_square(matrix, row, column);
    const CsMaskedPlace place = cs_masked_place(matrix, row, column);
    if (square != NULL)
        return square;
    square = g_new0(CsMaskedSquare, 1);
    *square =
        (CsMaskedSquare){.number = row * matrix->columns + column, .row = row, .column = column};
    square->bottom = cs_bus_new(place.width, matrix->width, error);
    square->right = square->bottom != NULL ? cs_bus_new(place.height, matrix->width, error) : NULL;
    if (square->right == NULL) {
        square_free(square);
        return NULL;
    }
    g_hash_table_insert(matrix->squares, &square->number, square);
    g_ptr_array_add(matrix->all, square);
    matrix->area += cells_of(&place);
    set_changed(matrix, square);
    return square;
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

/* Tiles that cannot be kept only cost time. */
static void
open_keep(CsMaskedMatrix *matrix)
{
    const CsMaskedOptions *options = &matrix->options;
    const CsMaskedKind kind = kind_of(matrix);
    g_autoptr(GError) failure = NULL;
    matrix->saved = g_get_monotonic_time();
    if (options->checkpoint == NULL)
        return;
    matrix->keep = cs_masked_keep_new(options->checkpoint, options->name, &kind, &failure);
    if (matrix->keep == NULL)
        warn(matrix, "what was computed cannot be saved; continuing", failure);
}

/* No tiles, of the side that was chosen. */
static void
begin(CsMaskedMatrix *matrix)
{
    matrix->rows = tiles_along(matrix->m, matrix->side);
    matrix->columns = tiles_along(matrix->n, matrix->side);
    matrix->squares = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, square_free);
    matrix->all = g_ptr_array_new();
    matrix->waiting = g_new0(GPtrArray *, matrix->rows + matrix->columns);
    matrix->first = matrix->rows + matrix->columns;
    matrix->grouped = matrix->groups = 0;
    matrix->area = matrix->left = 0;
    open_keep(matrix);
}

static void
end(CsMaskedMatrix *matrix)
{
    for (gint64 d = 0; matrix->waiting != NULL && d < matrix->rows + matrix->columns; d++)
        if (matrix->waiting[d] != NULL)
            g_ptr_array_unref(matrix->waiting[d]);
    g_clear_pointer(&matrix->waiting, g_free);
    g_clear_pointer(&matrix->all, g_ptr_array_unref);
    g_clear_pointer(&matrix->squares, g_hash_table_unref);
    g_clear_pointer(&matrix->keep, cs_masked_keep_free);
}

CsMaskedMatrix *
cs_masked_matrix_new(const CsMaskedOptions *options, GError **error)
{
    g_autoptr(CsMaskedMatrix) matrix = g_new0(CsMaskedMatrix, 1);
    CsMaskedSizes *sizes = &matrix->options.sizes;
    matrix->options = *options;
    matrix->whole = *options->matrix;
    matrix->m = cs_rectangle_m(&matrix->whole);
    matrix->n = cs_rectangle_n(&matrix->whole);
    if (!cs_rectangle_width(&matrix->whole, &matrix->width, error))
        return NULL;
    choose_side(matrix);
    sizes->strip = sizes->strip > 0 ? sizes->strip : STRIP;
    sizes->near = sizes->near > 0 ? sizes->near : NEAR;
    sizes->distance = sizes->distance > 0 ? sizes->distance : DISTANCE;
    sizes->reach = sizes->reach != 0 ? sizes->reach : REACH;
    matrix->crew = cs_crew_new(options->threads);
    begin(matrix);
    return g_steal_pointer(&matrix);
}

void
cs_masked_matrix_free(CsMaskedMatrix *matrix)
{
    if (matrix == NULL)
        return;
    end(matrix);
    if (matrix->crew != NULL)
        cs_crew_free(matrix->crew);
    g_free(matrix);
}

gint64
cs_masked_matrix_cells(const CsMaskedMatrix *matrix)
{
    return matrix->cells;
}

CsBus *
cs_masked_copy(const CsMaskedMatrix *matrix, const CsBus *bus, gint64 from, gint64 count,
               GError **error)
{
    CsBus *copy = cs_bus_new(count, matrix->width, error);
    if (copy != NULL && bus != NULL)
        cs_bus_copy(copy, 0, bus, from, count);
    return copy;
}

/* H of a tile's last cell. */
static CsScore
last_of(const CsMaskedSquare *square)
{
    return cs_width_get(square->bottom->width, square->bottom->h, square->bottom->length - 1);
}

gboolean
cs_masked_enter(const CsMaskedMatrix *matrix, const CsMaskedPlace *place, CsMaskedPart *part,
                GError **error)
{
    const gint64 row = place->above / matrix->side, column = place->left_of / matrix->side;
    const CsMaskedSquare *above = cs_masked_square(matrix, row - 1, column);
    const CsMaskedSquare *beside = cs_masked_square(matrix, row, column - 1);
    const CsMaskedSquare *before = cs_masked_square(matrix, row - 1, column - 1);
    *part = (CsMaskedPart){.above = place->above,
                           .height = place->height,
                           .left_of = place->left_of,
                           .width = place->width,
                           .corner = before != NULL ? last_of(before) : 0};
    part->row =
        cs_masked_copy(matrix, above != NULL ? above->bottom : NULL, 0, place->width, error);
    if (part->row == NULL)
        return FALSE;
    part->column =
        cs_masked_copy(matrix, beside != NULL ? beside->right : NULL, 0, place->height, error);
    return part->column != NULL;
}

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
    const CsMaskArea area = matrix->options.area;
    const gboolean lower = area == CS_MASK_LOWER && part->left_of + part->width <= part->above + 1;
    const gboolean back = area == CS_MASK_BACK && part->left_of >= matrix->n - part->above - 1;
    return (lower || back) && part->corner == 0 && is_zero(part->row) && is_zero(part->column);
}

CsMaskedTile
cs_masked_kernel(const CsMaskedMatrix *matrix, const CsMaskedSquare *square)
{
    const CsMaskedSizes *sizes = &matrix->options.sizes;
    return (CsMaskedTile){.matrix = &matrix->whole,
                          .engine = matrix->options.engine,
                          .mask = {square->runs, matrix->options.area, matrix->n},
                          .strip = sizes->strip,
                          .near = sizes->near,
                          .threshold = matrix->options.least,
                          .stop = &matrix->stop};
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

static CsMaskedDigest
digest_of(const CsMaskedPart *part)
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
    const CsMaskedPlace place = place_of(matrix, square);
    const CsMaskedTile kernel = cs_masked_kernel(matrix, square);
    CsMaskedPart *part = &batch->parts[task];
    GError **error = &batch->errors[task];
    if (g_atomic_int_get(&matrix->stop) != 0 || !cs_masked_enter(matrix, &place, part, error))
        return;
    if (matrix->keep != NULL)
        batch->entered[task] = digest_of(part);
    if (!square->leads && !is_entered(matrix, part)) {
        leave_zeros(part);
        batch->ended[task] = PASSED_OVER;
    } else if (is_dead(matrix, part) || cs_masked_tile_run(&kernel, part, error)) {
        batch->ended[task] = COMPUTED;
    }
}

/* Whether nothing that enters the tile will change any more. */
static gboolean
is_ready(const CsMaskedMatrix *matrix, const CsMaskedSquare *square)
{
    for (int k = 1; k < 4; k++) {
        const CsMaskedSquare *before =
            cs_masked_square(matrix, square->row - (k & 1), square->column - k / 2);
        if (before != NULL && before->changed)
            return FALSE;
    }
    return TRUE;
}

/* The first tiles that changed: those that are ready, and if these are too few for all threads, others.
 * Most of these are as they should be when they were computed again. */
static GPtrArray *
choose_squares(CsMaskedMatrix *matrix)
{
    const gint64 diagonals = matrix->rows + matrix->columns - 1;
    const guint threads = cs_crew_size(matrix->crew);
    GPtrArray *chosen = g_ptr_array_new();
    g_autoptr(GPtrArray) others = g_ptr_array_new();
    while (matrix->first < diagonals &&
           (matrix->waiting[matrix->first] == NULL || matrix->waiting[matrix->first]->len == 0))
        matrix->first++;
    for (gint64 d = matrix->first, seen = 0;
         d < diagonals && seen < (gint64)threads * AHEAD && chosen->len < threads; d++) {
        const GPtrArray *waiting = matrix->waiting[d];
        for (guint k = 0; waiting != NULL && k < waiting->len; k++, seen++) {
            CsMaskedSquare *square = g_ptr_array_index(waiting, k);
            g_ptr_array_add(is_ready(matrix, square) ? chosen : others, square);
        }
    }
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

/* A border that enters the tile of that place changed. */
static gboolean
pass_on(CsMaskedMatrix *matrix, gint64 row, gint64 column, gboolean high, GError **error)
{
    if (row >= matrix->rows || column >= matrix->columns)
        return TRUE;
    CsMaskedSquare *square =
        high ? add_square(matrix, row, column, error) : cs_masked_square(matrix, row, column);
    if (square != NULL)
        set_changed(matrix, square);
    return square != NULL || !high;
}

/* Takes over what was computed of a tile, and passes on what changed. */
static gboolean
take_over(CsMaskedMatrix *matrix, CsMaskedSquare *square, const CsMaskedPart *part, GError **error)
{
    const gint64 row = square->row, column = square->column;
    const CsScore corner = last_of(square);
    square->best = part->best;
    square->unsaved = TRUE;
    const gboolean below = put(square->bottom, part->row),
                   beside = put(square->right, part->column);
    const gboolean high = last_of(square) >= matrix->options.least;
    return (!below || pass_on(matrix, row + 1, column, is_high(matrix, square->bottom), error)) &&
           (!beside || pass_on(matrix, row, column + 1, is_high(matrix, square->right), error)) &&
           (corner == last_of(square) || pass_on(matrix, row + 1, column + 1, high, error));
}

/* Computes some tiles that changed. */
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
            set_done(matrix, g_ptr_array_index(squares, k));
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

static gboolean
save_is_due(const CsMaskedMatrix *matrix)
{
    const double passed = (double)(g_get_monotonic_time() - matrix->saved) / G_USEC_PER_SEC;
    return matrix->keep != NULL &&
           (passed >= matrix->options.interval || g_atomic_int_get(&matrix->save) != 0);
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
        add_square(matrix, number / matrix->columns, number % matrix->columns, error);
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

/* Whether a tile that was kept is what it was: the same enters it, and the same is masked. */
static gboolean
is_as_kept(const CsMaskedMatrix *matrix, const CsMaskedSquare *square, const CsMaskedKept *kept)
{
    const CsMaskedPlace place = place_of(matrix, square);
    g_auto(CsMaskedOwned) part = {0};
    if (kept->pairs != square->pairs || !cs_masked_enter(matrix, &place, &part, NULL))
        return FALSE;
    const CsMaskedDigest now = digest_of(&part);
    return memcmp(&now, &kept->entered, sizeof now) == 0;
}

/* Loads all tiles that were kept. Pairs of all alignments were masked before. */
static gboolean
look_at_kept(CsMaskedMatrix *matrix, GError **error)
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
        if (is_as_kept(matrix, square, &kept[k]))
            set_done(matrix, square);
    }
    if (cs_masked_keep_damaged(matrix->keep) > 0 && matrix->options.note != NULL)
        matrix->options.note(CS_NOTE_WARNING,
                             "what was saved of the matrix is damaged or cut short; its missing "
                             "parts are computed again",
                             matrix->options.note_data);
    return TRUE;
}

/* Makes tiles twice as high and wide, of which fewer take less memory. */
static gboolean
coarsen(CsMaskedMatrix *matrix, GError **error)
{
    g_autoptr(GHashTable) old = g_steal_pointer(&matrix->squares);
    const double bytes = bytes_of(g_hash_table_size(old), matrix->width, matrix->side);
    GHashTableIter iter;
    gpointer value;
    if (matrix->side >= MIN(MOST_SIDE, MAX(matrix->m, matrix->n)))
        return check_bytes(bytes, matrix->options.budget, error);
    end(matrix);
    matrix->side *= 2;
    begin(matrix);
    g_hash_table_iter_init(&iter, old);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const CsMaskedSquare *from = value;
        CsMaskedSquare *to = add_square(matrix, from->row / 2, from->column / 2, error);
        if (to == NULL)
            return FALSE;
        to->pairs += from->pairs;
        to->leads |= from->leads;
        if (from->runs != NULL && to->runs == NULL)
            to->runs = g_array_new(FALSE, FALSE, sizeof(CsMaskRun));
        if (from->runs != NULL)
            g_array_append_vals(to->runs, from->runs->data, from->runs->len);
    }
    return TRUE;
}

/* Makes tiles larger until there is room for their borders. */
static gboolean
make_fit(CsMaskedMatrix *matrix, GError **error)
{
    while (matrix->options.sizes.side == 0 &&
           bytes_of(matrix->all->len, matrix->width, matrix->side) > (double)matrix->options.budget)
        if (!coarsen(matrix, error))
            return FALSE;
    return TRUE;
}

/* Reads which tiles lead to marks, as an earlier run found. */
static gboolean
load_zone(const CsMaskedMatrix *matrix, GArray *numbers)
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

/* Finds them. They are kept, which saves time and nothing else. */
static gboolean
find_zone(CsMaskedMatrix *matrix, GArray *numbers, GError **error)
{
    const CsMaskedOptions *options = &matrix->options;
    const CsMaskedZone zone = {&matrix->whole,   options->marks, options->engine,    matrix->side,
                               options->threads, &matrix->stop,  &matrix->millionths};
    const gint64 head[ZONE_HEAD] = {options->marks->least, matrix->side};
    if (!cs_masked_zone_find(&zone, numbers, error))
        return FALSE;
    g_array_prepend_vals(numbers, head, ZONE_HEAD);
    if (options->checkpoint != NULL)
        (void)cs_found_save(options->checkpoint, options->zone_name,
                            (gint64 *)(gpointer)numbers->data, numbers->len, NULL);
    g_array_remove_range(numbers, 0, ZONE_HEAD);
    return TRUE;
}

/* Adds the tiles that can matter: those that lead to marks, or all. */
static gboolean
add_squares(CsMaskedMatrix *matrix, GError **error)
{
    const CsMaskedOptions *options = &matrix->options;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (options->marks != NULL && !load_zone(matrix, numbers) && !find_zone(matrix, numbers, error))
        return FALSE;
    for (gint64 k = 0; options->marks == NULL && k < matrix->rows * matrix->columns; k++)
        g_array_append_val(numbers, k);
    for (guint k = 0; k < numbers->len; k++) {
        const gint64 number = g_array_index(numbers, gint64, k);
        CsMaskedSquare *square =
            add_square(matrix, number / matrix->columns, number % matrix->columns, error);
        if (square == NULL)
            return FALSE;
        square->leads = TRUE;
    }
    return make_fit(matrix, error);
}

/* The first update begins with finding the tiles that lead to marks, about half of it. */
static void
note_share(CsMaskedMatrix *matrix)
{
    const double before = matrix->options.marks != NULL && matrix->grouped == 0 ? 0.5 : 0;
    const double done = before + (1 - before) * (1 - matrix->left / matrix->area);
    g_atomic_int_set(&matrix->millionths, (gint)(1e6 * done));
}

static gboolean
fail_stopped(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped");
    return FALSE;
}

/* Computes tiles until none has changed. */
static gboolean
run_batches(CsMaskedMatrix *matrix, GError **error)
{
    while (matrix->left > 0) {
        note_share(matrix);
        if (!run_batch(matrix, choose_squares(matrix), error) || !make_fit(matrix, error))
            return FALSE;
        if (g_atomic_int_get(&matrix->stop) != 0)
            return fail_stopped(error);
        if (save_is_due(matrix))
            cs_masked_matrix_save(matrix);
    }
    return TRUE;
}

static void
group_around(const CsMaskedMatrix *matrix, CsMaskedSquare *first, guint group)
{
    g_autoptr(GPtrArray) stack = g_ptr_array_new();
    g_ptr_array_add(stack, first);
    first->group = group;
    while (stack->len > 0) {
        const CsMaskedSquare *square = g_ptr_array_steal_index_fast(stack, stack->len - 1);
        for (int way = 1; way <= 6; way++) { /* borders pass from here or to here */
            const gint64 sign = way > 3 ? -1 : 1, kind = (way - 1) % 3 + 1;
            CsMaskedSquare *other = cs_masked_square(matrix, square->row + sign * (kind & 1),
                                                     square->column + sign * (kind / 2));
            if (other != NULL && other->group == G_MAXUINT) {
                other->group = group;
                g_ptr_array_add(stack, other);
            }
        }
    }
}

/* Tiles that do not touch each other, nor through others, have nothing to do with each other. */
static void
find_groups(CsMaskedMatrix *matrix)
{
    if (matrix->grouped == matrix->all->len)
        return;
    matrix->grouped = matrix->all->len;
    matrix->groups = 0;
    for (guint k = 0; k < matrix->all->len; k++)
        ((CsMaskedSquare *)g_ptr_array_index(matrix->all, k))->group = G_MAXUINT;
    for (guint k = 0; k < matrix->all->len; k++) {
        CsMaskedSquare *square = g_ptr_array_index(matrix->all, k);
        if (square->group == G_MAXUINT)
            group_around(matrix, square, matrix->groups++);
    }
}

/* Work on a thread of its own. */
typedef struct Job {
    CsMaskedMatrix *matrix;
    gboolean (*func)(struct Job *job, GError **error);
    const CsBest *ends; /* of a trace */
    CsPath *paths;
    guint count;
    GError **errors;
    gboolean done;
    GError *error;
} Job;

static void
run_job(gpointer data)
{
    Job *job = data;
    job->done = job->func(job, &job->error);
}

static void
ask(gpointer data)
{
    CsMaskedMatrix *matrix = ((Job *)data)->matrix;
    const CsMaskedOptions *options = &matrix->options;
    const double done = g_atomic_int_get(&matrix->millionths) / 1e6;
    if (g_atomic_int_get(&matrix->stop) == 0 && !options->go_on(done, options->user_data))
        g_atomic_int_set(&matrix->stop, 1);
}

/* Runs the job while the caller is asked whether to go on. */
static gboolean
run_asking(Job *job, GError **error)
{
    CsMaskedMatrix *matrix = job->matrix;
    CsThread *thread =
        matrix->options.go_on != NULL ? cs_thread_new("tiles", run_job, job, NULL) : NULL;
    if (thread != NULL)
        cs_thread_join_asking(thread, ask, job);
    else /* and nobody can stop it */
        run_job(job);
    if (job->error != NULL) {
        g_propagate_error(error, job->error);
        return FALSE;
    }
    return g_atomic_int_get(&matrix->stop) == 0 || fail_stopped(error);
}

/* A function of a job. */
static gboolean
update(Job *job, GError **error)
{
    CsMaskedMatrix *matrix = job->matrix;
    if (!matrix->begun && (!add_squares(matrix, error) || !look_at_kept(matrix, error)))
        return FALSE;
    matrix->begun = TRUE;
    if (!run_batches(matrix, error))
        return FALSE;
    find_groups(matrix);
    return TRUE;
}

static gint
compare_bests(gconstpointer one, gconstpointer other, gpointer user_data)
{
    const CsMaskedMatrix *matrix = user_data;
    const CsBest *a = one, *b = other;
    if (cs_best_yields_to(b, matrix->whole.tie_order, a->score, a->i, a->j))
        return -1;
    return cs_best_yields_to(a, matrix->whole.tie_order, b->score, b->i, b->j);
}

gboolean
cs_masked_matrix_update(CsMaskedMatrix *matrix, GArray *bests, GError **error)
{
    Job job = {.matrix = matrix, .func = update};
    if (!run_asking(&job, error))
        return FALSE;
    g_array_set_size(bests, 0);
    g_array_set_size(bests, matrix->groups);
    for (guint k = 0; k < matrix->all->len; k++) {
        const CsMaskedSquare *square = g_ptr_array_index(matrix->all, k);
        cs_best_merge(&g_array_index(bests, CsBest, square->group), matrix->whole.tie_order,
                      &square->best);
    }
    for (guint k = bests->len; k-- > 0;)
        if (g_array_index(bests, CsBest, k).score == 0)
            g_array_remove_index_fast(bests, k);
    g_array_sort_with_data(bests, compare_bests, matrix);
    return TRUE;
}

/* Masks pairs of one run in the tiles that it passes. */
static gboolean
mask_run(CsMaskedMatrix *matrix, CsMaskRun run, GError **error)
{
    while (run.length > 0) {
        const gint64 row = (run.i - 1) / matrix->side, column = (run.j - 1) / matrix->side;
        const CsMaskedPlace place = cs_masked_place(matrix, row, column);
        CsMaskedSquare *square = add_square(matrix, row, column, error);
        if (square == NULL)
            return FALSE;
        const gint64 inside =
            MIN(place.above + place.height - run.i + 1, place.left_of + place.width - run.j + 1);
        const CsMaskRun part = {run.i, run.j, MIN(run.length, inside)};
        if (square->runs == NULL)
            square->runs = g_array_new(FALSE, FALSE, sizeof(CsMaskRun));
        g_array_append_val(square->runs, part);
        square->pairs += part.length;
        set_changed(matrix, square);
        run = (CsMaskRun){run.i + part.length, run.j + part.length, run.length - part.length};
    }
    return TRUE;
}

gboolean
cs_masked_matrix_mask(CsMaskedMatrix *matrix, const CsPath *path, GError **error)
{
    gint64 i = path->i0, j = path->j0;
    for (gsize k = 0; k < path->n; k++) {
        const CsPathKind kind = cs_path_kind(path, k);
        const gint64 length = cs_path_length(path, k);
        if (kind == CS_PATH_PAIRS && !mask_run(matrix, (CsMaskRun){i + 1, j + 1, length}, error))
            return FALSE;
        i += kind != CS_PATH_COLUMNS ? length : 0;
        j += kind != CS_PATH_ROWS ? length : 0;
    }
    return TRUE;
}

/* A CsParallelFunc. */
static void
walk(gint64 task, gpointer user_data)
{
    const Job *job = user_data;
    if (g_atomic_int_get(&job->matrix->stop) == 0)
        (void)cs_masked_walk(job->matrix, &job->ends[task], &job->paths[task], &job->errors[task]);
}

/* A function of a job. */
static gboolean
trace(Job *job, GError **error)
{
    g_autofree GError **errors = job->errors = g_new0(GError *, job->count);
    cs_crew_run(job->matrix->crew, job->count, walk, job);
    for (guint k = 0; k < job->count; k++)
        if (errors[k] != NULL && *error == NULL)
            g_propagate_error(error, errors[k]);
        else
            g_clear_error(&errors[k]);
    return *error == NULL;
}

gboolean
cs_masked_matrix_trace(CsMaskedMatrix *matrix, const CsBest *ends, guint count, CsPath *paths,
                       GError **error)
{
    Job job = {.matrix = matrix, .func = trace, .ends = ends, .paths = paths, .count = count};
    for (guint k = 0; k < count; k++)
        cs_path_init(&paths[k], ends[k].i, ends[k].j);
    if (!run_asking(&job, error))
        return FALSE;
    for (guint k = 0; k < count; k++)
        cs_path_turn(&paths[k]);
    return TRUE;
}
