/* A job: one comparison or many, as a command line or a checkpoint asks for it. */
#ifndef CS_RUN_JOB_H
#define CS_RUN_JOB_H

#include <chromosweep/compare.h>

#include "command/inputs.h"
#include "command/progress.h"
#include "formats/alignment_format.h"
#include "formats/format.h"

/* Strings are not owned. */
typedef struct {
    CsInputs inputs;
    const char *output; /* NULL, "-": standard output */
    CsFormat format;
    CsFormat written; /* of the result of compare: by the name of the output, if not given */
    const CsAlignmentForm *alignment; /* how to write the alignment; NULL: only the result */
    const CsAlignSetOptions *set;     /* which alignments; NULL: the best one */
    const char *index;                /* the file for its index; NULL: no index */
    const char *const *align; /* the options of align that say how, NULL-terminated, or NULL */
    CsColumns columns;        /* of a TSV */
    CsCompareOptions options;
    double max_time; /* seconds from start; 0: no limit */
    gboolean cleanup;
    gboolean may_begin_anew; /* the command has --no-resume */
    gboolean many;           /* many pairs, each with a folder in the checkpoint; or a set between
                              * all records, with one checkpoint */
    CsProgressForm progress;
    const char *log_file; /* or NULL */
    const char *command_line;
    gint64 start; /* of the program, on the monotonic clock */
} CsRunJob;

#endif
