/* Opens the log file of a run, and checks that it is no other file of the run. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include <chromosweep/error.h>

#include "command/log_file.h"
#include "command/messages.h"
#include "command/places.h"

static gboolean
fail_both(const char *log, const char *what, GError **error)
{
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "%s is both %s and the log file", log, what);
    return FALSE;
}

/* Fails if the log file is another file of the run. */
static gboolean
check(const CsRunJob *job, const char *list, GError **error)
{
    const char *log = job->log_file;
    const char *const inputs[] = {job->inputs.files[0], job->inputs.files[1], list};
    for (guint k = 0; k < G_N_ELEMENTS(inputs); k++)
        if (inputs[k] != NULL &&
            cs_places_are_same(log, strcmp(inputs[k], "-") == 0 ? "/dev/stdin" : inputs[k]))
            return fail_both(log, "an input", error);
    const gboolean standard = job->output == NULL || strcmp(job->output, "-") == 0;
    const char *output = standard ? "/dev/stdout" : job->output;
    g_autofree char *part = g_strconcat(output, ".part", NULL);
    if (cs_places_are_same(log, output) || cs_places_are_same(log, part))
        return fail_both(log, "the output", error);
    if (job->index != NULL && cs_places_are_same(log, job->index))
        return fail_both(log, "the index", error);
    return cs_places_refuse_checkpoint(job, log, log, error);
}

gboolean
cs_log_file_open(const CsRunJob *job, const char *list, GError **error)
{
    return job->log_file == NULL || (check(job, list, error) &&
                                     cs_messages_open_log(job->log_file, job->command_line, error));
}

gboolean
cs_log_file_try(const CsRunJob *job, const char *list, GError **error)
{
    if (job->log_file == NULL)
        return TRUE;
    if (!check(job, list, error))
        return FALSE;
    g_autofree char *above = g_path_get_dirname(job->log_file);
    const gboolean there = g_file_test(job->log_file, G_FILE_TEST_EXISTS);
    if (g_access(there ? job->log_file : above, there ? W_OK : W_OK | X_OK) == 0)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_FAILED, "cannot write %s: %s", job->log_file,
                g_strerror(errno));
    return FALSE;
}
