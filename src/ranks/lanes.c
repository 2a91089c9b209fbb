/* Lists the devices of all ranks, and opens their lanes: see lanes.h. */
#include <string.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>
#include <chromosweep/ranks.h>
#include <chromosweep/threads.h>

#include "engines/engine_registry.h"
#include "ranks/dealt.h"
#include "ranks/lanes.h"
#include "ranks/ranks.h"

#define PREFIX "process:"

typedef struct {
    char *name;
    guint rank;
    guint address; /* 0 if it is this rank's */
} Device;

static GPtrArray *devices; /* of Device */
static guint count_here = 1;

static void
device_free(gpointer data)
{
    Device *device = data;
    g_free(device->name);
    g_free(device);
}

gboolean
cs_lanes_split(const char *text, guint *rank, const char **device)
{
    char *end;
    if (text == NULL || !g_str_has_prefix(text, PREFIX))
        return FALSE;
    *rank = (guint)g_ascii_strtoull(text + strlen(PREFIX), &end, 10);
    *device = *end == ':' ? end + 1 : end;
    return *end == ':';
}

guint
cs_lanes_address(const char *name)
{
    for (guint k = 0; devices != NULL && k < devices->len; k++) {
        const Device *device = devices->pdata[k];
        if (strcmp(device->name, name) == 0)
            return device->address;
    }
    return 0;
}

void
cs_lanes_set_count(guint count)
{
    count_here = MAX(1, count);
}

guint
cs_lanes_threads(guint threads)
{
    const guint granted = cs_threads_granted();
    return MAX(1, (threads > 0 ? MIN(threads, granted) : granted) / count_here);
}

/* The next device of a rank, which has `number` others. */
static void
append(guint rank, guint number, const char *what)
{
    Device *device = g_new(Device, 1);
    *device = (Device){.name = g_strdup_printf(PREFIX "%u:%s", rank, what),
                       .rank = rank,
                       .address = rank > 0 ? cs_ranks_address(rank, number + 1) : 0};
    g_ptr_array_add(devices, device);
}

static char *
describe(const char *engine, const char *device, GError **error)
{
    gboolean gpu;
    const CsEngineClass *class = cs_engine_lookup(engine, &gpu, error);
    if (class == NULL)
        return NULL;
    return class->gpu ? g_strdup_printf("gpu:%s", device) : g_strdup("cpu");
}

static gboolean
append_own(const char *device, const char *engine, CsDealtAsk *ask, GError **error)
{
    CsDeviceChoice choice;
    if (!cs_device_choice_init(&choice, device, engine, error) ||
        !cs_dealt_choose(&choice, ask, error))
        return FALSE;
    for (guint k = 0; k < choice.n_members; k++) {
        g_autofree char *what =
            describe(choice.members[k].engine->name, choice.members[k].device, error);
        append(0, k, what);
    }
    cs_lanes_set_count(choice.n_members);
    return TRUE;
}

static gboolean
append_of(guint rank, guint *count, GError **error)
{
    g_auto(CsMessageIn) answer = cs_ranks_receive(rank);
    if (!cs_message_get_error(&answer, error))
        return FALSE;
    g_free(cs_message_get_text(&answer)); /* its node */
    CS_MESSAGE_GET(&answer, *count);
    for (guint k = 0; k < *count; k++) {
        guint speed, threads;
        g_autofree char *engine = cs_message_get_text(&answer);
        g_autofree char *device = cs_message_get_text(&answer);
        g_free(cs_message_get_text(&answer)); /* what it is in words */
        CS_MESSAGE_GET(&answer, speed);
        CS_MESSAGE_GET(&answer, threads);
        g_autofree char *what =
            cs_message_check(&answer, error) ? describe(engine, device, error) : NULL;
        if (what == NULL)
            return FALSE;
        append(rank, k, what);
    }
    return TRUE;
}

static void
send_count(guint rank, guint count)
{
    const CsRanksRequest request = CS_RANKS_LANES;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, request);
    CS_MESSAGE_PUT(message, count);
    cs_ranks_send(rank, message);
}

/* Asks a rank for its devices, and lets it serve their lanes. */
static gboolean
open_rank(guint rank, const CsDealtAsk *ask, GError **error)
{
    const CsRanksRequest request = CS_RANKS_DEVICES;
    g_autoptr(GString) message = g_string_new(NULL);
    const guint before = devices->len;
    guint count, served = 0;
    CS_MESSAGE_PUT(message, request);
    cs_dealt_put(message, ask);
    cs_ranks_send(rank, message);
    if (append_of(rank, &count, error)) {
        send_count(rank, count);
        g_auto(CsMessageIn) answer = cs_ranks_receive(rank);
        (void)cs_message_get_error(&answer, error);
        CS_MESSAGE_GET(&answer, served);
    }
    g_ptr_array_set_size(devices, (gint)(before + served)); /* no thread serves the others */
    if (served == 0)
        g_prefix_error(error, "process %u: ", rank);
    return served > 0;
}

static char **
names(void)
{
    char **list = g_new0(char *, devices->len + 1);
    for (guint k = 0; k < devices->len; k++)
        list[k] = g_strdup(((const Device *)devices->pdata[k])->name);
    return list;
}

char **
cs_ranks_devices(const char *device, const char *engine, guint threads, GError **error)
{
    const CsRankPlace *place = cs_ranks_place();
    CsDealtAsk ask = {.device = device, .engine = engine, .threads = threads};
    g_return_val_if_fail(place->rank == 0, NULL);
    if (!cs_ranks_check_threads(error))
        return NULL;
    cs_lanes_end();
    devices = g_ptr_array_new_with_free_func(device_free);
    gboolean good = append_own(device, engine, &ask, error);
    for (guint rank = 1; good && rank < place->size; rank++)
        good = open_rank(rank, &ask, error);
    return good ? names() : NULL;
}

void
cs_lanes_end(void)
{
    const CsLanesWord word = CS_LANES_END;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    if (devices == NULL)
        return;
    for (guint k = 0; k < devices->len; k++) {
        const Device *device = devices->pdata[k];
        if (device->address > 0)
            cs_ranks_send(device->address, message);
    }
    for (guint rank = 1; rank < cs_ranks_place()->size; rank++)
        send_count(rank, 0);
    g_clear_pointer(&devices, g_ptr_array_unref);
    cs_lanes_set_count(1);
}

gboolean
cs_ranks_test(const char *device, const char *engine, GError **error)
{
    const CsLanesWord word = CS_LANES_TEST;
    const char *there = device;
    guint rank = 0;
    (void)cs_lanes_split(device, &rank, &there);
    const guint address = rank > 0 ? cs_lanes_address(device) : 0;
    if (address == 0)
        return cs_device_test(there, engine, error);
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, word);
    cs_message_put_text(message, there);
    cs_message_put_text(message, engine);
    cs_ranks_send(address, message);
    g_auto(CsMessageIn) answer = cs_ranks_receive(address);
    CsLanesWord done;
    CS_MESSAGE_GET(&answer, done);
    return cs_message_get_error(&answer, error);
}
