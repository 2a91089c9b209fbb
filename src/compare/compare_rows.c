/*
 * Rows that the sweep of a comparison keeps for an alignment (alignment/rows.h), so that nothing
 * has to be swept twice.
 *
 * They are rows of one strand from its first row on, or there are none. With a checkpoint they are
 * in its folder. A resumed run uses them if their file has a mark of the state that it resumes
 * from.
 */
#include <math.h>

#include <xxhash.h>

#include "checkpoint/found.h"
#include "compare/comparison.h"
#include "sweep/gpu_rate.h"
#include "system/disk.h"
#include "system/memory.h"

enum {
    /* Whole blocks of a CPU engine lie between two rows (cpu/cpu_shape.c). */
    ROW_UNIT = 1536,
    LEAST_DISTANCE = 2 * ROW_UNIT,
    /* On a GPU whole blocks, too. Otherwise each block above a row would take the slow loop, and
     * all others would wait for it. Blocks have 5,120 or 2,048 rows in a sweep that skips, up to
     * 10,240 or 8,192 in others. At most about 250 rows are under way at a time, each with a
     * megabyte of pinned memory (cuda/cuda_pieces.h). */
    GPU_SKIPPING_UNIT = 10240,
    GPU_UNIT = 40960,
    GPU_LEAST_DISTANCE = 2 * GPU_SKIPPING_UNIT,
    BAND_COLUMNS = 10000,    /* cells left in a row, about, in addition to the share */
    MOST_BYTES = 1000000000, /* on disk, or of a second sweep */
    LEAST_BYTES = 32 << 20,  /* in memory, or of a second sweep, */
    COLUMN_BYTES = 16,       /* and so many a column beside them */
    AGAIN_COLUMN_BYTES = 4,  /* beside LEAST_BYTES, for rows of a second sweep: two of them fit */
    FEW_ROWS = 4,
    LOW =
        32, /* rows are kept only if an alignment can pass through more than one in so many of them */
    SHARE = 4, /* one part in this many of free memory, or of the disk */
    AT_ONCE = 4096,
    MOST_PACKERS = 4,
};

/* In memory: those of a pair of 250 Mb. */
#define MOST_MEMORY G_GINT64_CONSTANT(4000000000)

/*
 * Packing a row of L columns takes about as long as sweeping 40 L cells of a strip. A strip of d
 * rows has about d * 0.1 d cells. For m rows in all, m / d * 40 L + m * 0.1 d is least if d * d is
 * 400 L.
 */
#define SQUARE_A_COLUMN 400.0

/*
 * Beside a GPU threads pack that would be idle (alignment/row_queue.h). They should take no more than
 * this share of the sweep's time, so that the sweep does not wait for them. The thread that hands rows
 * out to them also drives the GPU, so that it should take less. More threads than MOST_PACKERS would
 * wait for it.
 */
#define SECONDS_TO_PACK_A_COLUMN 1.2e-8
#define PACKING_SHARE 0.7
#define SECONDS_TO_HAND_OUT_A_COLUMN 3e-9
#define HANDING_OUT_SHARE 0.35

/* Otherwise, too, if more cells than these may hold it. */
#define LOW_CELLS 4e9

/* Bytes of a packed column of a row: usually, and the most that was seen. */
#define EXPECTED_BYTES 0.25
#define MOST_COLUMN_BYTES 2.0

static gboolean
is_on_gpu(const CsComparison *comparison)
{
    return comparison->sweep.engine != NULL && comparison->sweep.engine->gpu;
}

/* The threads that pack beside a GPU: those that no device needs. */
static guint
count_packers(const CsComparison *comparison)
{
    const CsEngineOptions *options = &comparison->sweep.engine_options;
    const gint64 devices = MAX(1, options->n_members);
    return (guint)CLAMP((gint64)options->threads - devices, 1, MOST_PACKERS);
}

/* The least seconds between two rows on a GPU, for each of their columns. */
static double
seconds_a_column(guint packers)
{
    return MAX(SECONDS_TO_PACK_A_COLUMN / (PACKING_SHARE * packers),
               SECONDS_TO_HAND_OUT_A_COLUMN / HANDING_OUT_SHARE);
}

/* Memory that is free for rows, or disk in the checkpoint's folder. */
static gint64
free_bytes(const CsCompareOptions *options, gboolean on_disk)
{
    const char *limit;
    const gint64 bytes =
        on_disk ? cs_disk_free_bytes(options->checkpoint) : cs_memory_left("/", &limit);
    return bytes >= 0 ? bytes / SHARE : G_MAXINT64;
}

/* What all rows may take by default: in memory a share of the buses. More saves little time. But with
 * rows twice as far apart the trace takes twice as long. */
static gint64
default_budget(const CsComparison *comparison)
{
    const gint64 n = MIN(comparison->target->length, comparison->query->length);
    const gboolean on_disk = comparison->options->checkpoint != NULL;
    const gint64 most = on_disk ? MOST_BYTES : MIN(LEAST_BYTES + COLUMN_BYTES * n, MOST_MEMORY);
    return MIN(most, free_bytes(comparison->options, on_disk));
}

gint64
cs_compare_rows_budget(const CsComparison *comparison)
{
    const CsCompareOptions *options = comparison->options;
    const gint64 strands = options->strand == CS_STRAND_BOTH ? 2 : 1;
    const gint64 wanted =
        options->row_budget != 0 ? options->row_budget : default_budget(comparison);
    return MAX(wanted, 0) / strands;
}

/*
 * What rows of a second sweep may take even if the budget is less: at most a share of what is free.
 * Without any rows the trace would hold more lines of its own (LINE_CELLS in trace.c) and take
 * several times as long.
 */
static gint64
least_again(const CsComparison *comparison, gboolean on_disk)
{
    const gint64 n = MIN(comparison->target->length, comparison->query->length);
    const gint64 strands = comparison->options->strand == CS_STRAND_BOTH ? 2 : 1;
    const gint64 most = MIN(MOST_BYTES, free_bytes(comparison->options, on_disk));
    return MIN(most, LEAST_BYTES + AGAIN_COLUMN_BYTES * n) / strands;
}

/* Whether rows go to the checkpoint's folder. A complete comparison may be in one that cannot be
 * written. */
static gboolean
is_in_folder(const CsComparison *comparison)
{
    return comparison->checkpoint != NULL && cs_checkpoint_is_writable(comparison->checkpoint);
}

/* What rows of a strand may take, those of a second sweep (again) or others. */
static gint64
budget_of(const CsComparison *comparison, gboolean again)
{
    const gint64 wanted = cs_compare_rows_budget(comparison);
    if (!again)
        return wanted;
    const gint64 least = least_again(comparison, is_in_folder(comparison));
    /* A budget that was given for the disk does not apply to memory. */
    return comparison->checkpoint != NULL && !is_in_folder(comparison) ? least : MAX(wanted, least);
}

/* The columns of a row, about, that are above zero. */
static double
columns_of_row(gint64 n, double share_left)
{
    return MIN((double)n, share_left * (double)n + BAND_COLUMNS);
}

/* Rows that most likely exceed the budget would be dropped, every other one. */
static gint64
choose_distance(const CsComparison *comparison, gint64 m, gint64 n, double share_left,
                gint64 budget)
{
    const double columns = columns_of_row(n, share_left);
    const gboolean gpu = is_on_gpu(comparison);
    const double a_row = MAX(columns * CS_GPU_SECONDS_A_CELL, CS_GPU_SECONDS_A_ROW);
    const double fast = gpu ? columns * seconds_a_column(count_packers(comparison)) / a_row
                            : sqrt(SQUARE_A_COLUMN * columns);
    const double fits = (double)m * columns * EXPECTED_BYTES / (double)MAX(budget, 1);
    const double least = MAX(fast, MIN(fits, (double)m / (2 * FEW_ROWS)));
    const gint64 unit = !gpu ? ROW_UNIT : share_left < 1 ? GPU_SKIPPING_UNIT : GPU_UNIT;
    const gint64 distance = unit * (gint64)ceil(least / (double)unit);
    return comparison->row_distance > 0 ? comparison->row_distance
                                        : MAX(distance, gpu ? GPU_LEAST_DISTANCE : LEAST_DISTANCE);
}

gboolean
cs_compare_rows_pay(const CsRectangle *matrix)
{
    const gint64 m = cs_rectangle_m(matrix), n = cs_rectangle_n(matrix);
    if (n > m / LOW)
        return TRUE;
    const gint64 most = cs_trace_most_rows(&matrix->scoring, n, 0);
    return most > m / LOW || (double)most * (double)n > LOW_CELLS;
}

gint64
cs_compare_rows_bytes(const CsComparison *comparison, double share_left, gint64 *expected)
{
    const gint64 strands = comparison->options->strand == CS_STRAND_BOTH ? 2 : 1;
    const CsRectangle matrix = cs_comparison_rectangle(comparison, CS_STRAND_PLUS);
    const gint64 m = cs_rectangle_m(&matrix), n = cs_rectangle_n(&matrix);
    *expected = 0;
    if (!cs_compare_rows_pay(&matrix))
        return 0;
    const gint64 least = least_again(comparison, comparison->options->checkpoint != NULL);
    const gint64 budget = strands * MAX(cs_compare_rows_budget(comparison), least);
    const gint64 distance = choose_distance(comparison, m, n, share_left, budget / strands);
    const double rows = (double)(m / distance * strands), columns = columns_of_row(n, share_left);
    *expected = (gint64)MIN(rows * columns * EXPECTED_BYTES, (double)budget);
    return (gint64)MIN(rows * columns * MOST_COLUMN_BYTES, (double)budget);
}

static const char *
name_of(CsStrand strand)
{
    return strand == CS_STRAND_MINUS ? "minus-rows" : "plus-rows";
}

CsRows *
cs_compare_rows_new(CsComparison *comparison, CsStrand strand, const CsRectangle *matrix,
                    gboolean again)
{
    const gint64 budget = budget_of(comparison, again), m = cs_rectangle_m(matrix);
    const double share = matrix->skipping ? matrix->share_left : 1;
    const gint64 distance = choose_distance(comparison, m, cs_rectangle_n(matrix), share, budget);
    CsWidth width;
    if (budget == 0 || distance >= m || !cs_compare_rows_pay(matrix) ||
        !cs_rectangle_width(matrix, &width, NULL))
        return NULL;
    g_autoptr(GError) failure = NULL;
    g_autoptr(CsRows) rows = cs_rows_new_packed(m, distance, width, budget, cs_compare_notes_leave,
                                                comparison, &failure);
    const CsCheckpoint *folder = is_in_folder(comparison) ? comparison->checkpoint : NULL;
    const gboolean on_disk = folder != NULL || budget > free_bytes(comparison->options, FALSE);
    if (rows != NULL && (!on_disk || cs_rows_use_file(rows, folder, name_of(strand), &failure)))
        return g_steal_pointer(&rows);
    cs_compare_note(comparison, CS_NOTE_DETAIL, "no rows are kept for the alignment: %s",
                    failure->message);
    return NULL;
}

CsRows *
cs_compare_rows_load(CsComparison *comparison, CsStrand strand, gint64 m, gboolean again,
                     CsRowsMark *mark)
{
    const CsRectangle matrix = cs_comparison_rectangle(comparison, strand);
    CsWidth width;
    if (comparison->checkpoint == NULL || (!again && comparison->options->row_budget < 0) ||
        !cs_rectangle_width(&matrix, &width, NULL))
        return NULL;
    return cs_rows_load(comparison->checkpoint, name_of(strand), m, width, mark,
                        budget_of(comparison, again), cs_compare_notes_leave, comparison);
}

/* Adds the cells of a bus, whatever its width. */
static void
add_bus(XXH3_state_t *sum, const CsBus *bus)
{
    gint64 values[2 * AT_ONCE];
    for (gint64 done = 0; done < bus->length;) {
        const gint64 now = MIN(AT_ONCE, bus->length - done);
        for (gint64 k = 0; k < now; k++) {
            values[2 * k] = cs_width_get(bus->width, bus->h, done + k);
            values[2 * k + 1] = cs_width_get(bus->width, bus->gap, done + k);
        }
        XXH3_64bits_update(sum, values, 2 * (gsize)now * sizeof *values);
        done += now;
    }
}

/* The mark of a state: a checksum of where its wave stands and of all values on it. */
static CsRowsMark
mark_of(const CsStaircase *staircase)
{
    XXH3_state_t *sum = XXH3_createState();
    const gint64 whole[] = {staircase->row, staircase->corner};
    XXH3_64bits_reset(sum);
    XXH3_64bits_update(sum, whole, sizeof whole);
    add_bus(sum, staircase->horizontal);
    for (guint k = 0; k < staircase->steps->len; k++) {
        const CsStep *step = &g_array_index(staircase->steps, CsStep, k);
        const gint64 place[] = {step->row, step->height, step->column, step->corner};
        XXH3_64bits_update(sum, place, sizeof place);
        add_bus(sum, step->riser);
    }
    const CsRowsMark mark = {CS_ROWS_MARK_STATE, {(gint64)XXH3_64bits_digest(sum), 0, 0}};
    XXH3_freeState(sum);
    return mark;
}

static CsRowsMark
mark_complete(const CsBest *best)
{
    return (CsRowsMark){CS_ROWS_MARK_COMPLETE, {best->score, best->i, best->j}};
}

void
cs_compare_rows_mark(CsComparison *comparison, const CsStaircase *staircase, gboolean complete)
{
    CsRows *rows = comparison->rows[comparison->state.under_way];
    if (rows == NULL || (!complete && comparison->sweep.engine->gpu && staircase->steps->len > 0))
        return;
    if (comparison->queue != NULL)
        cs_row_queue_wait(comparison->queue);
    const CsRowsMark mark = complete ? mark_complete(&staircase->best) : mark_of(staircase);
    cs_rows_mark(rows, &mark);
}

/* Whether a second sweep, which has room for more rows, takes less time than tracing through the
 * high strips between these. Rows of zeros do not count: the alignment begins below them. */
static gboolean
are_too_few(const CsComparison *comparison, const CsRows *rows)
{
    gsize count = 0;
    CsRowsPiece piece;
    for (gsize k = 0; k < cs_rows_count(rows); k++)
        count += cs_rows_next(rows, k, 0, &piece);
    return count < FEW_ROWS && cs_compare_rows_budget(comparison) < budget_of(comparison, TRUE);
}

CsRows *
cs_compare_rows_complete(CsComparison *comparison, CsStrand strand, const CsBest *best)
{
    CsRows **rows = &comparison->rows[strand];
    const CsRectangle matrix = cs_comparison_rectangle(comparison, strand);
    CsRowsMark mark = mark_complete(best);
    if (*rows == NULL)
        *rows = cs_compare_rows_load(comparison, strand, cs_rectangle_m(&matrix), FALSE, &mark);
    if (*rows != NULL && are_too_few(comparison, *rows))
        g_clear_pointer(rows, cs_rows_free);
    return *rows;
}

void
cs_compare_rows_drop(CsComparison *comparison, CsStrand strand)
{
    g_clear_pointer(&comparison->rows[strand], cs_rows_free);
    if (comparison->checkpoint != NULL)
        cs_found_drop(comparison->checkpoint, name_of(strand));
}

gint64
cs_compare_rows_packing_bytes(const CsComparison *comparison)
{
    return is_on_gpu(comparison)
               ? CS_ROW_QUEUE_BYTES + CS_ROWS_PACKER_BYTES * count_packers(comparison)
               : 0;
}

CsRowQueue *
cs_compare_rows_queue(const CsComparison *comparison, const CsEngineClass *engine, CsRows *rows)
{
    const CsRowWork work = cs_rows_work(rows);
    return engine->gpu ? cs_row_queue_new(&work, count_packers(comparison)) : NULL;
}

void
cs_compare_rows_attach(CsComparison *comparison, CsStrand strand, CsRectangle *rectangle)
{
    const CsStaircase *staircase = &comparison->state.staircase;
    const gboolean begun = staircase->horizontal != NULL && cs_staircase_cells(staircase) > 0;
    if (!comparison->traces)
        return;
    CsRows *rows = NULL;
    if (begun) {
        CsRowsMark mark = mark_of(staircase);
        rows = cs_compare_rows_load(comparison, strand, cs_rectangle_m(rectangle), FALSE, &mark);
    } else {
        rows = cs_compare_rows_new(comparison, strand, rectangle, FALSE);
    }
    if (rows == NULL || cs_rows_count(rows) == 0) {
        cs_rows_free(rows);
        return;
    }
    comparison->rows[strand] = rows;
    rectangle->n_special_rows = cs_rows_count(rows);
    rectangle->special_rows = comparison->rows_at[strand] = cs_rows_list(rows);
    rectangle->row_func = cs_rows_take;
    rectangle->row_data = rows;
    comparison->queue = cs_compare_rows_queue(comparison, comparison->sweep.engine, rows);
    if (comparison->queue != NULL) {
        rectangle->row_func = cs_row_queue_take;
        rectangle->row_data = comparison->queue;
    }
}

void
cs_compare_rows_detach(CsComparison *comparison)
{
    g_clear_pointer(&comparison->queue, cs_row_queue_free);
}
