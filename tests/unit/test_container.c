/*
 * The containers of a text: gzip and BGZF that are cut, damaged or joined, files that cannot be
 * read, and a lack of memory. htslib must print nothing about any of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <htslib/hts_log.h>

#include "../case_count.h"
#include "fasta_fixture.h"

typedef struct {
    const char *label;
    char *text;
    gsize length;
    GByteArray *gzip;
    GByteArray *bgzip;
} Sample;

/* One record each. A prefix of the text would read as a shorter sequence, which must never happen
 * silently. */
static Sample samples[2];

static void
sample_init(Sample *sample, const char *label, gsize length, gsize block, gboolean mixed)
{
    sample->label = label;
    sample->text = g_malloc(length + 1);
    sample->length = length;
    memcpy(sample->text, ">a one\n", 7);
    g_autoptr(GRand) generator = g_rand_new_with_seed(20);
    for (gsize k = 7; k < length; k++)
        sample->text[k] = k % 61 == 0 ? '\n'
                          : mixed     ? "ACGT"[g_rand_int_range(generator, 0, 4)]
                                      : 'A';
    sample->text[length] = '\0';
    sample->gzip = fixture_gzip(sample->text, length);
    sample->bgzip = fixture_bgzip(sample->text, length, block);
}

static void
samples_init(void)
{
    sample_init(&samples[0], "small", 1000, 400, TRUE);
    /* Its ends coincide with those of htslib's buffers, of 64 KiB, and of our own blocks. */
    sample_init(&samples[1], "full buffers", 4 * 65536, 65280, FALSE);
}

static void
samples_clear(void)
{
    for (gsize k = 0; k < G_N_ELEMENTS(samples); k++) {
        g_free(samples[k].text);
        g_byte_array_unref(samples[k].gzip);
        g_byte_array_unref(samples[k].bgzip);
    }
}

/* The bases of a sample's text, after which come again those of times - 1 more. */
static char *
sample_bases(const Sample *sample, int times)
{
    g_autoptr(GString) bases = g_string_new(NULL);
    while (times-- > 0) {
        for (gsize k = 7; k < sample->length; k++)
            if (sample->text[k] != '\n')
                g_string_append_c(bases, sample->text[k]);
    }
    return g_string_free(g_steal_pointer(&bases), FALSE);
}

static void
test_whole(void)
{
    for (gsize k = 0; k < G_N_ELEMENTS(samples); k++) {
        const Sample *sample = &samples[k];
        g_autofree char *bases = sample_bases(sample, 1);
        g_auto(FixtureResult) plain = fixture_load_bytes(sample->text, sample->length, NULL);
        g_auto(FixtureResult) gzip =
            fixture_load_bytes(sample->gzip->data, sample->gzip->len, NULL);
        g_auto(FixtureResult) bgzip =
            fixture_load_bytes(sample->bgzip->data, sample->bgzip->len, "a");
        g_assert_no_error(plain.error);
        g_assert_no_error(gzip.error);
        g_assert_no_error(bgzip.error);
        g_assert_cmpstr(plain.bases, ==, bases);
        g_assert_cmpstr(gzip.bases, ==, bases);
        g_assert_cmpstr(bgzip.bases, ==, bases);
    }
}

static void
test_truncated(void)
{
    for (gsize k = 0; k < 2 * G_N_ELEMENTS(samples); k++) {
        const GByteArray *bytes = k % 2 == 0 ? samples[k / 2].gzip : samples[k / 2].bgzip;
        for (guint length = 0; length < bytes->len; length++) {
            g_auto(FixtureResult) file = fixture_load_bytes(bytes->data, length, NULL);
            fixture_assert_error(file, CS_ERROR_CONTENT, length == 0 ? "empty" : "truncated");
            g_auto(FixtureResult) pipe = fixture_load_stdin(bytes->data, length, "a");
            fixture_assert_error(pipe, CS_ERROR_CONTENT, length == 0 ? "empty" : "truncated");
        }
    }
}

/* Another member follows a whole one, and is cut. */
static void
test_truncated_second_member(void)
{
    const Sample *sample = &samples[0];
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_byte_array_append(bytes, sample->gzip->data, sample->gzip->len);
    g_autoptr(GByteArray) second = fixture_gzip("ACGT\n", 5);
    g_byte_array_append(bytes, second->data, second->len);
    for (guint length = sample->gzip->len + 1; length < bytes->len; length++) {
        g_auto(FixtureResult) result = fixture_load_bytes(bytes->data, length, NULL);
        fixture_assert_error(result, CS_ERROR_CONTENT, "truncated gzip data");
    }
}

/* A damaged byte is an error, or one that the text does not depend on: a time, a file's name. */
static void
test_damaged(void)
{
    static const guint8 flips[] = {0x01, 0x10, 0x80, 0xff};
    for (gsize k = 0; k < 2 * G_N_ELEMENTS(samples); k++) {
        const Sample *sample = &samples[k / 2];
        const GByteArray *bytes = k % 2 == 0 ? sample->gzip : sample->bgzip;
        g_autofree char *bases = sample_bases(sample, 1);
        const gsize step = case_count_is_low() ? 3 : 1;
        for (gsize at = 0; at < bytes->len * G_N_ELEMENTS(flips); at += step) {
            bytes->data[at / G_N_ELEMENTS(flips)] ^= flips[at % G_N_ELEMENTS(flips)];
            g_auto(FixtureResult) result = fixture_load_bytes(bytes->data, bytes->len, NULL);
            bytes->data[at / G_N_ELEMENTS(flips)] ^= flips[at % G_N_ELEMENTS(flips)];
            if (result.error != NULL)
                g_assert_error(result.error, CS_ERROR, CS_ERROR_CONTENT);
            else
                g_assert_cmpstr(result.bases, ==, bases);
        }
    }
}

/*
 * The length of a gzip header's extra field, grown until the data of a later block follow: every
 * checksum agrees, and htslib (as gzip does) takes what is between for part of the header.
 */
static void
test_swallowed_blocks(void)
{
    const GByteArray *bytes = samples[0].bgzip;
    guint starts[8], blocks = 0;
    for (guint at = 0; at < bytes->len; at += 1 + bytes->data[at + 16] + 256 * bytes->data[at + 17])
        starts[blocks++] = at;
    g_assert_cmpuint(blocks, ==, 4);
    for (guint k = 0; k < blocks; k++) {
        for (guint l = k + 1; l < blocks; l++) {
            guint extra = 6 + starts[l] - starts[k];
            bytes->data[starts[k] + 10] = (guint8)extra;
            bytes->data[starts[k] + 11] = (guint8)(extra >> 8);
            g_auto(FixtureResult) result = fixture_load_bytes(bytes->data, bytes->len, NULL);
            bytes->data[starts[k] + 10] = 6;
            bytes->data[starts[k] + 11] = 0;
            g_assert_error(result.error, CS_ERROR, CS_ERROR_CONTENT);
            if (k > 0)
                fixture_assert_error(result, CS_ERROR_CONTENT, "a block without a BGZF header");
        }
    }
}

static void
test_wrong_checksum(void)
{
    /* The last eight bytes of a gzip member are its CRC and its length, both of which zlib checks.
     */
    const Sample *sample = &samples[0];
    for (guint back = 1; back <= 8; back++) {
        g_autoptr(GByteArray) gzip = g_byte_array_new();
        g_byte_array_append(gzip, sample->gzip->data, sample->gzip->len);
        gzip->data[gzip->len - back] ^= 0x40;
        g_auto(FixtureResult) result = fixture_load_bytes(gzip->data, gzip->len, NULL);
        fixture_assert_error(result, CS_ERROR_CONTENT, "corrupt gzip data");
    }
    /* Of a BGZF block htslib checks the CRC. */
    for (guint back = 5; back <= 8; back++) {
        g_autoptr(GByteArray) bgzip = fixture_bgzip(sample->text, sample->length, 65280);
        bgzip->data[bgzip->len - FIXTURE_END_MARKER_BYTES - back] ^= 0x40;
        g_auto(FixtureResult) result = fixture_load_bytes(bgzip->data, bgzip->len, NULL);
        fixture_assert_error(result, CS_ERROR_CONTENT, "corrupt BGZF data");
    }
}

/* ISIZE, the length of a block's text, which htslib does not look at. */
static void
test_wrong_isize(void)
{
    const Sample *sample = &samples[0];
    const GByteArray *bytes = sample->bgzip;
    for (guint at = 0; at < bytes->len;) {
        guint next = at + 1 + bytes->data[at + 16] + 256 * bytes->data[at + 17];
        for (guint back = 1; back <= 4; back++) {
            bytes->data[next - back] ^= 0x01;
            g_auto(FixtureResult) file = fixture_load_bytes(bytes->data, bytes->len, NULL);
            g_auto(FixtureResult) pipe = fixture_load_stdin(bytes->data, bytes->len, "a");
            bytes->data[next - back] ^= 0x01;
            fixture_assert_error(file, CS_ERROR_CONTENT, "BGZF");
            fixture_assert_error(pipe, CS_ERROR_CONTENT, "BGZF");
        }
        at = next;
    }
}

/* An error says that a file was compressed twice, whatever the formats. */
static void
test_compressed_twice(void)
{
    const Sample *sample = &samples[0];
    for (int k = 0; k < 4; k++) {
        const GByteArray *inner = k & 1 ? sample->gzip : sample->bgzip;
        g_autoptr(GByteArray) outer = k & 2 ? fixture_gzip(inner->data, inner->len)
                                            : fixture_bgzip(inner->data, inner->len, 100);
        g_auto(FixtureResult) result = fixture_load_bytes(outer->data, outer->len, NULL);
        fixture_assert_error(result, CS_ERROR_CONTENT, ": this is gzip data inside gzip data");
    }
    /* Text that begins like it. */
    g_autoptr(GByteArray) gzip = fixture_gzip("\x1f", 1);
    g_auto(FixtureResult) one = fixture_load_bytes(gzip->data, gzip->len, NULL);
    fixture_assert_error(one, CS_ERROR_CONTENT, "no FASTA header before 0x1f at byte offset 0");
}

static void
test_no_end_marker(void)
{
    for (gsize k = 0; k < G_N_ELEMENTS(samples); k++) {
        const GByteArray *bytes = samples[k].bgzip;
        gsize length = bytes->len - FIXTURE_END_MARKER_BYTES;
        g_auto(FixtureResult) file = fixture_load_bytes(bytes->data, length, NULL);
        fixture_assert_error(file, CS_ERROR_CONTENT,
                             "truncated BGZF data: the end marker is missing");
        g_auto(FixtureResult) pipe = fixture_load_stdin(bytes->data, length, "absent");
        fixture_assert_error(pipe, CS_ERROR_CONTENT,
                             "truncated BGZF data: the end marker is missing");
    }
}

static void
test_trailing_garbage(void)
{
    static const guint8 fillers[] = {0x00, 'A', '\n', 0x1f, 0xff};
    const Sample *sample = &samples[0];
    for (gsize k = 0; k < 2 * G_N_ELEMENTS(fillers); k++) {
        const GByteArray *whole = k % 2 == 0 ? sample->gzip : sample->bgzip;
        for (guint extra = 1; extra <= 600; extra += extra < 40 ? 1 : 70) {
            g_autoptr(GByteArray) bytes = g_byte_array_new();
            g_byte_array_append(bytes, whole->data, whole->len);
            g_byte_array_set_size(bytes, whole->len + extra);
            memset(bytes->data + whole->len, fillers[k / 2], extra);
            g_auto(FixtureResult) result = fixture_load_bytes(bytes->data, bytes->len, NULL);
            fixture_assert_error(result, CS_ERROR_CONTENT, k % 2 == 0 ? "gzip data" : "BGZF data");
        }
    }
}

/* Consecutive members are one text, whatever their kinds. */
static void
test_joined(void)
{
    const Sample *sample = &samples[0];
    gsize rest = sample->length - 7;
    g_autoptr(GByteArray) gzip = fixture_gzip(sample->text + 7, rest);
    g_autoptr(GByteArray) bgzip = fixture_bgzip(sample->text + 7, rest, 300);
    g_autofree char *bases = sample_bases(sample, 2);
    for (int k = 0; k < 4; k++) {
        const GByteArray *first = k & 1 ? sample->gzip : sample->bgzip;
        const GByteArray *second = k & 2 ? gzip : bgzip;
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        g_byte_array_append(bytes, first->data, first->len);
        g_byte_array_append(bytes, second->data, second->len);
        g_auto(FixtureResult) result = fixture_load_bytes(bytes->data, bytes->len, NULL);
        g_assert_no_error(result.error);
        g_assert_cmpstr(result.bases, ==, bases);
    }
}

static void
test_compressed_nothing(void)
{
    g_autoptr(GByteArray) gzip = fixture_gzip("", 0);
    g_autoptr(GByteArray) bgzip = fixture_bgzip("", 0, 1);
    g_auto(FixtureResult) from_gzip = fixture_load_bytes(gzip->data, gzip->len, NULL);
    g_auto(FixtureResult) from_bgzip = fixture_load_bytes(bgzip->data, bgzip->len, NULL);
    fixture_assert_error(from_gzip, CS_ERROR_CONTENT, "no FASTA record");
    fixture_assert_error(from_bgzip, CS_ERROR_CONTENT, "no FASTA record");
}

static void
test_cannot_open(void)
{
    g_autofree char *missing = fixture_path("missing\n.fa");
    g_autoptr(GError) error = NULL;
    g_assert_null(cs_sequence_load(missing, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_true(g_str_has_prefix(error->message, "cannot open "));
    g_assert_true(g_str_has_suffix(error->message, "missing\\x0a.fa: No such file or directory"));
    g_autoptr(GError) copy = g_error_copy(error);
    g_assert_cmpint(cs_error_get_detail(copy), ==, CS_DETAIL_NOT_FOUND);
    g_assert_cmpstr(cs_error_get_path(error), ==, missing);
    g_assert_cmpstr(cs_error_get_path(copy), ==, missing);

    g_autofree char *folder = fixture_path("folder");
    g_assert_cmpint(g_mkdir(folder, 0777), ==, 0);
    g_auto(FixtureResult) from_folder = fixture_load(folder, NULL);
    fixture_assert_error(from_folder, CS_ERROR_FAILED, "Is a directory");
    g_rmdir(folder);

    g_auto(FixtureResult) nothing = fixture_load("", NULL);
    fixture_assert_error(nothing, CS_ERROR_FAILED, "No such file or directory");
    /* These are names of files, whatever htslib thinks of them. */
    g_auto(FixtureResult) data = fixture_load("data:,%3Ea%0AACGT%0A", NULL);
    fixture_assert_error(data, CS_ERROR_FAILED, "No such file or directory");
    g_auto(FixtureResult) url = fixture_load("http://localhost/a.fa", NULL);
    fixture_assert_error(url, CS_ERROR_FAILED, "No such file or directory");
}

static void
test_unreadable(void)
{
    g_autofree char *path = fixture_write("unreadable", ">a\nA\n", 5);
    g_assert_cmpint(g_chmod(path, 0), ==, 0);
    if (g_access(path, R_OK) == 0) {
        g_test_skip("this user may read everything");
        return;
    }
    g_auto(FixtureResult) result = fixture_load(path, NULL);
    fixture_assert_error(result, CS_ERROR_FAILED, "Permission denied");
}

static void
test_closed_stdin(void)
{
    int saved = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    g_autoptr(GError) error = NULL;
    g_assert_null(cs_sequence_load("-", NULL, &error));
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    g_assert_cmpstr(error->message, ==, "cannot open standard input: Bad file descriptor");
}

/* A terminal whose other side hangs up: the bytes arrive, and then EIO in place of the end. */
static FixtureResult
load_then_fail(const void *data, gsize length)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), saved = dup(STDIN_FILENO);
    g_assert_cmpint(master, >=, 0);
    g_assert_cmpint(grantpt(master), ==, 0);
    g_assert_cmpint(unlockpt(master), ==, 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    g_assert_cmpint(slave, >=, 0);
    struct termios settings;
    g_assert_cmpint(tcgetattr(slave, &settings), ==, 0);
    cfmakeraw(&settings);
    g_assert_cmpint(tcsetattr(slave, TCSANOW, &settings), ==, 0);
    g_assert_cmpint(write(slave, data, length), ==, (gssize)length);
    close(slave);
    dup2(master, STDIN_FILENO);
    close(master);
    FixtureResult result = {0};
    g_autoptr(CsSequence) sequence = cs_sequence_load("-", NULL, &result.error);
    g_assert_null(sequence);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    return result;
}

static void
test_read_error(void)
{
    if (g_access("/dev/ptmx", R_OK | W_OK) != 0) {
        g_test_skip("there are no pseudo-terminals here");
        return;
    }
    const Sample *sample = &samples[0];
    g_autoptr(GByteArray) second = g_byte_array_new();
    g_byte_array_append(second, sample->gzip->data, sample->gzip->len);
    g_byte_array_append(second, sample->gzip->data, 5);
    const struct {
        const void *data;
        gsize length;
    } cases[] = {
        {sample->text, sample->length},
        {sample->text, 1},
        {sample->gzip->data, sample->gzip->len},
        {sample->gzip->data, 10},
        {sample->gzip->data, 18},
        {sample->gzip->data, sample->gzip->len - 1},
        {second->data, second->len},
        {sample->bgzip->data, sample->bgzip->len},
        {sample->bgzip->data, 18},
        {sample->bgzip->data, 100},
        {sample->bgzip->data, sample->bgzip->len - FIXTURE_END_MARKER_BYTES},
        {sample->bgzip->data, sample->bgzip->len - 1},
    };
    for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_auto(FixtureResult) result = load_then_fail(cases[k].data, cases[k].length);
        fixture_assert_error(result, CS_ERROR_FAILED, "standard input: Input/output error");
    }
}

static int
count_files(void)
{
    g_autofree char *folder = fixture_path("");
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    int count = 0;
    while (g_dir_read_name(dir) != NULL)
        count++;
    return count;
}

static void
test_no_index(void)
{
    const Sample *sample = &samples[0];
    g_autofree char *path = fixture_write("a.fa.gz", sample->bgzip->data, sample->bgzip->len);
    /* Stale ones, that say something else. */
    g_autofree char *fai = fixture_write("a.fa.gz.fai", "a\t4\t3\t4\t5\n", 10);
    g_autofree char *gzi = fixture_write("a.fa.gz.gzi", "\0\0\0\0\0\0\0\0", 8);
    g_autofree char *bases = sample_bases(sample, 1);
    int before = count_files();
    g_auto(FixtureResult) result = fixture_load(path, "a");
    g_assert_no_error(result.error);
    g_assert_cmpstr(result.bases, ==, bases);
    g_assert_cmpint(count_files(), ==, before);
    g_unlink(fai);
    g_unlink(gzi);
    g_auto(FixtureResult) again = fixture_load(path, "a");
    g_assert_no_error(again.error);
    g_assert_cmpint(count_files(), ==, before - 2);
    g_unlink(path);
}

static void
test_quiet(void)
{
    const Sample *sample = &samples[0];
    if (g_test_subprocess()) {
        hts_set_log_level(HTS_LOG_TRACE);
        for (guint length = 0; length < sample->gzip->len; length += 7) {
            g_auto(FixtureResult) gzip = fixture_load_bytes(sample->gzip->data, length, NULL);
            g_auto(FixtureResult) bgzip = fixture_load_bytes(sample->bgzip->data, length, NULL);
            g_assert_true(gzip.error != NULL && bgzip.error != NULL);
            g_assert_cmpint(hts_get_log_level(), ==, HTS_LOG_TRACE);
        }
        g_auto(FixtureResult) fine = fixture_load_bytes(sample->text, sample->length, NULL);
        g_auto(FixtureResult) missing = fixture_load("missing", NULL);
        g_assert_true(fine.error == NULL && missing.error != NULL);
        g_assert_cmpint(hts_get_log_level(), ==, HTS_LOG_TRACE);
        fixture_end();
        _exit(0);
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    g_test_trap_assert_stderr("");
}

typedef struct {
    const char *path;
    FixtureResult alone; /* what loading it comes to with no other thread about */
} Load;

static gpointer
load_often(gpointer data)
{
    const Load *load = data;
    for (int k = 0; k < 200; k++) {
        g_auto(FixtureResult) result = fixture_load(load->path, NULL);
        g_assert_error(result.error, CS_ERROR, CS_ERROR_CONTENT);
        g_assert_cmpstr(result.error->message, ==, load->alone.error->message);
    }
    return NULL;
}

static void
test_threads(void)
{
    const Sample *sample = &samples[0];
    g_autofree char *path = fixture_write("cut.gz", sample->gzip->data, 100);
    enum htsLogLevel before = hts_get_log_level();
    Load load = {path, fixture_load(path, NULL)};
    GThread *threads[4];
    for (gsize k = 0; k < G_N_ELEMENTS(threads); k++)
        threads[k] = g_thread_new("load", load_often, &load);
    for (gsize k = 0; k < G_N_ELEMENTS(threads); k++)
        g_thread_join(threads[k]);
    fixture_result_clear(&load.alone);
    g_assert_cmpint(hts_get_log_level(), ==, before);
}

/* Writes a record of so many megabases as gzip: one member, over and over. */
static char *
write_megabases(int megabases)
{
    g_autofree char *bases = g_malloc(1000000);
    memset(bases, 'A', 1000000);
    g_autoptr(GByteArray) header = fixture_gzip(">large\n", 7);
    g_autoptr(GByteArray) member = fixture_gzip(bases, 1000000);
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_byte_array_append(bytes, header->data, header->len);
    while (megabases-- > 0)
        g_byte_array_append(bytes, member->data, member->len);
    return fixture_write("large.gz", bytes->data, bytes->len);
}

static void
test_too_little_memory(void)
{
    if (FIXTURE_ASAN) {
        g_test_skip("AddressSanitizer needs the address space");
        return;
    }
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_passed();
        return;
    }
    g_autofree char *path = write_megabases(500);
    struct rlimit limit = {300 << 20, 300 << 20};
    g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
    g_auto(FixtureResult) result = fixture_load(path, NULL);
    fixture_assert_error(result, CS_ERROR_DEVICE, "record \"large\": cannot allocate ");
    fixture_assert_error(result, CS_ERROR_DEVICE, " bytes for its bases");
    fixture_end();
    _exit(0);
}

/* A sequence as long as human chromosome 1 takes one byte per base and a constant, and seconds. */
static void
test_memory(void)
{
    if (!g_test_subprocess()) {
        if (FIXTURE_ASAN || !g_test_thorough()) {
            g_test_skip(FIXTURE_ASAN ? "AddressSanitizer needs more memory" : "for -m thorough");
            return;
        }
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_passed();
        return;
    }
    g_autofree char *path = write_megabases(250);
    g_autoptr(GError) error = NULL;
    gint64 begun = g_get_monotonic_time();
    g_autoptr(CsSequence) sequence = cs_sequence_load(path, NULL, &error);
    double seconds = (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC;
    g_assert_no_error(error);
    g_assert_cmpint(cs_sequence_get_length(sequence), ==, 250000000);
    struct rusage usage;
    g_assert_cmpint(getrusage(RUSAGE_SELF, &usage), ==, 0);
    g_assert_cmpint(usage.ru_maxrss, <, (250000000 >> 10) + (48 << 10)); /* KiB */
    g_assert_cmpfloat(seconds, <, 20);
    fixture_end();
    _exit(0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    fixture_begin();
    samples_init();
    g_test_add_func("/container/whole", test_whole);
    g_test_add_func("/container/truncated", test_truncated);
    g_test_add_func("/container/truncated-second-member", test_truncated_second_member);
    g_test_add_func("/container/damaged", test_damaged);
    g_test_add_func("/container/swallowed-blocks", test_swallowed_blocks);
    g_test_add_func("/container/wrong-checksum", test_wrong_checksum);
    g_test_add_func("/container/wrong-isize", test_wrong_isize);
    g_test_add_func("/container/compressed-twice", test_compressed_twice);
    g_test_add_func("/container/no-end-marker", test_no_end_marker);
    g_test_add_func("/container/trailing-garbage", test_trailing_garbage);
    g_test_add_func("/container/joined", test_joined);
    g_test_add_func("/container/compressed-nothing", test_compressed_nothing);
    g_test_add_func("/container/cannot-open", test_cannot_open);
    g_test_add_func("/container/unreadable", test_unreadable);
    g_test_add_func("/container/closed-stdin", test_closed_stdin);
    g_test_add_func("/container/read-error", test_read_error);
    g_test_add_func("/container/no-index", test_no_index);
    g_test_add_func("/container/quiet", test_quiet);
    g_test_add_func("/container/threads", test_threads);
    g_test_add_func("/container/too-little-memory", test_too_little_memory);
    g_test_add_func("/container/memory", test_memory);
    int status = g_test_run();
    samples_clear();
    fixture_end();
    return status;
}
