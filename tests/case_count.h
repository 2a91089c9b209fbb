/* How many random cases a test has. */
#ifndef CASE_COUNT_H
#define CASE_COUNT_H

#include <glib.h>

/* CHROMOSWEEP_TEST_CASES, or the test's own number where that is not set. */
static inline guint
case_count(guint own)
{
    const char *wanted = g_getenv("CHROMOSWEEP_TEST_CASES");
    return wanted != NULL ? (guint)g_ascii_strtoull(wanted, NULL, 10) : own;
}

#endif
