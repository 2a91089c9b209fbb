/* The devices that a text asks for, those that exist, and the options of a comparison for them. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "../case_count.h"
#include "../random_sequence.h"
#include "engines/device.h"
#include "engines/engine_registry.h"
#include "limit_memory.h"

static void
test_choice(void)
{
    const struct {
        const char *device, *engine;
        CsDeviceKind kind;
        const char *inner; /* for the engine */
        const char *first; /* the best engine, if it is always this one */
    } choices[] = {
        {NULL, NULL, CS_DEVICE_AUTO, NULL, NULL},
        {"auto", "auto", CS_DEVICE_AUTO, NULL, NULL},
        {"auto", "scalar", CS_DEVICE_AUTO, NULL, "scalar"},
        {NULL, "simd", CS_DEVICE_AUTO, NULL, "simd"},
        {"cpu", NULL, CS_DEVICE_CPU, NULL, "simd"},
        {"cpu", "scalar", CS_DEVICE_CPU, NULL, "scalar"},
        {"cpu,cpu", NULL, CS_DEVICE_CPU, NULL, "ring"},
        {"cpu,cpu,cpu", "scalar", CS_DEVICE_CPU, NULL, "ring"},
    };
    for (guint k = 0; k < G_N_ELEMENTS(choices); k++) {
        CsDeviceChoice choice;
        g_autoptr(GError) error = NULL;
        g_assert_true(cs_device_choice_init(&choice, choices[k].device, choices[k].engine, &error));
        g_assert_no_error(error);
        g_assert_cmpint(choice.kind, ==, choices[k].kind);
        g_assert_cmpstr(choice.device, ==, choices[k].inner);
        g_assert_cmpuint(choice.n_engines, >=, 1);
        if (choices[k].first != NULL)
            g_assert_cmpstr(choice.engines[0]->name, ==, choices[k].first);
        for (guint l = 0; choice.kind == CS_DEVICE_CPU && l < choice.n_engines; l++)
            g_assert_false(choice.engines[l]->gpu);
    }
}

/* A text that makes no sense, or two that contradict each other. */
static void
test_usage(void)
{
    const char *const wrong[][2] = {
        {"", NULL},           {"tpu", NULL},         {"gpu:", NULL},      {"gpu0", NULL},
        {"cpu:0", NULL},      {"GPU", NULL},         {"cpu", "cuda"},     {"gpu", "scalar"},
        {"gpu:0", "simd"},    {"gpu:GPU-1", "simd"}, {"auto", "abacus"},  {"gpu", "abacus"},
        {"cpu", "abacus"},    {"cpu,", NULL},        {",cpu", NULL},      {"cpu,auto", NULL},
        {"gpu:0,auto", NULL}, {"gpu:,gpu:1", NULL},  {"cpu,cpu", "cuda"}, {"cpu,cpu", "abacus"},
    };
    for (guint k = 0; k < G_N_ELEMENTS(wrong); k++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(cs_device_describe(wrong[k][0], wrong[k][1], &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    }
}

/* No GPU of any machine has an index or UUID like these. */
static void
test_absent(void)
{
    const char *const absent[] = {"gpu:99999", "gpu:GPU-00000000-no-such", "gpu:zz",
                                  "cpu,gpu:99999", "gpu:99999,gpu:99998"};
    for (guint k = 0; k < G_N_ELEMENTS(absent); k++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(cs_device_describe(absent[k], NULL, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
        g_clear_error(&error);
        g_assert_null(cs_device_describe(absent[k], "cuda", &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
        g_clear_error(&error);
        g_assert_null(cs_device_list_new(absent[k], &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
        g_clear_error(&error);
        g_assert_false(cs_device_test(absent[k], NULL, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    }
}

/* Each device of a list is a member of a ring, on the engine that one alone would have. */
static void
test_members(void)
{
    CsDeviceChoice choice;
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_device_choice_init(&choice, "cpu,cpu,cpu", NULL, &error));
    g_assert_cmpuint(choice.n_members, ==, 3);
    g_assert_cmpuint(choice.n_engines, ==, 1);
    g_assert_cmpstr(choice.members[2].engine->name, ==, "simd");
    g_assert_true(cs_device_choice_init(&choice, "cpu,cpu", "scalar", &error));
    g_assert_cmpuint(choice.n_members, ==, 2);
    g_assert_cmpstr(choice.members[1].engine->name, ==, "scalar");
    g_assert_cmpstr(cs_device_describe("cpu,cpu", "scalar", &error), ==,
                    "2 members, one cell at a time");
    g_assert_true(cs_device_choice_init(&choice, "cpu", NULL, &error));
    g_assert_cmpuint(choice.n_members, ==, 0);

    g_autoptr(GString) many = g_string_new("cpu");
    for (guint k = 1; k < CS_DEVICE_MEMBERS; k++)
        g_string_append(many, ",cpu");
    g_assert_true(cs_device_choice_init(&choice, many->str, NULL, &error));
    g_assert_cmpuint(choice.n_members, ==, CS_DEVICE_MEMBERS);
    g_string_append(many, ",cpu");
    g_assert_false(cs_device_choice_init(&choice, many->str, NULL, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    g_clear_error(&error);
    g_assert_null(cs_device_list_new("cpu,cpu", &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
}

/* A driver is started only where a GPU may be meant, and fails as it does without a start. */
static void
test_start(void)
{
    const char *const without[][2] = {{"cpu", NULL},      {"cpu,cpu", NULL}, {NULL, "simd"},
                                      {"auto", "scalar"}, {"gpu", "abacus"}, {"tpu", NULL}};
    const char *const with[] = {NULL,     "auto",         "gpu",      "gpu:0",
                                "gpu:99", "gpu:GPU-none", "cpu,gpu:0"};
    for (guint k = 0; k < G_N_ELEMENTS(without); k++)
        g_assert_null(cs_device_start_new(without[k][0], without[k][1]));
    const gboolean lacking = !cs_engines[0]->gpu; /* the build has no engine for a GPU */
    for (guint k = 0; k < G_N_ELEMENTS(with); k++) {
        g_autoptr(GError) error = NULL, again = NULL;
        g_autoptr(CsDeviceStart) start = cs_device_start_new(with[k], NULL);
        g_assert_true((start == NULL) == lacking);
        const char *phrase = cs_device_describe(with[k], NULL, &error); /* while it starts */
        g_clear_pointer(&start, cs_device_start_free);
        g_assert_cmpstr(phrase, ==, cs_device_describe(with[k], NULL, &again));
        g_assert_cmpstr(error != NULL ? error->message : NULL, ==,
                        again != NULL ? again->message : NULL);
    }
}

/* GPUs come first, and members that are the same GPU share its multiprocessors. */
static void
test_gpu_members(void)
{
    CsDeviceChoice choice;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsDeviceList) list = cs_device_list_new("gpu", NULL);
    guint usable = 0;
    for (guint k = 0; list != NULL && k < list->count; k++)
        usable += list->devices[k].fault == NULL;
    if (usable == 0 || list->devices[0].fault != NULL) {
        g_test_skip("no GPU");
        return;
    }
    const guint all = list->devices[0].multiprocessors;
    g_assert_true(cs_device_choice_init(&choice, "cpu,gpu:0,gpu:0", NULL, &error));
    g_assert_no_error(error);
    g_assert_cmpint(choice.kind, ==, CS_DEVICE_GPU);
    g_assert_true(choice.engines[0]->gpu);
    g_assert_cmpuint(choice.n_members, ==, 3);
    for (guint k = 0; k < 2; k++) {
        g_assert_cmpstr(cs_device_choice_name(&choice, k), ==, "gpu:0");
        g_assert_cmpstr(choice.members[k].engine->name, ==, "cuda");
        g_assert_cmpuint(choice.members[k].speed, ==, all / 2);
    }
    g_assert_cmpstr(cs_device_choice_name(&choice, 2), ==, "cpu");
    g_assert_cmpstr(choice.members[2].engine->name, ==, "simd");
    g_assert_true(cs_device_choice_init(&choice, "gpu:all", "cuda", &error));
    g_assert_no_error(error);
    g_assert_cmpuint(choice.n_members, ==, usable > 1 ? usable : 0);
    g_assert_false(cs_device_choice_init(&choice, "gpu:0,cpu", "simd", &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
}

/* The next engine is only tried if no engine was named, and only for lack of a device. */
static void
test_goes_on(void)
{
    CsDeviceChoice choice = {.kind = CS_DEVICE_AUTO, .n_engines = 2};
    g_autoptr(GError) device = g_error_new_literal(CS_ERROR, CS_ERROR_DEVICE, "no room");
    g_autoptr(GError) usage = g_error_new_literal(CS_ERROR, CS_ERROR_USAGE, "too wide");
    g_assert_true(cs_device_choice_goes_on(&choice, 0, device));
    g_assert_false(cs_device_choice_goes_on(&choice, 1, device));
    g_assert_false(cs_device_choice_goes_on(&choice, 0, usage));
    choice.kind = CS_DEVICE_GPU;
    g_assert_false(cs_device_choice_goes_on(&choice, 0, device));
}

static void
test_list(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsDeviceList) all = cs_device_list_new(NULL, &error);
    g_assert_no_error(error);
    guint gpus = 0, automatic = 0;
    for (guint k = 0; k < all->count; k++) {
        const CsDevice *device = &all->devices[k];
        gpus += device->gpu;
        automatic += device->automatic;
        g_assert_true(!device->automatic || device->fault == NULL);
        g_assert_true(device->gpu || device->uuid == NULL);
        g_assert_cmpint(device->gpu, ==, g_str_has_prefix(device->device, "gpu:"));
    }
    g_assert_cmpuint(automatic, ==, 1);
    g_assert_cmpint(all->no_gpu != NULL, ==, gpus == 0);

    g_autoptr(CsDeviceList) cpu = cs_device_list_new("cpu", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(cpu->count, ==, all->count - gpus);
    g_assert_null(cpu->no_gpu);
    g_assert_cmpstr(cpu->devices[0].engine, ==, "simd");

    g_assert_null(cs_device_list_new("nothing", &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
}

static void
test_test(void)
{
    if (case_skip_again())
        return;
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_device_test("cpu", NULL, &error));
    g_assert_no_error(error);
    g_assert_true(cs_device_test("cpu,cpu", "simd", &error));
    g_assert_no_error(error);
}

/* Any grid gives the same result, on every engine. */
static void
test_grid(void)
{
    const guint grids[][3] = {
        {0, 0, 0}, {1, 1, 1},     {3, 0, 0},   {7, 32, 4},       {1000, 64, 1000000},
        {2, 1, 5}, {0, 128, 4},   {0, 128, 0}, {1000000, 1, 17}, {G_MAXUINT, 1024, G_MAXUINT},
        {5, 3, 0}, {60, 1024, 2},
    };
    g_autoptr(CsSequence) a = random_sequence(1500, 1), b = random_sequence(700, 2);
    g_autoptr(CsSequence) none = cs_sequence_new("none", "", 0, NULL);
    CsCompareResult wanted, found;
    g_autoptr(GError) error = NULL;
    g_assert_true(cs_compare(a, b, NULL, &wanted, &error));
    for (guint k = 0; k < G_N_ELEMENTS(grids); k++) {
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        options.device = "cpu";
        options.grid_blocks = grids[k][0];
        options.grid_threads = grids[k][1];
        options.grid_alpha = grids[k][2];
        cs_compare(a, b, &options, &found, &error);
        g_assert_no_error(error);
        g_assert_cmpint(found.score, ==, wanted.score);
        g_assert_cmpint(found.target_start, ==, wanted.target_start);
        g_assert_cmpint(found.target_end, ==, wanted.target_end);
        g_assert_cmpint(found.query_start, ==, wanted.query_start);
        g_assert_cmpint(found.query_end, ==, wanted.query_end);
        g_assert_cmpstr(found.engine, ==, "simd");
        g_assert_null(found.device);
        g_assert_true(cs_compare(a, none, &options, &found, &error));
        g_assert_cmpint(found.score, ==, 0);
    }
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.grid_alpha = 4;
    g_assert_false(cs_compare(a, b, &options, &found, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    g_clear_error(&error);
    options.grid_threads = 1025;
    g_assert_false(cs_compare(a, b, &options, &found, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
}

/* Any width that holds the scores gives the same result. There are only three. */
static void
test_bits(void)
{
    const guint wrong[] = {1, 8, 31, 33, 128, G_MAXUINT};
    g_autoptr(CsSequence) a = random_sequence(1500, 1), b = random_sequence(700, 2);
    g_autoptr(GError) error = NULL;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult wanted, found;
    options.device = "cpu";
    g_assert_true(cs_compare(a, b, &options, &wanted, &error));
    for (options.bits = 32; options.bits <= 64; options.bits += 32) {
        cs_compare(a, b, &options, &found, &error);
        g_assert_no_error(error);
        g_assert_cmpint(found.score, ==, wanted.score);
        g_assert_cmpint(found.target_start, ==, wanted.target_start);
        g_assert_cmpint(found.target_end, ==, wanted.target_end);
        g_assert_cmpint(found.query_start, ==, wanted.query_start);
        g_assert_cmpint(found.query_end, ==, wanted.query_end);
    }
    options.bits = 16;
    g_assert_false(cs_compare(a, b, &options, &found, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    for (guint k = 0; k < G_N_ELEMENTS(wrong); k++) {
        g_clear_error(&error);
        options.bits = wrong[k];
        g_assert_false(cs_compare(a, b, &options, &found, &error));
        g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    }
}

static void
append_note(CsNoteKind kind, const char *message, gpointer user_data)
{
    g_assert_cmpint(kind, ==, CS_NOTE_DETAIL);
    g_ptr_array_add(user_data, g_strdup(message));
}

/* Notes say why the GPU was not taken, if it could have been, and which engine was. */
static void
test_note(void)
{
    const char *const devices[] = {NULL, "auto", "cpu"};
    g_autoptr(CsSequence) a = random_sequence(100, 1);
    for (guint k = 0; k < G_N_ELEMENTS(devices); k++) {
        g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GError) error = NULL;
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        CsCompareResult result;
        options.device = devices[k];
        options.note = append_note;
        options.note_data = notes;
        g_assert_true(cs_compare(a, a, &options, &result, &error));
        g_assert_cmpint(result.score, ==, 100);
        gboolean told = k < 2 && result.device == NULL;
        g_assert_cmpuint(notes->len, ==, told ? 2 : 1);
        g_autofree char *engine = g_strdup_printf("engine %s: ", result.engine);
        g_assert_true(g_str_has_prefix(g_ptr_array_index(notes, notes->len - 1), engine));
        if (told)
            g_assert_true(g_str_has_prefix(g_ptr_array_index(notes, 0), "not using a GPU: "));
    }
}

/* A comparison fails with the same error as the description, and leaves the result unchanged. */
static void
test_compare_errors(void)
{
    const struct {
        const char *device, *engine;
        CsError code;
    } wrong[] = {
        {"cpu", "cuda", CS_ERROR_USAGE},
        {"gpu", "simd", CS_ERROR_USAGE},
        {"there", NULL, CS_ERROR_USAGE},
        {"gpu:99999", NULL, CS_ERROR_DEVICE},
    };
    g_autoptr(CsSequence) a = random_sequence(100, 1);
    for (guint k = 0; k < G_N_ELEMENTS(wrong); k++) {
        g_autoptr(GError) error = NULL;
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        CsCompareResult result = {.score = -7};
        options.device = wrong[k].device;
        options.engine = wrong[k].engine;
        g_assert_false(cs_compare(a, a, &options, &result, &error));
        g_assert_error(error, CS_ERROR, (int)wrong[k].code);
        g_assert_cmpint(result.score, ==, -7);
    }
}

/* An error comes before a small allocation fails, which would end the process. */
static void
test_no_memory(void)
{
#ifdef SANITIZED
    g_test_skip("the memory is the sanitizer's");
#else
    if (!in_own_process())
        return;
    g_autoptr(CsSequence) a = random_sequence(1500, 1), b = random_sequence(700, 2);
    g_autoptr(GError) error = NULL;
    CsCompareResult found;
    limit_memory(1 << 20);
    g_assert_false(cs_compare(a, b, NULL, &found, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_cmpstr(error->message, ==, "not enough memory: ulimit -v leaves less than 4 MiB");
#endif
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/device/choice", test_choice);
    g_test_add_func("/device/usage", test_usage);
    g_test_add_func("/device/absent", test_absent);
    g_test_add_func("/device/members", test_members);
    g_test_add_func("/device/start", test_start);
    g_test_add_func("/device/gpu-members", test_gpu_members);
    g_test_add_func("/device/goes-on", test_goes_on);
    g_test_add_func("/device/list", test_list);
    g_test_add_func("/device/test", test_test);
    g_test_add_func("/device/grid", test_grid);
    g_test_add_func("/device/bits", test_bits);
    g_test_add_func("/device/note", test_note);
    g_test_add_func("/device/compare-errors", test_compare_errors);
    g_test_add_func("/device/no-memory", test_no_memory);
    return g_test_run();
}
