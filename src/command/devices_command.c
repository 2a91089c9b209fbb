/* chromosweep devices: what can compute here, what it would be used for, whether it works. */
#include <string.h>

#include <jansson.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/command.h"
#include "command/help.h"
#include "command/messages.h"
#include "command/print.h"
#include "formats/escape.h"
#include "formats/format.h"
#include "formats/json.h"

static const char help[] =
    "Usage: chromosweep devices [options]\n"
    "\n"
    "Lists the GPUs and the CPU engines, and what each would be used for.\n"
    "CUDA_VISIBLE_DEVICES hides GPUs; the indices count those that are left. Having\n"
    "no GPU is not an error.\n"
    "\n"
    "Options:\n"
    "      --device DEVICE     auto (all), cpu, gpu, gpu:INDEX or gpu:UUID; the first\n"
    "                          characters of a UUID are enough [auto]\n"
    "      --test              test each device on problems with known answers, which\n"
    "                          takes seconds\n"
    "      --format FORMAT     text, tsv or json [text]\n" CS_HELP_LINES "+\n"
    "+Exit status: 0 success, 1 output failed, 2 wrong usage, 4 there is no such GPU,\n"
    "+or a device failed the test.\n"
    "\n"
    "Examples:\n"
    "  chromosweep devices\n"
    "  chromosweep devices --device gpu:0 --test\n";

#define FORMAT "chromosweep-devices"
enum {
    VERSION = 1
};

typedef struct {
    char *device, *format;
    char **rest;
    CsHelpArguments help;
    gboolean test;
} Arguments;

static void
arguments_clear(Arguments *a)
{
    g_free(a->device);
    g_free(a->format);
    g_strfreev(a->rest);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean
arguments_parse(Arguments *a, int argc, char **argv, CsFormat *format, GError **error)
{
    const GOptionEntry entries[] = {
        {"device", 0, 0, G_OPTION_ARG_FILENAME, &a->device, NULL, NULL},
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &a->format, NULL, NULL},
        {"test", 0, 0, G_OPTION_ARG_NONE, &a->test, NULL, NULL},
        CS_HELP_ENTRIES(&a->help),
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->rest, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    if (!cs_arguments_parse(entries, argc, argv, error))
        return FALSE;
    if (a->rest != NULL && !cs_help_is_wanted(&a->help))
        return cs_arguments_usage(error, "this command takes no file, but got '%s'", a->rest[0]);
    return cs_arguments_format(a->format, format, error);
}

static const char test_passed[] = "passed";

/* The devices, and the result of the test of each. */
typedef struct {
    const CsDeviceList *list;
    char *const *tests; /* one per device: test_passed, what failed, or NULL if it was not tested */
} Listing;

static gboolean
is_first_of_cpu(const CsDeviceList *list, guint k)
{
    return !list->devices[k].gpu && (k == 0 || list->devices[k - 1].gpu);
}

static char *
format_use(const CsDeviceList *list, guint k)
{
    const CsDevice *device = &list->devices[k];
    if (device->fault != NULL)
        return g_strdup("nothing");
    if (device->automatic)
        return g_strdup(device->gpu ? "any comparison that fits its memory" : "any comparison");
    if (device->gpu)
        return g_strdup_printf("comparisons with --device %s", device->device);
    if (!is_first_of_cpu(list, k))
        return g_strdup_printf("comparisons with --engine %s", device->engine);
    return g_strdup_printf("comparisons %swith --device cpu",
                           list->devices[0].automatic ? "that fit no GPU, and " : "");
}

static json_t *
json_known(gboolean known, gint64 number)
{
    return known ? json_integer(number) : json_null();
}

/* Adds a device's keys of the JSON to the object. */
static void
describe_device(json_t *object, const Listing *listing, guint k)
{
    const CsDevice *device = &listing->list->devices[k];
    g_autofree char *use = format_use(listing->list, k);
    g_autofree char *capability =
        device->capability_major > 0
            ? g_strdup_printf("%u.%u", device->capability_major, device->capability_minor)
            : NULL;
    json_object_set_new(object, "device", cs_json_text(device->device));
    json_object_set_new(object, "engine", cs_json_text(device->engine));
    json_object_set_new(object, "name", cs_json_text(device->name));
    json_object_set_new(object, "uuid", cs_json_text(device->uuid));
    json_object_set_new(object, "capability", cs_json_text(capability));
    json_object_set_new(object, "multiprocessors",
                        json_known(device->multiprocessors > 0, device->multiprocessors));
    json_object_set_new(object, "clock_mhz", json_known(device->clock_mhz > 0, device->clock_mhz));
    json_object_set_new(object, "memory_free",
                        json_known(device->gpu && device->memory_free >= 0, device->memory_free));
    json_object_set_new(object, "memory_total",
                        json_known(device->memory_total > 0, device->memory_total));
    json_object_set_new(object, "driver", cs_json_text(device->driver));
    json_object_set_new(object, "runtime", cs_json_text(device->runtime));
    json_object_set_new(object, "automatic", json_boolean(device->automatic));
    json_object_set_new(object, "use", cs_json_text(use));
    json_object_set_new(object, "fault", cs_json_text(device->fault));
    json_object_set_new(object, "test", cs_json_text(listing->tests[k]));
}

static char *
format_json(const Listing *listing)
{
    json_t *object = json_object(), *devices = json_array();
    json_object_set_new(object, "format", json_string(FORMAT));
    json_object_set_new(object, "version", json_integer(VERSION));
    json_object_set_new(object, "no_gpu", cs_json_text(listing->list->no_gpu));
    for (guint k = 0; k < listing->list->count; k++) {
        json_t *device = json_object();
        describe_device(device, listing, k);
        json_array_append_new(devices, device);
    }
    json_object_set_new(object, "devices", devices);
    return cs_json_line(object);
}

/* A JSON value as the text of a column. */
static char *
format_value(const json_t *value)
{
    if (json_is_string(value))
        return cs_escape(json_string_value(value), TRUE);
    if (json_is_integer(value))
        return g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_boolean(value))
        return g_strdup(json_is_true(value) ? "yes" : "no");
    return g_strdup("NA");
}

/* The row of a device. Sentences of the JSON are yes or no here, or left out. */
static json_t *
make_row(const Listing *listing, guint k)
{
    json_t *row = json_object();
    describe_device(row, listing, k);
    json_object_del(row, "use");
    json_object_del(row, "fault");
    json_object_del(row, "test");
    json_object_set_new(row, "usable", json_boolean(listing->list->devices[k].fault == NULL));
    json_object_set_new(row, "test",
                        listing->tests[k] == NULL                     ? json_null()
                        : strcmp(listing->tests[k], test_passed) == 0 ? json_string("passed")
                                                                      : json_string("failed"));
    return row;
}

static char *
format_tsv(const Listing *listing)
{
    GString *text = g_string_new("#");
    for (guint k = 0; k < listing->list->count; k++) {
        g_autoptr(GString) row = g_string_new(NULL);
        json_t *cells = make_row(listing, k);
        const char *key;
        json_t *value;
        json_object_foreach(cells, key, value)
        {
            g_autofree char *cell = format_value(value);
            if (k == 0)
                g_string_append_printf(text, "%s%s", text->len > 1 ? "\t" : "", key);
            g_string_append_printf(row, "%s%s", row->len > 0 ? "\t" : "", cell);
        }
        json_decref(cells);
        g_string_append_printf(text, "%s%s\n", k == 0 ? "\n" : "", row->str);
    }
    return g_string_free(text, FALSE);
}

/* Prints on standard error what has no column in a TSV. */
static void
tell_faults(const CsDeviceList *list)
{
    if (list->no_gpu != NULL)
        cs_message(CS_MESSAGE_EVENT, "no GPU: %s", list->no_gpu);
    for (guint k = 0; k < list->count; k++)
        if (list->devices[k].fault != NULL)
            cs_message(CS_MESSAGE_EVENT, "%s cannot be used: %s", list->devices[k].device,
                       list->devices[k].fault);
}

static void
append_gpu(GString *text, const CsDevice *device)
{
    const double gib = 1024.0 * 1024 * 1024;
    g_string_append_printf(text, "%s, compute capability %u.%u, %u multiprocessors",
                           device->name != NULL ? device->name : "unknown",
                           device->capability_major, device->capability_minor,
                           device->multiprocessors);
    if (device->clock_mhz > 0)
        g_string_append_printf(text, " at %u MHz", device->clock_mhz);
    g_string_append_printf(text, "\n        %.1f GiB of memory",
                           (double)device->memory_total / gib);
    if (device->memory_free >= 0)
        g_string_append_printf(text, ", %.1f free", (double)device->memory_free / gib);
    g_string_append_printf(text, "; driver for CUDA %s, runtime %s",
                           device->driver != NULL ? device->driver : "unknown",
                           device->runtime != NULL ? device->runtime : "unknown");
    if (device->uuid != NULL)
        g_string_append_printf(text, "\n        %s", device->uuid);
}

/* Appends a message, escaped, because it may quote the environment. */
static void
append_line(GString *text, const char *what, const char *message)
{
    g_autofree char *shown = cs_escape(message, FALSE);
    g_string_append_printf(text, "%s%s\n", what, shown);
}

static char *
format_text(const Listing *listing)
{
    GString *text = g_string_new(NULL);
    if (listing->list->no_gpu != NULL)
        append_line(text, "gpu     none: ", listing->list->no_gpu);
    for (guint k = 0; k < listing->list->count; k++) {
        const CsDevice *device = &listing->list->devices[k];
        g_autofree char *use = format_use(listing->list, k);
        g_string_append_printf(text, "%-7s ", device->device);
        if (device->gpu)
            append_gpu(text, device);
        else
            g_string_append_printf(text, "engine %s: %s", device->engine,
                                   device->name != NULL ? device->name : "unknown");
        g_string_append_printf(text, "\n        used for %s\n", use);
        if (device->fault != NULL)
            append_line(text, "        fault: ", device->fault);
        if (listing->tests[k] != NULL)
            append_line(text, "        self-test: ", listing->tests[k]);
    }
    return g_string_free(text, FALSE);
}

static char *
format_listing(const Listing *listing, CsFormat format)
{
    switch (format) {
    case CS_FORMAT_TSV: return format_tsv(listing);
    case CS_FORMAT_JSON: return format_json(listing);
    case CS_FORMAT_TEXT: break;
    }
    return format_text(listing);
}

/* Tests all usable devices. The error is that of the first that fails, or why there is none. */
static gboolean
test_devices(const CsDeviceList *list, char **tests, GError **error)
{
    gboolean tested = FALSE;
    g_autoptr(GError) first = NULL;
    for (guint k = 0; k < list->count; k++) {
        const CsDevice *device = &list->devices[k];
        g_autoptr(GError) failure = NULL;
        if (device->fault != NULL)
            continue;
        tested = TRUE;
        gboolean passed = cs_device_test(device->device, device->engine, &failure);
        tests[k] = g_strdup(passed ? test_passed : failure->message);
        if (!passed && first == NULL)
            first = g_steal_pointer(&failure);
    }
    if (!tested)
        g_set_error(&first, CS_ERROR, CS_ERROR_DEVICE, "no device to test: %s",
                    list->devices[0].fault);
    if (first == NULL)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&first));
    return FALSE;
}

/* Lists the devices, including those that fail the test. */
static int
list_devices(const Arguments *arguments, CsFormat format)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsDeviceList) list = cs_device_list_new(arguments->device, &error);
    if (list == NULL)
        return cs_print_failure("chromosweep devices", error);
    g_autoptr(GPtrArray) tests = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_set_size(tests, (gint)list->count);
    Listing listing = {list, (char **)tests->pdata};
    gboolean good = !arguments->test || test_devices(list, (char **)tests->pdata, &error);
    g_autofree char *text = format_listing(&listing, format);
    if (format == CS_FORMAT_TSV)
        tell_faults(list);
    int status = cs_print_text(text);
    return status != 0 || good ? status : cs_print_failure("chromosweep devices", error);
}

int
cs_devices_command(int argc, char **argv)
{
    g_auto(Arguments) arguments = {0};
    g_autoptr(GError) error = NULL;
    CsFormat format;
    if (!arguments_parse(&arguments, argc, argv, &format, &error))
        return cs_print_failure("chromosweep devices", error);
    if (cs_help_is_wanted(&arguments.help))
        return cs_help_print(&arguments.help, help);
    return list_devices(&arguments, format);
}
