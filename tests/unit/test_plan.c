/*
 * Plans must agree with what runs really take: no more memory than planned and not far less, the
 * same engine and threads. Planning must change nothing.
 */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include <chromosweep/chromosweep.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "../random_sequence.h"
#include "limit_memory.h"
#include "related.h"

static char *
make_directory(void)
{
    g_autoptr(GError) error = NULL;
    char *directory = g_dir_make_tmp("chromosweep-plan-XXXXXX", &error);
    g_assert_no_error(error);
    return directory;
}

static guint
count_files(const char *path)
{
    g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
    guint files = 0;
    while (g_dir_read_name(directory) != NULL)
        files++;
    return files;
}

#ifndef SANITIZED
/* A lack of memory is reported before anything is computed, with numbers. */
static void
test_refused(void)
{
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_passed();
        return;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(4000000, 1), b = random_sequence(4000000, 2);
    g_autofree char *text = NULL;
    CsCompareResult result;
    struct rlimit limit;
    CsPlan plan;
    g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
    g_assert_cmpint(getrlimit(RLIMIT_AS, &limit), ==, 0);
    limit.rlim_cur = g_ascii_strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + (16 << 20);
    g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.device = "cpu";
    g_assert_false(cs_compare(a, b, &options, &result, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_true(g_str_has_prefix(error->message, "not enough memory: about "));
    g_clear_error(&error);
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_cmpstr(plan.host_limit, ==, "limit of ulimit -v");
    g_assert_false(cs_plan_check(&plan, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
}

/* Seconds until a run is stopped; 0: never. */
static double seconds_allowed;

static CsControl
stop_in_time(gpointer data)
{
    const gint64 *start = data;
    return seconds_allowed > 0 && (double)(g_get_monotonic_time() - *start) / 1e6 >= seconds_allowed
               ? CS_CONTROL_STOP
               : CS_CONTROL_GO_ON;
}

static gint64
peak_bytes(void)
{
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents("/proc/self/status", &text, NULL, NULL));
    const char *line = strstr(text, "VmHWM:");
    return line != NULL ? g_ascii_strtoll(line + strlen("VmHWM:"), NULL, 10) << 10 : -1;
}

typedef struct {
    const char *name;
    gint64 target, query;
    const char *engine;
    guint threads;
    gboolean checkpoint;
    guint bits;
    const char *device;
    CsSkipMode skip; /* if not CS_SKIP_NONE, a sequence is compared with itself, to the end */
} Run;

/* Matrices that would take far longer than a test may. A run has its memory from the start, and
 * from its first saved states. */
static const Run runs[] = {
    {"small", 3000, 2000, "simd", 2, FALSE, 0, "cpu", CS_SKIP_NONE},
    {"plain", 3000000, 2500000, "simd", 2, FALSE, 0, "cpu", CS_SKIP_NONE},
    {"wide-scores", 3000000, 2500000, "scalar", 2, FALSE, 64, "cpu", CS_SKIP_NONE},
    {"many-threads", 3000000, 2500000, "simd", 16, FALSE, 0, "cpu", CS_SKIP_NONE},
    {"checkpoint", 5000000, 6000000, "simd", 2, TRUE, 0, "cpu", CS_SKIP_NONE},
    {"checkpoint-wide-scores", 2500000, 2500000, "scalar", 3, TRUE, 64, "cpu", CS_SKIP_NONE},
    {"skip", 1500000, 1500000, "simd", 2, FALSE, 0, "cpu", CS_SKIP_BOUNDS},
    {"skip-checkpoint", 1000000, 1000000, "simd", 2, TRUE, 0, "cpu", CS_SKIP_BOUNDS},
    {"ring", 3000000, 2500000, "simd", 3, FALSE, 0, "cpu,cpu,cpu", CS_SKIP_NONE},
    {"ring-checkpoint", 5000000, 6000000, "simd", 2, TRUE, 0, "cpu,cpu", CS_SKIP_NONE},
    {"ring-skip", 700000, 700000, "simd", 2, FALSE, 0, "cpu,cpu", CS_SKIP_BOUNDS},
};

/* Three runs. The last two resume inside the staircase, and save states. */
static void
run_in_turn(const Run *run, const CsCompareOptions *options, const CsSequence *a,
            const CsSequence *b)
{
    for (guint k = 0; k < (run->checkpoint ? 3 : 1); k++) {
        g_autoptr(GError) error = NULL;
        CsCompareOptions chosen = *options;
        CsCompareResult result;
        gint64 start = g_get_monotonic_time();
        chosen.control = stop_in_time;
        chosen.control_data = &start;
        seconds_allowed = run->skip == CS_SKIP_NONE ? 0.7 : 0;
        if (!cs_compare(a, b, &chosen, &result, &error))
            g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
    }
}

static void
test_memory(gconstpointer data)
{
    const Run *run = data;
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
        g_test_trap_assert_passed();
        return;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(run->target, 1);
    g_autoptr(CsSequence) b = random_sequence(run->query, run->skip == CS_SKIP_NONE ? 2 : 1);
    g_autofree char *directory = make_directory();
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.skip = run->skip;
    options.engine = run->engine;
    options.device = run->device;
    options.threads = run->threads;
    options.bits = run->bits;
    options.checkpoint = run->checkpoint ? directory : NULL;
    options.checkpoint_interval = 0.05;
    CsPlan plan;
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_no_error(error);
    run_in_turn(run, &options, a, b);
    const gint64 peak = peak_bytes();
    g_test_message("%s: at most %" G_GINT64_FORMAT " KiB, taken %" G_GINT64_FORMAT " KiB",
                   run->name, plan.host_bytes >> 10, peak >> 10);
    if (run->checkpoint)
        g_assert_true(cs_checkpoint_remove(directory, NULL));
    else
        g_assert_cmpint(g_rmdir(directory), ==, 0);
    if (peak < 0) {
        g_test_skip("the kernel does not tell what a process took at most");
        return;
    }
    g_assert_cmpint(peak, <=, plan.host_bytes);
    /* With many cores, each may pack a piece of a state. */
    g_assert_cmpint(plan.host_bytes, <=, 4 * peak + (96 << 20));
    g_assert_cmpint(plan.host_bytes_least, <=, plan.host_bytes);
}

/* A search that finds the alignment of a long query takes most of its memory for that. */
static void
test_search_memory(void)
{
    if (case_skip_again())
        return;
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
        g_test_trap_assert_passed();
        return;
    }
    g_autoptr(GError) error = NULL;
    g_autofree char *directory = make_directory(),
                    *file = g_build_filename(directory, "long.fa", NULL);
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    g_autoptr(GString) text = g_string_new(">long\n");
    for (guint k = 0; k < 30000; k++)
        g_string_append_c(text, "ACGT"[g_rand_int_range(rand, 0, 4)]);
    g_assert_true(g_file_set_contents(file, text->str, -1, NULL));
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    options.align = TRUE;
    options.device = "cpu";
    options.threads = 1;
    options.strand = CS_STRAND_PLUS;
    CsSearchPlan plan;
    g_assert_true(cs_search_plan(file, file, &options, &plan, &error));
    g_assert_no_error(error);
    g_autoptr(CsSearch) search = cs_search(file, file, &options, &error);
    g_assert_no_error(error);
    gint64 count;
    g_assert_cmpint(cs_search_get_hits(search, &count)->score, ==, 30000);
    const gint64 peak = peak_bytes();
    g_test_message("at most %" G_GINT64_FORMAT " KiB, taken %" G_GINT64_FORMAT " KiB",
                   plan.host_bytes >> 10, peak >> 10);
    g_assert_cmpint(g_unlink(file) | g_rmdir(directory), ==, 0);
    if (peak < 0) {
        g_test_skip("the kernel does not tell what a process took at most");
        return;
    }
    g_assert_cmpint(peak, <=, plan.host_bytes);
    g_assert_cmpint(plan.host_bytes, <=, 4 * peak + (96 << 20));
}
#endif

/* Seconds of comparing, by the speed that a plan without skipping measured. */
static double
compared(const CsPlan *plan)
{
    return (double)plan->cells / plan->cells_a_second + plan->seconds_before;
}

/* What each member of a ring gets, and which are left alone. */
static void
test_members(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(30000, 1), b = random_sequence(20000, 2);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    CsPlan plan;
    options.threads = 3;
    options.device = "cpu,cpu,cpu,cpu";
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(plan.engine, ==, "ring");
    g_assert_cmpuint(plan.n_members, ==, 4);
    gint64 rows = 0;
    for (guint k = 0; k < 3; k++) {
        g_assert_cmpstr(plan.members[k].device, ==, "cpu");
        g_assert_cmpuint(plan.members[k].threads, ==, 1);
        g_assert_cmpint(plan.members[k].rows, >, 30000 / 6);
        rows += plan.members[k].rows;
    }
    g_assert_cmpint(rows, ==, 30000);
    g_assert_cmpuint(plan.members[3].threads, ==, 0); /* there are three threads */
    g_assert_cmpint(plan.members[3].rows, ==, 0);
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    g_assert_cmpstr(result.engine, ==, plan.engine);
    g_assert_cmpuint(result.threads, ==, plan.threads);

    g_autoptr(CsSequence) small = random_sequence(100, 3);
    g_assert_true(cs_plan(small, small, &options, 0, &plan, &error));
    g_assert_cmpint(plan.members[0].rows, ==, 100); /* there is one block */
    g_assert_cmpint(plan.members[1].rows, ==, 0);

    options.device = "cpu";
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_cmpuint(plan.n_members, ==, 0);
}

static void
test_figures(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(30000, 1), b = random_sequence(20000, 2);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    CsPlan plan;
    options.strand = CS_STRAND_BOTH;
    options.threads = 2;
    options.device = "cpu";
    g_assert_true(cs_plan(a, b, &options, CS_PLAN_PROBE, &plan, &error));
    g_assert_no_error(error);
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    g_assert_cmpint(plan.cells, ==, result.cells);
    g_assert_cmpint(plan.cells_done, ==, 0);
    g_assert_cmpstr(plan.engine, ==, result.engine);
    g_assert_cmpstr(plan.device, ==, result.device);
    g_assert_cmpuint(plan.threads, ==, result.threads);
    g_assert_cmpint((plan.block_rows - 1) * plan.block_height, <, 30000);
    g_assert_cmpint(plan.block_rows * plan.block_height, >=, 30000);
    g_assert_cmpint(plan.block_columns * plan.block_width, >=, 20000);
    g_assert_cmpint(plan.host_bytes, ==,
                    plan.host_bytes_program + plan.host_bytes_sequences + plan.host_bytes_buses +
                        plan.host_bytes_engine + plan.host_bytes_checkpoint + plan.host_bytes_skip +
                        plan.row_bytes);
    g_assert_cmpint(plan.host_bytes_sequences, ==, 50000);
    g_assert_cmpint(plan.host_bytes_skip, ==, 0); /* too small */
    g_assert_cmpint(plan.host_bytes_checkpoint, ==, 0);
    g_assert_cmpint(plan.disk_bytes, ==, 0);
    g_assert_cmpfloat(plan.cells_a_second, >, 0);
    g_assert_cmpfloat(plan.seconds, >, 0);
    g_assert_cmpfloat(plan.seconds_left, ==, plan.seconds);
    g_assert_true(cs_plan_check(&plan, &error));
    g_assert_no_error(error);

    /* A proof takes what comparing takes, once more. */
    options.verify = TRUE;
    g_assert_true(cs_plan(a, b, &options, CS_PLAN_PROBE, &plan, &error));
    g_assert_cmpfloat(plan.seconds, >, 2 * compared(&plan));
    g_assert_cmpfloat(plan.seconds, <, 2 * compared(&plan) + 20000 * 1e-6); /* and the trace */
    g_assert_cmpfloat(plan.seconds_left, ==, plan.seconds);
}

/* The speed is only measured on request, unlike the other figures. */
static void
test_no_probe(void)
{
    g_autoptr(CsSequence) a = random_sequence(300, 1), b = random_sequence(200, 2);
    CsPlan plan;
    g_assert_true(cs_plan(a, b, NULL, 0, &plan, NULL));
    g_assert_cmpfloat(plan.cells_a_second, ==, 0);
    g_assert_cmpfloat(plan.seconds, ==, 0);
    g_autoptr(CsSequence) none = cs_sequence_new("none", "", 0, NULL);
    g_assert_true(cs_plan(a, none, NULL, 1, &plan, NULL));
    g_assert_cmpint(plan.cells, ==, 0);
    g_assert_cmpfloat(plan.seconds, ==, 0);
}

/* What a set takes at most is more than its first sweeps, and less where the best alignment leaves less. */
static void
test_set_most(void)
{
    g_autoptr(CsSequence) a = random_sequence(60000, 1), b = random_sequence(60000, 2);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ONE_TO_ONE, .min_score = 100, .max_drop = -1};
    CsPlan plan, same;
    options.strand = CS_STRAND_BOTH;
    options.device = "cpu";
    g_assert_true(cs_plan_set(a, b, &options, &set, 0.1, &plan, NULL));
    g_assert_cmpint(plan.cells_most, >, plan.cells);
    g_assert_cmpint(plan.cells_most, <, 3 * plan.cells);
    g_assert_cmpfloat(plan.seconds_most, >, plan.seconds_left);
    set.min_score = 30000; /* what is left between alignments scores that less often */
    g_assert_true(cs_plan_set(a, b, &options, &set, 0.1, &same, NULL));
    g_assert_cmpint(same.cells_most, <, plan.cells_most);
    set.min_score = 60001; /* nothing does */
    g_assert_true(cs_plan_set(a, b, &options, &set, 0.1, &same, NULL));
    g_assert_cmpint(same.cells_most, <=, plan.cells);
    set.min_score = 100;
    options.skip = CS_SKIP_BOUNDS;
    g_assert_true(cs_plan_set(a, a, &options, &set, 0.1, &same, NULL));
    g_assert_cmpint(same.lower_bound, ==, 60000);
    g_assert_cmpint(same.cells_most, <, plan.cells / 2);
    set.rule = CS_ALIGN_SET_ALL;
    g_assert_true(cs_plan_set(a, b, &options, &set, 0.1, &plan, NULL));
    g_assert_cmpint(plan.cells_most, >, plan.cells);
    g_assert_cmpfloat(plan.seconds_most, >, plan.seconds_left);
    g_assert_true(cs_plan(a, b, &options, 0.1, &plan, NULL));
    g_assert_cmpint(plan.cells_most, ==, 0);
    g_assert_cmpfloat(plan.seconds_most, ==, 0);
    set.rule = CS_ALIGN_SET_ONE_TO_ONE;
    options.circular = CS_CIRCULAR_BOTH;
    g_assert_true(cs_plan_set(a, b, &options, &set, 0, &plan, NULL));
    g_assert_cmpint(plan.cells_most, ==, 0);
}

/* Of all alignments: every cell of both strands, the borders of tiles in memory and on disk,
 * and no more rows than are granted. One-to-one begins like a comparison. */
static void
test_set(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(200000, 1), b = random_sequence(100000, 2);
    g_autofree char *directory = make_directory();
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ALL, .most = 5};
    CsPlan plan, compared;
    options.strand = CS_STRAND_BOTH;
    options.device = "cpu";
    options.checkpoint = directory;
    g_assert_true(cs_plan_set(a, b, &options, &set, 0, &plan, &error));
    g_assert_cmpint(plan.cells, ==, 2 * G_GINT64_CONSTANT(20000000000));
    g_assert_cmpint(plan.cells_expected, ==, plan.cells);
    g_assert_cmpint(plan.skip, ==, CS_SKIP_NONE);
    /* 49 rows and 25 columns of tiles of 4096 x 4096 */
    const gint64 borders = 8 * (49 * G_GINT64_CONSTANT(100000) + 25 * G_GINT64_CONSTANT(200000));
    g_assert_cmpint(plan.host_bytes_buses, ==, borders);
    g_assert_cmpint(plan.host_bytes, >, borders);
    g_assert_cmpint(plan.disk_bytes, >=, 2 * borders);
    g_assert_cmpint(plan.disk_bytes_expected, <, borders);
    g_assert_cmpint(plan.row_bytes, ==, 0);
    g_assert_cmpuint(count_files(directory), ==, 0);
    /* Where the least score leaves most tiles out, smaller ones, and what is granted is enough. */
    set.min_score = 1000;
    g_assert_true(cs_plan_set(a, b, &options, &set, 0, &plan, &error));
    g_assert_cmpint(plan.host_bytes_buses, >, borders);
    options.row_budget = 1000000;
    g_assert_true(cs_plan_set(a, b, &options, &set, 0, &plan, &error));
    g_assert_cmpint(plan.host_bytes_buses, ==, options.row_budget);
    set.min_score = 0;
    options.row_budget = borders / 4; /* larger tiles */
    g_assert_true(cs_plan_set(a, b, &options, &set, 0, &plan, &error));
    g_assert_cmpint(plan.host_bytes_buses, <=, borders / 4);
    options.row_budget = 1000000;
    g_assert_false(cs_plan_set(a, b, &options, &set, 0, &plan, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_clear_error(&error);
    options.row_budget = 0;
    set.rule = CS_ALIGN_SET_ONE_TO_ONE;
    g_assert_true(cs_plan_set(a, b, &options, &set, 0, &plan, &error));
    g_assert_true(cs_plan(a, b, &options, 0, &compared, &error));
    g_assert_cmpint(plan.cells, ==, compared.cells);
    g_assert_cmpint(plan.host_bytes, ==, compared.host_bytes);
    /* Of several records: one matrix, or one pair after the other. */
    const CsSequence *targets[] = {a, a}, *queries[] = {b};
    g_assert_true(cs_plan_set_many(targets, 2, queries, 1, &options, &set, 0, &plan, &error));
    g_assert_cmpint(plan.cells, ==, 2 * G_GINT64_CONSTANT(400001) * 100000);
    g_assert_cmpint(plan.host_bytes, >, compared.host_bytes + 400001);
    set.rule = CS_ALIGN_SET_ALL;
    g_assert_true(cs_plan_set_many(targets, 2, queries, 1, &options, &set, 0, &plan, &error));
    g_assert_cmpint(plan.cells, ==, 2 * compared.cells);
    g_assert_cmpint(plan.cells_most, >, plan.cells);
    g_assert_cmpint(plan.host_bytes_buses, ==, borders);
    g_assert_false(cs_plan_set_many(targets, 0, queries, 1, &options, &set, 0, &plan, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    g_clear_error(&error);
    set.most = 0; /* it would not end */
    g_assert_false(cs_plan_set(a, b, &options, &set, 0, &plan, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_USAGE);
    g_assert_cmpint(g_rmdir(directory), ==, 0);
}

#ifndef SANITIZED
/* A lack of memory for the borders is reported before anything is computed. */
static void
test_set_refused(void)
{
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_passed();
        return;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(1000000, 1), b = random_sequence(1000000, 2);
    g_autofree char *text = NULL;
    struct rlimit limit;
    g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
    g_assert_cmpint(getrlimit(RLIMIT_AS, &limit), ==, 0);
    limit.rlim_cur = g_ascii_strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + (64 << 20);
    g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
    const CsAlignSetOptions set = {.rule = CS_ALIGN_SET_ALL, .most = 5};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.row_budget = 1 << 30;
    g_assert_null(cs_align_set(a, b, &options, &set, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_DEVICE);
    g_assert_nonnull(strstr(error->message, "MiB needed"));
}
#endif

/* The forecast of the cells to compute is right within a third, in every mode that has one. */
static void
test_skip(void)
{
    if (case_skip_again())
        return;
    g_autoptr(GError) error = NULL;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autoptr(GString) bases = g_string_new(NULL);
    related_append(rand, bases, 4, 200000);
    g_autoptr(GString) copy = related_copy(rand, bases, 4, 30);
    g_autoptr(CsSequence) a = cs_sequence_new("a", bases->str, (gint64)bases->len, NULL);
    g_autoptr(CsSequence) b = cs_sequence_new("b", copy->str, (gint64)copy->len, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    CsPlan plan;
    options.device = "cpu";
    options.skip = case_count_is_low() ? CS_SKIP_NONE : CS_SKIP_AUTO; /* which is bounds here */
    for (; options.skip <= CS_SKIP_BOUNDS; options.skip++) {
        g_assert_true(cs_plan(a, b, &options, 1, &plan, &error));
        g_assert_no_error(error);
        if (options.skip == CS_SKIP_BEST || options.skip == CS_SKIP_NONE) {
            g_assert_cmpint(plan.skip, ==, options.skip);
            g_assert_cmpint(plan.lower_bound, ==, 0);
            g_assert_cmpint(plan.cells_expected, ==,
                            options.skip == CS_SKIP_NONE ? plan.cells : -1);
            continue;
        }
        g_assert_true(cs_compare(a, b, &options, &result, &error));
        g_test_message("expected %.2f%%, computed %.2f%%",
                       100.0 * (double)plan.cells_expected / (double)plan.cells,
                       100.0 * (double)result.cells_computed / (double)plan.cells);
        g_assert_cmpint(plan.skip, ==, CS_SKIP_BOUNDS);
        g_assert_cmpint(result.skip, ==, CS_SKIP_BOUNDS);
        g_assert_cmpint(plan.lower_bound, ==, result.lower_bound);
        g_assert_cmpint(3 * plan.cells_expected, >, 2 * result.cells_computed);
        g_assert_cmpint(2 * plan.cells_expected, <, 3 * result.cells_computed);
        /* as long as without skipping at most, but for threads that are idle beside a narrow band */
        g_assert_cmpfloat(plan.seconds, <=,
                          1.2 * (plan.cells / plan.cells_a_second + plan.seconds_before));
    }
    options.skip = CS_SKIP_AUTO;
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_cmpint(plan.cells_expected, ==, -1);
}

/* Memory for skipping is counted as far as something may be skipped. Of an unrelated pair that is
 * not known before the search, whose memory is then still counted, without what would stay. */
static void
test_skip_memory(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(150000, 1), b = random_sequence(150000, 2);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsPlan plan, before;
    options.device = "cpu";
    g_assert_true(cs_plan(a, b, &options, 0, &before, &error));
    g_assert_no_error(error);
    g_assert_cmpint(before.skip, ==, CS_SKIP_AUTO);
    g_assert_true(cs_plan(a, b, &options, 1, &plan, &error));
    g_assert_no_error(error);
    g_assert_cmpint(plan.skip, ==, CS_SKIP_NONE);
    g_assert_cmpint(plan.host_bytes_skip, >, 0);
    g_assert_cmpint(plan.host_bytes_skip, <=, before.host_bytes_skip);
    g_assert_cmpint(before.host_bytes - plan.host_bytes, ==,
                    before.host_bytes_skip - plan.host_bytes_skip);
    options.strand = CS_STRAND_BOTH; /* of which one would keep its bounds for the other */
    g_assert_true(cs_plan(a, b, &options, 0, &before, &error));
    g_assert_true(cs_plan(a, b, &options, 1, &plan, &error));
    g_assert_no_error(error);
    g_assert_cmpint(plan.host_bytes_skip, <, before.host_bytes_skip);
    options.skip = CS_SKIP_BEST;
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_cmpint(plan.host_bytes_skip, >, 0);
    options.skip = CS_SKIP_NONE;
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_cmpint(plan.host_bytes_skip, ==, 0);
}

static void
test_checkpoint(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(3000, 1), b = random_sequence(2000, 2);
    g_autofree char *directory = make_directory();
    g_autofree char *inside = g_build_filename(directory, "new", NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    CsPlan plan;
    options.checkpoint = inside;
    g_assert_true(cs_plan(a, b, &options, 1, &plan, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(count_files(directory), ==, 0);
    options.checkpoint = directory;
    g_assert_true(cs_plan(a, b, &options, 1, &plan, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(count_files(directory), ==, 0);
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    g_assert_true(cs_plan(a, b, &options, 1, &plan, &error));
    g_assert_cmpint(plan.cells_done, ==, plan.cells);
    g_assert_cmpfloat(plan.seconds_left, ==, 0);
    g_assert_cmpfloat(plan.seconds, >, 0);
    g_assert_cmpint(plan.disk_bytes_there, >, 0);
    g_assert_cmpint(plan.disk_bytes_there, <=, plan.disk_bytes);
    options.checkpoint_fresh = TRUE;
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_cmpint(plan.cells_done, ==, 0);
    options.checkpoint_fresh = FALSE;
    options.scoring.match = 2;
    g_assert_false(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_error(error, CS_ERROR, CS_ERROR_CHECKPOINT);
    g_assert_true(cs_checkpoint_remove(directory, NULL));
}

/* The time left must be so many times that of comparing, and so many traces of 8,000 bases. */
static void
expect_left(const CsSequence *a, const CsSequence *b, const CsCompareOptions *options, double times,
            double traces)
{
    g_autoptr(GError) error = NULL;
    CsPlan plan;
    g_assert_true(cs_plan(a, b, options, 0.1, &plan, &error));
    g_assert_no_error(error);
    g_assert_cmpfloat(plan.cells_a_second, >, 0);
    g_assert_cmpfloat_with_epsilon(plan.seconds_left,
                                   times * compared(&plan) + traces * 8000 * 3.3e-7,
                                   1e-6 * compared(&plan));
}

static void
remove_found(const char *directory, const char *name)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    g_assert_cmpint(g_remove(path), ==, 0);
}

/* Once all cells are computed, the stages after the sweeps are left: of each strand the trace, if it
 * is not there, with a second sweep if no rows are; and each time the proof. */
static void
test_stages(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(9000, 1), b = random_sequence(8000, 1);
    g_autofree char *directory = make_directory();
    g_autofree char *rows = g_build_filename(directory, "found-plus-rows.state", NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    options.device = "cpu";
    options.skip = CS_SKIP_NONE;
    options.threads = 1;
    options.row_budget = -1; /* the first sweep keeps none, so there is always a second one */
    expect_left(a, b, &options, 2, 1);
    options.row_budget = 0;
    expect_left(a, b, &options, 1, 1);

    options.checkpoint = directory;
    options.no_start = TRUE;
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    expect_left(a, b, &options, 0, 0);
    options.no_start = FALSE;
    expect_left(a, b, &options, 1, 1);
    options.verify = TRUE;
    expect_left(a, b, &options, 2, 1);
    g_assert_true(g_file_set_contents(rows, "", 0, NULL));
    expect_left(a, b, &options, 1, 1);
    options.verify = FALSE;
    expect_left(a, b, &options, 0, 1);
    g_assert_cmpint(g_remove(rows), ==, 0);
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    expect_left(a, b, &options, 0, 0);
    g_assert_true(cs_checkpoint_remove(directory, NULL));

    options.strand = CS_STRAND_BOTH;
    g_assert_cmpint(g_mkdir(directory, 0700), ==, 0);
    g_assert_true(cs_compare(a, b, &options, &result, &error));
    expect_left(a, b, &options, 0, 0);
    remove_found(directory, "found-plus-trace.state"); /* minus scores less and is not traced */
    expect_left(a, b, &options, 0.5, 1);
    g_assert_true(cs_checkpoint_remove(directory, NULL));
}

/* What a sweep would skip counts for the stages after it, too. */
static void
test_stages_skip(void)
{
    if (case_skip_again())
        return;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(200000, 1);
    g_autofree char *directory = make_directory();
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result;
    CsPlan plan;
    options.device = "cpu";
    options.threads = 1;
    options.checkpoint = directory;
    g_assert_true(cs_compare(a, a, &options, &result, &error));
    g_assert_true(cs_plan(a, a, &options, 0.1, &plan, &error));
    g_assert_cmpint(plan.skip, ==, CS_SKIP_AUTO); /* nothing is left for which it would matter */
    options.verify = TRUE;
    g_assert_true(cs_plan(a, a, &options, 0.1, &plan, &error));
    g_assert_cmpint(plan.skip, ==, CS_SKIP_BOUNDS);
    g_assert_cmpint(plan.cells_expected, >=, 0);
    g_assert_cmpfloat(plan.seconds_left - plan.seconds_before, <, compared(&plan) / 3);
    g_assert_true(cs_checkpoint_remove(directory, NULL));
}

/* Beside a GPU the trace takes no share of the sweep's time. */
static void
test_gpu(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(50000, 1), b = random_sequence(3000, 2);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsPlan plan;
    options.engine = "cuda";
    options.skip = CS_SKIP_NONE;
    if (engine_working("cuda", NULL) == NULL) {
        g_test_skip("no GPU");
        return;
    }
    g_assert_true(cs_plan(a, b, &options, 0.1, &plan, &error));
    g_assert_no_error(error);
    const double trace = plan.seconds - compared(&plan);
    g_assert_cmpfloat(trace, >, 0);
    g_assert_cmpfloat(trace, <, 0.1);
    g_assert_cmpfloat(plan.seconds_left, ==, plan.seconds);
}

/* Any device: as many GPUs as pay, and no more than one if that depends on what is skipped. */
static void
test_gpus(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(30000, 1), b = random_sequence(29000, 2);
    g_autoptr(CsSequence) small = random_sequence(3000, 3);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsCompareResult result, expected;
    CsPlan plan;
    if (g_getenv("EMULATED_GPU") == NULL) {
        g_test_skip("no emulated GPUs");
        return;
    }
    static const struct {
        const char *scale;
        CsSkipMode skip;
        guint gpus;
    } pairs[] = {{"1", CS_SKIP_NONE, 0},
                 {"100", CS_SKIP_NONE, 2},
                 {"200", CS_SKIP_NONE, 3},
                 {"200", CS_SKIP_AUTO, 0},
                 {"1000", CS_SKIP_AUTO, 3}};
    for (gsize k = 0; k < G_N_ELEMENTS(pairs); k++) {
        g_setenv("CHROMOSWEEP_PAY_SCALE", pairs[k].scale, TRUE);
        options.skip = pairs[k].skip;
        g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
        g_assert_no_error(error);
        g_assert_cmpuint(plan.n_members, ==, pairs[k].gpus);
        g_assert_cmpstr(plan.engine, ==, pairs[k].gpus > 0 ? "ring" : "cuda");
        for (guint l = 0; l < plan.n_members && options.skip == CS_SKIP_NONE; l++)
            g_assert_cmpint(plan.members[l].rows, >, 0);
    }
    options.skip = CS_SKIP_NONE;
    g_assert_true(cs_compare(small, small, &options, &result, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(result.engine, ==, "ring");
    options.device = "cpu";
    g_assert_true(cs_compare(small, small, &options, &expected, &error));
    g_assert_cmpint(result.score, ==, expected.score);
    options.device = "gpu";
    g_assert_true(cs_plan(a, b, &options, 0, &plan, &error));
    g_assert_cmpuint(plan.n_members, ==, 0);
    g_unsetenv("CHROMOSWEEP_PAY_SCALE");
}

/* A CPU beside GPUs is measured if the matrix is large enough. It is thousands of times as fast as an emulated GPU. */
static void
test_measured(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) a = random_sequence(30000, 1), b = random_sequence(29000, 2);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    CsPlan taken, measured;
    if (g_getenv("EMULATED_GPU") == NULL) {
        g_test_skip("no emulated GPUs");
        return;
    }
    options.device = "gpu:0,gpu:1,cpu";
    options.skip = CS_SKIP_NONE;
    g_assert_true(cs_plan(a, b, &options, 0, &taken, &error));
    g_setenv("CHROMOSWEEP_PAY_SCALE", "1000", TRUE);
    g_assert_true(cs_plan(a, b, &options, 0, &measured, &error));
    g_unsetenv("CHROMOSWEEP_PAY_SCALE");
    g_assert_no_error(error);
    g_assert_cmpint(taken.members[2].rows, <, taken.members[0].rows);
    g_assert_cmpint(measured.members[2].rows, >, measured.members[0].rows);
}

/* A lack of memory or disk space is refused, and nothing else. */
static void
test_check(void)
{
    static const struct {
        CsPlan plan;
        int code; /* 0: it can work */
    } cases[] = {
        {{.host_bytes_least = 100, .host_bytes_available = -1, .disk_bytes_free = -1}, 0},
        {{.host_bytes_least = 100, .host_bytes_available = 60, .disk_bytes_free = -1}, 0},
        {{.host_bytes_least = 100, .host_bytes_available = 59, .host_limit = "said"},
         CS_ERROR_DEVICE},
        {{.host_bytes_available = -1, .disk_bytes_expected = 9, .disk_bytes_free = 9}, 0},
        {{.host_bytes_available = -1, .disk_bytes_expected = 9, .disk_bytes_free = 8},
         CS_ERROR_FAILED},
        {{.host_bytes_available = -1,
          .disk_bytes_expected = 9,
          .disk_bytes_there = 5,
          .disk_bytes_free = 4},
         0},
    };
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autoptr(GError) error = NULL;
        g_assert_cmpint(cs_plan_check(&cases[k].plan, &error), ==, cases[k].code == 0);
        if (cases[k].code != 0)
            g_assert_error(error, CS_ERROR, cases[k].code);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/figures", test_figures);
    g_test_add_func("/plan/members", test_members);
    g_test_add_func("/plan/no-probe", test_no_probe);
    g_test_add_func("/plan/set", test_set);
    g_test_add_func("/plan/set-most", test_set_most);
    g_test_add_func("/plan/skip", test_skip);
    g_test_add_func("/plan/skip-memory", test_skip_memory);
    g_test_add_func("/plan/checkpoint", test_checkpoint);
    g_test_add_func("/plan/stages", test_stages);
    g_test_add_func("/plan/stages-skip", test_stages_skip);
    g_test_add_func("/plan/gpu/trace", test_gpu);
    g_test_add_func("/plan/gpu/any-device", test_gpus);
    g_test_add_func("/plan/gpu/measured", test_measured);
    g_test_add_func("/plan/check", test_check);
#ifndef SANITIZED
    g_test_add_func("/plan/refused", test_refused);
    g_test_add_func("/plan/search-memory", test_search_memory);
    g_test_add_func("/plan/set-refused", test_set_refused);
    /* What a run allocates is the same with any compiler. */
    for (guint k = 0; k < G_N_ELEMENTS(runs) && !case_count_is_low(); k++) {
        g_autofree char *path = g_strconcat("/plan/memory/", runs[k].name, NULL);
        g_test_add_data_func(path, &runs[k], test_memory);
    }
#endif
    return g_test_run();
}
