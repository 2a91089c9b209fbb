/* What the command prints besides results: help, the version, errors. */
#include <chromosweep/error.h>
#include <chromosweep/version.h>

#include "command/messages.h"
#include "command/output.h"
#include "command/print.h"

int
cs_print_failure(const char *who, const GError *error)
{
    gboolean usage = error->domain == G_OPTION_ERROR;
    if (g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_PIPE))
        return CS_PRINT_NOBODY_READS;
    if (usage) {
        cs_message_as(who, CS_MESSAGE_ERROR, "%s; see %s --help", error->message, who);
        return CS_ERROR_USAGE;
    }
    cs_message(CS_MESSAGE_ERROR, "%s", error->message);
    return error->domain == CS_ERROR ? error->code : CS_ERROR_FAILED;
}

int
cs_print_one_process(const char *command, guint processes)
{
    g_autoptr(GError) error =
        g_error_new(CS_ERROR, CS_ERROR_USAGE,
                    "%s runs as one process, but mpirun or srun started %u", command, processes);
    return cs_print_failure("chromosweep", error);
}

int
cs_print_text(const char *text)
{
    static const char *const no_inputs[] = {NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(CsOutput) output = cs_output_open(NULL, no_inputs, &error);
    if (output == NULL || !cs_output_write(output, text, &error))
        return cs_print_failure("chromosweep", error);
    return 0;
}

int
cs_print_version(void)
{
    g_autofree char *info = cs_build_info();
    g_autofree char *text = g_strdup_printf("chromosweep %s\n%s\n", cs_version(), info);
    return cs_print_text(text);
}
