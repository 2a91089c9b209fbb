/* The options that search and identity share, whose files have many records: from the command line to a
 * job. */
#ifndef CS_RECORDS_ARGUMENTS_H
#define CS_RECORDS_ARGUMENTS_H

#include <chromosweep/search.h>

#include "command/help.h"
#include "command/progress_clock.h"
#include "command/run_job.h"

/* The command line as GOption returns it: every value as it was typed. */
typedef struct {
    char *type, *matrix, *match, *mismatch, *gap_open, *gap_extend;
    char *format, *columns, *output, *threads, *device, *progress, *log_file;
    char *checkpoint, *checkpoint_interval, *max_time;
    CsHelpArguments help;
    gboolean align, quiet, verbose, no_resume, cleanup;
    char **files;
    char *command_line;
} CsRecordsArguments;

#define CS_RECORDS_HELP_SCORING                                                                    \
    "  -M, --matrix MATRIX     BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250 or a file in\n"            \
    "                          NCBI's format; for proteins [BLOSUM62]\n"                           \
    "  -A, --match N           score of a match, for nucleotides [1]\n"                            \
    "  -B, --mismatch N        cost of a mismatch, for nucleotides [3]\n"                          \
    "  -O, --gap-open N        cost of opening a gap, in addition to its letters\n"                \
    "                          [NCBI's for the matrix, such as 11; 3 for nucleotides]\n"           \
    "  -E, --gap-extend N      cost of each letter of a gap, including the first\n"                \
    "                          [NCBI's, such as 1; 2 for nucleotides]\n"

#define CS_RECORDS_HELP_RUNNING                                                                    \
    "Running:\n"                                                                                   \
    "  -t, --threads N         CPU threads [all that this process may use]\n"                      \
    "      --device DEVICE     auto, cpu, gpu, gpu:INDEX or gpu:UUID [auto]\n"                     \
    "+     --progress HOW      auto (a line on a terminal), none or json [auto]\n"                 \
    "+     --log-file FILE     append all messages and progress to FILE, with times\n"             \
    "  -q, --quiet             print nothing but errors on standard error\n"

/* The names of --type, by CsAlphabet; NULL-terminated. */
extern const char *const cs_records_types[];

/* What to do. The strings belong to the arguments. */
typedef struct {
    const char *files[2]; /* the second may be NULL */
    CsAlphabet alphabet;
    const char *matrix;
    gint64 match, mismatch, gap_open, gap_extend;
    guint threads;
    const char *device;
    const char *checkpoint;
    double checkpoint_interval;
    gboolean checkpoint_fresh;
    double max_time; /* seconds from start; 0: no limit */
    CsProgressForm progress;
    gint64 start;    /* of the program, on the monotonic clock */
    CsRunJob places; /* no more than what the guards of places and log files look at */
} CsRecordsJob;

/* A job with the defaults of CsSearchOptions or CsIdentityOptions, and how it goes back into them. */
#define CS_RECORDS_JOB_OF(options)                                                                 \
    {                                                                                              \
        .match = (options).match, .mismatch = (options).mismatch, .gap_open = (options).gap_open,  \
        .gap_extend = (options).gap_extend, .checkpoint_interval = (options).checkpoint_interval,  \
    }
#define CS_RECORDS_JOB_FILL(options, job)                                                          \
    do {                                                                                           \
        (options)->alphabet = (job)->alphabet;                                                     \
        (options)->matrix = (job)->matrix;                                                         \
        (options)->match = (job)->match;                                                           \
        (options)->mismatch = (job)->mismatch;                                                     \
        (options)->gap_open = (job)->gap_open;                                                     \
        (options)->gap_extend = (job)->gap_extend;                                                 \
        (options)->threads = (job)->threads;                                                       \
        (options)->device = (job)->device;                                                         \
        (options)->checkpoint = (job)->checkpoint;                                                 \
        (options)->checkpoint_interval = (job)->checkpoint_interval;                               \
        (options)->checkpoint_fresh = (job)->checkpoint_fresh;                                     \
    } while (0)

/* Parses the shared options and those of `more`, which ends with G_OPTION_ENTRY_NULL. */
gboolean cs_records_arguments_parse(CsRecordsArguments *arguments, const GOptionEntry *more,
                                    int argc, char **argv, GError **error);

/*
 * Makes the job, which has its defaults; from then on --quiet and --verbose are in force. There must be
 * from `least` to 2 files; `wanted` says which. of_bases is an option of the command that was given and is
 * for nucleotides only, or NULL.
 */
gboolean cs_records_arguments_job(const CsRecordsArguments *arguments, guint least,
                                  const char *wanted, const char *of_bases, CsRecordsJob *job,
                                  GError **error);

/*
 * The place of the format among its names: by --format, or --columns, or the ending of --output. A name
 * has the endings of the same place, with commas between them; names and endings end with NULL. The
 * first is that without any of these options, and "tsv" that of --columns.
 */
gboolean cs_records_arguments_format(const CsRecordsArguments *arguments, const char *const *names,
                                     const char *const *endings, guint *place, GError **error);

void cs_records_arguments_clear(CsRecordsArguments *arguments);

#endif
