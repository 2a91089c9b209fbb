/* How many random cases a test has. */
#ifndef CASE_COUNT_H
#define CASE_COUNT_H

#include <glib.h>

/*
 * CHROMOSWEEP_TEST_CASES, a number or such a share of the test's own as 20%; the test's own where
 * that is not set.
 */
static inline guint
case_count(guint own)
{
    const char *wanted = g_getenv("CHROMOSWEEP_TEST_CASES");
    char *end;
    guint64 number;
    if (wanted == NULL)
        return own;
    number = g_ascii_strtoull(wanted, &end, 10);
    return (guint)(*end == '%' ? own * number / 100 : number);
}

/* Whether so small a share is wanted that what computes for long is left to those who want more. */
static inline gboolean
case_count_is_low(void)
{
    return case_count(10) < 2;
}

#endif
