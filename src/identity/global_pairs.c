/*
 * Which lanes hold a pair of sequences that is aligned from end to end, and with which digits.
 *
 * Lanes need not hold the numbers of alignments, only differences of neighbouring cells
 * (global_lane_kernel.c). With linear gaps, one score for all matches and one for all other pairs, the
 * number p of pairs follows from the others, unless a mismatch scores the same as two gaps:
 *
 *     score = match * matches + other * (p - matches) - more * (rows + columns - 2 * p)
 *
 * Records that would leave lanes idle have all lanes for themselves (global_long.h), where that takes less time.
 * What no lanes hold is left to the plain recurrence, one pair at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/simd.h"
#include "identity/global_lanes.h"
#include "identity/global_long.h"
#include "identity/global_number.h"
#include "identity/global_plain.h"
#include "system/memory.h"
#include "system/stop.h"

#include "config.h"

enum {
    WIDTHS = 3,
    LONG_WIDTHS = 2,
};

/* Steps of a vector for a cell of each lane. The plain recurrence takes as many for a cell. */
#define STEPS_LINEAR 4.0
#define STEPS_AFFINE 9.0
#define STEPS_LONG 16.0

struct _CsGlobalKernels {
    const CsGlobalLanes *of_bits[WIDTHS];
    const CsGlobalLongKernel *of_long_bits[LONG_WIDTHS]; /* NULL: none of that width */
};

#define LANES_OF(target)                                                                           \
    {                                                                                              \
        &cs_global_##target##_8, &cs_global_##target##_16, &cs_global_##target##_32                \
    }

static const CsGlobalKernels kernels_128 = {LANES_OF(128), {&cs_global_long_128_32, NULL}};
#ifdef CS_SIMD_X86
static const CsGlobalKernels kernels_avx2 = {LANES_OF(avx2),
                                             {&cs_global_long_avx2_32, &cs_global_long_avx2_64}};
static const CsGlobalKernels kernels_avx512 = {
    LANES_OF(avx512), {&cs_global_long_avx512_32, &cs_global_long_avx512_64}};
#endif

const CsGlobalKernels *
cs_global_kernels(GError **error)
{
    const char *target = cs_simd_target(error);
    if (target == NULL)
        return NULL;
#ifdef CS_SIMD_X86
    if (strcmp(target, "avx512") == 0)
        return &kernels_avx512;
    if (strcmp(target, "avx2") == 0)
        return &kernels_avx2;
#endif
    return &kernels_128;
}

/* What the records of a query have in common. */
typedef struct {
    const CsGlobalQuery *query;
    CsGlobalDigits digits;
    gboolean uniform;    /* there is one score for all matches, and one for all other pairs */
    gint64 match, other; /* if so: these */
} Way;

static void
find_uniform(Way *way)
{
    const CsGlobalQuery *query = way->query;
    const guint letters = query->scoring->letters;
    gboolean seen[2] = {FALSE, FALSE}, same = TRUE;
    gint64 scores[2] = {0, 0};
    for (guint a = 0; a < letters; a++)
        for (guint b = 0; b < letters; b++) {
            const gboolean match = cs_global_is_match(query, a, b);
            const gint64 score = query->scoring->pairs[a][b];
            same &= !seen[match] || scores[match] == score;
            seen[match] = TRUE;
            scores[match] = score;
        }
    way->match = scores[1];
    way->other = scores[0];
    way->uniform = same;
}

static void
way_init(Way *way, const CsGlobalQuery *query)
{
    const CsPairScoring *s = query->scoring;
    *way = (Way){.query = query, .digits = CS_GLOBAL_PAIRS};
    find_uniform(way);
    if (query->scores_only)
        way->digits = CS_GLOBAL_SCORE;
    else if (s->first == s->more && way->uniform && way->other + 2 * s->more != 0)
        way->digits = CS_GLOBAL_MATCHES;
}

/* The narrowest lanes that hold a record's numbers; WIDTHS if none do. */
static guint
find_width(const Way *way, gint64 weight)
{
    const CsGlobalQuery *query = way->query;
    const CsPairScoring *s = query->scoring;
    const CsGlobalNumber number = {way->digits, weight};
    const CsWide highest = cs_global_pair(&number, s->highest + 2 * s->more, TRUE);
    const CsWide open = (s->first - s->more) * cs_global_unit(&number);
    const CsWide most = (CsWide)1 << 40; /* beyond all lanes, and low enough for sums */
    guint width = 0;
    if (query->kernels == NULL)
        return WIDTHS;
    while (width < WIDTHS &&
           !cs_global_lanes_hold(query->kernels->of_bits[width]->bits, (gint64)MIN(highest, most),
                                 (gint64)MIN(open, most)))
        width++;
    return width;
}

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

static gint64
weight_of(const CsGlobalQuery *query, gint64 length)
{
    return MIN(query->rows, length) + 1;
}

static void
group_collect(Group *group, const Way *way, guint width, const CsLaneRecord *records, gint64 count)
{
    group->count = group->longest = 0;
    for (gint64 k = 0; k < count; k++) {
        if (find_width(way, weight_of(way->query, records[k].length)) != width)
            continue;
        group->numbers[group->count] = k;
        group->records[group->count++] = records[k];
        group->longest = MAX(group->longest, records[k].length);
    }
}

/* What pairs gain, tilted. */
static void
fill_gains(const Way *way, const CsGlobalNumber *number, gint64 open,
           gint64 gains[CS_LETTERS_MAX][CS_LETTERS_MAX])
{
    const CsPairScoring *s = way->query->scoring;
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        for (guint b = 0; b < CS_LETTERS_MAX; b++) {
            const CsWide gain = cs_global_pair(number, (CsWide)s->pairs[a][b] + 2 * s->more,
                                               cs_global_is_match(way->query, a, b));
            gains[a][b] = b == CS_LETTER_NONE ? -2 * open : (gint64)MAX(gain, -2 * open);
        }
}

static CsGlobalFound
found_of(const Way *way, const CsGlobalNumber *number, gint64 columns, CsWide tilted)
{
    const CsPairScoring *s = way->query->scoring;
    const gint64 letters = way->query->rows + columns;
    CsWide value = tilted - (CsWide)letters * s->more * cs_global_unit(number);
    CsGlobalFound found = {.matches = -1, .columns = -1};
    gint64 pairs = number->digits == CS_GLOBAL_PAIRS ? cs_global_take(number, &value) : 0;
    if (number->digits != CS_GLOBAL_SCORE)
        found.matches = cs_global_take(number, &value);
    found.score = (gint64)value;
    if (number->digits == CS_GLOBAL_MATCHES)
        pairs = (found.score - (way->match - way->other) * found.matches + s->more * letters) /
                (way->other + 2 * s->more);
    if (number->digits != CS_GLOBAL_SCORE)
        found.columns = letters - pairs;
    return found;
}

/* What a pair gains where scorings are uniform, tilted. */
static CsWide
gain_of(const Way *way, const CsGlobalNumber *number, gboolean match)
{
    const gint64 more = way->query->scoring->more;
    return cs_global_pair(number, (CsWide)(match ? way->match : way->other) + 2 * more, match);
}

static CsWide
open_of(const Way *way, const CsGlobalNumber *number)
{
    const CsPairScoring *s = way->query->scoring;
    return (s->first - s->more) * cs_global_unit(number);
}

/* The kernel with the narrowest lanes that hold a record that has all of them; NULL if none do. */
static const CsGlobalLongKernel *
find_long(const Way *way, gint64 length)
{
    const CsGlobalKernels *kernels = way->query->kernels;
    const CsGlobalNumber number = {way->digits, weight_of(way->query, length)};
    const CsWide highest = MAX(gain_of(way, &number, TRUE), gain_of(way, &number, FALSE));
    for (guint k = 0; kernels != NULL && way->uniform && k < LONG_WIDTHS; k++)
        if (kernels->of_long_bits[k] != NULL &&
            cs_global_long_holds(kernels->of_long_bits[k]->bits, highest, open_of(way, &number)))
            return kernels->of_long_bits[k];
    return NULL;
}

static gboolean
compute_long(const Way *way, const CsGlobalLongKernel *kernel, const CsLaneRecord *record,
             CsGlobalFound *found)
{
    const CsGlobalQuery *query = way->query;
    const CsGlobalNumber number = {way->digits, weight_of(query, record->length)};
    const CsWide open = open_of(way, &number);
    CsGlobalLong job = {.query = query->query,
                        .record = record->letters,
                        .rows = query->rows,
                        .columns = record->length,
                        .matching = query->matching,
                        .match = (gint64)MAX(gain_of(way, &number, TRUE), -2 * open),
                        .other = (gint64)MAX(gain_of(way, &number, FALSE), -2 * open),
                        .open = (gint64)open,
                        .stop = query->stop};
    CsWide tilted;
    if (!cs_global_long(kernel, &job, &tilted))
        return FALSE;
    *found = found_of(way, &number, record->length, tilted);
    return TRUE;
}

/* Steps for each row of the query, if a record has all lanes for itself. */
static double
long_steps(const Way *way, gint64 length)
{
    const CsGlobalLongKernel *kernel = find_long(way, length);
    const gint64 rows = way->query->rows;
    if (kernel == NULL)
        return G_MAXDOUBLE;
    const gint64 rest = rows % (kernel->lanes * CS_GLOBAL_LONG_ROWS);
    return (double)length * STEPS_LONG * (1.0 / kernel->lanes + (double)rest / (double)rows);
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
find_longest(const Way *way, const CsGlobalLanes *lanes, Group *group)
{
    const CsPairScoring *s = way->query->scoring;
    const double steps = s->first == s->more ? STEPS_LINEAR : STEPS_AFFINE;
    gint64 *lengths = group->found, letters = 0, chosen = group->longest;
    if (way->query->alone)
        return find_long(way, group->longest) != NULL ? 0 : chosen;
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
compute_in_lanes(const Way *way, const CsGlobalLanes *lanes, Group *group, CsGlobalFound *found)
{
    const CsGlobalQuery *query = way->query;
    const CsGlobalNumber number = {way->digits, weight_of(query, group->longest)};
    const gint64 open = (gint64)open_of(way, &number);
    gint64 gains[CS_LETTERS_MAX][CS_LETTERS_MAX];
    fill_gains(way, &number, open, gains);
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
            found_of(way, &number, group->records[k].length, group->found[k]);
    return TRUE;
}

/* Computes records one by one: those longer than `longest`. The others stay in the group. */
static gboolean
compute_alone(const Way *way, Group *group, gint64 longest, CsGlobalFound *found)
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
        const CsGlobalLongKernel *kernel = find_long(way, record.length);
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
    Way way;
    g_auto(Group) group = {0};
    if (!group_init(&group, count))
        return FALSE;
    way_init(&way, query);
    for (guint width = 0; width <= WIDTHS && !cs_is_stopped(query->stop); width++) {
        group_collect(&group, &way, width, records, count);
        const CsGlobalLanes *lanes =
            width < WIDTHS && query->kernels != NULL ? query->kernels->of_bits[width] : NULL;
        const gint64 longest = lanes != NULL ? find_longest(&way, lanes, &group) : 0;
        if (!compute_alone(&way, &group, longest, found))
            return FALSE;
        if (group.count > 0 && !cs_is_stopped(query->stop) &&
            !compute_in_lanes(&way, lanes, &group, found))
            return FALSE;
    }
    return TRUE;
}
