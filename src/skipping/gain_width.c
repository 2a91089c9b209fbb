/* Hot stretches: the rows where the best path gains too little. */
#include "skipping/gain_width.h"

#include "system/stop.h"

/*
 * A path that matches no seeds gains a match less the weight of a seed for each of its bases. Hot is
 * a stretch where the best path gains less than so many times that; then the strip has room for a
 * path that gains so many times that.
 */
#define HOT 0.9
#define ROOM 1.4

/* A maximal stretch of bands first .. last. `before` and `after` are sums over all bands before it,
 * and up to its end. */
typedef struct {
    gint64 first, last;
    double before, after;
} Stretch;

/* What the best alignment gains in each band, and how much more a path beside it may. */
typedef struct {
    gint64 bands;
    double *gains, *beside;
} Profile;

static void
profile_clear(Profile *profile)
{
    g_clear_pointer(&profile->gains, g_free);
    g_clear_pointer(&profile->beside, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Profile, profile_clear)

static gboolean
profile_init(Profile *profile, CsGainStrip *strip, const CsGainSpan *spans, gint64 bands,
             const gint *stop)
{
    const CsGainRule *rule = strip->rule;
    const double share = (double)rule->match - (double)rule->prices[0].seed / (double)rule->kmer;
    CsScore below = 0;
    *profile = (Profile){bands, g_new0(double, bands), g_new0(double, bands)};
    for (gint64 k = bands - 1; k >= 0; k--) {
        if (cs_is_stopped(stop))
            return FALSE;
        const gint64 rows = MIN(rule->band, strip->bases->m - k * rule->band);
        const CsScore best = cs_gain_strip_step(strip, k, &spans[k], NULL, NULL);
        if (spans[k].from < spans[k].to) {
            profile->gains[k] = (double)(best - below);
            profile->beside[k] = MAX(0, share) * (double)rows;
        }
        below = best;
    }
    cs_gain_strip_reset(strip);
    return TRUE;
}

/*
 * The maximal stretches of bands in which a path beside the best one gains more. (Ruzzo and Tompa
 * 1999: a stretch is joined to the nearest one before it with a lower sum before it, if that gives
 * a higher sum than it has itself.) Returns their number.
 */
static gint64
find_stretches(const Profile *profile, Stretch *stretches)
{
    gint64 count = 0;
    double sum = 0;
    for (gint64 k = 0; k < profile->bands; k++) {
        const double lacking = HOT * profile->beside[k] - profile->gains[k];
        Stretch next = {k, k, sum, sum + lacking};
        sum += lacking;
        if (lacking <= 0)
            continue;
        for (;;) {
            gint64 s = count - 1;
            while (s >= 0 && stretches[s].before >= next.before)
                s--;
            if (s < 0 || stretches[s].after >= next.after)
                break;
            next.first = stretches[s].first;
            next.before = stretches[s].before;
            count = s;
        }
        stretches[count++] = next;
    }
    return count;
}

static void
widen(CsGainSpan *span, gint64 n, gint64 more)
{
    if (span->from < span->to)
        *span = (CsGainSpan){MAX(0, span->from - more), MIN(n, span->to + more)};
}

/* The columns by which a stretch is wider, on either side. */
static gint64
room_of(const Profile *profile, const CsGainRule *rule, const Stretch *stretch)
{
    double lacking = 0;
    for (gint64 k = stretch->first; k <= stretch->last; k++)
        lacking += ROOM * profile->beside[k] - profile->gains[k];
    return (gint64)(MAX(0, lacking) / (rule->inserted + rule->deleted));
}

gboolean
cs_gain_widen(CsGainStrip *strip, CsGainSpan *spans, gint64 bands, gint64 widest, const gint *stop)
{
    g_auto(Profile) profile = {0};
    if (!profile_init(&profile, strip, spans, bands, stop))
        return FALSE;
    g_autofree Stretch *stretches = g_new(Stretch, bands);
    const gint64 count = find_stretches(&profile, stretches);
    for (gint64 s = 0; s < count; s++) {
        const gint64 more = MIN(widest, room_of(&profile, strip->rule, &stretches[s]));
        const gint64 first = MAX(0, stretches[s].first - 1);
        const gint64 last = MIN(bands - 1, stretches[s].last + 1);
        for (gint64 k = first; k <= last; k++)
            widen(&spans[k], strip->bases->n, more);
    }
    return TRUE;
}
