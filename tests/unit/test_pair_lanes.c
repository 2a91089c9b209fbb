/*
 * Pairs are shared among lanes: each is compared once, the largest first and those too large for a lane
 * last, also if devices fail or all is stopped; and which devices are lanes.
 */
#include <stdarg.h>

#include "command/messages.h"
#include "command/pair_lanes.h"

enum {
    CASES = 300,
    MOST = 40, /* pairs */
};

void
cs_message(CsMessage say, const char *format, ...)
{
    (void)say;
    (void)format;
}

typedef struct {
    pthread_mutex_t lock;
    guint begun;       /* pairs */
    guint times[MOST]; /* that each pair was compared to its end */
    guint alone;       /* of the order: so many take a lane each */
    const guint *order;
    guint breaks[4];  /* a lane fails at its pair of this number, from 1; 0: never */
    guint of_lane[4]; /* pairs that it began */
    gboolean failed[4];
    guint stop; /* after so many pairs; 0: never */
    gboolean stopped;
    guint together; /* pairs compared on all devices */
} Seen;

/* A CsLaneFunc. */
static CsLaneAnswer
compare(guint k, const CsLane *lane, gpointer data)
{
    Seen *seen = data;
    g_assert_false(seen->stopped);
    if (lane->has_others) {
        g_assert_false(seen->failed[lane->index]);
        g_assert_cmpuint(k, ==, seen->order[seen->begun]);
        g_assert_cmpuint(seen->begun, <, seen->alone);
    }
    seen->begun++;
    seen->together += !lane->has_others;
    pthread_mutex_unlock(&seen->lock);
    g_usleep(50);
    pthread_mutex_lock(&seen->lock);
    if (lane->has_others && ++seen->of_lane[lane->index] == seen->breaks[lane->index]) {
        seen->failed[lane->index] = TRUE;
        return CS_LANE_BROKEN;
    }
    seen->times[k]++;
    if (seen->stop == 0 || --seen->stop > 0)
        return CS_LANE_NEXT;
    seen->stopped = TRUE;
    return CS_LANE_STOP;
}

/* Pairs take a lane each if no other lane could wait for one of them until all else is done. */
static void
expect_order(const gint64 *cells, guint count, guint lanes, const guint *order, guint alone)
{
    double rest = 0;
    for (guint k = 0; k < alone; k++) {
        rest += (double)cells[order[k]];
        g_assert_true(k == 0 || cells[order[k - 1]] > cells[order[k]] ||
                      (cells[order[k - 1]] == cells[order[k]] && order[k - 1] < order[k]));
    }
    g_assert_true(alone == 0 || (double)cells[order[0]] * lanes <= rest);
    for (guint k = count; k-- > alone;) {
        rest += (double)cells[order[k]];
        g_assert_cmpfloat((double)cells[order[k]] * lanes, >, rest);
    }
}

static void
test_shared(void)
{
    guint together = 0, broken = 0, stopped = 0;
    for (guint n = 0; n < CASES; n++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(n);
        const guint lanes = (guint)g_rand_int_range(rand, 2, 5);
        const guint count = (guint)g_rand_int_range(rand, 0, MOST);
        gint64 cells[MOST];
        const CsLanesWish wish = {.threads = 4};
        Seen seen = {.lock = PTHREAD_MUTEX_INITIALIZER};
        for (guint k = 0; k < count; k++)
            cells[k] = g_rand_int_range(rand, 0, 8) == 0
                           ? (gint64)1 << g_rand_int_range(rand, 0, 60)
                           : g_rand_int_range(rand, 1, 20);
        for (guint k = 0; k < lanes; k++)
            seen.breaks[k] = (guint)MAX(0, g_rand_int_range(rand, -8, 5));
        seen.stop = g_rand_boolean(rand) ? (guint)g_rand_int_range(rand, 0, MOST) : 0;
        g_autofree guint *order = cs_pair_lanes_order(cells, count, lanes, &seen.alone);
        expect_order(cells, count, lanes, order, seen.alone);
        seen.order = order;
        g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func(g_free);
        for (guint k = 0; k < lanes; k++)
            g_ptr_array_add(devices, g_strdup_printf("gpu:%u", k));
        pthread_mutex_lock(&seen.lock);
        cs_pair_lanes_run(devices, &wish, cells, count, &seen.lock, compare, &seen);
        pthread_mutex_unlock(&seen.lock);
        for (guint k = 0; k < count; k++)
            g_assert_true(seen.times[k] == 1 || (seen.stopped && seen.times[k] == 0));
        g_assert_cmpuint(seen.together, >=, seen.stopped ? 0 : count - seen.alone);
        together += seen.together > 0;
        broken += seen.failed[0] || seen.failed[1];
        stopped += seen.stopped;
    }
    g_test_message("%u with pairs on all devices, %u with a failed device, %u stopped", together,
                   broken, stopped);
    g_assert_cmpuint(together, >, CASES / 10);
    g_assert_cmpuint(broken, >, CASES / 10);
    g_assert_cmpuint(stopped, >, CASES / 10);
}

static void
expect_devices(const char *device, guint threads, const char *wanted)
{
    g_autoptr(GError) error = NULL;
    const CsLanesWish wish = {.device = device, .threads = threads};
    g_autoptr(GPtrArray) devices = cs_pair_lanes_devices(&wish, &error);
    g_assert_no_error(error);
    if (device == NULL) {
        g_assert_cmpuint(devices->len, ==, 1);
        g_assert_null(devices->pdata[0]);
        return;
    }
    g_ptr_array_add(devices, NULL);
    g_autofree char *joined = g_strjoinv(" ", (char **)devices->pdata);
    g_assert_cmpstr(joined, ==, wanted);
}

static void
test_devices(void)
{
    expect_devices(NULL, 4, NULL);
    expect_devices("cpu", 4, "cpu");
    expect_devices("gpu:7", 4, "gpu:7"); /* refused elsewhere */
    expect_devices("cpu,cpu", 4, "cpu cpu");
    expect_devices("cpu,cpu,cpu", 2, "cpu cpu");
    expect_devices("cpu,cpu", 1, "cpu,cpu");
}

/* One device takes the pairs as they are listed. */
static void
test_one(void)
{
    const gint64 cells[] = {3, 1000, 5, 5};
    guint alone;
    g_autofree guint *order = cs_pair_lanes_order(cells, 4, 1, &alone);
    g_assert_cmpuint(alone, ==, 4);
    for (guint k = 0; k < 4; k++)
        g_assert_cmpuint(order[k], ==, k);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pair-lanes/shared", test_shared);
    g_test_add_func("/pair-lanes/devices", test_devices);
    g_test_add_func("/pair-lanes/one", test_one);
    return g_test_run();
}
