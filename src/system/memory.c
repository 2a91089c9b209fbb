/*
 * How much memory this process can get, by the limit that is reached first.
 *
 * A cgroup gives back its cache of files before anything fails, so the cache counts as free.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "system/cgroup.h"
#include "system/memory.h"

/* In version 1, a limit above this means no limit. */
#define NO_LIMIT (G_MAXINT64 / 2)

/* Microseconds between two readings of what other processes leave. */
#define READ_INTERVAL (G_USEC_PER_SEC / 10)

enum {
    LARGE_PAGE = 2 << 20,  /* bytes; other sizes only make the hint less useful */
    LARGE_BLOCK = 8 << 20, /* bytes from which on large pages are asked for */
};

typedef struct {
    gint64 left; /* bytes; -1: not known */
    const char *limit;
    gint64 swap; /* free on the machine */
} Least;

static void
take(Least *least, gint64 left, const char *limit)
{
    if (least->left >= 0 && left >= least->left)
        return;
    least->left = MAX(left, 0);
    least->limit = limit;
}

/* The number after a key in a file of keys and numbers; 0 if there is none. */
static gint64
number_of(char **words, const char *key)
{
    for (guint k = 0; words != NULL && words[k] != NULL; k++)
        if (strcmp(words[k], key) == 0) {
            while (words[++k] != NULL && words[k][0] == '\0') /* of several blanks */
                ;
            return words[k] != NULL ? cs_cgroup_number(words, k) : 0;
        }
    return 0;
}

/* How much the cgroup may put into the machine's free swap. Version 1 counts this differently. */
static gint64
swap_left(const char *directory, gint64 free)
{
    g_auto(GStrv) most = cs_cgroup_words(directory, "memory.swap.max");
    g_auto(GStrv) used = cs_cgroup_words(directory, "memory.swap.current");
    if (most == NULL || most[0] == NULL || used == NULL)
        return 0;
    return strcmp(most[0], "max") == 0
               ? free
               : CLAMP(cs_cgroup_number(most, 0) - cs_cgroup_number(used, 0), 0, free);
}

static void
take_limit(Least *least, const char *directory, const char *limit, const char *usage,
           const char *const *files)
{
    g_auto(GStrv) most = cs_cgroup_words(directory, limit);
    g_auto(GStrv) used = cs_cgroup_words(directory, usage);
    gint64 left = cs_cgroup_number(most, 0);
    if (left <= 0 || left >= NO_LIMIT || used == NULL)
        return;
    g_auto(GStrv) statistics = cs_cgroup_words(directory, "memory.stat");
    left -= cs_cgroup_number(used, 0);
    for (; *files != NULL; files++)
        left += number_of(statistics, *files);
    left += swap_left(directory, least->swap);
    take(least, left, "limit of the cgroup");
}

/* A CsCgroupFunc. */
static void
take_directory(const char *directory, gpointer user_data)
{
    static const char *const v2[] = {"inactive_file", "active_file", "slab_reclaimable", NULL};
    static const char *const v1[] = {"total_inactive_file", "total_active_file", NULL};
    take_limit(user_data, directory, "memory.max", "memory.current", v2);
    take_limit(user_data, directory, "memory.limit_in_bytes", "memory.usage_in_bytes", v1);
}

static void
take_address_space(Least *least, gint64 size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < (rlim_t)NO_LIMIT)
        take(least, (gint64)limit.rlim_cur - size, "limit of ulimit -v");
}

/* What the machine and the cgroups grant in addition to what this process has. */
static Least
read_granted(const char *root)
{
    g_autofree char *proc = g_build_filename(root, "proc", NULL);
    g_auto(GStrv) machine = cs_cgroup_words(proc, "meminfo");
    const gint64 available = number_of(machine, "MemAvailable:");
    Least least = {.left = -1, .swap = number_of(machine, "SwapFree:") * 1024};
    if (available > 0)
        take(&least, available * 1024 + least.swap, "free memory of the machine");
    cs_cgroup_walk(root, "memory", take_directory, &least);
    return least;
}

/*
 * The same plus the bytes that this process has. What it takes is no longer left, so this sum
 * changes only with other processes. It is read at most ten times a second, because it takes dozens
 * of files, and many short comparisons would read them again and again.
 */
static Least
granted_with(const char *root, gint64 held)
{
    static char *kept_root;
    static Least kept;
    static gint64 next;
    if (g_strcmp0(root, kept_root) != 0 || g_get_monotonic_time() >= next) {
        g_free(kept_root);
        kept_root = g_strdup(root);
        kept = read_granted(root);
        kept.left += kept.left >= 0 ? held : 0;
        next = g_get_monotonic_time() + READ_INTERVAL;
    }
    return kept;
}

/* What is left, and the bytes that this process has. alone: with its limit of address space. */
static gint64
look(const char *root, gboolean alone, const char **limit, gint64 *held)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const gint64 page = sysconf(_SC_PAGESIZE);
    g_autofree char *self = g_build_filename(root, "proc/self", NULL);
    pthread_mutex_lock(&lock);
    g_auto(GStrv) own = cs_cgroup_words(self, "statm");
    *held = cs_cgroup_number(own, 1) * page;
    Least least = granted_with(root, *held);
    pthread_mutex_unlock(&lock);
    if (least.left >= 0)
        least.left = MAX(least.left - *held, 0);
    if (alone)
        take_address_space(&least, cs_cgroup_number(own, 0) * page);
    *limit = least.limit;
    return least.left;
}

gint64
cs_memory_left(const char *root, const char **limit)
{
    gint64 held;
    return look(root, TRUE, limit, &held);
}

gint64
cs_memory_reach(const char *root, const char **limit)
{
    gint64 held;
    const gint64 left = look(root, TRUE, limit, &held);
    return left >= 0 ? left + held : -1;
}

gint64
cs_memory_reach_together(const char *root, const char **limit)
{
    gint64 held;
    const gint64 left = look(root, FALSE, limit, &held);
    return left >= 0 ? left + held : -1;
}

/* The bytes of address space that this process has; 0 if they cannot be read. Allocates no
 * memory. */
static guint64
address_space(void)
{
    char text[32];
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[MAX(length, 0)] = '\0';
    return g_ascii_strtoull(text, NULL, 10) * (guint64)sysconf(_SC_PAGESIZE);
}

gboolean
cs_memory_has_room(gsize bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= (rlim_t)NO_LIMIT)
        return TRUE;
    const guint64 taken = address_space();
    return bytes <= (gsize)NO_LIMIT && taken + bytes + CS_MEMORY_SPARE <= (guint64)limit.rlim_cur;
}

static pthread_mutex_t entered = PTHREAD_MUTEX_INITIALIZER;

gboolean
cs_memory_enter(gsize bytes)
{
    pthread_mutex_lock(&entered);
    if (cs_memory_has_room(bytes))
        return TRUE;
    pthread_mutex_unlock(&entered);
    return FALSE;
}

void
cs_memory_leave(void)
{
    pthread_mutex_unlock(&entered);
}

/* Asks for large pages in a large block: where memory is read here and there, addresses are then found faster. It is
 * a hint only, so what it returns does not matter. */
static void
advise(gpointer memory, gsize bytes)
{
    const guintptr from = ((guintptr)memory + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    const guintptr to = ((guintptr)memory + bytes) / LARGE_PAGE * LARGE_PAGE;
    if (memory != NULL && to > from && bytes >= LARGE_BLOCK)
        (void)madvise((gpointer)from, to - from, MADV_HUGEPAGE);
}

gpointer
cs_memory_try(gsize count, gsize size)
{
    gsize bytes;
    if (!g_size_checked_mul(&bytes, count, size) || !cs_memory_enter(bytes))
        return NULL;
    gpointer memory = g_try_malloc0(bytes);
    cs_memory_leave();
    advise(memory, bytes);
    return memory;
}

gpointer
cs_memory_try_resize(gpointer memory, gsize count, gsize size)
{
    gsize bytes;
    if (!g_size_checked_mul(&bytes, count, size) || !cs_memory_enter(bytes))
        return NULL;
    gpointer resized = g_try_realloc(memory, bytes);
    cs_memory_leave();
    advise(resized, bytes);
    return resized;
}
