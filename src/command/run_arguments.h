/* The options that compare and resume share: from the command line to what is to be done. */
#ifndef CS_RUN_ARGUMENTS_H
#define CS_RUN_ARGUMENTS_H

#include <glib.h>

#include "command/run_job.h"

/* The options that both have, as GOption leaves them: every value as it was typed. */
typedef struct {
    char *format, *columns, *output, *threads, *engine, *device, *grid, *bits, *skip;
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
    "  -v, --verbose           tell lengths, ambiguous bases, engine and threads\n"                \
    "  -h, --help              this help\n"                                                        \
    "  -V, --version           the version and how it was built\n"

#define CS_RUN_HELP_COLUMNS                                                                        \
    "      --columns LIST      tsv with these columns; help lists them [default]\n"

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

/*
 * Makes the job that the arguments ask for, but for its inputs, strand and checkpoint; from then on
 * what is said is what they let be heard.
 */
gboolean cs_run_arguments_job(const CsRunArguments *arguments, CsRunJob *job, GError **error);

/* Whether --columns asks for the list of them. */
gboolean cs_run_arguments_ask_for_columns(const CsRunArguments *arguments);

#endif
