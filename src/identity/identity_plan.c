/* A plan of cs_identity(): it begins the run, and stops it soon. */
#include <string.h>

#include <chromosweep/error.h>
#include <chromosweep/identity_checkpoint.h>
#include <chromosweep/identity_plan.h>

#include "identity/identity_run.h"
#include "system/disk.h"
#include "system/memory.h"

#define TEST_SECONDS 1.0
#define TEST_SECONDS_MOST 20.0
#define MORE_KEPT 3

/* The numbers of a long pair and its alignment take so many times what the numbers take, at most. */
#define WITH_ALIGNMENT 3

/* The run that is stopped. */
typedef struct {
    const CsIdentityOptions *options; /* of the caller */
    gint64 begun;                     /* to compute, on the monotonic clock; 0: not yet */
    CsIdentityProgress last;
    double seconds;         /* of computing until then */
    gboolean asked_to_stop; /* by the caller */
} Test;

static double
seconds_of(const Test *test)
{
    return test->begun > 0 ? (double)(g_get_monotonic_time() - test->begun) / 1e6 : 0;
}

static void
take_progress(const CsIdentityProgress *progress, gpointer data)
{
    Test *test = data;
    test->last = *progress;
    test->seconds = seconds_of(test);
}

static CsControl
control(gpointer data)
{
    Test *test = data;
    const CsIdentityOptions *options = test->options;
    if (test->begun == 0)
        test->begun = g_get_monotonic_time();
    if (options->control != NULL && options->control(options->data) == CS_CONTROL_STOP)
        test->asked_to_stop = TRUE;
    const double seconds = seconds_of(test);
    const gboolean known = test->last.seconds_left >= 0 && test->seconds > TEST_SECONDS / 2;
    return test->asked_to_stop || seconds > TEST_SECONDS_MOST || (seconds > TEST_SECONDS && known)
               ? CS_CONTROL_STOP
               : CS_CONTROL_GO_ON;
}

/* What the checkpoint has, if there is one, and where it lies or will. */
static void
read_checkpoint(const CsIdentityOptions *options, CsIdentityPlan *plan)
{
    if (options->checkpoint != NULL)
        plan->disk_bytes_free = cs_disk_free_bytes(options->checkpoint);
    g_autoptr(CsIdentityCheckpointInfo) info =
        options->checkpoint != NULL && !options->checkpoint_fresh
            ? cs_identity_checkpoint_info_new(options->checkpoint, NULL)
            : NULL;
    if (info == NULL)
        return;
    plan->pairs_done = info->pairs_done;
    plan->fraction_done = info->fraction;
}

static void
fill(CsIdentityPlan *plan, const CsIdentityNeeds *needs, const Test *test)
{
    plan->summary = needs->summary;
    plan->first_letters = needs->letters[0];
    plan->second_letters = needs->letters[1];
    plan->first_longest = needs->longest[0];
    plan->second_longest = needs->longest[1];
    plan->first_name_bytes = needs->names[0];
    plan->second_name_bytes = needs->names[1];
    plan->gpus = needs->gpus;
    plan->host_bytes = needs->bytes;
    plan->checkpoint_bytes = needs->checkpoint;
    plan->pair_bytes = needs->pair_bytes;
    plan->host_bytes_available = cs_memory_reach("/", &plan->host_limit);
    if (test->seconds > 0)
        plan->cells_a_second = (double)test->last.cells / test->seconds;
    if (test->last.pairs > 0)
        plan->pairs_kept =
            (gint64)(MIN(1, (double)(test->last.kept + MORE_KEPT) / (double)test->last.pairs) *
                     (double)needs->summary.pairs);
    if (test->last.seconds_left >= 0)
        plan->seconds = test->last.seconds + test->last.seconds_left;
    if (plan->seconds > 0 && test->options->align &&
        test->last.pairs == 0) /* no alignment was reached */
        plan->seconds *= WITH_ALIGNMENT;
}

gboolean
cs_identity_plan(const char *first, const char *second, const CsIdentityOptions *options,
                 CsIdentityPlan *plan, GError **error)
{
    static const CsIdentityOptions defaults = CS_IDENTITY_OPTIONS_INIT;
    g_return_val_if_fail(first != NULL && plan != NULL, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    if (strcmp(first, "-") == 0 || g_strcmp0(second, "-") == 0) {
        g_set_error_literal(error, CS_ERROR, CS_ERROR_USAGE,
                            "a plan cannot read standard input, which the run needs");
        return FALSE;
    }
    GError *failure = NULL;
    CsIdentityNeeds needs = {.bytes = 0};
    Test test = {.options = options != NULL ? options : &defaults, .last = {.seconds_left = -1}};
    CsIdentityOptions short_options = *test.options;
    short_options.pairs = NULL;
    short_options.progress = take_progress;
    short_options.control = control;
    short_options.note = NULL;
    short_options.data = &test;
    short_options.checkpoint = NULL;
    const CsIdentityTuning tuning = {.needs = &needs};
    *plan = (CsIdentityPlan){.seconds = -1, .pairs_kept = -1, .disk_bytes_free = -1};
    g_autoptr(CsIdentity) done = cs_identity_run(first, second, &short_options, &tuning, &failure);
    fill(plan, &needs, &test);
    read_checkpoint(test.options, plan);
    const gboolean short_of_memory = needs.bytes > 0 && plan->host_bytes_available >= 0 &&
                                     needs.bytes > plan->host_bytes_available;
    const gboolean stopped = g_error_matches(failure, CS_ERROR, CS_ERROR_STOPPED);
    if (done != NULL || (stopped && !test.asked_to_stop) || short_of_memory) {
        g_clear_error(&failure);
        return TRUE;
    }
    g_propagate_error(error, failure);
    return FALSE;
}
