/* Tiles, diagonal by diagonal, and the walk back through them. */
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include <chromosweep/error.h>

#include "alignment/masked_keep.h"
#include "alignment/masked_matrix.h"
#include "alignment/reach.h"
#include "alignment/walk.h"
#include "system/parallel.h"

enum {
    LEAST_SIDE = 4096,
    MOST_SIDE = 1 << 17, /* a stop waits for a tile: a few seconds */
    STRIP = 64,
    NEAR = 64,
    DISTANCE = 256,
    REACH = 1 << 20, /* cells */
    WALK_WIDTH = 1 << 13,
};

#define MEBIBYTE 1048576.0

typedef struct {
    GArray *runs; /* masked, of CsMaskRun; or NULL */
    CsBest best;
    gboolean changed;                                     /* what it is computed from */
    gboolean row_changed, column_changed, corner_changed; /* of its borders, when last computed */
    gint64 pairs;                                         /* masked ones */
    CsMaskedDigest entered;                               /* what it was computed from */
    gboolean unsaved;
} Tile;

struct _CsMaskedMatrix {
    CsMaskedOptions options;
    CsRectangle whole;
    CsWidth width;
    gint64 m, n, side;
    gint64 rows, columns; /* of tiles */
    Tile *tiles;          /* row by row */
    CsBus **bottom;       /* of each row of tiles: n cells */
    CsBus **right;        /* of each column of tiles: m cells */
    gint64 cells;
    CsMaskedKeep *keep; /* or NULL */
    gint64 saved;       /* when, on the monotonic clock */
    gboolean looked;    /* at what was kept */
    double left;        /* cells of tiles that changed */
    gint millionths;    /* atomic: the share of the others */
    gint stop, save;    /* atomic: asked to */
};

/* Rows and columns of a tile. */
typedef struct {
    gint64 above, height, left_of, width;
} Place;

static gint64
tiles_along(gint64 length, gint64 side)
{
    return (length + side - 1) / side;
}

/* The bytes of the borders of such tiles. */
static double
bytes_of(gint64 m, gint64 n, CsWidth width, gint64 side)
{
    return 2.0 * width *
           ((double)tiles_along(m, side) * (double)n + (double)tiles_along(n, side) * (double)m);
}

/* The smallest side, at least `side`, with which borders fit the budget; else the largest. */
static gint64
fitting_side(gint64 m, gint64 n, CsWidth width, gint64 side, gint64 budget)
{
    while (bytes_of(m, n, width, side) > (double)budget && side < MAX(m, n) && side < MOST_SIDE)
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
cs_masked_matrix_bytes(const CsRectangle *matrix, gint64 budget, double *bytes, GError **error)
{
    const gint64 m = cs_rectangle_m(matrix), n = cs_rectangle_n(matrix);
    CsWidth width;
    if (!cs_rectangle_width(matrix, &width, error))
        return FALSE;
    *bytes = bytes_of(m, n, width, fitting_side(m, n, width, LEAST_SIDE, budget));
    return check_bytes(*bytes, budget, error);
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

/* Takes the side of tiles that were kept if it fits, and their least score. */
static gboolean
take_kept(CsMaskedMatrix *matrix)
{
    CsMaskedOptions *options = &matrix->options;
    CsMaskedKind kind = kind_of(matrix);
    if (options->checkpoint == NULL ||
        !cs_masked_keep_find(options->checkpoint, options->name, &kind) ||
        bytes_of(matrix->m, matrix->n, matrix->width, kind.side) > (double)options->budget)
        return FALSE;
    matrix->side = kind.side;
    options->least = kind.least;
    return TRUE;
}

/* That of tiles that were kept, or else the smallest that fits. */
static gboolean
choose_side(CsMaskedMatrix *matrix, GError **error)
{
    const CsMaskedOptions *options = &matrix->options;
    const gint64 m = matrix->m, n = matrix->n, budget = options->budget;
    if (take_kept(matrix))
        return TRUE;
    if (options->sizes.side > 0)
        matrix->side = options->sizes.side;
    else
        matrix->side = fitting_side(m, n, matrix->width, LEAST_SIDE, budget);
    return options->sizes.side > 0 ||
           check_bytes(bytes_of(m, n, matrix->width, matrix->side), budget, error);
}

static Place
place_of(const CsMaskedMatrix *matrix, gint64 row, gint64 column)
{
    const gint64 above = row * matrix->side, left_of = column * matrix->side;
    return (Place){above, MIN(matrix->side, matrix->m - above), left_of,
                   MIN(matrix->side, matrix->n - left_of)};
}

static Tile *
tile_at(const CsMaskedMatrix *matrix, gint64 row, gint64 column)
{
    return &matrix->tiles[row * matrix->columns + column];
}

static gboolean
new_buses(CsBus **buses, gint64 count, gint64 length, CsWidth width, GError **error)
{
    for (gint64 k = 0; k < count; k++) {
        buses[k] = cs_bus_new(length, width, error);
        if (buses[k] == NULL)
            return FALSE;
    }
    return TRUE;
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
    if (!choose_side(matrix, error))
        return NULL;
    sizes->strip = sizes->strip > 0 ? sizes->strip : STRIP;
    sizes->near = sizes->near > 0 ? sizes->near : NEAR;
    sizes->distance = sizes->distance > 0 ? sizes->distance : DISTANCE;
    sizes->reach = sizes->reach != 0 ? sizes->reach : REACH;
    matrix->rows = tiles_along(matrix->m, matrix->side);
    matrix->columns = tiles_along(matrix->n, matrix->side);
    matrix->tiles = g_new0(Tile, matrix->rows * matrix->columns);
    matrix->bottom = g_new0(CsBus *, matrix->rows);
    matrix->right = g_new0(CsBus *, matrix->columns);
    for (gint64 k = 0; k < matrix->rows * matrix->columns; k++)
        matrix->tiles[k].changed = TRUE;
    if (!new_buses(matrix->bottom, matrix->rows, matrix->n, matrix->width, error) ||
        !new_buses(matrix->right, matrix->columns, matrix->m, matrix->width, error))
        return NULL;
    open_keep(matrix);
    return g_steal_pointer(&matrix);
}

void
cs_masked_matrix_free(CsMaskedMatrix *matrix)
{
    if (matrix == NULL)
        return;
    for (gint64 k = 0; matrix->tiles != NULL && k < matrix->rows * matrix->columns; k++)
        if (matrix->tiles[k].runs != NULL)
            g_array_unref(matrix->tiles[k].runs);
    for (gint64 k = 0; matrix->bottom != NULL && k < matrix->rows; k++)
        cs_bus_free(matrix->bottom[k]);
    for (gint64 k = 0; matrix->right != NULL && k < matrix->columns; k++)
        cs_bus_free(matrix->right[k]);
    g_free(matrix->tiles);
    g_free(matrix->bottom);
    g_free(matrix->right);
    cs_masked_keep_free(matrix->keep);
    g_free(matrix);
}

gint64
cs_masked_matrix_cells(const CsMaskedMatrix *matrix)
{
    return matrix->cells;
}

/* A copy of so many cells of a bus; zeros without one. */
static CsBus *
copy_of(const CsMaskedMatrix *matrix, const CsBus *bus, gint64 from, gint64 count, GError **error)
{
    CsBus *copy = cs_bus_new(count, matrix->width, error);
    if (copy != NULL && bus != NULL)
        cs_bus_copy(copy, 0, bus, from, count);
    return copy;
}

/* The borders that enter a tile, from the first of its columns and rows on. */
static gboolean
read_borders(const CsMaskedMatrix *matrix, const Place *place, CsMaskedPart *part, GError **error)
{
    const gint64 row = place->above / matrix->side, column = place->left_of / matrix->side;
    const CsBus *top = row > 0 ? matrix->bottom[row - 1] : NULL;
    const CsBus *left = column > 0 ? matrix->right[column - 1] : NULL;
    *part = (CsMaskedPart){.above = place->above,
                           .height = place->height,
                           .left_of = place->left_of,
                           .width = place->width};
    if (top != NULL && column > 0)
        part->corner = cs_width_get(top->width, top->h, place->left_of - 1);
    part->row = copy_of(matrix, top, place->left_of, place->width, error);
    if (part->row == NULL)
        return FALSE;
    part->column = copy_of(matrix, left, place->above, place->height, error);
    return part->column != NULL;
}

static void
part_clear(CsMaskedPart *part)
{
    g_clear_pointer(&part->row, cs_bus_free);
    g_clear_pointer(&part->column, cs_bus_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsMaskedPart, part_clear)

static gboolean
is_zero(const CsBus *bus)
{
    CsScore highest, lowest;
    cs_bus_range(bus, &highest, &lowest);
    return highest == 0;
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

static CsMaskedTile
kernel_of(const CsMaskedMatrix *matrix, const Tile *tile)
{
    const CsMaskedSizes *sizes = &matrix->options.sizes;
    return (CsMaskedTile){.matrix = &matrix->whole,
                          .engine = matrix->options.engine,
                          .mask = {tile->runs, matrix->options.area, matrix->n},
                          .strip = sizes->strip,
                          .near = sizes->near,
                          .threshold = matrix->options.least,
                          .stop = &matrix->stop};
}

/* Puts a border in its place. Returns whether it is another than before. */
static gboolean
put(CsBus *there, gint64 from, const CsBus *here)
{
    const CsBus slice = cs_bus_slice(there, from, here->length);
    const gsize bytes = (gsize)here->length * (gsize)here->width;
    if (memcmp(slice.h, here->h, bytes) == 0 && memcmp(slice.gap, here->gap, bytes) == 0)
        return FALSE;
    cs_bus_copy(there, from, here, 0, here->length);
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

/* Computes a tile from its borders and its masked pairs. */
static gboolean
compute_tile(CsMaskedMatrix *matrix, gint64 row, gint64 column, GError **error)
{
    Tile *tile = tile_at(matrix, row, column);
    const Place place = place_of(matrix, row, column);
    const CsMaskedTile kernel = kernel_of(matrix, tile);
    CsBus *bottom = matrix->bottom[row];
    const gint64 last = place.left_of + place.width - 1;
    CsMaskedDigest entered = {{0}};
    g_auto(CsMaskedPart) part = {0};
    if (!read_borders(matrix, &place, &part, error))
        return FALSE;
    if (matrix->keep != NULL)
        entered = digest_of(&part);
    if (!is_dead(matrix, &part) && !cs_masked_tile_run(&kernel, &part, error))
        return FALSE;
    const CsScore corner = cs_width_get(bottom->width, bottom->h, last);
    tile->best = part.best;
    tile->entered = entered;
    tile->unsaved = TRUE;
    tile->row_changed = put(bottom, place.left_of, part.row);
    tile->column_changed = put(matrix->right[column], place.above, part.column);
    tile->corner_changed = corner != cs_width_get(bottom->width, bottom->h, last);
    return TRUE;
}

/* The changed tiles of a diagonal. */
typedef struct {
    CsMaskedMatrix *matrix;
    gint64 diagonal;
    GArray *rows;  /* of tiles: gint64 */
    guint8 *ended; /* whether each was computed */
    GError **errors;
} Diagonal;

/* A CsParallelFunc. */
static void
compute_task(gint64 task, gpointer user_data)
{
    Diagonal *diagonal = user_data;
    const gint64 row = g_array_index(diagonal->rows, gint64, task);
    diagonal->ended[task] =
        compute_tile(diagonal->matrix, row, diagonal->diagonal - row, &diagonal->errors[task]);
}

static double
cells_of(const Place *place)
{
    return (double)place->height * (double)place->width;
}

static void
mark(CsMaskedMatrix *matrix, gint64 row, gint64 column)
{
    if (row >= matrix->rows || column >= matrix->columns)
        return;
    Tile *tile = tile_at(matrix, row, column);
    const Place place = place_of(matrix, row, column);
    matrix->left += tile->changed ? 0 : cells_of(&place);
    tile->changed = TRUE;
}

/* Passes on what changed. */
static void
end_tile(CsMaskedMatrix *matrix, gint64 row, gint64 column)
{
    Tile *tile = tile_at(matrix, row, column);
    const Place place = place_of(matrix, row, column);
    tile->changed = FALSE;
    matrix->cells += place.height * place.width;
    matrix->left -= cells_of(&place);
    if (tile->row_changed)
        mark(matrix, row + 1, column);
    if (tile->column_changed)
        mark(matrix, row, column + 1);
    if (tile->corner_changed)
        mark(matrix, row + 1, column + 1);
}

static gboolean
run_diagonal(CsMaskedMatrix *matrix, gint64 at, GError **error)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(gint64));
    const gint64 first = MAX(0, at - matrix->columns + 1), last = MIN(at, matrix->rows - 1);
    for (gint64 row = first; row <= last; row++)
        if (tile_at(matrix, row, at - row)->changed)
            g_array_append_val(rows, row);
    if (rows->len == 0)
        return TRUE;
    g_autofree GError **errors = g_new0(GError *, rows->len);
    g_autofree guint8 *ended = g_new0(guint8, rows->len);
    Diagonal diagonal = {matrix, at, rows, ended, errors};
    (void)cs_parallel_run(rows->len, matrix->options.threads, &matrix->stop, compute_task,
                          &diagonal);
    GError *failure = NULL;
    for (guint k = 0; k < rows->len; k++) {
        const gint64 row = g_array_index(rows, gint64, k);
        if (ended[k])
            end_tile(matrix, row, at - row);
        if (errors[k] != NULL && failure == NULL)
            failure = g_steal_pointer(&errors[k]);
        g_clear_error(&errors[k]);
    }
    if (failure == NULL)
        return TRUE;
    g_propagate_error(error, failure);
    return FALSE;
}

/* Appends a tile to what is kept. */
static gboolean
save_tile(CsMaskedMatrix *matrix, gint64 row, gint64 column, GError **error)
{
    Tile *tile = tile_at(matrix, row, column);
    const Place place = place_of(matrix, row, column);
    const CsBus bottom = cs_bus_slice(matrix->bottom[row], place.left_of, place.width);
    const CsBus right = cs_bus_slice(matrix->right[column], place.above, place.height);
    const CsMaskedKept kept = {tile->pairs, tile->best, tile->entered};
    if (!cs_masked_keep_save(matrix->keep, row * matrix->columns + column, &kept, &bottom, &right,
                             error))
        return FALSE;
    tile->unsaved = FALSE;
    return TRUE;
}

void
cs_masked_matrix_save(CsMaskedMatrix *matrix)
{
    g_autoptr(GError) failure = NULL;
    gboolean good = matrix->keep != NULL;
    for (gint64 row = 0; row < matrix->rows && good; row++)
        for (gint64 column = 0; column < matrix->columns && good; column++) {
            const Tile *tile = tile_at(matrix, row, column);
            good = !tile->unsaved || tile->changed || save_tile(matrix, row, column, &failure);
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
static void
load_tile(CsMaskedMatrix *matrix, gint64 row, gint64 column, CsMaskedKept *kept)
{
    Tile *tile = tile_at(matrix, row, column);
    const Place place = place_of(matrix, row, column);
    CsBus bottom = cs_bus_slice(matrix->bottom[row], place.left_of, place.width);
    CsBus right = cs_bus_slice(matrix->right[column], place.above, place.height);
    if (cs_masked_keep_load(matrix->keep, row * matrix->columns + column, kept, &bottom, &right)) {
        tile->best = kept->best;
        tile->entered = kept->entered;
        return;
    }
    kept->pairs = -1;
    cs_bus_clear(&bottom, 0, bottom.length);
    cs_bus_clear(&right, 0, right.length);
}

/* Whether a tile that was kept is what it was: the same enters it, and the same is masked. */
static gboolean
is_as_kept(const CsMaskedMatrix *matrix, gint64 row, gint64 column, const CsMaskedKept *kept)
{
    const Tile *tile = tile_at(matrix, row, column);
    const Place place = place_of(matrix, row, column);
    g_auto(CsMaskedPart) part = {0};
    if (kept->pairs != tile->pairs || !read_borders(matrix, &place, &part, NULL))
        return FALSE;
    const CsMaskedDigest now = digest_of(&part);
    return memcmp(&now, &kept->entered, sizeof now) == 0;
}

/* Loads all tiles that were kept. Pairs of all alignments were masked before. */
static void
look_at_kept(CsMaskedMatrix *matrix)
{
    g_autofree CsMaskedKept *kept = NULL;
    if (matrix->looked || matrix->keep == NULL)
        return;
    matrix->looked = TRUE;
    kept = g_try_new0(CsMaskedKept, matrix->rows * matrix->columns);
    if (kept == NULL)
        return;
    for (gint64 k = 0; k < matrix->rows * matrix->columns; k++)
        load_tile(matrix, k / matrix->columns, k % matrix->columns, &kept[k]);
    for (gint64 k = 0; k < matrix->rows * matrix->columns; k++)
        matrix->tiles[k].changed =
            !is_as_kept(matrix, k / matrix->columns, k % matrix->columns, &kept[k]);
    if (cs_masked_keep_damaged(matrix->keep) > 0 && matrix->options.note != NULL)
        matrix->options.note(CS_NOTE_WARNING,
                             "what was saved of the matrix is damaged or cut short; its missing "
                             "parts are computed again",
                             matrix->options.note_data);
}

/* Counts the cells of tiles that changed. */
static void
count_left(CsMaskedMatrix *matrix)
{
    matrix->left = 0;
    for (gint64 k = 0; k < matrix->rows * matrix->columns; k++) {
        const Place place = place_of(matrix, k / matrix->columns, k % matrix->columns);
        matrix->left += matrix->tiles[k].changed ? cells_of(&place) : 0;
    }
}

static void
note_share(CsMaskedMatrix *matrix)
{
    const double all = (double)matrix->m * (double)matrix->n;
    g_atomic_int_set(&matrix->millionths, (gint)(1e6 * (1 - matrix->left / all)));
}

static gboolean
fail_stopped(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped");
    return FALSE;
}

static gboolean
run_diagonals(CsMaskedMatrix *matrix, GError **error)
{
    look_at_kept(matrix);
    count_left(matrix);
    for (gint64 at = 0; at < matrix->rows + matrix->columns - 1; at++) {
        note_share(matrix);
        if (!run_diagonal(matrix, at, error))
            return FALSE;
        if (g_atomic_int_get(&matrix->stop) != 0)
            return fail_stopped(error);
        if (save_is_due(matrix))
            cs_masked_matrix_save(matrix);
    }
    return TRUE;
}

/* Work on a thread of its own. */
typedef struct Job {
    CsMaskedMatrix *matrix;
    gboolean (*func)(struct Job *job, GError **error);
    const CsBest *end; /* of a trace */
    CsPath *path;
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
    return run_diagonals(job->matrix, error);
}

gboolean
cs_masked_matrix_update(CsMaskedMatrix *matrix, CsBest *best, GError **error)
{
    Job job = {.matrix = matrix, .func = update};
    if (!run_asking(&job, error))
        return FALSE;
    *best = (CsBest){0};
    for (gint64 k = 0; k < matrix->rows * matrix->columns; k++)
        cs_best_merge(best, matrix->whole.tie_order, &matrix->tiles[k].best);
    return TRUE;
}

/* Masks pairs of one run in the tiles that it passes. */
static void
mask_run(CsMaskedMatrix *matrix, CsMaskRun run)
{
    while (run.length > 0) {
        const gint64 row = (run.i - 1) / matrix->side, column = (run.j - 1) / matrix->side;
        const Place place = place_of(matrix, row, column);
        Tile *tile = tile_at(matrix, row, column);
        const gint64 inside =
            MIN(place.above + place.height - run.i + 1, place.left_of + place.width - run.j + 1);
        const CsMaskRun part = {run.i, run.j, MIN(run.length, inside)};
        if (tile->runs == NULL)
            tile->runs = g_array_new(FALSE, FALSE, sizeof(CsMaskRun));
        g_array_append_val(tile->runs, part);
        tile->pairs += part.length;
        tile->changed = TRUE;
        run = (CsMaskRun){run.i + part.length, run.j + part.length, run.length - part.length};
    }
}

void
cs_masked_matrix_mask(CsMaskedMatrix *matrix, const CsPath *path)
{
    gint64 i = path->i0, j = path->j0;
    for (gsize k = 0; k < path->n; k++) {
        const CsPathKind kind = cs_path_kind(path, k);
        const gint64 length = cs_path_length(path, k);
        if (kind == CS_PATH_PAIRS)
            mask_run(matrix, (CsMaskRun){i + 1, j + 1, length});
        i += kind != CS_PATH_COLUMNS ? length : 0;
        j += kind != CS_PATH_ROWS ? length : 0;
    }
}

/* All masked pairs of some tiles. */
static GArray *
collect_runs(const CsMaskedMatrix *matrix, gint64 above, gint64 left_of, const CsBest *end)
{
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(CsMaskRun));
    for (gint64 row = above / matrix->side; row <= (end->i - 1) / matrix->side; row++)
        for (gint64 column = left_of / matrix->side; column <= (end->j - 1) / matrix->side;
             column++) {
            const GArray *some = tile_at(matrix, row, column)->runs;
            if (some != NULL)
                g_array_append_vals(runs, some->data, some->len);
        }
    return runs;
}

/* Walks through the box of a short alignment, which nothing enters. *found is FALSE if the
 * alignment is not short. Masked pairs make the box no larger. */
static gboolean
trace_short(const CsMaskedMatrix *matrix, const CsBest *end, CsPath *path, gboolean *found,
            GError **error)
{
    const gint64 most = matrix->options.sizes.reach;
    CsNode node = {end->i, end->j, CS_NODE_H, end->score};
    CsWalk walk = {.matrix = &matrix->whole};
    gboolean started; /* or it begins at the border, where H is 0 */
    *found = FALSE;
    if (most < 0)
        return TRUE;
    if (!cs_reach_find(&matrix->whole, end->i, end->j, most, &walk.above, &walk.left_of, found,
                       error))
        return FALSE;
    if (!*found || end->j - walk.left_of > WALK_WIDTH) {
        *found = FALSE;
        return TRUE;
    }
    g_autoptr(CsBus) top = cs_bus_new(end->j - walk.left_of, matrix->width, error);
    g_autoptr(GArray) runs = collect_runs(matrix, walk.above, walk.left_of, end);
    const CsMask mask = {runs, matrix->options.area, matrix->n};
    walk.top = top;
    walk.mask = &mask;
    return top != NULL && cs_walk_back(&walk, &node, path, &started, error);
}

/* A walk through a tile. */
typedef struct {
    const CsMaskedMatrix *matrix;
    CsMaskedPart part; /* as far as the node; its buses are overwritten */
    CsBus *column;     /* what enters from the left */
    GPtrArray *rows;   /* of CsBus: what enters from above, and the rows that were handed out */
    CsMask mask;
} TileWalk;

static void
tile_walk_clear(TileWalk *walk)
{
    part_clear(&walk->part);
    g_clear_pointer(&walk->column, cs_bus_free);
    g_clear_pointer(&walk->rows, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TileWalk, tile_walk_clear)

/* A CsMaskedRowFunc. */
static gboolean
take_row(gint64 rows, const CsBus *row, gpointer user_data, GError **error)
{
    TileWalk *walk = user_data;
    CsBus *copy = copy_of(walk->matrix, row, 0, row->length, error);
    if (copy == NULL)
        return FALSE;
    g_ptr_array_add(walk->rows, copy);
    return TRUE;
}

/* H of the column that enters from the left, below so many of the tile's rows. */
static CsScore
left_h(const TileWalk *walk, gint64 rows)
{
    return rows == 0 ? walk->part.corner
                     : cs_width_get(walk->column->width, walk->column->h, rows - 1);
}

/* Computes the tile as far as the node, and hands out rows. */
static gboolean
open_tile(TileWalk *walk, const CsNode *node, GError **error)
{
    const CsMaskedMatrix *matrix = walk->matrix;
    const gint64 row = (node->i - 1) / matrix->side, column = (node->j - 1) / matrix->side;
    Place place = place_of(matrix, row, column);
    const CsMaskedTile kernel = kernel_of(matrix, tile_at(matrix, row, column));
    place.height = node->i - place.above;
    place.width = node->j - place.left_of;
    walk->rows = g_ptr_array_new_with_free_func((GDestroyNotify)cs_bus_free);
    walk->mask = kernel.mask;
    if (!read_borders(matrix, &place, &walk->part, error) ||
        !take_row(0, walk->part.row, walk, error))
        return FALSE;
    walk->column = copy_of(matrix, walk->part.column, 0, place.height, error);
    if (walk->column == NULL)
        return FALSE;
    walk->part.distance = matrix->options.sizes.distance;
    walk->part.row_func = take_row;
    walk->part.row_data = walk;
    return place.height <= walk->part.distance || cs_masked_tile_run(&kernel, &walk->part, error);
}

/* The value of a node on a border of the tile, or on a row that was handed out. */
static void
read_node(const TileWalk *walk, gsize k, CsNode *node)
{
    const CsMaskedPart *part = &walk->part;
    const CsBus *row = g_ptr_array_index(walk->rows, k);
    const gboolean on_row =
        node->i == part->above + (gint64)k * walk->matrix->options.sizes.distance;
    if (node->j == part->left_of && (node->state == CS_NODE_H || !on_row))
        node->value =
            node->state == CS_NODE_H
                ? left_h(walk, node->i - part->above)
                : cs_width_get(walk->column->width, walk->column->gap, node->i - part->above - 1);
    else
        node->value = cs_width_get(row->width, node->state == CS_NODE_H ? row->h : row->gap,
                                   node->j - part->left_of - 1);
}

/* From the node back, until the path starts or leaves the tile. */
static gboolean
walk_tile(TileWalk *tile, CsNode *node, CsPath *path, gboolean *started, GError **error)
{
    const CsMaskedPart *part = &tile->part;
    for (gsize k = tile->rows->len; k-- > 0 && !*started;) {
        const gint64 done = (gint64)k * tile->matrix->options.sizes.distance;
        const gint64 above = part->above + done;
        if (node->i <= above || node->j <= part->left_of)
            continue;
        const CsBus top =
            cs_bus_slice(g_ptr_array_index(tile->rows, k), 0, node->j - part->left_of);
        const CsBus left = cs_bus_slice(tile->column, done, node->i - above);
        const CsWalk walk = {.matrix = &tile->matrix->whole,
                             .above = above,
                             .left_of = part->left_of,
                             .corner = left_h(tile, done),
                             .top = &top,
                             .left = &left,
                             .mask = &tile->mask};
        if (!cs_walk_back(&walk, node, path, started, error))
            return FALSE;
        if (*started)
            return TRUE;
        read_node(tile, k, node);
        *started = node->state == CS_NODE_H && node->value == 0;
    }
    return TRUE;
}

static gboolean
trace_tiles(const CsMaskedMatrix *matrix, const CsBest *end, CsPath *path, GError **error)
{
    CsNode node = {end->i, end->j, CS_NODE_H, end->score};
    gboolean started = FALSE;
    while (!started) {
        g_auto(TileWalk) walk = {.matrix = matrix};
        if (node.i == 0 || node.j == 0 || node.value <= 0) {
            g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                                "internal error: an alignment begins nowhere");
            return FALSE;
        }
        if (!open_tile(&walk, &node, error) || !walk_tile(&walk, &node, path, &started, error))
            return FALSE;
    }
    return TRUE;
}

/* A function of a job. */
static gboolean
trace(Job *job, GError **error)
{
    gboolean found;
    cs_path_init(job->path, job->end->i, job->end->j);
    return trace_short(job->matrix, job->end, job->path, &found, error) &&
           (found || trace_tiles(job->matrix, job->end, job->path, error));
}

gboolean
cs_masked_matrix_trace(CsMaskedMatrix *matrix, const CsBest *end, CsPath *path, GError **error)
{
    Job job = {.matrix = matrix, .func = trace, .end = end, .path = path};
    if (!run_asking(&job, error))
        return FALSE;
    cs_path_turn(path);
    return TRUE;
}
