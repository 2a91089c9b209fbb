/* The memory that this process can have, read from trees laid out as kernels lay them out. */
#include <unistd.h>

#include "fake_root.h"
#include "system/memory.h"

#define MIB ((gint64)1 << 20)
#define MEMINFO                                                                                    \
    "MemTotal:  16384 kB\nMemFree: 100 kB\nMemAvailable:    8192 kB\nSwapFree:  2048 kB\n"

typedef struct {
    const char *name;
    gint64 expected; /* in addition to what the process has; -1: not known */
    const char *limit;
    FakeFile files[8];
} Case;

static const char machine[] = "free memory of the machine";
static const char cgroup[] = "limit of the cgroup";

static const Case cases[] = {
    {"nothing", -1, NULL, {{NULL, NULL}}},
    {"machine", 10 * MIB, machine, {{"proc/meminfo", MEMINFO}}},
    {"old-kernel", -1, NULL, {{"proc/meminfo", "MemTotal: 16384 kB\nMemFree: 100 kB\n"}}},
    {"v2",
     3 * MIB,
     cgroup,
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "0::/a\n"},
      {"sys/fs/cgroup/a/memory.max", "4194304\n"},
      {"sys/fs/cgroup/a/memory.current", "1048576\n"}}},
    {"v2-files-are-given-back",
     3 * MIB,
     cgroup,
     {{"proc/self/cgroup", "0::/a\n"},
      {"sys/fs/cgroup/a/memory.max", "4194304\n"},
      {"sys/fs/cgroup/a/memory.current", "4194304\n"},
      {"sys/fs/cgroup/a/memory.stat",
       "anon 1048576\nfile 3145728\ninactive_file 2097152\nactive_file 1048576\n"}}},
    {"v2-unlimited",
     10 * MIB,
     machine,
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "0::/a\n"},
      {"sys/fs/cgroup/a/memory.max", "max\n"},
      {"sys/fs/cgroup/a/memory.current", "1048576\n"}}},
    {"v2-smallest-of-the-path",
     1 * MIB,
     cgroup,
     {{"proc/self/cgroup", "0::/job/step\n"},
      {"sys/fs/cgroup/job/step/memory.max", "8388608\n"},
      {"sys/fs/cgroup/job/step/memory.current", "1048576\n"},
      {"sys/fs/cgroup/job/memory.max", "4194304\n"},
      {"sys/fs/cgroup/job/memory.current", "3145728\n"}}},
    {"v2-more-than-granted",
     0,
     cgroup,
     {{"proc/self/cgroup", "0::/a\n"},
      {"sys/fs/cgroup/a/memory.max", "4194304\n"},
      {"sys/fs/cgroup/a/memory.current", "5242880\n"}}},
    {"v1",
     2 * MIB,
     cgroup,
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "3:cpu:/c\n2:memory:/a\n"},
      {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4194304\n"},
      {"sys/fs/cgroup/memory/a/memory.usage_in_bytes", "3145728\n"},
      {"sys/fs/cgroup/memory/a/memory.stat", "cache 7\ntotal_inactive_file 1048576\n"}}},
    {"v1-unlimited",
     10 * MIB,
     machine,
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "2:memory:/a\n"},
      {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n"},
      {"sys/fs/cgroup/memory/a/memory.usage_in_bytes", "3145728\n"}}},
    {"garbled",
     -1,
     NULL,
     {{"proc/meminfo", "MemAvailable:\n"},
      {"proc/self/cgroup", "0::/a\n"},
      {"sys/fs/cgroup/a/memory.max", "much\n"},
      {"sys/fs/cgroup/a/memory.current", ""}}},
};

static void
test_reach(gconstpointer data)
{
    const Case *c = data;
    char *root = fake_root_new(c->files, G_N_ELEMENTS(c->files));
    fake_root_write(root, "proc/self/statm", "700 300 200 1 0 5 0\n");
    const gint64 held = 300 * sysconf(_SC_PAGESIZE);
    const char *limit;
    g_assert_cmpint(cs_memory_reach(root, &limit), ==, c->expected < 0 ? -1 : c->expected + held);
    g_assert_cmpstr(limit, ==, c->limit);
    fake_root_free(root);
}

/* What another process leaves is read at most ten times a second, however often it is asked for. */
static void
test_readings(void)
{
    enum {
        CALLS = 300
    };
    static const FakeFile files[] = {{"proc/self/statm", "700 300 200 1 0 5 0\n"}};
    char *root = fake_root_new(files, G_N_ELEMENTS(files));
    const gint64 start = g_get_monotonic_time();
    gint64 readings = 0, before = -1, left = -1;
    const char *limit;
    for (guint k = 1; k <= CALLS; k++) {
        g_autofree char *text = g_strdup_printf("MemAvailable: %u kB\n", k);
        fake_root_write(root, "proc/meminfo", text);
        left = cs_memory_left(root, &limit);
        readings += left != before;
        before = left;
    }
    const gint64 passed = g_get_monotonic_time() - start;
    g_assert_cmpint(readings, >=, 1);
    g_assert_cmpint(readings, <=, passed / (G_USEC_PER_SEC / 10) + 1);
    g_usleep(G_USEC_PER_SEC / 10);
    g_assert_cmpint(cs_memory_left(root, &limit), ==, CALLS * 1024);
    fake_root_free(root);
}

/* What this process takes or gives back counts at once. */
static void
test_own(void)
{
    static const FakeFile files[] = {{"proc/self/statm", "700 300 200 1 0 5 0\n"},
                                     {"proc/meminfo", MEMINFO}};
    const long page = sysconf(_SC_PAGESIZE);
    g_autofree char *less =
        g_strdup_printf("MemAvailable: %ld kB\nSwapFree: 2048 kB\n", 8192 - 100 * page / 1024);
    char *root = fake_root_new(files, G_N_ELEMENTS(files));
    const char *limit;
    g_assert_cmpint(cs_memory_left(root, &limit), ==, 10 * MIB);
    fake_root_write(root, "proc/self/statm", "800 400 200 1 0 5 0\n");
    fake_root_write(root, "proc/meminfo", less);
    g_assert_cmpint(cs_memory_left(root, &limit), ==, 10 * MIB - 100 * page);
    g_assert_cmpint(cs_memory_reach(root, &limit), ==, 10 * MIB + 300 * page);
    fake_root_write(root, "proc/self/statm", "700 300 200 1 0 5 0\n");
    fake_root_write(root, "proc/meminfo", MEMINFO);
    g_assert_cmpint(cs_memory_left(root, &limit), ==, 10 * MIB);
    fake_root_write(root, "proc/self/statm", "99999 99999 200 1 0 5 0\n");
    fake_root_write(root, "proc/meminfo", "MemAvailable: 1 kB\nSwapFree: 0 kB\n");
    g_assert_cmpint(cs_memory_left(root, &limit), <=, 1024);
    fake_root_free(root);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autofree char *path = g_strconcat("/memory/", cases[k].name, NULL);
        g_test_add_data_func(path, &cases[k], test_reach);
    }
    g_test_add_func("/memory/readings", test_readings);
    g_test_add_func("/memory/own", test_own);
    return g_test_run();
}
