/* Strips that are traced ahead: what is taken was traced from the right node. */
#include <pthread.h>

#include "../case_count.h"
#include "alignment/ahead.h"

enum {
    STRIPS = 40,
};

typedef enum {
    RIGHT,
    WRONG_ROW,
    WRONG_COLUMN,
    WRONG_STATE,
    WRONG_VALUE,
    NONE,
    KINDS,
} Kind;

/* Strip k ends in row k + 1; the result is a made-up function of the node it is traced from. */
typedef struct {
    CsNode nodes[STRIPS]; /* the true ones */
    Kind guesses[STRIPS];
    gboolean fails[STRIPS]; /* when traced ahead */
    gint pauses[STRIPS];    /* microseconds */
    gint started;           /* the strip where the path starts */
    gint first_wrong;       /* of guess_as_below() */
    pthread_t caller;
    gint traced; /* ahead; atomic */
} Fixture;

static CsNode
above(gsize k, const CsNode *from)
{
    const gint64 mixed =
        (from->j * 31 + from->i * 7 + from->value * 3 + (gint64)from->state) % 1009;
    return (CsNode){(gint64)k, mixed, (CsNodeState)(mixed % 3), mixed % 17 + 1};
}

static gboolean
is_right(const Fixture *fixture, gsize k, const CsNode *from)
{
    const CsNode *right = &fixture->nodes[k];
    return from->i == right->i && from->j == right->j && from->state == right->state &&
           from->value == right->value;
}

static gboolean
guess(gsize k, const CsNode *below, CsNode *from, gpointer user_data)
{
    const Fixture *fixture = user_data;
    g_assert_cmpint(below->i, >, (gint64)k + 1);
    *from = fixture->nodes[k];
    from->i += fixture->guesses[k] == WRONG_ROW;
    from->j += fixture->guesses[k] == WRONG_COLUMN;
    from->value += fixture->guesses[k] == WRONG_VALUE;
    if (fixture->guesses[k] == WRONG_STATE)
        from->state = (from->state + 1) % 3;
    return fixture->guesses[k] != NONE;
}

static gboolean
trace(gsize k, CsAheadStrip *strip, const gint *stop, gpointer user_data)
{
    Fixture *fixture = user_data;
    g_atomic_int_inc(&fixture->traced);
    g_usleep((gulong)fixture->pauses[k]);
    /* On another thread, what is of no use goes on until it is told so. */
    while (!is_right(fixture, k, &strip->from) && !pthread_equal(pthread_self(), fixture->caller) &&
           g_atomic_int_get(stop) == 0)
        g_usleep(10);
    cs_path_init(&strip->path, strip->from.i, strip->from.j);
    g_assert_true(cs_path_step_back(&strip->path, CS_PATH_ROWS, 1, NULL));
    strip->to = above(k, &strip->from);
    strip->started = (gint)k == fixture->started;
    return !fixture->fails[k];
}

static const CsAheadFuncs funcs = {guess, trace};

static void
fixture_init(Fixture *fixture, GRand *rand)
{
    const gint32 good = g_rand_int_range(rand, 1, 10); /* of ten guesses */
    *fixture = (Fixture){.caller = pthread_self(), .started = g_rand_int_range(rand, 0, STRIPS)};
    CsNode node = {STRIPS, g_rand_int_range(rand, 0, 1000), CS_NODE_H, 100};
    for (gsize k = STRIPS; k-- > 0;) {
        fixture->nodes[k] = node;
        node = above(k, &node);
        fixture->guesses[k] =
            g_rand_int_range(rand, 0, 10) < good ? RIGHT : (Kind)g_rand_int_range(rand, 0, KINDS);
        fixture->fails[k] = g_rand_int_range(rand, 0, 8) == 0;
        fixture->pauses[k] = g_rand_int_range(rand, 0, 100);
    }
}

static void
test_random(void)
{
    guint taken = 0, left = 0;
    /* Which strips are taken depends on the threads: if there were none, or no others, there are more cases. */
    for (guint32 seed = 1; seed <= case_count(300) || (seed <= 3000 && (taken == 0 || left == 0));
         seed++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        Fixture fixture;
        fixture_init(&fixture, rand);
        const guint threads = (guint)g_rand_int_range(rand, 0, 4);
        const gint stop = 0;
        gsize k = (gsize)g_rand_int_range(rand, fixture.started, STRIPS);
        CsNode node = fixture.nodes[k];
        g_autoptr(CsAhead) ahead = cs_ahead_new(k, &node, threads, &funcs, &stop, &fixture);
        for (gboolean started = FALSE; !started; k--) {
            CsAheadStrip strip = {0};
            g_assert_cmpint(node.j, ==, fixture.nodes[k].j);
            g_assert_cmpint(node.value, ==, fixture.nodes[k].value);
            if (cs_ahead_take(ahead, k, &node, &strip)) {
                g_assert_true(is_right(&fixture, k, &strip.from));
                g_assert_false(fixture.fails[k]);
                g_assert_cmpuint(strip.path.n, ==, 1);
                g_assert_cmpint(strip.path.j, ==, node.j);
                node = strip.to;
                started = strip.started;
                taken++;
            } else {
                g_usleep((gulong)fixture.pauses[k]);
                node = above(k, &node);
                started = (gint)k == fixture.started;
                left++;
            }
            cs_path_clear(&strip.path);
        }
        if (threads == 0) /* there is nobody to trace ahead */
            g_assert_cmpint(g_atomic_int_get(&fixture.traced), ==, 0);
    }
    g_test_message("%u strips taken, %u left", taken, left);
    g_assert_cmpuint(taken, >, 0);
    g_assert_cmpuint(left, >, 0);
}

/* No more strips are begun than the window holds, as those above the start are in vain. */
static void
test_window(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    Fixture fixture;
    fixture_init(&fixture, rand);
    for (gsize k = 0; k < STRIPS; k++)
        fixture.guesses[k] = RIGHT;
    g_autoptr(CsAhead) ahead =
        cs_ahead_new(STRIPS - 1, &fixture.nodes[STRIPS - 1], 2, &funcs, NULL, &fixture);
    g_assert_nonnull(ahead);
    g_usleep(20000);
    g_assert_cmpint(g_atomic_int_get(&fixture.traced), <=, 24);
}

/* How many strips are taken if some guesses are wrong and some are missing. */
static gsize
take_ahead(gsize first)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    Fixture fixture;
    const gint stop = 0;
    fixture_init(&fixture, rand);
    fixture.started = -1;
    for (gsize k = 0; k < STRIPS; k++) {
        fixture.guesses[k] = k % 8 == 5 ? NONE : k % 8 == 3 ? WRONG_COLUMN : RIGHT;
        fixture.fails[k] = FALSE;
    }
    g_autoptr(CsAhead) ahead =
        cs_ahead_new(first, &fixture.nodes[first], 7, &funcs, &stop, &fixture);
    for (gint before = -1; before != g_atomic_int_get(&fixture.traced);) {
        before = g_atomic_int_get(&fixture.traced);
        g_usleep(50000);
    }
    gsize taken = 0;
    for (gsize k = first; k-- > 0;) {
        CsAheadStrip strip = {0};
        if (!cs_ahead_take(ahead, k, &fixture.nodes[k], &strip))
            continue; /* it was being guessed when the one below had been traced */
        g_assert_true(is_right(&fixture, k, &strip.from));
        cs_path_clear(&strip.path);
        taken++;
    }
    return taken;
}

/* Nearly every strip is traced from where the one below was left, whatever was guessed for it, and
 * the guesses go on from there. One that is being guessed at that moment is lost, and on a busy machine these may be
 * many. So it is tried again. */
static void
test_follow(void)
{
    const gsize wanted = (STRIPS - 1) * 3 / 4;
    gsize taken = 0;
    for (guint tries = 0; tries < 50 && taken < wanted; tries++)
        taken = take_ahead(STRIPS - 1);
    g_assert_cmpuint(taken, >=, wanted);
}

/* As in a long gap: from a wrong node the next guess is wrong as well, and no path joins the right one. */
static gboolean
guess_as_below(gsize k, const CsNode *below, CsNode *from, gpointer user_data)
{
    const Fixture *fixture = user_data;
    *from = fixture->nodes[k];
    from->j += (gint)k == fixture->first_wrong || !is_right(fixture, k + 1, below);
    return TRUE;
}

static gsize
take_from_wrong_chain(gulong pause)
{
    static const CsAheadFuncs wrong_below = {guess_as_below, trace};
    const gsize first = STRIPS - 1;
    const gint stop = 0;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    Fixture fixture;
    fixture_init(&fixture, rand);
    fixture.first_wrong = STRIPS - 5;
    for (gsize k = 0; k < STRIPS; k++)
        fixture.fails[k] = FALSE;
    g_autoptr(CsAhead) ahead =
        cs_ahead_new(first, &fixture.nodes[first], 3, &wrong_below, &stop, &fixture);
    gsize taken = 0;
    for (gsize k = first; k-- > 0;) {
        CsAheadStrip strip = {0};
        g_usleep(pause); /* for the others */
        if (!cs_ahead_take(ahead, k, &fixture.nodes[k], &strip))
            continue;
        cs_path_clear(&strip.path);
        taken++;
    }
    return taken;
}

/* Two wrong strips in a row, and those above are guessed anew. How many are traced in time depends on the machine. */
static void
test_misses(void)
{
    gsize taken = 0;
    for (gulong pause = 1000; pause < 100000 && taken < STRIPS / 2; pause *= 2)
        taken = take_from_wrong_chain(pause);
    g_assert_cmpuint(taken, >=, STRIPS / 2);
}

/* Where every guess is wrong, hardly anything is traced ahead. */
static void
test_pause(void)
{
    const gsize first = STRIPS - 1;
    const gint stop = 0;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    Fixture fixture;
    fixture_init(&fixture, rand);
    for (gsize k = 0; k < STRIPS; k++)
        fixture.guesses[k] = WRONG_COLUMN;
    g_autoptr(CsAhead) ahead =
        cs_ahead_new(first, &fixture.nodes[first], 3, &funcs, &stop, &fixture);
    for (gsize k = first; k-- > 0;) {
        CsAheadStrip strip = {0};
        g_usleep(2000); /* for the others */
        g_assert_false(cs_ahead_take(ahead, k, &fixture.nodes[k], &strip));
    }
    g_assert_cmpint(g_atomic_int_get(&fixture.traced), <=, STRIPS * 3 / 4);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ahead/random", test_random);
    g_test_add_func("/ahead/window", test_window);
    g_test_add_func("/ahead/follow", test_follow);
    g_test_add_func("/ahead/misses", test_misses);
    g_test_add_func("/ahead/pause", test_pause);
    return g_test_run();
}
