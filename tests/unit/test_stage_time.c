/* How long the stages before a sweep are told to take: on clocks of this test's own, which run at any pace. */
#include "skipping/stage_time.h"

#define SECOND G_USEC_PER_SEC

/* The steps of a machine that takes so many times as long as the model, gains even longer. */
static void
run_stages(double slow, double gains_slow)
{
    CsStageTime time;
    gint64 now = 5 * (gint64)SECOND;
    double left = 0, steps[CS_STEPS];
    cs_stage_time_begin(&time, 30000000, 30000000, 2, 16, now);
    cs_stage_time_expect(&time, CS_STEP_GAINS, 20);
    for (int step = 0; step < CS_STEPS; step++) {
        steps[step] =
            (double)time.expected[step] / SECOND * (step == CS_STEP_GAINS ? gains_slow : slow);
        left += steps[step];
    }
    const double all = left;
    for (int step = 0; step < CS_STEPS; step++) {
        cs_stage_time_enter(&time, (CsStageStep)step, now);
        for (int tenth = 1; tenth <= 10; tenth++) {
            now += (gint64)(steps[step] / 10 * SECOND);
            left -= steps[step] / 10;
            if (step == CS_STEP_GAINS)
                cs_stage_time_done(&time, 20 * tenth / 10.0);
            const double told = cs_stage_time_left(&time, now);
            g_test_message("step %d, %d tenths: told %.2f, true %.2f", step, tenth, told, left);
            g_assert_cmpfloat(told, >=, 0);
            /* The pace is known once a step is over, that of gains once some are. */
            if (left < 0.1 * all || step == CS_STEP_SEEDS ||
                (step < CS_STEP_GAINS && gains_slow > slow) || (step == CS_STEP_GAINS && tenth < 2))
                continue;
            g_assert_cmpfloat(told, >, left / 1.5);
            g_assert_cmpfloat(told, <, left * 1.5);
        }
    }
    cs_stage_time_enter(&time, CS_STEPS, now);
    g_assert_cmpfloat(cs_stage_time_left(&time, now), ==, 0);
}

static void
test_pace(void)
{
    run_stages(1, 1);
    run_stages(3, 3);
    run_stages(0.5, 0.5);
    run_stages(1, 6);
}

/* What earlier runs kept does not count as fast, and what is left out does not count. */
static void
test_kept(void)
{
    CsStageTime time;
    gint64 now = 1;
    cs_stage_time_begin(&time, 30000000, 30000000, 1, 16, now);
    g_assert_cmpfloat(cs_stage_time_left(&time, now), >, 1);
    cs_stage_time_expect(&time, CS_STEP_GAINS, 10);
    cs_stage_time_enter(&time, CS_STEP_SEEDS, now);
    cs_stage_time_enter(&time, CS_STEP_CORRIDOR, now += 1000); /* seeds and chain were kept */
    cs_stage_time_enter(&time, CS_STEP_GAINS, now += 1000);    /* the corridor, too */
    g_assert_cmpfloat(cs_stage_time_slowness(&time, now), ==, 1);
    g_assert_cmpfloat(ABS(cs_stage_time_left(&time, now) - 10), <, 1e-6);
    cs_stage_time_enter(&time, CS_STEP_CHAIN, now); /* never back */
    g_assert_cmpint(time.step, ==, CS_STEP_GAINS);
    cs_stage_time_done(&time, 1e9); /* no more than all */
    g_assert_cmpfloat(cs_stage_time_left(&time, now + SECOND), ==, 0);
}

/* A step without news of its own: the model, less what has passed, and never below nothing. */
static void
test_late(void)
{
    CsStageTime time;
    cs_stage_time_begin(&time, 1000000, 1000000, 1, 16, 0);
    cs_stage_time_expect(&time, CS_STEP_GAINS, 0);
    cs_stage_time_enter(&time, CS_STEP_SEEDS, 0);
    const double before = cs_stage_time_left(&time, 0);
    g_assert_cmpfloat(cs_stage_time_left(&time, SECOND / 20), <, before);
    const double late = cs_stage_time_left(&time, 1000 * (gint64)SECOND);
    g_assert_cmpfloat(late, >, 0);
    g_assert_cmpfloat(late, <, before);

    /* What comes after it takes longer, too, but a step may have reasons of its own. */
    cs_stage_time_begin(&time, 30000000, 30000000, 1, 16, 0);
    cs_stage_time_enter(&time, CS_STEP_SEEDS, 0);
    const gint64 expected = time.expected[CS_STEP_SEEDS];
    g_assert_cmpfloat(cs_stage_time_slowness(&time, expected), ==, 1);
    g_assert_cmpfloat(cs_stage_time_slowness(&time, expected * 3 / 2), >, 1.3);
    g_assert_cmpfloat(cs_stage_time_slowness(&time, expected * 100), <, 2);
}

/* The bounds, which are found beside the corridor, take CPUs from it only where there is none for them. */
static void
test_beside(void)
{
    CsStageTime alone, beside, many;
    cs_stage_time_begin(&alone, 1000000, 1000000, 2, 3, 0);
    cs_stage_time_begin(&beside, 1000000, 1000000, 2, 2, 0);
    cs_stage_time_begin(&many, 1000000, 1000000, 16, 2, 0);
    const gint64 more = beside.expected[CS_STEP_CORRIDOR] - alone.expected[CS_STEP_CORRIDOR];
    g_assert_cmpint(more, >, 0);
    g_assert_cmpint(more, <, alone.expected[CS_STEP_CORRIDOR]);
    g_assert_cmpint(many.expected[CS_STEP_CORRIDOR], <, alone.expected[CS_STEP_CORRIDOR]);
    for (int step = 0; step < CS_STEPS; step++)
        if (step != CS_STEP_CORRIDOR)
            g_assert_cmpint(beside.expected[step], ==, alone.expected[step]);
}

/* Two strands: the one that has done more tells more. */
static void
test_strands(void)
{
    CsStageTime plus, minus;
    const CsStageTime *both[] = {&plus, &minus};
    cs_stage_time_begin(&plus, 30000000, 30000000, 1, 16, 0);
    cs_stage_time_begin(&minus, 30000000, 30000000, 1, 16, 0);
    cs_stage_time_expect(&plus, CS_STEP_GAINS, 100);
    cs_stage_time_enter(&plus, CS_STEP_GAINS, 0);
    cs_stage_time_enter(&plus, CS_STEPS, 200 * (gint64)SECOND);
    cs_stage_time_enter(&minus, CS_STEP_SEEDS, 200 * (gint64)SECOND);
    cs_stage_time_enter(&minus, CS_STEP_CHAIN, 201 * (gint64)SECOND);
    const gint64 now = 201 * (gint64)SECOND;
    g_assert_cmpfloat(cs_stage_time_slowness(&minus, now), <, 1);
    g_assert_cmpfloat(cs_stage_time_slowness_of(both, 2, now), >, 1.9);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stage_time/pace", test_pace);
    g_test_add_func("/stage_time/kept", test_kept);
    g_test_add_func("/stage_time/late", test_late);
    g_test_add_func("/stage_time/beside", test_beside);
    g_test_add_func("/stage_time/strands", test_strands);
    return g_test_run();
}
