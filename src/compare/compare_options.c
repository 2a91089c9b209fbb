/* Checks the sequences and the options of a comparison. */
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "compare/comparison.h"
#include "ranks/dealt.h"
#include "ranks/files.h"
#include "ranks/lanes.h"
#include "ranks/ranks.h"
#include "ranks/remote.h"
#include "ring/ring_share.h"
#include "system/display.h"

/* The most threads in a CUDA block on any GPU. */
#define MOST_THREADS 1024

void
cs_comparison_init(CsComparison *comparison, const CsSequence *target, const CsSequence *query,
                   const CsCompareOptions *options)
{
    static const CsCompareOptions defaults = CS_COMPARE_OPTIONS_INIT;
    *comparison = (CsComparison){.target = target,
                                 .query = query,
                                 .whole_target = target,
                                 .whole_query = query,
                                 .placement = {.transposed = query->length > target->length,
                                               .target_offset = target->offset,
                                               .query_offset = query->offset,
                                               .query_length = query->length},
                                 .options = options != NULL ? options : &defaults};
    if (comparison->options->strand == CS_STRAND_MINUS)
        comparison->state.under_way = CS_STRAND_MINUS;
    cs_compare_notes_init(comparison);
}

void
cs_comparison_clear(CsComparison *comparison)
{
    g_clear_pointer(&comparison->ahead, cs_skip_ahead_free);
    g_clear_pointer(&comparison->grid, cs_grid_free);
    cs_state_clear(&comparison->state);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        cs_skip_clear(&comparison->skips[strand]);
        g_clear_pointer(&comparison->rows[strand], cs_rows_free);
        g_clear_pointer(&comparison->rows_at[strand], g_free);
    }
    g_clear_pointer(&comparison->checkpoint, cs_checkpoint_free);
    cs_compare_notes_clear(comparison);
}

/*
 * The grid that the options ask for. Blocks are not made higher than the matrix, apart from the rows
 * of the last threads, because their state would waste memory.
 */
static gboolean
wish_shape(const CsCompareOptions *options, gint64 m, gint64 n, CsGridShape *shape, GError **error)
{
    gint64 threads = options->grid_threads;
    *shape = (CsGridShape){.block_threads = options->grid_threads};
    if (threads > MOST_THREADS) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "a grid block can have at most %d threads",
                    MOST_THREADS);
        return FALSE;
    }
    if (options->grid_alpha > 0 && threads == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                            "the grid's rows per thread need a number of threads");
        return FALSE;
    }
    if (options->grid_alpha > 0)
        shape->block_height = MIN(options->grid_alpha, MAX(1, cs_divide_up(m, threads))) * threads;
    if (options->grid_blocks > 0) {
        shape->block_width = MAX(1, cs_divide_up(n, options->grid_blocks));
        shape->depth = options->grid_blocks;
    }
    return TRUE;
}

static gboolean
check_bits(guint bits, GError **error)
{
    if (bits == 0 || bits == 16 || bits == 32 || bits == 64)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "scores must have 16, 32 or 64 bits, not %u",
                bits);
    return FALSE;
}

/* A sequence as a message calls it: its file and its name. */
static char *
name_of(const CsSequence *sequence)
{
    g_autofree char *file = sequence->file != NULL ? cs_display_name(sequence->file) : NULL;
    g_autofree char *name = cs_display_record(sequence->name);
    return file == NULL      ? g_steal_pointer(&name)
           : name[0] == '\0' ? g_steal_pointer(&file)
                             : g_strdup_printf("%s (%s)", file, name);
}

static gboolean
check_problem(CsComparison *comparison, GError **error)
{
    const CsCompareOptions *options = comparison->options;
    const gint64 m = comparison->target->length, n = comparison->query->length;
    const CsStrand strand = options->strand;
    const gint64 sweeps = strand == CS_STRAND_BOTH ? 2 : 1;
    if (options->min_score < 0 || (options->min_score > 0 && options->verify)) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "%s",
                    options->verify ? "a minimum score cannot be used with a second proof"
                                    : "the minimum score must not be negative");
        return FALSE;
    }
    if (!cs_scoring_check(&options->scoring, m, n, error) || !check_bits(options->bits, error))
        return FALSE;
    if (strand != CS_STRAND_PLUS && strand != CS_STRAND_MINUS && strand != CS_STRAND_BOTH) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "there is no strand %d", (int)strand);
        return FALSE;
    }
    if (m != 0 && n > G_MAXINT64 / sweeps / m) {
        g_autofree char *target = name_of(comparison->target);
        g_autofree char *query = name_of(comparison->query);
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "the matrix of %s and %s has more cells than a 64-bit integer can count",
                    target, query);
        return FALSE;
    }
    comparison->cells = sweeps * m * n;
    return TRUE;
}

static gboolean
refuse(GError **error, const char *what)
{
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "circular records are compared %s", what);
    return FALSE;
}

static gboolean
is_whole(const CsSequence *sequence)
{
    return sequence->length == sequence->record_length;
}

static gboolean
check_circular(const CsComparison *comparison, GError **error)
{
    const CsCompareOptions *options = comparison->options;
    const CsCircular circular = options->circular;
    const gboolean target = circular != CS_CIRCULAR_QUERY, query = circular != CS_CIRCULAR_TARGET;
    if (circular == CS_CIRCULAR_NONE)
        return TRUE;
    if ((guint)circular > CS_CIRCULAR_BOTH)
        return refuse(error, "as target, query or both");
    if ((target && !is_whole(comparison->target)) || (query && !is_whole(comparison->query)))
        return refuse(error, "whole, without a region");
    return !options->verify || refuse(error, "without a second proof of the score");
}

/* Takes the devices of other ranks. The bases go to them in any case; that the files are the same is
 * checked so that a user hears of a mistake, but not again for each of many pairs. */
static gboolean
extend(CsComparison *comparison, guint threads, GError **error)
{
    const CsCompareOptions *options = comparison->options;
    comparison->shared = cs_ranks_place()->size > 1;
    return (options->one_of_many || (cs_files_check(comparison->target->file, error) &&
                                     cs_files_check(comparison->query->file, error))) &&
           cs_remote_extend(&comparison->choice, options->device, options->engine, threads, error);
}

gboolean
cs_compare_options_read(CsComparison *comparison, GError **error)
{
    const CsCompareOptions *options = comparison->options;
    const gint64 m = MAX(comparison->target->length, comparison->query->length);
    const gint64 n = MIN(comparison->target->length, comparison->query->length);
    const char *device = options->device;
    guint rank;
    const gboolean one_device = cs_lanes_split(options->device, &rank, &device); /* of this rank */
    if (!check_problem(comparison, error) || !check_circular(comparison, error) ||
        !cs_device_choice_init(&comparison->choice, device, options->engine, error))
        return FALSE;
    const guint threads = one_device             ? cs_lanes_threads(options->threads)
                          : options->threads > 0 ? options->threads
                                                 : cs_threads_granted();
    if (comparison->alone)
        cs_dealt_take_gpu(&comparison->choice);
    else if (!one_device && !extend(comparison, threads, error))
        return FALSE;
    comparison->sweep.engine_options =
        cs_device_choice_options(&comparison->choice, threads, options->bits);
    CsEngineOptions *engine = &comparison->sweep.engine_options;
    comparison->floor = MAX(comparison->floor, options->min_score);
    if (comparison->choice.kind == CS_DEVICE_CPU) /* others have no thread */
        engine->n_members = MIN(engine->n_members, cs_ring_share_threads(engine));
    return wish_shape(options, m, n, &comparison->wish, error);
}

gboolean
cs_compare_options_take_ranks(const CsComparison *comparison, GError **error)
{
    return !comparison->shared || cs_ranks_take_lane(error);
}

double
cs_compare_options_interval(const CsComparison *comparison)
{
    const CsCompareOptions *options = comparison->options;
    if (options->checkpoint == NULL)
        return -1;
    return options->checkpoint_interval > 0 ? options->checkpoint_interval : CS_CHECKPOINT_INTERVAL;
}

CsCheckpoint *
cs_compare_options_open_checkpoint(CsComparison *comparison, GError **error)
{
    const CsCompareOptions *options = comparison->options;
    CsFingerprint identity = {.target = comparison->target,
                              .query = comparison->query,
                              .transposed = comparison->placement.transposed,
                              .scoring = options->scoring,
                              .memo = options->memo,
                              .strand = options->strand,
                              .circular = options->circular};
    /* It also warns while it saves, on another thread. */
    return cs_checkpoint_open(options->checkpoint, &identity, options->checkpoint_fresh,
                              cs_compare_notes_leave, comparison, error);
}

CsRectangle
cs_comparison_rectangle(const CsComparison *comparison, CsStrand strand)
{
    const gboolean transposed = comparison->placement.transposed;
    CsView target = cs_view_of(comparison->target);
    CsView query = cs_strand_view(comparison->query, strand);
    return (CsRectangle){
        .rows = transposed ? query : target,
        .columns = transposed ? target : query,
        .scoring = comparison->options->scoring,
        .tie_order = transposed ? CS_TIE_COLUMN_FIRST : CS_TIE_ROW_FIRST,
        .marks = comparison->marks,
    };
}
