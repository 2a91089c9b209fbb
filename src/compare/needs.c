/*
 * How much memory and disk a comparison will need.
 *
 *   program      libraries, stacks, the grid
 *   sequences    one byte per base
 *   buses        the horizontal bus (with a checkpoint it belongs to the wavefront, and a CPU engine
 *                works on it), and what an engine needs for itself
 *   engine       block states and scratch; for a GPU, the driver's context
 *   skip         the stages before the sweep; the bounds stay
 *   checkpoint   copies of the horizontal bus and of the risers (of the state that is being saved,
 *                of the part in which a stop comes, and of the whole), and the buffers of the
 *                threads that pack and read back
 */
#include <string.h>
#include <sys/stat.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "checkpoint/checkpoint_manifest.h"
#include "checkpoint/state_file.h"
#include "compare/needs.h"
#include "skipping/skip_estimate.h"
#include "system/disk.h"
#include "system/memory.h"

enum {
    PROGRAM_BYTES = 16 << 20,
    THREAD_BYTES = 256 << 10, /* including the first pages of its malloc arena */
    KEPT_OF_FREED = 8,        /* one part in this many */
    PACKER_BYTES = 4 << 20,   /* of zstd, per thread */
    COPIES = 3,
    GENERATIONS = 6, /* named, the last of an older chain, and the one that is being written */
    HEAD_BYTES = 12288,
    TILE_BYTES = 8 << 20,  /* of a set: what a thread takes for a tile */
    TILES_BYTES = 1 << 20, /* of a set: a file of so many bytes is never written anew */
    STEP_BYTES = 256,      /* in the head, and for the jump of the bus at a step */
};

/* Bytes per column of packed buses, for genomes and random bases (docs/performance.md). */
#define EXPECTED_BYTES 0.3
#define EXPECTED_GENERATIONS 3
/* The growth of data that zstd cannot compress. */
#define FRAME 1.01

/*
 * The most bytes that the bus codec writes for the difference of two neighbours. Along a border, H
 * falls by at most the first base of a gap, and rises by at most that and a match
 * (docs/algorithm.md). A gap value follows the H from which it was opened, lower by a first base.
 */
static gint64
value_bytes(const CsScoring *scoring)
{
    const double most =
        (double)scoring->match + 3.0 * ((double)scoring->gap_open + (double)scoring->gap_extend);
    gint64 bytes = 1;
    for (double zigzag = 2 * most; zigzag >= 128 && bytes < 10; zigzag /= 128)
        bytes++;
    return bytes;
}

/* The cells of the risers of all slots. */
static gint64
riser_cells(const CsGrid *grid, const CsEngineNeeds *engine)
{
    return MAX(engine->risers, MIN(grid->m, grid->depth * grid->block_height));
}

/* The buffers of the threads that pack, and of the one that reads back. */
static gint64
packing_bytes(gint64 cells, gint64 cell, gint64 text)
{
    const gint64 threads = MIN((gint64)cs_threads_granted(), CS_STATE_MOST_THREADS);
    const gint64 most = MIN(cells, CS_STATE_BLOCK_CELLS);
    const gint64 block = (gint64)((double)(text * most) * FRAME) + HEAD_BYTES;
    return (threads + 1) * block + threads * (text * most + PACKER_BYTES) +
           (cell * most + block + text * most + PACKER_BYTES);
}

/* The bytes of all generations in the folder, named by its manifest or not. */
static gint64
bytes_there(const char *directory)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    gint64 bytes = 0;
    (void)cs_directory_list(directory, numbers, NULL, NULL);
    for (guint k = 0; k < numbers->len; k++) {
        g_autofree char *name = cs_generation_name(g_array_index(numbers, gint64, k));
        g_autofree char *path = g_build_filename(directory, name, NULL);
        struct stat status;
        bytes += stat(path, &status) == 0 ? status.st_size : 0;
    }
    return bytes;
}

/* Returns how much of the plan's host_bytes_checkpoint is not needed until a run is stopped. */
static gint64
fill_checkpoint(CsPlan *plan, const CsComparison *comparison, gint64 risers, CsWidth width)
{
    const CsGrid *grid = comparison->grid;
    const char *directory = comparison->options->checkpoint;
    const gint64 cell = 2 * (gint64)width, text = 2 * value_bytes(&comparison->options->scoring);
    const gint64 cells = grid->n + risers;
    const double packed = (double)(text * cells) * FRAME + (double)(grid->depth * STEP_BYTES);
    const gint64 copy = cell * cells;
    /* In a resumed run, risers grow by those of the parts to their right. */
    const gint64 grown = 2 * cell * risers;
    plan->host_bytes_checkpoint =
        COPIES * copy + grown + packing_bytes(MAX(grid->n, risers), cell, text);
    plan->disk_bytes = GENERATIONS * ((gint64)packed + HEAD_BYTES);
    plan->disk_bytes_expected =
        EXPECTED_GENERATIONS * ((gint64)((double)cells * EXPECTED_BYTES) + HEAD_BYTES);
    plan->disk_bytes_there = bytes_there(directory);
    plan->disk_bytes_free = cs_disk_free_bytes(directory);
    return (COPIES - 1) * copy + grown;
}

/* What a run would try to skip, as far as the sizes tell. */
static CsSkipMode
skip_mode(const CsComparison *comparison, const CsRectangle *whole)
{
    const CsSkipSearch search = {.wanted = comparison->options->skip,
                                 .gpu = comparison->sweep.engine->gpu,
                                 .threads = comparison->sweep.engine_options.threads};
    return cs_skip_estimate_mode(whole, &search);
}

/* The needs of a sweep of the rectangle in the comparison's grid, or in the smaller blocks used for
 * skipping, with no more threads than there is work for. */
static CsEngineNeeds
needs_of_engine(const CsComparison *comparison, const CsRectangle *rectangle, CsSkipMode skip,
                guint threads)
{
    const CsSweepOptions *sweep = &comparison->sweep;
    CsEngineOptions options = sweep->engine_options;
    CsEngineNeeds needs, skipping;
    options.threads = threads;
    sweep->engine->needs(rectangle, comparison->grid, &sweep->shape, &options, &needs);
    if (skip == CS_SKIP_NONE || (skip == CS_SKIP_BEST && !sweep->engine->gpu))
        return needs;
    CsRectangle small = *rectangle;
    CsSweepOptions anew = *sweep;
    small.skipping = TRUE;
    anew.shape = comparison->wish;
    g_autoptr(CsGrid) blocks = cs_sweep_plan(&small, &anew);
    sweep->engine->needs(&small, blocks, &anew.shape, &options, &skipping);
    needs.other = MAX(needs.other, skipping.other);
    needs.device = MAX(needs.device, skipping.device);
    needs.risers = MAX(needs.risers, skipping.risers);
    return needs;
}

/*
 * The stages run before the sweep allocates what it needs; bounds stay, unless the stages find that
 * skipping does not pay, and those of both strands are found first. With a checkpoint there is a
 * state already.
 */
static gint64
skip_bytes(const CsComparison *comparison, CsSkipMode mode, gboolean stays, gint64 sweep_bytes)
{
    const CsCompareOptions *options = comparison->options;
    const CsGrid *grid = comparison->grid;
    guint64 kept;
    guint64 most =
        cs_skip_memory(grid->m, grid->n, TRUE, comparison->sweep.engine_options.threads, &kept);
    most += most / KEPT_OF_FREED; /* malloc does not return all of it */
    const guint64 left = stays ? kept : 0;
    const guint64 other = options->strand == CS_STRAND_BOTH ? left : 0;
    if (mode == CS_SKIP_NONE)
        return 0;
    if (mode == CS_SKIP_BEST)
        return (gint64)(left + other);
    const gint64 later = options->checkpoint == NULL ? sweep_bytes : 0;
    return (gint64)other + MAX((gint64)left, (gint64)most - later);
}

void
cs_needs_fill(CsPlan *plan, const CsComparison *comparison, const CsRectangle *whole)
{
    const CsGrid *grid = comparison->grid;
    const gboolean gpu = comparison->sweep.engine->gpu;
    const gboolean saves = comparison->options->checkpoint != NULL;
    const guint threads = (guint)MIN(comparison->sweep.engine_options.threads, grid->depth);
    CsWidth width = CS_WIDTH_64;
    (void)cs_rectangle_width(whole, &width, NULL);
    CsBus wave = {.length = grid->n, .width = width};
    CsRectangle rectangle = *whole;
    if (saves)
        rectangle.bottom = &wave;
    const CsSkipMode mode = skip_mode(comparison, whole);
    const CsEngineNeeds engine = needs_of_engine(comparison, &rectangle, mode, threads);
    plan->threads = gpu ? 1 : threads;
    plan->bits = engine.bits;
    plan->device_bytes = engine.device;
    /* Two grids, each in an array that grows by doubling. */
    plan->host_bytes_program =
        PROGRAM_BYTES + THREAD_BYTES * (gint64)threads + 32 * grid->block_rows;
    plan->host_bytes_sequences = grid->m + grid->n;
    plan->host_bytes_buses = engine.buses + (saves ? 2 * (gint64)width * grid->n : 0);
    plan->host_bytes_engine = engine.other;
    plan->host_bytes_skip =
        skip_bytes(comparison, mode, TRUE, plan->host_bytes_buses + plan->host_bytes_engine);
    plan->host_bytes_checkpoint = 0;
    plan->disk_bytes = plan->disk_bytes_expected = plan->disk_bytes_there = 0;
    plan->disk_bytes_free = -1;
    /* The search for what can be skipped is optional, and the driver's share is a guess: neither may
     * be a reason to refuse a run. */
    gint64 dispensable = plan->host_bytes_skip + (gpu ? engine.other : 0);
    if (saves)
        dispensable += fill_checkpoint(plan, comparison, riser_cells(grid, &engine), width);
    plan->host_bytes = plan->host_bytes_program + plan->host_bytes_sequences +
                       plan->host_bytes_buses + plan->host_bytes_engine +
                       plan->host_bytes_checkpoint + plan->host_bytes_skip;
    plan->host_bytes_least = plan->host_bytes - dispensable;
    plan->host_bytes_available = cs_memory_reach("/", &plan->host_limit);
}

/* At most half of a file of tiles is of no use (alignment/masked_keep.h). */
static void
fill_tiles(CsPlan *plan, const CsComparison *comparison, gint64 borders)
{
    const char *directory = comparison->options->checkpoint;
    CsRectangle whole = cs_comparison_rectangle(comparison, CS_STRAND_PLUS);
    CsWidth width = CS_WIDTH_64;
    (void)cs_rectangle_width(&whole, &width, NULL);
    const double cells = (double)borders / (2.0 * (double)width);
    plan->disk_bytes = 2 * borders + TILES_BYTES;
    plan->disk_bytes_expected = (gint64)(EXPECTED_BYTES * cells) + TILES_BYTES;
    plan->disk_bytes_there = bytes_there(directory);
    plan->disk_bytes_free = cs_disk_free_bytes(directory);
}

void
cs_needs_fill_all(CsPlan *plan, const CsComparison *comparison, double borders)
{
    const gint64 threads = comparison->sweep.engine_options.threads;
    const gint64 marks = cs_end_marks_bytes(comparison->target->length, comparison->query->length);
    plan->host_bytes_program = PROGRAM_BYTES + THREAD_BYTES * threads;
    plan->host_bytes_sequences = comparison->target->length + comparison->query->length;
    plan->host_bytes_buses = (gint64)borders;
    plan->host_bytes_engine = TILE_BYTES * threads + marks;
    plan->device_bytes += plan->device_bytes > 0 ? marks : 0;
    plan->host_bytes_checkpoint = comparison->options->checkpoint != NULL ? PACKER_BYTES : 0;
    plan->host_bytes_skip = plan->row_bytes = 0;
    plan->host_bytes = plan->host_bytes_least =
        plan->host_bytes_program + plan->host_bytes_sequences + plan->host_bytes_buses +
        plan->host_bytes_engine + plan->host_bytes_checkpoint;
    plan->host_bytes_available = cs_memory_reach("/", &plan->host_limit);
    plan->disk_bytes = plan->disk_bytes_expected = plan->disk_bytes_there = 0;
    plan->disk_bytes_free = -1;
    if (comparison->options->checkpoint != NULL)
        fill_tiles(plan, comparison, (gint64)borders);
}

void
cs_needs_drop_bounds(CsPlan *plan, const CsComparison *comparison, const CsRectangle *whole)
{
    const gint64 before = plan->host_bytes_skip;
    plan->host_bytes_skip = skip_bytes(comparison, skip_mode(comparison, whole), FALSE,
                                       plan->host_bytes_buses + plan->host_bytes_engine);
    plan->host_bytes += plan->host_bytes_skip - before;
}

gint64
cs_needs_of_sweep(const CsPlan *plan)
{
    return plan->host_bytes_least - plan->host_bytes_sequences - PROGRAM_BYTES;
}

static gint64
mebibytes(gint64 bytes)
{
    return (bytes >> 20) + 1;
}

/* Runs without a search took about 80% of this estimate. A run that might fit is not refused. */
static gboolean
memory_is_too_short(const CsPlan *plan)
{
    return plan->host_bytes_available >= 0 &&
           plan->host_bytes_least - plan->host_bytes_least * 2 / 5 > plan->host_bytes_available;
}

gboolean
cs_needs_check_memory(const CsPlan *plan, GError **error)
{
    if (!memory_is_too_short(plan))
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory: about %" G_GINT64_FORMAT " MiB needed, %" G_GINT64_FORMAT
                " MiB available (%s)",
                mebibytes(plan->host_bytes_least), plan->host_bytes_available >> 20,
                plan->host_limit);
    return FALSE;
}

char *
cs_needs_doubt(const CsPlan *plan)
{
    /* The search for what can be skipped gives way. */
    const gint64 bytes = plan->host_bytes - plan->host_bytes_skip;
    const gint64 available = plan->host_bytes_available;
    if (available < 0 || bytes <= available || memory_is_too_short(plan))
        return NULL;
    return g_strdup_printf("memory may run out%s: up to %" G_GINT64_FORMAT
                           " MiB needed, %" G_GINT64_FORMAT " MiB available (%s)",
                           plan->host_bytes_least <= available && plan->host_bytes_checkpoint > 0
                               ? " when the run is stopped and saves its state"
                               : "",
                           mebibytes(bytes), available >> 20, plan->host_limit);
}

gboolean
cs_needs_check_disk(const CsPlan *plan, GError **error)
{
    const gint64 more = plan->disk_bytes_expected - plan->disk_bytes_there;
    if (plan->disk_bytes_free < 0 || more <= plan->disk_bytes_free)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED,
                "not enough disk space for checkpoints: about %" G_GINT64_FORMAT
                " MiB needed, %" G_GINT64_FORMAT " MiB free",
                mebibytes(more), plan->disk_bytes_free >> 20);
    return FALSE;
}
