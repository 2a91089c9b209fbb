/*
 * A search over turns in a checkpoint (checkpoint/found_circle.h): saved between two sweeps, after each
 * that was long, from time to time, and when a run stops. A long sweep has a checkpoint of its own
 * (set_box.c), which goes when its answer is saved here.
 */
#include <string.h>

#include "alignment/alignment.h"
#include "checkpoint/found.h"
#include "checkpoint/found_circle.h"
#include "compare/circle_search.h"

static void
append(GArray *numbers, gint64 number)
{
    g_array_append_val(numbers, number);
}

static void
fill_area(gint64 *numbers, const CsCircleArea *area)
{
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++) {
        numbers[2 * side] = area->from[side];
        numbers[2 * side + 1] = area->to[side];
    }
}

static CsCircleArea
read_area(const gint64 *numbers)
{
    CsCircleArea area;
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++) {
        area.from[side] = numbers[2 * side];
        area.to[side] = numbers[2 * side + 1];
    }
    return area;
}

/* The numbers that tell what is searched. */
static void
fill_part(gint64 *head, const CsSetPart *part)
{
    const CsSetBox *box = &part->box;
    const gint64 numbers[] = {box->target,    box->target_end, box->query,
                              box->query_end, part->round[0],  part->round[1]};
    memcpy(head + CS_FOUND_CIRCLE_BOX, numbers, sizeof numbers);
}

static gboolean
is_of_part(const gint64 *head, const CsSetPart *part)
{
    gint64 wanted[CS_FOUND_CIRCLE_HEAD];
    fill_part(wanted, part);
    return memcmp(head + CS_FOUND_CIRCLE_BOX, wanted + CS_FOUND_CIRCLE_BOX,
                  (CS_FOUND_CIRCLE_HEAD - CS_FOUND_CIRCLE_BOX) * sizeof *head) == 0;
}

static void
append_head(const CsCircleSearch *search, GArray *numbers)
{
    gint64 head[CS_FOUND_CIRCLE_HEAD] = {
        [CS_FOUND_CIRCLE_LAYOUT] = CS_FOUND_CIRCLE_LATEST,
        [CS_FOUND_CIRCLE_FLOOR] = search->floor,
        [CS_FOUND_CIRCLE_MASKS] = cs_all_circle_hash(search->work),
        [CS_FOUND_CIRCLE_SLOW] = search->slow,
        [CS_FOUND_CIRCLE_SCORE] = search->best.score,
        [CS_FOUND_CIRCLE_DONE] = (gint64)(search->work->told * 1e6),
        [CS_FOUND_CIRCLE_NODES] = search->nodes->len,
        [CS_FOUND_CIRCLE_POINTS] = search->track.points != NULL ? search->track.points->len : 0,
        [CS_FOUND_CIRCLE_KNOWN] = search->alignment != NULL,
        [CS_FOUND_CIRCLE_TIED] = search->tied,
    };
    fill_area(head + CS_FOUND_CIRCLE_BEST, &search->best.area);
    fill_area(head + CS_FOUND_CIRCLE_AREA, &search->area);
    fill_part(head, &search->part);
    g_array_append_vals(numbers, head, CS_FOUND_CIRCLE_HEAD);
}

static void
append_node(const CsCircleNode *node, GArray *numbers)
{
    gint64 one[CS_FOUND_CIRCLE_NODE] = {
        node->turns[0].low,    node->turns[0].high,   node->turns[1].low,
        node->turns[1].high,   node->swept,           node->bounded,
        [10] = node->since[0], [11] = node->since[1], [12] = node->rested ? node->rest : -1,
    };
    fill_area(one + 6, &node->found);
    g_array_append_vals(numbers, one, CS_FOUND_CIRCLE_NODE);
}

static gboolean
append_all(const CsCircleSearch *search, GArray *numbers, GError **error)
{
    const CsSetWork *work = search->work;
    const GArray *points = search->track.points;
    append_head(search, numbers);
    for (guint k = 0; k < search->nodes->len; k++)
        append_node(&g_array_index(search->nodes, CsCircleNode, k), numbers);
    for (guint k = 0; points != NULL && k < points->len; k++) {
        const CsCirclePoint *point = &g_array_index(points, CsCirclePoint, k);
        append(numbers, point->at[0]);
        append(numbers, point->at[1]);
        append(numbers, point->score);
        append(numbers, point->op);
    }
    return search->alignment == NULL || cs_set_keep_append(work, work->keeper, search->alignment,
                                                           search->best.score, numbers, error);
}

static gboolean
save(CsCircleSearch *search)
{
    CsSetWork *work = search->work;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GError) failure = NULL;
    const gboolean saved =
        append_all(search, numbers, &failure) &&
        cs_found_save(work->keeper->checkpoint, cs_found_circle_name(search->strand),
                      (gint64 *)(gpointer)numbers->data, numbers->len, &failure);
    search->saved = g_get_monotonic_time();
    search->kept = search->kept || saved;
    if (!saved)
        cs_compare_note(work->keeper, CS_NOTE_WARNING,
                        "could not save the search so far; continuing: %s", failure->message);
    else if (search->large) {
        cs_set_box_forget(work);
        cs_all_circle_forget(work);
    }
    search->large = search->large && !saved;
    return saved;
}

/* Saves what was asked for with a signal. A set has alignments beside the search. */
static void
save_on_demand(CsCircleSearch *search)
{
    CsSetWork *work = search->work;
    if (!save(search))
        return;
    if (work->wholes != NULL) {
        (void)cs_set_keep_save(work, work->keeper);
        return;
    }
    cs_compare_note(work->keeper, CS_NOTE_EVENT, "state saved");
    work->save = FALSE;
}

static gboolean
is_kept(const CsSetWork *work)
{
    return work->folder != NULL && work->keeper->checkpoint != NULL;
}

void
cs_circle_keep_save_if_due(CsCircleSearch *search)
{
    const CsSetWork *work = search->work;
    const double passed = (double)(g_get_monotonic_time() - search->saved) / G_USEC_PER_SEC;
    if (!is_kept(work))
        return;
    if (work->save)
        save_on_demand(search);
    else if (search->large || passed >= cs_compare_options_interval(work->keeper))
        (void)save(search);
}

/* Without the pairs of earlier alignments most searches are short, so what they find is saved with these. */
void
cs_circle_keep_end(CsCircleSearch *search, gboolean done)
{
    const CsSetWork *work = search->work;
    const gboolean masked = work->masked != NULL && work->masked->len > 0;
    if (is_kept(work) && (!done || !masked || search->kept))
        (void)save(search);
}

void
cs_circle_forget(const CsSetWork *work, CsStrand strand)
{
    if (is_kept(work))
        cs_found_drop(work->keeper->checkpoint, cs_found_circle_name(strand));
}

/* FALSE: there is no such node. */
static gboolean
read_node(const CsCircleSearch *search, const gint64 *numbers, CsCircleNode *node)
{
    *node = (CsCircleNode){
        .turns = {{numbers[0], numbers[1]}, {numbers[2], numbers[3]}},
        .swept = numbers[4] != 0,
        .bounded = numbers[5] != 0,
        .found = read_area(numbers + 6),
        .since = {numbers[10], numbers[11]},
        .rested = numbers[12] >= 0,
        .rest = numbers[12],
    };
    for (guint side = 0; side < CS_CIRCLE_SIDES; side++) {
        const CsCircleTurns *turns = &node->turns[side];
        const gint64 gap = turns->high - turns->low;
        if (turns->low < -1 || turns->high > search->periods[side] || gap < 0 || gap == 1 ||
            (gap == 0 && (turns->low < 0 || turns->high == search->periods[side])))
            return FALSE;
    }
    return TRUE;
}

static gboolean
read_nodes(CsCircleSearch *search, CsSetReader *reader, gint64 count)
{
    for (gint64 k = 0; k < count; k++) {
        const gint64 *numbers = cs_set_reader_take(reader, CS_FOUND_CIRCLE_NODE);
        CsCircleNode node;
        if (numbers == NULL || !read_node(search, numbers, &node))
            return FALSE;
        g_array_append_val(search->nodes, node);
    }
    return TRUE;
}

static gboolean
read_track(CsCircleSearch *search, CsSetReader *reader, gint64 count)
{
    if (count == 0)
        return TRUE;
    search->track = (CsCircleTrack){g_array_new(FALSE, FALSE, sizeof(CsCirclePoint)),
                                    search->work->options->scoring};
    for (gint64 k = 0; k < count; k++) {
        const gint64 *numbers = cs_set_reader_take(reader, CS_FOUND_CIRCLE_POINT);
        if (numbers == NULL)
            return FALSE;
        const CsCirclePoint point = {
            .at = {numbers[0], numbers[1]}, .score = numbers[2], .op = (char)numbers[3]};
        g_array_append_val(search->track.points, point);
    }
    return TRUE;
}

/* The best alignment so far, which is scored anew. */
static gboolean
read_best(CsCircleSearch *search, CsSetReader *reader, const gint64 *head)
{
    CsScore of;
    search->best.score = head[CS_FOUND_CIRCLE_SCORE];
    search->best.area = read_area(head + CS_FOUND_CIRCLE_BEST);
    search->area = read_area(head + CS_FOUND_CIRCLE_AREA);
    if (head[CS_FOUND_CIRCLE_KNOWN] == 0)
        return TRUE;
    search->alignment = cs_set_keep_read(search->work, search->work->keeper, reader, &of);
    return search->alignment != NULL &&
           cs_alignment_get_summary(search->alignment)->strand == search->strand &&
           cs_alignment_get_summary(search->alignment)->score == search->best.score;
}

static gboolean
read_all(CsCircleSearch *search, const gint64 *head, CsSetReader *reader)
{
    return read_nodes(search, reader, head[CS_FOUND_CIRCLE_NODES]) &&
           read_track(search, reader, head[CS_FOUND_CIRCLE_POINTS]) &&
           read_best(search, reader, head) && reader->left == 0;
}

static void
forget(CsCircleSearch *search)
{
    g_array_set_size(search->nodes, 0);
    cs_circle_track_clear(&search->track);
    g_clear_pointer(&search->alignment, cs_alignment_free);
    search->best = (CsCircleStretch){.score = 0};
    search->area = (CsCircleArea){{0}, {0}};
}

/* Whether a search with another floor goes on from it: nothing is missing that scores so much, or more than the
 * best alignment so far. */
static gboolean
fits_floor(const CsCircleSearch *search, const gint64 *head)
{
    const CsScore floor = head[CS_FOUND_CIRCLE_FLOOR];
    return floor <= search->floor || head[CS_FOUND_CIRCLE_SCORE] >= floor;
}

/* What is saved. One that is damaged is warned of once, since it is removed. */
static gint64 *
read_numbers(const CsCircleSearch *search, gint64 *count)
{
    const CsSetWork *work = search->work;
    gint64 *numbers = NULL;
    if (is_kept(work))
        numbers =
            cs_found_load(work->keeper->checkpoint, cs_found_circle_name(search->strand), count);
    if (numbers == NULL)
        cs_circle_forget(work, search->strand);
    return numbers;
}

gboolean
cs_circle_keep_load(CsCircleSearch *search)
{
    const CsSetWork *work = search->work;
    gint64 count = 0;
    search->saved = g_get_monotonic_time();
    g_autofree gint64 *head = read_numbers(search, &count);
    if (head == NULL || count < CS_FOUND_CIRCLE_HEAD ||
        head[CS_FOUND_CIRCLE_LAYOUT] != CS_FOUND_CIRCLE_LATEST || !fits_floor(search, head) ||
        head[CS_FOUND_CIRCLE_MASKS] != cs_all_circle_hash(work) ||
        head[CS_FOUND_CIRCLE_TIED] != search->tied || !is_of_part(head, &search->part))
        return FALSE;
    CsSetReader reader = {head + CS_FOUND_CIRCLE_HEAD, count - CS_FOUND_CIRCLE_HEAD};
    if (!read_all(search, head, &reader)) {
        cs_compare_note(work->keeper, CS_NOTE_WARNING,
                        "the search that an earlier run saved is wrong; starting over");
        forget(search);
        cs_circle_forget(work, search->strand);
        return FALSE;
    }
    search->slow = head[CS_FOUND_CIRCLE_SLOW] != 0;
    search->kept = TRUE;
    return TRUE;
}
