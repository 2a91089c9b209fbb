/*
 * The best alignment as cs_align() finds it: the one walk of the full matrix, whatever engine,
 * strand, grid, skipping and budget of rows.
 *
 *     test_align [SEED]      SEED of the first case [1]; CHROMOSWEEP_TEST_CASES sets how many
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "../case_count.h"
#include "../engine_choice.h"
#include "../reverse_complement.h"
#include <chromosweep/checkpoint.h>
#include <chromosweep/error.h>

#include "checkpoint/found.h"
#include "checkpoint/found_trace.h"
#include "compare/comparison.h"
#include "alignment_steps.h"
#include "path_oracle.h"
#include "skip_cases.h"

enum {
    CASES = 1500,
    RESUMED_CASES = 80,
    GPU_CASES = 60,
    GPU_LONGEST = 1200,
    WRONG_CASES = 40,
    LONGEST = 250,
    LATE_LENGTH = 30000,
};

/* What the sweeps are of the work if the score is proved. */
#define SWEEPS_PROVED 0.4

/* More than any share. */
#define NEVER 2.0

static guint32 first_seed = 1;

/* One strand's truth. */
typedef struct {
    Oracle oracle;
    char *steps; /* as path_oracle() has them; NULL where the score is 0 */
    int i0, j0;
} Truth;

typedef struct {
    SkipCase *c;
    GRand *rand;
    CsSequence *target, *query;
    Truth truths[2];
    guint warnings, second_sweeps, traces;
    CsProgress last; /* told */
    guint told;
    const CsStage *stage; /* of the run under way, or NULL */
    gint stop_in;         /* CsStage in which the control function stops it; -1: in none */
    guint stop_after;     /* times that it is asked there */
    gulong stop_wait;     /* or so many microseconds after the sweeps; 0: not then */
    gboolean on_gpu;      /* or on a CPU */
    gboolean proves;      /* the run under way proves the score */
    gboolean steady;      /* all runs keep rows, enough of them, and nothing is damaged */
    char *what;
} Trial;

static void
find_truth(const Trial *trial, CsStrand strand, Truth *truth)
{
    const CsScoring *scoring = trial->c->scoring;
    const char *query = trial->c->query->str;
    g_autofree char *read = strand == CS_STRAND_MINUS ? reverse_complement(query) : g_strdup(query);
    const OracleProblem problem = {.a = trial->c->target->str,
                                   .b = read,
                                   .m = (int)trial->c->target->len,
                                   .n = (int)trial->c->query->len,
                                   .match = scoring->match,
                                   .mismatch = scoring->mismatch,
                                   .open = scoring->gap_open,
                                   .extend = scoring->gap_extend};
    oracle_solve(&problem, &truth->oracle);
    truth->steps = path_oracle(&problem, &truth->oracle, FALSE, &truth->i0, &truth->j0);
}

/* Takes the case. */
static void
trial_init_case(Trial *trial, guint32 seed, SkipCase *c)
{
    *trial = (Trial){.c = c, .rand = g_rand_new_with_seed(seed), .stop_in = -1};
    if (seed % 2 == 0) { /* the longer one is the query */
        GString *target = c->target;
        c->target = c->query;
        c->query = target;
    }
    trial->target = cs_sequence_new("target", c->target->str, (gint64)c->target->len, NULL);
    trial->query = cs_sequence_new("query", c->query->str, (gint64)c->query->len, NULL);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++)
        find_truth(trial, strand, &trial->truths[strand]);
    trial->what = g_strdup_printf("seed %u: %s %s", seed, c->target->str, c->query->str);
}

static void
trial_init(Trial *trial, guint32 seed)
{
    trial_init_case(trial, seed, skip_case_new(seed, LONGEST));
}

static void
trial_clear(Trial *trial)
{
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        oracle_clear(&trial->truths[strand].oracle);
        free(trial->truths[strand].steps);
    }
    cs_sequence_unref(trial->target);
    cs_sequence_unref(trial->query);
    skip_case_free(trial->c);
    g_rand_free(trial->rand);
    g_free(trial->what);
}

/* A CsNoteFunc. */
static void
hear(CsNoteKind kind, const char *message, gpointer user_data)
{
    Trial *trial = user_data;
    if (kind == CS_NOTE_WARNING && (strstr(message, "alignment data are wrong") != NULL ||
                                    strstr(message, "saved rows are damaged") != NULL)) {
        trial->warnings++;
        g_test_message("%s: %s", trial->what, message);
    }
    trial->second_sweeps += strstr(message, "second sweep") != NULL;
    trial->traces += strstr(message, "tracing the alignment back") != NULL;
}

/* A CsProgressFunc: the share never falls, and is 1 only at the very end. */
static gboolean
look(const CsProgress *progress, gpointer user_data)
{
    Trial *trial = user_data;
    g_assert_cmpfloat(progress->fraction, >=, trial->last.fraction);
    if (trial->told > 0)
        g_assert_cmpfloat(trial->last.fraction, <, 1);
    const double sweeps = trial->proves ? SWEEPS_PROVED : CS_PROGRESS_SWEEPS;
    if (progress->stage >= CS_STAGE_ROWS) {
        g_assert_cmpint(progress->cells_done, ==, progress->cells);
        g_assert_cmpfloat(progress->fraction, >=, sweeps - 1e-9);
    } else {
        g_assert_cmpfloat(progress->fraction, <=, sweeps + 1e-9);
    }
    trial->last = *progress;
    trial->told++;
    return TRUE;
}

/* A CsControlFunc. */
static CsControl
control(gpointer user_data)
{
    Trial *trial = user_data;
    const CsStage *stage = trial->stage;
    if (trial->stop_wait > 0 && stage != NULL &&
        (*stage == CS_STAGE_ROWS || *stage == CS_STAGE_TRACE)) {
        g_usleep(trial->stop_wait);
        return CS_CONTROL_STOP;
    }
    if (trial->stop_in != (gint)trial->last.stage || trial->stop_after-- > 0)
        return CS_CONTROL_GO_ON;
    trial->stop_after = 0;
    return CS_CONTROL_STOP;
}

static CsCompareOptions
random_options(Trial *trial)
{
    static const char *const engines[] = {"scalar", "simd", "cuda"};
    GRand *rand = trial->rand;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = *trial->c->scoring;
    options.engine = engines[g_rand_int_range(rand, 0, trial->on_gpu ? 3 : 2)];
    if (strcmp(options.engine, "cuda") != 0 && g_rand_int_range(rand, 0, 3) == 0)
        options.device = "cpu,cpu,cpu";
    options.threads = (guint)g_rand_int_range(rand, 1, 4);
    options.strand = (CsStrand)g_rand_int_range(rand, CS_STRAND_PLUS, CS_STRAND_BOTH + 1);
    options.skip = (CsSkipMode)g_rand_int_range(rand, CS_SKIP_AUTO, CS_SKIP_BOUNDS + 1);
    options.note = hear;
    options.note_data = options.progress_data = options.control_data = trial;
    options.progress = look;
    options.control = control;
    if (g_rand_boolean(rand) || trial->on_gpu) {
        options.grid_blocks = (guint)g_rand_int_range(rand, 1, 30);
        options.grid_threads = trial->on_gpu ? 32 * (guint)g_rand_int_range(rand, 1, 5)
                                             : (guint)g_rand_int_range(rand, 1, 8);
        options.grid_alpha = trial->on_gpu ? 2 : (guint)g_rand_int_range(rand, 1, 8);
    }
    switch (g_rand_int_range(rand, 0, 4)) {
    case 0: options.row_budget = -1; break;
    case 1: options.row_budget = g_rand_int_range(rand, 1, 1500); break; /* thinned out */
    default: break;
    }
    options.no_start = g_rand_int_range(rand, 0, 4) == 0; /* of the other strand */
    return options;
}

static void
expect_alignment(const Trial *trial, const CsCompareOptions *options, const CsAlignment *alignment)
{
    const Truth *truths = trial->truths;
    const gboolean minus_wins =
        truths[CS_STRAND_MINUS].oracle.score > truths[CS_STRAND_PLUS].oracle.score;
    const CsStrand strand = options->strand != CS_STRAND_BOTH ? options->strand
                            : minus_wins                      ? CS_STRAND_MINUS
                                                              : CS_STRAND_PLUS;
    const Truth *truth = &truths[strand];
    if (truth->oracle.score == 0) {
        g_assert_null(alignment);
        return;
    }
    g_autofree char *steps = alignment_steps(alignment);
    const CsAlignmentSummary *summary = cs_alignment_get_summary(alignment);
    const gint64 query_first = strand == CS_STRAND_PLUS
                                   ? summary->query_start - 1
                                   : (gint64)trial->c->query->len - summary->query_end;
    if (strcmp(steps, truth->steps) != 0 || summary->strand != strand ||
        summary->score != truth->oracle.score || summary->target_start != truth->i0 + 1 ||
        query_first != truth->j0)
        g_error("%s: strand %d, from %" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
                " %s, not strand %d, from %d,%d %s",
                trial->what, (int)summary->strand, summary->target_start - 1, query_first, steps,
                (int)strand, truth->i0, truth->j0, truth->steps);
}

/* The same starts and ends in the result. */
static void
expect_result(const Trial *trial, const CsCompareOptions *options, const CsCompareResult *result)
{
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        const CsStrandResult *found = &result->strands[strand];
        const Truth *truth = &trial->truths[strand];
        const gint64 n = (gint64)trial->c->query->len;
        const gboolean minus = strand == CS_STRAND_MINUS;
        g_assert_cmpint(found->computed, ==,
                        options->strand == CS_STRAND_BOTH || options->strand == strand);
        if (!found->computed || truth->oracle.score == 0)
            continue;
        if (truth->oracle.score < result->score) { /* and no more is said of it */
            g_assert_cmpint(options->strand, ==, CS_STRAND_BOTH);
            g_assert_cmpint(found->below, ==, result->score);
            g_assert_cmpint(found->score, ==, 0);
            continue;
        }
        g_assert_cmpint(found->score, ==, truth->oracle.score);
        if (options->no_start && strand != result->strand)
            continue;
        g_assert_cmpint(found->target_start, ==, truth->i0 + 1);
        g_assert_cmpint(found->target_end, ==, truth->oracle.i);
        g_assert_cmpint(found->query_start, ==, minus ? n - truth->oracle.j + 1 : truth->j0 + 1);
        g_assert_cmpint(found->query_end, ==, minus ? n - truth->j0 : truth->oracle.j);
    }
}

/* Small rows and strips, so that there are many of them. */
static void
make_small(const Trial *trial, CsComparison *comparison)
{
    GRand *rand = trial->rand;
    const gint32 most = g_rand_boolean(rand) ? 8 : 100;
    comparison->row_distance = g_rand_int_range(rand, 1, trial->on_gpu ? 600 : most);
    comparison->trace = (CsTrace){.height = g_rand_int_range(rand, 1, most),
                                  .width = g_rand_int_range(rand, 1, most),
                                  .short_cells = g_rand_int_range(rand, 1, 300),
                                  .block = g_rand_int_range(rand, 1, 65)};
}

static void
test_random(void)
{
    guint with_rows = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(CASES); seed++) {
        g_autoptr(GError) error = NULL;
        Trial trial;
        trial_init(&trial, seed);
        const CsCompareOptions options = random_options(&trial);
        g_auto(CsComparison) comparison;
        CsCompareResult result;
        g_autoptr(CsAlignment) alignment = NULL;
        cs_comparison_init(&comparison, trial.target, trial.query, &options);
        make_small(&trial, &comparison);
        if (!cs_comparison_align(&comparison, &result, &alignment, &error))
            g_error("%s: %s", trial.what, error->message);
        expect_alignment(&trial, &options, alignment);
        expect_result(&trial, &options, &result);
        g_assert_cmpuint(trial.warnings, ==, 0);
        g_assert_cmpfloat(trial.last.fraction, ==, 1);
        g_assert_cmpint(trial.last.stage, ==, CS_STAGE_TRACE);
        /* The rows that were kept were used. */
        if (comparison.rows_at[result.strand] != NULL) {
            if (options.row_budget == 0 && (options.strand != CS_STRAND_BOTH || options.no_start))
                g_assert_cmpuint(trial.second_sweeps, ==, 0);
            with_rows++;
        }
        trial_clear(&trial);
    }
    g_test_message("%u alignments traced with rows of the first sweep", with_rows);
    g_assert_cmpuint(with_rows, >, case_count(CASES) / 3);
}

/* Where no row fits the budget, a second sweep keeps those that the trace has room for. */
static void
test_no_row(void)
{
    guint without = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(CASES) / 10; seed++) {
        g_autoptr(GError) error = NULL;
        Trial trial;
        trial_init(&trial, seed);
        CsCompareOptions options = random_options(&trial);
        g_auto(CsComparison) comparison;
        g_autoptr(CsAlignment) alignment = NULL;
        CsCompareResult result;
        options.row_budget = seed % 2 == 0 ? 2 : -1; /* or 1 for each strand */
        cs_comparison_init(&comparison, trial.target, trial.query, &options);
        make_small(&trial, &comparison);
        comparison.row_distance = 2;
        comparison.trace.short_cells = 1; /* or it is traced without rows */
        if (!cs_comparison_align(&comparison, &result, &alignment, &error))
            g_error("%s: %s", trial.what, error->message);
        expect_alignment(&trial, &options, alignment);
        if (alignment != NULL && result.target_end > 20 && result.query_end > 20) {
            g_assert_cmpuint(trial.second_sweeps, >, 0);
            without++;
        }
        trial_clear(&trial);
    }
    g_test_message("%u alignments for which no row was kept at first", without);
    g_assert_cmpuint(without, >, 0);
}

/* The result of a comparison alone. */
static void
expect_compared(const Trial *trial, const CsCompareOptions *options, const CsCompareResult *result)
{
    if (!options->no_start)
        expect_result(trial, options, result);
    else
        g_assert_cmpint(result->target_start, ==, 0);
}

/* A run with the checkpoint, to the end unless it is stopped. */
static gboolean
run_on(Trial *trial, CsCompareOptions *options, CsAlignment **alignment)
{
    g_autoptr(GError) error = NULL;
    CsCompareResult result;
    const CsCompareOptions fresh = random_options(trial);
    options->engine = fresh.engine;
    options->threads = fresh.threads;
    options->skip = fresh.skip;
    options->grid_blocks = fresh.grid_blocks;
    options->grid_threads = fresh.grid_threads;
    options->grid_alpha = fresh.grid_alpha;
    options->row_budget = trial->steady ? 0 : fresh.row_budget;
    options->checkpoint_interval = 1e-6;
    trial->last = (CsProgress){0};
    trial->told = 0;
    trial->proves = FALSE;
    if (!trial->steady && g_rand_int_range(trial->rand, 0, 4) == 0) {
        CsProgressFunc progress = options->progress;
        options->no_start = g_rand_boolean(trial->rand);
        if (options->no_start) /* then its share is of another kind */
            options->progress = NULL;
        if (cs_compare(trial->target, trial->query, options, &result, &error))
            expect_compared(trial, options, &result);
        else
            g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
        options->progress = progress;
        options->no_start = FALSE;
        return FALSE;
    }
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, trial->target, trial->query, options);
    make_small(trial, &comparison);
    if (trial->steady)
        comparison.row_distance = 5;
    trial->proves = options->verify;
    trial->stage = &comparison.clock.stage;
    const gboolean aligned = cs_comparison_align(&comparison, &result, alignment, &error);
    trial->stage = NULL;
    if (aligned)
        return TRUE;
    if (!g_error_matches(error, CS_ERROR, CS_ERROR_STOPPED))
        g_error("%s: %s", trial->what, error->message);
    return FALSE;
}

/* The same in a child that is killed, if it takes so long. */
static void
run_killed(Trial *trial, CsCompareOptions *options)
{
    const gulong after = (gulong)g_rand_int_range(trial->rand, 100, 20000);
    const pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        CsAlignment *alignment = NULL;
        run_on(trial, options, &alignment);
        _exit(0);
    }
    g_usleep(after);
    kill(child, SIGKILL);
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
}

/* Changes, cuts or removes what is kept beside the states. */
static gboolean
damage_kept(Trial *trial, const char *directory)
{
    g_autoptr(GDir) listing = g_dir_open(directory, 0, NULL);
    gboolean damaged = FALSE;
    for (const char *name; listing != NULL && (name = g_dir_read_name(listing)) != NULL;) {
        g_autofree char *path = g_build_filename(directory, name, NULL), *bytes = NULL;
        gsize size;
        if (!g_str_has_prefix(name, "found-") || !g_file_get_contents(path, &bytes, &size, NULL) ||
            size == 0)
            continue;
        const gsize at = (gsize)g_rand_int_range(trial->rand, 0, (gint32)size);
        damaged = TRUE;
        switch (g_rand_int_range(trial->rand, 0, 4)) {
        case 0: g_assert_cmpint(g_remove(path), ==, 0); break;
        case 1: g_assert_true(g_file_set_contents(path, bytes, (gssize)at, NULL)); break;
        case 2:
            bytes[at] ^= (char)(1 << g_rand_int_range(trial->rand, 0, 8));
            g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
            break;
        default: break;
        }
    }
    return damaged;
}

/* Whether the checkpoint has rows, or a trace, of either strand. */
static gboolean
has_kept(const char *directory, const char *what)
{
    g_autofree char *plus = g_strdup_printf("%s/found-plus-%s.state", directory, what);
    g_autofree char *minus = g_strdup_printf("%s/found-minus-%s.state", directory, what);
    return g_file_test(plus, G_FILE_TEST_EXISTS) || g_file_test(minus, G_FILE_TEST_EXISTS);
}

/* Two stretches that lack each other, between two that both have: one gap follows the other. */
static SkipCase *
new_double_gap(guint32 seed)
{
    static const CsScoring scorings[] = {{5, 7, 10, 1}, {3, 2, 4, 1}, {1, 3, 3, 2}};
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    SkipCase *c = g_new0(SkipCase, 1);
    c->scoring = &scorings[seed % G_N_ELEMENTS(scorings)];
    c->target = g_string_new(NULL);
    c->query = g_string_new(NULL);
    for (guint part = 0; part < 5; part++) {
        const gboolean both = part % 2 == 0;
        const gint32 lengths[] = {g_rand_int_range(rand, both ? 500 : 10, both ? 900 : 400),
                                  g_rand_int_range(rand, 10, 400)};
        for (gint32 k = 0; k < lengths[0]; k++) {
            g_string_append_c(c->target, "ACGT"[g_rand_int_range(rand, 0, 4)]);
            if (both)
                g_string_append_c(c->query, c->target->str[c->target->len - 1]);
        }
        for (gint32 k = 0; k < lengths[1] && !both; k++)
            g_string_append_c(c->query, "ACGT"[g_rand_int_range(rand, 0, 4)]);
    }
    return c;
}

/* How often runs were stopped with something in the checkpoint. */
typedef struct {
    guint rows, trace;
} Stops;

/* A comparison that keeps no rows. Then the second sweep and the trace, stopped again and again, each
 * time a little later. */
static void
stop_after_sweeps(Trial *trial, CsCompareOptions *options, Stops *stops)
{
    g_autofree char *directory = g_dir_make_tmp("chromosweep-align-XXXXXX", NULL);
    g_autoptr(CsAlignment) alignment = NULL;
    g_autoptr(GError) error = NULL;
    CsCompareOptions alone = *options;
    CsCompareResult result;
    alone.checkpoint = options->checkpoint = directory;
    alone.no_start = TRUE;
    alone.progress = NULL;
    trial->stop_in = -1;
    cs_compare(trial->target, trial->query, &alone, &result, &error);
    g_assert_no_error(error);
    trial->steady = TRUE;
    for (trial->stop_wait = 50; !run_on(trial, options, &alignment); trial->stop_wait *= 2) {
        stops->rows += has_kept(directory, "rows");
        stops->trace += has_kept(directory, "trace");
    }
    trial->stop_wait = 0;
    trial->steady = FALSE;
    expect_alignment(trial, options, alignment);
    g_assert_true(cs_checkpoint_remove(directory, NULL));
}

/* The rows that a GPU hands out, whatever it skips, and states between GPU and CPU. */
static void
test_gpu(void)
{
    guint with_rows = 0, stops = 0;
    Stops later = {0};
    if (engine_working("cuda", NULL) == NULL) {
        g_test_skip("no GPU");
        return;
    }
    const guint32 cases = case_count(GPU_CASES);
    const gboolean slow =
        CASE_DIVISOR > 1 && !case_count_is_low(); /* emulated: slow enough to be stopped */
    /* Where a stop comes depends on the clock. If none of a few cases kept rows, more are tried. */
    for (guint32 seed = first_seed;
         seed < first_seed + cases || (slow && later.rows == 0 && seed < first_seed + 10 * cases);
         seed++) {
        g_autofree char *directory = g_dir_make_tmp("chromosweep-align-XXXXXX", NULL);
        g_autoptr(CsAlignment) alignment = NULL;
        Trial trial;
        trial_init_case(&trial, seed,
                        seed % 2 == 0 ? new_double_gap(seed) : skip_case_new(seed, GPU_LONGEST));
        trial.on_gpu = TRUE;
        CsCompareOptions options = random_options(&trial);
        options.engine = "cuda";
        options.device = NULL;
        options.strand = (CsStrand)(seed % 3 == 0 ? CS_STRAND_BOTH : CS_STRAND_PLUS);
        for (guint sweep = 0; sweep < 2; sweep++) {
            g_autoptr(GError) error = NULL;
            g_autoptr(CsAlignment) once = NULL;
            g_auto(CsComparison) comparison;
            CsCompareResult result;
            options.skip = sweep == 0 ? CS_SKIP_BOUNDS : CS_SKIP_BEST;
            trial.proves = options.verify = g_rand_boolean(trial.rand);
            trial.last = (CsProgress){0};
            trial.told = 0;
            cs_comparison_init(&comparison, trial.target, trial.query, &options);
            make_small(&trial, &comparison);
            if (!cs_comparison_align(&comparison, &result, &once, &error))
                g_error("%s: %s", trial.what, error->message);
            expect_alignment(&trial, &options, once);
            expect_result(&trial, &options, &result);
            with_rows += comparison.rows_at[result.strand] != NULL;
        }
        g_assert_cmpuint(trial.warnings, ==, 0);
        options.checkpoint = directory;
        for (guint run = 0; alignment == NULL && run < 20; run++) {
            trial.stop_in = run < 4   ? CS_STAGE_SWEEP
                            : run < 8 ? (options.verify ? CS_STAGE_VERIFY : CS_STAGE_SWEEP)
                                      : -1;
            trial.stop_after = (guint)g_rand_int_range(trial.rand, 0, 12);
            stops += !run_on(&trial, &options, &alignment);
        }
        expect_alignment(&trial, &options, alignment);
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        if (seed % 3 < 2)
            stop_after_sweeps(&trial, &options, &later);
        g_assert_cmpuint(trial.warnings, ==, 0);
        trial_clear(&trial);
    }
    g_test_message(
        "%u alignments with rows of a GPU; stopped %u times; after sweeps %u with rows, %u "
        "with a part of the trace",
        with_rows, stops, later.rows, later.trace);
    g_assert_cmpuint(with_rows, >, cases / 2);
    if (slow)
        g_assert_cmpuint(later.rows, >, 0);
}

/* Stopped in any stage, killed at any moment, with damaged rows: the same alignment. */
static void
test_resumed(void)
{
    for (guint32 seed = first_seed; seed < first_seed + case_count(RESUMED_CASES); seed++) {
        static const gint stages[] = {CS_STAGE_SWEEP, CS_STAGE_SWEEP, CS_STAGE_ROWS,
                                      CS_STAGE_TRACE, CS_STAGE_TRACE, CS_STAGE_VERIFY,
                                      CS_STAGE_VERIFY};
        g_autofree char *directory = g_dir_make_tmp("chromosweep-align-XXXXXX", NULL);
        g_autoptr(CsAlignment) alignment = NULL;
        Trial trial;
        trial_init(&trial, seed);
        CsCompareOptions options = random_options(&trial);
        gboolean damaged = FALSE;
        options.checkpoint = directory;
        options.verify = g_rand_boolean(trial.rand);
        trial.steady = g_rand_boolean(trial.rand);
        for (gint runs = g_rand_int_range(trial.rand, 1, 7); runs > 0 && alignment == NULL;
             runs--) {
            trial.stop_in = stages[g_rand_int_range(trial.rand, 0, G_N_ELEMENTS(stages))];
            trial.stop_after = (guint)g_rand_int_range(trial.rand, 0, 8);
            if (g_rand_int_range(trial.rand, 0, 3) == 0)
                run_killed(&trial, &options);
            else if (run_on(&trial, &options, &alignment)) /* it was asked to stop too late */
                expect_alignment(&trial, &options, alignment);
            if (!trial.steady && g_rand_int_range(trial.rand, 0, 3) == 0)
                damaged = damage_kept(&trial, directory) || damaged;
        }
        trial.stop_in = -1;
        g_clear_pointer(&alignment, cs_alignment_free);
        while (!run_on(&trial, &options, &alignment))
            ;
        expect_alignment(&trial, &options, alignment);
        if (!damaged)
            g_assert_cmpuint(trial.warnings, ==, 0);
        if (trial.steady) /* what was kept was used */
            g_assert_cmpuint(trial.second_sweeps, ==, 0);
        g_assert_false(alignment != NULL && has_kept(directory, "rows"));
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        trial_clear(&trial);
    }
}

/* A CsProgressFunc. */
static gboolean
remember(const CsProgress *progress, gpointer user_data)
{
    *(CsProgress *)user_data = *progress;
    return TRUE;
}

/* What the newest state says of the work. */
static CsGeneration
saved_share(const char *directory)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsCheckpointInfo) info = cs_checkpoint_info_new(directory, TRUE, &error);
    g_assert_no_error(error);
    return (CsGeneration){.cells_done = info->generations[0].cells_done,
                          .fraction = info->generations[0].fraction,
                          .traced = info->generations[0].traced,
                          .proved = info->generations[0].proved};
}

/* A checkpoint says that all is done only when nothing is left, and nothing less than before. */
static void
test_share(void)
{
    guint amid_trace = 0, traced = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(RESUMED_CASES); seed++) {
        g_autofree char *directory = g_dir_make_tmp("chromosweep-align-XXXXXX", NULL);
        Trial trial;
        trial_init(&trial, seed);
        CsCompareOptions options = random_options(&trial);
        options.checkpoint = directory;
        options.progress = remember;
        options.progress_data = &trial.last;
        options.verify = g_rand_boolean(trial.rand);
        trial.steady = TRUE;
        const double swept = options.verify ? CS_PROGRESS_SWEEPS_VERIFIED : CS_PROGRESS_SWEEPS;
        double before = 0;
        gboolean done = FALSE;
        for (guint run = 0; !done; run++) {
            g_autoptr(CsAlignment) alignment = NULL;
            trial.stop_in = run < 4 ? CS_STAGE_TRACE : run < 5 ? CS_STAGE_VERIFY : -1;
            trial.stop_after = (guint)g_rand_int_range(trial.rand, 0, 8);
            trial.last = (CsProgress){0};
            done = run_on(&trial, &options, &alignment);
            const CsGeneration saved = saved_share(directory);
            g_assert_cmpfloat(saved.fraction, >=, MAX(before, swept));
            g_assert_cmpfloat(saved.traced, <=, 1);
            if (!done) {
                g_assert_cmpfloat(saved.fraction, <, 1);
                amid_trace += saved.traced > 0 && saved.traced < 1;
                traced += saved.traced == 1;
            }
            before = saved.fraction;
        }
        g_assert_cmpfloat(before, ==, 1);
        g_assert_cmpfloat(saved_share(directory).proved, ==, options.verify ? 1 : 0);
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        trial_clear(&trial);
    }
    g_test_message("%u stops amid a trace, %u after it", amid_trace, traced);
}

/* The checkpoint of a comparison of plus, as a run of it opens it. */
static CsCheckpoint *
open_checkpoint(const Trial *trial, const CsCompareOptions *options)
{
    g_autoptr(GError) error = NULL;
    const CsFingerprint identity = {.target = trial->target,
                                    .query = trial->query,
                                    .transposed = trial->c->query->len > trial->c->target->len,
                                    .scoring = options->scoring};
    CsCheckpoint *checkpoint =
        cs_checkpoint_open(options->checkpoint, &identity, FALSE, NULL, NULL, &error);
    g_assert_no_error(error);
    return checkpoint;
}

/* Half a trace counts as half, that of another end as nothing. */
static void
test_traced(void)
{
    g_autofree char *directory = g_dir_make_tmp("chromosweep-align-XXXXXX", NULL);
    g_autoptr(GError) error = NULL;
    Trial trial;
    CsCompareResult result;
    trial_init(&trial, 1);
    CsCompareOptions options = random_options(&trial);
    options.checkpoint = directory;
    options.strand = CS_STRAND_PLUS;
    options.progress = NULL;
    options.no_start = TRUE;
    g_assert_true(cs_compare(trial.target, trial.query, &options, &result, &error));
    g_assert_cmpint(result.score, >, 0);
    g_assert_cmpfloat(saved_share(directory).fraction, ==, 1); /* no start was wanted */
    g_assert_cmpfloat(saved_share(directory).traced, ==, 0);
    const Oracle *oracle = &trial.truths[CS_STRAND_PLUS].oracle;
    const gboolean transposed = trial.c->query->len > trial.c->target->len;
    const gint64 i = transposed ? oracle->j : oracle->i, j = transposed ? oracle->i : oracle->j;
    const struct {
        gint64 score, i, j, node_i, complete;
        double traced;
    } cases[] = {
        {oracle->score, i, j, i, 0, 0},
        {oracle->score, i, j, i / 2, 0, 1 - (double)(i / 2) / (double)i},
        {oracle->score, i, j, 0, 0, 0.999}, /* its first base is not known */
        {oracle->score, i, j, i / 2, 1, 1},
        {oracle->score + 1, i, j, i / 2, 1, 0},
        {oracle->score, i + 1, j, i / 2, 1, 0},
        {oracle->score, i, j + 1, i / 2, 1, 0},
    };
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autoptr(CsCheckpoint) checkpoint = open_checkpoint(&trial, &options);
        const gint64 numbers[CS_FOUND_TRACE_RUNS] = {
            cases[k].score, cases[k].i, cases[k].j, cases[k].node_i, 0, 0, 1, cases[k].complete};
        g_assert_true(cs_found_save(checkpoint, "plus-trace", numbers, CS_FOUND_TRACE_RUNS, NULL));
        g_assert_cmpfloat_with_epsilon(saved_share(directory).traced, cases[k].traced, 1e-9);
    }
    g_assert_true(cs_checkpoint_remove(directory, NULL));
    trial_clear(&trial);
}

/* Runs that are stopped late in the trace: what they leave to the next run. */
typedef struct {
    CsSequence *target, *query;
    CsCompareOptions options;
    CsComparison *comparison; /* under way */
    double stop_at;           /* share of all stages after the sweeps, in the trace */
    gint64 again, traced;     /* cells that the last run computed */
    char *steps;              /* of the alignment, once it was found */
} Late;

/* A CsControlFunc. */
static CsControl
stop_late(gpointer user_data)
{
    const Late *late = user_data;
    const CsProgressClock *clock = late->comparison != NULL ? &late->comparison->clock : NULL;
    return clock != NULL && clock->stage == CS_STAGE_TRACE && clock->later_done >= late->stop_at
               ? CS_CONTROL_STOP
               : CS_CONTROL_GO_ON;
}

/* So different that a sweep cannot skip much. */
static void
late_init(Late *late)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_autoptr(GString) a = g_string_new(NULL), b = g_string_new(NULL);
    const guint length = case_count_is_low() && case_is_sanitized() ? LATE_LENGTH / 2 : LATE_LENGTH;
    for (guint k = 0; k < length; k++) {
        g_string_append_c(a, "ACGT"[g_rand_int_range(rand, 0, 4)]);
        g_string_append_c(
            b, g_rand_int_range(rand, 0, 4) > 0 ? a->str[k] : "ACGT"[g_rand_int_range(rand, 0, 4)]);
    }
    *late = (Late){.target = cs_sequence_new("t", a->str, (gint64)a->len, NULL),
                   .query = cs_sequence_new("q", b->str, (gint64)b->len, NULL),
                   .options = CS_COMPARE_OPTIONS_INIT};
    late->options.device = "cpu";
    late->options.threads = 1;
    late->options.control = stop_late;
    late->options.control_data = late;
}

static void
late_clear(Late *late)
{
    cs_sequence_unref(late->target);
    cs_sequence_unref(late->query);
    g_free(late->steps);
}

/* Returns whether it came to the end, with the one alignment. */
static gboolean
run_late(Late *late, double stop_at)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsAlignment) alignment = NULL;
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, late->target, late->query, &late->options);
    comparison.row_distance = 500;
    comparison.trace = (CsTrace){.height = 32, .width = 64, .short_cells = 1, .block = 32};
    late->comparison = &comparison;
    late->stop_at = stop_at;
    const gboolean done = cs_comparison_align(&comparison, NULL, &alignment, &error);
    late->comparison = NULL;
    late->again = comparison.cells_again;
    late->traced = comparison.traced.computed;
    if (!done) {
        g_assert_error(error, CS_ERROR, CS_ERROR_STOPPED);
        return FALSE;
    }
    g_autofree char *steps = alignment_steps(alignment);
    if (late->steps != NULL)
        g_assert_cmpstr(steps, ==, late->steps);
    g_free(late->steps);
    late->steps = g_steal_pointer(&steps);
    return TRUE;
}

/* A folder with the state of a run that was stopped so late in its trace, after a comparison without
 * starts if that is wanted, or else after nothing. */
static char *
stopped_late(Late *late, gboolean compared, double stop_at)
{
    for (guint tries = 0; tries < 20; tries++) {
        g_autofree char *directory = g_dir_make_tmp("chromosweep-align-XXXXXX", NULL);
        CsCompareResult result;
        late->options.checkpoint = directory;
        late->options.no_start = TRUE;
        if (compared)
            g_assert_true(cs_compare(late->target, late->query, &late->options, &result, NULL));
        late->options.no_start = FALSE;
        if (!run_late(late, stop_at))
            return g_steal_pointer(&directory);
        g_assert_true(cs_checkpoint_remove(directory, NULL)); /* it was asked to stop too late */
    }
    g_error("the stage takes too little time to be stopped");
}

/* A trace goes on where it stopped. */
static void
test_late_trace(void)
{
    if (case_skip_one_thread())
        return;
    Late late;
    late_init(&late);
    g_assert_true(run_late(&late, NEVER));
    const gint64 all = late.traced;
    g_assert_cmpint(late.again, ==, 0);
    g_autofree char *directory = stopped_late(&late, FALSE, 0.75);
    g_assert_true(run_late(&late, NEVER));
    g_test_message("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " cells", late.traced, all);
    g_assert_cmpint(late.traced, <, all / 2);
    g_assert_cmpint(late.again, ==, 0);
    g_assert_true(run_late(&late, NEVER));
    g_assert_cmpint(late.traced, ==, 0);
    g_assert_true(cs_checkpoint_remove(directory, NULL));
    late_clear(&late);
}

/* Leaves what was written in the first part of a second sweep, as if the run had been killed then. */
static void
cut_rows(const char *directory, double share)
{
    g_autofree char *path = g_build_filename(directory, "found-plus-rows.state", NULL);
    GStatBuf status;
    g_assert_cmpint(g_stat(path, &status), ==, 0);
    g_assert_cmpint(truncate(path, (off_t)((double)status.st_size * share)), ==, 0);
}

/* The same, after a run that went on from such rows: its own are in the same file. */
static char *
stopped_twice(Late *late)
{
    for (guint tries = 0; tries < 20; tries++) {
        g_autofree char *directory = stopped_late(late, TRUE, 0.6);
        cut_rows(directory, 0.8);
        if (!run_late(late, 0.6))
            return g_steal_pointer(&directory);
        g_assert_true(cs_checkpoint_remove(directory, NULL)); /* it was asked to stop too late */
    }
    g_error("the stage takes too little time to be stopped");
}

/* A second sweep that is complete is not repeated; else it goes on from its rows, whatever the
 * budget. */
static void
test_late_rows(void)
{
    if (case_skip_one_thread())
        return;
    static const gint64 budgets[] = {0, 100, -1};
    for (guint k = 0; k < G_N_ELEMENTS(budgets); k++) {
        if (case_count_is_low() && budgets[k] != 100)
            continue; /* the threads do the same */
        Late late;
        late_init(&late);
        late.options.row_budget = -1;
        g_assert_true(run_late(&late, NEVER));
        const gint64 all = late.again;
        g_assert_cmpint(all, >, 0);
        late.options.row_budget = budgets[k];
        for (guint cut = 0; cut < 2; cut++) {
            g_autofree char *directory = stopped_late(&late, TRUE, 0.6);
            g_assert_cmpint(late.again, >, all / 2);
            g_assert_true(has_kept(directory, "rows"));
            if (cut)
                cut_rows(directory, 0.8);
            g_assert_true(run_late(&late, NEVER));
            g_test_message("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " cells", late.again, all);
            g_assert_true(cut ? late.again > 0 : late.again == 0);
            g_assert_cmpint(late.again, <, all / 2);
            g_assert_cmpint(late.traced, >, 0);
            g_assert_false(has_kept(directory, "rows"));
            g_assert_true(cs_checkpoint_remove(directory, NULL));
        }
        g_autofree char *directory = stopped_twice(&late);
        g_assert_true(run_late(&late, NEVER));
        g_assert_cmpint(late.again, ==, 0);
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        late_clear(&late);
    }
}

/* Keeps rows in the checkpoint, as if a sweep had, whose values are not the matrix's. */
static void
keep_wrong_rows(Trial *trial, const CsCompareOptions *options)
{
    g_autoptr(GError) error = NULL;
    const Oracle *oracle = &trial->truths[CS_STRAND_PLUS].oracle;
    const gboolean transposed = trial->c->query->len > trial->c->target->len;
    g_autoptr(CsCheckpoint) checkpoint = open_checkpoint(trial, options);
    const gint64 m = (gint64)MAX(trial->c->query->len, trial->c->target->len);
    const gint64 n = (gint64)MIN(trial->c->query->len, trial->c->target->len);
    const gint64 distance = 1 + g_rand_int_range(trial->rand, 0, 20);
    g_autoptr(CsRows) rows =
        cs_rows_new_packed(m, distance, CS_WIDTH_64, G_MAXINT64, NULL, NULL, &error);
    g_assert_true(cs_rows_use_file(rows, checkpoint, "plus-rows", &error));
    g_autofree CsScore *h = g_new0(CsScore, n), *f = g_new0(CsScore, n);
    for (gint64 i = distance; i < m; i += distance) {
        for (gint64 k = 0; k < n; k++) {
            h[k] = (CsScore)(g_rand_double(trial->rand) * (double)oracle->score);
            f[k] = (CsScore)(g_rand_double(trial->rand) * (double)h[k]);
        }
        g_assert_true(cs_rows_take(i, 0, n, h, f, FALSE, rows, NULL));
    }
    const CsRowsMark mark = {
        CS_ROWS_MARK_COMPLETE,
        {oracle->score, transposed ? oracle->j : oracle->i, transposed ? oracle->i : oracle->j}};
    cs_rows_mark(rows, &mark);
}

/* Values that no checksum shows to be wrong, but the walk does. */
static void
test_wrong_rows(void)
{
    guint warnings = 0;
    for (guint32 seed = first_seed; seed < first_seed + case_count(WRONG_CASES); seed++) {
        g_autofree char *directory = g_dir_make_tmp("chromosweep-align-XXXXXX", NULL);
        g_autoptr(GError) error = NULL;
        g_autoptr(CsAlignment) alignment = NULL;
        Trial trial;
        CsCompareResult result;
        trial_init(&trial, seed);
        CsCompareOptions options = random_options(&trial);
        options.checkpoint = directory;
        options.strand = CS_STRAND_PLUS;
        options.progress = NULL;
        options.row_budget = 0;
        options.no_start = TRUE;
        g_assert_true(cs_compare(trial.target, trial.query, &options, &result, &error));
        keep_wrong_rows(&trial, &options);
        g_auto(CsComparison) comparison;
        cs_comparison_init(&comparison, trial.target, trial.query, &options);
        make_small(&trial, &comparison);
        g_assert_true(cs_comparison_align(&comparison, &result, &alignment, &error));
        expect_alignment(&trial, &options, alignment);
        warnings += trial.warnings;
        g_clear_pointer(&comparison.checkpoint, cs_checkpoint_free);
        g_assert_true(cs_checkpoint_remove(directory, NULL));
        trial_clear(&trial);
    }
    g_assert_cmpuint(warnings, >, case_count(WRONG_CASES) / 3);
}

static gboolean
rows_pay(gint64 m, gint64 n, CsScoring scoring)
{
    const CsRectangle matrix = {.rows.length = m, .columns.length = n, .scoring = scoring};
    return cs_compare_rows_pay(&matrix);
}

/* Of a matrix much higher than its alignment can be no rows are kept, not even in a second sweep. Of
 * others they are. A short alignment needs none. */
static void
test_rows_pay(void)
{
    static const struct {
        gint64 target, query, common; /* bases */
        gint64 short_cells;
        gboolean keeps, traces;
    } cases[] = {
        {.target = 1000000, .query = 300, .common = 300, .short_cells = 1, .traces = TRUE},
        {.target = 1000000, .query = 300, .common = 300},
        {.target = 12000, .query = 10000, .common = 9000, .keeps = TRUE, .traces = TRUE},
        {.target = 12000, .query = 10000, .common = 100, .keeps = TRUE},
    };
    const CsScoring usual = CS_SCORING_DEFAULT, free_bases = {1, 3, 3, 0};
    g_assert_false(rows_pay(1000000, 300, usual));
    g_assert_true(rows_pay(1000000, 300, free_bases)); /* gaps as long as the matrix */
    g_assert_true(rows_pay(1000000, 40000, usual));
    g_assert_true(rows_pay(1000000000, 1000000, usual)); /* few of its rows, but many */
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GRand) rand = g_rand_new_with_seed(k + 1);
        g_autofree char *target = g_malloc(cases[k].target), *query = g_malloc(cases[k].query);
        for (gint64 i = 0; i < cases[k].target; i++)
            target[i] = "ACGT"[g_rand_int_range(rand, 0, 4)];
        for (gint64 i = 0; i < cases[k].query; i++)
            query[i] = i < cases[k].common ? target[cases[k].target - cases[k].common + i]
                                           : "ACGT"[g_rand_int_range(rand, 0, 4)];
        Trial trial = {.what = (char *)"rows"};
        g_autoptr(CsSequence) t = cs_sequence_new("target", target, cases[k].target, NULL);
        g_autoptr(CsSequence) q = cs_sequence_new("query", query, cases[k].query, NULL);
        CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
        options.engine = "simd";
        options.note = hear;
        options.note_data = &trial;
        g_auto(CsComparison) comparison;
        g_autoptr(CsAlignment) alignment = NULL;
        CsCompareResult result;
        cs_comparison_init(&comparison, t, q, &options);
        comparison.trace.short_cells = cases[k].short_cells;
        g_assert_true(cs_comparison_align(&comparison, &result, &alignment, &error));
        g_assert_cmpint(result.score, >=, cases[k].common);
        g_assert_cmpint(comparison.rows_at[CS_STRAND_PLUS] != NULL, ==, cases[k].keeps);
        g_assert_cmpuint(trial.second_sweeps, ==, 0);
        g_assert_cmpint(trial.traces > 0, ==, cases[k].traces);
    }
}

/* What is told this long after the trace has begun, if this share of it is done. */
static double
told_left(CsComparison *comparison, double seconds, double done)
{
    const CsProgress *told = comparison->options->progress_data;
    comparison->clock = (CsProgressClock){.stage = CS_STAGE_TRACE};
    cs_compare_progress_expect_trace(comparison);
    comparison->clock.stage_begun = g_get_monotonic_time() - (gint64)(seconds * G_USEC_PER_SEC);
    cs_compare_progress_later(comparison, CS_STAGE_TRACE, CS_STRAND_PLUS, done);
    return told->seconds_left;
}

/* No time left is told for a trace before its pace is known. Beside a GPU there is a forecast,
 * during the sweep, too. */
static void
test_time_left(void)
{
    g_autoptr(CsSequence) sequence = cs_sequence_new("a", "ACGTACGTAC", 10, NULL);
    CsProgress told;
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.progress = remember;
    options.progress_data = &told;
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, sequence, sequence, &options);
    comparison.traces = TRUE;
    g_assert_cmpfloat(told_left(&comparison, 0.2, 0.0001), ==, -1);
    g_assert_cmpfloat(told_left(&comparison, 100, 0.0001), ==, -1);
    g_assert_cmpfloat(told_left(&comparison, 0.2, 0.1), ==, -1);
    g_assert_cmpfloat_with_epsilon(told_left(&comparison, 10, 0.5), 10, 1);
    g_assert_cmpfloat(told_left(&comparison, 10, 1), ==, 0);

    /* With rows it is known before: of a CPU by the bases alone. */
    const CsEngineClass cpu = {.gpu = FALSE}, gpu = {.gpu = TRUE};
    comparison.sweep.engine = &cpu;
    comparison.sweep.engine_options.threads = 1;
    comparison.rows_at[CS_STRAND_PLUS] = g_new(gint64, 1);
    comparison.rows_at[CS_STRAND_PLUS][0] = (gint64)1 << 50;
    g_assert_cmpfloat_with_epsilon(told_left(&comparison, 0, 0.0001), 0, 0.001);
    comparison.sweep.engine = &gpu;
    const double left = told_left(&comparison, 0.2, 0.0001);
    g_assert_cmpfloat(left, >, 10);
    comparison.sweep.engine_options.threads = 16;
    g_assert_cmpfloat_with_epsilon(told_left(&comparison, 0, 0.0001), left / 16, left / 100);
    comparison.sweep.engine_options.threads = 1;
    /* The longer one of two strands tells how long the alignment will be. */
    comparison.foretold[CS_STRAND_PLUS].rows = 1;
    comparison.foretold[CS_STRAND_MINUS].rows = (gint64)sequence->length / 2;
    g_assert_cmpfloat_with_epsilon(told_left(&comparison, 0, 0.0001), left / 2, left / 100);
    comparison.foretold[CS_STRAND_PLUS].rows = comparison.foretold[CS_STRAND_MINUS].rows = 0;
    /* Half of what is expected of the whole stage, and half of its pace: of 20 seconds. */
    g_assert_cmpfloat_with_epsilon(told_left(&comparison, 10, 0.5), (left / 2 + 20.0 / 2) / 2,
                                   left / 100);
    g_assert_cmpfloat(told_left(&comparison, 2 * left, 0.9), >,
                      0.1 * left); /* late, but not over */
    comparison.verifies = TRUE;
    g_assert_cmpfloat(told_left(&comparison, 0.2, 0.0001), ==, -1);
    comparison.sweep.engine = NULL;
}

/* The rows that a trace is expected to take are those where H rises to its highest value, if cuts tell. */
static void
test_rows_foretold(void)
{
    g_autoptr(CsSequence) sequence = cs_sequence_new("a", "ACGTACGTAC", 10, NULL);
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    g_auto(CsComparison) comparison;
    cs_comparison_init(&comparison, sequence, sequence, &options);
    comparison.state.forecast.m = 1; /* then the effort is known */
    CsForetoldStrand plus = {&comparison, CS_STRAND_PLUS};
    CsSeed chain[] = {{.row = 100, .column = 0, .length = 50},
                      {.row = 9000, .column = 8000, .length = 1000}};
    CsLowerBoundCut cuts[] = {{500, 300}, {2000, 0}, {3000, 700}, {4000, 1500}, {5000, 900}};
    CsSkip skip = {.chain = chain, .chain_length = 2, .cuts = cuts};
    const struct {
        gint64 n_cuts, rows;
    } cases[] = {{0, 9900}, {1, 9900}, {2, 1900}, {4, 8000}, {5, 3000}};
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        skip.n_cuts = cases[k].n_cuts;
        cs_compare_foretell_news(&skip, NULL, FALSE, &plus);
        g_assert_cmpint(comparison.foretold[CS_STRAND_PLUS].rows, ==, cases[k].rows);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc > 1)
        first_seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
    g_test_add_func("/align/time-left", test_time_left);
    g_test_add_func("/align/rows-foretold", test_rows_foretold);
    g_test_add_func("/align/rows-pay", test_rows_pay);
    g_test_add_func("/align/random", test_random);
    g_test_add_func("/align/no-row", test_no_row);
    g_test_add_func("/align/gpu", test_gpu);
    g_test_add_func("/align/resumed", test_resumed);
    g_test_add_func("/align/share", test_share);
    g_test_add_func("/align/traced", test_traced);
    g_test_add_func("/align/late-trace", test_late_trace);
    g_test_add_func("/align/late-rows", test_late_rows);
    g_test_add_func("/align/wrong-rows", test_wrong_rows);
    return g_test_run();
}
