/* Which device and engine a text asks for, what devices there are, and whether they work. */
#include <string.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "engines/device.h"
#include "engines/engine_registry.h"
#include "engines/selftest.h"
#include "ring/ring.h"
#include "system/parallel.h"

static void
device_clear(gpointer data)
{
    CsDevice *device = data;
    char *texts[] = {device->device, device->name,   device->fault,
                     device->uuid,   device->driver, device->runtime};
    for (guint k = 0; k < G_N_ELEMENTS(texts); k++)
        g_free(texts[k]);
}

static gboolean
is_gpu(const char *text)
{
    return strcmp(text, "gpu") == 0 || g_str_has_prefix(text, "gpu:");
}

static CsMember
member_of(const CsDevice *gpu)
{
    g_autofree char *index = g_strdup_printf("%u", gpu->index);
    return (CsMember){.engine = cs_engine_lookup(gpu->engine, &(gboolean){0}, NULL),
                      .device = g_intern_string(index),
                      .speed = gpu->multiprocessors};
}

/* Appends the GPUs that the text means as members: "gpu" is the first that can be used, "gpu:all" is
 * each of them. */
static gboolean
append_gpus(const char *text, GArray *members, GError **error)
{
    const gboolean all = strcmp(text, "gpu:all") == 0, any = strcmp(text, "gpu") == 0;
    g_autoptr(GArray) devices = g_array_new(FALSE, TRUE, sizeof(CsDevice));
    g_array_set_clear_func(devices, device_clear);
    if (!cs_engine_list_gpus(all || any ? NULL : text + strlen("gpu:"), devices, error))
        return FALSE;
    const guint before = members->len;
    for (guint k = 0; k < devices->len && !(any && members->len > before); k++) {
        const CsDevice *device = &g_array_index(devices, CsDevice, k);
        if (device->fault != NULL && (all || any))
            continue;
        if (device->fault != NULL) {
            g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, device->fault);
            return FALSE;
        }
        const CsMember member = member_of(device);
        g_array_append_val(members, member);
    }
    if (members->len > before)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE, "none of the GPUs can be used");
    return FALSE;
}

/* Members that are the same GPU share its multiprocessors. */
static void
share_multiprocessors(GArray *members)
{
    for (guint k = 0; k < members->len; k++) {
        CsMember *member = &g_array_index(members, CsMember, k);
        guint sharers = 0;
        for (guint l = 0; l < members->len; l++)
            sharers += g_array_index(members, CsMember, l).device == member->device;
        if (member->device != NULL)
            member->speed = MAX(1, member->speed / sharers);
    }
}

/* Takes the members of a ring, the GPUs first: what one member computes alone is best done there. */
static gboolean
take_members(char **devices, CsDeviceChoice *choice, GError **error)
{
    g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(CsMember));
    for (guint k = 0; devices[k] != NULL; k++)
        if (is_gpu(devices[k]) && !append_gpus(devices[k], members, error))
            return FALSE;
    share_multiprocessors(members);
    choice->kind = members->len > 0 ? CS_DEVICE_GPU : CS_DEVICE_CPU;
    for (guint k = 0; devices[k] != NULL; k++)
        if (!is_gpu(devices[k]))
            g_array_append_val(members, (CsMember){0});
    choice->n_members = members->len;
    if (members->len > CS_DEVICE_MEMBERS) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "there are %u devices; the most are %d",
                    members->len, CS_DEVICE_MEMBERS);
        return FALSE;
    }
    memcpy(choice->members, members->data, members->len * sizeof(CsMember));
    return TRUE;
}

/* Several devices, of which each is a member of a ring. All GPUs may be a single one. */
static gboolean
parse_ring(const char *text, CsDeviceChoice *choice, GError **error)
{
    g_auto(GStrv) devices = g_strsplit(text, ",", -1);
    for (guint k = 0; devices[k] != NULL; k++) {
        if (strcmp(devices[k], "cpu") == 0 ||
            (is_gpu(devices[k]) && strcmp(devices[k], "gpu:") != 0))
            continue;
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "each of several devices must be cpu, gpu, gpu:INDEX, gpu:UUID or gpu:all, not "
                    "'%s'",
                    devices[k]);
        return FALSE;
    }
    if (!take_members(devices, choice, error))
        return FALSE;
    if (choice->n_members == 1) {
        choice->device = choice->members[0].device;
        choice->n_members = 0;
    }
    return TRUE;
}

static gboolean
parse_device(const char *text, CsDeviceChoice *choice, GError **error)
{
    choice->device = NULL;
    choice->kind = CS_DEVICE_AUTO;
    if (text == NULL || strcmp(text, "auto") == 0)
        return TRUE;
    if (strchr(text, ',') != NULL || strcmp(text, "gpu:all") == 0)
        return parse_ring(text, choice, error);
    choice->kind = CS_DEVICE_CPU;
    if (strcmp(text, "cpu") == 0)
        return TRUE;
    choice->kind = CS_DEVICE_GPU;
    if (strcmp(text, "gpu") == 0)
        return TRUE;
    if (g_str_has_prefix(text, "gpu:") && text[4] != '\0') {
        choice->device = text + 4;
        return TRUE;
    }
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                "the device must be auto, cpu, gpu, gpu:INDEX, gpu:UUID, gpu:all or a list such as "
                "gpu:0,gpu:1, not '%s'",
                text);
    return FALSE;
}

static gboolean
kind_has(CsDeviceKind kind, gboolean gpu)
{
    return kind == CS_DEVICE_AUTO || gpu == (kind == CS_DEVICE_GPU);
}

/* An engine that was named must be there and run on what was asked for. */
static gboolean
take_named(CsDeviceChoice *choice, const char *device, const char *engine, GError **error)
{
    gboolean gpu;
    const CsEngineClass *found = cs_engine_lookup(engine, &gpu, error);
    if (found == NULL && !g_error_matches(*error, CS_ERROR, CS_ERROR_DEVICE))
        return FALSE;
    if (!kind_has(choice->kind, gpu)) {
        g_clear_error(error);
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "engine '%s' cannot run on device '%s': it needs %s", engine, device,
                    gpu ? "a GPU" : "the CPU");
        return FALSE;
    }
    choice->engines[choice->n_engines++] = found;
    return found != NULL;
}

/* The engines that match a text of a device and an engine, as if it were one device. */
static gboolean
choose_engines(CsDeviceChoice *choice, const char *device, const char *engine, GError **error)
{
    if (!choice->engine_free) {
        g_autoptr(GError) failure = NULL;
        if (take_named(choice, device, engine, &failure))
            return TRUE;
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    for (guint k = 0; cs_engines[k] != NULL; k++)
        if (kind_has(choice->kind, cs_engines[k]->gpu)) {
            g_assert(choice->n_engines < G_N_ELEMENTS(choice->engines));
            choice->engines[choice->n_engines++] = cs_engines[k];
        }
    if (choice->n_engines > 0)
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "no GPU can be used: " CS_ENGINE_NO_GPU_ENGINE);
    return FALSE;
}

/* The members on the CPU get the choice's engine, or beside GPUs the best one. */
static void
fill_engines(CsDeviceChoice *choice)
{
    for (guint k = 0; k < choice->n_members; k++)
        if (choice->members[k].engine == NULL)
            choice->members[k].engine =
                choice->kind == CS_DEVICE_CPU ? choice->engines[0] : cs_engine_on_cpu();
}

gboolean
cs_device_choice_init(CsDeviceChoice *choice, const char *device, const char *engine,
                      GError **error)
{
    *choice = (CsDeviceChoice){.engine_free = engine == NULL || strcmp(engine, "auto") == 0};
    if (!parse_device(device, choice, error) || !choose_engines(choice, device, engine, error))
        return FALSE;
    if (choice->n_members == 0)
        return TRUE;
    fill_engines(choice);
    choice->engines[0] = cs_ring_class(choice->members, choice->n_members);
    choice->n_engines = 1;
    return TRUE;
}

gboolean
cs_device_choice_take_members(CsDeviceChoice *choice, const char *list, GError **error)
{
    g_auto(GStrv) devices = g_strsplit(list, ",", -1);
    if (!take_members(devices, choice, error))
        return FALSE;
    fill_engines(choice);
    return TRUE;
}

gboolean
cs_device_choice_take_alike(CsDeviceChoice *choice, guint most)
{
    g_autoptr(GArray) devices = g_array_new(FALSE, TRUE, sizeof(CsDevice));
    g_array_set_clear_func(devices, device_clear);
    if (!cs_engine_list_gpus(NULL, devices, NULL))
        return FALSE;
    const CsDevice *first = NULL;
    choice->n_members = 0;
    for (guint k = 0; k < devices->len && choice->n_members < MIN(most, CS_DEVICE_MEMBERS); k++) {
        const CsDevice *device = &g_array_index(devices, CsDevice, k);
        if (device->fault != NULL ||
            (first != NULL && (g_strcmp0(device->name, first->name) != 0 ||
                               strcmp(device->engine, first->engine) != 0)))
            continue;
        first = first != NULL ? first : device;
        choice->members[choice->n_members++] = member_of(device);
    }
    if (choice->n_members < 2)
        return FALSE;
    choice->kind = CS_DEVICE_GPU;
    choice->device = NULL;
    choice->engines[0] = cs_ring_class(choice->members, choice->n_members);
    choice->n_engines = 1;
    return TRUE;
}

const char *
cs_device_choice_describe(const CsDeviceChoice *choice, guint k, GError **error)
{
    if (choice->n_members == 0)
        return choice->engines[k]->describe(choice->device, error);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "%u members", choice->n_members);
    const char *before = NULL;
    for (guint l = 0; l < choice->n_members; l++) {
        const CsMember *member = &choice->members[l];
        const char *phrase = member->engine->describe(member->device, error);
        if (phrase == NULL)
            return NULL;
        if (g_strcmp0(phrase, before) != 0) /* those of the same kind follow each other */
            g_string_append_printf(text, ", %s", phrase);
        before = phrase;
    }
    return g_intern_string(text->str);
}

const char *
cs_device_choice_name(const CsDeviceChoice *choice, guint k)
{
    const char *device = choice->members[k].device;
    if (device == NULL)
        return "cpu";
    g_autofree char *text = g_strconcat("gpu:", device, NULL);
    return g_intern_string(text);
}

CsEngineOptions
cs_device_choice_options(const CsDeviceChoice *choice, guint threads, guint bits)
{
    return (CsEngineOptions){
        .threads = threads,
        .device = choice->device,
        .bits = bits,
        .members = choice->members,
        .n_members = choice->n_members,
    };
}

gboolean
cs_device_choice_goes_on(const CsDeviceChoice *choice, guint k, const GError *failure)
{
    return choice->kind == CS_DEVICE_AUTO && k + 1 < choice->n_engines &&
           g_error_matches(failure, CS_ERROR, CS_ERROR_DEVICE);
}

/* The first engine of the choice that works here. */
static const CsEngineClass *
find_working(const CsDeviceChoice *choice, const char **phrase, GError **error)
{
    for (guint k = 0;; k++) {
        GError *failure = NULL;
        *phrase = cs_device_choice_describe(choice, k, &failure);
        if (*phrase != NULL)
            return choice->engines[k];
        if (!cs_device_choice_goes_on(choice, k, failure)) {
            g_propagate_error(error, failure);
            return NULL;
        }
        g_error_free(failure);
    }
}

const char *
cs_device_describe(const char *device, const char *engine, GError **error)
{
    CsDeviceChoice choice;
    const char *phrase = NULL;
    if (cs_device_choice_init(&choice, device, engine, error))
        find_working(&choice, &phrase, error);
    return phrase;
}

/* Whether a GPU may be meant, as far as is known without a driver. What makes no sense means none. */
static gboolean
may_mean_gpu(const char *device, const char *engine)
{
    gboolean gpu = FALSE;
    for (guint k = 0; cs_engines[k] != NULL; k++)
        gpu = gpu || (cs_engines[k]->gpu && (engine == NULL || strcmp(engine, "auto") == 0 ||
                                             strcmp(engine, cs_engines[k]->name) == 0));
    if (!gpu || device == NULL || strcmp(device, "auto") == 0)
        return gpu;
    g_auto(GStrv) devices = g_strsplit(device, ",", -1);
    gboolean meant = FALSE;
    for (guint k = 0; devices[k] != NULL; k++)
        meant = meant || is_gpu(devices[k]);
    return meant;
}

struct _CsDeviceStart {
    char *device, *engine;
    CsThread *thread; /* or NULL: then the first who needs the driver starts it */
};

/* Opens what will be opened. Errors are left to those who need a device. */
static void
start(gpointer data)
{
    const CsDeviceStart *start = data;
    (void)cs_device_describe(start->device, start->engine, NULL);
}

CsDeviceStart *
cs_device_start_new(const char *device, const char *engine)
{
    if (!may_mean_gpu(device, engine))
        return NULL;
    CsDeviceStart *starting = g_new0(CsDeviceStart, 1);
    starting->device = g_strdup(device);
    starting->engine = g_strdup(engine);
    starting->thread = cs_thread_new("driver", start, starting, NULL);
    return starting;
}

void
cs_device_start_free(CsDeviceStart *starting)
{
    if (starting == NULL)
        return;
    if (starting->thread != NULL)
        cs_thread_join(starting->thread);
    g_free(starting->device);
    g_free(starting->engine);
    g_free(starting);
}

gboolean
cs_device_test(const char *device, const char *engine, GError **error)
{
    CsDeviceChoice choice;
    const char *phrase;
    if (!cs_device_choice_init(&choice, device, engine, error))
        return FALSE;
    const CsEngineClass *found = find_working(&choice, &phrase, error);
    const guint threads = MAX(cs_threads_granted(), choice.n_members);
    const CsEngineOptions options = cs_device_choice_options(&choice, threads, 0);
    return found != NULL && cs_selftest_run(found, &options, error);
}

/* A CPU engine as a device. What the environment asks for in vain makes it unusable, no error. */
static void
append_cpu(GArray *devices, const CsEngineClass *engine)
{
    g_autoptr(GError) failure = NULL;
    CsDevice device = {
        .device = g_strdup("cpu"),
        .engine = engine->name,
        .name = g_strdup(engine->describe(NULL, &failure)),
    };
    device.fault = failure != NULL ? g_strdup(failure->message) : NULL;
    g_array_append_val(devices, device);
}

static gboolean
fill_list(CsDeviceList *list, GArray *devices, const CsDeviceChoice *choice, GError **error)
{
    GError *failure = NULL;
    if (choice->kind != CS_DEVICE_CPU && !cs_engine_list_gpus(choice->device, devices, &failure)) {
        if (choice->kind == CS_DEVICE_GPU) {
            g_propagate_error(error, failure);
            return FALSE;
        }
        list->no_gpu = g_strdup(failure->message);
        g_error_free(failure);
    }
    for (guint k = 0; k < choice->n_engines; k++)
        if (!choice->engines[k]->gpu)
            append_cpu(devices, choice->engines[k]);
    gboolean taken = choice->kind != CS_DEVICE_AUTO;
    for (guint k = 0; k < devices->len; k++) {
        CsDevice *device = &g_array_index(devices, CsDevice, k);
        device->automatic = !taken && device->fault == NULL;
        taken = taken || device->automatic;
    }
    return TRUE;
}

CsDeviceList *
cs_device_list_new(const char *device, GError **error)
{
    CsDeviceChoice choice;
    if (!cs_device_choice_init(&choice, device, NULL, error))
        return NULL;
    if (choice.n_members > 0) {
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    "one device can be listed, or all, but not '%s'", device);
        return NULL;
    }
    g_autoptr(CsDeviceList) list = g_new0(CsDeviceList, 1);
    g_autoptr(GArray) devices = g_array_new(FALSE, TRUE, sizeof(CsDevice));
    g_array_set_clear_func(devices, device_clear);
    if (!fill_list(list, devices, &choice, error))
        return NULL;
    list->count = devices->len;
    list->devices = g_array_steal(devices, NULL);
    return g_steal_pointer(&list);
}

void
cs_device_list_free(CsDeviceList *list)
{
    if (list == NULL)
        return;
    for (guint k = 0; k < list->count; k++)
        device_clear(&list->devices[k]);
    g_free(list->devices);
    g_free(list->no_gpu);
    g_free(list);
}
