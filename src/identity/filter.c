/*
 * docs/proofs/identity.md proves the bounds. The words of a record are counted by their value, in a
 * byte each; what does not fit a byte is added up beside, as all of it might be shared.
 */
#include <math.h>
#include <string.h>

#include "cpu/simd_target.h"
#include "identity/filter.h"

enum {
    BITS_MOST = 20,      /* of a word */
    BINS_PER_LETTER = 8, /* of a record, at most: more take longer to compare than they save */
    BITS_OF_BASE = 2,
    BITS_OF_LETTER = 5,
    VECTOR = sizeof(__m128i),
};

/* After the counts. */
typedef struct {
    gint64 excess; /* what counts above 255 have beyond that, together */
    gint64 unused;
} Tail;

G_STATIC_ASSERT(sizeof(Tail) % VECTOR == 0);

/* The fewest matches with which the identity is reached. */
static gint64
least_matches(const CsIdentityFilter *filter, gint64 m, gint64 n)
{
    const gint64 divisor = filter->over == CS_IDENTITY_SHORTEST ? MIN(m, n) : MAX(m, n);
    return (divisor * filter->least + filter->unit - 1) / filter->unit;
}

/* The fewest words that two records share if they reach the identity. */
static gint64
least_words(const CsIdentityFilter *filter, gint64 m, gint64 n)
{
    const gint64 matches = least_matches(filter, m, n), less = (gint64)filter->k - 1;
    const gint64 words = matches - less * (1 + m + n - 2 * matches);
    if (filter->over != CS_IDENTITY_COLUMNS || filter->least == 0)
        return words;
    const gint64 others = matches * (filter->unit - filter->least) / filter->least;
    return MAX(words, matches - less * (1 + others + 1));
}

static gsize
bins_of(const CsIdentityFilter *filter)
{
    return (gsize)1 << (filter->k * filter->bits);
}

/*
 * How similar two random records of a length may be, at most, so that words still tell that they do not reach
 * the identity. Only a guess, which makes no pair wrong.
 */
static double
reach_of(const CsIdentityFilter *filter, gint64 length)
{
    const double words = (double)length, load = words / (double)bins_of(filter);
    const double by_chance = load / (1 + load);
    const double share = (double)least_words(filter, length, length) / words;
    return share > by_chance ? pow((share - by_chance) / (1 - by_chance), 1 / (double)filter->k)
                             : 0;
}

void
cs_identity_filter_init(CsIdentityFilter *filter, CsIdentityOver over, gint64 least, gint64 unit,
                        guint32 matching, gint64 length)
{
    *filter = (CsIdentityFilter){.over = over, .least = least, .unit = unit, .matching = matching};
    filter->bits = matching < (guint32)1 << (1 << BITS_OF_BASE) ? BITS_OF_BASE : BITS_OF_LETTER;
    guint best = 0;
    double farthest = 0;
    for (filter->k = 2; filter->k * filter->bits <= BITS_MOST &&
                        (gint64)bins_of(filter) <= BINS_PER_LETTER * length;
         filter->k++) {
        const double reach = reach_of(filter, length);
        if (reach > farthest) {
            farthest = reach;
            best = filter->k;
        }
    }
    filter->k = best;
}

gboolean
cs_identity_filter_lengths(const CsIdentityFilter *filter, gint64 m, gint64 n)
{
    return least_matches(filter, m, n) <= MIN(m, n);
}

gsize
cs_identity_filter_bytes(const CsIdentityFilter *filter)
{
    return filter->k > 0 ? bins_of(filter) + sizeof(Tail) : 0;
}

void
cs_identity_filter_count(const CsIdentityFilter *filter, const guint8 *letters, gint64 length,
                         gpointer words)
{
    const gsize bins = bins_of(filter);
    guint8 *counts = words;
    Tail tail = {0};
    gsize word = 0;
    guint run = 0; /* letters of the word so far */
    memset(counts, 0, bins);
    for (gint64 i = 0; i < length; i++) {
        const gboolean matches = (filter->matching >> letters[i] & 1) != 0;
        word = (word << filter->bits | letters[i]) & (bins - 1);
        run = matches ? run + 1 : 0;
        if (run < filter->k)
            continue;
        run = filter->k;
        if (counts[word] == G_MAXUINT8)
            tail.excess++;
        else
            counts[word]++;
    }
    memcpy(counts + bins, &tail, sizeof tail);
}

gboolean
cs_identity_filter_words(const CsIdentityFilter *filter, gint64 m, gconstpointer m_words, gint64 n,
                         gconstpointer n_words)
{
    const gsize bins = bins_of(filter);
    const guint8 *one = m_words, *other = n_words;
    Tail tails[2];
    memcpy(&tails[0], one + bins, sizeof(Tail));
    memcpy(&tails[1], other + bins, sizeof(Tail));
    const gint64 wanted = least_words(filter, m, n) - MIN(tails[0].excess, tails[1].excess);
    __m128i sum = _mm_setzero_si128();
    for (gsize at = 0; at < bins; at += VECTOR) {
        const __m128i lower =
            _mm_min_epu8(_mm_load_si128((const __m128i *)(const void *)(one + at)),
                         _mm_load_si128((const __m128i *)(const void *)(other + at)));
        sum = _mm_add_epi64(sum, _mm_sad_epu8(lower, _mm_setzero_si128()));
    }
    gint64 halves[2];
    _mm_storeu_si128((__m128i *)(void *)halves, sum);
    return halves[0] + halves[1] >= wanted;
}

gint64
cs_identity_filter_score(const CsIdentityFilter *filter, const CsPairScoring *scoring, gint64 m,
                         gint64 n)
{
    const gint64 matches = least_matches(filter, m, n);
    gint64 gain = G_MAXINT64;
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        if ((filter->matching >> a & 1) != 0)
            gain = MIN(gain, scoring->pairs[a][a]);
    return gain * matches - scoring->first * (m + n - 2 * matches);
}
