/*
 * The ring: see the drawing in ring.h.
 *
 * Everything happens on the caller's thread; the members compute on theirs, GPUs on themselves.
 * Diagonal d of the ring is diagonal d - start of a member. collect(d) collects it from one member
 * after the other, and passes on what the last slot of each group hands out. If members are late
 * (ring_share.h), the ring has a few diagonals more than its grid, and does them with the last.
 *
 * If one run of an engine computes everything, it is all there is of the ring.
 *
 * Invariants:
 *
 * 1. A diagonal is submitted to a member only when the piece above its first slot's block has been
 *    fed. That piece left the member before on an earlier diagonal, because the member starts late
 *    enough. So when the ring collects a diagonal, it has been submitted to all.
 * 2. A piece is fed as soon as it comes. By then the member has passed these columns with the group
 *    above: that was on an earlier diagonal, because a tier has no more slots than there are block
 *    columns. So its bus needs no second buffer, and column j of the whole bus stands in the bus of
 *    the member that computed the lowest block there (see staircase()).
 *    A GPU hands out early, while a state is taken, what it would hand out with the next diagonal.
 * 3. A member hands out no piece for a skipped block: zeros are fed instead. Beside a GPU nothing is
 *    skipped (ring_shape.h).
 * 4. Rows of a member ascend in the matrix, so its best cell by the tie order is that of its cells
 *    in the matrix, and cs_best_merge() finds the best of all.
 */
#include <chromosweep/error.h>

#include "ring/ring.h"
#include "ring/ring_shape.h"
#include "ring/ring_share.h"
#include "system/memory.h"

/* More diagonals ahead are of no use, because they wait for pieces. */
#define QUEUE 64
#define QUEUE_GPU 32 /* what a GPU takes at most, if it computes alone */

typedef struct {
    CsRun *ring;
    CsShare share;
    const CsEngineClass *engine;
    CsRectangle rectangle; /* its groups, glued together */
    guint8 *codes;         /* its rows */
    CsBus *left, *right;
    gint64 *special_rows; /* the ring's, and the last row of each group */
    gint64 *rows_above;
    CsScore *corners, *row_bounds;
    CsRun *run;
    gint64 diagonals; /* of its grid */
    gint64 submitted, collected;
    gint64 fed;    /* columns that have entered at its seams, one seam after the other */
    guint threads; /* in use */
} Member;

struct _CsRun {
    const CsEngineClass *alone; /* the engine of the only member, or NULL */
    CsRun *run;                 /* and its run */
    gboolean named;             /* its errors name the member */
    const CsRectangle *rectangle;
    const CsGrid *grid;
    CsScore *corners; /* H left of the first row of each block row, and of the one below the last */
    Member *members;
    guint count;
    gboolean gpus;               /* among the members */
    gint64 diagonals;            /* until all members are done */
    gint64 submitted, collected; /* diagonals */
    CsBest best;
    gboolean skipped; /* by any member so far */
};

/* The block row of the matrix that is block row r of the member. */
static gint64
block_row_of(const Member *member, gint64 r)
{
    return cs_ring_share_row(&member->share, member->ring->grid, r);
}

/* The member's block row with row i, 1 .. m. */
static gint64
find_block_row(const Member *member, gint64 i)
{
    const gint64 *starts = member->share.grid.row_starts;
    gint64 from = 0, to = member->share.grid.block_rows;
    while (to - from > 1) {
        const gint64 middle = from + (to - from) / 2;
        if (starts[middle] < i)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* The row of the matrix that is row i of the member. */
static gint64
row_of(const Member *member, gint64 i)
{
    const gint64 r = find_block_row(member, i);
    return member->ring->grid->row_starts[block_row_of(member, r)] + i -
           member->share.grid.row_starts[r];
}

static Member *
owner_of(const CsRun *ring, gint64 bi)
{
    guint k = 0;
    while (!cs_ring_share_has(&ring->members[k].share, ring->grid, bi))
        k++;
    return &ring->members[k];
}

/* Whether the border below the member's block row r enters another member. */
static gboolean
is_seam(const Member *member, gint64 r)
{
    return member->ring->count > 1 && r % member->share.slots == member->share.slots - 1 &&
           block_row_of(member, r) + 1 < member->ring->grid->block_rows;
}

/* How many of the member's block rows have passed a block column. */
static gint64
own_rows_passed(const Member *member, gint64 bj)
{
    const CsGrid *own = &member->share.grid;
    const gint64 diagonals = member->collected - bj;
    if (diagonals <= 0)
        return 0;
    const gint64 tiers = diagonals / own->block_columns;
    const gint64 more = MIN(diagonals % own->block_columns, own->depth);
    return MIN(tiers * own->depth + more, own->block_rows);
}

/* How many block rows have passed a block column, from the first on. */
static gint64
rows_passed(const CsRun *ring, gint64 bj)
{
    gint64 rows = 0;
    for (guint k = 0; k < ring->count; k++)
        rows += own_rows_passed(&ring->members[k], bj);
    return rows;
}

/* The same for a state. If nobody needs the bottom of the last block row, a GPU does not keep it, and
 * the row counts as not begun. */
static gint64
rows_standing(const CsRun *ring, gint64 bj)
{
    const CsRectangle *rectangle = ring->rectangle;
    const gint64 last = ring->grid->block_rows - 1, rows = rows_passed(ring, bj);
    const gboolean kept = rectangle->bottom != NULL ||
                          cs_rectangle_is_special(rectangle, cs_rectangle_m(rectangle)) ||
                          !owner_of(ring, last)->engine->gpu;
    return kept ? rows : MIN(rows, last);
}

/* Feeds a member up to so many columns: `count` of them with values, zeros before them. */
static gboolean
feed(Member *member, gint64 to, gint64 count, const CsScore *h, const CsScore *f, GError **error)
{
    const gint64 n = member->ring->grid->n, from = to - count;
    const CsScore known = member->ring->best.score;
    g_assert(member->fed <= from);
    if (member->fed < from && !member->engine->feed(member->run, member->fed % n,
                                                    from - member->fed, NULL, NULL, known, error))
        return FALSE;
    member->fed = to;
    return count == 0 || member->engine->feed(member->run, from % n, count, h, f, known, error);
}

static Member *
next_of(const Member *member)
{
    const CsRun *ring = member->ring;
    const gsize k = (gsize)(member - ring->members) + 1;
    return &ring->members[k < ring->count ? k : 0];
}

/* How many columns the member below has been fed when the block row r of this member has passed so
 * many. Nothing is fed above the first member's first row. */
static gint64
fed_below(const Member *member, gint64 r, gint64 columns)
{
    const CsRun *ring = member->ring;
    const gint64 tier = (block_row_of(member, r) + 1) / ring->grid->depth;
    return (tier - (next_of(member) == ring->members)) * ring->grid->n + columns;
}

/* A CsRowFunc: a special row, or what enters the next group. */
static gboolean
pass_on(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
        gpointer user_data, GError **error)
{
    Member *member = user_data;
    const CsRun *ring = member->ring;
    const CsRectangle *rectangle = ring->rectangle;
    const gint64 r = find_block_row(member, i), row = row_of(member, i);
    if (is_seam(member, r) &&
        !feed(next_of(member), fed_below(member, r, from + count), count, h, f, error))
        return FALSE;
    return !cs_rectangle_is_special(rectangle, row) ||
           rectangle->row_func(row, from, count, h, f, bounds || ring->skipped, rectangle->row_data,
                               error);
}

/* Reads the bases of the member's rows. */
static gboolean
glue_rows(Member *member, GError **error)
{
    const CsRectangle *whole = member->ring->rectangle;
    const CsGrid *grid = member->ring->grid, *own = &member->share.grid;
    member->codes = cs_memory_try((gsize)own->m, 1);
    if (member->codes == NULL) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for %" G_GINT64_FORMAT " bases of a member", own->m);
        return FALSE;
    }
    for (gint64 r = 0; r < own->block_rows; r++) {
        const gint64 from = own->row_starts[r];
        const CsView rows = cs_view_slice(&whole->rows, grid->row_starts[block_row_of(member, r)],
                                          own->row_starts[r + 1] - from);
        cs_view_read(&rows, CS_ROW_AMBIGUOUS, member->codes + from);
    }
    member->rectangle.rows = (CsView){.codes = member->codes, .length = own->m};
    return TRUE;
}

/* Copies the rows of the member's first `count` block rows from or to a vertical border. */
static void
copy_border(const Member *member, gint64 count, CsBus *own, CsBus *whole, gboolean to_whole)
{
    const CsGrid *grid = member->ring->grid;
    const gint64 *starts = member->share.grid.row_starts;
    for (gint64 r = 0; r < count; r++) {
        const gint64 row = grid->row_starts[block_row_of(member, r)];
        const gint64 height = starts[r + 1] - starts[r];
        if (to_whole)
            cs_bus_copy(whole, row, own, starts[r], height);
        else
            cs_bus_copy(own, starts[r], whole, row, height);
    }
}

static gboolean
glue_borders(Member *member, GError **error)
{
    const CsRun *ring = member->ring;
    const CsRectangle *whole = ring->rectangle;
    const gint64 m = member->share.grid.m, rows = member->share.grid.block_rows;
    if (whole->left != NULL) {
        member->left = cs_bus_new(m, whole->left->width, error);
        if (member->left == NULL)
            return FALSE;
        copy_border(member, rows, member->left, (CsBus *)whole->left, FALSE);
    }
    if (whole->right != NULL) {
        member->right = cs_bus_new(m, whole->right->width, error);
        if (member->right == NULL)
            return FALSE;
    }
    member->rectangle.left = member->left;
    member->rectangle.right = member->right;
    member->rectangle.corner = ring->corners[block_row_of(member, 0)];
    if (member != ring->members)
        member->rectangle.top = NULL; /* it is fed */
    if (owner_of(ring, ring->grid->block_rows - 1) != member)
        member->rectangle.bottom = NULL;
    return TRUE;
}

/* What the rectangle has for each block row, and the rows that are handed out. */
static void
glue_tables(Member *member)
{
    const CsRun *ring = member->ring;
    const CsRectangle *whole = ring->rectangle;
    const CsGrid *own = &member->share.grid;
    CsRectangle *rectangle = &member->rectangle;
    gsize special = 0;
    member->rows_above = g_new(gint64, own->block_rows);
    member->corners = g_new(CsScore, own->block_rows);
    member->special_rows = g_new(gint64, own->block_rows);
    const gboolean skips = cs_rectangle_may_skip(whole) && !ring->gpus;
    if (skips)
        member->row_bounds = g_new(CsScore, own->block_rows);
    for (gint64 r = 0; r < own->block_rows; r++) {
        const gint64 bi = block_row_of(member, r);
        member->rows_above[r] = whole->above + ring->grid->row_starts[bi];
        member->corners[r] = ring->corners[bi];
        if (member->row_bounds != NULL)
            member->row_bounds[r] = whole->row_bounds[bi];
        if (is_seam(member, r) || cs_rectangle_is_special(whole, ring->grid->row_starts[bi + 1]))
            member->special_rows[special++] = own->row_starts[r + 1];
    }
    rectangle->rows_above = member->rows_above;
    rectangle->corners = member->corners;
    rectangle->row_bounds = member->row_bounds;
    if (!skips)
        rectangle->column_bounds = NULL;
    if (member->engine->gpu)
        rectangle->skipped = rectangle->skipping = FALSE;
    rectangle->special_rows = member->special_rows;
    rectangle->n_special_rows = special;
    rectangle->row_func = pass_on;
    rectangle->row_data = member;
}

/* Puts the member's number before an error. */
static gboolean
name_member(const Member *member, GError **error)
{
    g_prefix_error(error, "member %d of the ring: ", (int)(member - member->ring->members) + 1);
    return FALSE;
}

static gboolean
begin_member(Member *member, const CsGridShape *shape, guint bits, GError **error)
{
    const CsShare *share = &member->share;
    const CsEngineOptions own = {
        .threads = MAX(1, share->threads),
        .on_caller = share->on_caller,
        .device = share->member->device,
        .bits = bits,
    };
    member->rectangle = *member->ring->rectangle;
    if (!glue_rows(member, error) || !glue_borders(member, error))
        return FALSE;
    glue_tables(member);
    member->run = member->engine->begin(&member->rectangle, &share->grid, shape, &own, error);
    return member->run != NULL;
}

static const char *
describe(const char *device, GError **error)
{
    return "several devices";
}

static void
free_member(Member *member)
{
    if (member->run != NULL)
        member->engine->free(member->run);
    g_free(member->codes);
    cs_bus_free(member->left);
    cs_bus_free(member->right);
    g_free(member->special_rows);
    g_free(member->rows_above);
    g_free(member->corners);
    g_free(member->row_bounds);
    cs_ring_share_clear(&member->share);
}

static void
free_ring(CsRun *ring)
{
    if (ring->run != NULL)
        ring->alone->free(ring->run);
    for (guint k = 0; k < ring->count; k++)
        free_member(&ring->members[k]);
    g_free(ring->members);
    g_free(ring->corners);
    g_free(ring);
}

/* The members and their shares, not begun yet. */
static CsRun *
new_ring(const CsRectangle *rectangle, const CsGrid *grid, const CsEngineOptions *options)
{
    CsRun *ring = g_new0(CsRun, 1);
    ring->rectangle = rectangle;
    ring->grid = grid;
    ring->skipped = rectangle->skipped;
    ring->count = cs_ring_share_count(rectangle, grid, options);
    ring->gpus = cs_ring_share_has_gpu(options);
    ring->members = g_new0(Member, ring->count);
    ring->corners = g_new(CsScore, grid->block_rows + 1);
    for (gint64 bi = 0; bi <= grid->block_rows; bi++)
        ring->corners[bi] = cs_rectangle_left_h(rectangle, grid->row_starts[bi]);
    g_autofree CsShare *shares = g_new0(CsShare, ring->count);
    cs_ring_share_deal(rectangle, grid, options, shares);
    for (guint k = 0; k < ring->count; k++) {
        Member *member = &ring->members[k];
        member->ring = ring;
        member->share = shares[k];
        member->engine = shares[k].member->engine;
        member->threads = shares[k].threads;
        member->diagonals = cs_grid_diagonals(&member->share.grid);
        ring->diagonals = MAX(ring->diagonals, member->share.start + member->diagonals);
    }
    return ring;
}

/* Says that a failure is the first member's, if it computes alone. */
static gboolean
name_alone(const CsRun *ring, gboolean done, GError **error)
{
    if (!done && !ring->named && error != NULL &&
        g_error_matches(*error, CS_ERROR, CS_ERROR_DEVICE))
        g_prefix_error(error, "member 1 of the ring: ");
    return done;
}

/* A ring that is one run of its first member's engine. */
static CsRun *
begin_alone(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
            const CsEngineOptions *options, GError **error)
{
    const CsEngineOptions own = cs_ring_shape_whole(rectangle, options, grid->members);
    CsRun *ring = g_new0(CsRun, 1);
    ring->alone = options->members[0].engine;
    ring->run = ring->alone->begin(rectangle, grid, shape, &own, error);
    ring->named = own.n_members > 1;
    if (ring->run != NULL)
        return ring;
    (void)name_alone(ring, FALSE, error);
    g_free(ring);
    return NULL;
}

static CsRun *
begin(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *shape,
      const CsEngineOptions *options, GError **error)
{
    guint cpu_bits, gpu_bits;
    g_assert(options->n_members >= 1 && options->spans == NULL);
    g_assert(rectangle->rows_above == NULL && !rectangle->to_corner);
    if (cs_ring_share_count(rectangle, grid, options) == 1)
        return begin_alone(rectangle, grid, shape, options, error);
    if (!cs_ring_shape_bits(rectangle, grid, shape, options, &cpu_bits, &gpu_bits, error))
        return NULL;
    CsRun *ring = new_ring(rectangle, grid, options);
    /* The first one reads the top before another one may overwrite it with the bottom. */
    for (guint k = 0; k < ring->count; k++) {
        Member *member = &ring->members[k];
        if (!begin_member(member, shape, member->engine->gpu ? gpu_bits : cpu_bits, error)) {
            (void)name_member(member, error);
            free_ring(ring);
            return NULL;
        }
    }
    return ring;
}

/* Whether what enters from above on diagonal t of the member has been fed. */
static gboolean
is_fed(const Member *member, gint64 t)
{
    const CsGrid *own = &member->share.grid;
    const gint64 columns = own->block_columns;
    const gint64 seams = t / columns - (member == member->ring->members);
    if (seams < 0 || t >= cs_grid_slot_blocks(own, 0))
        return TRUE;
    return member->fed >= seams * own->n + cs_grid_column_start(own, t % columns + 1);
}

/* Submits what the member may begin. */
static gboolean
pump(Member *member, GError **error)
{
    const CsRun *ring = member->ring;
    while (member->submitted < member->diagonals &&
           member->submitted + member->share.start < ring->submitted &&
           member->submitted - member->collected < member->engine->queue &&
           is_fed(member, member->submitted)) {
        if (!member->engine->submit(member->run, member->submitted, error))
            return name_member(member, error);
        member->submitted++;
    }
    return TRUE;
}

static gboolean
pump_all(CsRun *ring, GError **error)
{
    for (guint k = 0; k < ring->count; k++)
        if (!pump(&ring->members[k], error))
            return FALSE;
    return TRUE;
}

/* The last of the host's diagonals brings those that the members are late. */
static gint64
diagonals_until(const CsRun *ring, gint64 d)
{
    return d + 1 < cs_grid_diagonals(ring->grid) ? d + 1 : ring->diagonals;
}

static gboolean
submit(CsRun *ring, gint64 d, GError **error)
{
    if (ring->alone != NULL)
        return name_alone(ring, ring->alone->submit(ring->run, d, error), error);
    g_assert(d == ring->submitted);
    ring->submitted = diagonals_until(ring, d);
    return pump_all(ring, error);
}

/* Feeds zeros to the next member where the last slot's block was skipped. A GPU skips none. */
static gboolean
pass_zeros(Member *member, gint64 t, GError **error)
{
    const CsGrid *own = &member->share.grid;
    const gint64 s = member->share.slots - 1, q = t - s;
    gint64 r, bj;
    if (member->engine->gpu || s >= own->depth || q < 0 || q >= cs_grid_slot_blocks(own, s))
        return TRUE;
    cs_grid_slot_block(own, s, q, &r, &bj);
    return !is_seam(member, r) ||
           feed(next_of(member), fed_below(member, r, cs_grid_column_start(own, bj + 1)), 0, NULL,
                NULL, error);
}

static void
merge_best(const Member *member, const CsBest *best)
{
    CsRun *ring = member->ring;
    CsBest moved = *best;
    if (best->score == 0)
        return;
    moved.i = row_of(member, best->i);
    cs_best_merge(&ring->best, ring->rectangle->tie_order, &moved);
}

/* Collects the member's part of the diagonal and passes it on. */
static gboolean
collect_member(Member *member, gint64 t, CsCollected *sum, GError **error)
{
    CsRun *ring = member->ring;
    CsCollected own;
    g_assert(member->collected == t && member->submitted > t);
    if (!member->engine->collect(member->run, &own, error))
        return name_member(member, error);
    member->collected++;
    member->threads = own.threads;
    merge_best(member, &own.best);
    ring->skipped = ring->skipped || own.skipped;
    sum->cells += own.cells;
    sum->cells_computed += own.cells_computed;
    return pass_zeros(member, t, error) && pump_all(ring, error);
}

/* How many block rows are complete and, if they are special rows, handed out. */
static gint64
rows_handed_out(const CsRun *ring)
{
    const gint64 rows = rows_passed(ring, ring->grid->block_columns - 1);
    gint64 first = rows; /* whose last piece is still to come */
    for (guint k = 0; k < ring->count && ring->collected < ring->diagonals; k++) {
        const Member *member = &ring->members[k];
        const gint64 own = own_rows_passed(member, ring->grid->block_columns - 1);
        if (member->engine->late > 0 && own > 0)
            first = MIN(first, block_row_of(member, own - 1));
    }
    return first;
}

/* Collects the ring's next diagonal from all members. */
static gboolean
collect_diagonal(CsRun *ring, CsCollected *collected, GError **error)
{
    const gint64 d = ring->collected;
    for (guint k = 0; k < ring->count; k++) {
        Member *member = &ring->members[k];
        const gint64 t = d - member->share.start;
        if (t >= 0 && t < member->diagonals && !collect_member(member, t, collected, error))
            return FALSE;
    }
    ring->collected++;
    return TRUE;
}

/* How many threads compute. */
static guint
count_threads(const CsRun *ring)
{
    guint threads = 0;
    gboolean on_caller = FALSE;
    for (guint k = 0; k < ring->count; k++) {
        const Member *member = &ring->members[k];
        threads += member->share.on_caller ? 0 : member->threads;
        on_caller = on_caller || member->share.on_caller;
    }
    return threads + on_caller;
}

static gboolean
collect(CsRun *ring, CsCollected *collected, GError **error)
{
    if (ring->alone != NULL)
        return name_alone(ring, ring->alone->collect(ring->run, collected, error), error);
    *collected = (CsCollected){0};
    const gint64 until = diagonals_until(ring, ring->collected);
    while (ring->collected < until)
        if (!collect_diagonal(ring, collected, error))
            return FALSE;
    collected->threads = count_threads(ring);
    collected->best = ring->best;
    collected->skipped = ring->skipped;
    /* A GPU's pieces are late by less than its rows are later than the grid's. */
    collected->own_order = ring->gpus;
    collected->block_rows = rows_handed_out(ring);
    return TRUE;
}

/* Fills the right border of the first block rows. */
static void
leave_right(const CsRun *ring, gint64 complete)
{
    for (guint k = 0; ring->rectangle->right != NULL && k < ring->count; k++) {
        const Member *member = &ring->members[k];
        gint64 rows = 0;
        while (rows < member->share.grid.block_rows && block_row_of(member, rows) < complete)
            rows++;
        copy_border(member, rows, member->right, ring->rectangle->right, TRUE);
    }
}

/* Adds what a member's staircase has of the whole: its steps, and the columns of the bus where its
 * block is the lowest. */
static gboolean
add_member(Member *member, CsStaircase *whole, GError **error)
{
    const CsRun *ring = member->ring;
    const CsGrid *grid = ring->grid;
    g_auto(CsStaircase) own = {0};
    if (!member->engine->staircase(member->run, &own, error) ||
        !cs_staircase_need_horizontal(whole, grid->n, own.horizontal->width, error))
        return FALSE;
    for (guint k = 0; k < own.steps->len; k++) {
        CsStep *step = &g_array_index(own.steps, CsStep, k), moved = *step;
        moved.row = row_of(member, step->row + 1) - 1;
        step->riser = NULL;
        g_array_append_val(whole->steps, moved);
    }
    for (gint64 bj = 0; bj < grid->block_columns; bj++) {
        const gint64 passed = rows_standing(ring, bj), from = cs_grid_column_start(grid, bj);
        if (owner_of(ring, MAX(passed - 1, 0)) == member)
            cs_bus_copy(whole->horizontal, from, own.horizontal, from,
                        cs_grid_column_start(grid, bj + 1) - from);
    }
    return TRUE;
}

static gboolean
staircase(CsRun *ring, CsStaircase *staircase, GError **error)
{
    if (ring->alone != NULL)
        return name_alone(ring, ring->alone->staircase(ring->run, staircase, error), error);
    const gint64 begun = rows_standing(ring, 0);
    g_auto(CsStaircase) copy = {.horizontal = g_steal_pointer(&staircase->horizontal),
                                .steps = g_array_new(FALSE, FALSE, sizeof(CsStep)),
                                .row = ring->grid->row_starts[begun],
                                .corner = ring->corners[begun],
                                .best = ring->best};
    g_assert(ring->collected == ring->submitted);
    for (guint k = 0; k < ring->count; k++)
        if (!add_member(&ring->members[k], &copy, error))
            return name_member(&ring->members[k], error);
    cs_staircase_sort(&copy);
    leave_right(ring, rows_standing(ring, ring->grid->block_columns - 1));
    *staircase = copy;
    copy = (CsStaircase){0};
    return TRUE;
}

static gboolean
finish(CsRun *ring, GError **error)
{
    if (ring->alone != NULL)
        return name_alone(ring, ring->alone->finish(ring->run, error), error);
    for (guint k = 0; k < ring->count; k++)
        if (!ring->members[k].engine->finish(ring->members[k].run, error))
            return name_member(&ring->members[k], error);
    leave_right(ring, ring->grid->block_rows);
    return TRUE;
}

#define RING_FUNCTIONS                                                                             \
    .describe = describe, .shape = cs_ring_shape, .accepts = cs_ring_shape_accepts,                \
    .needs = cs_ring_shape_needs, .begin = begin, .submit = submit, .collect = collect,            \
    .staircase = staircase, .finish = finish, .free = free_ring

const CsEngineClass cs_ring_engine = {.name = "ring", .queue = QUEUE, RING_FUNCTIONS};

const CsEngineClass cs_ring_gpu_engine = {
    .name = "ring", .gpu = TRUE, .queue = QUEUE_GPU, RING_FUNCTIONS};

const CsEngineClass *
cs_ring_class(const CsMember *members, guint n_members)
{
    const CsEngineOptions options = {.members = members, .n_members = n_members};
    return cs_ring_share_has_gpu(&options) ? &cs_ring_gpu_engine : &cs_ring_engine;
}
