/* Pieces of special rows in a queue: all arrive, in order, and a failure comes back. */
#include <chromosweep/error.h>

#include "alignment/row_queue.h"

enum {
    PIECES = 300,
    LONGEST = 50000, /* cells, so that the queue is full now and then */
};

typedef struct {
    gint64 taken, cells;
    gint64 fails_at; /* -1: never */
} Taker;

static gint64
length_of(gint64 k)
{
    return 1 + k * 7919 % LONGEST;
}

/* A CsRowFunc. */
static gboolean
take(gint64 i, gint64 from, gint64 count, const CsScore *h, const CsScore *f, gboolean bounds,
     gpointer user_data, GError **error)
{
    Taker *taker = user_data;
    if (taker->taken == taker->fails_at) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_FAILED, "no more");
        return FALSE;
    }
    g_assert_cmpint(i, ==, taker->taken);
    g_assert_cmpint(from, ==, 3 * i);
    g_assert_cmpint(count, ==, length_of(i));
    g_assert_cmpint(bounds, ==, i % 2);
    for (gint64 k = 0; k < count; k++) {
        g_assert_cmpint(h[k], ==, i + k);
        g_assert_cmpint(f[k], ==, i - k);
    }
    if (i % 50 == 0)
        g_usleep(2000);
    taker->taken++;
    taker->cells += count;
    return TRUE;
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
    g_autoptr(GError) error = NULL;
    Taker taker = {.fails_at = -1};
    CsRowQueue *queue = cs_row_queue_new(take, &taker);
    g_assert_nonnull(queue);
    g_assert_cmpint(queue_all(queue, &error), ==, PIECES);
    g_assert_no_error(error);
    cs_row_queue_wait(queue);
    g_assert_cmpint(taker.taken, ==, PIECES);
    cs_row_queue_free(queue);
}

/* Without a wait, freeing the queue still hands everything over. */
static void
test_end(void)
{
    g_autoptr(GError) error = NULL;
    Taker taker = {.fails_at = -1};
    CsRowQueue *queue = cs_row_queue_new(take, &taker);
    g_assert_cmpint(queue_all(queue, &error), ==, PIECES);
    cs_row_queue_free(queue);
    g_assert_cmpint(taker.taken, ==, PIECES);
}

static void
test_failure(void)
{
    g_autoptr(GError) error = NULL;
    Taker taker = {.fails_at = 20};
    CsRowQueue *queue = cs_row_queue_new(take, &taker);
    const gint64 queued = queue_all(queue, &error);
    g_assert_cmpint(queued, <, PIECES);
    g_assert_error(error, CS_ERROR, CS_ERROR_FAILED);
    cs_row_queue_wait(queue);
    g_assert_cmpint(taker.taken, ==, 20);
    cs_row_queue_free(queue);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/row-queue/order", test_order);
    g_test_add_func("/row-queue/end", test_end);
    g_test_add_func("/row-queue/failure", test_failure);
    return g_test_run();
}
