/* What a command has that takes the arguments of compare. */
#ifndef CS_COMPARE_COMMAND_H
#define CS_COMPARE_COMMAND_H

#include "command/comparison.h"
#include "command/many.h"

typedef struct {
    const char *who; /* "chromosweep compare" */
    const char *help_top;
    const char *help_bottom; /* below the options */
    int (*run)(CsComparison *comparison, const CsManyArguments *many);
} CsLikeCompare;

/* Parses the arguments and runs it, or answers --help. Returns the exit status. */
int cs_command_like_compare(const CsLikeCompare *like, int argc, char **argv);

#endif
