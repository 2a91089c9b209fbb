/* chromosweep plan: what a comparison would need, and whether it can run, before it begins. */
#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>
#include <jansson.h>

#include <chromosweep/chromosweep.h>

#include "command/command.h"
#include "command/compare_command.h"
#include "command/inputs.h"
#include "command/log_file.h"
#include "command/many_pairs.h"
#include "command/messages.h"
#include "command/output.h"
#include "command/pair_list.h"
#include "command/places.h"
#include "command/plan_identity.h"
#include "command/plan_lines.h"
#include "command/plan_search.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/run.h"
#include "formats/escape.h"
#include "formats/format.h"
#include "formats/json.h"
#include "formats/names.h"

/* Of each process beyond the first, on the same node: the program and MPI. */
#define PROCESS_BYTES ((gint64)32 << 20)

static const char help_top[] =
    "Usage: chromosweep plan [options] TARGET.fa QUERY.fa\n"
    "\n"
    "Estimates what `chromosweep compare` with the same arguments would need: cells,\n"
    "engine, memory, disk, time (from a benchmark of a few seconds) and what to\n"
    "request from a batch system. Reports what would make it fail. Writes no files.\n"
    "To plan others: chromosweep plan search, plan identity, with their arguments.\n";

static const char help_bottom[] =
    "+For align:\n"
    "+     --verify            add what align --verify takes\n"
    "+     --one-to-one        plan align --one-to-one\n"
    "+     --all               plan align --all\n"
    "+     --self              as for align\n"
    "+     --max-drop N        as for align; it changes no figure\n"
    "+ -n, --number N          as for align; likewise\n"
    "+\n"
    "+Under mpirun or srun, plan shows what each process would do with a pair. It\n"
    "+refuses sets of alignments there.\n"
    "+\n"
    "+`chromosweep align` needs the same, and with --verify about twice the time. The\n"
    "+number of alignments of a set is not known before the first sweep of each\n"
    "+strand. --one-to-one then sweeps what is left between alignments, and --all\n"
    "+computes again what each of them passes. So the plan is for the first sweeps,\n"
    "+and says how many cells and how much time the set takes at most, judging by\n"
    "+sets of real genomes. One with many repeats may take more.\n"
    "+\n"
    "+Exit status: what compare would exit with, as far as that is known beforehand:\n"
    "+0 it can run, 1 input or output would fail, or there is not enough disk space\n"
    "+for checkpoints, 2 wrong usage, 3 malformed input, 4 no such device or not\n"
    "+enough memory, 5 the checkpoint is damaged, in use or belongs to another\n"
    "+comparison.\n"
    "\n"
    "Examples:\n"
    "  chromosweep plan sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n"
    "+ chromosweep plan --format json --checkpoint run \\\n"
    "+     sequences/ape_target.fa.gz sequences/ape_query.fa.gz\n";

#define FORMAT "chromosweep-plan"
enum {
    VERSION = 1
};

enum {
    GPU_CPUS = 2, /* one waits for the GPU, one packs */
    KNOWN_PLANS_MAX = 4096,
};

/* Time to make a pair's folder and to flush its files to disk. */
#define SECONDS_A_FOLDER 0.05

/* What plan prints. */
typedef struct {
    const CsRunJob *job;
    CsSequence *target, *query; /* with many pairs, those of the largest */
    guint pairs;                /* 0: a single comparison */
    CsPlan plan;
    int unwritable; /* errno's number, where the folder of many pairs can only be read */
    GPtrArray *warnings;
    GError *fault; /* why it cannot work, or NULL */
} Story;

static void
story_clear(Story *story)
{
    g_clear_pointer(&story->target, cs_sequence_unref);
    g_clear_pointer(&story->query, cs_sequence_unref);
    g_clear_pointer(&story->warnings, g_ptr_array_unref);
    g_clear_error(&story->fault);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Story, story_clear)

/* A CsNoteFunc. */
static void
take_note(CsNoteKind kind, const char *message, gpointer user_data)
{
    Story *story = user_data;
    if (kind == CS_NOTE_WARNING)
        g_ptr_array_add(story->warnings, g_strdup(message));
    cs_message(kind == CS_NOTE_WARNING ? CS_MESSAGE_WARNING : CS_MESSAGE_DETAIL, "%s", message);
}

/* A member's GPU on its node, such as "gpu:0"; NULL for a CPU. */
static const char *
gpu_of(const CsPlanMember *member)
{
    return strstr(member->device, "gpu:");
}

/* How many GPUs of a node compute: one, or each that is a member of a ring with something to do. */
static guint
count_gpus(const CsPlan *plan)
{
    guint gpus = 0;
    for (guint k = 0; k < plan->n_members; k++) {
        const CsPlanMember *member = &plan->members[k];
        guint before = 0;
        while (before < k && g_strcmp0(gpu_of(&plan->members[before]), gpu_of(member)) != 0)
            before++;
        gpus += before == k && member->rows > 0 && gpu_of(member) != NULL;
    }
    return MAX(1, gpus);
}

static char *
format_slurm(const CsPlan *plan)
{
    const gboolean gpu = plan->device != NULL;
    const guint processes = cs_ranks_count();
    g_autofree char *each =
        cs_plan_slurm(plan->host_bytes + (processes - 1) * PROCESS_BYTES,
                      gpu ? GPU_CPUS : plan->threads, gpu ? count_gpus(plan) : 0,
                      plan->seconds > 0 ? MAX(plan->seconds_left, plan->seconds_most) : -1);
    return processes == 1 ? g_steal_pointer(&each)
                          : g_strdup_printf("--ntasks=%u %s", processes, each);
}

static const char *
output_of(const CsRunJob *job)
{
    return job->output != NULL && strcmp(job->output, "-") != 0 ? job->output : NULL;
}

static json_t *
json_sequence(const char *file, const CsSequence *sequence)
{
    g_autofree char *region = cs_names_region_of(sequence);
    json_t *object = json_object();
    json_object_set_new(object, "file", cs_json_text(file));
    json_object_set_new(object, "name", cs_json_text(cs_sequence_get_name(sequence)));
    json_object_set_new(object, "length", json_integer(cs_sequence_get_record_length(sequence)));
    json_object_set_new(object, "region", cs_json_text(region));
    return object;
}

static json_t *
json_known(gint64 bytes)
{
    return bytes >= 0 ? json_integer(bytes) : json_null();
}

/* Null for one device. */
static json_t *
json_members(const CsPlan *plan)
{
    json_t *members = plan->n_members > 0 ? json_array() : json_null();
    for (guint k = 0; k < plan->n_members; k++) {
        json_t *member = json_object();
        json_object_set_new(member, "device", cs_json_text(plan->members[k].device));
        json_object_set_new(member, "threads", json_integer(plan->members[k].threads));
        json_object_set_new(member, "rows", json_integer(plan->members[k].rows));
        json_array_append_new(members, member);
    }
    return members;
}

static json_t *
json_grid(const CsPlan *plan)
{
    json_t *object = json_object();
    json_object_set_new(object, "block_rows", json_integer(plan->block_rows));
    json_object_set_new(object, "block_columns", json_integer(plan->block_columns));
    json_object_set_new(object, "blocks_a_diagonal", json_integer(plan->blocks_a_diagonal));
    json_object_set_new(object, "block_height", json_integer(plan->block_height));
    json_object_set_new(object, "block_width", json_integer(plan->block_width));
    return object;
}

static json_t *
json_memory(const CsPlan *plan)
{
    json_t *object = json_object();
    json_object_set_new(object, "host", json_integer(plan->host_bytes));
    json_object_set_new(object, "host_least", json_integer(plan->host_bytes_least));
    json_object_set_new(object, "host_available", json_known(plan->host_bytes_available));
    json_object_set_new(object, "program", json_integer(plan->host_bytes_program));
    json_object_set_new(object, "sequences", json_integer(plan->host_bytes_sequences));
    json_object_set_new(object, "buses", json_integer(plan->host_bytes_buses));
    json_object_set_new(object, "engine", json_integer(plan->host_bytes_engine));
    json_object_set_new(object, "checkpoint", json_integer(plan->host_bytes_checkpoint));
    json_object_set_new(object, "device", json_integer(plan->device_bytes));
    json_object_set_new(object, "skip", json_integer(plan->host_bytes_skip));
    json_object_set_new(object, "rows", json_integer(plan->row_bytes));
    return object;
}

static json_t *
json_checkpoint(const Story *story)
{
    const CsPlan *plan = &story->plan;
    const char *directory = story->job->options.checkpoint;
    if (directory == NULL)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "directory", cs_json_text(directory));
    json_object_set_new(object, "bytes", json_integer(plan->disk_bytes));
    json_object_set_new(object, "bytes_expected", json_integer(plan->disk_bytes_expected));
    json_object_set_new(object, "bytes_there", json_integer(plan->disk_bytes_there));
    json_object_set_new(object, "bytes_free", json_known(plan->disk_bytes_free));
    return object;
}

static json_t *
json_seconds(const CsPlan *plan, double seconds)
{
    return plan->cells_a_second > 0 ? cs_json_millionths(seconds) : json_null();
}

static json_t *
json_warnings(const Story *story)
{
    json_t *array = json_array();
    for (guint k = 0; k < story->warnings->len; k++)
        json_array_append_new(array, cs_json_text(g_ptr_array_index(story->warnings, k)));
    return array;
}

static json_t *
json_limit(gint64 limit)
{
    return limit > 0 ? json_integer(limit) : json_null();
}

static json_t *
json_set(const CsAlignSetOptions *set, const CsPlan *plan)
{
    if (set == NULL)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "rule",
                        json_string(set->rule == CS_ALIGN_SET_ALL ? "all" : "one-to-one"));
    json_object_set_new(object, "self", json_boolean(set->self));
    json_object_set_new(object, "min_score", json_limit(set->min_score));
    json_object_set_new(object, "number", json_limit(set->most));
    json_object_set_new(object, "cells_most", json_limit(plan->cells_most));
    json_object_set_new(object, "seconds_most",
                        plan->seconds_most > 0 ? cs_json_millionths(plan->seconds_most)
                                               : json_null());
    return object;
}

static char *
format_json(const Story *story)
{
    const CsRunJob *job = story->job;
    const CsPlan *plan = &story->plan;
    g_autofree char *slurm = format_slurm(plan);
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "works", json_boolean(story->fault == NULL));
    json_object_set_new(object, "fault",
                        cs_json_text(story->fault != NULL ? story->fault->message : NULL));
    json_object_set_new(object, "warnings", json_warnings(story));
    json_object_set_new(object, "pairs",
                        story->pairs > 0 ? json_integer(story->pairs) : json_null());
    json_object_set_new(object, "target", json_sequence(job->inputs.files[0], story->target));
    json_object_set_new(object, "query", json_sequence(job->inputs.files[1], story->query));
    json_object_set_new(object, "strand", json_string(cs_names_strand(job->options.strand)));
    json_object_set_new(object, "scoring", cs_json_scoring(&job->inputs.scoring));
    json_object_set_new(object, "cells", json_integer(plan->cells));
    json_object_set_new(object, "cells_done", json_integer(plan->cells_done));
    json_object_set_new(object, "engine", cs_json_text(plan->engine));
    json_object_set_new(object, "device", cs_json_text(plan->device));
    json_object_set_new(object, "threads", json_integer(plan->threads));
    json_object_set_new(object, "bits", json_integer(plan->bits));
    json_object_set_new(object, "members", json_members(plan));
    json_object_set_new(object, "grid", json_grid(plan));
    json_object_set_new(object, "memory", json_memory(plan));
    json_object_set_new(object, "checkpoint", json_checkpoint(story));
    json_object_set_new(object, "gcups", json_seconds(plan, plan->cells_a_second / 1e9));
    json_object_set_new(object, "seconds", json_seconds(plan, plan->seconds));
    json_object_set_new(object, "seconds_left", json_seconds(plan, plan->seconds_left));
    json_object_set_new(object, "output", cs_json_text(output_of(job)));
    json_object_set_new(object, "slurm", cs_json_text(slurm));
    json_object_set_new(object, "program_version", json_string(cs_version()));
    json_object_set_new(object, "skip", json_string(cs_skip_mode_name(plan->skip)));
    json_object_set_new(object, "lower_bound",
                        plan->lower_bound > 0 ? json_integer(plan->lower_bound) : json_null());
    json_object_set_new(object, "cells_expected", json_known(plan->cells_expected));
    json_object_set_new(object, "seconds_before", cs_json_millionths(plan->seconds_before));
    json_object_set_new(object, "set", json_set(job->set, plan));
    return cs_json_line(object);
}

/* What each device gets. */
static void
append_members(GString *text, const CsPlan *plan)
{
    gint64 rows = 0;
    for (guint k = 0; k < plan->n_members; k++)
        rows += plan->members[k].rows;
    for (guint k = 0; k < plan->n_members; k++) {
        const CsPlanMember *member = &plan->members[k];
        const char *label = k == 0 ? "devices" : "";
        if (member->rows == 0)
            cs_plan_line(text, label, "%s, left alone: it would not help", member->device);
        else if (member->threads == 0)
            cs_plan_line(text, label, "%s, %.3g%% of the rows", member->device,
                         100.0 * (double)member->rows / (double)rows);
        else
            cs_plan_line(text, label, "%s, %u %s, %.3g%% of the rows", member->device,
                         member->threads, member->threads == 1 ? "thread" : "threads",
                         100.0 * (double)member->rows / (double)rows);
    }
}

static gboolean
is_all(const Story *story)
{
    return story->job->set != NULL && story->job->set->rule == CS_ALIGN_SET_ALL;
}

static void
append_work(GString *text, const Story *story)
{
    const CsRunJob *job = story->job;
    const CsPlan *plan = &story->plan;
    if (story->pairs > 0)
        cs_plan_line(text, "pairs", "%u%s of the largest", story->pairs,
                     job->set != NULL && !is_all(story)
                         ? ", joined in one matrix; target and query are those"
                         : "; target, query and grid are those");
    g_autofree char *target = cs_names_sequence(job->inputs.files[0], story->target);
    g_autofree char *query = cs_names_sequence(job->inputs.files[1], story->query);
    cs_plan_line(text, "target", "%s", target);
    cs_plan_line(text, "query", "%s", query);
    cs_plan_line(text, "strand", "%s", cs_names_strand(job->options.strand));
    cs_plan_line(text, "cells", "%" G_GINT64_FORMAT, plan->cells);
    if (plan->cells_done > 0) {
        g_autofree char *percent =
            cs_progress_percent((double)plan->cells_done / (double)plan->cells);
        cs_plan_line(text, "done", "%s%% of the cells, according to the checkpoint", percent);
    }
    if (plan->device != NULL)
        cs_plan_line(text, "engine", "%s, %s, %u bits", plan->engine, plan->device, plan->bits);
    else
        cs_plan_line(text, "engine", "%s, %u %s", plan->engine, plan->threads,
                     plan->threads == 1 ? "thread" : "threads");
    append_members(text, plan);
    cs_plan_line(text, "grid",
                 "%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " blocks of %" G_GINT64_FORMAT
                 " x %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " at once",
                 plan->block_rows, plan->block_columns, plan->block_height, plan->block_width,
                 plan->blocks_a_diagonal);
}

/* What a set costs beyond its first sweeps. */
static void
append_set(GString *text, const Story *story)
{
    const CsAlignSetOptions *set = story->job->set;
    const CsPlan *plan = &story->plan;
    if (set == NULL)
        return;
    cs_plan_line(text, "set", "%s%s; the other figures are for the first sweep of each strand",
                 is_all(story) ? "all" : "one-to-one", set->self ? ", of one sequence" : "");
    cs_plan_line(text, "then", "%s",
                 is_all(story)
                     ? "the parts of the matrix that each alignment passes are computed again"
                     : "what is left between alignments is swept, unless it cannot score "
                       "enough");
    if (plan->cells_most > 0)
        cs_plan_line(text, "", "at most about %.2g cells in all, judging by sets of real genomes",
                     (double)plan->cells_most);
    else
        cs_plan_line(text, "", "how much that is cannot be told for two circles");
}

/* What would be skipped, and how much would be computed. */
static void
append_skip(GString *text, const Story *story)
{
    const CsPlan *plan = &story->plan;
    const char *mode = cs_skip_mode_name(plan->skip);
    if (plan->skip == CS_SKIP_NONE)
        cs_plan_line(text, "skipping", "none%s",
                     story->job->options.skip == CS_SKIP_AUTO && !is_all(story)
                         ? " (auto: skipping would not save time)"
                         : "");
    else if (plan->skip == CS_SKIP_BEST)
        cs_plan_line(text, "skipping",
                     "best; usually skips about half of the cells of related sequences");
    else if (plan->cells_expected < 0)
        cs_plan_line(text, "skipping", "%s; the share of the cells is unknown", mode);
    else
        cs_plan_line(text, "skipping",
                     "%s; about %.3g%% of the cells will be computed; estimated in %.1f s", mode,
                     plan->cells > 0
                         ? MIN(100, 100.0 * (double)plan->cells_expected / (double)plan->cells)
                         : 0,
                     plan->seconds_before);
}

static void
append_memory(GString *text, const Story *story)
{
    const CsPlan *plan = &story->plan;
    const gboolean on_disk = story->job->options.checkpoint != NULL;
    const struct {
        const char *name;
        gint64 bytes;
    } parts[] = {
        {"sequences", plan->host_bytes_sequences},
        {is_all(story) ? "borders of parts" : "buses", plan->host_bytes_buses},
        {"engine", plan->host_bytes_engine},
        {plan->skip == CS_SKIP_NONE ? "finding out that skipping would not help" : "skipping",
         plan->host_bytes_skip},
        {"checkpoint", plan->host_bytes_checkpoint},
        {"rows of the alignment", on_disk ? 0 : plan->row_bytes},
        {"program", plan->host_bytes_program}};
    g_autofree char *host = cs_plan_bytes(plan->host_bytes);
    g_autofree char *available = cs_plan_bytes(plan->host_bytes_available);
    cs_plan_line(text, "memory", "%s at most", host);
    for (guint k = 0; k < G_N_ELEMENTS(parts); k++) {
        g_autofree char *bytes = cs_plan_bytes(parts[k].bytes);
        if (parts[k].bytes > 0)
            cs_plan_line(text, "", "%s for %s", bytes, parts[k].name);
    }
    if (plan->host_bytes_available >= 0)
        cs_plan_line(text, "available", "%s (%s)", available, plan->host_limit);
    if (plan->device_bytes > 0) {
        g_autofree char *device = cs_plan_bytes(plan->device_bytes);
        cs_plan_line(text, "GPU memory", "%s", device);
    }
}

static void
append_disk(GString *text, const Story *story)
{
    const CsPlan *plan = &story->plan;
    const CsCompareOptions *options = &story->job->options;
    if (options->checkpoint == NULL)
        return;
    g_autofree char *interval = cs_progress_duration(
        options->checkpoint_interval > 0 ? options->checkpoint_interval : CS_CHECKPOINT_INTERVAL);
    g_autofree char *expected = cs_plan_bytes(plan->disk_bytes_expected);
    g_autofree char *most = cs_plan_bytes(plan->disk_bytes);
    g_autofree char *left = cs_plan_bytes(plan->disk_bytes_free);
    cs_plan_line(text, "checkpoint", "%s, saved every %s", options->checkpoint, interval);
    cs_plan_line(text, "disk", "about %s, at most %s; %s free", expected, most,
                 plan->disk_bytes_free >= 0 ? left : "an unknown amount");
    g_autofree char *rows = cs_plan_bytes(plan->row_bytes);
    if (plan->row_bytes > 0)
        cs_plan_line(text, "", "at most %s of it for rows of the alignment", rows);
}

static char *
format_text(const Story *story)
{
    const CsRunJob *job = story->job;
    const CsPlan *plan = &story->plan;
    g_autofree char *slurm = format_slurm(plan);
    GString *text = g_string_new(NULL);
    append_work(text, story);
    append_set(text, story);
    append_skip(text, story);
    append_memory(text, story);
    append_disk(text, story);
    if (job->set == NULL)
        cs_plan_line(text, "result", "%s, to %s", cs_format_names[job->written],
                     output_of(job) != NULL ? output_of(job) : "standard output");
    if (plan->cells_a_second > 0) {
        g_autofree char *left = cs_progress_duration(plan->seconds_left);
        cs_plan_line(text, "speed", "%.2f GCUPS, measured in a short test",
                     plan->cells_a_second / 1e9);
        g_autofree char *most = cs_progress_duration(plan->seconds_most);
        if (plan->seconds_most > 0)
            cs_plan_line(text, "time", "about %s for the first sweeps, and at most about %s in all",
                         left, most);
        else
            cs_plan_line(text, "time", "about %s%s", left,
                         plan->cells_done > 0 ? " for the rest" : "");
    }
    cs_plan_line(text, "Slurm", "%s", slurm);
    if (story->fault != NULL)
        cs_plan_line(text, "verdict", "it cannot run: %s", story->fault->message);
    else
        cs_plan_line(text, "verdict", "it can run");
    return g_string_free(text, FALSE);
}

static void
warn_of_time(Story *story)
{
    const double most = story->job->max_time;
    const double seconds = MAX(story->plan.seconds_left, story->plan.seconds_most);
    if (most <= 0 || seconds <= most)
        return;
    g_autofree char *limit = cs_progress_duration(most);
    g_autofree char *left = cs_progress_duration(seconds);
    g_autofree char *message = g_strdup_printf(
        "the comparison takes about %s, longer than --max-time %s: it will have to be resumed",
        left, limit);
    take_note(CS_NOTE_WARNING, message, story);
}

static CsCompareOptions
options_of(Story *story)
{
    CsCompareOptions options = story->job->options;
    options.scoring = story->job->inputs.scoring;
    options.note = take_note;
    options.note_data = story;
    return options;
}

static gboolean
plan_one(Story *story, GError **error)
{
    g_autoptr(CsOutput) output = NULL;
    g_autoptr(CsDeviceStart) start = NULL;
    g_autoptr(CsSequence) target = NULL;
    g_autoptr(CsSequence) query = NULL;
    gboolean done = FALSE;
    CsCompareOptions options = options_of(story);
    if (cs_run_load(story->job, &output, &start, &target, &query, error)) {
        cs_inputs_warn(0, target);
        cs_inputs_warn(1, query);
        done = story->job->set != NULL
                   ? cs_plan_set(target, query, &options, story->job->set, CS_PLAN_PROBE,
                                 &story->plan, error)
                   : cs_plan(target, query, &options, CS_PLAN_PROBE, &story->plan, error);
    }
    story->target = done ? cs_sequence_ref(target) : NULL;
    story->query = done ? cs_sequence_ref(query) : NULL;
    return done;
}

/* All that the plan of a pair depends on, beside the options, if nothing is measured and there is no
 * checkpoint. */
typedef struct {
    gint64 lengths[2], ambiguous[2];
} PairSize;

static guint
hash_size(gconstpointer key)
{
    const PairSize *size = key;
    guint hash = 0;
    for (guint k = 0; k < 2; k++)
        hash =
            31 * (31 * hash + g_int64_hash(&size->lengths[k])) + g_int64_hash(&size->ambiguous[k]);
    return hash;
}

static gboolean
equal_sizes(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(PairSize)) == 0;
}

static gboolean
plan_pair(Story *story, const CsPairList *pairs, guint k, double probe, CsPlan *plan,
          GError **error)
{
    CsCompareOptions options = options_of(story);
    g_autofree char *folder =
        options.checkpoint != NULL ? cs_pair_list_folder(pairs, k, options.checkpoint) : NULL;
    options.one_of_many = TRUE;
    options.checkpoint = folder;
    return cs_plan(cs_pair_list_target(pairs, k), cs_pair_list_query(pairs, k), &options, probe,
                   plan, error);
}

/* The same without a probe. Pairs of the same size, which may be many, are planned once. */
static gboolean
plan_pair_once(Story *story, GHashTable *known, const CsPairList *pairs, guint k, CsPlan *plan,
               GError **error)
{
    const CsSequence *target = cs_pair_list_target(pairs, k);
    const CsSequence *query = cs_pair_list_query(pairs, k);
    const char *directory = story->job->options.checkpoint;
    g_autofree char *folder = directory != NULL ? cs_pair_list_folder(pairs, k, directory) : NULL;
    if (folder != NULL && g_file_test(folder, G_FILE_TEST_EXISTS))
        return plan_pair(story, pairs, k, 0, plan, error);
    const PairSize size = {{cs_sequence_get_length(target), cs_sequence_get_length(query)},
                           {cs_sequence_get_ambiguous(target), cs_sequence_get_ambiguous(query)}};
    const CsPlan *planned = g_hash_table_lookup(known, &size);
    if (planned != NULL) {
        *plan = *planned;
        return TRUE;
    }
    if (!plan_pair(story, pairs, k, 0, plan, error))
        return FALSE;
    if (g_hash_table_size(known) == KNOWN_PLANS_MAX)
        g_hash_table_remove_all(known);
    g_hash_table_insert(known, g_memdup2(&size, sizeof size), g_memdup2(plan, sizeof *plan));
    return TRUE;
}

/* Adds the plan of one more pair. Cells and disk add up; memory is used by one pair after the
 * other. */
static void
add_plan(CsPlan *sum, const CsPlan *one)
{
    if (__builtin_add_overflow(sum->cells, one->cells, &sum->cells))
        sum->cells = G_MAXINT64;
    if (__builtin_add_overflow(sum->cells_done, one->cells_done, &sum->cells_done))
        sum->cells_done = G_MAXINT64;
    if (sum->cells_expected < 0 || one->cells_expected < 0)
        sum->cells_expected = -1;
    else if (__builtin_add_overflow(sum->cells_expected, one->cells_expected, &sum->cells_expected))
        sum->cells_expected = G_MAXINT64;
    sum->disk_bytes += one->disk_bytes;
    sum->disk_bytes_expected += one->disk_bytes_expected;
    sum->disk_bytes_there += one->disk_bytes_there;
    sum->device_bytes = MAX(sum->device_bytes, one->device_bytes);
}

static gboolean
fail_directory(const char *directory, int code, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot use the checkpoint folder %s: %s",
                directory, g_strerror(code));
    return FALSE;
}

static guint
largest_of(const CsPairList *pairs, CsStrand strand)
{
    guint largest = 0;
    for (guint k = 1; k < cs_pair_list_count(pairs); k++)
        if (cs_pair_list_cells(pairs, k, strand) > cs_pair_list_cells(pairs, largest, strand))
            largest = k;
    return largest;
}

/* Of many pairs. */
static void
take_names(Story *story, const CsPairList *pairs, guint largest)
{
    story->pairs = cs_pair_list_count(pairs);
    story->target = cs_sequence_ref((CsSequence *)cs_pair_list_target(pairs, largest));
    story->query = cs_sequence_ref((CsSequence *)cs_pair_list_query(pairs, largest));
}

/* A set between all records. */
static gboolean
plan_set(Story *story, const CsPairList *pairs, GError **error)
{
    const GPtrArray *targets = pairs->records[0], *queries = pairs->records[1];
    const CsCompareOptions options = options_of(story);
    take_names(story, pairs, largest_of(pairs, options.strand));
    return cs_plan_set_many((const CsSequence *const *)(const void *)targets->pdata, targets->len,
                            (const CsSequence *const *)(const void *)queries->pdata, queries->len,
                            &options, story->job->set, CS_PLAN_PROBE, &story->plan, error);
}

static gboolean
plan_pairs(Story *story, const CsPairList *pairs, GError **error)
{
    const guint largest = largest_of(pairs, story->job->options.strand);
    if (!plan_pair(story, pairs, largest, CS_PLAN_PROBE, &story->plan, error))
        return FALSE;
    g_autoptr(GHashTable) known = g_hash_table_new_full(hash_size, equal_sizes, g_free, g_free);
    CsPlan *plan = &story->plan;
    const CsPlan first = *plan;
    gint64 most = 0, most_least = 0; /* of any pair, without the bases */
    guint whole = 0;                 /* pairs that are done */
    for (guint k = 0; k < cs_pair_list_count(pairs); k++) {
        CsPlan one = *plan;
        if (k != largest && !plan_pair_once(story, known, pairs, k, &one, error))
            return FALSE;
        whole += one.cells > 0 && one.cells_done == one.cells;
        most = MAX(most, one.host_bytes - one.host_bytes_sequences);
        most_least = MAX(most_least, one.host_bytes_least - one.host_bytes_sequences);
        if (k != largest)
            add_plan(plan, &one);
    }
    if (story->unwritable != 0 && whole < cs_pair_list_count(pairs))
        return fail_directory(story->job->options.checkpoint, story->unwritable, error);
    plan->host_bytes_sequences = cs_pair_list_bases(pairs);
    plan->host_bytes = most + plan->host_bytes_sequences;
    plan->host_bytes_least = most_least + plan->host_bytes_sequences;
    if (plan->cells_a_second > 0) {
        const double left = (double)(plan->cells - plan->cells_done);
        const double first_left = (double)(first.cells - first.cells_done);
        plan->seconds += (double)(plan->cells - first.cells) / plan->cells_a_second;
        plan->seconds_left += (left - first_left) / plan->cells_a_second;
        if (story->job->options.checkpoint != NULL) {
            plan->seconds += SECONDS_A_FOLDER * cs_pair_list_count(pairs);
            plan->seconds_left += SECONDS_A_FOLDER * (cs_pair_list_count(pairs) - whole);
        }
    }
    take_names(story, pairs, largest);
    return TRUE;
}

/*
 * Checks whether the folder of all pairs, or the one in which it would be made, can be written. If
 * not, pairs that are done can still be read.
 */
static gboolean
try_directory(Story *story, const char *directory, GError **error)
{
    g_autofree char *above = g_path_get_dirname(directory);
    const gboolean there = g_file_test(directory, G_FILE_TEST_EXISTS);
    if (!cs_checkpoint_pairs_check(directory, error))
        return FALSE;
    int code = g_access(there ? directory : above, W_OK | X_OK) != 0 ? errno : 0;
    if (there && !g_file_test(directory, G_FILE_TEST_IS_DIR))
        code = ENOTDIR;
    story->unwritable = there && (code == EROFS || code == EACCES) ? code : 0;
    return code == 0 || story->unwritable != 0 || fail_directory(directory, code, error);
}

static gboolean
plan_many(Story *story, const CsManyPairsArguments *many, GError **error)
{
    const CsRunJob *job = story->job;
    const char *inputs[] = {job->inputs.files[0], job->inputs.files[1], many->pairs, NULL};
    g_auto(CsPairList) pairs = {0};
    if (!cs_scoring_check(&job->inputs.scoring, 1, 1, error) ||
        !cs_places_refuse_folder(job, error))
        return FALSE;
    g_autoptr(CsOutput) output = cs_output_open(job->output, inputs, error);
    return output != NULL && cs_output_begin_rows(output, inputs, error) &&
           cs_places_refuse_checkpoint(job, cs_output_path(output), job->output, error) &&
           cs_device_describe(job->options.device, job->options.engine, error) != NULL &&
           (job->options.checkpoint == NULL || job->set != NULL ||
            try_directory(story, job->options.checkpoint, error)) &&
           cs_pair_list_load(&pairs, &job->inputs, many->pairs, error) &&
           (job->set != NULL ? plan_set : plan_pairs)(story, &pairs, error);
}

/* What is planned for one process only. */
static int
refuse_processes(const char *what)
{
    g_autofree char *command = g_strdup_printf("plan %s", what);
    return cs_print_one_process(command, cs_ranks_count());
}

static int
plan(CsRunJob *job, const CsManyPairsArguments *many)
{
    g_autoptr(GError) error = NULL;
    g_auto(Story) story = {.job = job, .warnings = g_ptr_array_new_with_free_func(g_free)};
    if (job->set != NULL && cs_ranks_count() > 1)
        return refuse_processes("of a set");
    if (!cs_log_file_try(job, many->pairs, &error) ||
        !(cs_many_pairs_is_wanted(many) ? plan_many(&story, many, &error)
                                        : plan_one(&story, &error)))
        return cs_print_failure("chromosweep plan", error);
    warn_of_time(&story);
    (void)cs_plan_check(&story.plan, &story.fault);
    g_autofree char *text =
        job->format == CS_FORMAT_JSON ? format_json(&story) : format_text(&story);
    const int status = cs_print_text(text);
    return status == 0 && story.fault != NULL ? cs_print_failure("chromosweep plan", story.fault)
                                              : status;
}

int
cs_plan_command(int argc, char **argv)
{
    const gboolean search = argc > 1 && strcmp(argv[1], "search") == 0;
    const gboolean identity = argc > 1 && strcmp(argv[1], "identity") == 0;
    if ((search || identity) && cs_ranks_count() > 1)
        return refuse_processes(argv[1]);
    if (search)
        return cs_plan_search_command(argc - 1, argv + 1);
    if (identity)
        return cs_plan_identity_command(argc - 1, argv + 1);
    const CsLikeCompare like = {"chromosweep plan", help_top, help_bottom, TRUE, plan};
    return cs_compare_command_like(&like, argc, argv);
}
