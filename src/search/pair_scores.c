/*
 * Which lanes hold a pair of sequences.
 *
 * - Lanes of 8 and 16 bits need pairs and gap costs that fit them. Whether a score does is known
 *   afterwards (lane_kernel.c). The others are computed again in wider lanes.
 * - Lanes of 32 bits need the proof beforehand: a path has at most min(rows, columns) pairs, so no H
 *   is above `highest` times that. If this is at most LIMIT_32, no sum overflows. Costs above
 *   LIMIT_32 are then never worth paying, and are lowered to it.
 * - Anything else is left to the recurrence in 64 bits, one pair at a time. Numbers are at most
 *   CS_PAIR_MOST and lengths below 2^33, so that nothing overflows there.
 */
#include <string.h>

#include "cpu/simd.h"
#include "search/pair_scores.h"
#include "system/memory.h"
#include "system/stop.h"

#include "config.h"

#define LIMIT_32 ((gint64)1 << 29)

enum {
    NONE_GAINS = -1,
    SEVERAL = 16, /* records that tell whether lanes are too narrow for most */
};

void
cs_pair_scoring_init(CsPairScoring *scoring, guint letters)
{
    scoring->lowest = scoring->highest = scoring->pairs[0][0];
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        for (guint b = 0; b < CS_LETTERS_MAX; b++) {
            if (a >= letters || b >= letters)
                scoring->pairs[a][b] = NONE_GAINS;
            scoring->lowest = MIN(scoring->lowest, scoring->pairs[a][b]);
            scoring->highest = MAX(scoring->highest, scoring->pairs[a][b]);
        }
}

static const CsPairKernels kernels_128 = {{&cs_lane_128_8, &cs_lane_128_16, &cs_lane_128_32}};
#ifdef CS_SIMD_X86
static const CsPairKernels kernels_avx2 = {{&cs_lane_avx2_8, &cs_lane_avx2_16, &cs_lane_avx2_32}};
static const CsPairKernels kernels_avx512 = {
    {&cs_lane_avx512_8, &cs_lane_avx512_16, &cs_lane_avx512_32}};
#endif

const CsPairKernels *
cs_pair_kernels(GError **error)
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

static gboolean
holds_record(const CsPairQuery *query, const CsLaneRecord *record)
{
    const CsPairScoring *scoring = query->scoring;
    return scoring->highest <= 0 ||
           (scoring->lowest >= -LIMIT_32 &&
            MIN(query->rows, record->length) <= LIMIT_32 / scoring->highest);
}

static CsLaneJob
make_job(const CsPairQuery *query, const CsLaneRecord *records, gint64 count, CsLaneFound *found)
{
    const CsPairScoring *scoring = query->scoring;
    return (CsLaneJob){.query = query->query,
                       .rows = query->rows,
                       .pairs = scoring->pairs,
                       .lowest = scoring->lowest,
                       .highest = scoring->highest,
                       .first = MIN(scoring->first, LIMIT_32),
                       .more = MIN(scoring->more, LIMIT_32),
                       .records = records,
                       .count = count,
                       .found = found,
                       .stop = query->stop,
                       .scratch = query->scratch};
}

/* Score and end by the recurrence, row by row of the record. */
static gboolean
compute_plainly(const CsPairQuery *query, const CsLaneRecord *record, CsLaneFound *found)
{
    const CsPairScoring *scoring = query->scoring;
    const gint64 rows = query->rows, least = G_MININT64 / 2;
    g_autofree gint64 *h = cs_memory_try_new(gint64, rows + 1);
    g_autofree gint64 *e = cs_memory_try_new(gint64, rows + 1);
    if (h == NULL || e == NULL)
        return FALSE;
    for (gint64 i = 0; i <= rows; i++)
        e[i] = least;
    *found = (CsLaneFound){0};
    for (gint64 j = 1; j <= record->length && !cs_is_stopped(query->stop); j++) {
        const guint8 letter = record->letters[j - 1];
        gint64 diagonal = 0, f = least;
        for (gint64 i = 1; i <= rows; i++) {
            e[i] = MAX(e[i] - scoring->more, h[i] - scoring->first);
            f = MAX(f - scoring->more, h[i - 1] - scoring->first);
            const gint64 pair = diagonal + scoring->pairs[query->query[i - 1]][letter];
            diagonal = h[i];
            h[i] = MAX(MAX(pair, 0), MAX(e[i], f));
            if (h[i] > found->score)
                *found = (CsLaneFound){.score = h[i], .column = j, .row = i};
        }
    }
    return TRUE;
}

/* Of some records: themselves, and which they are of the caller's. */
typedef struct {
    CsLaneRecord *records;
    CsLaneFound *found;
    gint64 *numbers;
    gint64 count;
} Rest;

static void
rest_clear(Rest *rest)
{
    g_free(rest->records);
    g_free(rest->found);
    g_free(rest->numbers);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rest, rest_clear)

static gboolean
rest_init(Rest *rest, gint64 count)
{
    rest->records = cs_memory_try_new(CsLaneRecord, MAX(count, 1));
    rest->found = cs_memory_try_new(CsLaneFound, MAX(count, 1));
    rest->numbers = cs_memory_try_new(gint64, MAX(count, 1));
    return rest->records != NULL && rest->found != NULL && rest->numbers != NULL;
}

static void
rest_add(Rest *rest, const CsLaneRecord *record, gint64 number)
{
    rest->numbers[rest->count] = number;
    rest->records[rest->count++] = *record;
}

/* Records whose score is still -1; with `bits` 32, those that its lanes are sure to hold. */
static void
rest_collect(Rest *rest, const CsPairQuery *query, const CsLaneRecord *records, gint64 count,
             const CsLaneFound *found, int bits)
{
    rest->count = 0;
    for (gint64 k = 0; k < count; k++)
        if (found[k].score < 0 && (bits < 32 || holds_record(query, &records[k])))
            rest_add(rest, &records[k], k);
}

/* Lanes that are too narrow for most records cost time without any use. */
static void
widen(CsPairQuery *query, guint lanes, gint64 count, gint64 high)
{
    if (lanes == query->lanes && lanes + 1 < G_N_ELEMENTS(query->kernels->of_bits) &&
        count >= SEVERAL && high > count / 2)
        query->lanes++;
}

gboolean
cs_pair_scores(CsPairQuery *query, const CsLaneRecord *records, gint64 count, CsLaneFound *found)
{
    g_auto(Rest) rest = {0};
    if (!rest_init(&rest, count))
        return FALSE;
    for (gint64 k = 0; k < count; k++)
        found[k] = (CsLaneFound){.score = -1};
    gint64 left = count;
    for (guint lanes = query->lanes; left > 0 && lanes < G_N_ELEMENTS(query->kernels->of_bits);
         lanes++) {
        const CsLaneKernel *kernel = query->kernels->of_bits[lanes];
        const CsLaneJob any = make_job(query, NULL, 0, NULL);
        if (kernel->find_top(&any) == 0)
            continue;
        rest_collect(&rest, query, records, count, found, kernel->bits);
        if (rest.count == 0)
            continue;
        CsLaneJob job = make_job(query, rest.records, rest.count, rest.found);
        kernel->find_scores(&job);
        if (cs_is_stopped(query->stop))
            return TRUE;
        gint64 high = 0;
        for (gint64 k = 0; k < rest.count; k++) {
            found[rest.numbers[k]].score = rest.found[k].score;
            high += rest.found[k].score < 0;
        }
        left -= rest.count - high;
        widen(query, lanes, rest.count, high);
    }
    for (gint64 k = 0; left > 0 && k < count; k++)
        if (found[k].score < 0 && !compute_plainly(query, &records[k], &found[k]))
            return FALSE;
    return TRUE;
}

/* The first lanes that hold the score; NULL if none do. */
static const CsLaneKernel *
find_lanes(const CsPairQuery *query, const CsLaneRecord *record, gint64 score)
{
    for (guint lanes = 0; lanes < G_N_ELEMENTS(query->kernels->of_bits); lanes++) {
        const CsLaneKernel *kernel = query->kernels->of_bits[lanes];
        const CsLaneJob any = make_job(query, NULL, 0, NULL);
        if (kernel->bits < 32 ? score < kernel->find_top(&any) : holds_record(query, record))
            return kernel;
    }
    return NULL;
}

static void
find_ends(const CsPairQuery *query, const CsLaneKernel *kernel, Rest *rest, CsLaneFound *found)
{
    CsLaneJob job = make_job(query, rest->records, rest->count, rest->found);
    kernel->find_columns(&job);
    if (cs_is_stopped(query->stop))
        return;
    for (gint64 k = 0; k < rest->count; k++) {
        found[rest->numbers[k]].column = rest->found[k].column;
        rest->records[k].length = rest->found[k].column;
        rest->records[k].score = rest->found[k].score;
    }
    kernel->find_rows(&job);
    for (gint64 k = 0; k < rest->count; k++)
        found[rest->numbers[k]].row = rest->found[k].row;
}

gboolean
cs_pair_ends(CsPairQuery *query, const CsLaneRecord *records, gint64 count, CsLaneFound *found)
{
    g_auto(Rest) rest = {0};
    if (!rest_init(&rest, count))
        return FALSE;
    for (guint lanes = 0; lanes < G_N_ELEMENTS(query->kernels->of_bits); lanes++) {
        const CsLaneKernel *kernel = query->kernels->of_bits[lanes];
        rest.count = 0;
        for (gint64 k = 0; k < count; k++)
            if (find_lanes(query, &records[k], found[k].score) == kernel)
                rest_add(&rest, &records[k], k);
        if (rest.count > 0)
            find_ends(query, kernel, &rest, found);
    }
    for (gint64 k = 0; k < count; k++)
        if (find_lanes(query, &records[k], found[k].score) == NULL &&
            !compute_plainly(query, &records[k], &found[k]))
            return FALSE;
    return TRUE;
}
