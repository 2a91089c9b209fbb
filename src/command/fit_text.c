/*
 * Shortens texts to the room there is. Apart from counting characters, the time does not depend on
 * the length of a text: more than MOST characters never fit, so no more are measured.
 */
#include "command/fit_text.h"

enum {
    MOST = 1000, /* characters */
};

/* The first and the last characters, `keep` in all. */
static char *
shorten(const char *text, glong length, glong keep)
{
    const char *first_end = g_utf8_offset_to_pointer(text, (keep + 1) / 2);
    const char *last = g_utf8_offset_to_pointer(text, length - keep / 2);
    return g_strdup_printf("%.*s…%s", (int)(first_end - text), text, last);
}

static double
width_of(const CsPage *page, const char *text)
{
    return g_utf8_strlen(text, -1) > MOST ? G_MAXDOUBLE : cs_page_text_width(page, text);
}

char *
cs_fit_text(const CsPage *page, const char *text, double room)
{
    const glong length = g_utf8_strlen(text, -1);
    if (length <= 2 || width_of(page, text) <= room)
        return g_strdup(text);
    glong low = 1, high = MIN(length - 1, MOST);
    while (low < high) { /* low characters are assumed to fit, high + 1 do not */
        const glong keep = (low + high + 1) / 2;
        g_autofree char *shortened = shorten(text, length, keep);
        if (cs_page_text_width(page, shortened) <= room)
            low = keep;
        else
            high = keep - 1;
    }
    return shorten(text, length, low);
}

char *
cs_fit_text_pair(const CsPage *page, const char *first, const char *second, double room)
{
    static const char between[] = " × ";
    room -= cs_page_text_width(page, between);
    const double rest = room - width_of(page, first);
    g_autofree char *fitted_first =
        cs_fit_text(page, first, MAX(room / 2, room - width_of(page, second)));
    g_autofree char *fitted_second = cs_fit_text(page, second, MAX(room / 2, rest));
    return g_strconcat(fitted_first, between, fitted_second, NULL);
}
