/*
 * The track of an alignment that takes bases twice. What its parts score says where to cut the
 * circles, and parts that take no base twice are alignments, so the best one scores no less.
 */
#include "compare/circle.h"

void
cs_circle_track_init(CsCircleTrack *track, const CsAlignment *alignment, const CsCircleArea *area,
                     const CsScoring *scoring)
{
    CsCirclePoint point = {.at = {area->from[CS_CIRCLE_ROWS], area->from[CS_CIRCLE_COLUMNS]}};
    g_auto(CsAlignmentIter) iter;
    CsAlignmentRun run;
    *track = (CsCircleTrack){g_array_new(FALSE, FALSE, sizeof(CsCirclePoint)), *scoring};
    g_array_append_val(track->points, point);
    cs_alignment_iter_init(&iter, alignment);
    while (cs_alignment_iter_next(&iter, &run)) {
        point.op = run.op;
        point.at[CS_CIRCLE_ROWS] += run.op != 'I' ? run.length : 0;
        point.at[CS_CIRCLE_COLUMNS] += run.op != 'D' ? run.length : 0;
        point.score += run.op == '='   ? run.length * scoring->match
                       : run.op == 'X' ? -run.length * scoring->mismatch
                                       : -scoring->gap_open - run.length * scoring->gap_extend;
        g_array_append_val(track->points, point);
    }
}

void
cs_circle_track_clear(CsCircleTrack *track)
{
    g_clear_pointer(&track->points, g_array_unref);
}

static const CsCirclePoint *
point_at(const GArray *points, guint k)
{
    return &g_array_index(points, CsCirclePoint, k);
}

/* How many columns of a run of pairs lie before the side's place; of a gap all or none. */
static gint64
columns_before(const CsCirclePoint *from, const CsCirclePoint *to, guint side, gint64 place)
{
    return CLAMP(place - from->at[side], 0, to->at[side] - from->at[side]);
}

/* The part of a run of pairs that lies in an area, in columns of the run. */
static gboolean
clip(const CsCirclePoint *from, const CsCirclePoint *to, const CsCircleArea *area, gint64 *first,
     gint64 *end)
{
    *first = 0;
    *end = to->at[0] - from->at[0];
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++) {
        *first = MAX(*first, columns_before(from, to, side, area->from[side]));
        *end = MIN(*end, columns_before(from, to, side, area->to[side]));
    }
    return *first < *end;
}

CsCircleStretch
cs_circle_track_best(const CsCircleTrack *track, const CsCircleArea *area)
{
    CsCircleStretch best = {.score = 0}, now = {.score = 0};
    for (guint k = 1; k < track->points->len; k++) {
        const CsCirclePoint *from = point_at(track->points, k - 1), *to = from + 1;
        gint64 first, end;
        if (to->op == 'I' || to->op == 'D') {
            now.score += to->score - from->score;
        } else if (clip(from, to, area, &first, &end)) {
            if (now.score <= 0)
                now = (CsCircleStretch){{{from->at[0] + first, from->at[1] + first}, {0}}, 0};
            now.score +=
                (end - first) * (to->op == '=' ? track->scoring.match : -track->scoring.mismatch);
            now.area.to[0] = from->at[0] + end;
            now.area.to[1] = from->at[1] + end;
        }
        if (now.score > best.score)
            best = now;
    }
    return best;
}

/* The same points, from the other end. */
static GArray *
turn(const GArray *points)
{
    GArray *turned = g_array_new(FALSE, FALSE, sizeof(CsCirclePoint));
    const CsCirclePoint *last = point_at(points, points->len - 1);
    for (guint k = points->len; k-- > 0;) {
        const CsCirclePoint *p = point_at(points, k);
        const CsCirclePoint q = {{last->at[0] - p->at[0], last->at[1] - p->at[1]},
                                 last->score - p->score,
                                 k + 1 < points->len ? point_at(points, k + 1)->op : '\0'};
        g_array_append_val(turned, q);
    }
    return turned;
}

/* How many pairs more than from one place to another an alignment may have; below 0: it is too long. */
static gint64
room_of(const CsCirclePoint *from, const CsCirclePoint *to, const gint64 *periods, gboolean tied)
{
    if (tied)
        return periods[0] - (to->at[1] - from->at[0]);
    return MIN(periods[0] - (to->at[0] - from->at[0]), periods[1] - (to->at[1] - from->at[1]));
}

static void
take(CsCircleStretch *best, const CsCirclePoint *from, const CsCirclePoint *to, gint64 more,
     CsScore match)
{
    const CsScore score = to->score - from->score + more * match;
    if (score > best->score)
        *best = (CsCircleStretch){
            {{from->at[0], from->at[1]}, {to->at[0] + more, to->at[1] + more}}, score};
}

/*
 * The best stretch from the beginning of a run of equal bases to the end of one, or as far into a run
 * as it may go. `ends` has the places between the beginning and the furthest place, by falling score,
 * so the first one is the best.
 */
static CsCircleStretch
fit_beginnings(const GArray *points, const gint64 *periods, gboolean tied, CsScore match)
{
    CsCircleStretch best = {.score = 0};
    g_autofree guint *ends = g_new(guint, points->len);
    guint first = 0, n = 0, next = 1;
    for (guint k = 0; k + 1 < points->len; k++) {
        const CsCirclePoint *from = point_at(points, k);
        for (; next < points->len && room_of(from, point_at(points, next), periods, tied) >= 0;
             next++) {
            while (n > first &&
                   point_at(points, ends[n - 1])->score < point_at(points, next)->score)
                n--;
            ends[n++] = next;
        }
        while (first < n && ends[first] <= k)
            first++;
        if ((from + 1)->op != '=')
            continue;
        if (first < n)
            take(&best, from, point_at(points, ends[first]), 0, match);
        if (next < points->len && point_at(points, next)->op == '=') {
            const CsCirclePoint *last = point_at(points, next - 1);
            take(&best, from, last, room_of(from, last, periods, tied), match);
        }
        next = MAX(next, k + 2);
    }
    return best;
}

CsCircleStretch
cs_circle_track_fit(const CsCircleTrack *track, const gint64 *periods, gboolean tied)
{
    const CsScore match = track->scoring.match;
    CsCircleStretch best = fit_beginnings(track->points, periods, tied, match);
    if (tied)
        return best;
    g_autoptr(GArray) turned = turn(track->points);
    const CsCircleStretch other = fit_beginnings(turned, periods, FALSE, match);
    if (other.score <= best.score)
        return best;
    const CsCirclePoint *last = point_at(track->points, track->points->len - 1);
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++) {
        best.area.from[side] = last->at[side] - other.area.to[side];
        best.area.to[side] = last->at[side] - other.area.from[side];
    }
    best.score = other.score;
    return best;
}
