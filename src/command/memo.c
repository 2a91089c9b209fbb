/* What the command keeps in a checkpoint. */
#include <stdlib.h>
#include <string.h>

#include "command/memo.h"
#include "formats/format.h"

json_t *
cs_memo_path(const char *name)
{
    if (name == NULL || strcmp(name, "-") == 0)
        return json_null();
    g_autofree char *folder = g_get_current_dir();
    g_autofree char *path =
        g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(folder, name, NULL);
    g_autofree char *uri =
        g_utf8_validate(path, -1, NULL) ? NULL : g_filename_to_uri(path, NULL, NULL);
    return json_string(uri != NULL ? uri : path);
}

char *
cs_memo_read_path(const json_t *value)
{
    const char *stored = json_string_value(value);
    return stored != NULL && stored[0] != '/' ? g_filename_from_uri(stored, NULL, NULL)
                                              : g_strdup(stored);
}

/* What the alignment is to be like; versions that know no alignments do not look at it. */
static json_t *
align_to_json(const CsRunJob *job)
{
    json_t *options = json_array();
    for (guint k = 0; job->align[k] != NULL; k++)
        json_array_append_new(options, json_string(job->align[k]));
    json_t *object = json_object();
    json_object_set_new(object, "options", options);
    json_object_set_new(object, "output", cs_memo_path(job->output));
    return object;
}

char *
cs_memo_new(const CsRunJob *job)
{
    json_t *memo = json_object();
    json_object_set_new(memo, "format", json_string(cs_format_names[job->format]));
    if (job->format == CS_FORMAT_TSV) {
        g_autofree char *columns = cs_columns_list(&job->columns);
        json_object_set_new(memo, "columns", json_string(columns));
    }
    json_object_set_new(memo, "output",
                        job->alignment == NULL ? cs_memo_path(job->output) : json_null());
    if (job->align != NULL)
        json_object_set_new(memo, "align", align_to_json(job));
    if (job->options.no_start)
        json_object_set_new(memo, "no_start", json_true());
    if (job->options.min_score > 0)
        json_object_set_new(memo, "min_score", json_integer(job->options.min_score));
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
    return list != NULL && cs_columns_parse(&cs_result_columns, list, &columns, &wrong)
               ? g_strdup(list)
               : NULL;
}

gboolean
cs_memo_read(const char *memo, char **format, char **columns, char **output)
{
    json_t *object = memo != NULL ? json_loads(memo, 0, NULL) : NULL;
    const char *form = json_string_value(json_object_get(object, "format"));
    gboolean good = FALSE;
    if (form != NULL && g_strv_contains(cs_format_names, form)) {
        good = TRUE;
        *format = g_strdup(form);
        if (columns != NULL)
            *columns = known_columns(json_string_value(json_object_get(object, "columns")));
        *output = cs_memo_read_path(json_object_get(object, "output"));
    }
    json_decref(object);
    return good;
}

gboolean
cs_memo_read_align(const char *memo, GPtrArray *options, char **output)
{
    json_t *object = memo != NULL ? json_loads(memo, 0, NULL) : NULL;
    const json_t *align = json_object_get(object, "align");
    const json_t *list = json_object_get(align, "options");
    const gboolean good = json_is_array(list);
    for (gsize k = 0; k < json_array_size(list); k++) {
        const char *option = json_string_value(json_array_get(list, k));
        if (option != NULL)
            g_ptr_array_add(options, g_strdup(option));
    }
    *output = cs_memo_read_path(json_object_get(align, "output"));
    json_decref(object);
    return good;
}

gboolean
cs_memo_has_no_start(const char *memo)
{
    json_t *object = memo != NULL ? json_loads(memo, 0, NULL) : NULL;
    const gboolean none = json_is_true(json_object_get(object, "no_start"));
    json_decref(object);
    return none;
}

gint64
cs_memo_min_score(const char *memo)
{
    json_t *object = memo != NULL ? json_loads(memo, 0, NULL) : NULL;
    const gint64 least = json_integer_value(json_object_get(object, "min_score"));
    json_decref(object);
    return MAX(0, least);
}
