/* A command that takes the arguments of compare. */
#ifndef CS_COMPARE_COMMAND_H
#define CS_COMPARE_COMMAND_H

#include "command/many_pairs.h"

typedef struct {
    const char *who; /* "chromosweep compare" */
    const char *help_top;
    const char *help_bottom; /* below the options */
    gboolean verifies;       /* takes --verify and sets, for align */
    int (*run)(CsRunJob *job, const CsManyPairsArguments *many);
} CsLikeCompare;

/* Parses the arguments and runs the command, or prints its help. Returns the exit status. */
int cs_compare_command_like(const CsLikeCompare *like, int argc, char **argv);

#endif
