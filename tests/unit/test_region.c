/*
 * Regions of records: what their text means, and that streaming and an index give the same result,
 * whatever the index says.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>
#include <htslib/bgzf.h>
#include <htslib/faidx.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>

#include "../case_count.h"
#include "fasta_fixture.h"
#include "sequence/faidx.h"

typedef struct {
    const char *label;
    const char *text;
    const char *region;
    const char *name; /* of the record expected, NULL where an error is */
    const char *said; /* the bases expected, ambiguous ones as N; or what the message holds */
    gint64 offset;
    gint64 length; /* of the record; of an error its kind */
} Case;

#define TEN ">a one\nACGT\nacgt\nUN\n"
#define TWO ">a\nACGTAC\nGT\n>b\nGG\n"
#define COLONS ">a\nACGTA\n>h:1-2\nCCC\n>a:2-3\nGG\n>b}:1\nTTA\n>{c\nAAC\n"
#define FORM "expected FROM-TO, FROM- or FROM after ':'"

static const Case cases[] = {
    {"whole", TEN, "a", "a", "ACGTACGTTN", 0, 10},
    {"all", TEN, "a:1-10", "a", "ACGTACGTTN", 0, 10},
    {"first", TEN, "a:1-1", "a", "A", 0, 10},
    {"last", TEN, "a:10-10", "a", "N", 9, 10},
    {"line", TEN, "a:5-8", "a", "ACGT", 4, 10},
    {"line-end", TEN, "a:4-5", "a", "TA", 3, 10},
    {"lines", TEN, "a:3-9", "a", "GTACGTT", 2, 10},
    {"open", TEN, "a:9-", "a", "TN", 8, 10},
    {"from", TEN, "a:9", "a", "TN", 8, 10},
    {"braces", TEN, "{a}", "a", "ACGTACGTTN", 0, 10},
    {"braces-range", TEN, "{a}:2-3", "a", "CG", 1, 10},
    {"braces-open", TEN, "{a}:10-", "a", "N", 9, 10},
    {"commas", TEN, "a:0,0,2-1,0", "a", "CGTACGTTN", 1, 10},
    {"leading-zeros", TEN, "a:00000000000000000000002-3", "a", "CG", 1, 10},
    {"first-of-two", TWO, "a:6-7", "a", "CG", 5, 8},
    {"last-of-two", TWO, "b:2-", "b", "G", 1, 2},
    {"others-not-judged", ">x\n**\n>a\nACGT\n", "a:2-3", "a", "CG", 1, 4},
    {"no-name", ">\nACGT\n>b\nA\n", ":2-3", "", "CG", 1, 4},
    {"no-name-braces", ">\nACGT\n>b\nA\n", "{}:2-3", "", "CG", 1, 4},
    {"no-name-whole", ">\nACGT\n>b\nA\n", "", "", "ACGT", 0, 4},
    {"crlf", ">a x\r\nACGT\r\nAC\r\n", "a:4-5", "a", "TA", 3, 6},
    {"blanks", ">a\nAC GT\nA CG T\n", "a:3-6", "a", "GTAC", 2, 8},
    {"ragged", ">a\nA\nCGT\n\nAC\n", "a:2-5", "a", "CGTA", 1, 6},
    {"no-final-newline", ">a\nACGT\nAC", "a:4-6", "a", "TAC", 3, 6},
    {"one-line", ">a\nACGTAC", "a:4-6", "a", "TAC", 3, 6},
    {"colon-in-name", COLONS, "h:1-2", "h:1-2", "CCC", 0, 3},
    {"colon-in-name-range", COLONS, "h:1-2:3-3", "h:1-2", "C", 2, 3},
    {"colon-braces", COLONS, "{h:1-2}:2-3", "h:1-2", "CC", 1, 3},
    {"both-whole", COLONS, "{a:2-3}", "a:2-3", "GG", 0, 2},
    {"both-part", COLONS, "{a}:2-3", "a", "CG", 1, 5},
    {"brace-in-name", COLONS, "b}:1", "b}:1", "TTA", 0, 3},
    {"brace-in-name-range", COLONS, "{b}:1}:3", "b}:1", "A", 2, 3},
    {"brace-first", COLONS, "{{c}:3", "{c", "C", 2, 3},
    {"name-not-range", ">a:x\nAC\n>a\nGG\n", "a:y:1-1", NULL,
     "no record named \"a:y\" or \"a:y:1-1\"", 0, CS_ERROR_CONTENT},
    {"bad-range-is-name", ">a:x\nAC\n>b\nGG\n", "a:x", "a:x", "AC", 0, 2},
    {"bad-range-of-name", ">a:x\nACG\n>b\nGG\n", "a:x:2", "a:x", "CG", 1, 3},
    /* of the file */
    {"both", COLONS, "a:2-3", NULL,
     ": the file has both a record \"a:2-3\" and a record \"a\": write {a:2-3} or {a}:2-3", 0,
     CS_ERROR_CONTENT},
    {"both-bad-range", ">a\nA\n>a:x\nC\n", "a:x", NULL, ": write {", 0, CS_ERROR_CONTENT},
    {"begins-past-end", TEN, "a:11-12", NULL,
     ": record \"a\" has 10 bases: the region \"a:11-12\" begins past its end", 0,
     CS_ERROR_CONTENT},
    {"open-past-end", TEN, "a:11-", NULL, "begins past its end", 0, CS_ERROR_CONTENT},
    {"from-past-end", TEN, "{a}:11", NULL, "begins past its end", 0, CS_ERROR_CONTENT},
    {"begins-huge", TEN, "a:18446744073709551617-18446744073709551618", NULL, "begins past its end",
     0, CS_ERROR_CONTENT},
    {"absent", TWO, "c:1-2", NULL, ": no record named \"c\" or \"c:1-2\"; the file has a, b", 0,
     CS_ERROR_CONTENT},
    {"absent-whole", TWO, "c", NULL, ": no record named \"c\"; the file has a, b", 0,
     CS_ERROR_CONTENT},
    {"absent-bad-range", TWO, "c:x", NULL, ": no record named \"c:x\"; the file has a, b", 0,
     CS_ERROR_CONTENT},
    {"absent-braces", TWO, "{c}:1-2", NULL, ": no record named \"c\"; the file has a, b", 0,
     CS_ERROR_CONTENT},
    {"twice", ">a\nAC\n>a\nGT\n", "a:1-1", NULL, ": two records named \"a\"", 0, CS_ERROR_CONTENT},
    {"bad-in-region", ">a\nAC*T\n", "a:2-3", NULL, ": record \"a\": '*' at byte offset 5 (line 2)",
     0, CS_ERROR_CONTENT},
    {"no-bases", ">a\n>b\nA\n", "a:1-1", NULL, ": record \"a\" has no bases", 0, CS_ERROR_CONTENT},
    {"empty", "", "a:1-1", NULL, ": no FASTA record: the file is empty", 0, CS_ERROR_CONTENT},
    /* of the region's text */
    {"word", TEN, "a:x", NULL, "region \"a:x\": " FORM, 0, CS_ERROR_USAGE},
    {"nothing", TEN, "a:", NULL, FORM, 0, CS_ERROR_USAGE},
    {"dash", TEN, "a:-", NULL, FORM, 0, CS_ERROR_USAGE},
    {"to-only", TEN, "a:-5", NULL, FORM, 0, CS_ERROR_USAGE},
    {"suffix", TEN, "a:1M", NULL, FORM, 0, CS_ERROR_USAGE},
    {"exponent", TEN, "a:1e0-5", NULL, FORM, 0, CS_ERROR_USAGE},
    {"sign", TEN, "a:+1-5", NULL, FORM, 0, CS_ERROR_USAGE},
    {"blank", TEN, "a: 1-5", NULL, FORM, 0, CS_ERROR_USAGE},
    {"blank-behind", TEN, "a:1-5 ", NULL, FORM, 0, CS_ERROR_USAGE},
    {"comma-first", TEN, "a:,1-5", NULL, FORM, 0, CS_ERROR_USAGE},
    {"comma-last", TEN, "a:1,-5", NULL, FORM, 0, CS_ERROR_USAGE},
    {"commas-together", TEN, "a:1-1,,0", NULL, FORM, 0, CS_ERROR_USAGE},
    {"three", TEN, "a:1-2-3", NULL, FORM, 0, CS_ERROR_USAGE},
    {"zero", TEN, "a:0-5", NULL, "region \"a:0-5\": positions start at 1", 0, CS_ERROR_USAGE},
    {"zero-to", TEN, "a:1-0", NULL, "positions start at 1", 0, CS_ERROR_USAGE},
    {"backwards", TEN, "a:5-4", NULL, "region \"a:5-4\": it ends before it starts", 0,
     CS_ERROR_USAGE},
    {"usage-before-bases", ">a\n**\n", "a:5-4", NULL, "it ends before", 0, CS_ERROR_USAGE},
    {"braces-at-once", TEN, "{z}:0-1", NULL, "region \"{z}:0-1\": positions start", 0,
     CS_ERROR_USAGE},
    {"braces-word", "", "{a}:x", NULL, FORM, 0, CS_ERROR_USAGE},
    {"braces-nothing", "", "{a}:", NULL, FORM, 0, CS_ERROR_USAGE},
    {"braces-more", "", "{a}1-2", NULL, "expected ':' or nothing after '}'", 0, CS_ERROR_USAGE},
    {"braces-open-end", "", "{a:1-2", NULL, "has no '}' after it", 0, CS_ERROR_USAGE},
};

static void
remove_index(const char *path)
{
    g_autofree char *fai = g_strconcat(path, ".fai", NULL);
    g_autofree char *gzi = g_strconcat(path, ".gzi", NULL);
    g_unlink(fai);
    g_unlink(gzi);
}

/* Lets htslib index a file; FALSE if it cannot. */
static gboolean
build_index(const char *path)
{
    remove_index(path);
    return fai_build3(path, NULL, NULL) == 0;
}

/* Whether the region can be read by the index alone, and the result. */
static gboolean
by_index(const char *path, const char *text, FixtureResult *result)
{
    g_autoptr(CsRegion) region = cs_region_parse(text, NULL);
    struct stat status;
    g_assert_cmpint(stat(path, &status), ==, 0);
    BGZF *input = bgzf_open(path, "r");
    g_assert_nonnull(input);
    g_autoptr(CsSequence) sequence =
        region != NULL ? cs_faidx_read(input, path, &status, region) : NULL;
    bgzf_close(input);
    if (sequence == NULL)
        return FALSE;
    *result = fixture_load_region(path, text); /* the same, for the bases */
    g_assert_no_error(result->error);
    g_assert_cmpint(cs_sequence_get_offset(sequence), ==, result->offset);
    g_assert_cmpint(cs_sequence_get_record_length(sequence), ==, result->record_length);
    g_assert_cmpint(cs_sequence_get_clipped(sequence), ==, result->clipped);
    return TRUE;
}

static gboolean
is_indexed(const char *path, const char *text)
{
    g_auto(FixtureResult) result = {0};
    return by_index(path, text, &result);
}

static void
check(FixtureResult result, const Case *c)
{
    g_auto(FixtureResult) r = result;
    if (c->name == NULL) {
        fixture_assert_error(r, (int)c->length, c->said);
        return;
    }
    g_assert_no_error(r.error);
    g_assert_cmpstr(r.name, ==, c->name);
    g_assert_cmpstr(r.bases, ==, c->said);
    g_assert_cmpint(r.offset, ==, c->offset);
    g_assert_cmpint(r.record_length, ==, c->length);
    g_assert_cmpint(r.clipped, ==, 0);
}

static void
test_case(gconstpointer data)
{
    const Case *c = data;
    gsize length = strlen(c->text);
    g_autoptr(GByteArray) bgzip = fixture_bgzip(c->text, length, 65280);
    g_autoptr(GByteArray) blocks = fixture_bgzip(c->text, length, 3);
    g_autoptr(GByteArray) gzip = fixture_gzip(c->text, length);
    const struct {
        const void *data;
        gsize length;
    } files[] = {
        {c->text, length},
        {bgzip->data, bgzip->len},
        {blocks->data, blocks->len},
        {gzip->data, gzip->len},
    };
    for (gsize k = 0; k < G_N_ELEMENTS(files); k++) {
        g_autofree char *path = fixture_write("input", files[k].data, files[k].length);
        g_autofree char *fai = g_strconcat(path, ".fai", NULL);
        remove_index(path);
        check(fixture_load_region(path, c->region), c);
        g_assert_false(g_file_test(fai, G_FILE_TEST_EXISTS)); /* no index is written */
        build_index(path);
        check(fixture_load_region(path, c->region), c);
        check(fixture_load_region_stdin(files[k].data, files[k].length, c->region), c);
        remove_index(path);
    }
}

/* Bases past the record's end are left out, with and without an index. */
static void
test_clipped(void)
{
    static const struct {
        const char *region, *bases;
        gint64 offset, clipped;
    } wanted[] = {
        {"a:8-8", "T", 7, 0},
        {"a:8-9", "T", 7, 1},
        {"{a}:2-1,008", "CGTACGT", 1, 1000},
        {"a:1-9", "ACGTACGT", 0, 1},
        {"a:5-9223372036854775807", "ACGT", 4, G_MAXINT64 - 8},
        {"a:1-18446744073709551618", "ACGTACGT", 0, G_MAXINT64 - 8},
    };
    g_autofree char *path = fixture_write("clipped.fa", TWO, strlen(TWO));
    for (int indexed = 0; indexed < 2; indexed++) {
        remove_index(path);
        g_assert_true(!indexed || build_index(path));
        for (gsize k = 0; k < G_N_ELEMENTS(wanted); k++) {
            g_auto(FixtureResult) result = fixture_load_region(path, wanted[k].region);
            g_assert_no_error(result.error);
            g_assert_cmpstr(result.bases, ==, wanted[k].bases);
            g_assert_cmpint(result.offset, ==, wanted[k].offset);
            g_assert_cmpint(result.record_length, ==, 8);
            g_assert_cmpint(result.clipped, ==, wanted[k].clipped);
            g_assert_cmpint(is_indexed(path, wanted[k].region), ==, indexed);
        }
    }
    remove_index(path);
}

/* Without a region, the only record is read, as by cs_sequence_load(). */
static void
test_no_region(void)
{
    g_autofree char *one = fixture_write("input", TEN, strlen(TEN));
    check(fixture_load_region(one, NULL), &cases[0]);
    g_autofree char *two = fixture_write("input", TWO, strlen(TWO));
    g_auto(FixtureResult) several = fixture_load_region(two, NULL);
    fixture_assert_error(several, CS_ERROR_CONTENT, "several records (a, b): choose one by name");
}

static const char *const colon_names[] = {"a", "h:1-2", "a:2-3", "b}:1", "{c"};

static int
colon_name_id(void *data, const char *name)
{
    for (gsize k = 0; k < G_N_ELEMENTS(colon_names); k++)
        if (strcmp(name, colon_names[k]) == 0)
            return (int)k;
    return -1;
}

/* A text as it might be a region of one of those. */
static char *
random_region(void)
{
    static const char *const pieces[] = {":", "-", ",", "1", "2", "3",
                                         "0", "5", " ", "+", "K", "}"};
    const char *name = colon_names[g_test_rand_int_range(0, G_N_ELEMENTS(colon_names))];
    gboolean braced = g_test_rand_bit();
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%s%s%s", braced ? "{" : "", name, braced ? "}" : "");
    if (g_test_rand_bit())
        g_string_append_printf(text, ":%d%s", g_test_rand_int_range(0, 4),
                               g_test_rand_bit() ? "-" : "");
    for (int k = g_test_rand_int_range(0, 4); k > 0; k--)
        g_string_append(text, pieces[g_test_rand_int_range(0, G_N_ELEMENTS(pieces))]);
    return g_string_free(text, FALSE);
}

/* A text that is accepted means the same to htslib, which accepts more texts. */
static void
test_htslib(void)
{
    g_autofree char *path = fixture_write("input", COLONS, strlen(COLONS));
    int accepted = 0;
    for (int round = 0; round < 20000; round++) {
        g_autofree char *text = random_region();
        g_auto(FixtureResult) result = fixture_load_region(path, text);
        /* To htslib a name in braces ends at the first closing one. */
        if (result.error != NULL || (text[0] == '{' && strchr(text, '}') != strrchr(text, '}')))
            continue;
        int id;
        hts_pos_t from, to;
        const char *rest = hts_parse_region(text, &id, &from, &to, colon_name_id, NULL, 0);
        if (rest == NULL || *rest != '\0')
            g_error("\"%s\" is no region to htslib", text);
        g_assert_cmpstr(colon_names[id], ==, result.name);
        g_assert_cmpint(from, ==, result.offset);
        g_assert_cmpint(MIN(to, result.record_length), ==, from + (gint64)strlen(result.bases));
        accepted++;
    }
    g_assert_cmpint(accepted, >, 1000);
}

enum {
    RECORDS_MAX = 4,
};

/* A file of records of random bases and layout. */
typedef struct {
    GString *text;
    int records;
    GString *bases[RECORDS_MAX]; /* as the library answers them */
    gboolean plain;              /* its lines are such that an index serves */
} Layout;

static void
layout_clear(Layout *layout)
{
    g_string_free(layout->text, TRUE);
    for (int k = 0; k < layout->records; k++)
        g_string_free(layout->bases[k], TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Layout, layout_clear)

static void
add_record(Layout *layout, const char *line_end, int longest)
{
    GString *text = layout->text, *bases = g_string_new(NULL);
    static const int widest[] = {8, 200, 200, 1 << 20};
    int line = g_test_rand_int_range(1, widest[g_test_rand_int_range(0, 4)]);
    g_string_append_printf(text, ">r%d%s%s", layout->records, g_test_rand_bit() ? "" : " some > x",
                           line_end);
    for (int k = g_test_rand_int_range(1, longest); k > 0; k--) {
        int which = g_test_rand_int_range(0, 32);
        g_string_append_c(text, "ACGTacgtuURYSWKMBDHVNryswkmbdhvn"[which]);
        g_string_append_c(bases, "ACGTACGTTTNNNNNNNNNNNNNNNNNNNNNN"[which]);
        if (k == 1 || bases->len % (gsize)line == 0)
            g_string_append(text, line_end);
    }
    layout->bases[layout->records++] = bases;
}

static Layout
layout_random(gboolean crlf, int longest)
{
    Layout layout = {.text = g_string_new(NULL), .plain = !crlf};
    const char *line_end = crlf ? "\r\n" : "\n";
    for (int k = g_test_rand_int_range(1, RECORDS_MAX + 1); k > 0; k--)
        add_record(&layout, line_end, longest);
    /* samtools counts blank lines at the end for a record's end, as we do. */
    for (int k = g_test_rand_int_range(0, 3); k > 0; k--)
        g_string_append(layout.text, line_end);
    return layout;
}

/* A random region of a file must have the expected bases; by index if the index must be usable. */
static void
try_region(const Layout *layout, const char *path, gboolean indexed)
{
    int which = g_test_rand_int_range(0, layout->records);
    const GString *bases = layout->bases[which];
    gint64 length = (gint64)bases->len;
    gint64 from = g_test_rand_int_range(1, (int)length + 1);
    gint64 to = g_test_rand_bit() ? length : g_test_rand_int_range((int)from, (int)length + 1);
    g_autofree char *text =
        g_test_rand_bit() && to == length
            ? g_strdup_printf("r%d:%" G_GINT64_FORMAT "-", which, from)
            : g_strdup_printf("r%d:%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, which, from, to);
    g_autofree char *expected = g_strndup(bases->str + from - 1, (gsize)(to - from + 1));
    g_auto(FixtureResult) result = fixture_load_region(path, text);
    g_assert_no_error(result.error);
    g_assert_cmpstr(result.bases, ==, expected);
    g_assert_cmpint(result.offset, ==, from - 1);
    g_assert_cmpint(result.record_length, ==, length);
    g_assert_cmpint(is_indexed(path, text), ==, indexed);
}

static void
test_random(void)
{
    const guint rounds = case_count(1200);
    for (guint round = 0; round < rounds; round++) {
        gboolean large = round % 20 == 0;
        g_auto(Layout) layout = layout_random(round % 5 == 1, large ? 300000 : 300);
        gsize block = large ? 65280 : (gsize)g_test_rand_int_range(1, 300);
        g_autoptr(GByteArray) bgzip = fixture_bgzip(layout.text->str, layout.text->len, block);
        g_autofree char *plain = fixture_write("random.fa", layout.text->str, layout.text->len);
        g_autofree char *packed = fixture_write("random.fa.gz", bgzip->data, bgzip->len);
        for (int indexed = 0; indexed < 2; indexed++) {
            remove_index(plain);
            remove_index(packed);
            if (indexed) {
                g_assert_true(build_index(plain));
                g_assert_true(build_index(packed));
            }
            for (int k = 0; k < 10; k++) {
                try_region(&layout, plain, indexed && layout.plain);
                try_region(&layout, packed, indexed && layout.plain);
            }
        }
        remove_index(plain);
        remove_index(packed);
    }
}

/* The files of the tests of false indexes, the regions asked of them and the answers without one.
 */
static const char *const false_regions[] = {"a:40-61", "a",     "b:3-70", "b:100-",
                                            "c",       "c:2-2", "d:7-12"};

typedef struct {
    char *path;
    char *index; /* that is made false */
    char *bytes; /* of it, when true */
    gsize length;
    FixtureResult expected[G_N_ELEMENTS(false_regions)];
} Victim;

static void
victim_init(Victim *victim, gboolean compressed, const char *suffix)
{
    g_autoptr(GString) text = g_string_new("\n>a first\n");
    g_autoptr(GRand) generator = g_rand_new_with_seed(7);
    static const int lengths[] = {100, 200, 3, 60}, lines[] = {20, 60, 60, 6};
    for (int record = 0; record < 4; record++) {
        if (record > 0)
            g_string_append_printf(text, ">%c\n", 'a' + record);
        for (int k = 1; k <= lengths[record]; k++) {
            g_string_append_c(text, "ACGTn"[g_rand_int_range(generator, 0, 5)]);
            if (k == lengths[record] || k % lines[record] == 0)
                g_string_append_c(text, '\n');
        }
    }
    g_autoptr(GByteArray) bgzip = fixture_bgzip(text->str, text->len, 61);
    victim->path = compressed ? fixture_write("victim.gz", bgzip->data, bgzip->len)
                              : fixture_write("victim.fa", text->str, text->len);
    remove_index(victim->path);
    for (gsize k = 0; k < G_N_ELEMENTS(false_regions); k++) {
        victim->expected[k] = fixture_load_region(victim->path, false_regions[k]);
        g_assert_no_error(victim->expected[k].error);
    }
    g_assert_true(build_index(victim->path));
    for (gsize k = 0; k < G_N_ELEMENTS(false_regions); k++)
        g_assert_true(is_indexed(victim->path, false_regions[k]));
    victim->index = g_strconcat(victim->path, suffix, NULL);
    g_assert_true(g_file_get_contents(victim->index, &victim->bytes, &victim->length, NULL));
}

static void
victim_clear(Victim *victim)
{
    remove_index(victim->path);
    g_free(victim->path);
    g_free(victim->index);
    g_free(victim->bytes);
    for (gsize k = 0; k < G_N_ELEMENTS(false_regions); k++)
        fixture_result_clear(&victim->expected[k]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Victim, victim_clear)

/* With other bytes as index, every region is as before. Returns how many were read by the index. */
static guint
victim_try(const Victim *victim, const void *bytes, gsize length)
{
    guint indexed = 0;
    int fd = g_open(victim->index, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    g_assert_cmpint(write(fd, bytes, length), ==, (gssize)length);
    close(fd);
    for (gsize k = 0; k < G_N_ELEMENTS(false_regions); k++) {
        g_auto(FixtureResult) result = fixture_load_region(victim->path, false_regions[k]);
        g_assert_no_error(result.error);
        g_assert_cmpstr(result.bases, ==, victim->expected[k].bases);
        g_assert_cmpstr(result.name, ==, victim->expected[k].name);
        g_assert_cmpint(result.offset, ==, victim->expected[k].offset);
        g_assert_cmpint(result.record_length, ==, victim->expected[k].record_length);
        indexed += is_indexed(victim->path, false_regions[k]);
    }
    return indexed;
}

/* Indexes that are cut, and with each byte changed. */
static void
damage(gboolean compressed, const char *suffix, const char *flips)
{
    g_auto(Victim) victim = {0};
    victim_init(&victim, compressed, suffix);
    for (gsize length = 0; length < victim.length; length++)
        g_assert_cmpuint(victim_try(&victim, victim.bytes, length), ==, 0);
    for (gsize at = 0; at < victim.length; at++) {
        for (const char *flip = flips; *flip != '\0'; flip++) {
            victim.bytes[at] ^= *flip;
            victim_try(&victim, victim.bytes, victim.length);
            victim.bytes[at] ^= *flip;
        }
    }
    g_autofree char *longer = g_malloc0(victim.length + 16);
    memcpy(longer, victim.bytes, victim.length);
    for (gsize more = 1; more <= 16; more++)
        g_assert_cmpuint(victim_try(&victim, longer, victim.length + more), ==, 0);
    g_assert_cmpuint(victim_try(&victim, victim.bytes, victim.length), ==,
                     G_N_ELEMENTS(false_regions));
}

static void
test_damaged_fai(void)
{
    damage(FALSE, ".fai", "\1\2\4\10\20\3");
}

static void
test_damaged_fai_of_bgzip(void)
{
    damage(TRUE, ".fai", "\1\3");
}

static void
test_damaged_gzi(void)
{
    damage(TRUE, ".gzi", "\1\2\4\10\20\40\100\200\377");
}

/* Indexes of other files, and of files in another form. */
static void
test_false_fai(void)
{
    /* In truth: a 100 10 20 21, b 200 118 60 61, c 3 325 3 4, d 60 332 6 7. */
    static const char *const indexes[] = {
        "",
        "a\t100\t10\t20\t21\n",                                        /* some missing */
        "b\t200\t118\t60\t61\nc\t3\t325\t3\t4\nd\t60\t332\t6\t7\n",    /* the first */
        "a\t100\t10\t20\t21\nb\t200\t118\t60\t61\nd\t60\t332\t6\t7\n", /* one within */
        "b\t100\t10\t20\t21\na\t200\t118\t60\t61\nc\t3\t325\t3\t4\n",  /* renamed */
        "a\t105\t10\t104\t105\nb\t200\t118\t60\t61\nc\t3\t325\t3\t4\nd\t60\t332\t6\t7\n",
        "a\t100\t10\t25\t26\nb\t200\t118\t60\t61\nc\t3\t325\t3\t4\nd\t60\t332\t6\t7\n",
        "a\t100\t10\t20\t22\nb\t200\t118\t60\t61\nc\t3\t325\t3\t4\nd\t60\t332\t6\t7\n",
        "a\t100\t10\t20\t20\nb\t200\t118\t60\t61\nc\t3\t325\t3\t4\nd\t60\t332\t6\t7\n",
        "a\t0\t10\t20\t21\n",
        "a\t100\t10\t0\t1\n",
        "a\t18446744073709551615\t10\t20\t21\n",
        "a\t9223372036854775807\t1\t1\t2\n",
        "a\t100\t10\t20\t21\t90\n", /* FASTQ */
        "a\t-100\t10\t20\t21\n",
        "a\t100\n",
        "\n",
    };
    g_auto(Victim) victim = {0};
    victim_init(&victim, FALSE, ".fai");
    for (gsize k = 0; k < G_N_ELEMENTS(indexes); k++)
        g_assert_cmpuint(victim_try(&victim, indexes[k], strlen(indexes[k])), ==, 0);
    /* In another order, and with a record twice. */
    g_auto(GStrv) lines = g_strsplit(victim.bytes, "\n", -1);
    g_autofree char *turned =
        g_strdup_printf("%s\n%s\n%s\n%s\n", lines[3], lines[2], lines[1], lines[0]);
    g_assert_cmpuint(victim_try(&victim, turned, strlen(turned)), ==, 0);
    g_autofree char *twice = g_strconcat(victim.bytes, lines[0], "\n", NULL);
    g_assert_cmpuint(victim_try(&victim, twice, strlen(twice)), ==, 0);
}

/* What may be between two records for an index to be used, and what may not. */
static void
test_gaps(void)
{
    static const struct {
        const char *text;
        const char *index;
        gboolean serves;
    } gaps[] = {
        {">a\nACGT\n\n \t\r\n>b x\nGG\n\r\n \n", "a\t4\t3\t4\t5\nb\t2\t18\t2\t3\n", TRUE},
        {" \n>a\nACGT", "a\t4\t5\t4\t5\n", TRUE},
        {"> \ta x\nACGT", "a\t4\t7\t4\t5\n", TRUE},
        {">a >b\nACGT", "a\t4\t6\t4\t5\n", TRUE},
        {">ab\nACGT", "a\t4\t4\t4\t5\n", FALSE},
        {">a\nACGT", "ab\t4\t3\t4\t5\n", FALSE},
        {" >a\nACGT", "a\t4\t4\t4\t5\n", FALSE},
        {"x\n>a\nACGT", "a\t4\t5\t4\t5\n", FALSE},
        {">a\n\nACGT", "a\t4\t4\t4\t5\n", FALSE},
        {">a\n>b\nACGT", "a\t4\t6\t4\t5\n", FALSE},
        {">a\n>b\nACGT", "b\t4\t6\t4\t5\n", FALSE},
        {">a\r\nACGT", "a\t4\t4\t4\t5\n", FALSE},
        {">a x\ry\nACGT", "a\t4\t7\t4\t5\n", FALSE},
        {">a\nACGT\nA", "a\t4\t3\t4\t5\n", FALSE},
        {">a\nACGTA\n", "a\t4\t3\t4\t5\n", FALSE},
        {">a\nACG\n", "a\t4\t3\t4\t5\n", FALSE},
        {">a\nACG", "a\t4\t3\t4\t5\n", FALSE},
        {">a\nAC\nGT", "a\t4\t3\t3\t4\n", FALSE},
        {">a\nAC GT", "a\t5\t3\t5\t6\n", FALSE},
        {">a\nACGT\n >b\nGG\n", "a\t4\t3\t4\t5\nb\t2\t12\t2\t3\n", FALSE},
        {">a\nACGT>b\nGG\n", "a\t4\t3\t4\t5\nb\t2\t10\t2\t3\n", FALSE},
    };
    for (gsize k = 0; k < G_N_ELEMENTS(gaps); k++) {
        g_autofree char *path = fixture_write("gap.fa", gaps[k].text, strlen(gaps[k].text));
        g_free(fixture_write("gap.fa.fai", gaps[k].index, strlen(gaps[k].index)));
        gboolean serves = is_indexed(path, "a:2-") || is_indexed(path, "b");
        if (serves != gaps[k].serves)
            g_error("gap %" G_GSIZE_FORMAT, k);
    }
    /* A header too long for a gap is read by streaming. */
    for (int length = 1000; length <= 2000000; length += 1999000) {
        g_autofree char *blank = g_strnfill((gsize)length, 'x');
        g_autofree char *text = g_strdup_printf(">a %s\nACGT\n", blank);
        g_autofree char *path = fixture_write("gap.fa", text, strlen(text));
        g_assert_true(build_index(path));
        g_assert_cmpint(is_indexed(path, "a:2-"), ==, length == 1000);
        g_auto(FixtureResult) result = fixture_load_region(path, "a:2-");
        g_assert_cmpstr(result.bases, ==, "CGT");
    }
}

/* Some writers list the end marker among the blocks. */
static void
test_end_marker_listed(void)
{
    g_auto(Victim) victim = {0};
    victim_init(&victim, TRUE, ".gzi");
    struct stat status;
    g_assert_cmpint(stat(victim.path, &status), ==, 0);
    BGZF *input = bgzf_open(victim.path, "r");
    char bytes[1024];
    ssize_t length = bgzf_read(input, bytes, sizeof bytes);
    bgzf_close(input);
    g_assert_cmpint(length, <, sizeof bytes);
    g_autofree guint64 *words = g_malloc(victim.length + 16);
    memcpy(words, victim.bytes, victim.length);
    words[0] = GUINT64_TO_LE(GUINT64_FROM_LE(words[0]) + 1);
    words[victim.length / 8] = GUINT64_TO_LE((guint64)status.st_size - FIXTURE_END_MARKER_BYTES);
    words[victim.length / 8 + 1] = GUINT64_TO_LE((guint64)length);
    g_assert_cmpuint(victim_try(&victim, words, victim.length + 16), ==,
                     G_N_ELEMENTS(false_regions));
    words[victim.length / 8 + 1] = GUINT64_TO_LE((guint64)length - 1);
    victim_try(&victim, words, victim.length + 16);
}

static void
set_times(const char *path, time_t seconds, long nanoseconds)
{
    const struct timespec times[] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
}

/* An index that is older than its file is ignored. */
static void
test_old(void)
{
    for (int compressed = 0; compressed < 2; compressed++) {
        g_auto(Victim) victim = {0};
        victim_init(&victim, compressed, ".fai");
        g_autofree char *gzi = g_strconcat(victim.path, ".gzi", NULL);
        set_times(victim.path, 1000000, 500);
        set_times(victim.index, 1000000, 500);
        if (compressed)
            set_times(gzi, 1000000, 500);
        g_assert_true(is_indexed(victim.path, "a:2-3"));
        set_times(victim.index, 1000000, 499);
        g_assert_false(is_indexed(victim.path, "a:2-3"));
        set_times(victim.index, 999999, 501);
        g_assert_false(is_indexed(victim.path, "a:2-3"));
        set_times(victim.index, 1000001, 0);
        g_assert_true(is_indexed(victim.path, "a:2-3"));
        if (compressed) {
            set_times(gzi, 1000000, 499);
            g_assert_false(is_indexed(victim.path, "a:2-3"));
            g_unlink(gzi);
            g_assert_false(is_indexed(victim.path, "a:2-3"));
        }
    }
}

/* With an index too, all bases of the record are checked. */
static void
test_judged(void)
{
    const char *text = ">a\nACGT\nA*GT\nAC\n>b\nAC\n>c\nA!\n";
    g_autofree char *path = fixture_write("judged.fa", text, strlen(text));
    static const char *const regions[] = {"a:1-4", "a:5-9", "a:9-", "a"};
    for (int indexed = 0; indexed < 2; indexed++) {
        remove_index(path);
        /* htslib does not check letters. */
        g_assert_true(!indexed || build_index(path));
        for (gsize k = 0; k < G_N_ELEMENTS(regions); k++) {
            g_auto(FixtureResult) result = fixture_load_region(path, regions[k]);
            fixture_assert_error(result, CS_ERROR_CONTENT,
                                 "record \"a\": '*' at byte offset 9 (line 3)");
        }
        g_assert_cmpint(is_indexed(path, "b:1-1"), ==, indexed);
        g_auto(FixtureResult) whole = fixture_load(path, "a");
        fixture_assert_error(whole, CS_ERROR_CONTENT,
                             "record \"a\": '*' at byte offset 9 (line 3)");
    }
    remove_index(path);
}

/* A bgzip file without its end marker, or with more behind it, is an error with an index too. */
static void
test_cut_bgzip(void)
{
    g_auto(Victim) victim = {0};
    victim_init(&victim, TRUE, ".fai");
    g_autofree char *bytes = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(victim.path, &bytes, &length, NULL));
    for (gsize cut = 1; cut <= 100; cut++) {
        g_autofree char *path = fixture_write("victim.gz", bytes, length - cut);
        set_times(path, 1000000, 0);
        g_auto(FixtureResult) result = fixture_load_region(path, "a:2-3");
        fixture_assert_error(result, CS_ERROR_CONTENT, "");
    }
}

/* The same with other bytes as end marker. */
static void
test_false_end_marker(void)
{
    g_auto(Victim) victim = {0};
    victim_init(&victim, TRUE, ".fai");
    g_autofree char *bytes = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(victim.path, &bytes, &length, NULL));
    memset(bytes + length - FIXTURE_END_MARKER_BYTES, 0, FIXTURE_END_MARKER_BYTES);
    g_autofree char *path = fixture_write("victim.gz", bytes, length);
    set_times(path, 1000000, 0);
    g_auto(FixtureResult) result = fixture_load_region(path, "a:2-3");
    fixture_assert_error(result, CS_ERROR_CONTENT, "corrupt BGZF data");
}

/* The same number of bytes, but with line ends elsewhere, inside or outside the region. */
static void
test_cut_otherwise(void)
{
    const char *text = ">a\nACGTACG\nT\nTGCA\n", *index = "a\t12\t3\t4\t5\n";
    g_autofree char *path = fixture_write("cut.fa", text, strlen(text));
    g_free(fixture_write("cut.fa.fai", index, strlen(index)));
    g_auto(FixtureResult) line_end = fixture_load_region(path, "a:4-5");
    g_assert_cmpstr(line_end.bases, ==, "TA");
    g_auto(FixtureResult) within = fixture_load_region(path, "a:6-8");
    g_assert_cmpstr(within.bases, ==, "CGT");
    g_assert_false(is_indexed(path, "a:4-5"));
    g_assert_false(is_indexed(path, "a:6-8"));
    g_assert_false(is_indexed(path, "a:2-3"));
    g_assert_false(is_indexed(path, "a:10-"));
    remove_index(path);
}

/*
 * Whatever length, offset and line length an index gives for a short record, a result by index has
 * the right bases and the right length.
 */
static void
test_any_numbers(void)
{
    static const char *const texts[] = {
        ">a\nACGTACGTACG\n",      ">a\nACGTACGTACG\n\n",  ">a\nACGTACGTACG \n",
        ">a\nACGTACGTACG\t\n \n", ">a\nACGTACGTACG\r\n",  ">a\nACGTA\nCGTAC\nG\n",
        ">a\nACGTACGTACG",        ">a\nACG TACGTACG\n\n",
    };
    for (gsize k = 0; k < G_N_ELEMENTS(texts); k++) {
        g_autofree char *path = fixture_write("numbers.fa", texts[k], strlen(texts[k]));
        remove_index(path);
        g_auto(FixtureResult) wanted = fixture_load_region(path, "a:2-3");
        g_assert_cmpint(wanted.record_length, ==, 11);
        guint served = 0;
        for (int n = 0; n < 16 * 16 * 3; n++) {
            int bases = 1 + n % 16, line = 1 + n / 16 % 16, offset = 2 + n / 256;
            g_autofree char *index =
                g_strdup_printf("a\t%d\t%d\t%d\t%d\n", bases, offset, line, line + 1);
            g_free(fixture_write("numbers.fa.fai", index, strlen(index)));
            g_auto(FixtureResult) result = fixture_load_region(path, "a:2-3");
            g_assert_no_error(result.error);
            g_assert_cmpstr(result.bases, ==, wanted.bases);
            if (result.record_length != 11)
                g_error("text %" G_GSIZE_FORMAT ", index %s: %" G_GINT64_FORMAT " bases", k, index,
                        result.record_length);
            served += is_indexed(path, "a:2-3");
        }
        g_assert_cmpint(served > 0, ==, k != 7);
        remove_index(path);
    }
}

static gpointer
write_fifo(gpointer path)
{
    int fd = g_open(path, O_WRONLY, 0);
    g_assert_cmpint(write(fd, TEN, strlen(TEN)), ==, (gssize)strlen(TEN));
    close(fd);
    return NULL;
}

/* A pipe can be read only once, even if there is an index for it. */
static void
test_fifo(void)
{
    const char *index = "a\t10\t7\t4\t5\n";
    g_autofree char *path = fixture_path("fifo.fa");
    g_free(fixture_write("fifo.fa.fai", index, strlen(index)));
    g_assert_cmpint(mkfifo(path, 0666), ==, 0);
    GThread *writer = g_thread_new("writer", write_fifo, path);
    g_auto(FixtureResult) result = fixture_load_region(path, "a:3-9");
    g_thread_join(writer);
    g_assert_no_error(result.error);
    g_assert_cmpstr(result.bases, ==, "GTACGTT");
    remove_index(path);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    hts_set_log_level(HTS_LOG_OFF); /* of its index builder */
    fixture_begin();
    for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autofree char *path = g_strconcat("/region/text/", cases[k].label, NULL);
        g_test_add_data_func(path, &cases[k], test_case);
    }
    g_test_add_func("/region/clipped", test_clipped);
    g_test_add_func("/region/none", test_no_region);
    g_test_add_func("/region/htslib", test_htslib);
    g_test_add_func("/region/random", test_random);
    g_test_add_func("/region/damaged-fai", test_damaged_fai);
    g_test_add_func("/region/damaged-fai-of-bgzip", test_damaged_fai_of_bgzip);
    g_test_add_func("/region/damaged-gzi", test_damaged_gzi);
    g_test_add_func("/region/false-fai", test_false_fai);
    g_test_add_func("/region/gaps", test_gaps);
    g_test_add_func("/region/end-marker-listed", test_end_marker_listed);
    g_test_add_func("/region/old", test_old);
    g_test_add_func("/region/judged", test_judged);
    g_test_add_func("/region/any-numbers", test_any_numbers);
    g_test_add_func("/region/cut-bgzip", test_cut_bgzip);
    g_test_add_func("/region/false-end-marker", test_false_end_marker);
    g_test_add_func("/region/cut-otherwise", test_cut_otherwise);
    g_test_add_func("/region/fifo", test_fifo);
    int status = g_test_run();
    fixture_end();
    return status;
}
