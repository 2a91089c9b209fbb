/*
 * A run: pairs in tiles, which threads take from a queue, while this thread tells what is complete.
 *
 *      this thread         ---- asks ---- tells band 0 ---- asks ---- tells band 1
 *      lead thread, and    tile 0   tile 2   tile 3
 *      those it starts     tile 1       tile 4    tile 5        each appends its tiles to the log
 *
 * With several processes, this one deals tiles to the others (identity_ranks.h) while it asks.
 *
 * Pairs do not depend on the order of tiles, so a run that goes on computes those that no log has, and
 * tells all.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "cpu/simd.h"
#include "identity/identity_ranks.h"
#include "identity/identity_run.h"
#include "identity/packed_pairs.h"
#include "identity/run_head.h"
#include "identity/telling.h"
#include "identity/tile_devices.h"
#include "ranks/ranks.h"
#include "system/memory.h"
#include "system/parallel.h"
#include "system/stop.h"

enum {
    PROGRAM_BYTES = 24 << 20,  /* libraries, stacks and the like */
    WAITING_BYTES = 256 << 20, /* of pairs in memory */
    PAIR_BYTES = 16,           /* of a pair that waits, about */
    RECORD_BYTES = 64,         /* beside letters and name */
    PAUSE_US = 1000,           /* while other processes or threads compute */
    LETTER_BYTES = 160,        /* for each letter of the longest sequence, and each thread */
    /* Of a checkpoint: a log's head; of each tile, and each of its rows; of a thread's part, for a letter. */
    LOG_BYTES = 4096,
    TILE_BYTES = 96,
    ROW_BYTES = 2,
    PART_BYTES = 16,
    PATH_BYTES = 32, /* likewise, of a path */
};

#define MOST_SECONDS 1e9
#define PART_CELLS                                                                                 \
    ((gint64)1 << 36) /* some seconds of a thread, and more than a tile of short pairs has */
#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 10)
#define WARNING_INTERVAL (10 * G_USEC_PER_SEC)

struct _CsIdentity {
    CsIdentityInputs inputs;
    CsIdentitySummary summary;
};

/* How long tiles took so far. */
typedef struct {
    gint64 tiles, microseconds;
} Pace;

typedef struct {
    CsIdentity *result;
    const CsIdentityOptions *options;
    CsIdentityTiles tiles;
    CsTileWork work;
    CsRecordWords words;  /* with a least identity */
    CsIdentityKeep *keep; /* or NULL */
    CsPartKeeper parts;
    CsTileQueue *queue;
    CsIdentityRanks *ranks; /* or NULL: this process is alone */
    CsTelling telling;
    GError *tell_error; /* or of another process */
    guint threads;
    CsTileDevices devices;
    gint working; /* atomic: threads that take tiles */
    pthread_mutex_t pace_mutex;
    Pace cpu, gpu;        /* protected by it */
    gint64 under_way;     /* atomic: cells of long pairs */
    gint64 resumed;       /* atomic: of these, and of tiles, what was not computed in this run */
    double told_fraction; /* never less than before, though a pair ends before its tile does */
    gint stop;
    gint failed;          /* atomic: a thread had not enough memory */
    GError *device_error; /* atomic: of the thread that failed first */
    gint64 begun, next_progress, next_warning;
    gint64 computing; /* when this run began to compute */
} Run;

static double
seconds_since(gint64 begun)
{
    return (double)(g_get_monotonic_time() - begun) / 1e6;
}

static void
summarise(Run *run)
{
    CsIdentitySummary *summary = &run->result->summary;
    const CsTileSums sums = cs_tile_queue_sums(run->queue);
    summary->pairs_kept = sums.kept;
    summary->pairs_filtered = sums.filtered;
    summary->cells_computed = sums.cells_computed;
    summary->seconds = seconds_since(run->begun);
}

static void
tell_progress(Run *run, gboolean done)
{
    const gint64 now = g_get_monotonic_time();
    if (run->options->progress == NULL || (!done && now < run->next_progress))
        return;
    run->next_progress = now + PROGRESS_INTERVAL;
    const CsTileSums sums = cs_tile_queue_sums(run->queue);
    const double all = (double)MAX(run->tiles.cells, 1);
    const gint64 under_way = __atomic_load_n(&run->under_way, __ATOMIC_RELAXED);
    const gint64 earlier =
        cs_tile_queue_loaded(run->queue).cells + __atomic_load_n(&run->resumed, __ATOMIC_RELAXED);
    const double here = (double)(sums.cells + under_way - earlier);
    run->told_fraction = CLAMP((double)(sums.cells + under_way) / all, run->told_fraction, 0.9999);
    const double seconds = seconds_since(run->computing);
    CsIdentityProgress progress = {.fraction = done ? 1 : run->told_fraction,
                                   .pairs = sums.pairs,
                                   .all_pairs = run->tiles.pairs,
                                   .kept = sums.kept,
                                   .cells = sums.cells_computed + under_way,
                                   .seconds = seconds_since(run->begun),
                                   .seconds_left = -1};
    if (done)
        progress.seconds_left = 0;
    else if (here > 0)
        progress.seconds_left = seconds * MAX(all - (double)(sums.cells + under_way), 0) / here;
    run->options->progress(&progress, run->options->data);
}

static void
stop_all(Run *run)
{
    g_atomic_int_set(&run->stop, 1);
    cs_tile_queue_stop(run->queue);
}

static void
warn(Run *run, const GError *failure)
{
    const gint64 now = g_get_monotonic_time();
    if (run->options->note == NULL || now < run->next_warning)
        return;
    run->next_warning = now + WARNING_INTERVAL;
    g_autofree char *message = g_strdup_printf("cannot save what is done: %s", failure->message);
    run->options->note(CS_NOTE_WARNING, message, run->options->data);
}

/* A run goes on without a checkpoint rather than lose what it has found. */
static void
look_after_checkpoint(Run *run, gboolean wanted)
{
    g_autoptr(GError) failure = NULL;
    if (run->keep == NULL)
        return;
    if (!cs_identity_keep_sync(run->keep, !wanted, &failure))
        warn(run, failure);
    g_clear_error(&failure);
    failure = cs_tile_queue_save_error(run->queue);
    if (failure != NULL)
        warn(run, failure);
}

/* Called again and again while tiles are computed, and pairs told. */
static void
ask_control(Run *run)
{
    tell_progress(run, FALSE);
    const CsControl control = run->options->control != NULL
                                  ? run->options->control(run->options->data)
                                  : CS_CONTROL_GO_ON;
    look_after_checkpoint(run, control == CS_CONTROL_SAVE);
    if (control == CS_CONTROL_STOP)
        stop_all(run);
}

static gboolean
tell_pairs(const CsIdentityPair *pairs, gint64 count, gpointer data)
{
    Run *run = data;
    summarise(run);
    if (!run->options->pairs(&run->result->summary, pairs, count, run->options->data))
        return FALSE;
    ask_control(run);
    return !cs_is_stopped(&run->stop);
}

static void
ask(gpointer data)
{
    Run *run = data;
    ask_control(run);
    if (!cs_is_stopped(&run->stop) && run->ranks != NULL &&
        !cs_identity_ranks_go_on(run->ranks, &run->tell_error))
        stop_all(run);
    if (!cs_is_stopped(&run->stop) && !cs_telling_go_on(&run->telling, &run->tell_error))
        stop_all(run);
}

static void
take_pace(Run *run, const CsDeviceGlobal *device, const CsTileRecord *record)
{
    Pace *pace = device != NULL ? &run->gpu : &run->cpu;
    pthread_mutex_lock(&run->pace_mutex);
    pace->tiles++;
    pace->microseconds += record->microseconds;
    pthread_mutex_unlock(&run->pace_mutex);
}

/* Whether the GPUs will have computed all that is left before the CPU has computed a tile. */
static gboolean
is_too_late(Run *run)
{
    const double left = (double)cs_tile_queue_left(run->queue);
    pthread_mutex_lock(&run->pace_mutex);
    const Pace cpu = run->cpu, gpu = run->gpu;
    pthread_mutex_unlock(&run->pace_mutex);
    return cpu.tiles > 0 && gpu.tiles > 0 &&
           left * (double)gpu.microseconds / (double)gpu.tiles / run->devices.count <
               (double)cpu.microseconds / (double)cpu.tiles;
}

/* One tile, on the GPU of a thread or the CPU. *near: the tile that the thread computed last, or -1.
 * FALSE: there is none to compute. */
static gboolean
compute_next(Run *run, CsDeviceGlobal *device, gint64 *near)
{
    g_auto(CsPackedPairs) packed = {.bytes = NULL};
    g_autoptr(GError) failure = NULL;
    if (device == NULL && is_too_late(run))
        return FALSE;
    CsTileRecord record = {.tile = cs_tile_queue_take(run->queue, device != NULL ? *near : -1)};
    if (record.tile < 0)
        return FALSE;
    *near = record.tile;
    const CsIdentityTile tile = cs_identity_tiles_get(&run->tiles, record.tile);
    if (cs_tile_compute(&run->work, device, &tile, &record, &packed, &failure)) {
        take_pace(run, device, &record);
        cs_tile_queue_finish(run->queue, &record, &packed);
        return TRUE;
    }
    if (failure != NULL && g_atomic_pointer_compare_and_exchange(&run->device_error, NULL, failure))
        failure = NULL; /* it is the run's now */
    else if (failure == NULL && !g_atomic_int_get(&run->stop))
        g_atomic_int_set(&run->failed, 1);
    stop_all(run);
    return FALSE;
}

/* Tiles as long as there are any, then long pairs of other threads. With devices, there is a thread for each that
 * takes tiles. */
static void
compute_many(gint64 task, gpointer data)
{
    Run *run = data;
    if (task < cs_tile_devices_threads(&run->devices, run->threads)) {
        gint64 near = -1;
        g_atomic_int_add(&run->working, task > 0);
        while (compute_next(run, cs_tile_devices_get(&run->devices, task), &near))
            ;
        g_atomic_int_add(&run->working, -1);
    }
    while (g_atomic_int_get(&run->working) > 0)
        cs_global_team_help(run->work.team, PAUSE_US);
}

static void
lead(gpointer data)
{
    Run *run = data;
    const guint threads = MAX(cs_tile_devices_threads(&run->devices, run->threads), run->threads);
    run->working = 1; /* task 0, which is taken first */
    cs_parallel_run(threads, threads, NULL, compute_many, run);
}

static gboolean
fail_stopped(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped on request");
    return FALSE;
}

/* What went wrong while tiles were computed and told, if anything. */
static gboolean
check_computed(Run *run, GError **error)
{
    if (run->tell_error != NULL) {
        g_propagate_error(error, g_steal_pointer(&run->tell_error));
        return FALSE;
    }
    if (run->device_error != NULL) {
        g_propagate_error(error, g_steal_pointer(&run->device_error));
        return FALSE;
    }
    if (run->failed) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory to compare sequences of up to %" G_GINT64_FORMAT " letters",
                    MAX(run->work.inputs->rows->longest, run->work.inputs->columns->longest));
        return FALSE;
    }
    return !cs_is_stopped(&run->stop) || fail_stopped(error);
}

/* Makes durable what is done. After a stop that counts: who stops a run wants to go on later. */
static gboolean
save(Run *run, GError **error)
{
    g_autoptr(GError) failure = NULL;
    if (run->keep == NULL)
        return TRUE;
    gboolean good = cs_identity_keep_sync(run->keep, FALSE, &failure);
    if (good) {
        failure = cs_tile_queue_save_error(run->queue);
        if (failure == NULL && cs_tile_queue_unsaved(run->queue) > 0)
            g_set_error_literal(&failure, CS_ERROR, CS_ERROR_FAILED, "see the warning above");
        good = failure == NULL;
    }
    if (!good)
        g_propagate_error(error, g_steal_pointer(&failure));
    return good;
}

/* After a stop or a failure, too, what is done stays done. */
static void
save_stopped(Run *run, GError **error)
{
    GError *failure = NULL;
    if (save(run, &failure))
        return;
    if (!g_error_matches(*error, CS_ERROR, CS_ERROR_STOPPED)) {
        g_error_free(failure);
        return;
    }
    g_clear_error(error);
    g_propagate_prefixed_error(error, failure, "cannot save what is done: ");
}

/* Words of many records take some seconds, in which nobody asks whether to stop. */
static gboolean
count_words(Run *run, GError **error)
{
    const CsIdentityFilter filter = run->words.filter;
    if (run->work.words == NULL ||
        cs_record_words_init(&run->words, &filter, run->work.inputs, run->threads, &run->stop))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory for the words of the sequences");
    return FALSE;
}

static gboolean
begin_ranks(Run *run, GError **error)
{
    if (cs_ranks_place()->size == 1)
        return TRUE;
    run->ranks =
        cs_identity_ranks_new(&run->work, run->queue, run->threads, run->options->device, error);
    if (run->ranks != NULL)
        run->result->summary.threads += cs_identity_ranks_threads(run->ranks);
    return run->ranks != NULL;
}

static gboolean
compute_all(Run *run, GError **error)
{
    GError *failure = NULL;
    gint64 near = -1;
    if (!count_words(run, error) || !begin_ranks(run, error))
        return FALSE;
    run->computing = g_get_monotonic_time();
    CsThread *thread = cs_thread_new("identity", lead, run, NULL);
    if (thread != NULL)
        cs_thread_join_asking(thread, ask, run);
    else /* this thread does all: it tells a band before it takes a tile behind it */
        while (!cs_is_stopped(&run->stop) &&
               compute_next(run, cs_tile_devices_get(&run->devices, 0), &near))
            ask(run);
    while (!cs_is_stopped(&run->stop) &&
           !cs_tile_queue_is_complete(run->queue)) { /* others have some */
        ask(run);
        g_usleep(PAUSE_US);
    }
    if (!cs_is_stopped(&run->stop))
        ask(run);
    g_clear_pointer(&run->ranks, cs_identity_ranks_free);
    if (check_computed(run, &failure)) {
        g_autoptr(GError) unsaved = NULL;
        if (!save(run, &unsaved))
            warn(run, unsaved);
        return TRUE;
    }
    save_stopped(run, &failure);
    run->next_progress = 0;
    tell_progress(run, FALSE);
    g_propagate_error(error, failure);
    return FALSE;
}

static gint64
mebibytes(gint64 bytes)
{
    return (bytes >> 20) + 1;
}

static gint64
side_bytes(const CsIdentitySide *side)
{
    return side->letters + RECORD_BYTES * side->count;
}

/* What each process takes. */
static gint64
process_bytes(const Run *run)
{
    const CsIdentityInputs *inputs = run->work.inputs;
    const gint64 longest = MAX(inputs->rows->longest, inputs->columns->longest);
    return PROGRAM_BYTES + side_bytes(inputs->rows) +
           (inputs->one_file ? 0 : side_bytes(inputs->columns)) +
           cs_identity_tiles_bytes(&run->tiles) +
           cs_tile_devices_threads(&run->devices, run->threads) *
               (cs_tile_bytes(&run->work) + LETTER_BYTES * longest) +
           cs_tile_devices_wanted(&run->devices) * cs_device_global_bytes(&run->tiles);
}

/* What this one takes, as cs_identity() documents it. */
static gint64
memory_of(const Run *run)
{
    const gint64 band = PAIR_BYTES * cs_identity_tiles_band_pairs(&run->tiles);
    const gint64 waiting = MIN(WAITING_BYTES, PAIR_BYTES * run->tiles.pairs);
    return process_bytes(run) + cs_tile_queue_bytes(&run->tiles) + waiting + band;
}

static gboolean
fits(gint64 wanted, gint64 available)
{
    return available < 0 || wanted <= available;
}

static gint64
words_bytes(const Run *run)
{
    return cs_record_words_bytes(&run->words.filter, run->work.inputs);
}

/* What a checkpoint has beside its pairs: a log, and a part for each thread. */
static gint64
checkpoint_bytes(const Run *run)
{
    const CsIdentityTiles *tiles = &run->tiles;
    const CsIdentityInputs *inputs = run->work.inputs;
    const gint64 rows = tiles->band_begin[tiles->band_count];
    const gint64 path = run->options->align ? PATH_BYTES * inputs->rows->longest : 0;
    return LOG_BYTES + tiles->count * TILE_BYTES + tiles->block_count * rows * ROW_BYTES +
           run->threads * MAX(PART_BYTES * inputs->columns->longest, path);
}

/* The bytes of a pair of sequences of mean length. */
static gint64
guess_pair_bytes(const Run *run)
{
    const CsIdentityInputs *inputs = run->work.inputs;
    const gint64 letters = MAX(inputs->rows->letters / inputs->rows->count,
                               inputs->columns->letters / inputs->columns->count);
    const gint64 score = 2 * letters * MAX(inputs->scoring.pairs.highest, 1);
    const gint64 of_letters = cs_packed_pairs_number_bytes((guint64)letters);
    const gint64 numbers = cs_packed_pairs_number_bytes(0) +
                           cs_packed_pairs_number_bytes((guint64)score) + of_letters +
                           cs_packed_pairs_number_bytes((guint64)letters / 2);
    return numbers + (run->options->align ? of_letters + letters : 0);
}

static void
tell_needs(const Run *run, CsIdentityNeeds *needs)
{
    const CsIdentitySide *sides[] = {run->work.inputs->rows, run->work.inputs->columns};
    *needs = (CsIdentityNeeds){.bytes = memory_of(run) + words_bytes(run),
                               .checkpoint = checkpoint_bytes(run),
                               .pair_bytes = guess_pair_bytes(run),
                               .gpus = run->devices.which.gpus,
                               .summary = run->result->summary};
    for (guint k = 0; k < G_N_ELEMENTS(sides); k++) {
        needs->letters[k] = sides[k]->letters;
        needs->longest[k] = sides[k]->longest;
        for (gint64 record = 0; record < sides[k]->count; record++)
            needs->names[k] += (gint64)strlen(sides[k]->records[record].name);
    }
    needs->summary.first = needs->summary.second = NULL;
    needs->summary.matrix = NULL;
}

/* What is known after some tiles. */
static void
tell_needs_better(const Run *run, CsIdentityNeeds *needs)
{
    const CsTileSums sums = cs_tile_queue_sums(run->queue);
    needs->summary.device = run->result->summary.device;
    if (sums.kept > 0)
        needs->pair_bytes = (sums.bytes + sums.kept - 1) / sums.kept;
}

/* Whether there is memory for this process and the others of its machine. words: what those of a process take. */
static gboolean
has_room(const Run *run, gint64 words, GError **error)
{
    const gint64 others = cs_ranks_place()->local_size - 1;
    const char *limit, *whose = "";
    gint64 wanted = memory_of(run) + words, available = cs_memory_reach("/", &limit);
    if (others > 0 && fits(wanted, available)) {
        wanted += others * (process_bytes(run) + words);
        available = cs_memory_reach_together("/", &limit);
        whose = " for all processes of this machine";
    }
    if (fits(wanted, available))
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory: about %" G_GINT64_FORMAT " MiB needed%s, %" G_GINT64_FORMAT
                " MiB available (%s)",
                mebibytes(wanted), whose, available >> 20, limit);
    return FALSE;
}

/* Without memory for words, the filters do without them. needs: nullable. */
static gboolean
check_memory(Run *run, CsIdentityNeeds *needs, GError **error)
{
    if (!has_room(run, words_bytes(run), NULL))
        run->words.filter.k = 0;
    if (needs != NULL)
        tell_needs(run, needs);
    return has_room(run, 0, error);
}

static gboolean
check_options(const CsIdentityOptions *options, GError **error)
{
    const char *wrong =
        !(options->min_identity >= 0 && options->min_identity <= 1)
            ? "the least identity must be from 0 to 1"
        : options->over != CS_IDENTITY_LONGEST && options->over != CS_IDENTITY_SHORTEST &&
                options->over != CS_IDENTITY_COLUMNS
            ? "identities are divided by the longest, the shortest or the columns"
        : !(options->checkpoint_interval >= 0 && options->checkpoint_interval <= MOST_SECONDS)
            ? "the time until what is done is saved must be from 0 to 10^9 seconds"
            : NULL;
    if (wrong == NULL)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE, wrong);
    return FALSE;
}

static gboolean
open_devices(Run *run, GError **error)
{
    const gboolean good = cs_tile_devices_open(&run->devices, &run->work, error);
    run->result->summary.device = good ? cs_tile_devices_name(&run->devices) : NULL;
    return good;
}

/* What rules out pairs, before words are counted. */
static void
begin_filter(Run *run, const CsIdentityTuning *tuning)
{
    const CsIdentityInputs *inputs = run->work.inputs;
    const gint64 letters = inputs->rows->letters + inputs->columns->letters;
    const gint64 records = inputs->rows->count + inputs->columns->count;
    if (run->work.least == 0 || tuning->unfiltered)
        return;
    cs_identity_filter_init(&run->words.filter, run->work.over, run->work.least, CS_IDENTITY_UNIT,
                            cs_tile_matching(inputs), letters / records);
    run->work.words = &run->words;
}

/* What stays the same. */
static void
begin_summary(Run *run)
{
    const CsIdentityInputs *inputs = &run->result->inputs;
    run->result->summary = (CsIdentitySummary){
        .alphabet = inputs->alphabet,
        .first = inputs->rows->records,
        .first_count = inputs->rows->count,
        .second = inputs->columns->records,
        .second_count = inputs->columns->count,
        .one_file = inputs->one_file,
        .pairs = run->tiles.pairs,
        .cells = run->tiles.cells,
        .matrix = inputs->scoring.matrix,
        .match = inputs->scoring.match,
        .mismatch = inputs->scoring.mismatch,
        .gap_open = inputs->scoring.gap_open,
        .gap_extend = inputs->scoring.gap_extend,
        .over = run->options->over,
        .min_identity = (double)run->work.least / CS_IDENTITY_UNIT,
        .threads = run->threads,
        .instructions = cs_simd_target(NULL),
    };
}

static gboolean
prepare(Run *run, const CsIdentityTuning *tuning, GError **error)
{
    const CsIdentityOptions *options = run->options;
    run->threads = options->threads > 0 ? options->threads : cs_threads_granted();
    if (!cs_identity_tiles_init(&run->tiles, &run->result->inputs, tuning->tile_cells,
                                options->align, error))
        return FALSE;
    run->work = (CsTileWork){.inputs = &run->result->inputs,
                             .tiles = &run->tiles,
                             .kernels = cs_global_kernels(error),
                             .over = options->over,
                             .least = llround(options->min_identity * CS_IDENTITY_UNIT),
                             .align = options->align,
                             .team = cs_global_team_new(),
                             .under_way = &run->under_way,
                             .stop = &run->stop};
    begin_filter(run, tuning);
    cs_tile_devices_settle(&run->devices, &run->work, run->threads);
    begin_summary(run);
    return run->work.kernels != NULL && check_memory(run, tuning->needs, error) &&
           open_devices(run, error);
}

static void
tell_resuming(const Run *run)
{
    const CsTileSums sums = cs_tile_queue_loaded(run->queue);
    g_autofree char *message = g_strdup_printf(
        "resuming from %s, after %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " pairs",
        run->options->checkpoint, sums.pairs, run->tiles.pairs);
    if (run->options->note != NULL && sums.tiles > 0)
        run->options->note(CS_NOTE_EVENT, message, run->options->data);
}

/* A function of CsPartKeeper. */
static guint8 *
load_part(gint64 tile, gsize *size, gpointer data)
{
    const Run *run = data;
    return cs_tile_queue_load_part(run->queue, tile, size);
}

/* Likewise. */
static void
save_part(gint64 tile, gint64 done, guint8 *bytes, gsize size, gpointer data)
{
    Run *run = data;
    cs_tile_queue_save_part(run->queue, tile, done, bytes, size);
}

/* Takes what earlier runs have saved. */
static gboolean
open_queue(Run *run, const CsIdentityTuning *tuning, GError **error)
{
    const CsIdentityOptions *options = run->options;
    if (options->checkpoint != NULL) {
        json_t *identity =
            cs_run_identity_new(run->work.inputs, &run->tiles, options, run->work.least);
        run->keep = cs_identity_keep_open(options->checkpoint, identity, options, error);
        if (run->keep == NULL)
            return FALSE;
        run->parts =
            (CsPartKeeper){.interval = (gint64)(options->checkpoint_interval * G_USEC_PER_SEC),
                           .cells = tuning->part_cells > 0 ? tuning->part_cells : PART_CELLS,
                           .resumed = &run->resumed,
                           .load = load_part,
                           .save = save_part,
                           .data = run};
        run->work.parts = &run->parts;
    }
    run->queue = cs_tile_queue_new(
        &run->tiles, run->keep, tuning->waiting_bytes > 0 ? tuning->waiting_bytes : WAITING_BYTES);
    if (run->queue == NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "not enough memory");
        return FALSE;
    }
    if (run->keep != NULL &&
        !cs_identity_keep_load(run->keep, cs_tile_queue_load, run->queue, error))
        return FALSE;
    if (run->keep != NULL)
        tell_resuming(run);
    run->telling = (CsTelling){.work = &run->work,
                               .queue = run->queue,
                               .align = options->align,
                               .tell = options->pairs != NULL ? tell_pairs : NULL,
                               .user_data = run};
    return TRUE;
}

static void
run_clear(Run *run)
{
    g_clear_pointer(&run->ranks, cs_identity_ranks_free);
    g_clear_pointer(&run->work.team, cs_global_team_free);
    g_clear_pointer(&run->queue, cs_tile_queue_free);
    g_clear_pointer(&run->keep, cs_identity_keep_free);
    cs_identity_tiles_clear(&run->tiles);
    cs_record_words_clear(&run->words);
    g_clear_error(&run->tell_error);
    g_clear_error(&run->device_error);
    cs_tile_devices_clear(&run->devices);
    pthread_mutex_destroy(&run->pace_mutex);
    g_clear_pointer(&run->result, cs_identity_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

CsIdentity *
cs_identity_run(const char *first, const char *second, const CsIdentityOptions *options,
                const CsIdentityTuning *tuning, GError **error)
{
    g_auto(Run) run = {
        .result = g_new0(CsIdentity, 1), .options = options, .begun = g_get_monotonic_time()};
    pthread_mutex_init(&run.pace_mutex, NULL);
    if (!check_options(options, error) ||
        !cs_tile_devices_init(&run.devices, options->device, error) ||
        !cs_identity_inputs_init(&run.result->inputs, first, second, options, error) ||
        !prepare(&run, tuning, error) || !open_queue(&run, tuning, error))
        return NULL;
    const gboolean complete = compute_all(&run, error);
    if (tuning->needs != NULL)
        tell_needs_better(&run, tuning->needs);
    if (!complete)
        return NULL;
    summarise(&run);
    tell_progress(&run, TRUE);
    return g_steal_pointer(&run.result);
}

CsIdentity *
cs_identity(const char *first, const char *second, const CsIdentityOptions *options, GError **error)
{
    static const CsIdentityOptions defaults = CS_IDENTITY_OPTIONS_INIT;
    static const CsIdentityTuning tuning = {0};
    g_return_val_if_fail(first != NULL, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    if (second != NULL && strcmp(first, "-") == 0 && strcmp(second, "-") == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                            "the two files cannot both be standard input");
        return NULL;
    }
    return cs_identity_run(first, second, options != NULL ? options : &defaults, &tuning, error);
}

void
cs_identity_free(CsIdentity *identity)
{
    if (identity == NULL)
        return;
    cs_identity_inputs_clear(&identity->inputs);
    g_free(identity);
}

const CsIdentitySummary *
cs_identity_get_summary(const CsIdentity *identity)
{
    return &identity->summary;
}
