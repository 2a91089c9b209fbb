/* The front of a chain's search: see chain_front.h. */
#include "lower_bound/chain_front.h"

#include "system/memory.h"

enum {
    SPARE = 16, /* meetings */
};

gboolean
cs_chain_front_init(CsChainFront *front, gint32 count, gint64 last_row)
{
    *front = (CsChainFront){.count = count, .last_row = last_row};
    front->edges = cs_memory_try_new(CsChainEdge, 2 * (gsize)count + 1);
    front->meetings = cs_memory_try_new(CsChainMeeting, 2 * (gsize)count + 2 * SPARE);
    if (!cs_place_set_init(&front->walls, count) || !cs_place_set_init(&front->slopes, count) ||
        front->edges == NULL || front->meetings == NULL) {
        cs_chain_front_clear(front);
        return FALSE;
    }
    front->edges[2 * count] =
        (CsChainEdge){.value = G_MININT64, .seed = -1, .before = -1, .after = -1};
    return TRUE;
}

void
cs_chain_front_clear(CsChainFront *front)
{
    g_clear_pointer(&front->edges, g_free);
    g_clear_pointer(&front->meetings, g_free);
    cs_place_set_clear(&front->walls);
    cs_place_set_clear(&front->slopes);
}

static inline gboolean
is_slope(const CsChainFront *front, gint32 edge)
{
    return edge >= front->count && edge < 2 * front->count;
}

static inline gboolean
is_wall(const CsChainFront *front, gint32 edge)
{
    return edge >= 0 && edge < front->count;
}

/* The row where a slope comes to the next edge; never, unless that is a wall. */
static inline gint64
meets_at(const CsChainFront *front, gint32 slope)
{
    const gint32 wall = front->edges[slope].after;
    return is_wall(front, wall) ? front->edges[wall].at - front->edges[slope].at : G_MAXINT64;
}

static void
push(CsChainFront *front, CsChainMeeting meeting)
{
    gint32 k = front->pending++;
    for (; k > 0 && meeting.row < front->meetings[(k - 1) / 2].row; k = (k - 1) / 2)
        front->meetings[k] = front->meetings[(k - 1) / 2];
    front->meetings[k] = meeting;
}

static CsChainMeeting
pop(CsChainFront *front)
{
    CsChainMeeting *heap = front->meetings;
    const CsChainMeeting first = heap[0], last = heap[--front->pending];
    gint32 k = 0;
    for (gint32 child; (child = 2 * k + 1) < front->pending; k = child) {
        child += child + 1 < front->pending && heap[child + 1].row < heap[child].row;
        if (heap[child].row >= last.row)
            break;
        heap[k] = heap[child];
    }
    heap[k] = last;
    return first;
}

static void
expect_meeting(CsChainFront *front, gint32 edge)
{
    const gint64 row = is_slope(front, edge) ? meets_at(front, edge) : G_MAXINT64;
    if (row <= front->last_row)
        push(front, (CsChainMeeting){row, edge});
}

/* Leaves out the meetings that are out of date once they are more than the others may be. So there
 * is always room for some more. */
static void
tidy(CsChainFront *front)
{
    if (front->pending <= 2 * front->active + SPARE)
        return;
    front->pending = 0;
    for (gint32 e = front->edges[2 * front->count].after; e >= 0; e = front->edges[e].after)
        expect_meeting(front, e);
}

/* Puts an edge after another. The part on its right is that of the other one. */
static void
insert(CsChainFront *front, gint32 edge, gint64 at, gint32 before)
{
    const gint32 after = front->edges[before].after;
    front->edges[edge] = front->edges[before];
    front->edges[edge].at = at;
    front->edges[edge].before = before;
    front->edges[before].after = edge;
    if (after >= 0)
        front->edges[after].before = edge;
}

static void
take_out(CsChainFront *front, gint32 edge)
{
    const gint32 before = front->edges[edge].before, after = front->edges[edge].after;
    front->edges[before].after = after;
    if (after >= 0)
        front->edges[after].before = before;
    if (is_slope(front, edge)) {
        cs_place_set_remove(&front->slopes, edge - front->count);
        front->active--;
    } else {
        cs_place_set_remove(&front->walls, edge);
    }
}

/* The seed that is worth less at the wall gives way. */
static void
meet(CsChainFront *front, gint32 slope)
{
    CsChainEdge *edge = &front->edges[slope];
    const gint32 before = edge->before;
    const CsChainEdge *left = &front->edges[before], *right = &front->edges[edge->after];
    if (right->value >= left->value) {
        take_out(front, slope);
        expect_meeting(front, before);
        return;
    }
    edge->seed = right->seed;
    edge->value = right->value;
    take_out(front, edge->after);
    expect_meeting(front, slope);
}

void
cs_chain_front_go_to(CsChainFront *front, gint64 row)
{
    while (front->pending > 0 && front->meetings[0].row <= row) {
        const CsChainMeeting next = pop(front);
        if (cs_place_set_has(&front->slopes, next.slope - front->count) &&
            meets_at(front, next.slope) == next.row)
            meet(front, next.slope);
    }
}

/* The last edge left of a column of this row, or there. */
static gint32
edge_at(const CsChainFront *front, gint64 row, gint32 column, gint32 diagonal)
{
    const gint32 wall = cs_place_set_before(&front->walls, column);
    const gint32 slope = cs_place_set_before(&front->slopes, diagonal - 1);
    /* The part on the right of a slope begins a column further. */
    if (slope >= 0 &&
        (wall < 0 || front->edges[wall].at <= row + front->edges[front->count + slope].at))
        return front->count + slope;
    return wall >= 0 ? wall : 2 * front->count;
}

void
cs_chain_front_enter(CsChainFront *front, const CsChainEntry *entry)
{
    const gint32 before = edge_at(front, entry->row, entry->column, entry->diagonal);
    const gint32 wall = entry->column, slope = front->count + entry->diagonal;
    if (front->edges[before].value >= entry->value)
        return;
    tidy(front);
    if (wall != before) {
        insert(front, wall, entry->end, before);
        cs_place_set_add(&front->walls, wall);
        expect_meeting(front, before);
    }
    if (!cs_place_set_has(&front->slopes, entry->diagonal)) {
        insert(front, slope, entry->end - entry->row, wall);
        cs_place_set_add(&front->slopes, entry->diagonal);
        front->active++;
        expect_meeting(front, slope);
    }
    front->edges[wall].seed = entry->seed;
    front->edges[wall].value = entry->value;
}

const CsChainEdge *
cs_chain_front_find(const CsChainFront *front, gint64 row, gint32 column, gint32 diagonal)
{
    return &front->edges[edge_at(front, row, column, diagonal)];
}
