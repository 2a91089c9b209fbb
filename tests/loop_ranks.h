/*
 * Another process in this one: members of a ring whose every call is a message (ranks/remote.h), which
 * is answered at once.
 */
#ifndef LOOP_RANKS_H
#define LOOP_RANKS_H

#include <string.h>

#include "ranks/ranks.h"
#include "ranks/remote.h"
#include "ranks/serve.h"

static GQueue loop_messages[2] = {G_QUEUE_INIT, G_QUEUE_INIT}; /* of GBytes, to rank 0 and 1 */
static gboolean loop_waits; /* until all that belongs to a request was sent */

static inline void
loop_serve(void)
{
    static GHashTable *runs;
    if (runs == NULL)
        runs = cs_serve_runs_new();
    g_assert_true(cs_serve_next(runs, NULL));
}

static inline void
loop_send(guint to, guint lane, const void *data, gsize bytes)
{
    g_queue_push_tail(&loop_messages[to], g_bytes_new(data, bytes));
    if (to == 0 || loop_waits)
        return;
    loop_waits = *(const CsRanksRequest *)data == CS_RANKS_BEGIN; /* bases follow */
    if (!loop_waits)
        loop_serve();
}

static inline gsize
loop_wait(guint from, guint lane)
{
    if (from == 1 && loop_waits) {
        loop_waits = FALSE;
        loop_serve();
    }
    return g_bytes_get_size(g_queue_peek_head(&loop_messages[1 - from]));
}

static inline void
loop_take(guint from, guint lane, gsize bytes, void *data, gsize kept)
{
    g_autoptr(GBytes) message = g_queue_pop_head(&loop_messages[1 - from]);
    if (kept > 0)
        memcpy(data, g_bytes_get_data(message, NULL), kept);
}

static inline void
loop_start(CsRankPlace *place)
{
    *place = (CsRankPlace){.size = 2, .local_size = 1, .sharers = 1};
}

/* As if this process were alone, but messages still go around. */
static inline void
loop_leave(CsRankPlace *place)
{
    *place = (CsRankPlace){.size = 1, .local_size = 1, .sharers = 1};
}

/* The member of the other process on a device with this engine; on the CPU it has so many threads. */
static inline CsMember
loop_member(const char *device, const char *engine, guint threads)
{
    static const CsMpiModule two = {
        CS_MPI_MODULE_VERSION, loop_start, loop_send, NULL, loop_wait, loop_take, NULL};
    static const CsMpiModule one = {
        CS_MPI_MODULE_VERSION, loop_leave, loop_send, NULL, loop_wait, loop_take, NULL};
    g_autoptr(GError) error = NULL;
    CsDeviceChoice choice;
    cs_device_choice_init(&choice, device, engine, &error);
    g_assert_no_error(error);
    cs_ranks_join(&two);
    cs_remote_extend(&choice, device, engine, threads, &error);
    g_assert_no_error(error);
    cs_ranks_join(&one);
    g_assert_cmpuint(choice.n_members, ==, 2);
    return choice.members[1];
}

#endif
