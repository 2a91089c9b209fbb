/* Sets of places against a plain array, in sizes of one level and of several. */
#include "lower_bound/place_set.h"

static gint32
step_to(const guint8 *has, gint32 count, gint32 place, gint32 step)
{
    while (place >= 0 && place < count && !has[place])
        place += step;
    return place >= 0 && place < count ? place : -1;
}

static void
try_size(gint32 count, GRand *rand)
{
    g_autofree guint8 *has = g_new0(guint8, count + 1);
    CsPlaceSet set;
    g_assert_true(cs_place_set_init(&set, count));
    for (int k = 0; k < 2000; k++) {
        const gint32 place = count > 0 ? g_rand_int_range(rand, 0, count) : 0;
        const gboolean add = count > 0 && g_rand_int_range(rand, 0, k < 1000 ? 3 : 2) > 0;
        if (add)
            cs_place_set_add(&set, place);
        else
            cs_place_set_remove(&set, place);
        has[place] = add;
        g_assert_cmpint(cs_place_set_has(&set, place), ==, add);
        const gint32 at = g_rand_int_range(rand, 0, count + 1);
        g_assert_cmpint(cs_place_set_after(&set, at), ==, step_to(has, count, at, 1));
        g_assert_cmpint(cs_place_set_before(&set, at - 1), ==, step_to(has, count, at - 1, -1));
    }
    cs_place_set_clear(&set);
}

static void
test_sizes(void)
{
    static const gint32 counts[] = {0,   1,    2,    63,   64,     65,     127,   128,
                                    500, 4031, 4032, 4096, 262079, 262144, 300000};
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (guint k = 0; k < G_N_ELEMENTS(counts); k++)
        try_size(counts[k], rand);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/place-set/sizes", test_sizes);
    return g_test_run();
}
