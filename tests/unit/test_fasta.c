/*
 * FASTA text: what is accepted, what is refused, and with which message. Every case is read plain,
 * as gzip, as BGZF and from standard input, and cut into blocks at each of its bytes.
 */
#include <string.h>

#include "fasta_fixture.h"
#include "limit_memory.h"

typedef struct {
    const char *label;
    const char *text;
    const char *wanted;
    const char *name;  /* of the expected record; NULL: an error is expected */
    const char *bases; /* of that record, ambiguous ones as N; or a part of the error's message */
    gsize length;      /* of a text that holds NUL bytes */
} Case;

#define FASTQ_SAID "this is FASTQ or SAM, not FASTA"
#define LISTED(names) "several records (" names "): choose one by name"

static const Case cases[] = {
    /* accepted */
    {"plain", ">a\nACGT\n", NULL, "a", "ACGT", 0},
    {"lower-case", ">a\nacgtnACGTN\n", NULL, "a", "ACGTNACGTN", 0},
    {"uracil", ">a\nACGUu\n", NULL, "a", "ACGTT", 0},
    {"ambiguous", ">a\nRYSWKMBDHVNryswkmbdhvn\n", NULL, "a", "NNNNNNNNNNNNNNNNNNNNNN", 0},
    {"no-final-newline", ">a\nACGT", NULL, "a", "ACGT", 0},
    {"one-base", ">a\nC", NULL, "a", "C", 0},
    {"crlf", ">a one\r\nAC\r\nGT\r\n", NULL, "a", "ACGT", 0},
    {"crlf-no-description", ">a\r\nAC\r\nGT", NULL, "a", "ACGT", 0},
    {"crcrlf", ">a\r\r\nAC\r\r\nGT\r\r\n", NULL, "a", "ACGT", 0},
    {"cr-within", ">a\nAC\rGT\r", NULL, "a", "ACGT", 0},
    {"blanks-within", ">a\n AC GT\t\nA\tC \n \t\nG\n", NULL, "a", "ACGTACG", 0},
    {"blank-lines", "\n \n\r\n\t\n>a\n\n\nAC\n\n\r\nGT\n\n", NULL, "a", "ACGT", 0},
    {"ragged", ">a\nA\nCCCCCCCC\nGG\n", NULL, "a", "ACCCCCCCCGG", 0},
    {"description", ">a b c >d\nACGT\n", NULL, "a", "ACGT", 0},
    {"tab-after-name", ">a\tb\nACGT\n", NULL, "a", "ACGT", 0},
    {"lead", "> \t a b\nACGT\n", NULL, "a", "ACGT", 0},
    {"no-name", ">\nACGT\n", NULL, "", "ACGT", 0},
    {"no-name-blank", ">  \r\nACGT\n", NULL, "", "ACGT", 0},
    {"no-name-wanted", ">a\nA\n>\nC\n", "", "", "C", 0},
    {"name-not-utf8", ">\xe9\x1b[0m\nACGT\n", NULL, "\xe9\x1b[0m", "ACGT", 0},
    {"nul-in-description", ">a \0b\nACGT\n", NULL, "a", "ACGT", 11},
    {"wanted-only", ">a\nACGT\n", "a", "a", "ACGT", 0},
    {"wanted-first", ">a\nACGT\n>b\nGG\n", "a", "a", "ACGT", 0},
    {"wanted-middle", ">a\nAA\n>b\nGG\nGT\n>c\nCC\n", "b", "b", "GGGT", 0},
    {"wanted-last", ">a\nAA\n>b\nGG", "b", "b", "GG", 0},
    {"wanted-not-a-prefix", ">ab\nAA\n>a\nGG\n>abc\nCC", "a", "a", "GG", 0},
    {"others-not-judged", ">p\nMEEPQ*-1>2\n>a\nACGT\n>q\n@!\n>r\n", "a", "a", "ACGT", 0},
    {"others-same-name", ">x\nAA\n>x\nAA\n>a\nACGT\n", "a", "a", "ACGT", 0},
    /* bases refused */
    {"star", ">a\nACGT*\n", NULL, NULL, ": record \"a\": '*' at byte offset 7 (line 2) is not a",
     0},
    {"dash", ">a\nAC-GT\n", NULL, NULL, ": record \"a\": '-' at byte offset 5 (line 2) is not a",
     0},
    {"digit", ">a\n  1 ACGT\n", NULL, NULL,
     ": record \"a\": '1' at byte offset 5 (line 2) is not a", 0},
    {"protein", ">a\nACGT\nMEEP\n", NULL, NULL,
     ": record \"a\": 'E' at byte offset 9 (line 3) is not", 0},
    {"x", ">a\nACGTX\n", NULL, NULL, ": record \"a\": 'X' at byte offset 7 (line 2) is not a", 0},
    {"nul", ">a\nAC\0GT\n", NULL, NULL, ": record \"a\": 0x00 at byte offset 5 (line 2) is not a",
     9},
    {"not-ascii", ">a\nAC\xc3\xa9\n", NULL, NULL,
     ": record \"a\": 0xc3 at byte offset 5 (line 2) is", 0},
    {"form-feed", ">a\nAC\fGT\n", NULL, NULL, ": record \"a\": 0x0c at byte offset 5 (line 2) is",
     0},
    {"header-amid-line", ">a\nAC>b\nGT\n", NULL, NULL, ": record \"a\": '>' at byte offset 5", 0},
    {"header-after-blank", ">a\nAC\n >b\n", NULL, NULL, ": record \"a\": '>' at byte offset 7", 0},
    {"comment", ">a\n;AC\nGT\n", NULL, NULL, ": record \"a\": ';' at byte offset 3 (line 2) is", 0},
    {"first-of-two", ">a\n1\n2\n", NULL, NULL, ": record \"a\": '1' at byte offset 3 (line 2) is",
     0},
    {"wanted-bad", ">a\nAA\n>b\nA!\n>c\nAA\n", "b", NULL, ": record \"b\": '!' at byte offset 10",
     0},
    {"crlf-bad", ">a\r\nAC\r\nG?\r\n", NULL, NULL,
     ": record \"a\": '?' at byte offset 9 (line 3) is", 0},
    /* files refused */
    {"empty", "", NULL, NULL, ": no FASTA record: the file is empty", 0},
    {"blank", "\n \r\n\t\n", NULL, NULL, ": no FASTA record: the file is blank", 0},
    {"no-header", "ACGT\n", NULL, NULL,
     ": this is text without a FASTA header: 'A' at byte offset 0, not '>'", 0},
    {"text-first", "\n\nx\n>a\nAC\n", NULL, NULL,
     ": this is text without a FASTA header: 'x' at byte offset 2, not '>'", 0},
    {"header-indented", " >a\nAC\n", NULL, NULL, ": no FASTA header before '>' at byte offset 1",
     0},
    {"nul-in-name", ">a\0b\nACGT\n", NULL, NULL,
     ": record \"a\": NUL byte in the name at byte offset 2 (line 1)", 10},
    {"nul-first", "\0", NULL, NULL, ": no FASTA header before 0x00 at byte offset 0", 1},
    {"fastq", "@r\nACGT\n+\nIIII\n", NULL, NULL, FASTQ_SAID, 0},
    {"sam", "@HD\tVN:1.6\n", NULL, NULL, FASTQ_SAID, 0},
    {"bzip2", "BZh91AY", NULL, NULL, ": this is bzip2 data, not FASTA", 0},
    {"zstd", "\x28\xb5\x2f\xfd", NULL, NULL, ": this is zstd data, not FASTA", 0},
    {"zip", "PK\x03\x04", NULL, NULL, ": this is a zip archive, not FASTA", 0},
    {"byte-order-mark", "\xef\xbb\xbf>a\nA\n", NULL, NULL,
     ": this is text with a byte order mark, not FASTA", 0},
    {"genbank", "LOCUS       X\n", NULL, NULL, ": this is GenBank format, not FASTA", 0},
    {"embl", "ID   X; SV 1;\n", NULL, NULL, ": this is EMBL format, not FASTA", 0},
    {"maf", "##maf version=1\n", NULL, NULL, ": this is a multiple alignment (MAF), not FASTA", 0},
    {"2bit", "\x43\x27\x41\x1a", NULL, NULL, ": this is 2bit (twoBitToFa converts it), not FASTA",
     0},
    {"2bit-swapped", "\x1a\x41\x27\x43", NULL, NULL,
     ": this is 2bit (twoBitToFa converts it), not FASTA", 0},
    {"gff", "##gff-version 3\n##FASTA\n>a\nA\n", NULL, NULL, ": this is GFF, not FASTA", 0},
    {"vcf", "##fileformat=VCFv4.2\n", NULL, NULL, ": this is VCF, not FASTA", 0},
    {"pdf", "%PDF-1.7\n", NULL, NULL, ": this is a PDF document, not FASTA", 0},
    {"png", "\x89PNG\r\n\x1a\n", NULL, NULL, ": this is a PNG image, not FASTA", 0},
    {"png-cut", "\x89PNG", NULL, NULL, ": no FASTA header before 0x89 at byte offset 0", 0},
    {"jpeg", "\xff\xd8\xff\xe0", NULL, NULL, ": this is a JPEG image, not FASTA", 0},
    {"elf",
     "\x7f"
     "ELF\x02",
     NULL, NULL, ": this is a program (ELF), not FASTA", 0},
    {"html", "<!DOCTYPE html>\n", NULL, NULL, ": this is HTML or XML, not FASTA", 0},
    {"utf-16", "\xff\xfe>\0a\0\n\0", NULL, NULL, ": this is text in UTF-16, not FASTA", 8},
    {"utf-16-swapped", "\xfe\xff\0>\0a", NULL, NULL, ": this is text in UTF-16, not FASTA", 6},
    {"text", "chr1\t1\t2\n", NULL, NULL, ": this is text without a FASTA header: 'c' at", 0},
    {"text-utf-8", "\xc3\xa9\n", NULL, NULL, ": this is text without a FASTA header: 0xc3 at", 0},
    {"latin-1", "a\xe9\n", NULL, NULL, ": no FASTA header before 'a' at byte offset 0", 0},
    {"cut-character", "a\xc3", NULL, NULL, ": no FASTA header before 'a' at byte offset 0", 0},
    {"control-character", "a\x01", NULL, NULL, ": no FASTA header before 'a' at byte offset 0", 0},
    {"fastq-later", "\n\n@r\nACGT\n+\nIIII\n", "r", NULL, FASTQ_SAID, 0},
    {"no-bases", ">a\n", NULL, NULL, ": record \"a\" has no bases", 0},
    {"no-bases-blank", ">a one\n\n \r\n", NULL, NULL, ": record \"a\" has no bases", 0},
    {"header-only", ">a", NULL, NULL, ": record \"a\" has no bases", 0},
    {"header-only-cr", ">a\r", NULL, NULL, ": record \"a\" has no bases", 0},
    {"header-only-text", ">a one", NULL, NULL, ": record \"a\" has no bases", 0},
    {"mark-only", ">", NULL, NULL, ": record \"\" has no bases", 0},
    {"wanted-no-bases", ">a\nA\n>b\n>c\nA\n", "b", NULL, ": record \"b\" has no bases", 0},
    {"old-mac", ">a\rACGT\r>b\rACGT\r", NULL, NULL,
     ": record \"a\": carriage return within the header at byte offset 2 (line 1)", 0},
    {"cr-in-header", ">a\nA\n>b \r\rx\nA\n", "a", NULL,
     ": record \"b\": carriage return within the header at byte offset 8 (line 3)", 0},
    /* records refused */
    {"two", ">a\nA\n>b\nC\n", NULL, NULL, LISTED("a, b"), 0},
    {"five", ">a\nA\n>b\nC\n>c\n>d\n>e\n", NULL, NULL, LISTED("a, b, c, d, e"), 0},
    {"six", ">a\nA\n>b\nC\n>c\n>d\n>e\n>f\n", NULL, NULL, LISTED("a, b, c, d, e, ..."), 0},
    {"nine", ">a\n>b\n>c\n>d\n>e\n>f\n>g\n>h\n>i", NULL, NULL, LISTED("a, b, c, d, e, ..."), 0},
    {"two-no-names", ">\nA\n> \nC\n", NULL, NULL, LISTED("\"\", \"\""), 0},
    {"several-before-bases", ">a\nA*\n>b\nC\n", NULL, NULL, LISTED("a, b"), 0},
    {"several-before-empty", ">a\n>b", NULL, NULL, LISTED("a, b"), 0},
    {"names-escaped", ">a\x1b\nA\n>\xe9\nC\n", NULL, NULL, LISTED("a\\x1b, \\xe9"), 0},
    {"absent", ">a\nA\n>b\nC\n", "c", NULL, ": no record named \"c\"; the file has a, b", 0},
    {"absent-one-bad", ">a\n*\n", "b", NULL, ": no record named \"b\"; the file has a", 0},
    {"absent-many", ">a\n>b\n>c\n>d\n>e\n>f\n>g", "x\n", NULL,
     ": no record named \"x\\x0a\"; the file has a, b, c, d, e, ...", 0},
    {"twice", ">a\nA\n>b\nC\n>a\nG\n", "a", NULL, ": two records named \"a\"", 0},
    {"twice-bad", ">a\n*\n>b\nC\n>a", "a", NULL, ": two records named \"a\"", 0},
};

static gsize
case_length(const Case *c)
{
    return c->length > 0 ? c->length : strlen(c->text);
}

static void
check(FixtureResult result, const Case *c, gboolean message)
{
    g_auto(FixtureResult) r = result;
    if (c->name == NULL) {
        fixture_assert_error(r, CS_ERROR_CONTENT, message ? c->bases : "");
        return;
    }
    g_assert_no_error(r.error);
    g_assert_cmpstr(r.name, ==, c->name);
    g_assert_cmpstr(r.bases, ==, c->bases);
}

static void
test_case(gconstpointer data)
{
    const Case *c = data;
    gsize length = case_length(c);
    g_autoptr(GByteArray) gzip = fixture_gzip(c->text, length);
    g_autoptr(GByteArray) bgzip = fixture_bgzip(c->text, length, 65280);
    g_autoptr(GByteArray) blocks = fixture_bgzip(c->text, length, 3);
    check(fixture_load_bytes(c->text, length, c->wanted), c, TRUE);
    check(fixture_load_bytes(gzip->data, gzip->len, c->wanted), c, TRUE);
    check(fixture_load_bytes(bgzip->data, bgzip->len, c->wanted), c, TRUE);
    check(fixture_load_bytes(blocks->data, blocks->len, c->wanted), c, TRUE);
    check(fixture_load_stdin(c->text, length, c->wanted), c, TRUE);
    check(fixture_load_stdin(gzip->data, gzip->len, c->wanted), c, TRUE);
}

/* Blank lines before the text move each of its bytes across the edge of the reader's block. */
static void
test_block_edges(void)
{
    enum {
        BLOCK = 256 << 10 /* BLOCK_BYTES of fasta.c */
    };
    g_autofree char *text = g_malloc(BLOCK + 256);
    for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
        gsize length = case_length(&cases[k]);
        for (gsize before = 1; before < length; before++) {
            gsize blank = BLOCK - before;
            memset(text, '\n', blank);
            memcpy(text + blank, cases[k].text, length);
            check(fixture_load_bytes(text, blank + length, cases[k].wanted), &cases[k], FALSE);
        }
    }
}

static void
test_offset_is_of_the_text(void)
{
    /* Far beyond the first block, and elsewhere in the compressed bytes. */
    g_autoptr(GString) text = g_string_new(">a first\n");
    while (text->len < 1000000)
        g_string_append(text, "ACGTACGTACGTACGTACGTACGTACGTACGT\r\n");
    g_autofree char *said =
        g_strdup_printf(": record \"a\": 'J' at byte offset %" G_GSIZE_FORMAT, text->len);
    g_string_append(text, "JACGT\n");
    g_auto(FixtureResult) plain = fixture_load_bytes(text->str, text->len, NULL);
    fixture_assert_error(plain, CS_ERROR_CONTENT, said);
    g_autoptr(GByteArray) bytes = fixture_bgzip(text->str, text->len, 65280);
    g_auto(FixtureResult) bgzip = fixture_load_bytes(bytes->data, bytes->len, NULL);
    fixture_assert_error(bgzip, CS_ERROR_CONTENT, said);
}

/* A header of many blocks: the description is skipped, the name kept. */
static void
test_huge_header(void)
{
    g_autoptr(GString) text = g_string_new(">");
    for (int k = 0; k < 1000000; k++)
        g_string_append_c(text, (char)('a' + k % 26));
    g_autofree char *name = g_strdup(text->str + 1);
    g_string_append_c(text, ' ');
    for (int k = 0; k < 5000000; k++)
        g_string_append_c(text, (char)('a' + k % 26));
    g_string_append(text, "\nACGT\n");
    g_auto(FixtureResult) only = fixture_load_bytes(text->str, text->len, NULL);
    g_assert_no_error(only.error);
    g_assert_cmpstr(only.name, ==, name);
    g_assert_cmpstr(only.bases, ==, "ACGT");

    g_string_append(text, ">b\nGG\n");
    g_auto(FixtureResult) named = fixture_load_bytes(text->str, text->len, name);
    g_assert_no_error(named.error);
    g_assert_cmpstr(named.bases, ==, "ACGT");
    name[999999]++;
    g_auto(FixtureResult) absent = fixture_load_bytes(text->str, text->len, name);
    fixture_assert_error(absent, CS_ERROR_CONTENT, "efghijklmnopqrstuvwxyzab..., b");
    g_assert_cmpint(strlen(absent.error->message), <, 1000);
}

static void
test_long_name_is_cut_between_characters(void)
{
    /* 79 bytes and then a character of two. */
    g_autoptr(GString) text = g_string_new(">");
    for (int k = 0; k < 79; k++)
        g_string_append_c(text, 'a');
    g_string_append(text, "\xc3\xa9\xc3\xa9\n");
    g_auto(FixtureResult) result = fixture_load_bytes(text->str, text->len, NULL);
    fixture_assert_error(result, CS_ERROR_CONTENT, "aaaa...\" has no bases");
}

/* Random layouts of random bases must read as a simple filter reads them. */
static void
test_random_layouts(void)
{
    static const char *const separators[] = {"", "\n", "\r\n", " ", "\t"};
    for (int round = 0; round < 300; round++) {
        g_autoptr(GString) text = g_string_new(">r some text\n");
        g_autoptr(GString) expected = g_string_new(NULL);
        int pieces = g_test_rand_int_range(1, round % 10 == 0 ? 40000 : 400);
        for (int k = 0; k < pieces; k++) {
            g_string_append(text, separators[g_test_rand_int_range(0, 5)]);
            for (int l = g_test_rand_int_range(0, 20); l > 0; l--) {
                int which = g_test_rand_int_range(0, 32);
                g_string_append_c(text, "ACGTacgtuURYSWKMBDHVNryswkmbdhvn"[which]);
                g_string_append_c(expected, "ACGTACGTTTNNNNNNNNNNNNNNNNNNNNNN"[which]);
            }
        }
        g_string_append_c(text, 'g');
        g_string_append_c(expected, 'G');
        g_auto(FixtureResult) result = fixture_load_bytes(text->str, text->len, NULL);
        g_assert_no_error(result.error);
        g_assert_cmpstr(result.bases, ==, expected->str);
    }
}

/* An error comes before an allocation fails that would end the process. */
static void
test_no_memory(void)
{
#ifdef SANITIZED
    g_test_skip("the memory is the sanitizer's");
#else
    g_autofree char *path = fixture_write("short.fa", ">a\nACGT\n", 8);
    if (!in_own_process())
        return;
    g_autoptr(GError) error = NULL;
    limit_memory(1 << 20);
    g_assert_null(cs_sequence_load(path, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_true(g_str_has_suffix(error->message, "short.fa: not enough memory to read it"));
#endif
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    fixture_begin();
    for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autofree char *path = g_strconcat("/fasta/text/", cases[k].label, NULL);
        g_test_add_data_func(path, &cases[k], test_case);
    }
    g_test_add_func("/fasta/block-edges", test_block_edges);
    g_test_add_func("/fasta/offset-is-of-the-text", test_offset_is_of_the_text);
    g_test_add_func("/fasta/huge-header", test_huge_header);
    g_test_add_func("/fasta/no-memory", test_no_memory);
    g_test_add_func("/fasta/long-name", test_long_name_is_cut_between_characters);
    g_test_add_func("/fasta/random-layouts", test_random_layouts);
    int status = g_test_run();
    fixture_end();
    return status;
}
