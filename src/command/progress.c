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

/* "3d04h", "2h05m", "7m30s" or "12s": the two units that matter. */
static char *
format_duration(double seconds)
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
    double done = (double)progress->cells_done;
    double left = (double)progress->cells - done;
    double rate = progress->seconds > 0 ? done / progress->seconds : 0;
    g_autofree char *time_left = format_duration(rate > 0 ? left / rate : G_MAXDOUBLE);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "%5.1f%%  %.2f GCUPS  %s left",
                    progress->cells > 0 ? 100 * done / (double)progress->cells : 0, rate / 1e9,
                    time_left);
    if (progress->score > 0)
        g_string_append_printf(
            text, "  best %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT,
            progress->score, progress->target_end, progress->query_end);
    int columns = terminal_columns() - 1; /* a full line would wrap */
    int length = MIN((int)text->len, columns);
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
