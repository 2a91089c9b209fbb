/* Shows the progress of a search. */
#include "command/search_progress.h"

#include <jansson.h>

#include "command/messages.h"
#include "formats/json.h"

#define FORMAT "chromosweep-search-progress"
enum {
    VERSION = 1
};

/* Microseconds between two lines. */
#define PRINT_INTERVAL G_USEC_PER_SEC
#define LOG_INTERVAL (60 * (gint64)G_USEC_PER_SEC)

static double
gcups(const CsSearchProgress *p)
{
    return p->seconds > 0 ? (double)p->cells / p->seconds / 1e9 : 0;
}

static char *
format_line(const CsSearchProgress *p)
{
    g_autofree char *percent = cs_progress_percent(MAX(p->fraction, 0));
    g_autofree char *elapsed = cs_progress_duration(p->seconds);
    g_autofree char *left = cs_progress_duration(p->seconds_left);
    GString *text = g_string_new(NULL);
    if (p->fraction >= 0)
        g_string_append_printf(text, "%5s%%  ", percent);
    g_string_append_printf(text, "%" G_GINT64_FORMAT " records  %.2f GCUPS  %s elapsed", p->records,
                           gcups(p), elapsed);
    if (p->seconds_left >= 0)
        g_string_append_printf(text, "  %s left", left);
    return g_string_free(text, FALSE);
}

static json_t *
real_or_null(double x)
{
    return x >= 0 ? cs_json_millionths(x) : json_null();
}

static void
print_json(CsSearchTeller *teller)
{
    const CsSearchProgress *p = &teller->last;
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "fraction", real_or_null(p->fraction));
    json_object_set_new(object, "records", json_integer(p->records));
    json_object_set_new(object, "letters", json_integer(p->letters));
    json_object_set_new(object, "cells", json_integer(p->cells));
    json_object_set_new(object, "gcups", real_or_null(gcups(p)));
    json_object_set_new(object, "seconds", real_or_null(p->seconds));
    json_object_set_new(object, "seconds_left", real_or_null(p->seconds_left));
    g_autofree char *line = cs_json_line(object);
    cs_messages_print(line);
    teller->printed = TRUE;
}

static void
log_last(const CsSearchTeller *teller)
{
    g_autofree char *text = format_line(&teller->last);
    cs_messages_log("progress", g_strchug(text));
}

void
cs_search_progress_tell(const CsSearchProgress *progress, gpointer data)
{
    CsSearchTeller *teller = data;
    const gint64 now = g_get_monotonic_time();
    if (!teller->begun) {
        teller->begun = TRUE;
        teller->next_print = now;
        teller->next_log = now + LOG_INTERVAL;
    }
    teller->last = *progress;
    teller->printed = FALSE;
    if (teller->form == CS_PROGRESS_JSON && now >= teller->next_print) {
        teller->next_print = now + PRINT_INTERVAL;
        print_json(teller);
    }
    if (teller->form == CS_PROGRESS_LINE) {
        g_autofree char *text = format_line(&teller->last);
        cs_messages_line(text);
    }
    if (now >= teller->next_log) {
        teller->next_log = now + LOG_INTERVAL;
        log_last(teller);
    }
}

void
cs_search_progress_end(CsSearchTeller *teller)
{
    cs_messages_line(NULL);
    if (teller->begun && teller->form == CS_PROGRESS_JSON && !teller->printed)
        print_json(teller);
    if (teller->begun)
        log_last(teller);
    teller->begun = FALSE;
}
