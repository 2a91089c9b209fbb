/* The options of a set of alignments, which align and plot share. */
#ifndef CS_SET_ARGUMENTS_H
#define CS_SET_ARGUMENTS_H

#include <chromosweep/align_set.h>

/* As GOption leaves them: every value as it was typed. */
typedef struct {
    gboolean one_to_one, all;
    char *min_score, *number;
} CsSetArguments;

/* The entries of these options, to put among those of a command. */
#define CS_SET_ENTRIES(a)                                                                          \
    {"one-to-one", 0, 0, G_OPTION_ARG_NONE, &(a)->one_to_one, NULL, NULL},                         \
        {"all", 0, 0, G_OPTION_ARG_NONE, &(a)->all, NULL, NULL},                                   \
        {"min-score", 0, 0, G_OPTION_ARG_FILENAME, &(a)->min_score, NULL, NULL},                   \
    {                                                                                              \
        "number", 'n', 0, G_OPTION_ARG_FILENAME, &(a)->number, NULL, NULL                          \
    }

void cs_set_arguments_clear(CsSetArguments *arguments);

/* Whether a set is asked for. */
gboolean cs_set_arguments_is_wanted(const CsSetArguments *arguments);

/* Fills rule and limits of the set, if one is wanted. Refuses what makes no sense. */
gboolean cs_set_arguments_init(const CsSetArguments *arguments, CsAlignSetOptions *set,
                               GError **error);

/* Where alignments are cut unless the caller says so: where one worth the least score might be
 * bridged. */
gint64 cs_set_arguments_max_drop(const CsAlignSetOptions *set, const CsScoring *scoring);

#endif
