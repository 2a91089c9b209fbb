/* The options that compare, align and resume share. Turns them into a job. */
#ifndef CS_RUN_ARGUMENTS_H
#define CS_RUN_ARGUMENTS_H

#include <glib.h>

#include "command/help.h"
#include "command/run_job.h"

/* The shared options as GOption leaves them: every value as it was typed. */
typedef struct {
    char *format, *columns, *output, *threads, *engine, *device, *grid, *bits, *skip;
    char *checkpoint_interval, *max_time, *row_budget, *progress, *log_file;
    CsHelpArguments help;
    gboolean cleanup, quiet, verbose;
    char **rest;        /* the arguments that are not options */
    char *command_line; /* the whole command line, quoted for a shell */
} CsRunArguments;

#define CS_RUN_HELP                                                                                \
    "Running:\n"                                                                                   \
    "  -t, --threads N         CPU threads [all that this process may use]\n"                      \
    "      --device DEVICE     auto, cpu, gpu, gpu:INDEX or gpu:UUID [auto]\n"                     \
    "+                         gpu:all or a list, as gpu:0,gpu:1: each takes a\n"                  \
    "+                         share of the rows; of many pairs, a pair at a time\n"               \
    "+     --engine ENGINE     auto, scalar, simd or cuda [auto]\n"                                \
    "+     --skip HOW          auto, none, best or bounds; skips cells that cannot\n"              \
    "+                         change the result [auto]\n"                                         \
    "+     --grid B,T,ALPHA    for experiments: B blocks per diagonal, T threads per\n"            \
    "+                         block, ALPHA rows per thread; the result is the same\n"             \
    "+     --bits N            16, 32 or 64 bits per score; for experiments [auto]\n"              \
    "      --progress HOW      auto (a line on a terminal), none or json [auto]\n"                 \
    "+     --log-file FILE     append all messages and progress to FILE, with times\n"             \
    "  -q, --quiet             print nothing but errors on standard error\n"                       \
    "  -v, --verbose           print lengths, ambiguous bases, engine and threads\n" CS_HELP_LINES

/* In the help of compare and align. */
#define CS_RUN_HELP_INPUTS                                                                         \
    "Scoring: a gap of k bases costs open + k * extend, by default 5 for the first\n"              \
    "base and 2 for each further one, as in the CUDAlign paper.\n"                                 \
    "  -A, --match N           score of a match [1]\n"                                             \
    "  -B, --mismatch N        cost of a mismatch [3]\n"                                           \
    "  -O, --gap-open N        cost of opening a gap, in addition to its bases [3]\n"              \
    "  -E, --gap-extend N      cost of each base of a gap, including the first [2]\n"              \
    "Input and output:\n"                                                                          \
    "      --target-name NAME  use only this record of TARGET.fa\n"                                \
    "      --query-name NAME   use only this record of QUERY.fa\n"                                 \
    "  -r, --target-region R   use NAME:FROM-TO, NAME:FROM- or NAME of TARGET.fa\n"                \
    "  -R, --query-region R    use NAME:FROM-TO, NAME:FROM- or NAME of QUERY.fa\n"                 \
    "      --strand STRAND     plus, minus or both strands of the query [plus]\n"

#define CS_RUN_HELP_DEVICES                                                                        \
    "+Devices: auto takes a GPU if one works and has enough memory, several for one\n"             \
    "+long pair, else the CPU.\n"                                                                  \
    "+\n"

#define CS_RUN_HELP_STATUS                                                                         \
    "+Exit status: 0 success, 1 input, output or another operation failed, 2 wrong\n"              \
    "+usage, 3 malformed input, 4 no such device or not enough memory, 5 the\n"                    \
    "+checkpoint is damaged, in use or belongs to another comparison, 75 stopped at\n"             \
    "+the time limit.\n"

#define CS_RUN_HELP_COLUMNS                                                                        \
    "      --columns LIST      tsv with these columns; help lists them [default]\n"

#define CS_RUN_HELP_CHECKPOINT                                                                     \
    "+     --checkpoint-interval TIME\n"                                                           \
    "+                         how often to save: 90s, 10m, 1h30m, ... [10m]\n"                    \
    "+     --checkpoint-cleanup\n"                                                                 \
    "+                         remove the checkpoint after writing the result\n"                   \
    "      --max-time TIME     save the state and stop after TIME (exit status 75)\n"              \
    "+     --row-budget SIZE   for alignments, keep special rows of at most SIZE,\n"               \
    "+                         such as 500M or 2G; 0 keeps none. A second sweep may\n"             \
    "+                         keep some more [at most 1G and a quarter of the free\n"             \
    "+                         disk; without a checkpoint, 4G and a quarter of the\n"              \
    "+                         free memory]\n"

/* Parses the shared options and those of `more`, which ends with G_OPTION_ENTRY_NULL. */
gboolean cs_run_arguments_parse(CsRunArguments *arguments, const GOptionEntry *more, int argc,
                                char **argv, GError **error);

void cs_run_arguments_clear(CsRunArguments *arguments);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsRunArguments, cs_run_arguments_clear)

/*
 * Makes the job that the arguments ask for, except its inputs, strand and checkpoint. From then on
 * --quiet and --verbose are in force.
 */
gboolean cs_run_arguments_job(const CsRunArguments *arguments, CsRunJob *job, GError **error);

/* --strand. An absent text leaves strand unchanged. */
gboolean cs_run_arguments_strand(const char *text, CsStrand *strand, GError **error);

/* --circular, which may be absent. */
gboolean cs_run_arguments_circular(const char *text, CsCircular *circular, GError **error);

/* --checkpoint, which may be absent, and --no-resume. Without a checkpoint, refuses options that
 * only make sense with one. */
gboolean cs_run_arguments_checkpoint(const CsRunArguments *arguments, const char *checkpoint,
                                     gboolean no_resume, CsRunJob *job, GError **error);

/* Whether --columns asks for the list of columns. */
gboolean cs_run_arguments_ask_for_columns(const CsRunArguments *arguments);

#endif
