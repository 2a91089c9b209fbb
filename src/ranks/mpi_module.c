/*
 * The module for MPI: messages between processes, and nothing that knows what is in them.
 *
 * A message is its length, then its bytes in parts of at most PART. MPI keeps the order of messages
 * between two processes that have the same tag, which is that of the lane. MPI's own waits keep a CPU
 * busy, which here may compute, so we ask again and again with pauses that grow. Threads call MPI one
 * at a time.
 */
#include <mpi.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "ranks/mpi_module.h"

#define PART ((gsize)1 << 20) /* MPI counts in int, and a part that nobody keeps needs a place */

enum {
    EAGER = 200,         /* asks before the first pause */
    LONGEST = 200 * 1000 /* nanoseconds of a pause */
};

const CsMpiModule *cs_mpi_module(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* whoever has it calls MPI */

/* Waits a little longer each time. */
static void
pause_after(guint asked)
{
    if (asked < EAGER) {
        sched_yield();
        return;
    }
    const struct timespec pause = {.tv_nsec = MIN(LONGEST, (long)(asked - EAGER + 1) * 2000)};
    nanosleep(&pause, NULL);
}

static void
wait_for(MPI_Request *request)
{
    int done = 0;
    for (guint asked = 0;; asked++) {
        pthread_mutex_lock(&lock);
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&lock);
        if (done)
            return;
        pause_after(asked);
    }
}

static void
send_part(guint to, guint lane, const void *data, gsize bytes)
{
    MPI_Request request;
    pthread_mutex_lock(&lock);
    MPI_Isend(data, (int)bytes, MPI_BYTE, (int)to, (int)lane, MPI_COMM_WORLD, &request);
    pthread_mutex_unlock(&lock);
    wait_for(&request);
}

static void
send(guint to, guint lane, const void *data, gsize bytes)
{
    const guint64 length = bytes;
    send_part(to, lane, &length, sizeof length);
    for (gsize sent = 0; sent < bytes; sent += PART)
        send_part(to, lane, (const char *)data + sent, MIN(PART, bytes - sent));
}

static void
receive_part(guint from, guint lane, void *data, gsize bytes)
{
    MPI_Request request;
    pthread_mutex_lock(&lock);
    MPI_Irecv(data, (int)bytes, MPI_BYTE, (int)from, (int)lane, MPI_COMM_WORLD, &request);
    pthread_mutex_unlock(&lock);
    wait_for(&request);
}

static gboolean
has_come(guint from, guint lane)
{
    int found = 0;
    pthread_mutex_lock(&lock);
    MPI_Iprobe((int)from, (int)lane, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&lock);
    return found;
}

static gsize
wait_message(guint from, guint lane)
{
    guint64 length = 0;
    receive_part(from, lane, &length, sizeof length);
    return length;
}

static void
take(guint from, guint lane, gsize bytes, void *data, gsize kept)
{
    g_autofree char *rest = kept < bytes ? g_malloc(PART) : NULL;
    gsize size;
    for (gsize received = 0; received < bytes; received += size) {
        size = MIN(PART, bytes - received);
        if (size <= kept - MIN(kept, received)) {
            receive_part(from, lane, (char *)data + received, size);
            continue;
        }
        receive_part(from, lane, rest, size);
        if (received < kept)
            memcpy((char *)data + received, rest, kept - received);
    }
}

/* How many of the machine's processes may run on the same CPU as this one, at most. */
static guint
count_sharers(MPI_Comm machine, int local_size)
{
    cpu_set_t own;
    g_autofree cpu_set_t *all = g_new0(cpu_set_t, local_size);
    guint most = 1;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, machine);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        guint sharers = 0;
        for (int k = 0; CPU_ISSET(cpu, &own) && k < local_size; k++)
            sharers += CPU_ISSET(cpu, &all[k]) != 0;
        most = MAX(most, sharers);
    }
    return most;
}

static void
start(CsRankPlace *place)
{
    MPI_Comm machine;
    int rank, size, local_rank, local_size, level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local_rank);
    MPI_Comm_size(machine, &local_size);
    *place = (CsRankPlace){.rank = (guint)rank,
                           .size = (guint)size,
                           .local_rank = (guint)local_rank,
                           .local_size = (guint)local_size,
                           .sharers = count_sharers(machine, local_size),
                           .threads = level >= MPI_THREAD_SERIALIZED};
    MPI_Comm_free(&machine);
}

static void
finish(void)
{
    MPI_Finalize();
}

__attribute__((visibility("default"))) const CsMpiModule *
cs_mpi_module(void)
{
    static const CsMpiModule module = {CS_MPI_MODULE_VERSION, start, send,  has_come,
                                       wait_message,          take,  finish};
    return &module;
}
