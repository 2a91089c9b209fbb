/* Inputs made at run time. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <htslib/bgzf.h>
#include <zlib.h>

#include "fasta_fixture.h"
#include "sequence/bases.h"
#include "sequence/sequence_private.h"

static char *folder;

void
fixture_begin(void)
{
    g_autoptr(GError) error = NULL;
    folder = g_dir_make_tmp("chromosweep-unit-XXXXXX", &error);
    g_assert_no_error(error);
}

void
fixture_end(void)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = fixture_path(name);
        if (g_unlink(path) != 0)
            g_rmdir(path);
    }
    g_rmdir(folder);
    g_clear_pointer(&folder, g_free);
}

char *
fixture_path(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

char *
fixture_write(const char *name, const void *data, gsize length)
{
    char *path = fixture_path(name);
    FILE *file = fopen(path, "wb"); /* thousands of these: no renames, no fsync */
    g_assert_nonnull(file);
    g_assert_cmpuint(fwrite(data, 1, length, file), ==, length);
    g_assert_cmpint(fclose(file), ==, 0);
    return path;
}

GByteArray *
fixture_gzip(const void *data, gsize length)
{
    z_stream stream = {0};
    g_assert_cmpint(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
    GByteArray *bytes = g_byte_array_new();
    g_byte_array_set_size(bytes, (guint)deflateBound(&stream, length));
    stream.next_in = (Bytef *)data;
    stream.avail_in = (uInt)length;
    stream.next_out = bytes->data;
    stream.avail_out = bytes->len;
    g_assert_cmpint(deflate(&stream, Z_FINISH), ==, Z_STREAM_END);
    g_byte_array_set_size(bytes, (guint)stream.total_out);
    deflateEnd(&stream);
    return bytes;
}

GByteArray *
fixture_bgzip(const void *data, gsize length, gsize block)
{
    GByteArray *bytes = g_byte_array_new();
    const guint8 *p = data;
    guint8 compressed[BGZF_MAX_BLOCK_SIZE];
    for (;;) {
        gsize now = MIN(length, block);
        size_t size = sizeof compressed;
        g_assert_cmpint(bgzf_compress(compressed, &size, p, now, 6), ==, 0);
        g_byte_array_append(bytes, compressed, (guint)size);
        if (now == 0) /* an empty block is the end marker */
            return bytes;
        p += now;
        length -= now;
    }
}

void
fixture_result_clear(FixtureResult *result)
{
    g_free(result->bases);
    g_free(result->name);
    g_clear_error(&result->error);
}

static FixtureResult
take_result(CsSequence *loaded, GError *error, const char *path, const char *who)
{
    FixtureResult result = {.error = error};
    g_autoptr(CsSequence) sequence = loaded;
    if (sequence == NULL) {
        g_assert_nonnull(result.error);
        const char *message = result.error->message;
        g_assert_true(result.error->domain == CS_ERROR);
        g_assert_true(g_utf8_validate(message, -1, NULL));
        for (const char *p = message; *p != '\0'; p++)
            g_assert_false(g_ascii_iscntrl(*p));
        g_assert_nonnull(strstr(message, who));
        return result;
    }
    g_assert_no_error(result.error);
    gint64 length = cs_sequence_get_length(sequence), ambiguous = 0;
    g_assert_cmpint(length, >, 0);
    g_assert_cmpstr(cs_sequence_get_file(sequence), ==, path);
    result.bases = g_malloc((gsize)length + 1);
    for (gint64 k = 0; k < length; k++) {
        g_assert_cmpint(sequence->codes[k], <=, CS_CODE_AMBIGUOUS);
        result.bases[k] = "ACGTN"[sequence->codes[k]];
        ambiguous += sequence->codes[k] == CS_CODE_AMBIGUOUS;
    }
    result.bases[length] = '\0';
    g_assert_cmpint(cs_sequence_get_ambiguous(sequence), ==, ambiguous);
    result.name = g_strdup(cs_sequence_get_name(sequence));
    result.offset = cs_sequence_get_offset(sequence);
    result.record_length = cs_sequence_get_record_length(sequence);
    result.clipped = cs_sequence_get_clipped(sequence);
    g_assert_cmpint(result.offset, >=, 0);
    g_assert_cmpint(result.offset + length, <=, result.record_length);
    return result;
}

static FixtureResult
load_and_check(const char *path, const char *name, const char *who)
{
    GError *error = NULL;
    CsSequence *sequence = cs_sequence_load(path, name, &error);
    FixtureResult result = take_result(sequence, error, path, who);
    if (result.error == NULL) {
        g_assert_cmpint(result.offset, ==, 0);
        g_assert_cmpint(result.record_length, ==, strlen(result.bases));
    }
    return result;
}

/* Nothing that is wrong with a region's own text has to do with the file. */
static FixtureResult
load_region_and_check(const char *path, const char *region, const char *who)
{
    GError *error = NULL;
    CsSequence *sequence = cs_sequence_load_region(path, region, &error);
    gboolean usage = g_error_matches(error, CS_ERROR, CS_ERROR_USAGE);
    g_assert_true(!usage || g_str_has_prefix(error->message, "region \""));
    return take_result(sequence, error, path, usage ? "region \"" : who);
}

FixtureResult
fixture_load(const char *path, const char *name)
{
    return load_and_check(path, name, path);
}

FixtureResult
fixture_load_region(const char *path, const char *region)
{
    return load_region_and_check(path, region, path);
}

/* Puts data on standard input, and answers what that was, for end_stdin(). */
static int
begin_stdin(const void *data, gsize length)
{
    int ends[2], saved = dup(STDIN_FILENO);
    g_assert_cmpint(pipe(ends), ==, 0);
    g_assert_cmpint(length, <=, 65536);
    g_assert_cmpint(write(ends[1], data, length), ==, (gssize)length);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    return saved;
}

static void
end_stdin(int saved)
{
    g_assert_cmpint(fcntl(STDIN_FILENO, F_GETFD), !=, -1); /* it is the caller's, and still open */
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    } else {
        close(STDIN_FILENO);
    }
}

FixtureResult
fixture_load_stdin(const void *data, gsize length, const char *name)
{
    int saved = begin_stdin(data, length);
    FixtureResult result = load_and_check("-", name, "standard input");
    end_stdin(saved);
    return result;
}

FixtureResult
fixture_load_region_stdin(const void *data, gsize length, const char *region)
{
    int saved = begin_stdin(data, length);
    FixtureResult result = load_region_and_check("-", region, "standard input");
    end_stdin(saved);
    return result;
}

FixtureResult
fixture_load_bytes(const void *data, gsize length, const char *name)
{
    g_autofree char *path = fixture_write("input", data, length);
    return fixture_load(path, name);
}
