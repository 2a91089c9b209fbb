/* A limit of address space that leaves so many bytes, for a process that a test started. */
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
