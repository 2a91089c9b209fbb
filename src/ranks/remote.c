/* The side of rank 0: see remote.h. */
#include <string.h>

#include <chromosweep/error.h>

#include "engines/engine_registry.h"
#include "ranks/bulk.h"
#include "ranks/dealt.h"
#include "ranks/ranks.h"
#include "ranks/remote.h"
#include "ranks/run_message.h"
#include "ring/ring.h"

/* A device of another rank. Its number is its name in CsMember. */
typedef struct {
    guint rank;
    gboolean here;               /* on the machine of rank 0 */
    const CsEngineClass *engine; /* the same one on rank 0 */
    char *device;                /* as in CsEngineOptions, over there */
    char *phrase;
} Device;

struct _CsRun {
    guint rank;
    guint32 number; /* of the run, over there */
    const CsRectangle *rectangle;
};

static GPtrArray *devices; /* of Device; they live as long as the process */
static guint32 runs;       /* begun so far */

static const Device *
find_device(const char *name)
{
    return g_ptr_array_index(devices, (guint)g_ascii_strtoull(name, NULL, 10));
}

/* What the same engine is told on rank 0. */
static CsEngineOptions
options_here(const CsEngineOptions *options)
{
    CsEngineOptions own = *options;
    own.device = NULL;
    return own;
}

static const char *
describe(const char *device, GError **error)
{
    return find_device(device)->phrase;
}

static void
shape(const CsRectangle *rectangle, const CsEngineOptions *options, CsGridShape *wanted)
{
    const CsEngineOptions own = options_here(options);
    find_device(options->device)->engine->shape(rectangle, &own, wanted);
}

static gboolean
accepts(const CsRectangle *rectangle, const CsGridShape *wanted, const CsEngineOptions *options,
        GError **error)
{
    const CsEngineOptions own = options_here(options);
    return find_device(options->device)->engine->accepts(rectangle, wanted, &own, error);
}

/* On another machine it takes nothing of what this one has (see serve.c). */
static void
needs(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *wanted,
      const CsEngineOptions *options, CsEngineNeeds *found)
{
    const CsEngineOptions own = options_here(options);
    const Device *device = find_device(options->device);
    device->engine->needs(rectangle, grid, wanted, &own, found);
    if (device->here)
        found->other += grid->n + grid->m; /* bases */
    else
        found->buses = found->other = found->device = 0;
}

static void
put_request(GString *message, CsRanksRequest request, guint32 number)
{
    CS_MESSAGE_PUT(message, request);
    CS_MESSAGE_PUT(message, number);
}

/* Sends a request without more to say. */
static void
request(const CsRun *run, CsRanksRequest kind)
{
    g_autoptr(GString) message = g_string_new(NULL);
    put_request(message, kind, run->number);
    cs_ranks_send(run->rank, message);
}

/* Puts the rank before an error. */
static gboolean
fail(guint rank, GError **error)
{
    g_prefix_error(error, "process %u: ", rank);
    return FALSE;
}

static CsRun *
begin(const CsRectangle *rectangle, const CsGrid *grid, const CsGridShape *wanted,
      const CsEngineOptions *options, GError **error)
{
    const Device *device = find_device(options->device);
    CsEngineOptions own = *options;
    own.device = device->device;
    if (rectangle->top != NULL || rectangle->marks != NULL) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                            "another process cannot mark where alignments end");
        return NULL;
    }
    CsRun *run = g_new(CsRun, 1);
    *run = (CsRun){device->rank, ++runs, rectangle};
    g_autoptr(GString) message = g_string_new(NULL);
    put_request(message, CS_RANKS_BEGIN, run->number);
    cs_message_put_text(message, device->engine->name);
    cs_run_message_put(message, rectangle, grid, wanted, &own);
    cs_ranks_send(run->rank, message);
    cs_run_message_send(run->rank, rectangle);
    g_auto(CsMessageIn) answer = cs_ranks_receive(run->rank);
    if (cs_message_get_error(&answer, error))
        return run;
    (void)fail(run->rank, error);
    g_free(run);
    return NULL;
}

/* A failure is told with the next answer. */
static gboolean
feed(CsRun *run, gint64 from, gint64 count, const CsScore *h, const CsScore *f, CsScore known,
     GError **error)
{
    g_autoptr(GString) message = g_string_new(NULL);
    put_request(message, CS_RANKS_FEED, run->number);
    CS_MESSAGE_PUT(message, from);
    CS_MESSAGE_PUT(message, count);
    CS_MESSAGE_PUT(message, known);
    cs_message_put_array(message, h, (gsize)count, sizeof *h);
    cs_message_put_array(message, f, (gsize)count, sizeof *f);
    cs_ranks_send(run->rank, message);
    return TRUE;
}

static gboolean
submit(CsRun *run, gint64 d, GError **error)
{
    g_autoptr(GString) message = g_string_new(NULL);
    put_request(message, CS_RANKS_SUBMIT, run->number);
    CS_MESSAGE_PUT(message, d);
    cs_ranks_send(run->rank, message);
    return TRUE;
}

/* Asks and waits. Buses follow the answer, so that it can be read before them; without an answer they
 * are dropped. */
static gboolean
ask(const CsRun *run, CsRanksRequest kind, CsMessageIn *answer, GError **error)
{
    GError *failure = NULL;
    guint buses;
    request(run, kind);
    *answer = cs_ranks_receive(run->rank);
    CS_MESSAGE_GET(answer, buses);
    if (cs_message_get_error(answer, &failure))
        return TRUE;
    for (guint k = 0; k < buses; k++)
        cs_bus_free(cs_bulk_receive_bus(run->rank, &failure));
    g_propagate_error(error, failure);
    return fail(run->rank, error);
}

/* Hands out the pieces of special rows that came with an answer, unless its buses failed. */
static gboolean
hand_out(const CsRun *run, CsMessageIn *answer, GError *failure, GError **error)
{
    const CsRectangle *rectangle = run->rectangle;
    if (failure != NULL) {
        g_propagate_error(error, failure);
        return fail(run->rank, error);
    }
    while (answer->read < answer->bytes) {
        CsRowPiece piece;
        gsize count;
        CS_MESSAGE_GET(answer, piece);
        g_autofree CsScore *h = cs_message_get_array(answer, &count, sizeof *h);
        g_autofree CsScore *f = cs_message_get_array(answer, &count, sizeof *f);
        if (!cs_message_check(answer, error))
            return fail(run->rank, error);
        if (!rectangle->row_func(piece.row, piece.from, piece.count, h, f, piece.bounds,
                                 rectangle->row_data, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean
collect(CsRun *run, CsCollected *collected, GError **error)
{
    GError *failure = NULL;
    g_auto(CsMessageIn) answer = {0};
    if (!ask(run, CS_RANKS_COLLECT, &answer, error))
        return FALSE;
    CS_MESSAGE_GET(&answer, *collected);
    collected->columns = NULL;
    collected->in_progress = 0;
    (void)cs_message_check(&answer, &failure);
    return hand_out(run, &answer, failure, error);
}

static gboolean
staircase(CsRun *run, CsStaircase *found, GError **error)
{
    GError *failure = NULL;
    g_auto(CsMessageIn) answer = {0};
    gsize steps;
    if (!ask(run, CS_RANKS_STAIRCASE, &answer, error))
        return FALSE;
    g_clear_pointer(&found->horizontal, cs_bus_free);
    if (found->steps == NULL)
        found->steps = g_array_new(FALSE, FALSE, sizeof(CsStep));
    CS_MESSAGE_GET(&answer, found->row);
    CS_MESSAGE_GET(&answer, found->corner);
    CS_MESSAGE_GET(&answer, found->best);
    g_autofree CsStep *own = cs_message_get_array(&answer, &steps, sizeof *own);
    (void)cs_message_check(&answer, &failure);
    found->horizontal = cs_bulk_receive_bus(run->rank, &failure);
    for (gsize k = 0; k < steps; k++) {
        own[k].riser = cs_bulk_receive_bus(run->rank, &failure);
        g_array_append_val(found->steps, own[k]);
    }
    cs_bulk_receive_into(run->rank, run->rectangle->right, &failure);
    return hand_out(run, &answer, failure, error);
}

static gboolean
finish(CsRun *run, GError **error)
{
    GError *failure = NULL;
    g_auto(CsMessageIn) answer = {0};
    if (!ask(run, CS_RANKS_FINISH, &answer, error))
        return FALSE;
    cs_bulk_receive_into(run->rank, run->rectangle->bottom, &failure);
    cs_bulk_receive_into(run->rank, run->rectangle->right, &failure);
    return hand_out(run, &answer, failure, error);
}

static void
free_run(CsRun *run)
{
    request(run, CS_RANKS_FREE);
    g_free(run);
}

/* The engine on other ranks. There is one for each of rank 0's. */
static const CsEngineClass *
remote_class(const CsEngineClass *engine)
{
    static GHashTable *classes;
    if (classes == NULL)
        classes = g_hash_table_new(NULL, NULL);
    CsEngineClass *found = g_hash_table_lookup(classes, engine);
    if (found != NULL)
        return found;
    found = g_new(CsEngineClass, 1);
    *found = (CsEngineClass){
        .name = engine->name,
        .gpu = engine->gpu,
        .queue = engine->queue,
        .late = engine->late,
        .describe = describe,
        .shape = shape,
        .accepts = accepts,
        .needs = needs,
        .begin = begin,
        .feed = engine->feed != NULL ? feed : NULL,
        .submit = submit,
        .collect = collect,
        .staircase = staircase,
        .finish = finish,
        .free = free_run,
    };
    g_hash_table_insert(classes, (gpointer)engine, found);
    return found;
}

/* Reads one of a rank's devices as a member. The number of the device is its name. */
static gboolean
take_member(CsMessageIn *answer, guint rank, gboolean here, CsMember *member, GError **error)
{
    gboolean gpu;
    g_autofree char *engine = cs_message_get_text(answer);
    g_autofree char *text = cs_message_get_text(answer);
    g_autofree char *phrase = cs_message_get_text(answer);
    *member = (CsMember){0};
    CS_MESSAGE_GET(answer, member->speed);
    CS_MESSAGE_GET(answer, member->threads);
    const CsEngineClass *same =
        cs_message_check(answer, error) ? cs_engine_lookup(engine, &gpu, error) : NULL;
    if (same == NULL)
        return fail(rank, error);
    if (devices == NULL)
        devices = g_ptr_array_new();
    guint k = 0;
    while (k < devices->len) {
        const Device *device = g_ptr_array_index(devices, k);
        if (device->rank == rank && device->engine == same && g_strcmp0(device->device, text) == 0)
            break;
        k++;
    }
    if (k == devices->len) {
        Device *device = g_new(Device, 1);
        *device = (Device){rank, here, same, g_steal_pointer(&text), g_steal_pointer(&phrase)};
        g_ptr_array_add(devices, device);
    }
    g_autofree char *name = g_strdup_printf("%u", k);
    member->engine = remote_class(same);
    member->device = g_intern_string(name);
    return TRUE;
}

const char *
cs_remote_name(const CsMember *member)
{
    if (member->engine->describe != describe)
        return NULL;
    const Device *device = find_device(member->device);
    g_autofree char *name = device->device != NULL
                                ? g_strdup_printf("process:%u:gpu:%s", device->rank, device->device)
                                : g_strdup_printf("process:%u:cpu", device->rank);
    return g_intern_string(name);
}

/* Appends the devices of one rank. They are of the same kind as those of rank 0. */
static gboolean
append_rank(CsDeviceChoice *choice, guint rank, const CsDealtAsk *ask, GError **error)
{
    const CsRanksRequest kind = CS_RANKS_DEVICES;
    g_autoptr(GString) message = g_string_new(NULL);
    CS_MESSAGE_PUT(message, kind);
    cs_dealt_put(message, ask);
    cs_ranks_send(rank, message);
    g_auto(CsMessageIn) answer = cs_ranks_receive(rank);
    guint count;
    if (!cs_message_get_error(&answer, error))
        return fail(rank, error);
    g_autofree char *host = cs_message_get_text(&answer);
    const gboolean here = g_strcmp0(host, g_get_host_name()) == 0;
    CS_MESSAGE_GET(&answer, count);
    if (choice->n_members + count > CS_DEVICE_MEMBERS) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "there are more devices in all processes than the %d that can compute together",
                    CS_DEVICE_MEMBERS);
        return FALSE;
    }
    for (guint k = 0; k < count; k++)
        if (!take_member(&answer, rank, here, &choice->members[choice->n_members++], error))
            return FALSE;
    return TRUE;
}

gboolean
cs_remote_extend(CsDeviceChoice *choice, const char *device, const char *engine, guint threads,
                 GError **error)
{
    const guint size = cs_ranks_place()->size;
    CsDealtAsk ask = {.device = device, .engine = engine, .threads = threads};
    if (size == 1)
        return TRUE;
    if (!cs_dealt_choose(choice, &ask, error))
        return FALSE;
    for (guint rank = 1; rank < size; rank++)
        if (!append_rank(choice, rank, &ask, error))
            return FALSE;
    choice->engines[0] = cs_ring_class(choice->members, choice->n_members);
    choice->n_engines = 1;
    choice->device = NULL;
    return TRUE;
}
