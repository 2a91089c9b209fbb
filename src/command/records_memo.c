/* How a search, or a comparison of all with all, is resumed from nothing but its checkpoint. */
#include <stdlib.h>
#include <string.h>

#include "command/memo.h"
#include "command/records_memo.h"

static const char options_key[] = "options", files_key[] = "files";

static void
add(json_t *options, const char *name, const char *value)
{
    g_autofree char *option = value != NULL ? g_strdup_printf("--%s=%s", name, value) : NULL;
    if (option != NULL)
        json_array_append_new(options, json_string(option));
}

static json_t *
list_options(const CsRecordsArguments *a, const char *matrix, const char *format, gboolean align,
             const CsRecordsMemoOption *own)
{
    json_t *options = json_array();
    for (; own->name != NULL; own++)
        add(options, own->name, own->is_file ? NULL : own->value);
    add(options, "type", a->type);
    add(options, "matrix", matrix);
    add(options, "match", a->match);
    add(options, "mismatch", a->mismatch);
    add(options, "gap-open", a->gap_open);
    add(options, "gap-extend", a->gap_extend);
    add(options, "format", format);
    add(options, "columns", a->columns);
    if (align)
        json_array_append_new(options, json_string("--align"));
    return options;
}

char *
cs_records_memo_new(const char *command, const CsRecordsArguments *a, const CsRecordsJob *job,
                    const char *format, gboolean align, const CsRecordsMemoOption *own)
{
    const gboolean is_file = a->matrix != NULL && g_file_test(a->matrix, G_FILE_TEST_EXISTS);
    json_t *files = json_array(), *memo = json_object(), *run = json_object();
    for (guint k = 0; k < G_N_ELEMENTS(job->files) && job->files[k] != NULL; k++)
        json_array_append_new(files, cs_memo_path(job->files[k]));
    json_object_set_new(run, options_key,
                        list_options(a, is_file ? NULL : a->matrix, format, align, own));
    json_object_set_new(run, "matrix", cs_memo_path(is_file ? a->matrix : NULL));
    json_object_set_new(run, "output", cs_memo_path(a->output));
    for (; own->name != NULL; own++)
        if (own->is_file)
            json_object_set_new(run, own->name, cs_memo_path(own->value));
    json_object_set_new(run, files_key, files);
    json_object_set_new(memo, command, run);
    char *dumped = json_dumps(memo, JSON_PRESERVE_ORDER);
    char *text = g_strdup(dumped);
    free(dumped);
    json_decref(memo);
    return text;
}

static gboolean
read_files(const json_t *run, char *files[2])
{
    const json_t *list = json_object_get(run, files_key);
    const gsize count = json_array_size(list);
    for (gsize k = 0; k < MIN(count, 2); k++) {
        files[k] = cs_memo_read_path(json_array_get(list, k));
        if (files[k] == NULL)
            files[k] = g_strdup("-");
    }
    return count == 1 || count == 2;
}

gboolean
cs_records_memo_files(const char *command, const char *memo, char *files[2])
{
    json_t *object = memo != NULL ? json_loads(memo, 0, NULL) : NULL;
    const gboolean good = read_files(json_object_get(object, command), files);
    json_decref(object);
    return good;
}

/* The keys of a command's object that are neither options nor inputs are options that name files. */
static void
add_paths(json_t *run, GPtrArray *line)
{
    const char *name;
    json_t *value;
    json_object_foreach(run, name, value)
    {
        g_autofree char *path = strcmp(name, options_key) != 0 && strcmp(name, files_key) != 0
                                    ? cs_memo_read_path(value)
                                    : NULL;
        if (path != NULL)
            g_ptr_array_add(line, g_strdup_printf("--%s=%s", name, path));
    }
}

gboolean
cs_records_memo_options(const char *command, const char *memo, GPtrArray *line)
{
    json_t *object = memo != NULL ? json_loads(memo, 0, NULL) : NULL;
    json_t *run = json_object_get(object, command);
    const json_t *options = json_object_get(run, options_key);
    for (gsize k = 0; k < json_array_size(options); k++) {
        const char *option = json_string_value(json_array_get(options, k));
        if (option != NULL)
            g_ptr_array_add(line, g_strdup(option));
    }
    add_paths(run, line);
    const gboolean good = json_is_array(options);
    json_decref(object);
    return good;
}
