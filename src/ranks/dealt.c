/* Deals the GPUs of a machine to its ranks, and tells rank 0. */
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "engines/engine_registry.h"
#include "ranks/dealt.h"
#include "ranks/ranks.h"

void
cs_dealt_put(GString *message, const CsDealtAsk *ask)
{
    cs_message_put_text(message, ask->device);
    cs_message_put_text(message, ask->engine);
    CS_MESSAGE_PUT(message, ask->threads);
}

/* The engine of the choice for a GPU or the CPU that works here, or NULL. */
static const CsEngineClass *
find_engine(const CsDeviceChoice *choice, gboolean gpu)
{
    for (guint k = 0; k < choice->n_engines; k++)
        if (choice->engines[k]->gpu == gpu &&
            choice->engines[k]->describe(choice->device, NULL) != NULL)
            return choice->engines[k];
    return NULL;
}

/* Keeps this rank's part of the GPUs of the machine. */
static void
keep_own(CsDeviceChoice *choice)
{
    const CsRankPlace *place = cs_ranks_place();
    const guint usable = choice->n_members;
    const guint sharers = (place->local_size + usable - 1) / usable;
    guint kept = 0;
    for (guint k = 0; k < usable; k++) {
        CsMember member = choice->members[k];
        member.speed = MAX(1, member.speed / sharers);
        if (usable >= place->local_size ? k % place->local_size == place->local_rank
                                        : k == place->local_rank % usable)
            choice->members[kept++] = member;
    }
    choice->n_members = kept;
}

gboolean
cs_dealt_choose(CsDeviceChoice *choice, CsDealtAsk *ask, GError **error)
{
    if (choice->n_members > 0) /* they were named one by one */
        return TRUE;
    const CsEngineClass *gpu = find_engine(choice, TRUE), *cpu = find_engine(choice, FALSE);
    if (gpu == NULL && cpu == NULL) {
        (void)choice->engines[0]->describe(choice->device, error);
        return FALSE;
    }
    if (choice->kind == CS_DEVICE_AUTO)
        ask->device = gpu != NULL ? "gpu" : "cpu";
    choice->kind = gpu != NULL ? CS_DEVICE_GPU : CS_DEVICE_CPU;
    if (gpu == NULL) {
        choice->members[choice->n_members++] = (CsMember){.engine = cpu};
        return TRUE;
    }
    const gboolean any = choice->device == NULL;
    g_autofree char *named = any ? g_strdup("gpu:all") : g_strdup_printf("gpu:%s", choice->device);
    if (!cs_device_choice_take_members(choice, named, error))
        return FALSE;
    if (any)
        keep_own(choice);
    return TRUE;
}

/* A member as rank 0 gets it. */
static gboolean
put_member(GString *answer, const CsMember *member, guint threads, GError **error)
{
    const char *phrase = member->engine->describe(member->device, error);
    const guint own = member->engine->gpu ? 0 : threads;
    if (phrase == NULL)
        return FALSE;
    cs_message_put_text(answer, member->engine->name);
    cs_message_put_text(answer, member->device);
    cs_message_put_text(answer, phrase);
    CS_MESSAGE_PUT(answer, member->speed);
    CS_MESSAGE_PUT(answer, own);
    return TRUE;
}

static gboolean
choose_here(CsMessageIn *message, GString *members, guint *count, GError **error)
{
    g_autofree char *device = cs_message_get_text(message);
    g_autofree char *engine = cs_message_get_text(message);
    CsDealtAsk ask = {.device = device, .engine = engine};
    CsDeviceChoice choice;
    guint cpus = 0;
    CS_MESSAGE_GET(message, ask.threads);
    if (!cs_message_check(message, error) ||
        !cs_device_choice_init(&choice, device, engine, error) ||
        !cs_dealt_choose(&choice, &ask, error))
        return FALSE;
    for (guint k = 0; k < choice.n_members; k++)
        cpus += !choice.members[k].engine->gpu;
    const guint threads = MIN(ask.threads, cs_threads_granted()) / MAX(1, cpus);
    for (guint k = 0; k < choice.n_members; k++)
        if (!put_member(members, &choice.members[k], MAX(1, threads), error))
            return FALSE;
    *count = choice.n_members;
    return TRUE;
}

void
cs_dealt_answer(CsMessageIn *message, GString *answer)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) members = g_string_new(NULL);
    guint count = 0;
    (void)choose_here(message, members, &count, &error);
    cs_message_put_error(answer, error);
    cs_message_put_text(answer, g_get_host_name());
    CS_MESSAGE_PUT(answer, count);
    cs_message_put(answer, members->str, members->len);
}

void
cs_dealt_take_gpu(CsDeviceChoice *choice)
{
    CsDeviceChoice dealt = *choice;
    CsDealtAsk ask = {.threads = 1};
    if (cs_ranks_place()->size > 1 && choice->kind != CS_DEVICE_CPU && choice->device == NULL &&
        cs_dealt_choose(&dealt, &ask, NULL) && dealt.members[0].engine->gpu)
        choice->device = dealt.members[0].device;
}
