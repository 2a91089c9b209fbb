/* How many random cases a test has. */
#ifndef CASE_COUNT_H
#define CASE_COUNT_H

#include <glib.h>

/* Where every case takes long, a test has one of so many of its cases. */
#ifndef CASE_DIVISOR
#define CASE_DIVISOR 1
#endif

/*
 * The number in CHROMOSWEEP_TEST_CASES, or the share of the test's own number, such as 20%. The
 * test's own number if the variable is not set.
 */
static inline guint
case_count(guint own)
{
    const char *wanted = g_getenv("CHROMOSWEEP_TEST_CASES");
    char *end;
    guint64 number;
    own = (own + CASE_DIVISOR - 1) / CASE_DIVISOR;
    if (wanted == NULL)
        return own;
    number = g_ascii_strtoull(wanted, &end, 10);
    return (guint)(*end == '%' ? (own * number + 99) / 100 : number);
}

/* Whether the share is so small that slow cases should be left out. */
static inline gboolean
case_count_is_low(void)
{
    return case_count(10 * CASE_DIVISOR) < 2;
}

/* Whether a sanitizer slows the test down: then smaller inputs take long enough to be stopped. */
static inline gboolean
case_is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return TRUE;
#else
    return FALSE;
#endif
}

/* Whether data races are all that is looked for, with few cases: what threads share is the same in each. */
static inline gboolean
case_races_only(void)
{
#if defined(__SANITIZE_THREAD__)
    return case_count_is_low();
#else
    return FALSE;
#endif
}

/*
 * With few cases, skips a test whose result does not depend on the compiler, such as how good a forecast is. The gcc step
 * still runs it.
 */
static inline gboolean
case_skip_again(void)
{
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (case_count_is_low()) {
        g_test_skip("with few cases, gcc alone runs it");
        return TRUE;
    }
#endif
    return FALSE;
}

/* Skips a test that computes on one thread if data races are all that is looked for. */
static inline gboolean
case_skip_one_thread(void)
{
    if (!case_races_only())
        return FALSE;
    g_test_skip("it computes on one thread");
    return TRUE;
}

#endif
