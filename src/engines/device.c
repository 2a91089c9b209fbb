/* Which device and engine a text asks for, what devices there are, and whether they work. */
#include <string.h>

#include <chromosweep/device.h>
#include <chromosweep/error.h>
#include <chromosweep/threads.h>

#include "engines/device.h"
#include "engines/engine_registry.h"
#include "engines/selftest.h"
#include "ring/ring.h"

static gboolean
is_gpu(const char *text)
{
    return strcmp(text, "gpu") == 0 || g_str_has_prefix(text, "gpu:");
}

/* Several devices, of which each is a member of a ring. */
static gboolean
parse_ring(const char *text, CsDeviceChoice *choice, GError **error)
{
    g_auto(GStrv) devices = g_strsplit(text, ",", -1);
    choice->kind = CS_DEVICE_CPU;
    choice->n_members = g_strv_length(devices);
    for (guint k = 0; k < choice->n_members; k++) {
        if (strcmp(devices[k], "cpu") == 0)
            continue;
        g_set_error(error, CS_ERROR, CS_ERROR_USAGE,
                    is_gpu(devices[k]) ? "several devices must all be 'cpu', not '%s': one "
                                         "comparison runs on one GPU"
                                       : "several devices must all be 'cpu', not '%s'",
                    devices[k]);
        return FALSE;
    }
    if (choice->n_members <= CS_DEVICE_MEMBERS)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_USAGE, "there are %u devices; the most are %d",
                choice->n_members, CS_DEVICE_MEMBERS);
    return FALSE;
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
                "the device must be auto, cpu, gpu, gpu:INDEX, gpu:UUID or a list such as cpu,cpu, "
                "not '%s'",
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

gboolean
cs_device_choice_init(CsDeviceChoice *choice, const char *device, const char *engine,
                      GError **error)
{
    *choice = (CsDeviceChoice){.engine_free = engine == NULL || strcmp(engine, "auto") == 0};
    if (!parse_device(device, choice, error) || !choose_engines(choice, device, engine, error))
        return FALSE;
    if (choice->n_members == 0)
        return TRUE;
    for (guint k = 0; k < choice->n_members; k++)
        choice->members[k] = (CsMember){.engine = choice->engines[0]};
    choice->engines[0] = &cs_ring_engine;
    choice->n_engines = 1;
    return TRUE;
}

const char *
cs_device_choice_describe(const CsDeviceChoice *choice, guint k, GError **error)
{
    if (choice->n_members == 0)
        return choice->engines[k]->describe(choice->device, error);
    const char *phrase = choice->members[0].engine->describe(choice->members[0].device, error);
    if (phrase == NULL)
        return NULL;
    g_autofree char *text = g_strdup_printf("%u members, %s", choice->n_members, phrase);
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

static void
device_clear(gpointer data)
{
    CsDevice *device = data;
    char *texts[] = {device->device, device->name,   device->fault,
                     device->uuid,   device->driver, device->runtime};
    for (guint k = 0; k < G_N_ELEMENTS(texts); k++)
        g_free(texts[k]);
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
