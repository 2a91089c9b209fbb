/* Which tiles a masked matrix has, and what is masked in them; updates, and traces of many alignments. */
#include <math.h>

#include <chromosweep/error.h>

#include "alignment/masked_inside.h"
#include "alignment/masked_zone.h"

enum {
    LEAST_SIDE = 1024,   /* around marks */
    ALL_SIDE = 4096,     /* of all tiles */
    MOST_SIDE = 1 << 17, /* a stop waits for a tile: a few seconds */
    STRIP = 256,         /* whole strips of vector lanes (cpu/cpu_shape.c) */
    NEAR = 64,
    DISTANCE = 256,
    REACH = 1 << 20, /* cells */
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

CsMaskedKind
cs_masked_kind(const CsMaskedMatrix *matrix)
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
    CsMaskedKind kind = cs_masked_kind(matrix);
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

CsMaskedPlace
cs_masked_place_of(const CsMaskedMatrix *matrix, const CsMaskedSquare *square)
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

gint64
cs_masked_sections(const CsMaskedMatrix *matrix)
{
    return tiles_along(matrix->rows + matrix->columns, matrix->section);
}

void
cs_masked_set_changed(CsMaskedMatrix *matrix, CsMaskedSquare *square)
{
    const gint64 diagonal = square->row + square->column;
    const CsMaskedPlace place = cs_masked_place_of(matrix, square);
    if (square->changed)
        return;
    square->changed = TRUE;
    matrix->left += cells_of(&place);
    if (matrix->waiting[diagonal] == NULL)
        matrix->waiting[diagonal] = g_ptr_array_new();
    g_ptr_array_add(matrix->waiting[diagonal], square);
    gint64 *first = &matrix->firsts[diagonal / matrix->section];
    *first = MIN(*first, diagonal);
}

void
cs_masked_set_done(CsMaskedMatrix *matrix, CsMaskedSquare *square)
{
    const CsMaskedPlace place = cs_masked_place_of(matrix, square);
    if (!square->changed)
        return;
    square->changed = FALSE;
    matrix->left -= cells_of(&place);
    g_ptr_array_remove_fast(matrix->waiting[square->row + square->column], square);
}

CsMaskedSquare *
cs_masked_add(CsMaskedMatrix *matrix, gint64 row, gint64 column, GError **error)
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
    cs_masked_set_changed(matrix, square);
    return square;
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
    matrix->section = tiles_along(matrix->rows + matrix->columns,
                                  matrix->options.marks != NULL ? cs_crew_size(matrix->crew) : 1);
    matrix->firsts = g_new(gint64, cs_masked_sections(matrix));
    for (gint64 k = 0; k < cs_masked_sections(matrix); k++)
        matrix->firsts[k] = (k + 1) * matrix->section;
    matrix->grouped = matrix->groups = 0;
    matrix->area = matrix->left = 0;
    cs_masked_open_keep(matrix);
}

static void
end(CsMaskedMatrix *matrix)
{
    for (gint64 d = 0; matrix->waiting != NULL && d < matrix->rows + matrix->columns; d++)
        if (matrix->waiting[d] != NULL)
            g_ptr_array_unref(matrix->waiting[d]);
    g_clear_pointer(&matrix->waiting, g_free);
    g_clear_pointer(&matrix->firsts, g_free);
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
    cs_masked_traces_free(matrix->traces);
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

CsScore
cs_masked_last(const CsMaskedSquare *square)
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
                           .corner = before != NULL ? cs_masked_last(before) : 0};
    part->row =
        cs_masked_copy(matrix, above != NULL ? above->bottom : NULL, 0, place->width, error);
    if (part->row == NULL)
        return FALSE;
    part->column =
        cs_masked_copy(matrix, beside != NULL ? beside->right : NULL, 0, place->height, error);
    return part->column != NULL;
}

CsMask
cs_masked_mask(const CsMaskedMatrix *matrix, const GArray *runs)
{
    return (CsMask){runs, matrix->options.area, matrix->n, matrix->options.area_period};
}

CsMaskedTile
cs_masked_kernel(const CsMaskedMatrix *matrix, const CsMaskedSquare *square)
{
    const CsMaskedSizes *sizes = &matrix->options.sizes;
    return (CsMaskedTile){.matrix = &matrix->whole,
                          .engine = matrix->options.engine,
                          .mask = cs_masked_mask(matrix, square->runs),
                          .strip = sizes->strip,
                          .near = sizes->near,
                          .threshold = matrix->options.least,
                          .stop = &matrix->stop};
}

gboolean
cs_masked_save_is_due(const CsMaskedMatrix *matrix)
{
    const double passed = (double)(g_get_monotonic_time() - matrix->saved) / G_USEC_PER_SEC;
    return matrix->keep != NULL &&
           (passed >= matrix->options.interval || g_atomic_int_get(&matrix->save) != 0);
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
        CsMaskedSquare *to = cs_masked_add(matrix, from->row / 2, from->column / 2, error);
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

/* The tiles that lead to marks, as an earlier run found, or anew. */
static gboolean
find_zone(CsMaskedMatrix *matrix, GArray *numbers, GError **error)
{
    const CsMaskedOptions *options = &matrix->options;
    const CsMaskedZone zone = {&matrix->whole,   options->marks, options->engine,    matrix->side,
                               options->threads, &matrix->stop,  &matrix->millionths};
    if (cs_masked_load_zone(matrix, numbers))
        return TRUE;
    if (!cs_masked_zone_find(&zone, numbers, error))
        return FALSE;
    cs_masked_save_zone(matrix, numbers);
    return TRUE;
}

/* Adds the tiles that can matter: those that lead to marks, or all. */
static gboolean
add_squares(CsMaskedMatrix *matrix, GError **error)
{
    const CsMaskedOptions *options = &matrix->options;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    if (options->marks != NULL && !find_zone(matrix, numbers, error))
        return FALSE;
    for (gint64 k = 0; options->marks == NULL && k < matrix->rows * matrix->columns; k++)
        g_array_append_val(numbers, k);
    for (guint k = 0; k < numbers->len; k++) {
        const gint64 number = g_array_index(numbers, gint64, k);
        CsMaskedSquare *square =
            cs_masked_add(matrix, number / matrix->columns, number % matrix->columns, error);
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
        if (!cs_masked_compute(matrix, error) || !make_fit(matrix, error))
            return FALSE;
        if (g_atomic_int_get(&matrix->stop) != 0)
            return fail_stopped(error);
        if (cs_masked_save_is_due(matrix))
            cs_masked_matrix_save(matrix);
    }
    return TRUE;
}

/* Puts a tile into a group, if there is one at that place that has none yet. */
static void
join_group(const CsMaskedMatrix *matrix, gint64 row, gint64 column, guint group, GPtrArray *stack)
{
    CsMaskedSquare *square = cs_masked_square(matrix, row, column);
    if (square == NULL || square->group != G_MAXUINT)
        return;
    square->group = group;
    g_ptr_array_add(stack, square);
}

/* Puts tiles into a group that have any of these cells. */
static void
join_cells(const CsMaskedMatrix *matrix, const CsMaskedPlace *cells, guint group, GPtrArray *stack)
{
    const gint64 side = matrix->side;
    for (gint64 row = MAX(cells->above, 0) / side; row * side < cells->above + cells->height; row++)
        for (gint64 column = MAX(cells->left_of, 0) / side;
             column * side < cells->left_of + cells->width; column++)
            join_group(matrix, row, column, group, stack);
}

/* The same of a circle with itself: one turn further in both, and with rows and columns exchanged. */
static void
join_mirrored(const CsMaskedMatrix *matrix, const CsMaskedSquare *square, GPtrArray *stack)
{
    const CsMaskedOptions *options = &matrix->options;
    const CsMaskedPlace place = cs_masked_place_of(matrix, square);
    const gboolean back = options->area == CS_MASK_BACK;
    const gint64 before = back ? matrix->n - place.left_of - place.width : place.left_of;
    for (int way = 0; way < 10; way++) {
        const gint64 turns = (way / 2 - 2) * options->area_period;
        const gboolean mirrored = way % 2 != 0;
        CsMaskedPlace copy = {.above = turns + (mirrored ? before : place.above),
                              .height = mirrored ? place.width : place.height,
                              .left_of =
                                  turns + (mirrored ? place.above + options->area_period : before),
                              .width = mirrored ? place.height : place.width};
        if (back)
            copy.left_of = matrix->n - copy.left_of - copy.width;
        join_cells(matrix, &copy, square->group, stack);
    }
}

/* Puts tiles into a group that have copies of this one's cells: what is masked there is masked here. */
static void
join_copies(const CsMaskedMatrix *matrix, const CsMaskedSquare *square, GPtrArray *stack)
{
    const CsMaskedOptions *options = &matrix->options;
    const CsMaskedPlace place = cs_masked_place_of(matrix, square);
    if (options->area_period > 0) {
        join_mirrored(matrix, square, stack);
        return;
    }
    for (int way = 0; way < 9; way++) {
        CsMaskedPlace copy = place;
        copy.above += (way / 3 - 1) * options->row_period;
        copy.left_of += (way % 3 - 1) * options->column_period;
        join_cells(matrix, &copy, square->group, stack);
    }
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
            join_group(matrix, square->row + sign * (kind & 1), square->column + sign * (kind / 2),
                       group, stack);
        }
        if (matrix->options.row_period > 0 || matrix->options.column_period > 0)
            join_copies(matrix, square, stack);
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
    CsMaskedTrace *traces;
    guint count;
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
    if (!matrix->begun && (!add_squares(matrix, error) || !cs_masked_load(matrix, error)))
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

gboolean
cs_masked_matrix_mask_run(CsMaskedMatrix *matrix, CsMaskRun run, GError **error)
{
    while (run.length > 0) {
        const gint64 row = (run.i - 1) / matrix->side, column = (run.j - 1) / matrix->side;
        const CsMaskedPlace place = cs_masked_place(matrix, row, column);
        CsMaskedSquare *square = cs_masked_add(matrix, row, column, error);
        if (square == NULL)
            return FALSE;
        const gint64 inside =
            MIN(place.above + place.height - run.i + 1, place.left_of + place.width - run.j + 1);
        const CsMaskRun part = {run.i, run.j, MIN(run.length, inside)};
        if (square->runs == NULL)
            square->runs = g_array_new(FALSE, FALSE, sizeof(CsMaskRun));
        g_array_append_val(square->runs, part);
        square->pairs += part.length;
        cs_masked_set_changed(matrix, square);
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
        if (kind == CS_PATH_PAIRS &&
            !cs_masked_matrix_mask_run(matrix, (CsMaskRun){i + 1, j + 1, length}, error))
            return FALSE;
        i += kind != CS_PATH_COLUMNS ? length : 0;
        j += kind != CS_PATH_ROWS ? length : 0;
    }
    return TRUE;
}

/* A function of a job. */
static gboolean
trace(Job *job, GError **error)
{
    return cs_masked_traces_run(job->matrix, job->traces, job->count, error);
}

gboolean
cs_masked_matrix_trace(CsMaskedMatrix *matrix, const CsBest *ends, guint count, CsPath *paths,
                       GError **error)
{
    g_autofree CsMaskedTrace *traces = g_new0(CsMaskedTrace, count);
    Job job = {.matrix = matrix, .func = trace, .traces = traces, .count = count};
    for (guint k = 0; k < count; k++) {
        traces[k].end = ends[k];
        traces[k].node = (CsNode){ends[k].i, ends[k].j, CS_NODE_H, ends[k].score};
        cs_path_init(&traces[k].path, ends[k].i, ends[k].j);
    }
    const gboolean done = run_asking(&job, error);
    for (guint k = 0; k < count; k++)
        paths[k] = traces[k].path;
    return done;
}
