/* What the kinds of `plan` print alike. */
#include "command/plan_lines.h"

#include <chromosweep/error.h>

#include "command/info_lines.h"
#include "command/print.h"

/* What to request from a batch system beyond the estimates. */
#define MEMORY_MARGIN 1.05
#define MEMORY_MORE (32 << 20)
#define TIME_MARGIN 1.25
#define TIME_MORE 300

char *
cs_plan_bytes(gint64 bytes)
{
    const double mebibytes = (double)bytes / (1 << 20);
    return bytes < 1024        ? g_strdup_printf("%d bytes", (int)bytes)
           : mebibytes < 1     ? g_strdup_printf("%.0f KiB", mebibytes * 1024)
           : mebibytes < 10    ? g_strdup_printf("%.1f MiB", mebibytes)
           : mebibytes < 10240 ? g_strdup_printf("%.0f MiB", mebibytes)
                               : g_strdup_printf("%.1f GiB", mebibytes / 1024);
}

char *
cs_plan_slurm(gint64 bytes, guint cpus, guint gpus, double seconds)
{
    const double most = (double)bytes * MEMORY_MARGIN + MEMORY_MORE;
    const double asked = seconds * TIME_MARGIN + TIME_MORE;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "--mem=%" G_GINT64_FORMAT "M --cpus-per-task=%u",
                           (gint64)(most / (1 << 20)) + 1, cpus);
    if (gpus > 0)
        g_string_append_printf(text, " --gres=gpu:%u", gpus);
    if (seconds >= 0 && asked < 1e9) {
        const int minutes = (int)(asked / 60) + 1;
        g_string_append(text, " --time=");
        if (minutes >= 1440)
            g_string_append_printf(text, "%d-", minutes / 1440);
        g_string_append_printf(text, "%02d:%02d:00", minutes / 60 % 24, minutes % 60);
    }
    return g_string_free(text, FALSE);
}

int
cs_plan_fail_memory(const char *who, gint64 bytes, gint64 available, const char *limit)
{
    g_autoptr(GError) error = g_error_new(CS_ERROR, CS_ERROR_DEVICE,
                                          "not enough memory: about %" G_GINT64_FORMAT
                                          " MiB needed, %" G_GINT64_FORMAT " MiB available (%s)",
                                          bytes >> 20, available >> 20, limit);
    return cs_print_failure(who, error);
}

void
cs_plan_line(GString *text, const char *label, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *value = g_strdup_vprintf(format, values);
    va_end(values);
    cs_info_line(text, label, value);
}
