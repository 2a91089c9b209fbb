/*
 * The text of a region: which bases of which record.
 *
 * A text that is accepted here means the same as for hts_parse_region(). That function itself is not
 * strict enough: it takes 2^64 + 1 for 1 and position 0 for an open end, and accepts signs, blanks,
 * 1M, 1.5, stray commas and a range without FROM. It ends a name in braces at the first '}', not the
 * last, and needs all names of a file before its first record is read.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "sequence/region.h"
#include "system/display.h"

/* Reads digits with commas between them. A number too large for gint64 is past the end of any
 * record. */
static gboolean
read_number(const char **text, gint64 *number)
{
    const char *p = *text;
    *number = 0;
    while (g_ascii_isdigit(*p)) {
        gint64 digit = g_ascii_digit_value(*p);
        *number = *number > (G_MAXINT64 - digit) / 10 ? G_MAXINT64 : *number * 10 + digit;
        p += p[1] == ',' && g_ascii_isdigit(p[2]) ? 2 : 1;
    }
    gboolean any = p > *text;
    *text = p;
    return any;
}

/* Sets the range, or what is wrong with it. */
static void
read_range(CsRegion *region, const char *text)
{
    region->from = 1;
    region->to = 0;
    gint64 from, to = 0;
    gboolean sound = read_number(&text, &from), closed = FALSE;
    if (sound && *text == '-') {
        text++;
        closed = *text != '\0';
        sound = !closed || read_number(&text, &to);
    }
    if (!sound || *text != '\0')
        region->fault =
            "expected FROM-TO, FROM- or FROM after ':', in digits with or without commas";
    else if (from == 0 || (closed && to == 0))
        region->fault = "positions start at 1";
    else if (closed && to < from)
        region->fault = "it ends before it starts";
    else {
        region->from = from;
        region->to = to;
    }
}

static gboolean
usage_error(const CsRegion *region, const char *fault, GError **error)
{
    g_autofree char *shown = cs_display_record(region->text);
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "region \"%s\": %s", shown, fault);
    return FALSE;
}

/* The text of a region that begins with a brace. */
static gboolean
read_braced(CsRegion *region, GError **error)
{
    const char *close = strrchr(region->text, '}');
    if (close == NULL)
        return usage_error(region, "'{' before the name has no '}' after it", error);
    g_autofree char *name = g_strndup(region->text + 1, (gsize)(close - region->text - 1));
    if (close[1] == '\0') {
        region->record = g_steal_pointer(&name);
        return TRUE;
    }
    if (close[1] != ':')
        return usage_error(region, "expected ':' or nothing after '}'", error);
    region->part = g_steal_pointer(&name);
    read_range(region, close + 2);
    return cs_region_check(region, error);
}

CsRegion *
cs_region_parse(const char *text, GError **error)
{
    g_return_val_if_fail(text != NULL, NULL);

    g_autoptr(CsRegion) region = g_new0(CsRegion, 1);
    region->text = g_strdup(text);
    if (*text == '{')
        return read_braced(region, error) ? g_steal_pointer(&region) : NULL;
    region->record = g_strdup(text);
    const char *colon = strrchr(text, ':');
    if (colon != NULL) {
        region->part = g_strndup(text, (gsize)(colon - text));
        read_range(region, colon + 1);
    }
    return g_steal_pointer(&region);
}

CsRegion *
cs_region_new_record(const char *name)
{
    g_return_val_if_fail(name != NULL, NULL);

    CsRegion *region = g_new0(CsRegion, 1);
    region->text = g_strdup(name);
    region->record = g_strdup(name);
    return region;
}

void
cs_region_free(CsRegion *region)
{
    if (region == NULL)
        return;
    g_free(region->text);
    g_free(region->record);
    g_free(region->part);
    g_free(region);
}

gboolean
cs_region_check(const CsRegion *region, GError **error)
{
    return region->fault == NULL || usage_error(region, region->fault, error);
}

gint64
cs_region_excess(const CsRegion *region, gint64 record_length)
{
    return MAX(region->to - record_length, 0);
}
