/*
 * Which lanes hold a pair of sequences.
 *
 * - Lanes of 8 and 16 bits need pairs and gap costs that fit them. Whether a score does is known
 *   afterwards (lane_kernel.c). The others are computed again in wider lanes.
 * - Lanes of 32 bits need the proof beforehand: a path has at most min(rows, columns) pairs, so no H
 *   is above `highest` times that. If this is at most LIMIT_32, no sum overflows. Costs above
 *   LIMIT_32 are then never worth paying, and are lowered to it.
 * - Long records that would leave lanes idle have all lanes for themselves (striped_kernel.c), of 16 or 32
 *   bits.
 * - Anything else is left to the recurrence in 64 bits, one pair at a time. Numbers are at most
 *   CS_PAIR_MOST and lengths below 2^33, so that nothing overflows there.
 */
#include <stdlib.h>
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
    MORE_VECTORS = 10,
};

#define COST_OF_STRIPES 1.3

void
cs_pair_scoring_init(CsPairScoring *scoring, guint letters)
{
    scoring->letters = letters;
    scoring->lowest = scoring->highest = scoring->pairs[0][0];
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        for (guint b = 0; b < CS_LETTERS_MAX; b++) {
            if (a >= letters || b >= letters)
                scoring->pairs[a][b] = NONE_GAINS;
            scoring->lowest = MIN(scoring->lowest, scoring->pairs[a][b]);
            scoring->highest = MAX(scoring->highest, scoring->pairs[a][b]);
        }
}

#define KERNELS_OF(target)                                                                         \
    {                                                                                              \
        {&cs_lane_##target##_8, &cs_lane_##target##_16, &cs_lane_##target##_32},                   \
        {                                                                                          \
            NULL, &cs_striped_##target##_16, &cs_striped_##target##_32                             \
        }                                                                                          \
    }

static const CsPairKernels kernels_128 = KERNELS_OF(128);
#ifdef CS_SIMD_X86
static const CsPairKernels kernels_avx2 = KERNELS_OF(avx2);
static const CsPairKernels kernels_avx512 = KERNELS_OF(avx512);
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

/* How long a record takes, in letters of lanes, if it has all lanes for itself. Each column has some vectors
 * more than the stripes. Both numbers were measured. */
static double
striped_cost(const CsPairQuery *query, const CsLaneRecord *record)
{
    const double vectors = (double)query->rows / query->kernels->striped[1]->lanes;
    return (double)record->length * COST_OF_STRIPES * (vectors + MORE_VECTORS) /
           (double)query->rows;
}

static int
longest_first(const void *a, const void *b)
{
    const gint64 one = (*(const CsLaneRecord *const *)a)->length;
    const gint64 other = (*(const CsLaneRecord *const *)b)->length;
    return one < other ? 1 : one > other ? -1 : 0;
}

/* Which records have all lanes for themselves. */
typedef struct {
    const CsPairQuery *query;
    gint64 from; /* this length */
    gpointer memory, scratch;
} Choice;

static void
choice_clear(Choice *choice)
{
    g_free(choice->memory);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Choice, choice_clear)

static gboolean
is_striped(const Choice *choice, const CsLaneRecord *record)
{
    return record->length >= choice->from;
}

/* The length for which the time is least: lanes take as long as their longest record, and as all of their
 * letters. */
static gboolean
find_from(const CsPairQuery *query, const CsLaneRecord *records, gint64 count, gint64 *from)
{
    g_autofree const CsLaneRecord **sorted = cs_memory_try_new(const CsLaneRecord *, MAX(count, 1));
    if (sorted == NULL)
        return FALSE;
    double letters = 0, striped = 0;
    for (gint64 k = 0; k < count; k++) {
        sorted[k] = &records[k];
        letters += (double)records[k].length;
    }
    qsort(sorted, (gsize)count, sizeof *sorted, longest_first);
    const int lanes = query->kernels->of_bits[query->lanes]->lanes;
    double least = count > 0 ? MAX((double)sorted[0]->length, letters / lanes) : 0;
    *from = G_MAXINT64;
    for (gint64 k = 0; k < count; k++) {
        striped += striped_cost(query, sorted[k]);
        if (striped >= least)
            break;
        letters -= (double)sorted[k]->length;
        const gint64 next = k + 1 < count ? sorted[k + 1]->length : 0;
        const double all = striped + MAX((double)next, letters / lanes);
        if (next < sorted[k]->length && all < least) {
            least = all;
            *from = sorted[k]->length;
        }
    }
    return TRUE;
}

static gboolean
choice_init(Choice *choice, const CsPairQuery *query, const CsLaneRecord *records, gint64 count)
{
    *choice = (Choice){.query = query, .from = query->striped ? 1 : G_MAXINT64};
    if (query->rows > CS_STRIPED_MOST_ROWS)
        return TRUE;
    if (!query->striped && !find_from(query, records, count, &choice->from))
        return FALSE;
    if (choice->from == G_MAXINT64)
        return TRUE;
    choice->memory = cs_memory_try(cs_striped_scratch(query->rows) + CS_LANE_VECTOR_MAX, 1);
    choice->scratch =
        (char *)choice->memory + (-(guintptr)choice->memory & (CS_LANE_VECTOR_MAX - 1));
    return choice->memory != NULL;
}

/* The kernel of an entry of `of_bits` or, for records in all lanes, of `striped`; NULL if it cannot hold the
 * pairs and gaps. */
static const CsLaneKernel *
kernel_at(const CsPairQuery *query, guint lanes, gboolean striped)
{
    const CsLaneKernel *kernel =
        striped ? query->kernels->striped[lanes] : query->kernels->of_bits[lanes];
    const CsLaneJob any = make_job(query, NULL, 0, NULL);
    return kernel != NULL && kernel->find_top(&any) > 0 ? kernel : NULL;
}

/* Some records, and which of the caller's they are. */
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
rest_collect(Rest *rest, const Choice *choice, const CsLaneRecord *records, gint64 count,
             const CsLaneFound *found, int bits, gboolean striped)
{
    rest->count = 0;
    for (gint64 k = 0; k < count; k++)
        if (found[k].score < 0 && is_striped(choice, &records[k]) == striped &&
            (bits < 32 || holds_record(choice->query, &records[k])))
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

/* Scores of the records in all lanes, or of all others. Those that no lanes hold are left. */
static void
find_scores(CsPairQuery *query, const Choice *choice, gboolean striped, const CsLaneRecord *records,
            gint64 count, CsLaneFound *found, Rest *rest)
{
    for (guint lanes = query->lanes; lanes < G_N_ELEMENTS(query->kernels->of_bits); lanes++) {
        const CsLaneKernel *kernel = kernel_at(query, lanes, striped);
        if (kernel == NULL)
            continue;
        rest_collect(rest, choice, records, count, found, kernel->bits, striped);
        if (rest->count == 0)
            continue;
        CsLaneJob job = make_job(query, rest->records, rest->count, rest->found);
        if (striped)
            job.scratch = choice->scratch;
        kernel->find_scores(&job);
        if (cs_is_stopped(query->stop))
            return;
        gint64 high = 0;
        for (gint64 k = 0; k < rest->count; k++) {
            found[rest->numbers[k]].score = rest->found[k].score;
            high += rest->found[k].score < 0;
        }
        if (!striped)
            widen(query, lanes, rest->count, high);
    }
}

gboolean
cs_pair_scores(CsPairQuery *query, const CsLaneRecord *records, gint64 count, CsLaneFound *found)
{
    g_auto(Rest) rest = {0};
    g_auto(Choice) choice = {0};
    if (!rest_init(&rest, count) || !choice_init(&choice, query, records, count))
        return FALSE;
    for (gint64 k = 0; k < count; k++)
        found[k] = (CsLaneFound){.score = -1};
    find_scores(query, &choice, TRUE, records, count, found, &rest);
    find_scores(query, &choice, FALSE, records, count, found, &rest);
    if (cs_is_stopped(query->stop))
        return TRUE;
    for (gint64 k = 0; k < count; k++)
        if (found[k].score < 0 && !compute_plainly(query, &records[k], &found[k]))
            return FALSE;
    return TRUE;
}

/* The first lanes that hold the score; NULL if none do. */
static const CsLaneKernel *
find_lanes(const Choice *choice, const CsLaneRecord *record, gint64 score)
{
    const CsPairQuery *query = choice->query;
    const CsLaneJob any = make_job(query, NULL, 0, NULL);
    for (guint lanes = 0; lanes < G_N_ELEMENTS(query->kernels->of_bits); lanes++) {
        const CsLaneKernel *kernel = kernel_at(query, lanes, is_striped(choice, record));
        if (kernel != NULL &&
            (kernel->bits < 32 ? score < kernel->find_top(&any) : holds_record(query, record)))
            return kernel;
    }
    return NULL;
}

static void
find_ends(const Choice *choice, const CsLaneKernel *kernel, gboolean striped, Rest *rest,
          CsLaneFound *found)
{
    CsLaneJob job = make_job(choice->query, rest->records, rest->count, rest->found);
    if (striped)
        job.scratch = choice->scratch;
    kernel->find_columns(&job);
    if (cs_is_stopped(choice->query->stop))
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
    g_auto(Choice) choice = {0};
    if (!rest_init(&rest, count) || !choice_init(&choice, query, records, count))
        return FALSE;
    for (guint n = 0; n < 2 * G_N_ELEMENTS(query->kernels->of_bits); n++) {
        const gboolean striped = n % 2 == 1;
        const CsLaneKernel *kernel = kernel_at(query, n / 2, striped);
        rest.count = 0;
        for (gint64 k = 0; kernel != NULL && k < count; k++)
            if (find_lanes(&choice, &records[k], found[k].score) == kernel)
                rest_add(&rest, &records[k], k);
        if (rest.count > 0)
            find_ends(&choice, kernel, striped, &rest, found);
    }
    for (gint64 k = 0; k < count; k++)
        if (find_lanes(&choice, &records[k], found[k].score) == NULL &&
            !compute_plainly(query, &records[k], &found[k]))
            return FALSE;
    return TRUE;
}
