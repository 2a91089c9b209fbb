/* Many pairs in one run: every record against every record, or a chosen list. */
#ifndef CS_MANY_PAIRS_H
#define CS_MANY_PAIRS_H

#include "command/run_arguments.h"

/* The options as GOption leaves them. */
typedef struct {
    gboolean all_pairs;
    char *pairs; /* the file with the list */
    char *min_score;
} CsManyPairsArguments;

#define CS_MANY_PAIRS_ENTRIES(a)                                                                   \
    {"all-pairs", 0, 0, G_OPTION_ARG_NONE, &(a)->all_pairs, NULL, NULL},                           \
        {"pairs", 0, 0, G_OPTION_ARG_FILENAME, &(a)->pairs, NULL, NULL},                           \
    {                                                                                              \
        "min-score", 0, 0, G_OPTION_ARG_FILENAME, &(a)->min_score, NULL, NULL                      \
    }

void cs_many_pairs_arguments_clear(CsManyPairsArguments *arguments);

/* Whether they ask for many pairs. */
gboolean cs_many_pairs_is_wanted(const CsManyPairsArguments *arguments);

/* Refuses arguments that make no sense, alone or together with those of the run. */
gboolean cs_many_pairs_check(const CsManyPairsArguments *arguments, const CsRunArguments *run,
                             CsRunJob *job, GError **error);

/*
 * Compares one pair after the other, or one at a time on each of several devices, and writes the row of
 * each as soon as the pair and all before it in the list are done. With a
 * checkpoint, each pair has a folder of its own inside it, so that a later run has the results of
 * finished pairs at once. If a pair fails, the error is reported and the next pair follows. Returns the
 * exit status, that of the first failure if there was one. Or dies of the signal that stopped it.
 */
int cs_many_pairs_run(const CsRunJob *job, const CsManyPairsArguments *arguments);

#endif
