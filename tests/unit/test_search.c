/*
 * Whole searches: the hits, their ends, starts and alignments against full matrices; the same hits with
 * any threads and chunks; matrices and E-values.
 */
#include <math.h>
#include <string.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>
#include <chromosweep/search.h>

#include "../case_count.h"
#include "fasta_fixture.h"
#include "search/alphabet.h"
#include "search/matrix.h"
#include "search/search_message.h"
#include "search/search_worker.h"
#include "search/statistics.h"

static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYVBJZX*UO";

typedef struct {
    gint64 score;
    gint64 target_end, query_end;
} Truth;

/* BLOSUM62 by letters, as an independent reading of what the library has. */
static gint64
pair_score(const CsPairScoring *s, char a, char b)
{
    return s->pairs[cs_alphabet_protein.codes[(guint8)a]][cs_alphabet_protein.codes[(guint8)b]];
}

typedef struct {
    CsPairScoring scoring;  /* of proteins */
    gint64 match, mismatch; /* of nucleotides; match 0: proteins */
    gint64 open, extend;
} Rule;

static gint64
gain(const Rule *rule, char a, char b)
{
    if (rule->match == 0)
        return pair_score(&rule->scoring, a, b);
    return a == b && a != 'N' ? rule->match : -rule->mismatch;
}

/* Three matrices, filled row by row of the query. */
static Truth
find_truth(const Rule *rule, const char *query, const char *record)
{
    const gsize m = strlen(query), n = strlen(record), width = n + 1;
    Truth best = {0};
    g_autofree gint64 *h = g_new0(gint64, (m + 1) * width), *e = g_new0(gint64, (m + 1) * width),
                      *f = g_new0(gint64, (m + 1) * width);
    for (gsize k = 0; k < (m + 1) * width; k++)
        e[k] = f[k] = -1000000000000;
    for (gsize i = 1; i <= m; i++)
        for (gsize j = 1; j <= n; j++) {
            const gsize k = i * width + j;
            e[k] = MAX(e[k - 1], h[k - 1] - rule->open) - rule->extend;
            f[k] = MAX(f[k - width], h[k - width] - rule->open) - rule->extend;
            h[k] = MAX(MAX(0, h[k - width - 1] + gain(rule, query[i - 1], record[j - 1])),
                       MAX(e[k], f[k]));
        }
    for (gsize j = 1; j <= n; j++)
        for (gsize i = 1; i <= m; i++)
            if (h[i * width + j] > best.score)
                best = (Truth){h[i * width + j], (gint64)j, (gint64)i};
    return best;
}

typedef struct {
    GPtrArray *names, *letters;
    char *file;
} Fasta;

static void
fasta_clear(Fasta *fasta)
{
    g_clear_pointer(&fasta->names, g_ptr_array_unref);
    g_clear_pointer(&fasta->letters, g_ptr_array_unref);
    g_clear_pointer(&fasta->file, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fasta, fasta_clear)

static char *
random_text(GRand *rand, gint length, const char *letters, guint kinds)
{
    char *text = g_malloc0((gsize)length + 1);
    for (gint k = 0; k < length; k++)
        text[k] = letters[g_rand_int_range(rand, 0, (gint32)kinds)];
    return text;
}

/* Records of up to so many letters, some of them like those of `like`. */
static void
make_fasta(GRand *rand, Fasta *fasta, const char *name, gint count, gint most, const char *letters,
           guint kinds, const Fasta *like, gsize words)
{
    g_autofree char *description = g_strnfill(words, 'w');
    g_autoptr(GString) text = g_string_new(NULL);
    fasta->names = g_ptr_array_new_with_free_func(g_free);
    fasta->letters = g_ptr_array_new_with_free_func(g_free);
    for (gint k = 0; k < count; k++) {
        char *record = random_text(rand, g_rand_int_range(rand, 1, most + 1), letters, kinds);
        if (like != NULL && g_rand_int_range(rand, 0, 3) == 0) {
            const char *from = g_ptr_array_index(
                like->letters, g_rand_int_range(rand, 0, (gint)like->letters->len));
            char *copy = g_strconcat(record, from, NULL);
            for (char *p = copy + strlen(record); *p != '\0'; p++)
                if (g_rand_int_range(rand, 0, 8) == 0)
                    *p = letters[g_rand_int_range(rand, 0, (gint32)kinds)];
                else if (g_rand_int_range(rand, 0, 12) == 0 && p[1] != '\0')
                    memmove(p, p + 1, strlen(p));
            g_free(record);
            record = copy;
        }
        g_ptr_array_add(fasta->names, g_strdup_printf("%s%d", name, k));
        g_ptr_array_add(fasta->letters, record);
        g_string_append_printf(text, ">%s%d of many %s\n%s\n", name, k, description, record);
    }
    fasta->file = fixture_write(name, text->str, text->len);
}

static char *
reverse_complement(const char *text)
{
    char *reversed = g_strreverse(g_strdup(text));
    for (char *p = reversed; *p != '\0'; p++)
        *p = *p == 'A' ? 'T' : *p == 'C' ? 'G' : *p == 'G' ? 'C' : *p == 'T' ? 'A' : *p;
    return reversed;
}

/* What the alignment of a hit scores, and where it leads. */
static void
check_alignment(const Rule *rule, const CsSearchHit *hit, const char *query, const char *record)
{
    const gboolean minus = hit->strand == CS_STRAND_MINUS;
    gint64 i = minus ? hit->query_length - hit->query_end : hit->query_start - 1;
    gint64 j = hit->target_start - 1, score = 0, columns = 0, matches = 0, gaps = 0;
    for (const char *p = hit->cigar; *p != '\0';) {
        char *kind;
        const gint64 run = g_ascii_strtoll(p, &kind, 10);
        g_assert_cmpint(run, >, 0);
        for (gint64 k = 0; k < run && (*kind == '=' || *kind == 'X'); k++, i++, j++) {
            score += gain(rule, query[i], record[j]);
            g_assert_true((query[i] == record[j] && (rule->match == 0 || query[i] != 'N')) ==
                          (*kind == '='));
        }
        if (*kind == 'I' || *kind == 'D') {
            score -= rule->open + run * rule->extend;
            gaps++;
            i += *kind == 'I' ? run : 0;
            j += *kind == 'D' ? run : 0;
        }
        columns += run;
        matches += *kind == '=' ? run : 0;
        p = kind + 1;
    }
    g_assert_cmpint(score, ==, hit->score);
    g_assert_cmpint(j, ==, hit->target_end);
    g_assert_cmpint(minus ? hit->query_length - i + 1 : i, ==,
                    minus ? hit->query_start : hit->query_end);
    g_assert_cmpint(columns, ==, hit->columns);
    g_assert_cmpint(matches, ==, hit->matches);
    g_assert_cmpint(gaps, ==, hit->gap_openings);
}

typedef struct {
    Truth truth;
    gint number;
    CsStrand strand;
} Wanted;

static int
compare_wanted(gconstpointer a, gconstpointer b)
{
    const Wanted *one = a, *other = b;
    return one->truth.score != other->truth.score ? (one->truth.score > other->truth.score ? -1 : 1)
                                                  : one->number - other->number;
}

/* All hits of a query, in their order. */
static GArray *
find_wanted(const Rule *rule, const char *query, const Fasta *database, gboolean both)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(Wanted));
    g_autofree char *minus = reverse_complement(query);
    for (guint k = 0; k < database->letters->len; k++) {
        const char *record = g_ptr_array_index(database->letters, k);
        Wanted wanted = {find_truth(rule, query, record), (gint)k, CS_STRAND_PLUS};
        if (both) {
            const Truth other = find_truth(rule, minus, record);
            if (other.score > wanted.truth.score)
                wanted = (Wanted){other, (gint)k, CS_STRAND_MINUS};
        }
        if (wanted.truth.score > 0)
            g_array_append_val(all, wanted);
    }
    g_array_sort(all, compare_wanted);
    return all;
}

static void
check_hits(const Rule *rule, const CsSearch *search, const Fasta *queries, const Fasta *database,
           const CsSearchOptions *options, gboolean both)
{
    gint64 count, next = 0;
    const CsSearchHit *hits = cs_search_get_hits(search, &count);
    for (guint q = 0; q < queries->letters->len; q++) {
        const char *query = g_ptr_array_index(queries->letters, q);
        g_autofree char *minus = reverse_complement(query);
        g_autoptr(GArray) wanted = find_wanted(rule, query, database, both);
        for (guint k = 0; k < MIN(wanted->len, options->number); k++) {
            const Wanted *w = &g_array_index(wanted, Wanted, k);
            const CsSearchHit *hit = &hits[next];
            if (w->truth.score < options->min_score)
                break;
            g_assert_cmpint(next++, <, count);
            g_assert_cmpstr(hit->query, ==, g_ptr_array_index(queries->names, q));
            g_assert_cmpstr(hit->target, ==, g_ptr_array_index(database->names, w->number));
            g_assert_cmpint(hit->target_number, ==, w->number + 1);
            g_assert_cmpint(hit->score, ==, w->truth.score);
            g_assert_cmpint(hit->strand, ==, w->strand);
            g_assert_cmpint(hit->target_end, ==, w->truth.target_end);
            if (w->strand == CS_STRAND_PLUS)
                g_assert_cmpint(hit->query_end, ==, w->truth.query_end);
            else
                g_assert_cmpint(hit->query_start, ==, hit->query_length + 1 - w->truth.query_end);
            if (options->align)
                check_alignment(rule, hit, w->strand == CS_STRAND_PLUS ? query : minus,
                                g_ptr_array_index(database->letters, w->number));
        }
    }
    g_assert_cmpint(next, ==, count);
}

/* A search of random proteins or nucleotides. */
static void
run_case(GRand *rand, const char *device)
{
    static const gint64 gaps[][2] = {{11, 1}, {0, 2}, {3, 2}, {0, 0}, {40, 0}, {2, 9}};
    static const gint64 numbers[] = {1, 2, 5, 1000};
    const gboolean protein = g_rand_boolean(rand);
    const gint64 *gap = gaps[g_rand_int_range(rand, 0, G_N_ELEMENTS(gaps))];
    Rule rule = {.open = gap[0], .extend = gap[1]};
    g_auto(Fasta) queries = {0}, database = {0};
    const char *letters = protein ? amino_acids : "ACGTN";
    const guint kinds = protein ? (guint)g_rand_int_range(rand, 2, 28) : 5;
    int builtin;
    make_fasta(rand, &queries, "query", g_rand_int_range(rand, 1, 5), 60, letters, kinds, NULL, 0);
    /* A chunk has the records of a block of text, or more. */
    const gsize words = g_rand_int_range(rand, 0, 8) == 0 ? 30000 : 0;
    make_fasta(rand, &database, "record", g_rand_int_range(rand, 1, 160), 80, letters, kinds,
               &queries, words);
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    options.alphabet = protein ? CS_ALPHABET_PROTEIN : CS_ALPHABET_NUCLEOTIDE;
    options.gap_open = rule.open;
    options.gap_extend = rule.extend;
    options.number = numbers[g_rand_int_range(rand, 0, G_N_ELEMENTS(numbers))];
    options.min_score = g_rand_boolean(rand) ? 1 : 20;
    options.threads = (guint)g_rand_int_range(rand, 1, 4);
    options.align = g_rand_boolean(rand);
    options.match = g_rand_int_range(rand, 1, 20);
    if (options.match % 2 == 0) /* then some scores need more than 16 bits */
        options.match *= 700;
    options.device = device;
    options.chunk = g_rand_boolean(rand) ? 0 : 1;
    if (!protein) {
        rule.match = options.match;
        rule.mismatch = options.mismatch;
    }
    g_assert_true(cs_matrix_load("blosum62", &rule.scoring, &builtin, NULL));
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSearch) search = cs_search(queries.file, database.file, &options, &error);
    g_assert_no_error(error);
    check_hits(&rule, search, &queries, &database, &options, !protein);
}

static void
test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(31);
    const gboolean has_gpu = cs_device_describe("gpu", NULL, NULL) != NULL;
    fixture_begin();
    static const char *const devices[] = {"cpu",     "gpu",       "cpu,cpu",
                                          "gpu:all", "gpu:0,cpu", "gpu:all,cpu"};
    for (guint k = case_count(600); k > 0; k--)
        run_case(rand, has_gpu      ? devices[k % G_N_ELEMENTS(devices)]
                       : k % 2 == 0 ? "cpu,cpu"
                                    : "cpu");
    fixture_end();
}

/* Searches a chunk, and puts what is found into the lists of all. */
static void
search_chunk(CsSearchWorker *worker, CsRecordChunk *chunk, CsQueries *all)
{
    GString *entries = g_string_new(NULL);
    gint64 cells;
    cs_search_worker_begin(worker, chunk, all, NULL);
    g_assert_true(cs_search_worker_finish(worker, entries, &cells, NULL));
    g_assert_cmpint(cells, >, 0);
    CsMessageIn message = {.bytes = entries->len};
    message.data = (guint8 *)g_string_free(entries, FALSE);
    g_assert_true(cs_search_message_get_entries(&message, all, NULL));
    cs_message_in_clear(&message);
}

/* Tables of a search, as one text. */
static char *
describe(const char *queries, const char *database, const CsSearchOptions *options)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSearch) search = cs_search(queries, database, options, &error);
    GString *text = g_string_new(NULL);
    gint64 count;
    g_assert_no_error(error);
    const CsSearchHit *hits = cs_search_get_hits(search, &count);
    for (gint64 k = 0; k < count; k++)
        g_string_append_printf(text, "%s %s %d %d %d-%d %d-%d %g\n", hits[k].query, hits[k].target,
                               (int)hits[k].target_number, (int)hits[k].score,
                               (int)hits[k].query_start, (int)hits[k].query_end,
                               (int)hits[k].target_start, (int)hits[k].target_end, hits[k].evalue);
    return g_string_free(text, FALSE);
}

/* Several blocks of text, so that records go over the ends of chunks. */
static void
test_chunks(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    g_auto(Fasta) queries = {0}, database = {0};
    fixture_begin();
    make_fasta(rand, &queries, "query", 3, 40, amino_acids, 20, NULL, 0);
    make_fasta(rand, &database, "record", 4000, 900, amino_acids, 20, &queries, 0);
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    options.number = 40;
    options.threads = 1;
    options.chunk = G_MAXINT32;
    g_autofree char *wanted = describe(queries.file, database.file, &options);
    for (gint64 chunk = 1; chunk < 1000000; chunk = 30 * chunk + 7)
        for (guint threads = 1; threads < 4; threads += 2) {
            options.chunk = chunk;
            options.threads = threads;
            g_autofree char *found = describe(queries.file, database.file, &options);
            g_assert_cmpstr(found, ==, wanted);
        }
    g_assert_cmpint(options.threads, ==, 3);
    fixture_end();
}

/* Workers that take the chunks of a database in any order find the best of all. */
static void
test_workers(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    g_auto(Fasta) queries = {0}, database = {0};
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    gint64 count;
    gint stop = 0;
    fixture_begin();
    make_fasta(rand, &queries, "query", 3, 40, amino_acids, 20, NULL, 0);
    make_fasta(rand, &database, "record", 4000, 900, amino_acids, 20, &queries, 0);
    options.number = 40;
    options.threads = 1;
    g_autoptr(CsSearch) search = cs_search(queries.file, database.file, &options, NULL);
    const CsSearchHit *hits = cs_search_get_hits(search, &count);
    g_assert_cmpint(count, ==, 3 * options.number);
    for (guint round = case_count(10); round > 0; round--) {
        CsQueries all = {0};
        CsSearchWorker workers[2];
        g_assert_true(cs_queries_init(&all, queries.file, &options, NULL));
        const CsChunkSearch like = {.kernels = cs_pair_kernels(NULL), .stop = &stop};
        for (guint k = 0; k < 2; k++)
            cs_search_worker_init(&workers[k], &all, &like, 1);
        g_autoptr(CsRecordStream) stream = cs_record_stream_new(database.file, &all.letters, NULL);
        g_autoptr(GPtrArray) chunks = g_ptr_array_new();
        for (CsRecordChunk *chunk; (chunk = cs_record_stream_next(stream, 1, NULL)) != NULL;)
            g_ptr_array_add(chunks, chunk);
        g_assert_cmpuint(chunks->len, >, 5);
        while (chunks->len > 0) {
            const guint which = (guint)g_rand_int_range(rand, 0, (gint32)chunks->len);
            search_chunk(&workers[g_rand_int_range(rand, 0, 2)],
                         g_ptr_array_remove_index_fast(chunks, which), &all);
        }
        for (gint64 k = 0; k < count; k++) {
            CsBestList *best = &all.queries[k / options.number].best;
            cs_best_list_trim(best);
            const CsBestEntry *entry =
                &g_array_index(best->entries, CsBestEntry, k % options.number);
            g_assert_cmpint(entry->score, ==, hits[k].score);
            g_assert_cmpint(entry->number + 1, ==, hits[k].target_number);
        }
        for (guint k = 0; k < 2; k++)
            cs_search_worker_clear(&workers[k]);
        cs_queries_clear(&all);
    }
    fixture_end();
}

static CsControl
stop_at_once(gpointer data)
{
    gint *asked = data;
    return ++*asked > 2 ? CS_CONTROL_STOP : CS_CONTROL_GO_ON;
}

static void
test_stop(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(6);
    g_auto(Fasta) queries = {0}, database = {0};
    gint asked = 0;
    g_autoptr(GError) error = NULL;
    fixture_begin();
    make_fasta(rand, &queries, "query", 2, 4000, amino_acids, 20, NULL, 0);
    make_fasta(rand, &database, "record", 4000, 900, amino_acids, 20, &queries, 0);
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    options.control = stop_at_once;
    options.data = &asked;
    g_assert_null(cs_search(queries.file, database.file, &options, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    fixture_end();
}

/* Letters that matrices have, and some that they do not have. */
static void
test_matrices(void)
{
    for (guint k = 0; cs_matrix_names[k] != NULL; k++) {
        CsPairScoring s = {.first = 0};
        int builtin;
        gint64 open, extend;
        CsStatistics statistics;
        g_assert_true(cs_matrix_load(cs_matrix_names[k], &s, &builtin, NULL));
        g_assert_cmpint(builtin, ==, (int)k);
        for (const char *a = amino_acids; *a != '\0'; a++) {
            for (const char *b = amino_acids; *b != '\0'; b++)
                g_assert_cmpint(pair_score(&s, *a, *b), ==, pair_score(&s, *b, *a));
            g_assert_cmpint(pair_score(&s, 'U', *a), ==, pair_score(&s, 'C', *a));
            g_assert_cmpint(pair_score(&s, 'O', *a), ==, pair_score(&s, 'X', *a));
            g_assert_cmpint(pair_score(&s, 'u', *a), ==, pair_score(&s, 'C', *a));
        }
        cs_statistics_recommend(builtin, &open, &extend);
        g_assert_true(cs_statistics_find(builtin, open, extend, &statistics));
        g_assert_false(cs_statistics_find(builtin, open, extend + 77, &statistics));
    }
    CsPairScoring s = {.first = 0};
    int builtin;
    CsStatistics statistics;
    g_assert_true(cs_matrix_load("Blosum62", &s, &builtin, NULL));
    g_assert_cmpint(pair_score(&s, 'W', 'W'), ==, 11);
    g_assert_cmpint(pair_score(&s, 'D', 'N'), ==, 1);
    g_assert_cmpint(pair_score(&s, 'J', 'L'), ==, 3);
    g_assert_cmpint(pair_score(&s, '*', '*'), ==, 1);
    g_assert_cmpint(pair_score(&s, '*', 'A'), ==, -4);
    g_assert_false(cs_statistics_find(-1, 11, 1, &statistics));
}

/* What blastp 2.12.0 -comp_based_stats 0 -seg no printed for these scores and lengths. */
static void
test_evalues(void)
{
    static const struct {
        gint64 score, m, n;
        double evalue, bits;
    } rows[] = {
        {213, 375, 349, 7.28e-20, 86.7}, {96, 2504, 324, 4.95e-04, 41.6},
        {78, 5478, 337, 0.17, 34.7},     {72, 5478, 379, 0.93, 32.3},
        {68, 3005, 303, 1.4, 30.8},      {66, 3005, 327, 2.5, 30.0},
        {64, 1500, 613, 2.5, 29.3},      {63, 2005, 426, 4.0, 28.9},
        {62, 2504, 331, 6.2, 28.5},      {60, 375, 336, 1.3, 27.7},
        {59, 189, 645, 0.73, 27.3},      {57, 464, 270, 3.7, 26.6},
        {56, 2504, 62, 5.7, 26.2},       {55, 144, 294, 1.2, 25.8},
        {53, 144, 500, 2.4, 25.0},
    };
    CsStatistics s;
    g_assert_true(cs_statistics_find(2, 11, 1, &s));
    for (guint k = 0; k < G_N_ELEMENTS(rows); k++) {
        const double evalue =
            cs_statistics_evalue(&s, rows[k].score, rows[k].m, rows[k].n, 1329980);
        g_assert_cmpfloat(fabs(evalue - rows[k].evalue), <=, rows[k].evalue * 0.045);
        g_assert_cmpfloat(fabs(cs_statistics_bits(&s, rows[k].score) - rows[k].bits), <=, 0.0501);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/search/random", test_random);
    g_test_add_func("/search/chunks", test_chunks);
    g_test_add_func("/search/workers", test_workers);
    g_test_add_func("/search/stop", test_stop);
    g_test_add_func("/search/matrices", test_matrices);
    g_test_add_func("/search/evalues", test_evalues);
    return g_test_run();
}
