/* When progress is shown: see progress_clock.h. */
#include "command/progress_clock.h"

#include <string.h>

#include "command/messages.h"

char *
cs_progress_join(char *const *fields, guint count, gsize columns)
{
    GString *text = g_string_new(NULL);
    gboolean fits = TRUE;
    for (guint k = 0; k < count; k++) {
        fits = fits && text->len + strlen(fields[k]) <= columns;
        if (fits)
            g_string_append(text, fields[k]);
        g_free(fields[k]);
    }
    return g_string_free(text, FALSE);
}

/* Microseconds between two lines. */
#define PRINT_INTERVAL G_USEC_PER_SEC
#define LOG_INTERVAL (60 * (gint64)G_USEC_PER_SEC)

static void
print_json(CsProgressClock *clock, const CsProgressWriter *writer, gconstpointer progress)
{
    g_autofree char *line = writer->json(progress);
    cs_messages_print(line);
    clock->printed = TRUE;
}

static void
log_line(const CsProgressWriter *writer, gconstpointer progress)
{
    g_autofree char *text = writer->line(progress, G_MAXSIZE);
    cs_messages_log("progress", g_strchug(text));
}

void
cs_progress_clock_show(CsProgressClock *clock, CsProgressForm form, const CsProgressWriter *writer,
                       gconstpointer progress)
{
    const gint64 now = g_get_monotonic_time();
    if (!clock->begun) {
        clock->begun = TRUE;
        clock->next_print = now;
        clock->next_log = now + LOG_INTERVAL;
    }
    clock->printed = FALSE;
    if (form == CS_PROGRESS_JSON && now >= clock->next_print) {
        clock->next_print = now + PRINT_INTERVAL;
        print_json(clock, writer, progress);
    }
    if (form == CS_PROGRESS_LINE) {
        const int columns = cs_messages_columns() - 1; /* a full line would wrap */
        g_autofree char *text = writer->line(progress, (gsize)MAX(columns, 0));
        cs_messages_line(text);
    }
    if (now >= clock->next_log) {
        clock->next_log = now + LOG_INTERVAL;
        log_line(writer, progress);
    }
}

void
cs_progress_clock_end(CsProgressClock *clock, CsProgressForm form, const CsProgressWriter *writer,
                      gconstpointer progress)
{
    cs_messages_line(NULL);
    if (clock->begun && form == CS_PROGRESS_JSON && !clock->printed)
        print_json(clock, writer, progress);
    if (clock->begun)
        log_line(writer, progress);
    clock->begun = FALSE;
}
