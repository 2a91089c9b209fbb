/* All records of a file at once: the same as each alone, and what is refused. */
#include <string.h>

#include "fasta_fixture.h"
#include "sequence/sequence_private.h"

static const char text[] = ">a first\nACGTN\n>b\nGGG\nTT\n>c\r\nacgu\r\n>\nC\n";

static GPtrArray *
load_all(const char *path, const char *names, GError **error)
{
    g_auto(GStrv) list = names != NULL ? g_strsplit(names, " ", -1) : NULL;
    return cs_sequence_load_all(path, (const char *const *)list, error);
}

/* The names in order, each with its length. */
static char *
describe(const GPtrArray *all)
{
    GString *said = g_string_new(NULL);
    for (guint k = 0; k < all->len; k++) {
        const CsSequence *sequence = g_ptr_array_index(all, k);
        g_string_append_printf(said, "%s:%d ", cs_sequence_get_name(sequence),
                               (int)cs_sequence_get_length(sequence));
        g_assert_cmpint(cs_sequence_get_offset(sequence), ==, 0);
        g_assert_cmpint(cs_sequence_get_record_length(sequence), ==,
                        cs_sequence_get_length(sequence));
    }
    return g_string_free(said, FALSE);
}

static void
test_taken(void)
{
    static const struct {
        const char *names, *said;
    } cases[] = {
        {NULL, "a:5 b:5 c:4 :1 "},
        {"c a", "a:5 c:4 "},
        {"b b", "b:5 "},
        {"", ""},
    };
    g_autoptr(GByteArray) gzip = fixture_gzip(text, strlen(text));
    g_autoptr(GByteArray) bgzip = fixture_bgzip(text, strlen(text), 3);
    char *paths[] = {fixture_write("plain", text, strlen(text)),
                     fixture_write("gzip", gzip->data, gzip->len),
                     fixture_write("bgzip", bgzip->data, bgzip->len)};
    for (guint p = 0; p < G_N_ELEMENTS(paths); p++)
        for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
            g_autoptr(GError) error = NULL;
            g_autoptr(GPtrArray) all = load_all(paths[p], cases[k].names, &error);
            g_assert_no_error(error);
            g_autofree char *said = describe(all);
            g_assert_cmpstr(said, ==, cases[k].said);
            if (all->len > 0)
                g_assert_cmpstr(cs_sequence_get_file(g_ptr_array_index(all, 0)), ==, paths[p]);
        }
    for (guint p = 0; p < G_N_ELEMENTS(paths); p++)
        g_free(paths[p]);
}

static void
test_refused(void)
{
    static const struct {
        const char *text, *names, *said;
        int code;
    } cases[] = {
        {">a\nAC\n>a\nAC\n", NULL, "two records named \"a\"", CS_ERROR_CONTENT},
        {">a\nAC\n>b\nA\n>a\nAC\n", "b", NULL, 0},
        {">a\nAC\n>b\nA!\n>c\nA?\n", NULL, "record \"b\": '!' at byte offset 10 (line 4)",
         CS_ERROR_CONTENT},
        {">a\nAC\n>b\nA!\n>c\nA?\n", "a", NULL, 0},
        {">a\nAC\n>b\nA!\n>c\nA?\n", "c", "record \"c\": '?' at byte offset 16 (line 6)",
         CS_ERROR_CONTENT},
        {">a\n>b\nA\n", NULL, "record \"a\" has no bases", CS_ERROR_CONTENT},
        {">a\n>b\nA\n>c\n", "b", NULL, 0},
        {">b\nA\n>c\n", NULL, "record \"c\" has no bases", CS_ERROR_CONTENT},
        {">b\nA\n>c", "c", "record \"c\" has no bases", CS_ERROR_CONTENT},
        {">a\nA\n>b\nA\n", "a d", "no record named \"d\"; the file has a, b", CS_ERROR_CONTENT},
        {"", NULL, "the file is empty", CS_ERROR_CONTENT},
        {"ACGT\n", NULL, "text without a FASTA header", CS_ERROR_CONTENT},
    };
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = fixture_write("file", cases[k].text, strlen(cases[k].text));
        g_autoptr(GPtrArray) all = load_all(path, cases[k].names, &error);
        if (cases[k].said == NULL) {
            g_assert_no_error(error);
            continue;
        }
        g_assert_null(all);
        g_assert_error(error, CS_ERROR, cases[k].code);
        g_assert_nonnull(strstr(error->message, path));
        g_assert_nonnull(strstr(error->message, cases[k].said));
    }
}

/* The container is judged before the bases. */
static void
test_truncated(void)
{
    const char *bad = ">a\nA!\n>b\nACGT\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) gzip = fixture_gzip(bad, strlen(bad));
    g_autofree char *path = fixture_write("cut", gzip->data, gzip->len - 3);
    g_assert_null(load_all(path, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
    g_assert_nonnull(strstr(error->message, "truncated"));
    g_clear_error(&error);
    g_assert_null(load_all("/nowhere/at.all", NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
}

/* Random files, larger than a block: each record is what loading it alone gives. */
static void
test_random(void)
{
    for (int round = 0; round < 20; round++) {
        g_autoptr(GString) file = g_string_new(NULL);
        g_autoptr(GError) error = NULL;
        const int records = g_test_rand_int_range(1, 12);
        for (int r = 0; r < records; r++) {
            g_string_append_printf(file, ">r%d x\n", r);
            int length = g_test_rand_int_range(1, g_test_rand_bit() ? 5 : 200000);
            for (int k = 0; k < length; k++) {
                g_string_append_c(file, "ACGTN"[g_test_rand_int_range(0, 5)]);
                if (k % 61 == 60)
                    g_string_append_c(file, '\n');
            }
            g_string_append_c(file, '\n');
        }
        g_autofree char *path = fixture_write("random", file->str, file->len);
        g_autoptr(GPtrArray) all = load_all(path, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpint((int)all->len, ==, records);
        for (guint k = 0; k < all->len; k++) {
            const CsSequence *one = g_ptr_array_index(all, k);
            g_autoptr(CsSequence) alone = cs_sequence_load(path, cs_sequence_get_name(one), &error);
            g_assert_no_error(error);
            g_assert_cmpint(cs_sequence_get_length(one), ==, cs_sequence_get_length(alone));
            g_assert_cmpint(cs_sequence_get_ambiguous(one), ==, cs_sequence_get_ambiguous(alone));
            g_assert_cmpmem(one->codes, one->length, alone->codes, alone->length);
        }
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/records/taken", test_taken);
    g_test_add_func("/records/refused", test_refused);
    g_test_add_func("/records/truncated", test_truncated);
    g_test_add_func("/records/random", test_random);
    fixture_begin();
    int status = g_test_run();
    fixture_end();
    return status;
}
