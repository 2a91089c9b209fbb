#include "test_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A failed save is reported between two diagonals, so waiting longer for a state is useless. */
#define WAIT_SECONDS 0.05

typedef struct {
    const RunPlan *plan;
    RunOutcome *outcome;
    const char *directory;
    char *manifest;
    /* When a state was last requested. */
    guint warnings;
    struct stat before, manifest_before;
    gboolean waiting;
} Run;

/* What a rename changes; all zero if there is no file. */
static struct stat
look(const char *path)
{
    struct stat seen;
    memset(&seen, 0, sizeof seen);
    if (stat(path, &seen) != 0)
        memset(&seen, 0, sizeof seen);
    return seen;
}

static gboolean
has_changed(const char *path, const struct stat *before)
{
    struct stat now = look(path);
    return now.st_ino != before->st_ino ||
           memcmp(&now.st_mtim, &before->st_mtim, sizeof now.st_mtim) != 0;
}

/* A save is complete when the manifest is another one. Until the save begins, which changes the
 * folder, the sweep must go on, because diagonals in progress are finished first. */
static gboolean
wait_for_manifest(Run *run)
{
    if (!has_changed(run->directory, &run->before)) {
        g_usleep(100);
        return FALSE;
    }
    gint64 end = g_get_monotonic_time() + (gint64)(WAIT_SECONDS * G_USEC_PER_SEC);
    while (!has_changed(run->manifest, &run->manifest_before)) {
        if (run->outcome->warnings > run->warnings)
            return TRUE;
        if (g_get_monotonic_time() >= end)
            return FALSE;
        g_usleep(200);
    }
    return TRUE;
}

static CsControl
control(gpointer data)
{
    Run *run = data;
    const RunPlan *plan = run->plan;
    guint diagonal = ++run->outcome->diagonals;
    if (plan->end != RUN_GO_ON && diagonal >= plan->end_after) {
        if (plan->end == RUN_STOP)
            return CS_CONTROL_STOP;
        raise(SIGKILL);
    }
    if (run->waiting && !wait_for_manifest(run))
        return CS_CONTROL_GO_ON;
    run->waiting = FALSE;
    if (plan->save_every == 0 || diagonal % plan->save_every != 0)
        return CS_CONTROL_GO_ON;
    run->waiting = plan->wait;
    run->warnings = run->outcome->warnings;
    run->before = look(run->directory);
    run->manifest_before = look(run->manifest);
    return CS_CONTROL_SAVE;
}

static void
note(CsNoteKind kind, const char *message, gpointer data)
{
    Run *run = data;
    const gboolean warning = kind == CS_NOTE_WARNING;
    /* Small matrices have nothing to do for some members of a ring. */
    if (warning && g_strrstr(message, " devices: ") == NULL) {
        run->outcome->warnings++;
        g_strlcpy(run->outcome->warning, message, sizeof run->outcome->warning);
    }
    if (run->plan->talk)
        fprintf(stderr, "%s%s\n", warning ? "warning: " : "", message);
}

void
run_here(const RunPlan *plan, const CsSequence *target, const CsSequence *query,
         const char *directory, RunOutcome *outcome)
{
    g_autofree char *manifest = g_build_filename(directory, "manifest.json", NULL);
    Run run = {.plan = plan, .outcome = outcome, .directory = directory, .manifest = manifest};
    CsCompareOptions options = CS_COMPARE_OPTIONS_INIT;
    options.scoring = plan->scoring;
    options.strand = plan->strand;
    options.engine = plan->engine;
    options.device = plan->device;
    options.threads = plan->threads;
    options.bits = plan->bits;
    options.grid_blocks = plan->blocks;
    options.grid_threads = plan->block_threads;
    options.grid_alpha = plan->alpha;
    options.note = note;
    options.note_data = &run;
    options.checkpoint = directory;
    options.checkpoint_fresh = plan->fresh;
    options.control = control;
    options.control_data = &run;
    *outcome = (RunOutcome){0};
    CsCompareResult result;
    g_autoptr(GError) error = NULL;
    outcome->success = cs_compare(target, query, &options, &result, &error);
    if (!outcome->success) {
        g_assert_true(error->domain == CS_ERROR);
        outcome->code = error->code;
        g_strlcpy(outcome->message, error->message, sizeof outcome->message);
        return;
    }
    outcome->score = result.score;
    outcome->target_end = result.target_end;
    outcome->query_end = result.query_end;
    outcome->strand = result.strand;
    outcome->cells = result.cells;
    outcome->cells_resumed = result.cells_resumed;
}

void
run_in_child(const RunPlan *plan, const CsSequence *target, const CsSequence *query,
             const char *directory, RunOutcome *outcome)
{
    int ends[2], status;
    g_assert_cmpint(pipe(ends), ==, 0);
    fflush(NULL);
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        close(ends[0]);
        run_here(plan, target, query, directory, outcome);
        _exit(write(ends[1], outcome, sizeof *outcome) == sizeof *outcome ? 0 : 1);
    }
    close(ends[1]);
    *outcome = (RunOutcome){0};
    gssize got;
    while ((got = read(ends[0], outcome, sizeof *outcome)) < 0)
        g_assert_cmpint(errno, ==, EINTR);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0)
        g_assert_cmpint(errno, ==, EINTR);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && plan->end == RUN_KILL) {
        *outcome = (RunOutcome){.killed = TRUE};
        return;
    }
    g_assert_false(WIFSIGNALED(status));
    g_assert_cmpint(status, ==, 0);
    g_assert_cmpint(got, ==, sizeof *outcome);
}

gboolean
run_engine_works(const char *engine)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0)
        _exit(cs_engine_describe(engine, NULL) != NULL ? 0 : 1);
    while (waitpid(child, &status, 0) < 0)
        g_assert_cmpint(errno, ==, EINTR);
    return status == 0;
}
