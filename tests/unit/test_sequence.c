/* Bases and sequences in memory. */
#include <string.h>

#include <chromosweep/error.h>

#include "sequence/bases.h"
#include "sequence/sequence_private.h"
#include "system/display.h"

static void
test_codes(void)
{
    for (int byte = 0; byte < 256; byte++) {
        guint8 expected = CS_CODE_INVALID;
        switch (byte) {
        case 'A':
        case 'a': expected = 0; break;
        case 'C':
        case 'c': expected = 1; break;
        case 'G':
        case 'g': expected = 2; break;
        case 'T':
        case 't':
        case 'U':
        case 'u': expected = 3; break;
        default:
            if (byte != 0 && strchr("RYSWKMBDHVNryswkmbdhvn", byte) != NULL)
                expected = 4;
        }
        g_assert_cmpint(cs_bases_codes[byte], ==, expected);
    }
}

static void
test_new(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) sequence = cs_sequence_new("s", "ACGTUacgtunR", -1, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(cs_sequence_get_name(sequence), ==, "s");
    g_assert_null(cs_sequence_get_file(sequence));
    g_assert_cmpint(cs_sequence_get_length(sequence), ==, 12);
    g_assert_cmpint(cs_sequence_get_ambiguous(sequence), ==, 2);
    const guint8 codes[] = {0, 1, 2, 3, 3, 0, 1, 2, 3, 3, 4, 4};
    g_assert_cmpmem(sequence->codes, 12, codes, 12);

    g_autoptr(CsSequence) part = cs_sequence_new("part", "ACGT*", 2, &error);
    g_assert_no_error(error);
    g_assert_cmpint(cs_sequence_get_length(part), ==, 2);
}

static void
test_empty(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) none = cs_sequence_new("", NULL, 0, &error);
    g_assert_no_error(error);
    g_assert_cmpint(cs_sequence_get_length(none), ==, 0);
    g_autoptr(CsSequence) blank = cs_sequence_new("", "", -1, &error);
    g_assert_no_error(error);
    g_assert_cmpint(cs_sequence_get_length(blank), ==, 0);
    g_assert_cmpint(cs_sequence_get_ambiguous(blank), ==, 0);
}

static void
test_bad_base(void)
{
    static const struct {
        const char *bases;
        gint64 length;
        const char *message;
    } cases[] = {
        {"ACG-T", -1, "sequence \"s\": '-' at offset 3 is not a nucleotide code"},
        {"AC GT", -1, "sequence \"s\": ' ' at offset 2 is not a nucleotide code"},
        {"A\0", 2, "sequence \"s\": 0x00 at offset 1 is not a nucleotide code"},
        {"\xc3\xa9", -1, "sequence \"s\": 0xc3 at offset 0 is not a nucleotide code"},
        {"AX", -1, "sequence \"s\": 'X' at offset 1 is not a nucleotide code"},
    };
    for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(cs_sequence_new("s", cases[k].bases, cases[k].length, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
        g_assert_cmpstr(error->message, ==, cases[k].message);
    }
}

static void
test_references(void)
{
    CsSequence *sequence = cs_sequence_new("s", "ACGT", -1, NULL);
    g_assert_true(cs_sequence_ref(sequence) == sequence);
    cs_sequence_unref(sequence);
    g_assert_cmpint(cs_sequence_get_length(sequence), ==, 4);
    cs_sequence_unref(sequence); /* a leak checker sees whether this frees it */
}

static void
test_display(void)
{
    static const struct {
        const char *name;
        const char *shown;
    } cases[] = {
        {"", ""},
        {"chr1.fa", "chr1.fa"},
        {"a b\\c", "a b\\c"},
        {"a\nb\r\t\033[31m\177", "a\\x0ab\\x0d\\x09\\x1b[31m\\x7f"},
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"caf\xe9", "caf\\xe9"},
        {"cut \xe2\x82", "cut \\xe2\\x82"},
        {"overlong \xc0\xaf", "overlong \\xc0\\xaf"},
        {"surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80"},
        {"separator \xe2\x80\xa8", "separator \\xe2\\x80\\xa8"},
        {"override \xe2\x80\xae", "override \\xe2\\x80\\xae"},
        {"next line \xc2\x85", "next line \\xc2\\x85"},
    };
    for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autofree char *shown = cs_display_name(cases[k].name);
        g_assert_cmpstr(shown, ==, cases[k].shown);
    }
    g_autofree char *base = cs_display_byte('x');
    g_autofree char *blank = cs_display_byte(' ');
    g_autofree char *control = cs_display_byte('\n');
    g_autofree char *high = cs_display_byte(0xe9);
    g_assert_cmpstr(base, ==, "'x'");
    g_assert_cmpstr(blank, ==, "' '");
    g_assert_cmpstr(control, ==, "0x0a");
    g_assert_cmpstr(high, ==, "0xe9");
}

static void
test_read(void)
{
    g_autoptr(CsSequence) sequence = cs_sequence_new("s", "ACGTRacgun", -1, NULL);
    char bases[] = "xxxxxxxxxx";
    cs_sequence_read(sequence, 0, 10, CS_STRAND_PLUS, bases);
    g_assert_cmpstr(bases, ==, "ACGTNACGTN");
    cs_sequence_read(sequence, 0, 10, CS_STRAND_MINUS, bases);
    g_assert_cmpstr(bases, ==, "NACGTNACGT");
    cs_sequence_read(sequence, 1, 3, CS_STRAND_MINUS, bases);
    g_assert_true(memcmp(bases, "ACGGT", 5) == 0); /* the rest is as it was */
    cs_sequence_read(sequence, 10, 0, CS_STRAND_PLUS, bases);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sequence/codes", test_codes);
    g_test_add_func("/sequence/new", test_new);
    g_test_add_func("/sequence/empty", test_empty);
    g_test_add_func("/sequence/bad-base", test_bad_base);
    g_test_add_func("/sequence/references", test_references);
    g_test_add_func("/sequence/read", test_read);
    g_test_add_func("/display", test_display);
    return g_test_run();
}
