/* The CPU quota of cgroups, read from trees laid out as kernels lay them out. */
#include <chromosweep/threads.h>

#include "fake_root.h"
#include "system/cpus.h"

typedef struct {
    const char *name;
    guint expected;
    FakeFile files[6];
} Case;

static const Case cases[] = {
    {"nothing", 0, {{NULL, NULL}}},
    {"v2-unlimited",
     0,
     {{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "max 100000\n"}}},
    {"v2-round-up",
     2,
     {{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "150000 100000\n"}}},
    {"v2-less-than-one",
     1,
     {{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "5000 100000\n"}}},
    {"v2-smallest-of-the-path",
     3,
     {{"proc/self/cgroup", "0::/a/b/c\n"},
      {"sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n"},
      {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
      {"sys/fs/cgroup/a/cpu.max", "300000 100000\n"}}},
    {"v2-container-root",
     4,
     {{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "400000 100000\n"}}},
    {"v2-outside-the-namespace",
     4,
     {{"proc/self/cgroup", "0::/../../x\n"},
      {"sys/fs/cgroup/cpu.max", "400000 100000\n"},
      {"sys/x/cpu.max", "100000 100000\n"}}},
    {"v2-beside-v1",
     2,
     {{"proc/self/cgroup", "1:memory:/m\n0::/a\n"},
      {"sys/fs/cgroup/unified/a/cpu.max", "200000 100000\n"}}},
    {"v1",
     5,
     {{"proc/self/cgroup", "3:memory:/m\n2:cpu,cpuacct:/a/b\n"},
      {"sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "450000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"}}},
    {"v1-unlimited",
     0,
     {{"proc/self/cgroup", "2:cpu:/a\n"},
      {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}}},
    {"v1-host-path",
     1,
     {{"proc/self/cgroup", "2:cpu:/docker/0123\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n"}}},
    {"v1-other-controller",
     0,
     {{"proc/self/cgroup", "2:cpuset:/a\n"},
      {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000\n"},
      {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000\n"}}},
    {"garbled",
     0,
     {{"proc/self/cgroup", "\n0::\nzero\n0:a\n0::/a\n"},
      {"sys/fs/cgroup/a/cpu.max", "many 0 -1\n"},
      {"sys/fs/cgroup/cpu.max", ""}}},
    {"zero-period",
     0,
     {{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "100000 0\n"}}},
    {"huge",
     G_MAXINT,
     {{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/cpu.max", "9223372036854775807 1\n"}}},
};

static void
test_quota(gconstpointer data)
{
    const Case *c = data;
    char *root = fake_root_new(c->files, G_N_ELEMENTS(c->files));
    g_assert_cmpuint(cs_cpus_quota(root), ==, c->expected);
    fake_root_free(root);
}

static void
test_granted(void)
{
    guint granted = cs_threads_granted();
    g_assert_cmpuint(granted, >=, 1);
    g_assert_cmpuint(granted, <=, g_get_num_processors());
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autofree char *path = g_strconcat("/threads/quota/", cases[k].name, NULL);
        g_test_add_data_func(path, &cases[k], test_quota);
    }
    g_test_add_func("/threads/granted", test_granted);
    return g_test_run();
}
