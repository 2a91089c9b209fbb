/* The speed that a plan measures, on devices whose times are made up. */
#include <math.h>

#include <chromosweep/chromosweep.h>

#include "compare/speed_probe.h"

#define WHOLE 1e14       /* cells */
#define MOST 3.0         /* seconds */
#define WIDTH 3072       /* columns of a block */
#define HAND_OVER 0.8e-3 /* seconds that a piece takes to the next device, at least */

/* Devices that compute a whole matrix together. */
typedef struct {
    gint64 slots;       /* of all devices */
    gint64 one;         /* of the first one, which computes parts of no more slots alone */
    double speed;       /* of the first one */
    double start;       /* seconds until the first one computes */
    double start_other; /* until the others do */
    double slow;        /* how many times as long the first part of a long time takes */
    guint parts;        /* how many were swept */
    double seconds;     /* that all took */
} Devices;

/* A CsProbeFunc. The part is a square; a slot computes 10,000 rows. */
static gboolean
sweep(double cells, double most, CsProbed *probed, gpointer user_data, GError **error)
{
    Devices *devices = user_data;
    const gint64 side = (gint64)sqrt(cells);
    const gint64 slots = MIN(devices->slots, side / 10000 + 1);
    const gboolean all = slots > devices->one;
    const double pieces = all ? (double)(side / WIDTH + slots) * HAND_OVER : 0;
    const double speed = devices->speed * (double)slots / (double)devices->one;
    double seconds = MAX(cells / speed, pieces) + devices->start + (all ? devices->start_other : 0);
    if (devices->slow > 0 && seconds > 0.5) {
        seconds *= devices->slow;
        devices->slow = 0;
    }
    devices->start = 0;
    devices->start_other = all ? 0 : devices->start_other;
    probed->seconds = MIN(seconds, most);
    probed->cells = (gint64)(cells * MIN(1, most / seconds));
    probed->slots = slots;
    devices->parts++;
    devices->seconds += probed->seconds;
    g_assert_cmpuint(devices->parts, <, 50);
    return TRUE;
}

static double
measure(Devices *devices, double cells, gboolean gpu)
{
    double speed;
    g_assert_true(cs_speed_probe(sweep, devices, cells, devices->slots, gpu, MOST, &speed, NULL));
    return speed;
}

/* One device computes all. */
static void
test_one(void)
{
    Devices cpu = {.slots = 4, .one = 4, .speed = 1e10};
    g_assert_cmpfloat_with_epsilon(measure(&cpu, WHOLE, FALSE), 1e10, 1e8);
    g_assert_cmpfloat(cpu.seconds, <, 2);
    Devices gpu = {.slots = 132, .one = 132, .speed = 6e12, .start = 0.3};
    g_assert_cmpfloat_with_epsilon(measure(&gpu, WHOLE, TRUE), 6e12, 1e11);
}

/* A device that takes as long to start as a part should take. */
static void
test_slow_start(void)
{
    for (double start = 0.8; start < 2; start += 0.1) {
        Devices one = {.slots = 1, .one = 1, .speed = 6e12, .start = start};
        g_assert_cmpfloat_with_epsilon(measure(&one, WHOLE, TRUE), 6e12, 1e11);
    }
}

/* The second device starts only for a part that is large enough for both. */
static void
test_two(void)
{
    for (double start = 0.1; start < 0.75; start += 0.1) {
        Devices two = {.slots = 264, .one = 132, .speed = 6e12, .start = 0.3, .start_other = start};
        g_assert_cmpfloat(measure(&two, WHOLE, TRUE), >, 7e12);
    }
}

/* A part that the first of four computes alone takes long enough, but does not tell the speed of
 * all. */
static void
test_four(void)
{
    for (double speed = 1e12; speed < 5e12; speed *= 1.5) {
        Devices four = {.slots = 528, .one = 132, .speed = speed, .start = 0.1, .start_other = 0.1};
        g_assert_cmpfloat(measure(&four, WHOLE, TRUE), >, 2 * speed);
    }
}

/* A small part takes so long that it would be enough, but it leaves most of the slots idle. */
static void
test_idle_slots(void)
{
    Devices four = {.slots = 528, .one = 132, .speed = 4e11, .start = 0.1, .start_other = 0.1};
    g_assert_cmpfloat(measure(&four, WHOLE, TRUE), >, 8e11);
}

/* The same part is fast when it is swept again; else a faster part before it counts. */
static void
test_slow_part(void)
{
    Devices gpu = {.slots = 132, .one = 132, .speed = 5e12, .start = 0.3, .slow = 1.5};
    g_assert_cmpfloat_with_epsilon(measure(&gpu, WHOLE, TRUE), 5e12, 1e11);
    Devices cpu = {.slots = 4, .one = 4, .speed = 1e10, .slow = 3};
    g_assert_cmpfloat_with_epsilon(measure(&cpu, WHOLE, FALSE), 1e10, 1e8);
}

/* A small matrix is swept whole; slow devices are stopped. */
static void
test_ends(void)
{
    Devices small = {.slots = 4, .one = 4, .speed = 1e10};
    g_assert_cmpfloat(measure(&small, 1e6, FALSE), >, 0);
    g_assert_cmpuint(small.parts, ==, 1);
    Devices slow = {.slots = 1, .one = 1, .speed = 1e6};
    g_assert_cmpfloat_with_epsilon(measure(&slow, WHOLE, FALSE), 1e6, 1e4);
    g_assert_cmpfloat(slow.seconds, <=, MOST + 1e-6);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/speed-probe/one", test_one);
    g_test_add_func("/speed-probe/slow-start", test_slow_start);
    g_test_add_func("/speed-probe/two", test_two);
    g_test_add_func("/speed-probe/four", test_four);
    g_test_add_func("/speed-probe/idle-slots", test_idle_slots);
    g_test_add_func("/speed-probe/slow-part", test_slow_part);
    g_test_add_func("/speed-probe/ends", test_ends);
    return g_test_run();
}
