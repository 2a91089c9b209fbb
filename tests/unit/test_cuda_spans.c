/* Spans: whatever random chunks matter, each of them is launched, after those that it needs; on one GPU
 * or on several that share the rows. */
#include "cuda/cuda_spans.h"

enum {
    THRESHOLD = 100,
    HEIGHT = 120, /* of a block row, whose strips are as high as each other */
};

typedef struct {
    int rows, columns, warps, width; /* blocks; chunks of a block */
    int late;                        /* steps */
    CsScore *row_bounds, *column_bounds;
    CsBoundsTable *table; /* or NULL */
    gint64 above, left_of;
    gint64 top_from, top_until;
    guint32 seed;
    int odds;           /* of 100, that what is beside a computed chunk is computed too */
    gboolean *launched; /* each strip and chunk */
    int *computed;      /* likewise: if computed, the least column from 1 of any way into it */
    int *
        written; /* of each chunk of each GPU's bus: the row that it has, -1 what entered, -2 part of
                     one */
    int *progress;
    int *begins;
    gboolean *complete; /* each row and chunk: whether its bottom has been written */
    int *passed;        /* of each row: the chunk until which its bottom was passed on */
    guint8 *owners;     /* of each row */
    guint gpus;
} Model;

/* Of a GPU that shares the rows. */
typedef struct {
    GArray *items, *fates;
    GArray *ends;  /* of its groups: items until then */
    guint learned; /* groups */
} Member;

static int
strips(const Model *model)
{
    return model->rows * model->warps;
}

static int
chunks(const Model *model)
{
    return model->columns * model->width;
}

/* A chunk of the bus of the GPU that has a row. */
static int *
written_at(const Model *model, int row, int x)
{
    return &model->written[model->owners[row] * chunks(model) + x];
}

/* The least column of a way that comes on from a chunk; never left of where it began. */
static int
from_chunk(const Model *model, const int *computed, int strip, int x)
{
    if (strip < 0 || x < 0 || x >= chunks(model) || computed[strip * chunks(model) + x] == 0)
        return G_MAXINT;
    return computed[strip * chunks(model) + x];
}

/* Whether an alignment may begin in these columns of a strip that matters. */
static gboolean
may_begin(const Model *model, int strip, int x)
{
    const CsScore rows = model->row_bounds[strip / model->warps];
    const gint64 from = model->above + strip * HEIGHT / model->warps;
    const gint64 column = model->left_of + x * CS_CHUNK;
    return MIN(rows, model->column_bounds[x / model->width]) >= THRESHOLD &&
           cs_bounds_table_highest(model->table, from, from + HEIGHT / model->warps, column,
                                   column + CS_CHUNK) >= THRESHOLD;
}

/* The least column of any way into a chunk or that begins in it, if it matters. */
static int
least_column(const Model *model, const int *computed, int strip, int x)
{
    int least = from_chunk(model, computed, strip, x - 1);
    for (int y = MAX(x - 1, 0); y <= x; y++) {
        const int block = y / model->width;
        if (may_begin(model, strip, y))
            least = MIN(least, y * CS_CHUNK + 1);
        if (strip == 0 && block >= model->top_from && block < model->top_until)
            least = MIN(least, block * model->width * CS_CHUNK + 1);
    }
    least = MIN(least, from_chunk(model, computed, strip - 1, x));
    /* Of the chunk right of it only what leaves within this one's columns. */
    int above = from_chunk(model, computed, strip - 1, x + 1);
    return above <= (x + 1) * CS_CHUNK ? MIN(least, above) : least;
}

static int
in_span(const Model *model, const int *computed, int strip, int x)
{
    guint32 hash = model->seed ^ (guint32)(strip * 7919 + x) * 2654435761u;
    hash ^= hash >> 15;
    hash *= 2246822519u;
    hash ^= hash >> 13;
    int least = least_column(model, computed, strip, x);
    /* What comes from further left comes through the chunk before. */
    if (least < G_MAXINT)
        least = MAX(least, (x - 1) * CS_CHUNK + 1);
    return least < G_MAXINT && (int)(hash % 100) < model->odds ? least : 0;
}

/* What has to be launched. */
static int *
solve(const Model *model)
{
    int *computed = g_new0(int, strips(model) * chunks(model));
    for (int strip = 0; strip < strips(model); strip++)
        for (int x = 0; x < chunks(model); x++)
            computed[strip * chunks(model) + x] = in_span(model, computed, strip, x);
    return computed;
}

/* Of the items that have run: whether the row above is there for a chunk, as far as the item says, so
 * that nothing will be waited for in vain. */
static void
check_top(const Model *model, const CsKernelItem *item, int x)
{
    if (x < item->top_from || x >= item->top_until || item->row == 0)
        return;
    g_assert_cmpint(*written_at(model, item->row, x), ==, item->row - 1);
    if (model->owners[item->row] == model->owners[item->row - 1])
        g_assert_cmpint(CS_PROGRESS_OF_CHUNK(x, model->warps), <=, model->progress[item->row - 1]);
}

/* The chunks of which a row's progress says so now, but not before, are complete on the bus. */
static void
check_progress(const Model *model, int row, int before)
{
    for (int x = model->begins[row] * model->width; x < chunks(model); x++) {
        const int progress = CS_PROGRESS_OF_CHUNK(x, model->warps);
        if (progress > before && progress <= model->progress[row])
            g_assert_cmpint(*written_at(model, row, x), ==, row);
    }
}

static gboolean
run_item(Model *model, const CsKernelItem *item)
{
    const int u = item->block * model->width, lag = CS_LAG * (model->warps - 1);
    const int steps = item->block < model->columns ? model->width : lag;
    gboolean any = FALSE;
    if (item->block > item->start)
        g_assert_cmpint(model->progress[item->row], ==, u);
    else
        model->begins[item->row] = item->start;
    for (int w = 0; w < model->warps; w++)
        for (int step = 0; step < steps; step++) {
            int x = u - CS_LAG * w + step, strip = item->row * model->warps + w;
            if (x < item->start * model->width || x >= chunks(model))
                continue;
            if (w == 0)
                check_top(model, item, x);
            gboolean *launched = &model->launched[strip * chunks(model) + x];
            g_assert_false(*launched);
            *launched = TRUE;
            any |= (model->computed[strip * chunks(model) + x] =
                        in_span(model, model->computed, strip, x)) > 0;
            if (w == model->warps - 1) { /* the columns up to two of this chunk */
                const gboolean end = x + 1 == chunks(model);
                gboolean *complete = &model->complete[item->row * chunks(model) + x];
                if (x > item->start * model->width)
                    *written_at(model, item->row, x - 1) = item->row;
                if (x > item->start * model->width)
                    complete[-1] = TRUE;
                *written_at(model, item->row, x) = end ? item->row : -2;
                *complete = end;
            }
        }
    if (item->wait > 0)
        g_assert_cmpint(model->owners[item->wait_row], ==, model->owners[item->row]);
    if (item->wait > 0)
        g_assert_cmpint(item->wait, <=, model->progress[item->wait_row]);
    const int before = model->progress[item->row];
    model->progress[item->row] =
        item->block + (model->warps == 1) >= model->columns ? CS_PROGRESS_ALL : u + model->width;
    check_progress(model, item->row, before);
    return any;
}

static CsScore *
random_bounds(GRand *rand, int count)
{
    CsScore *bounds = g_new(CsScore, count);
    int kind = g_rand_int_range(rand, 0, 4), cut = g_rand_int_range(rand, 0, count + 1);
    for (int k = 0; k < count; k++) {
        bounds[k] = kind == 0   ? g_rand_int_range(rand, 0, 120)
                    : kind == 1 ? 120 - 120 * k / count
                    : kind == 2 ? (k < cut ? 50 : 150 - k)
                                : g_rand_int_range(rand, 0, 40) * 3;
    }
    return bounds;
}

/* Entries that have nothing to do with blocks, of a matrix that has the model somewhere in it. */
static void
add_table(GRand *rand, Model *model)
{
    const gint64 m = HEIGHT * model->rows, n = (gint64)CS_CHUNK * chunks(model);
    model->above = g_rand_int_range(rand, 0, 500);
    model->left_of = g_rand_int_range(rand, 0, 5000);
    CsBoundsTable *table = model->table = g_new(CsBoundsTable, 1);
    *table = (CsBoundsTable){.layer = g_rand_int_range(rand, 20, 400),
                             .part = g_rand_int_range(rand, 50, 4000)};
    table->rows = (model->above + m) / table->layer + 1;
    table->columns = (model->left_of + n) / table->part + 1;
    table->highest = g_new(gint32, table->rows * table->columns);
    for (gint64 k = 0; k < table->rows * table->columns; k++)
        table->highest[k] = g_rand_int_range(rand, 0, 160);
}

/* What the bus has of each row once the delegated triangles of those under way are ended. */
static int *
drain(const Model *model, const CsCudaSpans *spans)
{
    int *written = g_memdup2(model->written, sizeof(int) * model->gpus * (gsize)chunks(model));
    g_autoptr(GArray) items = g_array_new(FALSE, FALSE, sizeof(CsKernelItem));
    for (guint owner = 0; owner < model->gpus; owner++)
        cs_cuda_spans_drain(spans, owner, items);
    for (guint k = 0; k < items->len; k++) {
        const CsKernelItem *item = &g_array_index(items, CsKernelItem, k);
        g_assert_cmpint(model->progress[item->row], ==, item->block * model->width);
        g_assert_cmpint(model->begins[item->row], ==, item->start);
        for (int x = item->start * model->width; x < item->block * model->width; x++)
            written[model->owners[item->row] * chunks(model) + x] = item->row;
    }
    return written;
}

/* Where the rows stand, from the lowest that has begun up: each column has the bottom of the last
 * row that came to it, or that row skipped it. */
static void
check_stand(const Model *model, const CsCudaSpans *spans)
{
    const gint64 n = (gint64)CS_CHUNK * chunks(model);
    g_autofree int *written = drain(model, spans);
    gint64 done = 0;
    for (gint64 rows = cs_cuda_spans_rows(spans); done < n; rows--) {
        gint64 from, until, to = rows > 0 ? cs_cuda_spans_column(spans, rows - 1) : n;
        g_assert_cmpint(to, >=, done);
        cs_cuda_spans_bottom(spans, rows, &from, &until);
        for (gint64 x = done / CS_CHUNK; rows > 0 && x < to / CS_CHUNK; x++)
            if (x * CS_CHUNK >= from && x * CS_CHUNK < until)
                g_assert_cmpint(written[model->owners[rows - 1] * chunks(model) + x], ==, rows - 1);
            else
                g_assert_cmpint(model->computed[(rows * model->warps - 1) * chunks(model) + x], ==,
                                0);
        done = to;
    }
}

/* All steps, with what is skipped known late; now and then until nothing is under way. */
static int
sweep(GRand *rand, Model *model, CsCudaSpans *spans)
{
    g_autoptr(GArray) items = g_array_new(FALSE, FALSE, sizeof(CsKernelItem));
    g_autoptr(GArray) fates = g_array_new(FALSE, FALSE, sizeof(gboolean));
    guint learned = 0, late[65] = {0};
    int steps = 0, flat = 0;
    double before_share = 0;
    for (; !cs_cuda_spans_is_done(spans) || learned < items->len; steps++) {
        g_assert_cmpint(steps, <, 100000);
        const double share = cs_cuda_spans_share(spans);
        g_assert_cmpfloat(share, >=, before_share);
        g_assert_true(share < 1 || cs_cuda_spans_is_done(spans));
        before_share = share;
        guint before = items->len;
        flat = flat > 0 || g_rand_int_range(rand, 0, 40) == 0;
        cs_cuda_spans_step(spans, 0, !flat, items);
        for (guint k = before; k < items->len; k++) {
            gboolean fate = run_item(model, &g_array_index(items, CsKernelItem, k));
            g_array_append_val(fates, fate);
        }
        late[steps % (model->late + 1)] = items->len;
        guint known = late[(steps + 1) % (model->late + 1)];
        for (; learned < known; learned++)
            cs_cuda_spans_learn(spans, &g_array_index(items, CsKernelItem, learned),
                                g_array_index(fates, gboolean, learned));
        if (flat && cs_cuda_spans_is_flat(spans) && learned == items->len) {
            check_stand(model, spans);
            flat = 0;
        }
        if (g_rand_int_range(rand, 0, 10) == 0)
            check_stand(model, spans);
    }
    return (int)items->len;
}

/* Launches a group of a GPU's steps. */
static gboolean
launch_group(GRand *rand, Model *model, CsCudaSpans *spans, guint owner, gboolean fresh,
             Member *member)
{
    const guint before = member->items->len;
    for (int steps = g_rand_int_range(rand, 1, 6); steps > 0; steps--) {
        const guint from = member->items->len;
        cs_cuda_spans_step(spans, owner, fresh, member->items);
        for (guint k = from; k < member->items->len; k++) {
            const CsKernelItem *item = &g_array_index(member->items, CsKernelItem, k);
            g_assert_cmpint(model->owners[item->row], ==, owner);
            const gboolean fate = run_item(model, item);
            g_array_append_val(member->fates, fate);
        }
    }
    if (member->items->len > before)
        g_array_append_val(member->ends, member->items->len);
    return member->items->len > before;
}

/* Copies what is complete of the items' rows to the bus of the GPU that has the row below. */
static void
learn_group(Model *model, CsCudaSpans *spans, Member *member)
{
    const guint from =
        member->learned > 0 ? g_array_index(member->ends, guint, member->learned - 1) : 0;
    const guint to = g_array_index(member->ends, guint, member->learned++);
    for (guint k = from; k < to; k++)
        cs_cuda_spans_learn(spans, &g_array_index(member->items, CsKernelItem, k),
                            g_array_index(member->fates, gboolean, k));
    for (guint k = from; k < to; k++) {
        const int row = g_array_index(member->items, CsKernelItem, k).row;
        gint64 start, until;
        if (row + 1 == model->rows || model->owners[row] == model->owners[row + 1] ||
            cs_cuda_spans_has_ended(spans, row + 1))
            continue;
        cs_cuda_spans_complete(spans, row, &start, &until);
        for (int x = MAX(model->passed[row], (int)(start / CS_CHUNK)); x < until / CS_CHUNK; x++) {
            g_assert_true(model->complete[row * chunks(model) + x]);
            g_assert_cmpint(*written_at(model, row + 1, x), <, row); /* nobody needs it any more */
            *written_at(model, row + 1, x) = row;
            model->passed[row] = x + 1;
        }
    }
}

/* The same with several GPUs, each in its own time. */
static int
sweep_shared(GRand *rand, Model *model, CsCudaSpans *spans)
{
    Member members[4] = {0};
    int launched = 0, idle = 0;
    guint flying = 0;
    gboolean flat = FALSE;
    for (guint k = 0; k < model->gpus; k++)
        members[k] = (Member){g_array_new(FALSE, FALSE, sizeof(CsKernelItem)),
                              g_array_new(FALSE, FALSE, sizeof(gboolean)),
                              g_array_new(FALSE, FALSE, sizeof(guint)), 0};
    while (!cs_cuda_spans_is_done(spans) || flying > 0) {
        const guint k = (guint)g_rand_int_range(rand, 0, (gint32)model->gpus);
        g_assert_cmpint(idle++, <, 10000);
        flat = flat || g_rand_int_range(rand, 0, 40) == 0;
        if (members[k].ends->len > members[k].learned && g_rand_boolean(rand)) {
            learn_group(model, spans, &members[k]);
            flying--;
        } else if (members[k].ends->len - members[k].learned < 2 &&
                   launch_group(rand, model, spans, k, !flat, &members[k])) {
            flying++;
            idle = 0;
        }
        if (flat && flying == 0 && cs_cuda_spans_is_flat(spans)) {
            check_stand(model, spans);
            flat = FALSE;
        }
        if (flying == 0 && g_rand_int_range(rand, 0, 10) == 0)
            check_stand(model, spans);
    }
    for (guint k = 0; k < model->gpus; k++) {
        launched += (int)members[k].items->len;
        g_array_free(members[k].items, TRUE);
        g_array_free(members[k].fates, TRUE);
        g_array_free(members[k].ends, TRUE);
    }
    return launched;
}

/* Gives each row to one of some GPUs, a few rows at a time. */
static void
deal_rows(GRand *rand, Model *model)
{
    model->owners = g_new0(guint8, model->rows);
    for (int row = 1; row < model->rows; row++)
        model->owners[row] = g_rand_boolean(rand)
                                 ? model->owners[row - 1]
                                 : (guint8)g_rand_int_range(rand, 0, (gint32)model->gpus);
}

static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(11);
    gint64 launched = 0, all = 0;
    for (int test = 0; test < 3000; test++) {
        Model model = {
            .rows = g_rand_int_range(rand, 1, 14),
            .columns = g_rand_int_range(rand, 1, 20),
            .warps = g_rand_int_range(rand, 1, 5),
            .late = g_rand_int_range(rand, 0, 6),
            .seed = g_rand_int(rand),
            .odds = g_rand_int_range(rand, 0, 101),
            .gpus = (guint)g_rand_int_range(rand, 1, 5),
        };
        deal_rows(rand, &model);
        model.width = cs_kernel_least_chunks(model.warps);
        model.width += g_rand_int_range(rand, 0, model.width + 1);
        model.row_bounds = random_bounds(rand, model.rows);
        model.column_bounds = random_bounds(rand, model.columns);
        if (g_rand_boolean(rand)) {
            model.top_until = g_rand_int_range(rand, 1, model.columns + 1);
            model.top_from = g_rand_int_range(rand, 0, (gint32)model.top_until);
        }
        if (g_rand_boolean(rand))
            add_table(rand, &model);
        const gint64 a_block = model.width * CS_CHUNK;
        CsGridShape shape = {HEIGHT, a_block, MIN(model.rows, model.columns), 0, 0, FALSE};
        g_autoptr(CsGrid) grid =
            cs_grid_new(HEIGHT * model.rows, a_block * model.columns, &shape, NULL, 0);
        CsCudaSpansOptions options = {
            .grid = grid,
            .warps = model.warps,
            .block_chunks = model.width,
            .slots = g_rand_int_range(
                rand, 1, (gint32)cs_cuda_spans_slots(model.rows, model.columns, model.late) + 1),
            .row_bounds = model.row_bounds,
            .column_bounds = model.column_bounds,
            .table = model.table,
            .above = model.above,
            .left_of = model.left_of,
            .threshold = THRESHOLD,
            .top_from = model.top_from,
            .top_until = model.top_until,
            .owners = model.gpus > 1 || g_rand_boolean(rand) ? model.owners : NULL,
        };
        g_autoptr(CsCudaSpans) spans = cs_cuda_spans_new(&options);
        model.launched = g_new0(gboolean, strips(&model) * chunks(&model));
        model.computed = g_new0(int, strips(&model) * chunks(&model));
        model.written = g_new(int, (int)model.gpus *chunks(&model));
        model.progress = g_new0(int, model.rows);
        model.begins = g_new0(int, model.rows);
        model.complete = g_new0(gboolean, model.rows * chunks(&model));
        model.passed = g_new0(int, model.rows);
        for (int x = 0; x < (int)model.gpus * chunks(&model); x++)
            model.written[x] = -1;
        launched += model.gpus > 1 ? sweep_shared(rand, &model, spans) : sweep(rand, &model, spans);
        all += model.rows * model.columns;
        int *wanted = solve(&model);
        for (int k = 0; k < strips(&model) * chunks(&model); k++)
            if (wanted[k])
                g_assert_cmpint(model.computed[k], ==, wanted[k]);
        g_free(wanted);
        g_free(model.row_bounds);
        g_free(model.column_bounds);
        cs_bounds_table_free(model.table);
        g_free(model.launched);
        g_free(model.computed);
        g_free(model.written);
        g_free(model.progress);
        g_free(model.begins);
        g_free(model.complete);
        g_free(model.passed);
        g_free(model.owners);
    }
    g_test_message("%.1f%% of the blocks", 100. * (double)launched / (double)all);
    g_assert_cmpint(launched, <, all * 3 / 4);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cuda-spans/random", test_random);
    return g_test_run();
}
