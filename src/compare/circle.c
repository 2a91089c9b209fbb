/*
 * The best alignment on circles: branch and bound over the turns of the circles.
 *
 * To turn a circle by x is to begin it after its first x bases. An alignment takes no base twice if
 * it lies in a turned circle, which is a window of the doubled sequence:
 *
 *     doubled   |-------- first copy --------|-------- second copy -------|
 *     turn 0    [ window                     ]
 *     turn x           [ window                     ]
 *     x to y           [ area of these turns              ]
 *     core                   [ in all of them      ]
 *
 * What is not known yet is a stack of nodes. A node is one turn of each side, or all turns between
 * two of them. An ordinary comparison finds the best alignment of the node's area. If it takes no
 * base twice, it is the best of all these turns. If it takes some twice, the node is split. Turns
 * between two that have nodes of their own need not be looked at if an alignment that crosses their
 * core cannot score enough: outside the core it takes each base between the two turns once at most.
 * docs/proofs/circular.md has the definition and the proof.
 */
#include <string.h>

#include <chromosweep/error.h>

#include "alignment/alignment.h"
#include "compare/circle_search.h"
#include "sequence/sequence_private.h"

typedef CsCircleTurns Turns;
typedef CsCircleNode Node;
typedef CsCircleSearch Search;

static gboolean
is_empty(const Turns *turns)
{
    return turns->high - turns->low == 1;
}

static gint64
first_turn(const Turns *turns)
{
    return turns->low == turns->high ? turns->low : turns->low + 1;
}

static gint64
last_turn(const Turns *turns)
{
    return turns->low == turns->high ? turns->low : turns->high - 1;
}

/* The columns of a circle that is aligned with itself are those of the rows. */
static void
tie(const Search *search, CsCircleArea *area)
{
    if (!search->tied)
        return;
    area->from[CS_CIRCLE_COLUMNS] = area->from[CS_CIRCLE_ROWS];
    area->to[CS_CIRCLE_COLUMNS] = area->to[CS_CIRCLE_ROWS];
}

static CsCircleArea
area_of(const Search *search, const Node *node)
{
    CsCircleArea area;
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++) {
        area.from[side] = first_turn(&node->turns[side]);
        area.to[side] = last_turn(&node->turns[side]) + search->periods[side];
    }
    tie(search, &area);
    return area;
}

/* Whether an alignment takes no base twice. */
static gboolean
fits(const Search *search, const CsCircleArea *area)
{
    return search->tied ? area->to[CS_CIRCLE_COLUMNS] - area->from[CS_CIRCLE_ROWS] <=
                              search->periods[CS_CIRCLE_ROWS]
                        : cs_circle_fits(area, search->periods);
}

/* The rectangle as a box: positions of the query on its forward strand. */
static CsSetBox
box_of(const Search *search, const CsCircleArea *area)
{
    const gint64 *before = search->before;
    const gint64 from = area->from[CS_CIRCLE_COLUMNS] + before[CS_CIRCLE_COLUMNS];
    const gint64 to = area->to[CS_CIRCLE_COLUMNS] + before[CS_CIRCLE_COLUMNS];
    const gboolean minus = search->strand == CS_STRAND_MINUS;
    return (CsSetBox){area->from[CS_CIRCLE_ROWS] + before[CS_CIRCLE_ROWS],
                      area->to[CS_CIRCLE_ROWS] + before[CS_CIRCLE_ROWS],
                      minus ? search->query_length - to : from,
                      minus ? search->query_length - from : to, search->strand};
}

static CsCircleArea
place_of(const Search *search, const CsAlignment *alignment)
{
    const CsSetBox box = cs_set_box_of(search->work, alignment);
    const gboolean minus = search->strand == CS_STRAND_MINUS;
    const gint64 down = search->before[CS_CIRCLE_ROWS], right = search->before[CS_CIRCLE_COLUMNS];
    return (CsCircleArea){
        {box.target - down, (minus ? search->query_length - box.query_end : box.query) - right},
        {box.target_end - down,
         (minus ? search->query_length - box.query : box.query_end) - right}};
}

/* Has it begin in the first copies. */
static void
settle(const Search *search, CsCircleArea *area)
{
    const gboolean later = area->from[CS_CIRCLE_ROWS] >= search->periods[CS_CIRCLE_ROWS];
    for (guint side = 0; search->tied && later && side < CS_CIRCLE_SIDES; side++) {
        area->from[side] -= search->periods[side];
        area->to[side] -= search->periods[side];
    }
    if (search->tied)
        return;
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++)
        if (area->from[side] >= search->periods[side]) {
            area->from[side] -= search->periods[side];
            area->to[side] -= search->periods[side];
        }
}

/* Whether an end goes before another: first in the target, then in the query. */
static gboolean
ends_before(const gint64 *one, const gint64 *other)
{
    return one[CS_CIRCLE_ROWS] != other[CS_CIRCLE_ROWS]
               ? one[CS_CIRCLE_ROWS] < other[CS_CIRCLE_ROWS]
               : one[CS_CIRCLE_COLUMNS] < other[CS_CIRCLE_COLUMNS];
}

/* The least score that matters in a node. One that equals the best so far matters only if it may end
 * earlier; no alignment of the node ends before the window of its first turn does. */
static CsScore
least_of(const Search *search, const Node *node)
{
    gint64 end[CS_CIRCLE_SIDES];
    if (search->best.score == 0)
        return search->floor;
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++) {
        const gint64 since = node->since[side];
        const gint64 turn = since > 0 ? since : first_turn(&node->turns[side]);
        end[side] = turn > 0 ? turn + search->periods[side] : 0;
        if (search->tied) /* only columns reach the end of the window, but a score needs rows */
            end[side] = turn + search->best.score / search->work->options->scoring.match;
    }
    return MAX(search->floor, search->best.score + !ends_before(end, search->best.area.to));
}

/* Takes an alignment that has no base twice, if it is the best so far; consumes it. area: where it
 * was looked for; NULL if it is a part of another. */
static void
take(Search *search, const CsCircleStretch *found, const CsCircleArea *area, CsAlignment *alignment)
{
    CsCircleStretch settled = *found;
    settle(search, &settled.area);
    const gboolean better =
        settled.score > search->best.score ||
        (settled.score == search->best.score &&
         (ends_before(settled.area.to, search->best.area.to) ||
          (!ends_before(search->best.area.to, settled.area.to) && search->alignment == NULL)));
    if (!better) {
        cs_alignment_free(alignment);
        return;
    }
    g_clear_pointer(&search->alignment, cs_alignment_free);
    search->best = settled;
    search->alignment = alignment;
    search->area = area != NULL ? *area : (CsCircleArea){{0}, {0}};
    /* A copy of it was found: the walk back from there may have seen less. */
    if (settled.area.from[0] != found->area.from[0] || settled.area.from[1] != found->area.from[1])
        search->area = (CsCircleArea){{0}, {0}};
}

/* The best alignment of an area, if it scores at least so much. Each counts for half of the progress
 * that is left. */
static gboolean
sweep(Search *search, const CsCircleArea *area, CsScore least, CsAlignment **alignment,
      GError **error)
{
    CsSetWork *work = search->work;
    CsSetPart part = {.box = box_of(search, area), .most = G_MAXINT64, .slow = search->slow};
    gboolean kept = FALSE;
    const CsSetAim aim = {least, search->hopeless || search->best.score > 0, least, NULL};
    const double share = work->sweep;
    work->sweep = share / 2;
    const gboolean done = cs_set_box_align(work, &part, &aim, &kept, error);
    *alignment = part.best;
    search->slow = !done && part.slow;
    search->large = search->large || (done && kept);
    work->done += share / 2;
    return done;
}

/* Sweeps a node. It comes next once more if its best alignment takes bases twice. */
static gboolean
sweep_node(Search *search, Node *node, CsScore least, GError **error)
{
    const CsCircleArea area = area_of(search, node);
    CsAlignment *alignment;
    if (!sweep(search, &area, least, &alignment, error))
        return FALSE;
    if (alignment == NULL)
        return TRUE;
    const CsCircleStretch found = {place_of(search, alignment),
                                   cs_alignment_get_summary(alignment)->score};
    if (fits(search, &found.area)) {
        take(search, &found, &area, alignment);
        return TRUE;
    }
    cs_circle_track_clear(&search->track);
    cs_circle_track_init(&search->track, alignment, &found.area, &search->work->options->scoring);
    cs_alignment_free(alignment);
    const CsCircleStretch part = cs_circle_track_fit(&search->track, search->periods, search->tied);
    if (part.score >= search->floor)
        take(search, &part, NULL, NULL);
    node->swept = TRUE;
    node->found = found.area;
    g_array_append_val(search->nodes, *node);
    return TRUE;
}

/* What the track makes one expect of an area. */
static CsCircleStretch
expect(const Search *search, const CsCircleArea *area)
{
    return search->track.points != NULL ? cs_circle_track_best(&search->track, area)
                                        : (CsCircleStretch){.score = 0};
}

/* What lies in all windows between two turns of a side. */
static CsCircleArea
core_of(const Search *search, const Node *node, guint side)
{
    CsCircleArea core = area_of(search, node);
    core.from[side] = node->turns[side].high;
    core.to[side] = node->turns[side].low + search->periods[side];
    tie(search, &core);
    return core;
}

/* What lies between two turns of a side, outside the core. */
static CsCircleArea
rest_of(const Search *search, const Node *node, guint side)
{
    CsCircleArea rest = area_of(search, node);
    rest.from[side] = node->turns[side].low;
    rest.to[side] = node->turns[side].high;
    return rest;
}

/* The most that an alignment that crosses the core scores outside it: a match for each base, or, before
 * the core and again behind it, what the best alignment of the rest scores. */
static CsScore
most_of_rest(const Search *search, const Node *node, guint side, CsScore best)
{
    const Turns *turns = &node->turns[side];
    return MIN((turns->high - turns->low) * search->work->options->scoring.match, 2 * best);
}

/* What the rest should score, by the track, on which either copy of it may lie. */
static CsScore
expect_rest(const Search *search, const Node *node, guint side)
{
    CsCircleArea rest = rest_of(search, node, side);
    if (search->tied) /* what comes before the core has columns in it, too */
        return G_MAXINT64 / 4;
    const CsScore first = expect(search, &rest).score;
    rest.from[side] += search->periods[side];
    rest.to[side] += search->periods[side];
    return MAX(first, expect(search, &rest).score);
}

static gboolean
expect_bound(const Search *search, const Node *node, guint side, CsScore least)
{
    const CsCircleArea core = core_of(search, node, side);
    if (node->bounded || node->turns[side].low < 0)
        return FALSE;
    const CsScore most = most_of_rest(search, node, side, expect_rest(search, node, side));
    return expect(search, &core).score + most < least;
}

static gboolean
expect_fit(const Search *search, const Node *node)
{
    const CsCircleArea area = area_of(search, node);
    const CsCircleStretch best = expect(search, &area);
    return !node->swept && fits(search, &best.area);
}

/* The turn up to which a node is expected to need no further split; its last one if it needs none. */
static gint64
choose_turn(const Search *search, const Node *node, guint side, CsScore least)
{
    const Turns *turns = &node->turns[side];
    gint64 good = turns->low + 1, bad = turns->high + 1;
    while (bad - good > 1) {
        Node part = *node;
        part.turns[side].high = good + (bad - good) / 2;
        if (part.turns[side].high < turns->high)
            part.swept = part.bounded = FALSE;
        if (expect_fit(search, &part) || expect_bound(search, &part, side, least))
            good = part.turns[side].high;
        else
            bad = part.turns[side].high;
    }
    return good;
}

static void
push(Search *search, const Node *node, guint side, gint64 low, gint64 high)
{
    Node part = {.turns = {node->turns[0], node->turns[1]},
                 .since = {node->since[0], node->since[1]}};
    part.turns[side] = (Turns){low, high};
    part.since[side] = 0;
    if (!is_empty(&part.turns[side]))
        g_array_append_val(search->nodes, part);
}

/* Splits a node at a turn. The first part comes next. */
static void
split(Search *search, const Node *node, guint side, gint64 turn)
{
    const Turns *turns = &node->turns[side];
    push(search, node, side, turn, turns->high);
    push(search, node, side, turn, turn);
    if (turns->low >= 0)
        push(search, node, side, turns->low, turn);
}

/* Pushes the last window of a node once more, for alignments there that belong to earlier turns. This
 * is needed if an equal score matters: the window's own node does not look for ends that early. */
static void
push_last(Search *search, const Node *node, guint side)
{
    const Turns *turns = &node->turns[side];
    Node last = {.turns = {node->turns[0], node->turns[1]},
                 .since = {node->since[0], node->since[1]}};
    if (turns->high == search->periods[side])
        return;
    last.turns[side] = (Turns){turns->high, turns->high};
    last.since[side] = first_turn(turns);
    g_array_append_val(search->nodes, last);
}

/* Finds what the rest of a node scores, for most_of_rest(). The node comes next once more. */
static gboolean
sweep_rest(Search *search, Node *node, guint side, GError **error)
{
    const CsCircleArea rest = rest_of(search, node, side);
    CsAlignment *alignment = NULL;
    if (!sweep(search, &rest, 1, &alignment, error))
        return FALSE;
    node->rested = TRUE;
    node->rest = alignment != NULL ? cs_alignment_get_summary(alignment)->score : 0;
    cs_alignment_free(alignment);
    g_array_append_val(search->nodes, *node);
    return TRUE;
}

/* Bounds what crosses the core of a node. *open: that may be enough. */
static gboolean
bound_node(Search *search, Node *node, guint side, CsScore least, gboolean *open, GError **error)
{
    const CsCircleArea core = core_of(search, node, side);
    CsScore most = most_of_rest(search, node, side, G_MAXINT64 / 2);
    CsAlignment *alignment = NULL;
    *open = FALSE;
    if (node->rested)
        most = most_of_rest(search, node, side, node->rest);
    else if (2 * expect_rest(search, node, side) < most)
        return sweep_rest(search, node, side, error);
    *open = node->bounded = TRUE;
    if (most >= least)
        return TRUE;
    if (!sweep(search, &core, least - most, &alignment, error))
        return FALSE;
    *open = node->bounded = alignment != NULL;
    if (!*open && least == search->best.score)
        push_last(search, node, side);
    cs_alignment_free(alignment);
    return TRUE;
}

/* A node whose area most likely holds an alignment that takes bases of a side twice. */
static gboolean
narrow(Search *search, Node *node, guint side, CsScore least, GError **error)
{
    const Turns turns = node->turns[side];
    gboolean open = TRUE;
    if (turns.low < 0) { /* all turns */
        split(search, node, side, 0);
        return TRUE;
    }
    gint64 turn = choose_turn(search, node, side, least);
    if (turn == turns.high && expect_bound(search, node, side, least) &&
        !bound_node(search, node, side, least, &open, error))
        return FALSE;
    if (turn <= turns.low + 1 || turn >= turns.high)
        turn = turns.low + (turns.high - turns.low) / 2;
    if (open)
        split(search, node, side, turn);
    return TRUE;
}

/* Makes at most one sweep, so that what is known before each can be kept. */
static gboolean
visit(Search *search, Node *node, GError **error)
{
    const CsScore least = least_of(search, node);
    if (least > search->most)
        return TRUE;
    if (expect_fit(search, node))
        return sweep_node(search, node, least, error);
    const CsCircleArea area = area_of(search, node);
    const CsCircleStretch expected = expect(search, &area);
    const CsCircleArea *found = node->swept ? &node->found : &expected.area;
    const gboolean rows =
        search->tied || cs_circle_span(found, CS_CIRCLE_ROWS) > search->periods[CS_CIRCLE_ROWS];
    return narrow(search, node, rows ? CS_CIRCLE_ROWS : CS_CIRCLE_COLUMNS, least, error);
}

/* Finds the alignment that ends where the best one does. Sweeps for it once more unless the area of
 * the best one held all that can end there. */
static gboolean
finish(Search *search, GError **error)
{
    const CsCircleStretch *best = &search->best;
    const gint64 *end = best->area.to;
    CsCircleArea area = {.to = {end[0], end[1]}};
    gboolean seen = search->alignment != NULL;
    if (search->tied) /* a square, of which the end is the best alignment's, too */
        area.to[CS_CIRCLE_ROWS] = end[CS_CIRCLE_COLUMNS];
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++) {
        area.from[side] = MAX(0, area.to[side] - search->periods[side]);
        seen = seen && search->area.from[side] <= area.from[side] &&
               search->area.to[side] >= area.to[side];
    }
    if (seen || best->score < search->floor)
        return TRUE;
    g_autoptr(CsAlignment) found = NULL;
    if (!sweep(search, &area, best->score, &found, error))
        return FALSE;
    const CsCircleArea place = found != NULL ? place_of(search, found) : (CsCircleArea){{0}, {0}};
    if (found == NULL || cs_alignment_get_summary(found)->score != best->score ||
        place.to[0] != end[0] || place.to[1] != end[1]) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED,
                            "internal error: the circular alignment was not found again");
        return FALSE;
    }
    cs_alignment_free(search->alignment);
    search->alignment = g_steal_pointer(&found);
    search->best.area = place;
    search->area = area;
    return TRUE;
}

/* The turns of a side: of a linear one there is only one. */
static Turns
all_turns(gboolean round, gint64 period)
{
    return round ? (Turns){-1, period} : (Turns){0, 0};
}

/* Visits what is left. Keeps how far it has come, with a node that was not done. */
static gboolean
run(Search *search, GError **error)
{
    while (search->nodes->len > 0) {
        const Node next = g_array_index(search->nodes, Node, search->nodes->len - 1);
        Node node = next;
        g_array_set_size(search->nodes, search->nodes->len - 1);
        if (!visit(search, &node, error)) {
            g_array_append_val(search->nodes, next);
            return FALSE;
        }
        cs_circle_keep_save_if_due(search);
    }
    return finish(search, error);
}

gboolean
cs_circle_align(CsSetWork *work, const CsSetPart *part, CsScore floor, gboolean hopeless,
                CsAlignment **alignment, gboolean *kept, GError **error)
{
    const CsSetBox *box = &part->box;
    const CsStrand strand = box->strand;
    const gint64 rows = box->target_end - box->target, columns = box->query_end - box->query;
    const gint64 query_end = box->query_end + (part->round[CS_CIRCLE_COLUMNS] ? columns : 0);
    const gboolean tied = cs_all_circle_is_tied(work, strand);
    const Node all = {.turns = {all_turns(part->round[CS_CIRCLE_ROWS], rows),
                                all_turns(part->round[CS_CIRCLE_COLUMNS] && !tied, columns)}};
    g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(Node));
    Search search = {.work = work,
                     .strand = strand,
                     .part = {.box = *box, .round = {part->round[0], part->round[1]}},
                     .periods = {rows, columns},
                     .before = {box->target, strand == CS_STRAND_MINUS
                                                 ? work->query->length - query_end
                                                 : box->query},
                     .query_length = work->query->length,
                     .tied = tied,
                     .floor = MAX(1, floor),
                     .most = MIN(rows, columns) * work->options->scoring.match,
                     .hopeless = hopeless,
                     .nodes = nodes};
    if (!cs_circle_keep_load(&search))
        g_array_append_val(nodes, all);
    const gboolean done = run(&search, error);
    if (done && search.best.score < search.floor) { /* of a run with a lower floor */
        search.best = (CsCircleStretch){.score = 0};
        g_clear_pointer(&search.alignment, cs_alignment_free);
    }
    cs_circle_keep_end(&search, done);
    *kept = search.kept;
    *alignment = done ? g_steal_pointer(&search.alignment) : NULL;
    g_clear_pointer(&search.alignment, cs_alignment_free);
    cs_circle_track_clear(&search.track);
    return done;
}

void
cs_circle_settle(const CsSetWork *work, CsAlignment *alignment)
{
    const CsSetBox box = cs_set_box_of(work, alignment);
    cs_alignment_turn(alignment,
                      cs_circle_first_copy(work, CS_CIRCLE_ROWS, box.target + 1) - box.target - 1,
                      cs_circle_first_copy(work, CS_CIRCLE_COLUMNS, box.query + 1) - box.query - 1);
}

CsCircleRing
cs_circle_ring(const CsSetWork *work, guint side, gint64 at)
{
    const CsSetBars *bars = work->bars;
    const gint64 period = side == CS_CIRCLE_ROWS ? work->target_period : work->query_period;
    const CsSequence *whole = side == CS_CIRCLE_ROWS ? work->target : work->query;
    guint low = 0, high = bars != NULL ? bars->n[side] : 0; /* bars before the base */
    const guint n = high;
    if (period == 0 || n == 0)
        return (CsCircleRing){0, period};
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        if (bars->at[side][middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    const gint64 from = low > 0 ? bars->at[side][low - 1] + 1 : 0;
    const gint64 end = low < n ? bars->at[side][low] : whole->length;
    return (CsCircleRing){from, (end - from) / 2};
}

gint64
cs_circle_first_copy(const CsSetWork *work, guint side, gint64 position)
{
    const CsCircleRing ring = cs_circle_ring(work, side, position - 1);
    return ring.period > 0 && position > ring.from + ring.period ? position - ring.period
                                                                 : position;
}

CsSetPart
cs_circle_whole(const CsSetWork *work, CsStrand strand)
{
    const gint64 rows = work->target_period, columns = work->query_period;
    return (CsSetPart){.box = {0, rows > 0 ? rows : work->target->length, 0,
                               columns > 0 ? columns : work->query->length, strand},
                       .round = {rows > 0, columns > 0}};
}

/* The bars of a side with all bases twice, of which one bar stands between two records. */
static gint64 *
double_bars(const gint64 *bars, guint n)
{
    gint64 *doubled = g_new(gint64, n);
    for (guint k = 0; k < n; k++)
        doubled[k] = 2 * bars[k] - k;
    return doubled;
}

/* Joined records, each of which follows itself. */
static CsSequence *
double_joined(const CsSequence *joined, const gint64 *bars, guint n, GError **error)
{
    CsSequence *doubled = cs_sequence_new_doubled(joined, error);
    gint64 from = 0, at = 0;
    if (doubled == NULL)
        return NULL;
    for (guint k = 0; k <= n; k++) {
        const gint64 end = k < n ? bars[k] : joined->length, length = end - from;
        for (guint copy = 0; copy < 2; copy++, at += length)
            memcpy(doubled->codes + at, joined->codes + from, (gsize)length);
        if (k < n)
            doubled->codes[at++] = CS_CODE_AMBIGUOUS;
        from = end + 1;
    }
    doubled->length = at;
    doubled->ambiguous -= n;
    return doubled;
}

/* Doubles a side. Returns the bases of one copy of all records. */
static gint64
double_side(CsSetWork *work, guint side, const CsSequence **sequence, GError **error)
{
    const gint64 length = (*sequence)->length;
    const CsSetBars *bars = work->bars;
    const guint n = bars != NULL ? bars->n[side] : 0;
    if (length == 0)
        return 0;
    *sequence = work->owned[side] = n > 0 ? double_joined(*sequence, bars->at[side], n, error)
                                          : cs_sequence_new_doubled(*sequence, error);
    if (n > 0)
        work->doubled.at[side] = work->owned_bars[side] = double_bars(bars->at[side], n);
    return length - n;
}

gboolean
cs_circle_double(CsSetWork *work, CsCircular circular, GError **error)
{
    if (work->bars != NULL)
        work->doubled = *work->bars;
    if (circular != CS_CIRCULAR_NONE && circular != CS_CIRCULAR_QUERY)
        work->target_period = double_side(work, CS_CIRCLE_ROWS, &work->target, error);
    if (work->target != NULL && circular != CS_CIRCULAR_NONE && circular != CS_CIRCULAR_TARGET)
        work->query_period = double_side(work, CS_CIRCLE_COLUMNS, &work->query, error);
    if (work->bars != NULL)
        work->bars = &work->doubled;
    return work->target != NULL && work->query != NULL;
}

void
cs_circle_release(CsSetWork *work)
{
    g_clear_pointer(&work->owned[0], cs_sequence_unref);
    g_clear_pointer(&work->owned[1], cs_sequence_unref);
    g_clear_pointer(&work->owned_bars[0], g_free);
    g_clear_pointer(&work->owned_bars[1], g_free);
}

void
cs_circle_comparison_init(CsComparison *doubled, const CsSetWork *work, CsComparison *whole,
                          CsCompareOptions *options)
{
    *options = *whole->options;
    options->circular = CS_CIRCULAR_NONE;
    cs_comparison_init(doubled, work->target, work->query, options);
    doubled->checkpoint = g_steal_pointer(&whole->checkpoint);
}
