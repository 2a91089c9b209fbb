/* A comparison as a command runs it: what compare and resume share, from options to output. */
#ifndef CS_COMPARISON_H
#define CS_COMPARISON_H

#include <chromosweep/checkpoint.h>
#include <chromosweep/compare.h>

#include "command/output.h"
#include "command/pair.h"
#include "command/progress.h"
#include "command/report.h"

/* The options that both have, as GOption leaves them: every value as it was typed. */
typedef struct {
    char *format, *output, *threads, *engine, *device, *grid, *bits, *skip;
    char *checkpoint_interval, *max_time, *progress, *log_file;
    gboolean cleanup, quiet, verbose, help, version;
    char **rest;        /* what is no option */
    char *command_line; /* all of it, for a shell */
} CsRunArguments;

#define CS_RUN_HELP                                                                                \
    "Running:\n"                                                                                   \
    "  -t, --threads N         CPU threads [what affinity and cgroup grant]\n"                     \
    "      --device DEVICE     auto, cpu, gpu, gpu:INDEX or gpu:UUID; auto takes a\n"              \
    "                          GPU if one works and has room, else the CPU [auto]\n"               \
    "      --engine ENGINE     auto, scalar, simd or cuda [auto]\n"                                \
    "      --skip HOW          auto, none, best or bounds (by what can still be\n"                 \
    "                          gained); leaves out cells, same result [auto]\n"                    \
    "      --grid B,T,ALPHA    B blocks a diagonal, T threads a block, ALPHA rows a\n"             \
    "                          thread: for experiments; any grid, the same result\n"               \
    "      --bits N            16, 32 or 64 bits a score: for experiments [as fits]\n"             \
    "      --progress HOW      auto (a line on a terminal), none or json [auto]\n"                 \
    "      --log-file FILE     append all messages and progress to FILE, with times\n"             \
    "  -q, --quiet             nothing on standard error but errors\n"                             \
    "  -v, --verbose           tell lengths, ambiguous letters, engine and threads\n"              \
    "  -h, --help              this help\n"                                                        \
    "  -V, --version           the version and how it was built\n"

#define CS_RUN_HELP_CHECKPOINT                                                                     \
    "      --checkpoint-interval TIME\n"                                                           \
    "                          save so often: 90s, 10m, 1h30m, ... [10m]\n"                        \
    "      --checkpoint-cleanup\n"                                                                 \
    "                          remove the checkpoint once the result is on disk,\n"                \
    "                          or written whole to a pipe or terminal\n"                           \
    "      --max-time TIME     save and stop, with status 75, when so long has passed\n"

/* Parses them and what more there is; NULL-terminated (G_OPTION_ENTRY_NULL). */
gboolean cs_run_arguments_parse(CsRunArguments *arguments, const GOptionEntry *more, int argc,
                                char **argv, GError **error);

void cs_run_arguments_clear(CsRunArguments *arguments);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsRunArguments, cs_run_arguments_clear)

/* What is to be done. Strings are not owned. */
typedef struct {
    CsPair pair;
    const char *output; /* NULL, "-": standard output */
    CsReportFormat format;
    CsCompareOptions options;
    double max_time; /* seconds from start; 0: no limit */
    gboolean cleanup;
    gboolean may_begin_anew; /* the command has --no-resume */
    gboolean many;           /* pairs, each with a folder in the checkpoint's directory */
    gint64 min_score;        /* of these, rows of lower ones are left out */
    CsProgressForm progress;
    const char *log_file; /* or NULL */
    const char *command_line;
    gint64 start; /* of the program, on the monotonic clock */
} CsComparison;

/* A comparison at work. Initialise with zeroes beside the comparison and the teller. */
typedef struct {
    const CsComparison *comparison;
    CsProgressTeller *teller;
    int signal;     /* that asked to stop, or 0 */
    gboolean swept; /* it failed, if it did, at computing or saving */
} CsComparisonRun;

/*
 * Makes the comparison that the arguments ask for, but for its pair, strand and checkpoint; from
 * then on what is said is what they let be heard.
 */
gboolean cs_comparison_init(CsComparison *comparison, const CsRunArguments *arguments,
                            GError **error);

/*
 * What is done before a sweep, and refused then: opens the output, looks whether device and engine
 * are there, loads the sequences. What was made is to be freed also on failure.
 */
gboolean cs_comparison_load(const CsComparison *comparison, CsOutput **output, CsSequence **target,
                            CsSequence **query, GError **error);

/*
 * Opens the log file, if one is asked for, from when on it gets all that is said. Refuses one that
 * is an input (list is one more, or NULL), the output or a file of the checkpoint, as far as these
 * are known.
 */
gboolean cs_comparison_open_log(const CsComparison *comparison, const char *list, GError **error);

/* Whether that would work, without writing anything. */
gboolean cs_comparison_try_log(const CsComparison *comparison, const char *list, GError **error);

/*
 * Loads, sweeps and writes the result; tells what fails. Returns the exit status, or dies of the
 * signal that stopped it.
 */
int cs_comparison_run(CsComparison *comparison);

/* Dies of the signal that stopped it, which the log file gets to know. */
G_NORETURN void cs_comparison_die(int number);

/* Adds to an error of a checkpoint that is damaged or of another comparison what can be done. */
void cs_comparison_tell_way_out(const CsComparison *comparison, GError *error);

/* Whether a signal or the limit of time asks for it. */
gboolean cs_comparison_must_stop(const CsComparison *comparison);

/* The sweep alone, between what there is to tell on standard error. */
gboolean cs_comparison_sweep(CsComparisonRun *run, const CsSequence *target,
                             const CsSequence *query, CsCompareResult *result, GError **error);

/* The result must not take the place of the checkpoint, which may not be there yet, or its files.
 */
gboolean cs_comparison_refuse_checkpoint(const CsComparison *comparison, const CsOutput *output,
                                         GError **error);

/*
 * What a checkpoint keeps for the command (CsCompareOptions.memo): the form of the result, and
 * where it goes, an absolute path or NULL. FALSE when the memo is not such.
 */
gboolean cs_comparison_read_memo(const char *memo, char **format, char **output);

/* The line for a shell that goes on with a checkpoint. */
char *cs_comparison_resume_line(const char *directory);

/* Whether a sequence's file, NULL or a name, is standard input or another that is read but once. */
gboolean cs_comparison_is_piped(const char *file);

/* Cells of all that is swept, by what a file claims: the most there can be where they overflow. */
gint64 cs_comparison_cells(const CsCheckpointInfo *info);

/* With one decimal, rounded down: "100.0" is all of them. */
char *cs_comparison_percent(gint64 cells_done, gint64 cells);

#endif
