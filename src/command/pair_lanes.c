/* Shares a list of pairs among devices: see pair_lanes.h. */
#include <string.h>

#include <chromosweep/device.h>
#include <chromosweep/ranks.h>

#include "command/messages.h"
#include "command/pair_lanes.h"

/* A run over the pairs. What changes is guarded by the lock. */
typedef struct {
    const guint *order;
    guint alone;
    guint next;    /* in the order */
    gboolean stop; /* nothing is to begin any more */
    GArray *later; /* guint: pairs whose device failed */
    pthread_mutex_t *lock;
    CsLaneFunc func;
    gpointer data;
} Run;

typedef struct {
    Run *run;
    CsLane lane;
    gboolean broken;
    GThread *thread; /* NULL: the caller's */
} Worker;

static gboolean
has(const GPtrArray *devices, const char *device)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)devices, device, g_str_equal, NULL);
}

/* Adds the GPUs that a text means, those of "gpu" and "gpu:all" only if they can be used. */
static gboolean
add_gpus(GPtrArray *devices, const char *text, GError **error)
{
    const gboolean all = strcmp(text, "gpu:all") == 0, any = strcmp(text, "gpu") == 0;
    CsDeviceList *list = cs_device_list_new(all || any ? "gpu" : text, error);
    gboolean more = list != NULL;
    for (guint k = 0; more && k < list->count; k++) {
        const CsDevice *device = &list->devices[k];
        if (!device->gpu || (device->fault != NULL && (all || any)))
            continue;
        more = !any;
        g_autofree char *name = g_strdup_printf("gpu:%u", device->index);
        if (!has(devices, name))
            g_ptr_array_add(devices, g_steal_pointer(&name));
    }
    const gboolean good = list != NULL;
    g_clear_pointer(&list, cs_device_list_free);
    return good;
}

static GPtrArray *
devices_of_processes(const CsLanesWish *wish, GError **error)
{
    g_auto(GStrv) names = cs_ranks_devices(wish->device, wish->engine, wish->threads, error);
    if (names == NULL)
        return NULL;
    GPtrArray *devices = g_ptr_array_new_with_free_func(g_free);
    for (guint k = 0; names[k] != NULL; k++)
        g_ptr_array_add(devices, g_strdup(names[k]));
    return devices;
}

GPtrArray *
cs_pair_lanes_devices(const CsLanesWish *wish, GError **error)
{
    if (cs_ranks_count() > 1)
        return devices_of_processes(wish, error);
    g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func(g_free);
    const char *device = wish->device;
    const gboolean many =
        device != NULL && (strchr(device, ',') != NULL || strcmp(device, "gpu:all") == 0);
    g_auto(GStrv) texts = many ? g_strsplit(device, ",", -1) : g_new0(char *, 1);
    guint on_cpu = 0;
    for (guint k = 0; texts[k] != NULL; k++)
        if (strcmp(texts[k], "cpu") != 0 && !add_gpus(devices, texts[k], error))
            return NULL;
    const gboolean gpus = devices->len > 0; /* the CPU would end its pair long after them */
    for (guint k = 0; texts[k] != NULL && !gpus; k++)
        if (strcmp(texts[k], "cpu") == 0 && on_cpu++ < wish->threads)
            g_ptr_array_add(devices, g_strdup("cpu"));
    if (devices->len > 1)
        return g_steal_pointer(&devices);
    g_ptr_array_set_size(devices, 0);
    g_ptr_array_add(devices, g_strdup(device));
    return g_steal_pointer(&devices);
}

/* A GCompareDataFunc: larger pairs first, of equal ones the first of the list. */
static int
compare_sizes(gconstpointer a, gconstpointer b, gpointer data)
{
    const gint64 *cells = data;
    const guint one = *(const guint *)a, other = *(const guint *)b;
    if (cells[one] != cells[other])
        return cells[one] > cells[other] ? -1 : 1;
    return one < other ? -1 : one > other;
}

guint *
cs_pair_lanes_order(const gint64 *cells, guint count, guint lanes, guint *alone)
{
    g_autofree guint *sorted = g_new(guint, count + 1);
    for (guint k = 0; k < count; k++)
        sorted[k] = k;
    *alone = count;
    if (lanes <= 1)
        return g_steal_pointer(&sorted);
    g_qsort_with_data(sorted, (gint)count, sizeof *sorted, compare_sizes, (gpointer)cells);
    guint large = count; /* pairs that no lane could end as soon as the others end theirs */
    double rest = 0;
    for (guint k = count; k-- > 0;) {
        rest += (double)cells[sorted[k]];
        if ((double)cells[sorted[k]] * lanes <= rest)
            large = k;
    }
    *alone = count - large;
    guint *order = g_new(guint, count + 1);
    memcpy(order, sorted + large, *alone * sizeof *order);
    memcpy(order + *alone, sorted, large * sizeof *order);
    return order;
}

/* Compares pairs until none is left to begin. The lock is held. */
static void
work(Worker *worker)
{
    Run *run = worker->run;
    while (!run->stop && !worker->broken && run->next < run->alone) {
        const guint k = run->order[run->next++];
        const CsLaneAnswer answer = run->func(k, &worker->lane, run->data);
        run->stop = run->stop || answer == CS_LANE_STOP;
        worker->broken = answer == CS_LANE_BROKEN;
        if (worker->broken || answer == CS_LANE_LATER)
            g_array_append_val(run->later, k);
    }
}

/* A GThreadFunc. */
static gpointer
work_on_thread(gpointer data)
{
    Worker *worker = data;
    pthread_mutex_lock(worker->run->lock);
    work(worker);
    pthread_mutex_unlock(worker->run->lock);
    return NULL;
}

/* The caller's thread is that of the first lane. Where a thread cannot be started, its device gets no
 * pairs. */
static void
work_all(Run *run, Worker *workers, guint count)
{
    for (guint k = 1; k < count; k++)
        if ((workers[k].thread = g_thread_try_new("lane", work_on_thread, &workers[k], NULL)) ==
            NULL)
            cs_message(CS_MESSAGE_WARNING, "no thread for a pair on %s", workers[k].lane.device);
    work(&workers[0]);
    pthread_mutex_unlock(run->lock);
    for (guint k = 1; k < count; k++)
        if (workers[k].thread != NULL)
            g_thread_join(workers[k].thread);
    pthread_mutex_lock(run->lock);
}

/* The devices that did not fail, as --device takes them; all if all did. */
static char *
join(const GPtrArray *devices, const Worker *workers)
{
    g_autoptr(GPtrArray) left = g_ptr_array_new();
    guint broken = 0;
    for (guint k = 0; k < devices->len; k++)
        broken += workers[k].broken;
    for (guint k = 0; k < devices->len; k++)
        if (!workers[k].broken || broken == devices->len)
            g_ptr_array_add(left, devices->pdata[k]);
    g_ptr_array_add(left, NULL);
    return g_strjoinv(",", (char **)left->pdata);
}

void
cs_pair_lanes_run(const GPtrArray *devices, const CsLanesWish *wish, const gint64 *cells,
                  guint count, pthread_mutex_t *lock, CsLaneFunc func, gpointer data)
{
    const guint lanes = devices->len, threads = wish->threads;
    const gboolean processes = cs_ranks_count() > 1; /* each has its own threads */
    g_autoptr(GArray) later = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree Worker *workers = g_new0(Worker, lanes);
    Run run = {.later = later, .lock = lock, .func = func, .data = data};
    g_autofree guint *order = cs_pair_lanes_order(cells, count, lanes, &run.alone);
    run.order = order;
    for (guint k = 0; k < lanes; k++)
        workers[k] = (Worker){
            .run = &run,
            .lane = {.index = k,
                     .device = devices->pdata[k],
                     .threads =
                         processes ? threads : MAX(1, threads / lanes + (k < threads % lanes)),
                     .has_others = lanes > 1}};
    work_all(&run, workers, lanes);
    g_autofree char *together = processes   ? g_strdup(wish->device)
                                : lanes > 1 ? join(devices, workers)
                                            : NULL;
    const CsLane all = {.device = together, .threads = threads};
    g_array_append_vals(later, order + run.next, count - run.next);
    for (guint k = 0; k < later->len && !run.stop; k++)
        run.stop = func(g_array_index(later, guint, k), &all, data) == CS_LANE_STOP;
}
