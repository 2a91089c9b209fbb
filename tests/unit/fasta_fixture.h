/* Inputs made at run time: a folder of their own, compressed bytes, standard input from a pipe. */
#ifndef FASTA_FIXTURE_H
#define FASTA_FIXTURE_H

#include <chromosweep/error.h>
#include <chromosweep/sequence.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIXTURE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIXTURE_ASAN 1
#endif
#endif
#ifndef FIXTURE_ASAN
#define FIXTURE_ASAN 0
#endif

void fixture_begin(void);
void fixture_end(void);

/* A path in the fixture's folder; (transfer full). */
char *fixture_path(const char *name);

/* Writes a file in the folder and answers its path; (transfer full). */
char *fixture_write(const char *name, const void *data, gsize length);

/* One gzip member. */
GByteArray *fixture_gzip(const void *data, gsize length);

/* BGZF of blocks of at most block bytes, with the end marker. */
GByteArray *fixture_bgzip(const void *data, gsize length, gsize block);

enum {
    FIXTURE_END_MARKER_BYTES = 28,
};

/* What a load answered: the bases (ambiguous ones as N), or the error. */
typedef struct {
    char *bases;
    char *name;
    gint64 offset;
    gint64 record_length;
    gint64 clipped;
    GError *error;
} FixtureResult;

void fixture_result_clear(FixtureResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FixtureResult, fixture_result_clear)

/* Loads a file; checks what must hold of any sequence and of any error, that it names who. */
FixtureResult fixture_load(const char *path, const char *name);

/* The same for a region. */
FixtureResult fixture_load_region(const char *path, const char *region);

/* Loads "-" with data, less than a pipe holds, on standard input. */
FixtureResult fixture_load_stdin(const void *data, gsize length, const char *name);

FixtureResult fixture_load_region_stdin(const void *data, gsize length, const char *region);

/* Writes the bytes to a file and loads it. */
FixtureResult fixture_load_bytes(const void *data, gsize length, const char *name);

/* The result is a failure of that kind whose message holds what. */
#define fixture_assert_error(result, kind, what)                                                   \
    G_STMT_START                                                                                   \
    {                                                                                              \
        g_assert_error((result).error, CS_ERROR, (kind));                                          \
        if (strstr((result).error->message, (what)) == NULL)                                       \
            g_error("\"%s\" lacks \"%s\"", (result).error->message, (what));                       \
    }                                                                                              \
    G_STMT_END

#endif
