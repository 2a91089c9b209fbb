/*
 * A comparison's result as text for people, as TSV or as JSON. The TSV and the JSON hold the same
 * facts, but for each strand's ends and the seconds of each stage on it, which are in the JSON
 * alone; neither may change the meaning of a column or key without a new version. Times and rates
 * are rounded to millionths.
 */
#include <string.h>

#include <jansson.h>

#include <chromosweep/version.h>

#include "command/command.h"
#include "command/json_text.h"
#include "command/pair.h"
#include "command/report.h"

#define FORMAT "chromosweep-compare"
enum {
    VERSION = 1
};
#define GAP_CONVENTION "a gap of k letters costs gap_open + k * gap_extend"

/* Of the sweeps alone. */
static double
gcups(const CsCompareResult *result)
{
    const gint64 swept = result->cells_computed - result->cells_corridor;
    return result->seconds > 0 ? (double)swept / result->seconds / 1e9 : 0;
}

/* x with as many decimals as it has, from 1 to 6. */
static char *
format_real(double x)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE + G_MAXINT8];
    g_autofree char *text = g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.6f", x));
    gsize length = strlen(text);
    while (text[length - 1] == '0' && text[length - 2] != '.')
        length--;
    return g_strndup(text, length);
}

char *
cs_report_region(const char *name, gint64 from, gint64 to)
{
    if (from == 0)
        return NULL;
    const gboolean braced = name[0] == '{' || strchr(name, ':') != NULL;
    return g_strdup_printf("%s%s%s:%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, braced ? "{" : "", name,
                           braced ? "}" : "", from, to);
}

char *
cs_report_region_of(const CsSequence *sequence)
{
    const gint64 from = cs_sequence_get_offset(sequence) + 1;
    const gint64 length = cs_sequence_get_length(sequence);
    return length == cs_sequence_get_record_length(sequence)
               ? NULL
               : cs_report_region(cs_sequence_get_name(sequence), from, from + length - 1);
}

static json_t *
json_end(gint64 end)
{
    return end > 0 ? json_integer(end) : json_null();
}

json_t *
cs_report_skip_json(CsSkipMode skip)
{
    return skip != CS_SKIP_AUTO ? json_string(cs_skip_mode_name(skip)) : json_null();
}

static json_t *
json_bound(gint64 lower_bound)
{
    return lower_bound > 0 ? json_integer(lower_bound) : json_null();
}

static void
set_stages(json_t *object, const CsStageSeconds *stages)
{
    json_object_set_new(object, "seconds_before", cs_json_millionths(stages->all));
    json_object_set_new(object, "seconds_seeds", cs_json_millionths(stages->seeds));
    json_object_set_new(object, "seconds_chain", cs_json_millionths(stages->chain));
    json_object_set_new(object, "seconds_corridor", cs_json_millionths(stages->corridor));
    json_object_set_new(object, "seconds_bounds", cs_json_millionths(stages->bounds));
}

static json_t *
json_strands(const CsCompareResult *result)
{
    json_t *array = json_array();
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsStrandResult *one = &result->strands[strand];
        if (!one->computed)
            continue;
        json_t *object = json_object();
        json_object_set_new(object, "strand", json_string(cs_pair_strand_name(strand)));
        json_object_set_new(object, "score", json_integer(one->score));
        json_object_set_new(object, "target_end", json_end(one->target_end));
        json_object_set_new(object, "query_end", json_end(one->query_end));
        json_object_set_new(object, "skip", cs_report_skip_json(one->skip));
        json_object_set_new(object, "lower_bound", json_bound(one->lower_bound));
        json_object_set_new(object, "cells_computed",
                            one->cells_computed >= 0 ? json_integer(one->cells_computed)
                                                     : json_null());
        json_object_set_new(object, "seconds",
                            one->seconds >= 0 ? cs_json_millionths(one->seconds) : json_null());
        set_stages(object, &one->stages);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *
json_sequence(const char *file, const CsSequence *sequence, gint64 end)
{
    json_t *object = json_object();
    g_autofree char *region = cs_report_region_of(sequence);
    json_object_set_new(object, "file", cs_json_text(file));
    json_object_set_new(object, "name", cs_json_text(cs_sequence_get_name(sequence)));
    json_object_set_new(object, "length", json_integer(cs_sequence_get_record_length(sequence)));
    json_object_set_new(object, "end", json_end(end));
    json_object_set_new(object, "region", cs_json_text(region));
    return object;
}

static json_t *
json_scoring(const CsScoring *scoring)
{
    json_t *object = cs_json_scoring(scoring);
    json_object_set_new(object, "first_gap", json_integer(cs_scoring_first_gap(scoring)));
    return object;
}

static char *
format_json(const CsReport *report)
{
    const CsCompareResult *result = report->result;
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "score", json_integer(result->score));
    json_object_set_new(object, "target",
                        json_sequence(report->target_file, report->target, result->target_end));
    json_object_set_new(object, "query",
                        json_sequence(report->query_file, report->query, result->query_end));
    json_object_set_new(object, "strand", json_string(cs_pair_strand_name(result->strand)));
    json_object_set_new(object, "scoring", json_scoring(report->scoring));
    json_object_set_new(object, "cells", json_integer(result->cells));
    json_object_set_new(object, "cells_computed", json_integer(result->cells_computed));
    json_object_set_new(object, "seconds", cs_json_millionths(result->seconds));
    json_object_set_new(object, "gcups", cs_json_millionths(gcups(result)));
    json_object_set_new(object, "engine", cs_json_text(result->engine));
    json_object_set_new(object, "threads", json_integer(result->threads));
    json_object_set_new(object, "seconds_total", cs_json_millionths(report->seconds_total));
    json_object_set_new(object, "gap_convention", json_string(GAP_CONVENTION));
    json_object_set_new(object, "program_version", json_string(cs_version()));
    json_object_set_new(object, "device", cs_json_text(result->device));
    json_object_set_new(object, "cells_resumed", json_integer(result->cells_resumed));
    json_object_set_new(object, "strands", json_strands(result));
    json_object_set_new(object, "skip", cs_report_skip_json(result->skip));
    json_object_set_new(object, "lower_bound", json_bound(result->lower_bound));
    set_stages(object, &result->stages);
    json_object_set_new(object, "cells_corridor", json_integer(result->cells_corridor));
    return cs_json_line(object);
}

/* One column of the TSV: its name in the header line, its value in the row. */
static void
add_column(GString *header, GString *row, const char *name, const char *value)
{
    g_autofree char *escaped = cs_command_escape(value, TRUE);
    g_string_append_printf(header, "%s%s", header->len > 0 ? "\t" : "#", name);
    g_string_append_printf(row, "%s%s", row->len > 0 ? "\t" : "", escaped);
}

static void
add_number(GString *header, GString *row, const char *name, gint64 value)
{
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, value);
    add_column(header, row, name, text);
}

static void
add_real(GString *header, GString *row, const char *name, double value)
{
    g_autofree char *text = format_real(value);
    add_column(header, row, name, text);
}

static void
add_sequence(GString *header, GString *row, const char *side, const char *file,
             const CsSequence *sequence, gint64 end)
{
    g_autofree char *file_name = g_strconcat(side, "_file", NULL);
    g_autofree char *name_name = g_strconcat(side, "_name", NULL);
    g_autofree char *length_name = g_strconcat(side, "_length", NULL);
    g_autofree char *end_name = g_strconcat(side, "_end", NULL);
    add_column(header, row, file_name, file);
    add_column(header, row, name_name, cs_sequence_get_name(sequence));
    add_number(header, row, length_name, cs_sequence_get_record_length(sequence));
    if (end > 0)
        add_number(header, row, end_name, end);
    else
        add_column(header, row, end_name, "NA");
}

static void
add_region(GString *header, GString *row, const char *name, const CsSequence *sequence)
{
    g_autofree char *region = cs_report_region_of(sequence);
    add_column(header, row, name, region != NULL ? region : "NA");
}

static void
add_number_or_none(GString *header, GString *row, const char *name, gint64 value, gboolean some)
{
    if (some)
        add_number(header, row, name, value);
    else
        add_column(header, row, name, "NA");
}

static void
add_real_or_none(GString *header, GString *row, const char *name, double value, gboolean some)
{
    if (some)
        add_real(header, row, name, value);
    else
        add_column(header, row, name, "NA");
}

static void
add_skip(GString *header, GString *row, const char *name, CsSkipMode skip)
{
    add_column(header, row, name, skip != CS_SKIP_AUTO ? cs_skip_mode_name(skip) : "NA");
}

/* How a strand was swept. */
static void
add_strand_work(GString *header, GString *row, const char *side, const CsStrandResult *strand)
{
    g_autofree char *skip = g_strconcat(side, "_skip", NULL);
    g_autofree char *bound = g_strconcat(side, "_lower_bound", NULL);
    g_autofree char *computed = g_strconcat(side, "_cells_computed", NULL);
    g_autofree char *seconds = g_strconcat(side, "_seconds", NULL);
    g_autofree char *before = g_strconcat(side, "_seconds_before", NULL);
    const gboolean some = strand->computed;
    add_skip(header, row, skip, strand->skip);
    add_number_or_none(header, row, bound, strand->lower_bound, strand->lower_bound > 0);
    add_number_or_none(header, row, computed, strand->cells_computed,
                       some && strand->cells_computed >= 0);
    add_real_or_none(header, row, seconds, strand->seconds, some && strand->seconds >= 0);
    add_real_or_none(header, row, before, strand->stages.all, some);
}

static char *
format_tsv(const CsReport *report)
{
    const CsCompareResult *result = report->result;
    const CsScoring *scoring = report->scoring;
    g_autoptr(GString) header = g_string_new(NULL);
    g_autoptr(GString) row = g_string_new(NULL);
    add_column(header, row, "format", FORMAT);
    add_number(header, row, "version", VERSION);
    add_number(header, row, "score", result->score);
    add_sequence(header, row, "target", report->target_file, report->target, result->target_end);
    add_sequence(header, row, "query", report->query_file, report->query, result->query_end);
    add_column(header, row, "strand", cs_pair_strand_name(result->strand));
    add_number(header, row, "match", scoring->match);
    add_number(header, row, "mismatch", scoring->mismatch);
    add_number(header, row, "gap_open", scoring->gap_open);
    add_number(header, row, "gap_extend", scoring->gap_extend);
    add_number(header, row, "first_gap", cs_scoring_first_gap(scoring));
    add_number(header, row, "cells", result->cells);
    add_number(header, row, "cells_computed", result->cells_computed);
    add_real(header, row, "seconds", result->seconds);
    add_real(header, row, "gcups", gcups(result));
    add_column(header, row, "engine", result->engine);
    add_number(header, row, "threads", result->threads);
    add_real(header, row, "seconds_total", report->seconds_total);
    add_column(header, row, "gap_convention", GAP_CONVENTION);
    add_column(header, row, "program_version", cs_version());
    add_column(header, row, "device", result->device != NULL ? result->device : "NA");
    add_number(header, row, "cells_resumed", result->cells_resumed);
    add_region(header, row, "target_region", report->target);
    add_region(header, row, "query_region", report->query);
    const CsStrandResult *plus = &result->strands[CS_STRAND_PLUS];
    const CsStrandResult *minus = &result->strands[CS_STRAND_MINUS];
    const CsStageSeconds *stages = &result->stages;
    add_number_or_none(header, row, "plus_score", plus->score, plus->computed);
    add_number_or_none(header, row, "minus_score", minus->score, minus->computed);
    add_skip(header, row, "skip", result->skip);
    add_number_or_none(header, row, "lower_bound", result->lower_bound, result->lower_bound > 0);
    add_real(header, row, "seconds_before", stages->all);
    add_real(header, row, "seconds_seeds", stages->seeds);
    add_real(header, row, "seconds_chain", stages->chain);
    add_real(header, row, "seconds_corridor", stages->corridor);
    add_real(header, row, "seconds_bounds", stages->bounds);
    add_strand_work(header, row, "plus", plus);
    add_strand_work(header, row, "minus", minus);
    add_number(header, row, "cells_corridor", result->cells_corridor);
    return g_strdup_printf("%s\n%s\n", header->str, row->str);
}

void
cs_report_append_sequence(GString *text, const char *side, const char *file,
                          const CsSequence *sequence)
{
    g_autofree char *shown_file = cs_command_escape(file, FALSE);
    g_autofree char *region = cs_report_region_of(sequence);
    g_autofree char *shown_name =
        cs_command_escape(region != NULL ? region : cs_sequence_get_name(sequence), FALSE);
    gint64 length = cs_sequence_get_length(sequence);
    g_string_append_printf(text, "%-12s%s, %s, %" G_GINT64_FORMAT, side, shown_file,
                           shown_name[0] != '\0' ? shown_name : "(no name)", length);
    if (region != NULL)
        g_string_append_printf(text, " of %" G_GINT64_FORMAT,
                               length = cs_sequence_get_record_length(sequence));
    g_string_append_printf(text, " %s\n", length == 1 ? "letter" : "letters");
}

static void
append_strand(GString *text, const CsCompareResult *result)
{
    const CsStrandResult *plus = &result->strands[CS_STRAND_PLUS];
    const CsStrandResult *minus = &result->strands[CS_STRAND_MINUS];
    g_string_append_printf(text, "strand      %s", cs_pair_strand_name(result->strand));
    if (plus->computed && minus->computed)
        g_string_append_printf(text,
                               " (scores: %" G_GINT64_FORMAT " on +, %" G_GINT64_FORMAT " on -)",
                               plus->score, minus->score);
    g_string_append_c(text, '\n');
}

/* Speed is that of the sweeps, without what lower bounds took. */
static char *
format_cells(const CsCompareResult *result)
{
    g_autofree char *corridor =
        result->cells_corridor > 0
            ? g_strdup_printf(", %" G_GINT64_FORMAT " of them before the sweep",
                              result->cells_corridor)
            : g_strdup("");
    return g_strdup_printf("cells       %" G_GINT64_FORMAT " (%" G_GINT64_FORMAT
                           " computed%s, reruns included)\n",
                           result->cells, result->cells_computed, corridor);
}

/* Computing counts in all runs that a checkpoint joins, the rest in this one. */
static char *
format_seconds(const CsReport *report)
{
    return g_strdup_printf(report->result->cells_resumed > 0
                               ? "seconds     %.2f of computing in all runs; this run took %.2f\n"
                               : "seconds     %.2f of computing; with loading %.2f\n",
                           report->result->seconds, report->seconds_total);
}

/* Whether the program sought what it may skip. */
static gboolean
has_sought(const CsStageSeconds *stages)
{
    return stages->seeds + stages->bounds >
           0; /* a resumed sweep knows its lower bound and seeks bounds alone */
}

/* on: "on +: " where both strands were swept, or nothing. */
static void
append_skip_of_strand(GString *text, const CsStrandResult *strand, const char *on)
{
    if (strand->skip == CS_SKIP_NONE && has_sought(&strand->stages))
        g_string_append_printf(text, "skipped     %snothing: it would hardly save time\n", on);
    if (strand->skip != CS_SKIP_BEST && strand->skip != CS_SKIP_BOUNDS)
        return;
    g_string_append_printf(text, "skipped     %swhat cannot reach ", on);
    if (strand->lower_bound > 0)
        g_string_append_printf(text,
                               "%" G_GINT64_FORMAT ", the score of an alignment found first\n",
                               strand->lower_bound);
    else
        g_string_append_printf(text, "the best score so far%s\n",
                               strand->skip == CS_SKIP_BOUNDS ? ", by bounds" : "");
}

/* What was skipped, and what it took to find out. */
static void
append_skip(GString *text, const CsCompareResult *result)
{
    const CsStrandResult *plus = &result->strands[CS_STRAND_PLUS];
    const CsStrandResult *minus = &result->strands[CS_STRAND_MINUS];
    const gboolean both = plus->computed && minus->computed;
    append_skip_of_strand(text, plus, both ? "on +: " : "");
    append_skip_of_strand(text, minus, both ? "on -: " : "");
    const CsStageSeconds *stages = &result->stages;
    if (has_sought(stages))
        g_string_append_printf(text,
                               "before      %.2f seconds: seeds %.2f, chain %.2f, corridor %.2f, "
                               "bounds %.2f\n",
                               stages->all, stages->seeds, stages->chain, stages->corridor,
                               stages->bounds);
}

static char *
format_text(const CsReport *report)
{
    const CsCompareResult *result = report->result;
    const CsScoring *scoring = report->scoring;
    GString *text = g_string_new(NULL);
    if (result->score > 0)
        g_string_append_printf(text,
                               "score       %" G_GINT64_FORMAT "\n"
                               "target end  %" G_GINT64_FORMAT "\n"
                               "query end   %" G_GINT64_FORMAT "\n",
                               result->score, result->target_end, result->query_end);
    else
        g_string_append(text,
                        "score       0: no letters match, so there is no alignment and no end\n");
    cs_report_append_sequence(text, "target", report->target_file, report->target);
    cs_report_append_sequence(text, "query", report->query_file, report->query);
    append_strand(text, result);
    g_string_append_printf(
        text,
        "scoring     match adds %" G_GINT64_FORMAT ", mismatch costs %" G_GINT64_FORMAT "\n"
        "gaps        k letters cost open + k * extend: %" G_GINT64_FORMAT
        " for the first, %" G_GINT64_FORMAT " for each next\n",
        scoring->match, scoring->mismatch, cs_scoring_first_gap(scoring), scoring->gap_extend);
    g_autofree char *cells = format_cells(result), *seconds = format_seconds(report);
    g_string_append_printf(text,
                           "%s%s"
                           "speed       %.2f GCUPS\n"
                           "engine      %s, ",
                           cells, seconds, gcups(result), result->engine);
    if (result->device != NULL)
        g_string_append_printf(text, "%s\n", result->device);
    else
        g_string_append_printf(text, "%u %s\n", result->threads,
                               result->threads == 1 ? "thread" : "threads");
    append_skip(text, result);
    if (result->cells_resumed > 0)
        g_string_append_printf(text, "resumed     at %" G_GINT64_FORMAT " cells\n",
                               result->cells_resumed);
    return g_string_free(text, FALSE);
}

char *
cs_report_format(const CsReport *report, CsReportFormat format)
{
    switch (format) {
    case CS_REPORT_TSV: return format_tsv(report);
    case CS_REPORT_JSON: return format_json(report);
    case CS_REPORT_TEXT: break;
    }
    return format_text(report);
}
