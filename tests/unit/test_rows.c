/* Special rows: what is read back is what was kept, or is reported as damaged. */
#include <pthread.h>

#include <glib/gstdio.h>

#include <chromosweep/error.h>

#include "../case_count.h"
#include "../random_sequence.h"
#include "alignment/rows.h"

enum {
    M = 1000,
    N = 300,
    DISTANCE = 100,
};

/* H and F of column j (from 1) of a row: zero outside the piece. */
static CsScore
h_of(gint64 i, gint64 j)
{
    return j > 50 && j <= 250 ? 500 + (i / 100 * 7919 + j * 104729) % 13 : 0;
}

static CsScore
f_of(gint64 i, gint64 j)
{
    return h_of(i, j) > 505 ? h_of(i, j) - 5 : 0;
}

/* As a sweep hands the row out, in two pieces. */
static void
hand_out(CsRows *rows, gint64 i)
{
    for (gint64 from = 0; from < N; from += N / 2) {
        CsScore h[N], f[N];
        for (gint64 k = 0; k < N / 2; k++) {
            h[k] = h_of(i, from + k + 1);
            f[k] = f_of(i, from + k + 1);
        }
        g_assert_true(cs_rows_take(i, from, N / 2, h, f, TRUE, rows, NULL));
    }
}

/* Whether row k can be read; then it is as it was handed out. */
static gboolean
expect_row(CsRows *rows, gsize k)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsBus) bus = cs_bus_new(N, CS_WIDTH_64, NULL);
    const gint64 i = cs_rows_at(rows, k);
    if (!cs_rows_read(rows, k, 0, bus, &error)) {
        g_assert_error(error, CS_ERROR, CS_ERROR_CONTENT);
        return FALSE;
    }
    for (gint64 j = 1; j <= N; j++) {
        g_assert_cmpint(cs_width_get(bus->width, bus->h, j - 1), ==, h_of(i, j));
        g_assert_cmpint(cs_width_get(bus->width, bus->gap, j - 1), ==, f_of(i, j));
    }
    return TRUE;
}

static CsRows *
new_rows(gint64 most)
{
    g_autoptr(GError) error = NULL;
    CsRows *rows = cs_rows_new_packed(M, DISTANCE, CS_WIDTH_32, most, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(cs_rows_count(rows), ==, 9);
    return rows;
}

static void
expect_all(CsRows *rows, gsize count, gint64 distance)
{
    g_assert_cmpuint(cs_rows_count(rows), ==, count);
    for (gsize k = 0; k < count; k++) {
        g_assert_cmpint(cs_rows_at(rows, k), ==, (gint64)(k + 1) * distance);
        g_assert_true(expect_row(rows, k));
    }
}

/* In memory and in a temporary file: all rows, or every other one within a budget. */
static void
test_budget(void)
{
    for (int on_disk = 0; on_disk < 2; on_disk++)
        for (int thinned = 0; thinned < 2; thinned++) {
            g_autoptr(CsRows) whole = new_rows(G_MAXINT64);
            for (gint64 i = DISTANCE; i < M; i += DISTANCE)
                hand_out(whole, i);
            const gint64 bytes = cs_rows_bytes(whole);
            g_autoptr(CsRows) rows = new_rows(thinned ? bytes * 2 / 3 : G_MAXINT64);
            if (on_disk)
                g_assert_true(cs_rows_use_file(rows, NULL, "rows", NULL));
            for (gint64 i = DISTANCE; i < M; i += DISTANCE)
                hand_out(rows, i);
            expect_all(rows, thinned ? 4 : 9, thinned ? 2 * DISTANCE : DISTANCE);
            g_assert_cmpint(cs_rows_bytes(rows), <=, thinned ? bytes * 2 / 3 : bytes);
        }
}

typedef struct {
    CsSequence *a;
    char *folder, *file;
    CsCheckpoint *checkpoint;
} Fixture;

static void
set_up(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    fixture->a = random_sequence(M, 1);
    const CsFingerprint identity = {
        .target = fixture->a, .query = fixture->a, .scoring = CS_SCORING_DEFAULT};
    fixture->folder = g_dir_make_tmp("chromosweep-rows-XXXXXX", &error);
    fixture->file = g_build_filename(fixture->folder, "found-plus-rows.state", NULL);
    fixture->checkpoint = cs_checkpoint_open(fixture->folder, &identity, FALSE, NULL, NULL, &error);
    g_assert_no_error(error);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
    g_assert_cmpint(g_remove(fixture->file), ==, 0);
    cs_checkpoint_free(fixture->checkpoint);
    g_assert_cmpint(g_remove(fixture->folder), ==, 0);
    cs_sequence_unref(fixture->a);
    g_free(fixture->folder);
    g_free(fixture->file);
}

static CsRows *
load(const Fixture *fixture, CsRowsMark mark)
{
    return cs_rows_load(fixture->checkpoint, "plus-rows", M, CS_WIDTH_32, &mark, G_MAXINT64, NULL,
                        NULL);
}

static const CsRowsMark first = {CS_ROWS_MARK_STATE, {1, 0, 0}};
static const CsRowsMark second = {CS_ROWS_MARK_STATE, {2, 0, 0}};
static const CsRowsMark complete = {CS_ROWS_MARK_COMPLETE, {700, 3, 4}};

static void
fill(const Fixture *fixture, gint64 most)
{
    g_autoptr(CsRows) rows = new_rows(most);
    g_assert_true(cs_rows_use_file(rows, fixture->checkpoint, "plus-rows", NULL));
    for (gint64 i = DISTANCE; i < M; i += DISTANCE) {
        if (i == 400)
            cs_rows_mark(rows, &first);
        hand_out(rows, i);
    }
    cs_rows_mark(rows, &complete);
}

/* What stands before a mark, and on from there. */
static void
test_marks(Fixture *fixture, gconstpointer data)
{
    fill(fixture, G_MAXINT64);
    g_assert_null(load(fixture, second));
    {
        g_autoptr(CsRows) rows = load(fixture, complete);
        expect_all(rows, 9, DISTANCE);
    }
    {
        g_autoptr(CsRows) rows = load(fixture, first);
        CsRowsPiece piece;
        g_assert_true(cs_rows_next(rows, 2, 0, &piece));
        g_assert_cmpint(piece.column, ==, 51);
        g_assert_false(cs_rows_next(rows, 3, 0, &piece)); /* was handed out after it */
        for (gint64 i = 400; i < M; i += DISTANCE)
            hand_out(rows, i);
        cs_rows_restart(rows, 600);
        for (gint64 i = 700; i < M; i += DISTANCE)
            hand_out(rows, i);
        cs_rows_mark(rows, &second);
    }
    g_assert_null(load(fixture, complete)); /* it was cut off */
    g_autoptr(CsRows) rows = load(fixture, second);
    expect_all(rows, 9, DISTANCE);
}

/* Thinned out in the file: the mark still divides it. */
static void
test_thinned(Fixture *fixture, gconstpointer data)
{
    g_autoptr(CsRows) whole = new_rows(G_MAXINT64);
    for (gint64 i = DISTANCE; i < M; i += DISTANCE)
        hand_out(whole, i);
    fill(fixture, cs_rows_bytes(whole) * 2 / 3);
    {
        g_autoptr(CsRows) rows = load(fixture, complete);
        expect_all(rows, 4, 2 * DISTANCE);
    }
    g_autoptr(CsRows) rows = load(fixture, first);
    CsRowsPiece piece;
    g_assert_cmpuint(cs_rows_count(rows), ==, 4);
    g_assert_true(cs_rows_next(rows, 0, 0, &piece));
    g_assert_false(cs_rows_next(rows, 1, 0, &piece));
}

static void *
read_again(void *data)
{
    for (guint k = 0; k < 300; k++)
        expect_all(data, 9, DISTANCE);
    return NULL;
}

/* Rows in a file, which several threads read at the same time. */
static void
test_threads(Fixture *fixture, gconstpointer data)
{
    pthread_t threads[4];
    fill(fixture, G_MAXINT64);
    g_autoptr(CsRows) rows = load(fixture, complete);
    for (guint k = 0; k < G_N_ELEMENTS(threads); k++)
        g_assert_cmpint(pthread_create(&threads[k], NULL, read_again, rows), ==, 0);
    for (guint k = 0; k < G_N_ELEMENTS(threads); k++)
        pthread_join(threads[k], NULL);
}

/* Each byte in turn: what can be read is right. */
static void
test_damage(Fixture *fixture, gconstpointer data)
{
    g_autofree char *bytes = NULL;
    gsize size;
    guint none = 0, some = 0;
    fill(fixture, G_MAXINT64);
    g_assert_true(g_file_get_contents(fixture->file, &bytes, &size, NULL));
    for (gsize k = 0; k < size; k += case_count_is_low() ? 7 : 1) {
        guint read = 0;
        bytes[k] ^= (char)(1 << k % 8);
        g_assert_true(g_file_set_contents_full(fixture->file, bytes, (gssize)size,
                                               G_FILE_SET_CONTENTS_NONE, 0644, NULL));
        g_autoptr(CsRows) rows = load(fixture, complete);
        for (gsize r = 0; rows != NULL && r < cs_rows_count(rows); r++)
            read += expect_row(rows, r);
        bytes[k] ^= (char)(1 << k % 8);
        none += rows == NULL;
        some += rows != NULL;
        g_assert_true(rows == NULL || read == cs_rows_count(rows) - 1);
    }
    g_assert_cmpuint(none, >, 0);
    g_assert_cmpuint(some, >, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rows/budget", test_budget);
    g_test_add("/rows/marks", Fixture, NULL, set_up, test_marks, tear_down);
    g_test_add("/rows/thinned", Fixture, NULL, set_up, test_thinned, tear_down);
    g_test_add("/rows/threads", Fixture, NULL, set_up, test_threads, tear_down);
    g_test_add("/rows/damage", Fixture, NULL, set_up, test_damage, tear_down);
    return g_test_run();
}
