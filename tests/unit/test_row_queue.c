/*
 * Pieces of special rows in a queue: all are packed as they are, on several threads, and kept in
 * order, and a failure comes back. Rows that several threads packed are those that one packs.
 */
#include <pthread.h>

#include <chromosweep/error.h>

#include "alignment/row_queue.h"
#include "alignment/rows.h"

enum {
    PIECES = 300,
    LONGEST = 50000, /* cells, so that the queue is full now and then */
    MOST_THREADS = 4,
};

typedef struct {
    gint64 taken, cells;
    gint64 fails_at; /* -1: never */
    gint freed;      /* atomic */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    guint waiting, wanted; /* threads that pack, until there are so many */
} Taker;

typedef struct {
    gint64 i;
    Taker *taker;
} Packed;

static gint64
length_of(gint64 k)
{
    return 1 + k * 7919 % LONGEST;
}

/* The first pieces are packed only when as many threads as are wanted pack. */
static void
meet(Taker *taker)
{
    pthread_mutex_lock(&taker->mutex);
    if (taker->waiting < taker->wanted && ++taker->waiting == taker->wanted)
        pthread_cond_broadcast(&taker->changed);
    while (taker->waiting < taker->wanted)
        pthread_cond_wait(&taker->changed, &taker->mutex);
    pthread_mutex_unlock(&taker->mutex);
}

static gpointer
pack(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gpointer user_data)
{
    Taker *taker = user_data;
    g_assert_cmpint(from, ==, 3 * i);
    g_assert_cmpint(count, ==, length_of(i));
    for (gint64 k = 0; k < count; k++) {
        g_assert_cmpint(h[k], ==, i + k);
        g_assert_cmpint(f[k], ==, i - k);
    }
    meet(taker);
    if (i % 50 == 0)
        g_usleep(2000);
    if (i % 7 == 6)
        return NULL;
    Packed *packed = g_new(Packed, 1);
    *packed = (Packed){i, taker};
    return packed;
}

static gboolean
keep(gpointer data, gpointer user_data, GError **error)
{
    Taker *taker = user_data;
    const Packed *packed = data;
    taker->taken += taker->taken % 7 == 6; /* there was nothing to keep */
    if (taker->taken == taker->fails_at) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED, "no more");
        return FALSE;
    }
    g_assert_cmpint(packed->i, ==, taker->taken);
    taker->taken++;
    taker->cells += length_of(packed->i);
    return TRUE;
}

static void
free_packed(gpointer data)
{
    const Packed *packed = data;
    g_atomic_int_inc(&packed->taker->freed);
    g_free(data);
}

static CsRowQueue *
new_queue(Taker *taker, gint64 fails_at, guint threads)
{
    const CsRowWork work = {pack, keep, free_packed, taker};
    *taker = (Taker){.fails_at = fails_at, .wanted = threads};
    pthread_mutex_init(&taker->mutex, NULL);
    pthread_cond_init(&taker->changed, NULL);
    CsRowQueue *queue = cs_row_queue_new(&work, threads);
    g_assert_nonnull(queue);
    return queue;
}

static void
free_queue(CsRowQueue *queue, Taker *taker)
{
    cs_row_queue_free(queue);
    pthread_cond_destroy(&taker->changed);
    pthread_mutex_destroy(&taker->mutex);
}

/* Queues pieces until one is refused; returns how many were not. */
static gint64
queue_all(CsRowQueue *queue, GError **error)
{
    g_autofree CsScore *h = g_new(CsScore, LONGEST);
    g_autofree CsScore *f = g_new(CsScore, LONGEST);
    for (gint64 k = 0; k < PIECES; k++) {
        for (gint64 c = 0; c < length_of(k); c++) {
            h[c] = k + c;
            f[c] = k - c;
        }
        if (!cs_row_queue_take(k, 3 * k, length_of(k), h, f, k % 2 == 1, queue, error))
            return k;
    }
    return PIECES;
}

static void
test_order(void)
{
    for (guint threads = 1; threads <= MOST_THREADS; threads++) {
        g_autoptr(GError) error = NULL;
        Taker taker;
        CsRowQueue *queue = new_queue(&taker, -1, threads);
        g_assert_cmpint(queue_all(queue, &error), ==, PIECES);
        g_assert_no_error(error);
        cs_row_queue_wait(queue);
        g_assert_cmpint(taker.taken, ==, PIECES);
        g_assert_cmpint(taker.freed, ==, PIECES - PIECES / 7);
        free_queue(queue, &taker);
    }
}

/* Without a wait, freeing the queue still keeps everything. */
static void
test_end(void)
{
    g_autoptr(GError) error = NULL;
    Taker taker;
    CsRowQueue *queue = new_queue(&taker, -1, 2);
    g_assert_cmpint(queue_all(queue, &error), ==, PIECES);
    free_queue(queue, &taker);
    g_assert_cmpint(taker.taken, ==, PIECES);
}

/* What others packed meanwhile is freed, but not kept. */
static void
test_failure(void)
{
    for (guint threads = 1; threads <= MOST_THREADS; threads++) {
        g_autoptr(GError) error = NULL;
        Taker taker;
        CsRowQueue *queue = new_queue(&taker, 21, threads);
        const gint64 queued = queue_all(queue, &error);
        g_assert_cmpint(queued, <, PIECES);
        g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
        cs_row_queue_wait(queue);
        g_assert_cmpint(taker.taken, ==, 21);
        g_assert_cmpint(taker.freed, >=, 21 - 3);
        free_queue(queue, &taker);
    }
}

enum {
    M = 400,
    N = 3000,
    PIECE = 700,
};

/* In pieces that come turn and turn about from two rows. */
static void
hand_out(CsRowFunc func, gpointer data)
{
    g_autofree CsScore *h = g_new(CsScore, N);
    g_autofree CsScore *f = g_new(CsScore, N);
    for (gint64 i = 1; i < M; i += 2)
        for (gint64 from = 0; from < N; from += PIECE)
            for (gint64 row = i; row <= i + 1; row++) {
                const gint64 count = MIN(PIECE, N - from);
                for (gint64 k = 0; k < count; k++) {
                    h[k] = from + k < 20 * row ? 100 + (row * 31 + (from + k) * 17) % 23 : 0;
                    f[k] = h[k] / 2;
                }
                g_assert_true(func(row, from, count, h, f, FALSE, data, NULL));
            }
}

static void
expect_same(CsRows *a, CsRows *b)
{
    g_autoptr(CsBus) x = cs_bus_new(N, CS_WIDTH_32, NULL), y = cs_bus_new(N, CS_WIDTH_32, NULL);
    g_assert_cmpuint(cs_rows_count(a), ==, cs_rows_count(b));
    g_assert_cmpint(cs_rows_bytes(a), ==, cs_rows_bytes(b));
    for (gsize k = 0; k < cs_rows_count(a); k++) {
        g_assert_cmpint(cs_rows_at(a, k), ==, cs_rows_at(b, k));
        g_assert_true(cs_rows_read(a, k, 0, x, NULL) && cs_rows_read(b, k, 0, y, NULL));
        g_assert_cmpmem(x->h, 4 * N, y->h, 4 * N);
        g_assert_cmpmem(x->gap, 4 * N, y->gap, 4 * N);
    }
}

/* Rows that are dropped on the way, because they exceed a budget, are the same, too. */
static void
test_same_rows(void)
{
    for (guint threads = 1; threads <= MOST_THREADS; threads++)
        for (gint64 most = G_MAXINT64; most > 10000;
             most /= (most == G_MAXINT64 ? most / 40000 : 2)) {
            g_autoptr(CsRows) plain = cs_rows_new_packed(M, 1, CS_WIDTH_32, most, NULL, NULL, NULL);
            g_autoptr(CsRows) queued =
                cs_rows_new_packed(M, 1, CS_WIDTH_32, most, NULL, NULL, NULL);
            const CsRowWork work = cs_rows_work(queued);
            CsRowQueue *queue = cs_row_queue_new(&work, threads);
            hand_out(cs_rows_take, plain);
            hand_out(cs_row_queue_take, queue);
            cs_row_queue_free(queue);
            expect_same(plain, queued);
        }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/row-queue/order", test_order);
    g_test_add_func("/row-queue/end", test_end);
    g_test_add_func("/row-queue/failure", test_failure);
    g_test_add_func("/row-queue/same-rows", test_same_rows);
    return g_test_run();
}
