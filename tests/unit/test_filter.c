/*
 * Filters never lose a pair: identities are taken from tests/engine/global_oracle.h, and what filters ask
 * for is exactly that.
 */
#include <string.h>

#include "../case_count.h"
#include "../engine/global_oracle.h"
#include "identity/filter.h"
#include "identity/global_pairs.h"

enum {
    LETTERS = 27,
    LONGEST = 40,
};

typedef struct {
    guint8 letters[LONGEST];
    gint64 length;
} Record;

static guint8
random_letter(GRand *rand, guint8 kinds)
{
    return (guint8)g_rand_int_range(rand, 0, kinds);
}

/* A copy that differs from place to place by a letter, at most places by none. */
static void
change(GRand *rand, const Record *from, Record *to, guint8 kinds, gint32 seldom)
{
    to->length = 0;
    for (gint64 i = 0; i < from->length && to->length + 2 < LONGEST; i++) {
        const gint32 chance = g_rand_int_range(rand, 0, 3 * seldom);
        if (chance == 0)
            to->letters[to->length++] = random_letter(rand, kinds);
        if (chance == 1)
            continue;
        to->letters[to->length++] = chance == 2 ? random_letter(rand, kinds) : from->letters[i];
    }
    if (to->length == 0)
        to->letters[to->length++] = 0;
}

static void
set_scoring(GRand *rand, CsPairScoring *s, gboolean nucleotides)
{
    const gint32 match = g_rand_int_range(rand, -3, 9), mismatch = g_rand_int_range(rand, 0, 30);
    for (guint a = 0; a < LETTERS; a++)
        for (guint b = 0; b < LETTERS; b++)
            s->pairs[a][b] =
                a == b && (a < 4 || !nucleotides) ? match + (gint32)(a % 3) : -mismatch;
    s->more = g_rand_int_range(rand, 0, 4);
    s->first = s->more + (g_rand_boolean(rand) ? 0 : g_rand_int_range(rand, 0, 6));
    cs_pair_scoring_init(s, nucleotides ? 5 : LETTERS);
}

static GlobalTruth
align(const CsPairScoring *s, guint32 matching, const Record *one, const Record *other)
{
    GlobalProblem problem = {.pairs = s->pairs,
                             .first = s->first,
                             .more = s->more,
                             .query = one->letters,
                             .record = other->letters,
                             .rows = one->length,
                             .columns = other->length};
    for (guint a = 0; a < GLOBAL_LETTERS; a++)
        problem.counts[a] = (matching >> a & 1) != 0;
    return global_oracle(&problem, NULL);
}

/* The filter's words of both records, in one piece of memory. */
static gboolean
words_can_reach(const CsIdentityFilter *filter, const guint8 *one, gint64 m, const guint8 *other,
                gint64 n)
{
    const gsize bytes = cs_identity_filter_bytes(filter);
    g_autofree char *memory = g_malloc(2 * bytes + 16);
    char *words = memory + (-(guintptr)memory & 15);
    memset(words, 0x5a, 2 * bytes);
    cs_identity_filter_count(filter, one, m, words);
    cs_identity_filter_count(filter, other, n, words + bytes);
    return cs_identity_filter_words(filter, m, words, n, words + bytes);
}

static void
check_pair(GRand *rand, const CsPairScoring *s, guint32 matching, const Record *one,
           const Record *other)
{
    const gint64 m = one->length, n = other->length;
    const GlobalTruth truth = align(s, matching, one, other);
    const gint64 divisors[] = {
        [CS_IDENTITY_LONGEST] = MAX(m, n),
        [CS_IDENTITY_SHORTEST] = MIN(m, n),
        [CS_IDENTITY_COLUMNS] = truth.columns,
    };
    for (guint over = 0; over < G_N_ELEMENTS(divisors); over++) {
        CsIdentityFilter filter;
        const gint64 least = g_rand_boolean(rand)
                                 ? truth.matches
                                 : g_rand_int_range(rand, 0, (gint32)truth.matches + 1);
        cs_identity_filter_init(&filter, (CsIdentityOver)over, least, divisors[over], matching,
                                MAX(m, n));
        g_assert_true(cs_identity_filter_lengths(&filter, m, n));
        g_assert_cmpint(truth.score, >=, cs_identity_filter_score(&filter, s, m, n));
        for (filter.k = 2; filter.k <= 3; filter.k++)
            g_assert_true(words_can_reach(&filter, one->letters, m, other->letters, n));
    }
}

static void
test_none_lost(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(28);
    for (guint k = case_count(20000); k > 0; k--) {
        const gboolean nucleotides = g_rand_boolean(rand);
        const guint8 kinds = nucleotides ? 5 : LETTERS;
        const guint32 matching =
            nucleotides ? cs_global_nucleotide_matching : cs_global_protein_matching;
        CsPairScoring scoring = {.first = 0};
        Record one = {.length = g_rand_int_range(rand, 1, LONGEST / 2)}, other;
        for (gint64 i = 0; i < one.length; i++)
            one.letters[i] = random_letter(rand, kinds);
        change(rand, &one, &other, kinds, g_rand_int_range(rand, 1, 8));
        set_scoring(rand, &scoring, nucleotides);
        check_pair(rand, &scoring, matching, &one, &other);
        check_pair(rand, &scoring, matching, &other, &one);
    }
}

/* Words that are so frequent that a byte does not hold their number. */
static void
test_frequent(void)
{
    for (gint64 length = 250; length <= 1100; length += 50) {
        g_autofree guint8 *letters = g_malloc0((gsize)length);
        CsIdentityFilter filter;
        cs_identity_filter_init(&filter, CS_IDENTITY_LONGEST, 1, 1, cs_global_nucleotide_matching,
                                length);
        for (filter.k = 2; filter.k <= 5; filter.k++)
            g_assert_true(words_can_reach(&filter, letters, length, letters, length));
    }
}

/* Records that differ in a quarter of their letters, or in length, are told. */
static void
test_useful(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(29);
    guint8 one[1500], other[1500];
    for (guint over = 0; over < 3; over++) {
        for (guint i = 0; i < sizeof one; i++) {
            one[i] = random_letter(rand, 4);
            other[i] = i % 4 == 0 ? (one[i] + 1) % 4 : one[i];
        }
        CsIdentityFilter filter;
        cs_identity_filter_init(&filter, (CsIdentityOver)over, 97, 100,
                                cs_global_nucleotide_matching, sizeof one);
        g_assert_cmpint(filter.k, >, 1);
        g_assert_cmpint((gint64)cs_identity_filter_bytes(&filter), <=, 8 * 1500 + 16);
        g_assert_true(words_can_reach(&filter, one, sizeof one, one, sizeof one));
        g_assert_false(words_can_reach(&filter, one, sizeof one, other, sizeof other));
        g_assert_cmpint(cs_identity_filter_lengths(&filter, 1500, 1454), ==,
                        over == CS_IDENTITY_SHORTEST);
        g_assert_true(cs_identity_filter_lengths(&filter, 1500, 1455));
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/filter/none-lost", test_none_lost);
    g_test_add_func("/filter/frequent", test_frequent);
    g_test_add_func("/filter/useful", test_useful);
    return g_test_run();
}
