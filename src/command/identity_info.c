/* What `chromosweep info` prints about the checkpoint of identity. */
#include <jansson.h>

#include <chromosweep/chromosweep.h>

#include "command/identity_info.h"
#include "command/info_lines.h"
#include "command/print.h"
#include "command/progress.h"
#include "command/records_arguments.h"
#include "command/records_memo.h"
#include "command/resuming.h"
#include "formats/identity_format.h"
#include "formats/json.h"

#define FORMAT "chromosweep-identity-info"
enum {
    VERSION = 1
};

/* What info prints. */
typedef struct {
    const char *directory; /* as it was given */
    const CsIdentityCheckpointInfo *info;
    char *files[2]; /* NULL if not known, or if there is no second one */
} Story;

static void
story_clear(Story *story)
{
    g_clear_pointer(&story->files[0], g_free);
    g_clear_pointer(&story->files[1], g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Story, story_clear)

static char *
format_json(const Story *story)
{
    const CsIdentityCheckpointInfo *info = story->info;
    g_autofree char *saved = cs_info_time(info->saved, CS_INFO_TIME_JSON);
    g_autofree char *percent = cs_progress_percent(info->fraction);
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "directory", cs_json_text(story->directory));
    json_object_set_new(object, "program_version", cs_json_text(info->program_version));
    json_object_set_new(object, "first_file", cs_json_text(story->files[0]));
    json_object_set_new(object, "second_file", cs_json_text(story->files[1]));
    json_object_set_new(object, "type", json_string(cs_records_types[info->alphabet]));
    json_object_set_new(object, "first_records", json_integer(info->first_count));
    json_object_set_new(object, "second_records",
                        info->one_file ? json_null() : json_integer(info->second_count));
    json_object_set_new(object, "identity", json_string(cs_identity_over_names[info->over]));
    json_object_set_new(object, "min_identity", json_real(info->min_identity));
    json_object_set_new(object, "align", json_boolean(info->align));
    json_object_set_new(object, "pairs", json_integer(info->pairs));
    json_object_set_new(object, "pairs_done", json_integer(info->pairs_done));
    json_object_set_new(object, "pairs_kept", json_integer(info->pairs_kept));
    json_object_set_new(object, "pairs_filtered", json_integer(info->pairs_filtered));
    json_object_set_new(object, "percent", json_real(g_ascii_strtod(percent, NULL)));
    json_object_set_new(object, "complete", json_boolean(info->fraction >= 1));
    json_object_set_new(object, "saved", cs_json_text(saved));
    json_object_set_new(object, "seconds", cs_json_millionths(info->seconds));
    json_object_set_new(object, "logs", json_integer(info->logs));
    json_object_set_new(object, "bytes", json_integer(info->bytes));
    json_object_set_new(object, "damaged", json_integer(info->damaged));
    json_object_set_new(object, "in_use_by", cs_json_text(info->holder));
    return cs_json_line(object);
}

static char *
format_next(const Story *story)
{
    if (story->info->holder != NULL)
        return g_strdup("not now: a run is using it");
    if (story->files[0] == NULL || cs_resuming_is_piped(story->files[0]) ||
        (story->files[1] != NULL && cs_resuming_is_piped(story->files[1])))
        return g_strdup("run the same command again, with the same input");
    return cs_resuming_line(story->directory);
}

static void
append_file(GString *text, const char *label, const char *file, gint64 records, CsAlphabet alphabet)
{
    g_autofree char *line =
        g_strdup_printf("%s, %" G_GINT64_FORMAT " %s, %ss", file != NULL ? file : "(unknown)",
                        records, records == 1 ? "record" : "records", cs_records_types[alphabet]);
    cs_info_line(text, label, line);
}

static void
append_progress(GString *text, const CsIdentityCheckpointInfo *info)
{
    g_autofree char *saved = cs_info_time(info->saved, CS_INFO_TIME_TEXT);
    g_autofree char *computing = cs_progress_duration(info->seconds);
    g_autofree char *percent = cs_progress_percent(info->fraction);
    g_string_append_printf(text,
                           "progress    %s%%, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " pairs\n",
                           percent, info->pairs_done, info->pairs);
    if (info->min_identity > 0)
        g_string_append_printf(text,
                               "kept        %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                               " ruled out without an alignment\n",
                               info->pairs_kept, info->pairs_filtered);
    g_string_append_printf(text, "saved       %s, after %s of computing\n",
                           saved != NULL ? saved : "at an unknown time", computing);
}

static char *
format_text(const Story *story)
{
    const CsIdentityCheckpointInfo *info = story->info;
    GString *text = g_string_new(NULL);
    g_autofree char *next = format_next(story);
    g_autofree char *health =
        info->damaged > 0 ? g_strdup_printf("%u damaged places; what was there is computed "
                                            "again",
                                            info->damaged)
                          : g_strdup_printf("good: %u %s, %" G_GINT64_FORMAT " bytes", info->logs,
                                            info->logs == 1 ? "log" : "logs", info->bytes);
    cs_info_line(text, "checkpoint", story->directory);
    append_file(text, "first", story->files[0], info->first_count, info->alphabet);
    if (!info->one_file)
        append_file(text, "second", story->files[1], info->second_count, info->alphabet);
    append_progress(text, info);
    cs_info_line(text, "health", health);
    cs_info_line(text, "in use", info->holder != NULL ? info->holder : "no");
    cs_info_line(text, info->fraction >= 1 ? "get result" : "resume", next);
    return g_string_free(text, FALSE);
}

int
cs_identity_info_tell(const char *directory, gboolean json, GString *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsIdentityCheckpointInfo) info = cs_identity_checkpoint_info_new(directory, &error);
    if (info == NULL)
        return cs_print_failure("chromosweep info", error);
    g_auto(Story) story = {.directory = directory, .info = info};
    if (info->memo != NULL && !cs_records_memo_files("identity", info->memo, story.files))
        story_clear(&story);
    g_autofree char *told = json ? format_json(&story) : format_text(&story);
    g_string_append(text, told);
    return 0;
}
