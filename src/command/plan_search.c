/* chromosweep plan search: what a search would need. */
#include <jansson.h>

#include <chromosweep/chromosweep.h>

#include "command/plan_lines.h"
#include "command/plan_search.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/search_arguments.h"
#include "formats/json.h"

static const char who[] = "chromosweep plan search";

static const char help[] =
    "Usage: chromosweep plan search [options] QUERIES.fa DATABASE.fa\n"
    "\n"
    "Estimates what `chromosweep search` with the same arguments would need: cells,\n"
    "memory, time (from a search of a second) and what to request from a batch\n"
    "system. Reads both files. Writes no files.\n"
    "\n"
    "Options: those of search; --format is text or json [text].\n"
    "\n"
    "Examples:\n"
    "  chromosweep plan search sequences/repeats_query.fa sequences/repeats_target.fa\n";

#define FORMAT "chromosweep-search-plan"
enum {
    VERSION = 1
};

/* What is left to search. */
static double
seconds_left(const CsSearchPlan *plan)
{
    const gint64 records = plan->summary.records;
    const gint64 done = MIN(plan->records_done, records);
    return records > 0 ? plan->seconds * (double)(records - done) / (double)records : 0;
}

static gboolean
works(const CsSearchPlan *plan)
{
    return plan->host_bytes_available < 0 || plan->host_bytes <= plan->host_bytes_available;
}

static char *
slurm_of(const CsSearchPlan *plan)
{
    return cs_plan_slurm(plan->host_bytes, plan->summary.threads, plan->gpus,
                         plan->seconds > 0 ? seconds_left(plan) : -1);
}

static char *
format_json(const CsSearchJob *job, const CsSearchPlan *plan)
{
    const CsSearchSummary *s = &plan->summary;
    g_autofree char *slurm = slurm_of(plan);
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "works", json_boolean(works(plan)));
    json_object_set_new(object, "queries_file", cs_json_text(job->records.files[0]));
    json_object_set_new(object, "database_file", cs_json_text(job->records.files[1]));
    json_object_set_new(object, "type", json_string(cs_records_types[s->alphabet]));
    json_object_set_new(object, "queries", json_integer(s->queries));
    json_object_set_new(object, "query_letters", json_integer(s->query_letters));
    json_object_set_new(object, "longest_query", json_integer(plan->longest_query));
    json_object_set_new(object, "records", json_integer(s->records));
    json_object_set_new(object, "letters", json_integer(s->letters));
    json_object_set_new(object, "longest_record", json_integer(plan->longest_record));
    json_object_set_new(object, "cells", json_integer(s->cells));
    json_object_set_new(object, "threads", json_integer(s->threads));
    json_object_set_new(object, "instructions", cs_json_text(s->instructions));
    json_object_set_new(object, "device",
                        s->device != NULL ? cs_json_text(s->device) : json_null());
    json_object_set_new(object, "memory", json_integer(plan->host_bytes));
    json_object_set_new(object, "memory_available",
                        plan->host_bytes_available >= 0 ? json_integer(plan->host_bytes_available)
                                                        : json_null());
    json_object_set_new(object, "gcups",
                        plan->cells_a_second > 0 ? cs_json_millionths(plan->cells_a_second / 1e9)
                                                 : json_null());
    json_object_set_new(object, "seconds", cs_json_millionths(plan->seconds));
    json_object_set_new(object, "records_done", json_integer(plan->records_done));
    json_object_set_new(object, "seconds_left", cs_json_millionths(seconds_left(plan)));
    json_object_set_new(object, "slurm", cs_json_text(slurm));
    json_object_set_new(object, "program_version", json_string(cs_version()));
    return cs_json_line(object);
}

static char *
format_text(const CsSearchJob *job, const CsSearchPlan *plan)
{
    const CsSearchSummary *s = &plan->summary;
    GString *text = g_string_new(NULL);
    g_autofree char *bytes = cs_plan_bytes(plan->host_bytes);
    g_autofree char *available = cs_plan_bytes(plan->host_bytes_available);
    g_autofree char *left = cs_progress_duration(seconds_left(plan));
    g_autofree char *slurm = slurm_of(plan);
    cs_plan_line(text, "queries",
                 "%s, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " letters, %ss, the longest of %" G_GINT64_FORMAT,
                 job->records.files[0], s->queries, s->query_letters, cs_records_types[s->alphabet],
                 plan->longest_query);
    cs_plan_line(text, "database",
                 "%s, %" G_GINT64_FORMAT " records of %" G_GINT64_FORMAT
                 " letters, the longest of %" G_GINT64_FORMAT,
                 job->records.files[1], s->records, s->letters, plan->longest_record);
    cs_plan_line(text, "cells", "%" G_GINT64_FORMAT, s->cells);
    cs_plan_line(text, "engine", "%s%s%s, %u %s", s->device != NULL ? s->device : "",
                 s->device != NULL ? ", " : "", s->instructions, s->threads,
                 s->threads == 1 ? "thread" : "threads");
    cs_plan_line(text, "memory", "%s at most", bytes);
    if (plan->host_bytes_available >= 0)
        cs_plan_line(text, "available", "%s (%s)", available, plan->host_limit);
    if (plan->records_done > 0)
        cs_plan_line(text, "checkpoint", "%" G_GINT64_FORMAT " records are done",
                     plan->records_done);
    if (plan->cells_a_second > 0) {
        cs_plan_line(text, "speed", "%.2f GCUPS, measured in a short test",
                     plan->cells_a_second / 1e9);
        cs_plan_line(text, "time", "about %s%s", left,
                     plan->records_done > 0 ? " for the rest" : "");
    }
    cs_plan_line(text, "Slurm", "%s", slurm);
    cs_plan_line(text, "verdict",
                 works(plan) ? "it can run" : "it cannot run: there is not enough memory");
    return g_string_free(text, FALSE);
}

int
cs_plan_search_command(int argc, char **argv)
{
    g_auto(CsSearchArguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    CsSearchJob job;
    CsSearchPlan plan;
    if (!cs_search_arguments_parse(&arguments, argc, argv, &error))
        return cs_print_failure(who, error);
    if (cs_help_is_wanted(&arguments.records.help))
        return cs_help_print(&arguments.records.help, help);
    if (!cs_search_arguments_job(&arguments, &job, &error) ||
        !cs_search_plan(job.records.files[0], job.records.files[1], &job.options, &plan, &error))
        return cs_print_failure(who, error);
    g_autofree char *text =
        job.format == CS_SEARCH_FORMAT_JSON ? format_json(&job, &plan) : format_text(&job, &plan);
    const int status = cs_print_text(text);
    return status != 0 || works(&plan)
               ? status
               : cs_plan_fail_memory(who, plan.host_bytes, plan.host_bytes_available,
                                     plan.host_limit);
}
