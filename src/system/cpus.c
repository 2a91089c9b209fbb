/* How many threads this process may usefully run: the smaller of CPU affinity and cgroup quota. */
#include <sched.h>
#include <stdatomic.h>

#include <chromosweep/threads.h>

#include "system/cgroup.h"
#include "system/cpus.h"

/* Converts quota and period in microseconds to CPUs; 0 if they set no limit. */
static guint
cpus_of_quota(gint64 quota, gint64 period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    gint64 cpus = quota / period + (quota % period != 0);
    return (guint)MIN(cpus, G_MAXINT);
}

/* The smaller of two limits; 0 means no limit. */
static guint
smaller_limit(guint a, guint b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* A CsCgroupFunc: the smallest quota so far. */
static void
take_quota(const char *directory, gpointer user_data)
{
    guint *limit = user_data;
    g_auto(GStrv) v2 = cs_cgroup_words(directory, "cpu.max");
    g_auto(GStrv) v1_quota = cs_cgroup_words(directory, "cpu.cfs_quota_us");
    g_auto(GStrv) v1_period = cs_cgroup_words(directory, "cpu.cfs_period_us");
    *limit = smaller_limit(*limit, cpus_of_quota(cs_cgroup_number(v2, 0), cs_cgroup_number(v2, 1)));
    *limit = smaller_limit(
        *limit, cpus_of_quota(cs_cgroup_number(v1_quota, 0), cs_cgroup_number(v1_period, 0)));
}

guint
cs_cpus_quota(const char *root)
{
    guint limit = 0;
    cs_cgroup_walk(root, "cpu", take_quota, &limit);
    return limit;
}

/* The number of CPUs in the affinity mask, which may have any length. */
static guint
affinity_count(void)
{
    for (int cpus = CPU_SETSIZE; cpus <= 64 * CPU_SETSIZE; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        gsize size = CPU_ALLOC_SIZE(cpus);
        guint count = 0;
        if (set != NULL && sched_getaffinity(0, size, set) == 0)
            count = (guint)CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (count > 0)
            return count;
    }
    return g_get_num_processors();
}

/* The quota. It is read from files at most once a second, because many short comparisons would read
 * them again and again. */
static guint
quota_here(void)
{
    static atomic_uint quota;
    static atomic_llong next;
    const gint64 now = g_get_monotonic_time();
    if (now >= next) {
        quota = cs_cpus_quota("/");
        next = now + G_USEC_PER_SEC;
    }
    return quota;
}

/* How many processes of this program share the CPUs. Written before there are threads. */
static guint processes = 1;

void
cs_cpus_share(guint count)
{
    processes = MAX(1, count);
}

guint
cs_threads_granted(void)
{
    return MAX(1, smaller_limit(affinity_count(), quota_here()) / processes);
}
