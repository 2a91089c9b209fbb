/*
 * The program that run.py disturbs: resume_subject [NAME=NUMBER...] TARGET.fa QUERY.fa DIR
 *
 * One run with the checkpoint DIR. The result is `SCORE TARGET_END QUERY_END CELLS_RESUMED` on
 * standard output, and the exit status is that of the command. Notes and errors go to standard
 * error. Names: threads, bits, blocks, block_threads, alpha, save (diagonals between two requests
 * to save), wait (1: until each state is saved), stop and kill (after so many diagonals), fresh
 * (1), match, mismatch, open, extend; and engine=NAME.
 */
#include <stdio.h>
#include <string.h>

#include "test_run.h"

static guint64
number_of(const char *text)
{
    guint64 number = 0;
    if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT, &number, NULL)) {
        fprintf(stderr, "resume_subject: not a number: %s\n", text);
        exit(CS_ERROR_USAGE);
    }
    return number;
}

static void
set(RunPlan *plan, const char *name, const char *value)
{
    const struct {
        const char *name;
        guint *number;
    } numbers[] = {
        {"threads", &plan->threads},    {"bits", &plan->bits},
        {"blocks", &plan->blocks},      {"block_threads", &plan->block_threads},
        {"alpha", &plan->alpha},        {"save", &plan->save_every},
        {"stop", &plan->end_after},     {"kill", &plan->end_after},
        {"wait", (guint *)&plan->wait}, {"fresh", (guint *)&plan->fresh},
    };
    const struct {
        const char *name;
        gint64 *number;
    } scores[] = {
        {"match", &plan->scoring.match},
        {"mismatch", &plan->scoring.mismatch},
        {"open", &plan->scoring.gap_open},
        {"extend", &plan->scoring.gap_extend},
    };
    if (strcmp(name, "engine") == 0) {
        plan->engine = value;
        return;
    }
    for (guint k = 0; k < G_N_ELEMENTS(numbers); k++)
        if (strcmp(name, numbers[k].name) == 0) {
            *numbers[k].number = (guint)number_of(value);
            if (numbers[k].number == &plan->end_after)
                plan->end = strcmp(name, "stop") == 0 ? RUN_STOP : RUN_KILL;
            return;
        }
    for (guint k = 0; k < G_N_ELEMENTS(scores); k++)
        if (strcmp(name, scores[k].name) == 0) {
            *scores[k].number = (gint64)number_of(value);
            return;
        }
    fprintf(stderr, "resume_subject: there is no %s\n", name);
    exit(CS_ERROR_USAGE);
}

int
main(int argc, char **argv)
{
    RunPlan plan = {.scoring = CS_SCORING_DEFAULT, .engine = "simd", .threads = 1, .talk = TRUE};
    int k = 1;
    for (char *value; k < argc && (value = strchr(argv[k], '=')) != NULL; k++) {
        *value = '\0';
        set(&plan, argv[k], value + 1);
    }
    if (argc - k != 3) {
        fprintf(stderr, "resume_subject [NAME=NUMBER...] TARGET.fa QUERY.fa DIR\n");
        return CS_ERROR_USAGE;
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) target = cs_sequence_load(argv[k], NULL, &error);
    g_autoptr(CsSequence) query = target ? cs_sequence_load(argv[k + 1], NULL, &error) : NULL;
    if (query == NULL) {
        fprintf(stderr, "%s\n", error->message);
        return error->code;
    }
    RunOutcome outcome;
    run_here(&plan, target, query, argv[k + 2], &outcome);
    if (!outcome.success) {
        fprintf(stderr, "%s\n", outcome.message);
        return outcome.code;
    }
    printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n",
           outcome.score, outcome.target_end, outcome.query_end, outcome.cells_resumed);
    return 0;
}
