/* Seeds must agree with a search of every diagonal. */
#include <stdlib.h>

#include <chromosweep/error.h>

#include "../case_count.h"
#include "lower_bound/seeds.h"
#include "related.h"

typedef struct {
    GString *a, *b;
    CsSequence *row_sequence, *column_sequence;
    CsView rows, columns;
} Pair;

static void
pair_init(Pair *pair, GString *a, GString *b, guint32 seed)
{
    *pair = (Pair){.a = a, .b = b};
    const gboolean reversed = seed % 2 == 1, complement = seed / 2 % 2 == 1;
    const gboolean b_reversed = seed / 4 % 2 == 1, b_complement = seed / 8 % 2 == 1;
    pair->row_sequence = related_hide(a, reversed, complement);
    pair->rows = related_view(pair->row_sequence, reversed, complement);
    pair->column_sequence = related_hide(b, b_reversed, b_complement);
    pair->columns = related_view(pair->column_sequence, b_reversed, b_complement);
}

static void
pair_clear(Pair *pair)
{
    g_string_free(pair->a, TRUE);
    g_string_free(pair->b, TRUE);
    cs_sequence_unref(pair->row_sequence);
    cs_sequence_unref(pair->column_sequence);
}

static gboolean
is_base(char base)
{
    return base == 'A' || base == 'C' || base == 'G' || base == 'T';
}

/* For each place among the columns, whether its k-mer is in the index. */
static gboolean *
list_kmers(const GString *b, const CsSeedsRule *rule)
{
    const gsize places = b->len / rule->step + 1;
    gboolean *there = g_new0(gboolean, places);
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int pass = 0; pass < 2; pass++)
        for (gsize p = 0; p * rule->step + rule->bases <= b->len; p++) {
            g_autofree char *kmer = g_strndup(b->str + p * rule->step, rule->bases);
            const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, kmer));
            if (strspn(kmer, "ACGT") < rule->bases)
                continue;
            if (pass == 0)
                g_hash_table_insert(counts, g_steal_pointer(&kmer), GUINT_TO_POINTER(count + 1));
            else
                there[p] = count <= rule->most;
        }
    return there;
}

typedef struct {
    CsSeed seed;
    gint64 stretch;
} Found;

static int
compare_places(const void *a, const void *b)
{
    const Found *first = a, *second = b;
    if (first->seed.row != second->seed.row)
        return first->seed.row < second->seed.row ? -1 : 1;
    return (first->seed.column > second->seed.column) - (first->seed.column < second->seed.column);
}

static int
compare_lengths(const void *a, const void *b)
{
    const Found *first = a, *second = b;
    if (first->stretch != second->stretch)
        return first->stretch < second->stretch ? -1 : 1;
    if (first->seed.length != second->seed.length)
        return first->seed.length > second->seed.length ? -1 : 1;
    return compare_places(a, b);
}

/* Removes the seeds of each stretch that are not kept. */
static void
keep_longest(GArray *found, guint kept)
{
    if (found->len == 0)
        return;
    qsort(found->data, found->len, sizeof(Found), compare_lengths);
    guint left = 0, of_stretch = 0;
    for (guint k = 0; k < found->len; k++) {
        const Found *next = &g_array_index(found, Found, k);
        of_stretch = k > 0 && next[-1].stretch == next->stretch ? of_stretch + 1 : 0;
        if (of_stretch < kept)
            g_array_index(found, Found, left++) = *next;
    }
    g_array_set_size(found, left);
    qsort(found->data, found->len, sizeof(Found), compare_places);
}

static GArray *
search(const Pair *pair, const CsSeedsRule *rule)
{
    const gint64 m = (gint64)pair->a->len, n = (gint64)pair->b->len, step = rule->step;
    GArray *found = g_array_new(FALSE, FALSE, sizeof(Found));
    g_autofree gboolean *there = list_kmers(pair->b, rule);
    for (gint64 diagonal = -m; diagonal <= n; diagonal++)
        for (gint64 i = MAX(0, -diagonal), end; i < m && i + diagonal < n; i = end + 1) {
            const char *a = pair->a->str, *b = pair->b->str + diagonal;
            for (end = i; end < m && end + diagonal < n && is_base(a[end]) && a[end] == b[end];)
                end++;
            gint64 kmer = (i + diagonal + step - 1) / step;
            while (kmer * step + rule->bases <= end + diagonal && !there[kmer])
                kmer++;
            if (end - i < rule->bases + step - 1 || kmer * step + rule->bases > end + diagonal)
                continue;
            const Found one = {{i, i + diagonal, end - i},
                               (kmer * step - diagonal) / CS_SEEDS_STRETCH};
            g_array_append_val(found, one);
        }
    keep_longest(found, rule->kept);
    return found;
}

static CsSeed *
find_seeds(const Pair *pair, const CsSeedsRule *rule, guint threads, gint64 *count, GError **error)
{
    g_autoptr(CsSeedsIndex) index = cs_seeds_index_new(&pair->columns, rule, threads, NULL, error);
    g_assert_no_error(*error);
    return cs_seeds_look_up(index, &pair->rows, FALSE, threads, NULL, count, error);
}

static gint64
expect_all(const Pair *pair, const CsSeedsRule *rule, guint threads)
{
    g_autoptr(GError) error = NULL;
    gint64 count = -1;
    g_autofree CsSeed *seeds = find_seeds(pair, rule, threads, &count, &error);
    g_assert_no_error(error);
    g_autoptr(GArray) wanted = search(pair, rule);
    g_assert_cmpint(count, ==, wanted->len);
    for (guint k = 0; k < wanted->len; k++) {
        const CsSeed *seed = &g_array_index(wanted, Found, k).seed;
        g_assert_cmpint(seeds[k].row, ==, seed->row);
        g_assert_cmpint(seeds[k].column, ==, seed->column);
        g_assert_cmpint(seeds[k].length, ==, seed->length);
    }
    return count;
}

static void
test_small(void)
{
    const guint cases = case_count(12000);
    gint64 total = 0;
    for (guint32 seed = 0; seed < cases; seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        const int alphabet = g_rand_int_range(rand, 1, 5);
        GString *a = g_string_new(NULL), *b;
        related_append(rand, a, alphabet, g_rand_int_range(rand, 0, 120));
        if (seed % 4 == 0) {
            b = g_string_new(NULL);
            related_append(rand, b, alphabet, g_rand_int_range(rand, 0, 120));
        } else {
            b = related_copy(rand, a, alphabet, 20 * (int)(seed % 5));
        }
        if (seed % 3 == 0) /* a repeat */
            g_string_append_len(b, a->str, (gssize)a->len / 2);
        if (seed % 5 == 0)
            related_add_ns(rand, a, 20);
        if (seed % 7 == 0)
            related_add_ns(rand, b, 20);
        Pair pair;
        pair_init(&pair, a, b, seed);
        const CsSeedsRule rule = {.bases = 1 + seed % 7,
                                  .step = 1 + seed / 7 % 5,
                                  .most = 1 + seed / 3 % 8,
                                  .kept = seed % 2 == 0 ? 100000 : 1 + seed % 40};
        total += expect_all(&pair, &rule, 1 + seed % 3);
        pair_clear(&pair);
    }
    g_test_message("%" G_GINT64_FORMAT " seeds", total);
    g_assert_true(cases < 100 || total > 3 * (gint64)cases);
}

/* Rows of several stretches, columns of several, and matches across their borders. */
static void
test_stretches(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    GString *b = g_string_new(NULL), *a = g_string_new(NULL);
    related_append(rand, b, 4, 300);
    while (a->len < 140000) {
        g_autoptr(GString) copy = related_copy(rand, b, 4, 100);
        g_string_append_len(a, copy->str, (gssize)copy->len);
    }
    for (guint threads = case_count_is_low() ? 5 : 1; threads <= 5; threads += 2) {
        static const CsSeedsRule rules[] = {{8, 3, 4, 100000}, {8, 3, 4, 700}, {16, 5, 8, 100000}};
        for (guint k = 0; k < G_N_ELEMENTS(rules); k++) {
            Pair pair;
            pair_init(&pair, g_string_new(a->str), g_string_new(b->str), k + threads);
            g_assert_cmpint(expect_all(&pair, &rules[k], threads), >, 1000);
            pair_clear(&pair);
        }
    }
    Pair pair; /* the other way round */
    pair_init(&pair, b, a, 6);
    expect_all(&pair, &(CsSeedsRule){10, 2, 300, 100000}, 2);
    pair_clear(&pair);
}

static void
test_edges(void)
{
    g_autoptr(GError) error = NULL;
    static const char *const bases[] = {"", "A", "ACGTACGTACGTACGTACGTACGT", "NNNNNNNNNNNNNNN"};
    for (guint k = 0; k < 16; k++) {
        Pair pair;
        pair_init(&pair, g_string_new(bases[k / 4]), g_string_new(bases[k % 4]), k);
        for (guint kmers = 1; kmers <= 16; kmers += 3)
            expect_all(&pair, &(CsSeedsRule){kmers, 1 + k % 3, 30, 1000}, 2);
        pair_clear(&pair);
    }
    Pair pair;
    pair_init(&pair, g_string_new("ACGTTGCA"), g_string_new("ACGTTGCA"), 0);
    const CsSeedsRule rule = {3, 1, 1, 10};
    const gint stop = 1;
    gint64 count = 7;
    g_assert_null(cs_seeds_index_new(&pair.columns, &rule, 2, &stop, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    g_clear_error(&error);
    g_autoptr(CsSeedsIndex) index = cs_seeds_index_new(&pair.columns, &rule, 2, NULL, &error);
    g_assert_null(cs_seeds_look_up(index, &pair.rows, FALSE, 2, &stop, &count, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    g_assert_cmpint(count, ==, 7);
    pair_clear(&pair);
    gint64 most;
    g_assert_cmpuint(cs_seeds_memory(250000000, 250000000, 2, &most), <, 1500000000);
    g_assert_cmpint(most, <, 8000000);
    const CsSeedsRule huge = cs_seeds_rule(G_MAXINT64 / 8, G_MAXINT64 / (1 << 20));
    g_assert_cmpint(G_MAXINT64 / (1 << 20) / huge.step, <, (gint64)1 << 31);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/seeds/small", test_small);
    g_test_add_func("/seeds/stretches", test_stretches);
    g_test_add_func("/seeds/edges", test_edges);
    return g_test_run();
}
