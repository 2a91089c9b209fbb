/* Runs tests in a process of their own, where a limit of address space leaves so many bytes. */
#ifndef TESTS_LIMIT_MEMORY_H
#define TESTS_LIMIT_MEMORY_H

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <glib.h>

/* Sanitizers map memory of their own, which a limit on it would end. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Runs the test again in a process of its own, where this is TRUE. */
static inline gboolean
in_own_process(void)
{
    if (g_test_subprocess())
        return TRUE;
    if (g_getenv("CHROMOSWEEP_TEST_EMULATED") != NULL) {
        g_test_skip("an emulated program cannot start itself");
        return FALSE;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    return FALSE;
}

#ifndef SANITIZED
static inline void
limit_memory(gsize more)
{
    g_autofree char *text = NULL;
    struct rlimit limit;
    mallopt(M_ARENA_MAX, 1); /* as the command does under such a limit */
    g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
    g_assert_cmpint(getrlimit(RLIMIT_AS, &limit), ==, 0);
    limit.rlim_cur = g_ascii_strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
}
#endif

#endif
