/* The two sequences and the scoring, which compare, align, plan and plot take in the same way. */
#ifndef CS_INPUTS_H
#define CS_INPUTS_H

#include <chromosweep/scoring.h>
#include <chromosweep/sequence.h>
#include <chromosweep/strand.h>

/* The options as GOption leaves them: every value as it was typed. */
typedef struct {
    char *match, *mismatch, *gap_open, *gap_extend;
    char *target_name, *query_name, *target_region, *query_region;
} CsInputsArguments;

/* The entries of these options, to put among those of a command. Values are read as file names, the
 * only type that lets every byte through. */
#define CS_INPUTS_ENTRIES(a)                                                                       \
    {"match", 'A', 0, G_OPTION_ARG_FILENAME, &(a)->match, NULL, NULL},                             \
        {"mismatch", 'B', 0, G_OPTION_ARG_FILENAME, &(a)->mismatch, NULL, NULL},                   \
        {"gap-open", 'O', 0, G_OPTION_ARG_FILENAME, &(a)->gap_open, NULL, NULL},                   \
        {"gap-extend", 'E', 0, G_OPTION_ARG_FILENAME, &(a)->gap_extend, NULL, NULL},               \
        {"target-name", 0, 0, G_OPTION_ARG_FILENAME, &(a)->target_name, NULL, NULL},               \
        {"query-name", 0, 0, G_OPTION_ARG_FILENAME, &(a)->query_name, NULL, NULL},                 \
        {"target-region", 'r', 0, G_OPTION_ARG_FILENAME, &(a)->target_region, NULL, NULL},         \
    {                                                                                              \
        "query-region", 'R', 0, G_OPTION_ARG_FILENAME, &(a)->query_region, NULL, NULL              \
    }

void cs_inputs_arguments_clear(CsInputsArguments *arguments);

/* What to compare. Strings are not owned. */
typedef struct {
    const char *files[3];   /* target, query, NULL */
    const char *names[2];   /* of the records; NULL: the file has one record */
    const char *regions[2]; /* instead of names, or NULL */
    CsScoring scoring;
    gboolean may_be_many; /* whether the command has --all-pairs */
} CsInputs;

/* rest has the arguments that are not options. They must be exactly two files. */
gboolean cs_inputs_init(CsInputs *inputs, const CsInputsArguments *arguments, char *const *rest,
                        GError **error);

/* Whether both are regular files, which load in a time that can be foreseen. */
gboolean cs_inputs_are_files(const CsInputs *inputs);

/* Loads the target (side 0) or the query (side 1). */
CsSequence *cs_inputs_load(const CsInputs *inputs, int side, GError **error);

/* Loads both, at the same time if neither can make the other wait. */
gboolean cs_inputs_load_both(const CsInputs *inputs, CsSequence **target, CsSequence **query,
                             GError **error);

/* The number of cells on all strands; the largest number if that would overflow. */
gint64 cs_inputs_cells(gint64 target_length, gint64 query_length, CsStrand strand);

/* Tells name, length and the like, as a detail. */
void cs_inputs_tell(int side, const CsSequence *sequence);

/* Warns if the region was clipped, or if most bases match nothing: the sequence may be protein or
 * masked. */
void cs_inputs_warn(int side, const CsSequence *sequence);

#endif
