/* What `chromosweep info` prints about the checkpoint of a search. */
#include <jansson.h>

#include <chromosweep/chromosweep.h>

#include "command/info_lines.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/resuming.h"
#include "command/search_info.h"
#include "command/records_memo.h"
#include "formats/json.h"
#include "formats/names.h"

#define FORMAT "chromosweep-search-info"
enum {
    VERSION = 1
};

/* What info prints. */
typedef struct {
    const char *directory; /* as it was given */
    const CsSearchCheckpointInfo *info;
    const CsSearchSaved *usable; /* the newest that is good, or NULL */
    char *files[2];              /* NULL if not known */
} Story;

static void
story_clear(Story *story)
{
    g_clear_pointer(&story->files[0], g_free);
    g_clear_pointer(&story->files[1], g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Story, story_clear)

static json_t *
json_percent(double fraction)
{
    g_autofree char *percent = fraction >= 0 ? cs_progress_percent(fraction) : NULL;
    return percent != NULL ? json_real(g_ascii_strtod(percent, NULL)) : json_null();
}

static json_t *
json_state(const CsSearchSaved *state)
{
    g_autofree char *saved = cs_info_time(state->saved, CS_INFO_TIME_JSON);
    json_t *object = json_object();
    json_object_set_new(object, "number", json_integer(state->number));
    json_object_set_new(object, "file", cs_json_text(state->file));
    json_object_set_new(object, "bytes", json_integer(state->bytes));
    json_object_set_new(object, "saved", state->fault == NULL ? cs_json_text(saved) : json_null());
    json_object_set_new(object, "records", json_integer(state->records));
    json_object_set_new(object, "percent", json_percent(state->fraction));
    json_object_set_new(object, "seconds", json_real(state->seconds));
    json_object_set_new(object, "fault", cs_json_text(state->fault));
    return object;
}

static char *
format_json(const Story *story)
{
    const CsSearchCheckpointInfo *info = story->info;
    json_t *object = json_object(), *states = json_array();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "directory", cs_json_text(story->directory));
    json_object_set_new(object, "program_version", cs_json_text(info->program_version));
    json_object_set_new(object, "queries_file", cs_json_text(story->files[0]));
    json_object_set_new(object, "database_file", cs_json_text(story->files[1]));
    json_object_set_new(object, "type", json_string(cs_records_types[info->alphabet]));
    json_object_set_new(object, "queries", json_integer(info->queries));
    json_object_set_new(object, "query_letters", json_integer(info->query_letters));
    json_object_set_new(object, "usable",
                        story->usable != NULL ? json_integer(story->usable->number) : json_null());
    json_object_set_new(object, "complete",
                        json_boolean(story->usable != NULL && story->usable->fraction >= 1));
    json_object_set_new(object, "in_use_by", cs_json_text(info->holder));
    for (guint k = 0; k < info->n_states; k++)
        json_array_append_new(states, json_state(&info->states[k]));
    json_object_set_new(object, "states", states);
    return cs_json_line(object);
}

static void
append_progress(GString *text, const CsSearchSaved *usable)
{
    g_autofree char *saved = cs_info_time(usable->saved, CS_INFO_TIME_TEXT);
    g_autofree char *computing = cs_progress_duration(usable->seconds);
    g_autofree char *percent = usable->fraction >= 0 ? cs_progress_percent(usable->fraction) : NULL;
    g_string_append_printf(text, "progress    %s%s%s%" G_GINT64_FORMAT " records\n",
                           usable->fraction < 1 ? "at least " : "", percent != NULL ? percent : "",
                           percent != NULL ? "%, " : "", usable->records);
    g_string_append_printf(text, "saved       %s, after %s of computing\n",
                           saved != NULL ? saved : "at an unknown time", computing);
}

static void
append_search(GString *text, const Story *story)
{
    const CsSearchCheckpointInfo *info = story->info;
    g_autofree char *queries =
        g_strdup_printf("%s, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " letters, %ss",
                        story->files[0] != NULL ? story->files[0] : "(unknown)", info->queries,
                        info->query_letters, cs_records_types[info->alphabet]);
    cs_info_line(text, "queries", queries);
    cs_info_line(text, "database", story->files[1] != NULL ? story->files[1] : "(unknown)");
    append_progress(text, story->usable);
}

static void
append_health(GString *text, const CsSearchCheckpointInfo *info)
{
    for (guint k = 0; k < info->n_states; k++) {
        const CsSearchSaved *state = &info->states[k];
        g_autofree char *line = state->fault != NULL
                                    ? g_strdup_printf("%s: %s", state->file, state->fault)
                                    : g_strdup_printf("%s is good: %" G_GINT64_FORMAT " bytes",
                                                      state->file, state->bytes);
        cs_info_line(text, k == 0 ? "health" : "", line);
    }
}

static char *
format_next(const Story *story)
{
    if (story->usable == NULL)
        return g_strdup("nothing here is usable; start over with --no-resume");
    if (story->info->holder != NULL)
        return g_strdup("not now: a run is using it");
    if (story->files[0] == NULL || cs_resuming_is_piped(story->files[0]) ||
        cs_resuming_is_piped(story->files[1]))
        return g_strdup("run the same command again, with the same input");
    return cs_resuming_line(story->directory);
}

static char *
format_text(const Story *story)
{
    const CsSearchCheckpointInfo *info = story->info;
    GString *text = g_string_new(NULL);
    g_autofree char *next = format_next(story);
    cs_info_line(text, "checkpoint", story->directory);
    if (story->usable != NULL)
        append_search(text, story);
    append_health(text, info);
    cs_info_line(text, "in use", info->holder != NULL ? info->holder : "no");
    cs_info_line(text,
                 story->usable != NULL && story->usable->fraction >= 1 ? "get result" : "resume",
                 next);
    return g_string_free(text, FALSE);
}

int
cs_search_info_tell(const char *directory, gboolean json, GString *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSearchCheckpointInfo) info = cs_search_checkpoint_info_new(directory, &error);
    if (info == NULL)
        return cs_print_failure("chromosweep info", error);
    g_auto(Story) story = {.directory = directory,
                           .info = info,
                           .usable = info->usable >= 0 ? &info->states[info->usable] : NULL};
    if (info->memo != NULL && !cs_records_memo_files("search", info->memo, story.files))
        story_clear(&story);
    g_autofree char *told = json ? format_json(&story) : format_text(&story);
    g_string_append(text, told);
    if (story.usable != NULL)
        return 0;
    g_set_error(&error, CS_ERROR, CS_ERROR_CHECKPOINT, "checkpoint %s: no saved state is usable",
                directory);
    return cs_print_failure("chromosweep info", error);
}
