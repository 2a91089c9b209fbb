/* chromosweep plan identity: what a comparison of all with all would need. */
#include <jansson.h>

#include <chromosweep/chromosweep.h>

#include "command/identity_arguments.h"
#include "command/plan_identity.h"
#include "command/plan_lines.h"
#include "command/print.h"
#include "command/progress.h"
#include "formats/json.h"

static const char who[] = "chromosweep plan identity";

static const char help[] =
    "Usage: chromosweep plan identity [options] FILE.fa [SECOND.fa]\n"
    "\n"
    "Estimates what `chromosweep identity` with the same arguments would need: pairs,\n"
    "cells, memory, disk, time (from a run of a second) and what to request from a\n"
    "batch system. Reads the files. Writes no files.\n"
    "\n"
    "Options: those of identity; --format is text or json [text].\n"
    "\n"
    "Examples:\n"
    "  chromosweep plan identity sequences/family.fa\n";

#define FORMAT "chromosweep-identity-plan"
enum {
    VERSION = 1,
    MATRIX_BYTES = 4,    /* a pair, for a matrix */
    CLUSTER_BYTES = 12,  /* a kept pair, for clusters */
    RECORD_BYTES = 20,   /* a record, for clusters */
    KEPT_MARGIN = 2,     /* the test may have met few similar pairs */
    DISTANCE_BYTES = 11, /* a distance in PHYLIP */
};

/* What the library takes, and what the command keeps, however few pairs are kept. */
static gint64
least_memory(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    return plan->host_bytes +
           (job->format >= CS_IDENTITY_FORMAT_PHYLIP ? MATRIX_BYTES * plan->summary.pairs : 0) +
           (job->clusters != NULL ? RECORD_BYTES * plan->summary.first_count : 0);
}

/* The same if so many pairs are kept. */
static gint64
memory_for(const CsIdentityJob *job, const CsIdentityPlan *plan, gint64 kept)
{
    return least_memory(job, plan) + (job->clusters != NULL ? CLUSTER_BYTES * kept : 0);
}

/* As many pairs as a short test lets expect to be kept, with a margin; if it computed none, all. */
static gint64
most_kept(const CsIdentityPlan *plan)
{
    const gint64 kept = plan->pairs_kept, pairs = plan->summary.pairs;
    return kept < 0 || kept > pairs / KEPT_MARGIN ? pairs : KEPT_MARGIN * kept;
}

/* The same for these. */
static gint64
memory_of(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    return memory_for(job, plan, most_kept(plan));
}

/* A record whose name and sequence are as long as the mean. The caller frees the name. */
static CsIdentityRecord
mean_record(gint64 records, gint64 letters, gint64 name_bytes)
{
    return (CsIdentityRecord){g_strnfill((gsize)(name_bytes / records), 'x'), letters / records};
}

/* The bytes of a pair in the output, estimated from two such records. */
static gint64
line_bytes(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    CsIdentitySummary s = plan->summary;
    const CsIdentityRecord first =
        mean_record(s.first_count, plan->first_letters, plan->first_name_bytes);
    const CsIdentityRecord second =
        mean_record(s.second_count, plan->second_letters, plan->second_name_bytes);
    const gint64 longer = MAX(first.length, second.length);
    const CsIdentityPair pair = {.score = longer,
                                 .matches = MIN(first.length, second.length) * 7 / 9,
                                 .columns = longer,
                                 .cigar = job->options.align ? "" : NULL};
    g_autoptr(CsIdentityWriter) writer = cs_identity_writer_new(job->format, &job->columns);
    g_autoptr(GString) text = g_string_new(NULL);
    s.first = &first;
    s.second = &second;
    s.first_count = s.second_count = 1;
    s.one_file = FALSE;
    (void)cs_identity_writer_begin(writer, text, &s, NULL); /* it fails only for PHYLIP */
    cs_identity_writer_add(writer, text, &pair, 1);
    g_string_truncate(text, 0); /* with what comes before the first pair */
    cs_identity_writer_add(writer, text, &pair, 1);
    g_free((char *)first.name);
    g_free((char *)second.name);
    return (gint64)text->len + (job->options.align ? plan->pair_bytes : 0);
}

/* About how many bytes the output has. */
static gint64
output_bytes(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    const gint64 records = plan->summary.first_count, pairs = plan->summary.pairs;
    if (job->format < CS_IDENTITY_FORMAT_PHYLIP)
        return line_bytes(job, plan) * (plan->summary.min_identity > 0 ? most_kept(plan) : pairs);
    return plan->first_name_bytes + records +
           DISTANCE_BYTES * (job->format == CS_IDENTITY_FORMAT_PHYLIP ? records * records : pairs);
}

/* About how many bytes the checkpoint takes on disk; 0 without one. */
static gint64
checkpoint_bytes(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    return job->records.checkpoint != NULL
               ? plan->checkpoint_bytes + plan->pair_bytes * most_kept(plan)
               : 0;
}

static gboolean
works(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    return plan->host_bytes_available < 0 || least_memory(job, plan) <= plan->host_bytes_available;
}

static void
append_verdict(GString *text, const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    const gint64 available = plan->host_bytes_available;
    if (!works(job, plan))
        cs_plan_line(text, "verdict", "it cannot run: there is not enough memory");
    else if (available >= 0 && memory_for(job, plan, plan->summary.pairs) > available)
        cs_plan_line(text, "verdict",
                     "it can run, if no more than %" G_GINT64_FORMAT
                     " pairs are kept: clusters need memory for each",
                     (available - least_memory(job, plan)) / CLUSTER_BYTES);
    else if (plan->disk_bytes_free >= 0 && checkpoint_bytes(job, plan) > plan->disk_bytes_free)
        cs_plan_line(text, "verdict",
                     "it can run, but the disk may be too small for the checkpoint");
    else
        cs_plan_line(text, "verdict", "it can run");
}

/* Negative if it is not known. */
static double
seconds_left(const CsIdentityPlan *plan)
{
    return plan->seconds >= 0 ? plan->seconds * (1 - plan->fraction_done) : -1;
}

static char *
slurm_of(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    return cs_plan_slurm(memory_of(job, plan), plan->summary.threads, plan->gpus,
                         seconds_left(plan));
}

static json_t *
json_known(gint64 value, gboolean known)
{
    return known ? json_integer(value) : json_null();
}

static json_t *
json_of_second(const CsIdentitySummary *summary, gint64 value)
{
    return json_known(value, !summary->one_file);
}

static char *
format_json(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    const CsIdentitySummary *s = &plan->summary;
    g_autofree char *slurm = slurm_of(job, plan);
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "works", json_boolean(works(job, plan)));
    json_object_set_new(object, "first_file", cs_json_text(job->records.files[0]));
    json_object_set_new(object, "second_file", cs_json_text(job->records.files[1]));
    json_object_set_new(object, "type", json_string(cs_records_types[s->alphabet]));
    json_object_set_new(object, "first_records", json_integer(s->first_count));
    json_object_set_new(object, "first_letters", json_integer(plan->first_letters));
    json_object_set_new(object, "first_longest", json_integer(plan->first_longest));
    json_object_set_new(object, "second_records", json_of_second(s, s->second_count));
    json_object_set_new(object, "second_letters", json_of_second(s, plan->second_letters));
    json_object_set_new(object, "second_longest", json_of_second(s, plan->second_longest));
    json_object_set_new(object, "pairs", json_integer(s->pairs));
    json_object_set_new(object, "cells", json_integer(s->cells));
    json_object_set_new(object, "threads", json_integer(s->threads));
    json_object_set_new(object, "instructions", cs_json_text(s->instructions));
    json_object_set_new(object, "device", cs_json_text(s->device));
    json_object_set_new(object, "memory", json_integer(memory_of(job, plan)));
    json_object_set_new(object, "memory_available",
                        json_known(plan->host_bytes_available, plan->host_bytes_available >= 0));
    json_object_set_new(object, "output_bytes", json_integer(output_bytes(job, plan)));
    json_object_set_new(object, "checkpoint_bytes",
                        json_known(checkpoint_bytes(job, plan), job->records.checkpoint != NULL));
    json_object_set_new(object, "disk_bytes_free",
                        json_known(plan->disk_bytes_free, plan->disk_bytes_free >= 0));
    json_object_set_new(object, "gcups",
                        plan->cells_a_second > 0 ? cs_json_millionths(plan->cells_a_second / 1e9)
                                                 : json_null());
    json_object_set_new(object, "seconds", cs_json_millionths_or_null(plan->seconds));
    json_object_set_new(object, "pairs_done", json_integer(plan->pairs_done));
    json_object_set_new(object, "seconds_left", cs_json_millionths_or_null(seconds_left(plan)));
    json_object_set_new(object, "slurm", cs_json_text(slurm));
    json_object_set_new(object, "program_version", json_string(cs_version()));
    return cs_json_line(object);
}

static void
append_file(GString *text, const char *label, const char *file, const CsIdentitySummary *s,
            gint64 records, gint64 letters, gint64 longest)
{
    cs_plan_line(text, label,
                 "%s, %" G_GINT64_FORMAT " records of %" G_GINT64_FORMAT
                 " letters, %ss, the longest of %" G_GINT64_FORMAT,
                 file, records, letters, cs_records_types[s->alphabet], longest);
}

static void
append_disk(GString *text, const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    g_autofree char *output = cs_plan_bytes(output_bytes(job, plan));
    g_autofree char *checkpoint = cs_plan_bytes(checkpoint_bytes(job, plan));
    g_autofree char *left = plan->disk_bytes_free >= 0 ? cs_plan_bytes(plan->disk_bytes_free)
                                                       : g_strdup("an unknown amount");
    cs_plan_line(text, "output", "about %s", output);
    if (job->records.checkpoint == NULL)
        return;
    cs_plan_line(text, "disk", "about %s for the checkpoint; %s free", checkpoint, left);
    if (plan->pairs_done > 0)
        cs_plan_line(text, "checkpoint", "%" G_GINT64_FORMAT " pairs are done", plan->pairs_done);
}

static char *
format_text(const CsIdentityJob *job, const CsIdentityPlan *plan)
{
    const CsIdentitySummary *s = &plan->summary;
    GString *text = g_string_new(NULL);
    g_autofree char *bytes = cs_plan_bytes(memory_of(job, plan));
    g_autofree char *available = cs_plan_bytes(plan->host_bytes_available);
    g_autofree char *left = cs_progress_duration(seconds_left(plan));
    g_autofree char *slurm = slurm_of(job, plan);
    append_file(text, "first", job->records.files[0], s, s->first_count, plan->first_letters,
                plan->first_longest);
    if (!s->one_file)
        append_file(text, "second", job->records.files[1], s, s->second_count, plan->second_letters,
                    plan->second_longest);
    cs_plan_line(text, "pairs", "%" G_GINT64_FORMAT, s->pairs);
    cs_plan_line(text, "cells", "%" G_GINT64_FORMAT, s->cells);
    cs_plan_line(text, "engine", "%s%s%s, %u %s", s->device != NULL ? s->device : "",
                 s->device != NULL ? ", " : "", s->instructions, s->threads,
                 s->threads == 1 ? "thread" : "threads");
    if (job->clusters == NULL)
        cs_plan_line(text, "memory", "%s at most", bytes);
    else
        cs_plan_line(text, "memory", "%s if up to %" G_GINT64_FORMAT " pairs are kept, %s", bytes,
                     most_kept(plan),
                     plan->pairs_kept < 0 ? "which are all" : "as a short test lets expect");
    if (plan->host_bytes_available >= 0)
        cs_plan_line(text, "available", "%s (%s)", available, plan->host_limit);
    append_disk(text, job, plan);
    if (plan->cells_a_second > 0)
        cs_plan_line(text, "speed", "%.2f GCUPS, measured in a short test",
                     plan->cells_a_second / 1e9);
    if (plan->seconds >= 0)
        cs_plan_line(text, "time", "about %s%s", left, plan->pairs_done > 0 ? " for the rest" : "");
    cs_plan_line(text, "Slurm", "%s", slurm);
    append_verdict(text, job, plan);
    return g_string_free(text, FALSE);
}

int
cs_plan_identity_command(int argc, char **argv)
{
    g_auto(CsIdentityArguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    CsIdentityJob job;
    CsIdentityPlan plan;
    if (!cs_identity_arguments_parse(&arguments, argc, argv, &error))
        return cs_print_failure(who, error);
    if (cs_help_is_wanted(&arguments.records.help))
        return cs_help_print(&arguments.records.help, help);
    if (!cs_identity_arguments_job(&arguments, &job, &error) ||
        !cs_identity_plan(job.records.files[0], job.records.files[1], &job.options, &plan, &error))
        return cs_print_failure(who, error);
    g_autofree char *text =
        job.format == CS_IDENTITY_FORMAT_JSON ? format_json(&job, &plan) : format_text(&job, &plan);
    const int status = cs_print_text(text);
    return status != 0 || works(&job, &plan)
               ? status
               : cs_plan_fail_memory(who, least_memory(&job, &plan), plan.host_bytes_available,
                                     plan.host_limit);
}
