/*
 * The line on a terminal that says how far a sweep is: redrawn in place with carriage returns and
 * blanks alone, which every terminal knows, and never wider than the terminal.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "progress.h"

gboolean
cs_progress_line_wanted(void)
{
    return isatty(STDERR_FILENO);
}

static int
terminal_columns(void)
{
    struct winsize size;
    gboolean known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

char *
cs_progress_duration(double seconds)
{
    if (!(seconds < 1e9))
        return g_strdup("?");
    int s = (int)(seconds + 0.5);
    if (s >= 86400)
        return g_strdup_printf("%dd%02dh", s / 86400, s / 3600 % 24);
    if (s >= 3600)
        return g_strdup_printf("%dh%02dm", s / 3600, s / 60 % 60);
    if (s >= 60)
        return g_strdup_printf("%dm%02ds", s / 60, s % 60);
    return g_strdup_printf("%ds", s);
}

gboolean
cs_progress_line_show(const CsProgress *progress, gpointer data)
{
    CsProgressLine *line = data;
    if (!line->begun) {
        line->begun = TRUE;
        line->cells_before = progress->cells_done;
        line->seconds_before = progress->seconds;
    }
    /* Of this run: an earlier one may have had another device. */
    double seconds = progress->seconds - line->seconds_before;
    double done = (double)progress->cells_done;
    double left = (double)progress->cells - done;
    double rate = seconds > 0 ? (done - (double)line->cells_before) / seconds : 0;
    g_autofree char *time_left = cs_progress_duration(rate > 0 ? left / rate : G_MAXDOUBLE);
    g_autofree char *speed = g_strdup_printf("  %.2f GCUPS", rate / 1e9);
    g_autofree char *best = g_strdup_printf("  best %" G_GINT64_FORMAT, progress->score);
    g_autofree char *where = g_strdup_printf(" at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT,
                                             progress->target_end, progress->query_end);
    int columns = terminal_columns() - 1; /* a full line would wrap */
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "%5.1f%%  %s left",
                    progress->cells > 0 ? 100 * done / (double)progress->cells : 0, time_left);
    /* Whole fields or none: a number cut short would be another number. */
    const char *const fields[] = {speed, progress->score > 0 ? best : "",
                                  progress->score > 0 ? where : ""};
    for (guint k = 0; k < G_N_ELEMENTS(fields); k++) {
        if ((int)(text->len + strlen(fields[k])) > columns)
            break;
        g_string_append(text, fields[k]);
    }
    int length = (int)text->len <= columns ? (int)text->len : 0;
    fprintf(stderr, "\r%-*.*s", MIN(line->shown, columns), length, text->str);
    line->shown = length;
    return TRUE;
}

void
cs_progress_line_erase(CsProgressLine *line)
{
    if (line->shown > 0)
        fprintf(stderr, "\r%*s\r", line->shown, "");
    line->shown = 0;
}
