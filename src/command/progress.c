/* Shows the progress of a comparison. */
#include <string.h>

#include <jansson.h>

#include "command/arguments.h"
#include "command/messages.h"
#include "command/progress.h"
#include "formats/json.h"
#include "formats/names.h"

#define FORMAT "chromosweep-progress"
enum {
    VERSION = 2
};

/* For so many seconds the speed of several comparisons is not known. */
#define LEAST_TIME 0.5

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

/* Rounds down to a multiple of 1 / parts. */
static double
round_down(double fraction, double parts)
{
    return (double)(gint64)(fraction * parts) / parts;
}

char *
cs_progress_percent(double fraction)
{
    return g_strdup_printf("%.1f", 100 * round_down(fraction, 1000));
}

/* Billions of cells computed per second in this run (an earlier one may have used another device).
 * 0: not known. */
static double
gcups(const CsProgress *p)
{
    const double seconds = p->seconds - p->seconds_before;
    return seconds > 0 ? (double)(p->cells_computed - p->cells_computed_before) / seconds / 1e9 : 0;
}

const char *
cs_progress_stage(CsStage stage)
{
    static const char *const names[] = {"sweep", "seeds", "chain",  "corridor", "bounds",
                                        "rows",  "trace", "verify", "tiles"};
    return names[stage];
}

/* Whether to show a rate: during the sweeps, and at the end. */
static gboolean
has_rate(const CsProgress *p)
{
    return p->stage == CS_STAGE_SWEEP || p->fraction >= 1;
}

/* "  seeds 12s" in a stage before or after the sweeps, otherwise nothing. */
static char *
format_stage(const CsProgress *p)
{
    g_autofree char *seconds = cs_progress_duration(p->stage_seconds);
    if (has_rate(p))
        return g_strdup("");
    return g_strdup_printf("  %s%s %s", cs_progress_stage(p->stage),
                           p->stage_strand == CS_STRAND_MINUS ? " of minus" : "", seconds);
}

/* The rate and the time left; nothing before there is a rate. */
static char *
format_rate(const CsProgress *p)
{
    return has_rate(p) && p->seconds_left >= 0 ? g_strdup_printf("  %.2f GCUPS", gcups(p))
                                               : g_strdup("");
}

static char *
format_left(const CsProgress *p)
{
    g_autofree char *left = cs_progress_duration(p->seconds_left);
    return p->seconds_left >= 0 ? g_strdup_printf("  %s left", left) : g_strdup("");
}

/* The best score so far, or the lower bound if only that is known. */
static char *
format_best(const CsProgress *p)
{
    if (p->lower_bound > p->score)
        return g_strdup_printf("  best >= %" G_GINT64_FORMAT, p->lower_bound);
    return p->score > 0 ? g_strdup_printf("  best %" G_GINT64_FORMAT, p->score) : g_strdup("");
}

static char *
format_end(const CsProgress *p)
{
    if (p->score == 0 || p->lower_bound > p->score)
        return g_strdup("");
    const gboolean minus = p->strand == CS_STRAND_MINUS;
    return g_strdup_printf(" at %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "%s", p->target_end,
                           minus ? p->query_start : p->query_end, minus ? " on minus" : "");
}

/* As many whole fields as fit the columns, because a number cut short would be another number. */
static char *
format_line(gconstpointer progress, gsize columns)
{
    const CsProgress *p = progress;
    const gboolean due = p->next_checkpoint >= 0;
    g_autofree char *percent = cs_progress_percent(p->fraction);
    g_autofree char *elapsed = cs_progress_duration(p->elapsed);
    g_autofree char *next = cs_progress_duration(p->next_checkpoint);
    char *const fields[] = {
        g_strdup_printf("%5s%%", percent),
        format_stage(p),
        format_rate(p),
        g_strdup_printf("  %s elapsed", elapsed),
        format_left(p),
        format_best(p),
        format_end(p),
        g_strconcat(due ? "  next state in " : "", due ? next : NULL, NULL),
    };
    return cs_progress_join(fields, G_N_ELEMENTS(fields), columns);
}

static char *
format_json(gconstpointer progress)
{
    const CsProgress *p = progress;
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "fraction", json_real(round_down(p->fraction, 1e6)));
    json_object_set_new(object, "cells_done", json_integer(p->cells_done));
    json_object_set_new(object, "cells", json_integer(p->cells));
    json_object_set_new(object, "gcups", cs_json_millionths_or_null(gcups(p)));
    json_object_set_new(object, "seconds", cs_json_millionths_or_null(p->seconds));
    json_object_set_new(object, "seconds_left", cs_json_millionths_or_null(p->seconds_left));
    json_object_set_new(object, "score", json_integer(p->score));
    json_object_set_new(object, "strand", json_string(cs_names_strand(p->strand)));
    json_object_set_new(object, "target_end", cs_json_known(p->target_end));
    json_object_set_new(object, "query_start", cs_json_known(p->query_start));
    json_object_set_new(object, "query_end", cs_json_known(p->query_end));
    json_object_set_new(object, "next_checkpoint", cs_json_millionths_or_null(p->next_checkpoint));
    json_object_set_new(object, "cells_computed", json_integer(p->cells_computed));
    json_object_set_new(object, "cells_expected", json_integer(p->cells_expected));
    json_object_set_new(object, "elapsed", cs_json_millionths_or_null(p->elapsed));
    json_object_set_new(object, "stage", json_string(cs_progress_stage(p->stage)));
    json_object_set_new(object, "stage_strand",
                        p->stage != CS_STAGE_SWEEP ? json_string(cs_names_strand(p->stage_strand))
                                                   : json_null());
    json_object_set_new(object, "stage_seconds", cs_json_millionths_or_null(p->stage_seconds));
    json_object_set_new(object, "lower_bound", cs_json_known(p->lower_bound));
    return cs_json_line(object);
}

static const CsProgressWriter writer = {format_line, format_json};

/* Adds without overflow. */
static gint64
add(gint64 a, gint64 b)
{
    gint64 added;
    return __builtin_add_overflow(a, b, &added) ? G_MAXINT64 : added;
}

/*
 * With several comparisons, each counts with all its cells times the share of its work that is
 * done. What earlier runs did does not count for the speed.
 */
static void
fill_several(const CsProgressTeller *teller, const CsProgress *one, CsProgress *all)
{
    const CsProgress *past = &teller->past;
    const double cells = (double)teller->cells;
    const double begun = (double)past->cells + (double)one->cells;
    const double done = (double)past->cells + one->fraction * (double)one->cells;
    const double here = done - teller->before;
    all->cells = teller->cells;
    all->fraction = cells > 0 ? MIN(done / cells, 1) : 1;
    all->cells_expected = (gint64)MIN(
        (double)past->cells_computed + (double)one->cells_expected + cells - begun, 9e18);
    /* Where the current one knows its end, that gives the rate, too. */
    const double covered = begun - teller->before;
    if (done >= cells)
        all->seconds_left = 0;
    else if (one->seconds_left >= 0 && covered > 0)
        all->seconds_left =
            one->seconds_left + (cells - begun) * (all->elapsed + one->seconds_left) / covered;
    else
        all->seconds_left =
            here > 0 && all->elapsed >= LEAST_TIME ? (cells - done) * all->elapsed / here : -1;
}

/* The comparisons under way as one, with the score and the stage of that which reported last. */
static CsProgress
under_way(const CsProgressTeller *teller)
{
    CsProgress one = teller->lanes[teller->told].sweep;
    if (teller->n_lanes <= 1)
        return one;
    double done = 0;
    one.cells = one.cells_done = one.cells_before = one.cells_expected = 0;
    one.cells_computed = one.cells_computed_before = 0;
    one.seconds = one.seconds_before = one.elapsed = 0;
    one.seconds_left = one.next_checkpoint = -1;
    for (guint k = 0; k < teller->n_lanes; k++) {
        const CsProgress *lane = &teller->lanes[k].sweep;
        done += lane->fraction * (double)lane->cells;
        one.cells = add(one.cells, lane->cells);
        one.cells_done = add(one.cells_done, lane->cells_done);
        one.cells_before = add(one.cells_before, lane->cells_before);
        one.cells_expected = add(one.cells_expected, lane->cells_expected);
        one.cells_computed = add(one.cells_computed, lane->cells_computed);
        one.cells_computed_before = add(one.cells_computed_before, lane->cells_computed_before);
    }
    one.fraction = one.cells > 0 ? MIN(done / (double)one.cells, 1) : 0;
    return one;
}

/* The current comparisons and all earlier ones. */
static CsProgress
sum(const CsProgressTeller *teller)
{
    const CsProgress *past = &teller->past;
    const CsProgress one = under_way(teller);
    CsProgress all = one;
    if (teller->cells == 0)
        return all;
    all.cells_done = add(all.cells_done, past->cells_done);
    all.cells_before = add(all.cells_before, past->cells_before);
    all.cells_computed = add(all.cells_computed, past->cells_computed);
    all.cells_computed_before = add(all.cells_computed_before, past->cells_computed_before);
    all.seconds += past->seconds;
    all.seconds_before += past->seconds_before;
    all.elapsed += past->elapsed;
    if (teller->n_lanes > 1) { /* seconds at the same time count once */
        all.elapsed = (double)(g_get_monotonic_time() - teller->begun) / G_USEC_PER_SEC;
        all.seconds = all.elapsed;
        all.seconds_before = 0;
    }
    fill_several(teller, &one, &all);
    all.fraction = MAX(all.fraction, teller->last.fraction);
    return all;
}

/* What a failed comparison left undone counts as done by an earlier run. */
void
cs_progress_next(CsProgressTeller *teller, guint lane, gint64 cells)
{
    CsProgress *past = &teller->past, *sweep = &teller->lanes[lane].sweep;
    teller->before += (1 - sweep->fraction) * (double)cells;
    past->cells = add(past->cells, cells);
    past->cells_done = add(past->cells_done, cells);
    past->cells_before = add(past->cells_before, sweep->cells_before + cells - sweep->cells_done);
    past->cells_computed = add(past->cells_computed, sweep->cells_computed);
    past->cells_computed_before = add(past->cells_computed_before, sweep->cells_computed_before);
    past->seconds += sweep->seconds;
    past->seconds_before += sweep->seconds_before;
    past->elapsed += sweep->elapsed;
    cs_progress_drop(teller, lane);
}

void
cs_progress_drop(CsProgressTeller *teller, guint lane)
{
    teller->lanes[lane] = (CsProgressLane){0};
}

void
cs_progress_tell_of(CsProgressTeller *teller, guint lane, const CsProgress *progress)
{
    CsProgressLane *own = &teller->lanes[lane];
    if (teller->begun == 0)
        teller->begun = g_get_monotonic_time();
    if (!own->told)
        teller->before += progress->fraction * (double)progress->cells;
    *own = (CsProgressLane){*progress, TRUE};
    teller->told = lane;
    teller->last = sum(teller);
    cs_progress_clock_show(&teller->clock, teller->form, &writer, &teller->last);
}

gboolean
cs_progress_tell(const CsProgress *progress, gpointer data)
{
    cs_progress_tell_of(data, 0, progress);
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
    cs_progress_clock_end(&teller->clock, teller->form, &writer, &teller->last);
}
