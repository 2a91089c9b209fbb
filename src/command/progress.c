/* How far a sweep is, told on the way. */
#include <string.h>

#include <jansson.h>

#include "command/arguments.h"
#include "command/messages.h"
#include "command/progress.h"
#include "formats/json.h"
#include "formats/names.h"

#define FORMAT "chromosweep-progress"
enum {
    VERSION = 1
};

/* Microseconds between two lines. */
#define PRINT_INTERVAL G_USEC_PER_SEC
#define LOG_INTERVAL (60 * (gint64)G_USEC_PER_SEC)

CsProgressForm
cs_progress_auto(void)
{
    return cs_messages_columns() > 0 ? CS_PROGRESS_LINE : CS_PROGRESS_NONE;
}

gboolean
cs_progress_parse(const char *text, CsProgressForm *form, GError **error)
{
    if (text == NULL || strcmp(text, "auto") == 0)
        *form = cs_progress_auto();
    else if (strcmp(text, "none") == 0)
        *form = CS_PROGRESS_NONE;
    else if (strcmp(text, "json") == 0)
        *form = CS_PROGRESS_JSON;
    else
        return cs_arguments_usage(error, "--progress must be auto, none or json, not '%s'", text);
    return TRUE;
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

char *
cs_progress_percent(gint64 cells_done, gint64 cells)
{
    int tenths = cells > 0 ? (int)(1000.0 * (double)cells_done / (double)cells) : 1000;
    if (cells_done < cells)
        tenths = MIN(tenths, 999);
    return g_strdup_printf("%d.%d", tenths / 10, tenths % 10);
}

/* Of the cells in so many parts, rounded down: all of them only when all are done. */
static double
fraction(const CsProgress *p, double parts)
{
    if (p->cells_done >= p->cells)
        return 1;
    const double done = (double)p->cells_done / (double)p->cells;
    return MIN((double)(gint64)(done * parts), parts - 1) / parts;
}

/* Cells a second in this session, since an earlier one may have had another device; 0: not known.
 */
static double
rate(const CsProgress *p)
{
    const double seconds = p->seconds - p->seconds_before;
    return seconds > 0 ? (double)(p->cells_done - p->cells_before) / seconds : 0;
}

/* Of these the cells that were really computed, in billions. */
static double
gcups(const CsProgress *p)
{
    const double seconds = p->seconds - p->seconds_before;
    return seconds > 0 ? (double)(p->cells_computed - p->cells_computed_before) / seconds / 1e9 : 0;
}

/* Seconds at this speed; negative: not known. */
static double
seconds_left(const CsProgress *p)
{
    const double left = (double)(p->cells - p->cells_done), speed = rate(p);
    return left <= 0 ? 0 : speed > 0 ? left / speed : -1;
}

/* Whole fields, as many as so many columns hold: a number cut short would be another number. */
static char *
format_line(const CsProgress *p, gsize columns)
{
    const double left = seconds_left(p);
    const gboolean found = p->score > 0, due = p->next_checkpoint >= 0;
    g_autofree char *elapsed = cs_progress_duration(p->seconds - p->seconds_before);
    g_autofree char *time_left = cs_progress_duration(left >= 0 ? left : G_MAXDOUBLE);
    g_autofree char *next = cs_progress_duration(p->next_checkpoint);
    g_autofree char *best = g_strdup_printf("  best %" G_GINT64_FORMAT, p->score);
    g_autofree char *where =
        g_strdup_printf(" at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "%s", p->target_end,
                        p->query_end, p->strand == CS_STRAND_MINUS ? " on minus" : "");
    char *const fields[] = {
        g_strdup_printf("%5.1f%%", 100 * fraction(p, 1000)),
        g_strdup_printf("  %.2f GCUPS", gcups(p)),
        g_strdup_printf("  %s elapsed", elapsed),
        g_strdup_printf("  %s left", time_left),
        g_strdup(found ? best : ""),
        g_strdup(found ? where : ""),
        g_strconcat(due ? "  next state in " : "", due ? next : NULL, NULL),
    };
    GString *text = g_string_new(NULL);
    gboolean fits = TRUE;
    for (guint k = 0; k < G_N_ELEMENTS(fields); k++) {
        fits = fits && text->len + strlen(fields[k]) <= columns;
        if (fits)
            g_string_append(text, fields[k]);
        g_free(fields[k]);
    }
    return g_string_free(text, FALSE);
}

static json_t *
real_or_null(double x)
{
    return x >= 0 ? cs_json_millionths(x) : json_null();
}

static json_t *
end_or_null(gint64 end)
{
    return end > 0 ? json_integer(end) : json_null();
}

static char *
format_json(const CsProgress *p)
{
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "fraction", json_real(fraction(p, 1e6)));
    json_object_set_new(object, "cells_done", json_integer(p->cells_done));
    json_object_set_new(object, "cells", json_integer(p->cells));
    json_object_set_new(object, "gcups", real_or_null(gcups(p)));
    json_object_set_new(object, "seconds", real_or_null(p->seconds));
    json_object_set_new(object, "seconds_left", real_or_null(seconds_left(p)));
    json_object_set_new(object, "score", json_integer(p->score));
    json_object_set_new(object, "strand", json_string(cs_names_strand(p->strand)));
    json_object_set_new(object, "target_end", end_or_null(p->target_end));
    json_object_set_new(object, "query_end", end_or_null(p->query_end));
    json_object_set_new(object, "next_checkpoint", real_or_null(p->next_checkpoint));
    json_object_set_new(object, "cells_computed", json_integer(p->cells_computed));
    return cs_json_line(object);
}

static void
print_json(CsProgressTeller *teller)
{
    g_autofree char *line = format_json(&teller->last);
    cs_messages_print(line);
    teller->printed = TRUE;
}

static void
log_last(const CsProgressTeller *teller)
{
    g_autofree char *text = format_line(&teller->last, G_MAXSIZE);
    cs_messages_log("progress", g_strchug(text));
}

/* As many as can be counted. */
static gint64
add(gint64 a, gint64 b)
{
    gint64 added;
    return __builtin_add_overflow(a, b, &added) ? G_MAXINT64 : added;
}

/* The sweep under way with all that are over. */
static CsProgress
sum(const CsProgressTeller *teller)
{
    const CsProgress *past = &teller->past;
    CsProgress all = teller->sweep;
    all.cells_done = add(all.cells_done, past->cells_done);
    all.cells_before = add(all.cells_before, past->cells_before);
    all.cells_computed = add(all.cells_computed, past->cells_computed);
    all.cells_computed_before = add(all.cells_computed_before, past->cells_computed_before);
    all.seconds += past->seconds;
    all.seconds_before += past->seconds_before;
    if (teller->cells > 0)
        all.cells = teller->cells;
    return all;
}

/* What a sweep that failed left undone counts as if an earlier run had done it: not for the speed.
 */
void
cs_progress_next(CsProgressTeller *teller, gint64 cells)
{
    CsProgress *past = &teller->past, *sweep = &teller->sweep;
    past->cells_done = add(past->cells_done, cells);
    past->cells_before = add(past->cells_before, sweep->cells_before + cells - sweep->cells_done);
    past->cells_computed = add(past->cells_computed, sweep->cells_computed);
    past->cells_computed_before = add(past->cells_computed_before, sweep->cells_computed_before);
    past->seconds += sweep->seconds;
    past->seconds_before += sweep->seconds_before;
    *sweep = (CsProgress){0};
}

gboolean
cs_progress_tell(const CsProgress *progress, gpointer data)
{
    CsProgressTeller *teller = data;
    const gint64 now = g_get_monotonic_time();
    if (!teller->begun) {
        teller->begun = TRUE;
        teller->next_print = now;
        teller->next_log = now + LOG_INTERVAL;
    }
    teller->sweep = *progress;
    teller->last = sum(teller);
    teller->printed = FALSE;
    if (teller->form == CS_PROGRESS_JSON && now >= teller->next_print) {
        teller->next_print = now + PRINT_INTERVAL;
        print_json(teller);
    }
    if (teller->form == CS_PROGRESS_LINE) {
        const int columns = cs_messages_columns() - 1; /* a full line would wrap */
        g_autofree char *text = format_line(&teller->last, (gsize)MAX(columns, 0));
        cs_messages_line(text);
    }
    if (now >= teller->next_log) {
        teller->next_log = now + LOG_INTERVAL;
        log_last(teller);
    }
    return TRUE;
}

gboolean
cs_progress_is_heard(const CsProgressTeller *teller)
{
    return teller->form != CS_PROGRESS_NONE || cs_messages_is_logged();
}

void
cs_progress_end(CsProgressTeller *teller)
{
    cs_messages_line(NULL);
    if (teller->begun && teller->form == CS_PROGRESS_JSON && !teller->printed)
        print_json(teller);
    if (teller->begun)
        log_last(teller);
    teller->begun = FALSE;
}
