/* Lanes and digits: see global_way.h. */
#include <string.h>

#include "cpu/simd.h"
#include "identity/global_way.h"

#include "config.h"

#define LANES_OF(target)                                                                           \
    {                                                                                              \
        {&cs_global_##target##_8, &cs_global_##target##_16, &cs_global_##target##_32},             \
        {                                                                                          \
            &cs_global_long_##target##_32, &cs_global_long_##target##_64                           \
        }                                                                                          \
    }

static const CsGlobalKernels kernels_128 = LANES_OF(128);
#ifdef CS_SIMD_X86
static const CsGlobalKernels kernels_avx2 = LANES_OF(avx2);
static const CsGlobalKernels kernels_avx512 = LANES_OF(avx512);
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

static void
find_uniform(CsGlobalWay *way)
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

void
cs_global_way_init(CsGlobalWay *way, const CsGlobalQuery *query)
{
    const CsPairScoring *s = query->scoring;
    *way = (CsGlobalWay){.query = query, .digits = CS_GLOBAL_PAIRS};
    find_uniform(way);
    if (query->scores_only)
        way->digits = CS_GLOBAL_SCORE;
    else if (s->first == s->more && way->uniform && way->other + 2 * s->more != 0)
        way->digits = CS_GLOBAL_MATCHES;
}

CsGlobalNumber
cs_global_way_number(const CsGlobalWay *way, gint64 length)
{
    return (CsGlobalNumber){way->digits, MIN(way->query->rows, length) + 1};
}

CsWide
cs_global_way_open(const CsGlobalWay *way, const CsGlobalNumber *number)
{
    const CsPairScoring *s = way->query->scoring;
    return (s->first - s->more) * cs_global_unit(number);
}

void
cs_global_way_gains(const CsGlobalWay *way, const CsGlobalNumber *number, gint64 least,
                    gint64 gains[CS_LETTERS_MAX][CS_LETTERS_MAX])
{
    const CsPairScoring *s = way->query->scoring;
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        for (guint b = 0; b < CS_LETTERS_MAX; b++) {
            const CsWide gain = cs_global_pair(number, (CsWide)s->pairs[a][b] + 2 * s->more,
                                               cs_global_is_match(way->query, a, b));
            gains[a][b] = b == CS_LETTER_NONE ? least : (gint64)MAX(gain, least);
        }
}

/* The highest gain, tilted. */
static CsWide
highest_of(const CsGlobalWay *way, const CsGlobalNumber *number)
{
    const CsPairScoring *s = way->query->scoring;
    return cs_global_pair(number, s->highest + 2 * s->more, TRUE);
}

guint
cs_global_way_width(const CsGlobalWay *way, gint64 length)
{
    const CsGlobalKernels *kernels = way->query->kernels;
    const CsGlobalNumber number = cs_global_way_number(way, length);
    const CsWide highest = highest_of(way, &number), open = cs_global_way_open(way, &number);
    const CsWide most = (CsWide)1 << 40; /* beyond all lanes, and low enough for sums */
    guint width = 0;
    if (kernels == NULL)
        return CS_GLOBAL_WIDTHS;
    while (width < CS_GLOBAL_WIDTHS &&
           !cs_global_lanes_hold(kernels->of_bits[width]->bits, (gint64)MIN(highest, most),
                                 (gint64)MIN(open, most)))
        width++;
    return width;
}

const CsGlobalLongKernel *
cs_global_way_long(const CsGlobalWay *way, gint64 length, gboolean path)
{
    const CsGlobalKernels *kernels = way->query->kernels;
    const CsGlobalNumber number = cs_global_way_number(way, length);
    const CsWide highest = highest_of(way, &number), open = cs_global_way_open(way, &number);
    for (guint k = 0; kernels != NULL && k < CS_GLOBAL_LONG_WIDTHS; k++)
        if (cs_global_long_holds(kernels->of_long_bits[k]->bits, highest, open) &&
            (!path || cs_global_long_traces(kernels->of_long_bits[k]->bits, way->query->rows)))
            return kernels->of_long_bits[k];
    return NULL;
}

void
cs_global_way_fill(const CsGlobalWay *way, const CsGlobalNumber *number,
                   const CsGlobalLongKernel *kernel, gboolean path, CsGlobalLong *job,
                   CsGlobalLongGains *table)
{
    /* Two gaps are never taken for a pair that gains less, by a path either. */
    const gint64 least = -2 * job->open - (path ? 1 : 0);
    gint64 gains[CS_LETTERS_MAX][CS_LETTERS_MAX];
    job->matching = way->query->matching;
    if (way->uniform) {
        const gint64 more = way->query->scoring->more;
        const CsWide match = cs_global_pair(number, (CsWide)way->match + 2 * more, TRUE);
        const CsWide other = cs_global_pair(number, (CsWide)way->other + 2 * more, FALSE);
        job->match = (gint64)MAX(match, least);
        job->other = (gint64)MAX(other, least);
        return;
    }
    cs_global_way_gains(way, number, least, gains);
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        for (guint b = 0; b < CS_LETTERS_MAX; b++) {
            const gint64 gain = path ? gains[b][a] : gains[a][b];
            if (kernel->bits == 32)
                table->of_32[a][b] = (gint32)gain;
            else
                table->of_64[a][b] = gain;
        }
    job->gains = table;
}

CsGlobalFound
cs_global_way_found(const CsGlobalWay *way, const CsGlobalNumber *number, gint64 length,
                    CsWide tilted)
{
    const CsPairScoring *s = way->query->scoring;
    const gint64 letters = way->query->rows + length;
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
