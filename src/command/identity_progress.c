/* Shows the progress of identity. */
#include "command/identity_progress.h"

#include <jansson.h>

#include "command/progress.h"
#include "formats/json.h"

#define FORMAT "chromosweep-identity-progress"
enum {
    VERSION = 1
};

static double
gcups(const CsIdentityProgress *p)
{
    return p->seconds > 0 ? (double)p->cells / p->seconds / 1e9 : 0;
}

/* As many whole fields as fit the columns. */
static char *
format_line(gconstpointer progress, gsize columns)
{
    const CsIdentityProgress *p = progress;
    g_autofree char *percent = cs_progress_percent(p->fraction);
    g_autofree char *elapsed = cs_progress_duration(p->seconds);
    g_autofree char *left = cs_progress_duration(p->seconds_left);
    char *const fields[] = {
        g_strdup_printf("%5s%%  ", percent),
        g_strdup_printf("%" G_GINT64_FORMAT " pairs", p->pairs),
        g_strdup_printf("  %.2f GCUPS", gcups(p)),
        g_strdup_printf("  %s elapsed", elapsed),
        p->seconds_left >= 0 ? g_strdup_printf("  %s left", left) : g_strdup(""),
    };
    return cs_progress_join(fields, G_N_ELEMENTS(fields), columns);
}

static char *
format_json(gconstpointer progress)
{
    const CsIdentityProgress *p = progress;
    json_t *object = json_object();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "fraction", cs_json_millionths(p->fraction));
    json_object_set_new(object, "pairs", json_integer(p->pairs));
    json_object_set_new(object, "cells", json_integer(p->cells));
    json_object_set_new(object, "gcups", cs_json_millionths(gcups(p)));
    json_object_set_new(object, "seconds", cs_json_millionths(p->seconds));
    json_object_set_new(object, "seconds_left", cs_json_millionths_or_null(p->seconds_left));
    return cs_json_line(object);
}

static const CsProgressWriter writer = {format_line, format_json};

void
cs_identity_progress_tell(CsIdentityTeller *teller, const CsIdentityProgress *progress)
{
    teller->last = *progress;
    cs_progress_clock_show(&teller->clock, teller->form, &writer, &teller->last);
}

void
cs_identity_progress_end(CsIdentityTeller *teller)
{
    cs_progress_clock_end(&teller->clock, teller->form, &writer, &teller->last);
}
