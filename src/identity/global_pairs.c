/*
 * Records of one query: those that fill lanes, and those that do not.
 *
 * Records that would leave lanes idle have all lanes for themselves (global_long.h), where that takes less time.
 * What no lanes hold is left to the plain recurrence, one pair at a time.
 */
#include <stdlib.h>

#include "identity/global_plain.h"
#include "identity/global_way.h"
#include "system/memory.h"
#include "system/stop.h"

/* Steps of a vector for a cell of each lane. */
#define STEPS_LINEAR 4.0
#define STEPS_AFFINE 9.0
#define STEPS_LONG 16.0
#define STEPS_LONG_MATRIX 40.0

/* Records that one kernel computes. */
typedef struct {
    CsLaneRecord *records;
    gint64 *numbers; /* of the records */
    gint64 *found;
    gint64 count, longest;
} Group;

static void
group_clear(Group *group)
{
    g_free(group->records);
    g_free(group->numbers);
    g_free(group->found);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Group, group_clear)

static gboolean
group_init(Group *group, gint64 count)
{
    group->records = cs_memory_try_new(CsLaneRecord, MAX(count, 1));
    group->numbers = cs_memory_try_new(gint64, MAX(count, 1));
    group->found = cs_memory_try_new(gint64, MAX(count, 1));
    return group->records != NULL && group->numbers != NULL && group->found != NULL;
}

static void
group_collect(Group *group, const CsGlobalWay *way, guint width, const CsLaneRecord *records,
              gint64 count)
{
    group->count = group->longest = 0;
    for (gint64 k = 0; k < count; k++) {
        if (cs_global_way_width(way, records[k].length) != width)
            continue;
        group->numbers[group->count] = k;
        group->records[group->count++] = records[k];
        group->longest = MAX(group->longest, records[k].length);
    }
}

/* Computes a record with all lanes for itself. */
static gboolean
compute_long(const CsGlobalWay *way, const CsGlobalLongKernel *kernel, const CsLaneRecord *record,
             CsGlobalFound *found)
{
    const CsGlobalQuery *query = way->query;
    const CsGlobalNumber number = cs_global_way_number(way, record->length);
    g_autofree gint64 *u = cs_memory_try_new(gint64, record->length);
    g_autofree gint64 *s = cs_memory_try_new(gint64, record->length);
    CsGlobalLongGains gains;
    CsGlobalLong job = {.query = query->query,
                        .record = record->letters,
                        .rows = query->rows,
                        .columns = record->length,
                        .lowest = -record->length,
                        .highest = query->rows,
                        .open = (gint64)cs_global_way_open(way, &number),
                        .sweep = query->sweep,
                        .u = u,
                        .s = s};
    cs_global_way_fill(way, &number, kernel, FALSE, &job, &gains);
    if (u == NULL || s == NULL || !cs_global_long(kernel, &job, query))
        return FALSE;
    CsWide tilted = -job.open;
    for (gint64 j = 0; j < job.columns; j++)
        tilted += u[j];
    *found = cs_global_way_found(way, &number, record->length, tilted);
    return TRUE;
}

/* Steps for each row of the query, if a record has all lanes for itself. */
static double
long_steps(const CsGlobalWay *way, gint64 length)
{
    const CsGlobalLongKernel *kernel = cs_global_way_long(way, length, FALSE);
    const double steps = way->uniform ? STEPS_LONG : STEPS_LONG_MATRIX;
    if (kernel == NULL)
        return G_MAXDOUBLE;
    const gint64 strip = (gint64)kernel->lanes * CS_GLOBAL_LONG_ROWS, rows = way->query->rows;
    const gint64 strips = (rows + strip - 1) / strip;
    return (double)(length + kernel->lanes) * steps / kernel->lanes * (double)(strips * strip) /
           (double)rows;
}

static int
longest_first(const void *a, const void *b)
{
    const gint64 one = *(const gint64 *)a, other = *(const gint64 *)b;
    return one < other ? 1 : one > other ? -1 : 0;
}

/* Records of a group that are longer than this have all lanes for themselves. Lanes with a record each are
 * busy as long as the longest one takes, or as all take together. */
static gint64
find_longest(const CsGlobalWay *way, const CsGlobalLanes *lanes, Group *group)
{
    const CsPairScoring *s = way->query->scoring;
    const double steps = s->first == s->more ? STEPS_LINEAR : STEPS_AFFINE;
    gint64 *lengths = group->found, letters = 0, chosen = group->longest;
    if (way->query->alone)
        return cs_global_way_long(way, group->longest, FALSE) != NULL ? 0 : chosen;
    for (gint64 k = 0; k < group->count; k++) {
        lengths[k] = group->records[k].length;
        letters += lengths[k];
    }
    qsort(lengths, (gsize)group->count, sizeof *lengths, longest_first);
    double before = 0, least = G_MAXDOUBLE;
    for (gint64 k = 0; k <= group->count; k++) {
        const gint64 longest = k < group->count ? lengths[k] : 0;
        const double cost = before + steps * MAX((double)longest, (double)letters / lanes->lanes);
        if (cost < least && (k == 0 || longest < lengths[k - 1])) {
            least = cost;
            chosen = longest;
        }
        /* Those after it are no longer, and more would only take longer. */
        if (before >= least || k == group->count)
            break;
        before += long_steps(way, longest);
        letters -= longest;
    }
    return chosen;
}

static gboolean
compute_in_lanes(const CsGlobalWay *way, const CsGlobalLanes *lanes, Group *group,
                 CsGlobalFound *found)
{
    const CsGlobalQuery *query = way->query;
    const CsGlobalNumber number = cs_global_way_number(way, group->longest);
    const gint64 open = (gint64)cs_global_way_open(way, &number);
    gint64 gains[CS_LETTERS_MAX][CS_LETTERS_MAX];
    cs_global_way_gains(way, &number, -2 * open, gains);
    g_autofree char *scratch =
        cs_memory_try_new(char, cs_global_lanes_scratch(query->rows) + CS_LANE_VECTOR_MAX);
    if (scratch == NULL)
        return FALSE;
    CsGlobalJob job = {.query = query->query,
                       .rows = query->rows,
                       .gains = (const gint64(*)[CS_LETTERS_MAX])gains,
                       .open = open,
                       .records = group->records,
                       .count = group->count,
                       .found = group->found,
                       .stop = query->stop,
                       .scratch = scratch + (-(guintptr)scratch & (CS_LANE_VECTOR_MAX - 1))};
    lanes->find(&job);
    for (gint64 k = 0; k < group->count && !cs_is_stopped(query->stop); k++)
        found[group->numbers[k]] =
            cs_global_way_found(way, &number, group->records[k].length, group->found[k]);
    return TRUE;
}

/* Computes records one by one: those longer than `longest`. The others stay in the group. */
static gboolean
compute_alone(const CsGlobalWay *way, Group *group, gint64 longest, CsGlobalFound *found)
{
    const gint64 count = group->count;
    group->count = group->longest = 0;
    for (gint64 k = 0; k < count && !cs_is_stopped(way->query->stop); k++) {
        const CsLaneRecord record = group->records[k];
        CsGlobalFound *here = &found[group->numbers[k]];
        if (record.length <= longest) {
            group->numbers[group->count] = group->numbers[k];
            group->records[group->count++] = record;
            group->longest = MAX(group->longest, record.length);
            continue;
        }
        const CsGlobalLongKernel *kernel = cs_global_way_long(way, record.length, FALSE);
        if (kernel != NULL ? !compute_long(way, kernel, &record, here)
                           : !cs_global_plain(way->query, &record, here))
            return FALSE;
        if (way->query->scores_only)
            here->matches = here->columns = -1;
    }
    return TRUE;
}

gboolean
cs_global_pairs(const CsGlobalQuery *query, const CsLaneRecord *records, gint64 count,
                CsGlobalFound *found)
{
    CsGlobalWay way;
    g_auto(Group) group = {0};
    if (!group_init(&group, count))
        return FALSE;
    cs_global_way_init(&way, query);
    for (guint width = 0; width <= CS_GLOBAL_WIDTHS && !cs_is_stopped(query->stop); width++) {
        group_collect(&group, &way, width, records, count);
        const CsGlobalLanes *lanes = width < CS_GLOBAL_WIDTHS && query->kernels != NULL
                                         ? query->kernels->of_bits[width]
                                         : NULL;
        const gint64 longest = lanes != NULL ? find_longest(&way, lanes, &group) : 0;
        if (!compute_alone(&way, &group, longest, found))
            return FALSE;
        if (group.count > 0 && !cs_is_stopped(query->stop) &&
            !compute_in_lanes(&way, lanes, &group, found))
            return FALSE;
    }
    return TRUE;
}
