/* Many pairs in one run: every record against every record, or a chosen list. */
#ifndef CS_MANY_PAIRS_H
#define CS_MANY_PAIRS_H

#include "command/run_arguments.h"

/* As GOption leaves them. */
typedef struct {
    gboolean all_pairs;
    char *pairs; /* file of the list */
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

/* What of the arguments makes no sense, with the comparison's or alone, is an error of usage. */
gboolean cs_many_pairs_check(const CsManyPairsArguments *arguments, const CsRunArguments *run,
                             CsRunJob *job, GError **error);

/*
 * Compares one pair after the other, as the comparison says, and writes a row of each as soon as it
 * is done. With a checkpoint each pair has its own in a folder of that one, so that what is
 * done answers at once when the run is begun again. A pair that fails is told and the others go on;
 * the exit status is then that of the first. Or dies of the signal that stopped it.
 */
int cs_many_pairs_run(const CsRunJob *job, const CsManyPairsArguments *arguments);

#endif
