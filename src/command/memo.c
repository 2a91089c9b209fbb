/* What the command keeps in a checkpoint. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "command/memo.h"
#include "formats/format.h"

/* JSON must be UTF-8, a path need not be. If it is not, its URI is stored. */
char *
cs_memo_new(const CsRunJob *job)
{
    g_autofree char *path = NULL;
    json_t *output = json_null();
    /* resume makes no alignment: its result must not go where that is to go. */
    if (job->alignment == NULL && job->output != NULL && strcmp(job->output, "-") != 0) {
        g_autofree char *folder = g_get_current_dir();
        path = g_path_is_absolute(job->output) ? g_strdup(job->output)
                                               : g_build_filename(folder, job->output, NULL);
        g_autofree char *uri =
            g_utf8_validate(path, -1, NULL) ? NULL : g_filename_to_uri(path, NULL, NULL);
        output = json_string(uri != NULL ? uri : path);
    }
    json_t *memo = json_object();
    json_object_set_new(memo, "format", json_string(cs_format_names[job->format]));
    if (job->format == CS_FORMAT_TSV) {
        g_autofree char *columns = cs_columns_list(&job->columns);
        json_object_set_new(memo, "columns", json_string(columns));
    }
    json_object_set_new(memo, "output", output);
    char *dumped = json_dumps(memo, JSON_PRESERVE_ORDER);
    char *text = g_strdup(dumped);
    free(dumped);
    json_decref(memo);
    return text;
}

/* The list, or NULL if it has columns of a later version. */
static char *
known_columns(const char *list)
{
    g_autofree char *wrong = NULL;
    CsColumns columns;
    return list != NULL && cs_columns_parse(list, &columns, &wrong) ? g_strdup(list) : NULL;
}

gboolean
cs_memo_read(const char *memo, char **format, char **columns, char **output)
{
    json_t *object = memo != NULL ? json_loads(memo, 0, NULL) : NULL;
    const char *form = json_string_value(json_object_get(object, "format"));
    const char *place = json_string_value(json_object_get(object, "output"));
    gboolean good = FALSE;
    if (form != NULL && g_strv_contains(cs_format_names, form)) {
        good = TRUE;
        *format = g_strdup(form);
        if (columns != NULL)
            *columns = known_columns(json_string_value(json_object_get(object, "columns")));
        *output = place != NULL && place[0] != '/' ? g_filename_from_uri(place, NULL, NULL)
                                                   : g_strdup(place);
    }
    json_decref(object);
    return good;
}
