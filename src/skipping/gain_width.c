/*
 * Hot stretches: the rows where the best path gains too little. What it gains in each band is read
 * off the chain: along the diagonal of a seed, then a gap at the best place, then along the diagonal
 * of the next seed.
 */
#include "skipping/gain_width.h"

#include <stdlib.h>

/*
 * A path that matches no k-mers gains a match less the weight of a k-mer for each of its bases. Hot is
 * a stretch where the best path gains less than so many times that; then the strip has room for a
 * path that gains so many times that.
 */
#define HOT 0.9
#define ROOM 2.0

/* Stretches of fewer rows or cells fill too little of a GPU; they get no room. */
#define LEAST_ROWS 50000
#define LEAST_SWEPT 2e10

/* A maximal stretch of bands first .. last. `before` and `after` are sums over all bands before it,
 * and up to its end. */
typedef struct {
    gint64 first, last;
    double before, after;
} Stretch;

/* What the chain's path gains in each band, and a path beside it. */
typedef struct {
    const CsGainRule *rule;
    const CsSurvey *survey;
    double share; /* what a base of a path beside it gains */
    double *gains, *beside;
} Profile;

static void
profile_clear(Profile *profile)
{
    g_clear_pointer(&profile->gains, g_free);
    g_clear_pointer(&profile->beside, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Profile, profile_clear)

/* A place in the matrix: so many rows above it, so many columns left of it. */
typedef struct {
    gint64 row, column;
} Place;

static guint8
code_at(const CsView *view, gint64 at, guint8 ambiguous)
{
    const CsView base = cs_view_slice(view, at, 1);
    guint8 code;
    cs_view_read(&base, ambiguous, &code);
    return code;
}

/* Whether the bases match so many after a place along its diagonal. */
static gboolean
matches(const CsSurvey *survey, const Place *place, gint64 at)
{
    return code_at(&survey->rows, place->row + at, CS_ROW_AMBIGUOUS) ==
           code_at(&survey->columns, place->column + at, CS_COLUMN_AMBIGUOUS);
}

static void
add_bases(Profile *profile, const Place *place, gint64 from, gint64 to)
{
    const CsScoring *scoring = &profile->survey->scoring;
    for (gint64 at = from; at < to; at++) {
        const gint64 band = (place->row + at) / profile->rule->band;
        profile->gains[band] += matches(profile->survey, place, at) ? (double)scoring->match
                                                                    : -(double)scoring->mismatch;
        profile->beside[band] += profile->share;
    }
}

/* A gap from one place to another in the same row or column. */
static void
add_gap(Profile *profile, const Place *from, const Place *to)
{
    const CsScoring *scoring = &profile->survey->scoring;
    const double extend = (double)scoring->gap_extend;
    const gint64 last = profile->survey->rows.length - 1, length = to->column - from->column;
    double *first = &profile->gains[MIN(from->row, last) / profile->rule->band];
    if (from->row < to->row || length > 0)
        *first -= (double)scoring->gap_open + extend * (double)length;
    for (gint64 row = from->row; row < to->row; row++) {
        profile->gains[row / profile->rule->band] -= extend;
        profile->beside[row / profile->rule->band] += profile->share;
    }
}

/* Along the path between two seeds. */
static void
add_way(Profile *profile, const Place *start, const Place *end)
{
    const gint64 common = MIN(end->row - start->row, end->column - start->column);
    const Place back = {end->row - common, end->column - common};
    gint64 sum = 0, highest = 0, change = 0;
    for (gint64 at = 0; at < common; at++) { /* what is better on the first diagonal up to here */
        sum += matches(profile->survey, start, at) - matches(profile->survey, &back, at);
        if (sum > highest) {
            highest = sum;
            change = at + 1;
        }
    }
    const Place from = {start->row + change, start->column + change};
    const Place to = {back.row + change, back.column + change};
    add_bases(profile, start, 0, change);
    add_gap(profile, &from, &to);
    add_bases(profile, &back, change, common);
}

static void
follow_chain(Profile *profile, const CsSeed *chain, gint64 length)
{
    Place end = {0};
    for (gint64 k = 0; k < length; k++) {
        const CsSeed *seed = &chain[k];
        const Place start = {seed->row, seed->column};
        if (k > 0)
            add_way(profile, &end, &start);
        add_bases(profile, &start, 0, seed->length);
        end = (Place){seed->row + seed->length, seed->column + seed->length};
    }
}

/* Nothing is gained before the first seed and after the last one. */
static void
add_ends(Profile *profile, const CsSeed *chain, gint64 length)
{
    const CsSurvey *survey = profile->survey;
    const CsSeed *last = &chain[length - 1];
    const gint64 row = last->row + last->length, column = last->column + last->length;
    const gint64 before = MIN(chain->row, chain->column);
    const gint64 after = MIN(survey->rows.length - row, survey->columns.length - column);
    for (gint64 at = 1; at <= before; at++)
        profile->beside[(chain->row - at) / profile->rule->band] += profile->share;
    for (gint64 at = 0; at < after; at++)
        profile->beside[(row + at) / profile->rule->band] += profile->share;
}

/*
 * The maximal stretches of bands in which a path beside the best one gains more. (Ruzzo and Tompa
 * 1999: a stretch is joined to the nearest one before it with a lower sum before it, if that gives
 * a higher sum than it has itself.) Returns their number.
 */
static gint64
find_stretches(const Profile *profile, gint64 bands, Stretch *stretches)
{
    gint64 count = 0;
    double sum = 0;
    for (gint64 k = 0; k < bands; k++) {
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
room_of(const Profile *profile, const Stretch *stretch)
{
    double lacking = 0;
    for (gint64 k = stretch->first; k <= stretch->last; k++)
        lacking += ROOM * profile->beside[k] - profile->gains[k];
    return (gint64)(MAX(0, lacking) * profile->rule->scale /
                    (profile->rule->inserted + profile->rule->deleted));
}

/* Short stretches first: a column of room costs them least, and gains them as much. */
static int
compare_stretches(gconstpointer a, gconstpointer b)
{
    const Stretch *s = a, *t = b;
    const gint64 longer = s->last - s->first - (t->last - t->first);
    return longer != 0 ? (longer > 0 ? 1 : -1) : (s->first > t->first) - (s->first < t->first);
}

/* A stretch with the bands above and below it, and the columns that it needs on either side. */
typedef struct {
    gint64 first, last;
    gint64 room;
} Hot;

static Hot
hot_of(const Profile *profile, const Stretch *stretch, const CsGainWidth *width)
{
    return (Hot){MAX(0, stretch->first - 1), MIN(width->bands - 1, stretch->last + 1),
                 MIN(width->widest, room_of(profile, stretch))};
}

/* Adds the columns of a band's steps to those of other bands. */
static CsGainSpan
with_band(const CsGainWidth *width, gint64 k, CsGainSpan span)
{
    for (gint64 s = k * width->steps; s < (k + 1) * width->steps; s++) {
        const CsGainSpan *step = &width->spans[s];
        if (step->from < step->to)
            span = span.from < span.to
                       ? (CsGainSpan){MIN(span.from, step->from), MAX(span.to, step->to)}
                       : *step;
    }
    return span;
}

/*
 * The rooms of a stretch, from the last one up. Where the strip follows a diagonal, a high room is mostly
 * corners. So a room ends where the strip alone has four times as many columns as the stretch needs
 * on a side.
 */
static void
add_rooms(const Hot *hot, const CsGainWidth *width, gint64 n, GArray *rooms)
{
    for (gint64 last = hot->last; last >= hot->first;) {
        CsGainSpan columns = with_band(width, last, (CsGainSpan){0});
        gint64 first = last;
        for (; first > hot->first; first--) {
            const CsGainSpan more = with_band(width, first - 1, columns);
            if (more.to - more.from > 4 * hot->room)
                break;
            columns = more;
        }
        const CsGainRoom room = {
            first, last, {MAX(0, columns.from - hot->room), MIN(n, columns.to + hot->room)}};
        if (columns.from < columns.to)
            g_array_append_val(rooms, room);
        last = first - 1;
    }
}

/* Whether a stretch is made rooms for, which takes some of the cells that are left. */
static gboolean
make_rooms(const Profile *profile, const Hot *hot, CsGainWidth *width)
{
    const CsGainRule *rule = profile->rule;
    const gint64 n = profile->survey->columns.length;
    const double rows = (double)((hot->last - hot->first + 1) * rule->band);
    g_autoptr(GArray) rooms = g_array_new(FALSE, FALSE, sizeof(CsGainRoom));
    double cells = 0;
    if (width->rooms == NULL || rows < LEAST_ROWS || rows * 2 * (double)hot->room < LEAST_SWEPT)
        return FALSE;
    add_rooms(hot, width, n, rooms);
    for (guint r = 0; r < rooms->len; r++) {
        const CsGainRoom *room = &g_array_index(rooms, CsGainRoom, r);
        const gint64 columns = room->columns.to - room->columns.from;
        const gint64 height = (room->last - room->first + 1) * rule->band;
        cells += (double)columns * (double)height;
        if (cs_gain_room_memory(rule, height, columns, width->apart) > width->most_bytes)
            return FALSE;
    }
    if (cells > width->most_swept)
        return FALSE;
    width->most_swept -= cells;
    g_array_append_vals(width->rooms, rooms->data, rooms->len);
    return rooms->len > 0;
}

void
cs_gain_widen(const CsGainRule *rule, const CsSurvey *survey, const CsSeed *chain, gint64 length,
              CsGainWidth *width)
{
    const gint64 bands = width->bands;
    g_auto(Profile) profile = {
        .rule = rule,
        .survey = survey,
        .share = cs_gain_rule_beside(rule),
        .gains = g_new0(double, bands),
        .beside = g_new0(double, bands),
    };
    follow_chain(&profile, chain, length);
    add_ends(&profile, chain, length);
    g_autofree Stretch *stretches = g_new(Stretch, bands);
    g_autofree gint64 *more = g_new0(gint64, bands); /* columns */
    const gint64 count = find_stretches(&profile, bands, stretches);
    qsort(stretches, (gsize)count, sizeof *stretches, compare_stretches);
    double left = width->most_cells;
    for (gint64 s = 0; s < count; s++) {
        const Hot hot = hot_of(&profile, &stretches[s], width);
        for (gint64 k = hot.first; k <= hot.last && width->hot != NULL; k++)
            width->hot[k] = TRUE;
        if (make_rooms(&profile, &hot, width))
            continue;
        const double a_column = 2 * (double)((hot.last - hot.first + 1) * rule->band);
        const gint64 room = MIN((gint64)(left / a_column), hot.room);
        left -= a_column * (double)room;
        for (gint64 k = hot.first; k <= hot.last; k++)
            more[k] = MAX(more[k], room);
    }
    for (gint64 k = 0; k < bands * width->steps; k++)
        widen(&width->spans[k], survey->columns.length, more[k / width->steps]);
}
