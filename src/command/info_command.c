/* chromosweep info: what a checkpoint holds, how far it has come, whether it is good. */
#include <string.h>

#include <jansson.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/help.h"
#include "command/identity_info.h"
#include "command/info_lines.h"
#include "command/memo.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/resuming.h"
#include "command/search_info.h"
#include "formats/escape.h"
#include "formats/json.h"
#include "formats/names.h"

static const char help[] =
    "Usage: chromosweep info [options] DIR\n"
    "\n"
    "Shows what the checkpoint in DIR holds: the comparison, its progress, the best\n"
    "score so far, whether a run is using it, and whether each saved state is good,\n"
    "which it checks by reading all of it. Changes nothing. For many pairs\n"
    "(--all-pairs, --pairs), prints one line per pair, or one JSON object. Also\n"
    "reads the checkpoints of search and identity.\n"
    "\n"
    "Options:\n"
    "      --format FORMAT     text or json [text]\n" CS_HELP_LINES "+\n"
    "+Exit status: 0 a run can resume from it, 1 there is no such folder, or output\n"
    "+failed, 2 wrong usage, 5 there is no checkpoint, or none that is usable.\n"
    "\n"
    "Examples:\n"
    "  chromosweep info run\n"
    "  chromosweep info --format json run\n";

#define FORMAT "chromosweep-info"
enum {
    VERSION = 2
};

/* The label of how to see the result of what is complete. */
#define GET_RESULT "get result"

typedef struct {
    char *format;
    char **rest;
    CsHelpArguments help;
} Arguments;

/* What info prints. */
typedef struct {
    const char *directory; /* as it was given */
    const CsCheckpointInfo *info;
    const CsGeneration *usable; /* the newest that is good, or NULL */
    gint64 cells;
    gint64 rows;
    gboolean known; /* format and output are */
    char *format;
    char *output;       /* NULL: standard output */
    gboolean all_pairs; /* a set between all records, which DIR does not name */
} Story;

static void
arguments_clear(Arguments *a)
{
    g_free(a->format);
    g_strfreev(a->rest);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static void
story_clear(Story *story)
{
    g_free(story->format);
    g_free(story->output);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Story, story_clear)

/* The format of an alignment among the options of its run, or NULL. */
static char *
format_among(const GPtrArray *options)
{
    static const char name[] = "--format=";
    for (guint k = 0; k < options->len; k++)
        if (g_str_has_prefix(options->pdata[k], name))
            return g_strdup((const char *)options->pdata[k] + strlen(name));
    return NULL;
}

/* What `resume` writes, and where. */
static void
find_result(Story *story, const char *memo)
{
    g_autoptr(GPtrArray) options = g_ptr_array_new_with_free_func(g_free);
    if (cs_memo_read_align(memo, options, &story->output)) {
        story->format = format_among(options);
        story->known = story->format != NULL;
        story->all_pairs =
            g_ptr_array_find_with_equal_func(options, "--all-pairs", g_str_equal, NULL);
    } else {
        story->known = cs_memo_read(memo, &story->format, NULL, &story->output);
    }
}

static void
story_init(Story *story, const char *directory, const CsCheckpointInfo *info)
{
    *story = (Story){.directory = directory,
                     .info = info,
                     .cells = cs_resuming_cells(info),
                     .rows = MAX(info->target_length, info->query_length)};
    for (guint k = 0; story->usable == NULL && k < info->n_generations; k++)
        if (info->generations[k].fault == NULL)
            story->usable = &info->generations[k];
    find_result(story, info->memo);
}

/* Whether what is compared is complete. */
static gboolean
is_complete(const Story *story)
{
    if (story->info->set != NULL)
        return story->info->set->complete;
    if (story->info->circular != CS_CIRCULAR_NONE)
        return story->usable != NULL && story->usable->fraction >= 1;
    return story->usable != NULL && story->usable->cells_done == story->cells;
}

/* Whether nothing of it is left to do. */
static gboolean
is_done(const Story *story)
{
    return is_complete(story) && (story->info->set != NULL || story->usable->fraction >= 1);
}

static char *
target_region(const CsCheckpointInfo *info)
{
    return cs_names_region(info->target_name, info->target_from, info->target_to);
}

static char *
query_region(const CsCheckpointInfo *info)
{
    return cs_names_region(info->query_name, info->query_from, info->query_to);
}

/* Takes the region over, NULL for a whole record. */
static json_t *
json_sequence(const char *file, const char *name, gint64 length, const char *digest, char *region)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", cs_json_text(file));
    json_object_set_new(object, "name", cs_json_text(name));
    json_object_set_new(object, "length", json_integer(length));
    json_object_set_new(object, "digest", cs_json_text(digest));
    json_object_set_new(object, "region", cs_json_text(region));
    g_free(region);
    return object;
}

static json_t *
json_generation(const Story *story, const CsGeneration *generation)
{
    g_autofree char *saved = cs_info_time(generation->saved, CS_INFO_TIME_JSON);
    g_autofree char *percent = cs_progress_percent(generation->fraction);
    json_t *object = json_object();
    json_object_set_new(object, "number", json_integer(generation->number));
    json_object_set_new(object, "file", cs_json_text(generation->file));
    json_object_set_new(object, "bytes", json_integer(generation->bytes));
    json_object_set_new(object, "saved", cs_json_text(saved));
    json_object_set_new(object, "cells_done", json_integer(generation->cells_done));
    json_object_set_new(object, "percent", json_real(g_ascii_strtod(percent, NULL)));
    json_object_set_new(object, "rows_done", json_integer(generation->rows_done));
    json_object_set_new(object, "score", json_integer(generation->score));
    json_object_set_new(object, "target_end", cs_json_known(generation->target_end));
    json_object_set_new(object, "query_start", cs_json_known(generation->query_start));
    json_object_set_new(object, "query_end", cs_json_known(generation->query_end));
    json_object_set_new(object, "seconds", json_real(generation->seconds));
    json_object_set_new(object, "fault", cs_json_text(generation->fault));
    json_object_set_new(object, "strand", json_string(cs_names_strand(generation->strand)));
    json_object_set_new(object, "under_way", json_string(cs_names_strand(generation->under_way)));
    json_object_set_new(object, "skip", cs_json_skip(generation->skip));
    json_object_set_new(object, "min_score", cs_json_known(generation->min_score));
    return object;
}

static json_t *
json_result(const Story *story)
{
    if (!story->known)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "format", cs_json_text(story->format));
    json_object_set_new(object, "file", cs_json_text(story->output));
    return object;
}

static json_t *
json_limit(gint64 limit, gint64 none)
{
    return limit != none ? json_integer(limit) : json_null();
}

static json_t *
json_set(const CsCheckpointSet *set)
{
    if (set == NULL)
        return json_null();
    g_autofree char *percent = cs_progress_percent(set->fraction);
    g_autofree char *sweep = set->sweep >= 0 ? cs_progress_percent(set->sweep) : NULL;
    json_t *object = json_object();
    json_object_set_new(object, "rule", json_string(set->all ? "all" : "one-to-one"));
    json_object_set_new(object, "self", json_boolean(set->self));
    json_object_set_new(object, "max_drop", json_limit(set->max_drop, -1));
    json_object_set_new(object, "min_score", json_integer(set->min_score));
    json_object_set_new(object, "number", json_limit(set->most, 0));
    json_object_set_new(object, "alignments", json_integer(set->alignments));
    json_object_set_new(object, "percent", json_real(g_ascii_strtod(percent, NULL)));
    json_object_set_new(object, "complete", json_boolean(set->complete));
    json_object_set_new(object, "sweep_percent",
                        sweep != NULL ? json_real(g_ascii_strtod(sweep, NULL)) : json_null());
    return object;
}

static char *
format_json(const Story *story)
{
    const CsCheckpointInfo *info = story->info;
    json_t *object = json_object(), *generations = json_array();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "directory", cs_json_text(story->directory));
    json_object_set_new(object, "checkpoint_version", json_integer(info->format_version));
    json_object_set_new(object, "program_version", cs_json_text(info->program_version));
    json_object_set_new(object, "target",
                        json_sequence(info->target_file, info->target_name, info->target_length,
                                      info->target_digest, target_region(info)));
    json_object_set_new(object, "query",
                        json_sequence(info->query_file, info->query_name, info->query_length,
                                      info->query_digest, query_region(info)));
    json_object_set_new(object, "strand", cs_json_text(info->strand));
    json_object_set_new(object, "scoring", cs_json_scoring(&info->scoring));
    json_object_set_new(object, "cells", json_integer(story->cells));
    json_object_set_new(object, "rows", json_integer(story->rows));
    json_object_set_new(object, "usable",
                        story->usable != NULL ? json_integer(story->usable->number) : json_null());
    json_object_set_new(object, "complete", json_boolean(is_complete(story)));
    json_object_set_new(object, "in_use_by", cs_json_text(info->holder));
    json_object_set_new(object, "fault", cs_json_text(info->fault));
    json_object_set_new(object, "result", json_result(story));
    for (guint k = 0; k < info->n_generations; k++)
        json_array_append_new(generations, json_generation(story, &info->generations[k]));
    json_object_set_new(object, "generations", generations);
    json_object_set_new(object, "set", json_set(info->set));
    json_object_set_new(object, "circular",
                        info->circular != CS_CIRCULAR_NONE
                            ? json_string(cs_names_circular[info->circular])
                            : json_null());
    return cs_json_line(object);
}

static void
append_sequence(GString *text, const char *side, const char *file, const char *name, gint64 length)
{
    g_autofree char *line = g_strdup_printf("%s, %s, %" G_GINT64_FORMAT " %s",
                                            file == NULL             ? "(made in memory)"
                                            : strcmp(file, "-") == 0 ? "(standard input)"
                                                                     : file,
                                            name != NULL && name[0] != '\0' ? name : "(no name)",
                                            length, length == 1 ? "base" : "bases");
    cs_info_line(text, side, line);
}

static void
append_comparison(GString *text, const CsCheckpointInfo *info)
{
    g_autofree char *target = target_region(info), *query = query_region(info);
    append_sequence(text, "target", info->target_file, target != NULL ? target : info->target_name,
                    info->target_length);
    append_sequence(text, "query", info->query_file, query != NULL ? query : info->query_name,
                    info->query_length);
    if (info->circular != CS_CIRCULAR_NONE)
        cs_info_line(text, "circular", cs_names_circular[info->circular]);
    cs_info_line(text, "strand", info->strand);
    g_string_append_printf(text,
                           "scoring     match adds %" G_GINT64_FORMAT
                           ", mismatch costs %" G_GINT64_FORMAT
                           "\ngaps        k bases cost open + k * extend: %" G_GINT64_FORMAT
                           " for the first, %" G_GINT64_FORMAT " for each further one\n",
                           info->scoring.match, info->scoring.mismatch,
                           cs_scoring_first_gap(&info->scoring), info->scoring.gap_extend);
}

/* The best alignment so far. Of one that scores less than asked for, nothing is known. */
static void
append_best(GString *text, const Story *story)
{
    const CsGeneration *usable = story->usable;
    const gboolean both = strcmp(story->info->strand, "both") == 0, complete = is_complete(story);
    const char *name = complete ? "best" : "best so far";
    g_autofree char *best = NULL;
    if (complete && usable->score < usable->min_score)
        best = g_strdup_printf("no alignment reaches %" G_GINT64_FORMAT, usable->min_score);
    else if (usable->score == 0)
        best = g_strdup(complete ? "0, no alignment" : "none yet");
    else if (story->info->circular != CS_CIRCULAR_NONE)
        best = g_strdup_printf("%" G_GINT64_FORMAT, usable->score);
    else
        best = g_strdup_printf(
            "%" G_GINT64_FORMAT " at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "%s%s", usable->score,
            usable->target_end, MAX(usable->query_start, usable->query_end),
            both ? " on strand " : "", both ? cs_names_strand(usable->strand) : "");
    cs_info_line(text, name, best);
}

static void
append_progress(GString *text, const Story *story)
{
    const CsGeneration *usable = story->usable;
    if (usable == NULL) {
        cs_info_line(text, "progress", "unknown: no saved state is usable");
        return;
    }
    g_autofree char *percent = cs_progress_percent(usable->fraction);
    g_autofree char *saved = cs_info_time(usable->saved, CS_INFO_TIME_TEXT);
    g_autofree char *computing = cs_progress_duration(usable->seconds);
    const gboolean both = strcmp(story->info->strand, "both") == 0;
    const gboolean circular = story->info->circular != CS_CIRCULAR_NONE;
    if (circular)
        g_string_append_printf(text, "progress    %s%% of the work\n", percent);
    else
        g_string_append_printf(text,
                               "progress    %s%% of the work, %" G_GINT64_FORMAT
                               " of %" G_GINT64_FORMAT " rows%s%s\n",
                               percent, usable->rows_done, story->rows, both ? " of strand " : "",
                               both ? cs_names_strand(usable->under_way) : "");
    append_best(text, story);
    if (usable->skip != CS_SKIP_AUTO)
        cs_info_line(text, "skipping", cs_skip_mode_name(usable->skip));
    g_string_append_printf(text, "saved       %s, after %s of computing\n",
                           saved != NULL ? saved : "at an unknown time", computing);
}

/* What belongs to a set of alignments, and how much of it there is. */
static void
append_set(GString *text, const Story *story)
{
    const CsCheckpointSet *set = story->info->set;
    g_autoptr(GString) rule = g_string_new(set->all ? "all" : "one-to-one");
    g_autofree char *percent = cs_progress_percent(set->fraction);
    if (set->self)
        g_string_append(rule, ", of a sequence with itself");
    if (set->max_drop >= 0)
        g_string_append_printf(rule, ", split at drops of more than %" G_GINT64_FORMAT,
                               set->max_drop);
    cs_info_line(text, "set", rule->str);
    g_string_printf(rule, "score at least %" G_GINT64_FORMAT, set->min_score);
    if (set->most > 0)
        g_string_append_printf(rule, "; at most %" G_GINT64_FORMAT " alignments", set->most);
    cs_info_line(text, "limits", rule->str);
    if (set->complete)
        g_string_printf(rule, "%" G_GINT64_FORMAT " found, complete", set->alignments);
    else
        g_string_printf(rule, "%" G_GINT64_FORMAT " found so far, about %s%% of the work",
                        set->alignments, percent);
    cs_info_line(text, "alignments", rule->str);
    if (set->sweep < 0)
        return;
    g_autofree char *sweep = cs_progress_percent(set->sweep);
    g_string_printf(rule, "%s%% done; a run goes on with it", sweep);
    cs_info_line(text, "sweep", rule->str);
}

static void
append_health(GString *text, const Story *story)
{
    const CsCheckpointInfo *info = story->info;
    if (info->fault != NULL)
        cs_info_line(text, "manifest", info->fault);
    for (guint k = 0; k < info->n_generations; k++) {
        const CsGeneration *generation = &info->generations[k];
        g_autofree char *percent = cs_progress_percent(generation->fraction);
        g_autofree char *line =
            generation->fault != NULL
                ? g_strdup_printf("%s %s%s", generation->file,
                                  generation->of_another ? "" : "is damaged: ", generation->fault)
            : info->set != NULL ? g_strdup_printf("%s is good: %" G_GINT64_FORMAT " bytes",
                                                  generation->file, generation->bytes)
                                : g_strdup_printf("%s is good: %s%%, %" G_GINT64_FORMAT " bytes",
                                                  generation->file, percent, generation->bytes);
        cs_info_line(text, k == 0 ? "health" : "", line);
    }
}

static char *
format_next(const Story *story)
{
    const CsCheckpointInfo *info = story->info;
    if (story->usable == NULL)
        return g_strdup("nothing here is usable; start over with --no-resume");
    if (info->holder != NULL)
        return g_strdup("not now: a run is using it");
    if (cs_resuming_is_piped(info->target_file) || cs_resuming_is_piped(info->query_file))
        return g_strdup("run the same command again, with the same input");
    if (story->all_pairs)
        return g_strdup("run the same command again");
    return cs_resuming_line(story->directory);
}

static char *
format_text(const Story *story)
{
    const CsCheckpointInfo *info = story->info;
    GString *text = g_string_new(NULL);
    cs_info_line(text, "checkpoint", story->directory);
    append_comparison(text, info);
    if (info->set != NULL)
        append_set(text, story);
    else
        append_progress(text, story);
    append_health(text, story);
    g_autofree char *maker = g_strdup_printf(
        "chromosweep %s, format %" G_GINT64_FORMAT,
        info->program_version != NULL ? info->program_version : "(unknown)", info->format_version);
    cs_info_line(text, "written by", maker);
    cs_info_line(text, "in use", info->holder != NULL ? info->holder : "no");
    if (story->known) {
        g_autofree char *result = g_strdup_printf(
            "%s, to %s", story->format, story->output != NULL ? story->output : "standard output");
        cs_info_line(text, "result", result);
    }
    g_autofree char *next = format_next(story);
    cs_info_line(text, is_done(story) ? GET_RESULT : "resume", next);
    return g_string_free(text, FALSE);
}

/* The line for one of many pairs. */
static char *
format_pair(const Story *story)
{
    const CsCheckpointInfo *info = story->info;
    const CsGeneration *usable = story->usable;
    g_autoptr(GString) line = g_string_new(NULL);
    g_autofree char *target = target_region(info), *query = query_region(info);
    g_string_append_printf(line, "%s, %s: ", target != NULL ? target : info->target_name,
                           query != NULL ? query : info->query_name);
    if (info->set != NULL) {
        g_autofree char *percent = cs_progress_percent(info->set->fraction);
        g_string_append_printf(line, "%s%%, alignments %" G_GINT64_FORMAT, percent,
                               info->set->alignments);
    } else if (usable != NULL) {
        g_autofree char *percent = cs_progress_percent(usable->fraction);
        g_string_append_printf(line, "%s%%, score %" G_GINT64_FORMAT, percent, usable->score);
    } else {
        g_string_append(line, "no saved state is usable");
    }
    if (info->holder != NULL)
        g_string_append_printf(line, ", in use by %s", info->holder);
    GString *text = g_string_new(NULL);
    cs_info_line(text, "pair", line->str);
    return g_string_free(text, FALSE);
}

/* Describes one checkpoint, alone or of one of many pairs, in text. */
static int
tell_one(const char *directory, gboolean json, gboolean one_of_many, GString *text,
         gboolean *complete)
{
    g_auto(Story) story = {0};
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, TRUE, &error);
    if (info == NULL)
        return cs_print_failure("chromosweep info", error);
    story_init(&story, directory, info);
    g_autofree char *told = json          ? format_json(&story)
                            : one_of_many ? format_pair(&story)
                                          : format_text(&story);
    g_string_append(text, told);
    *complete = is_done(&story);
    if (story.usable != NULL)
        return 0;
    g_set_error(&error, CS_ERROR, CS_ERROR_CHECKPOINT, "checkpoint %s: no saved state is usable",
                directory);
    return cs_print_failure("chromosweep info", error);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folders inside a folder, sorted by name. */
static GPtrArray *
list_folders(const char *directory)
{
    GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
    GDir *stream = g_dir_open(directory, 0, NULL);
    const char *name;
    while (stream != NULL && (name = g_dir_read_name(stream)) != NULL) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(folders, g_steal_pointer(&path));
    }
    if (stream != NULL)
        g_dir_close(stream);
    g_ptr_array_sort(folders, compare_names);
    return folders;
}

/* Describes the checkpoints of many pairs. */
static int
tell_many(const char *directory, gboolean json, GString *text)
{
    g_autoptr(GPtrArray) folders = list_folders(directory);
    guint whole = 0;
    int worst = 0;
    for (guint k = 0; k < folders->len; k++) {
        gboolean complete = FALSE;
        int status = tell_one(g_ptr_array_index(folders, k), json, TRUE, text, &complete);
        worst = MAX(worst, status);
        whole += complete;
    }
    if (json)
        return worst;
    g_autofree char *head =
        g_strdup_printf("%-12s%u started, %u complete\n", "pairs", folders->len, whole);
    g_string_prepend(text, head);
    g_autofree char *shown = cs_escape(directory, FALSE);
    g_autofree char *first = g_strdup_printf("%-12s%s\n", "checkpoint", shown);
    g_string_prepend(text, first);
    if (whole == folders->len) /* the folder does not tell how many pairs there are */
        cs_info_line(text, GET_RESULT,
                     "run the same command again; it computes only pairs that are not here yet");
    else
        cs_info_line(text, "resume", "run the same command again");
    return worst;
}

static int
tell(const char *directory, gboolean json)
{
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean complete;
    const int status =
        cs_search_checkpoint_is_there(directory)     ? cs_search_info_tell(directory, json, text)
        : cs_identity_checkpoint_is_there(directory) ? cs_identity_info_tell(directory, json, text)
        : cs_checkpoint_is_of_pairs(directory)       ? tell_many(directory, json, text)
                                               : tell_one(directory, json, FALSE, text, &complete);
    const int printed = text->len > 0 ? cs_print_text(text->str) : 0;
    return status != 0 ? status : printed;
}

int
cs_info_command(int argc, char **argv)
{
    g_auto(Arguments) a = {0};
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &a.format, NULL, NULL},
        CS_HELP_ENTRIES(&a.help),
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a.rest, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    const char *directory = NULL;
    gboolean parsed = cs_arguments_parse(entries, argc, argv, &error);
    if (parsed && cs_help_is_wanted(&a.help))
        return cs_help_print(&a.help, help);
    gboolean json = g_strcmp0(a.format, "json") == 0;
    if (parsed && !json && a.format != NULL && strcmp(a.format, "text") != 0)
        cs_arguments_usage(&error, "--format must be text or json, not '%s'", a.format);
    else if (parsed)
        directory = cs_arguments_directory((const char *const *)a.rest, &error);
    return directory != NULL ? tell(directory, json) : cs_print_failure("chromosweep info", error);
}
