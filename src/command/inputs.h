/* The two sequences of a command and their scoring: what compare and plot take alike. */
#ifndef CS_INPUTS_H
#define CS_INPUTS_H

#include <chromosweep/scoring.h>
#include <chromosweep/sequence.h>
#include <chromosweep/strand.h>

/* As GOption leaves them: every value as it was typed. */
typedef struct {
    char *match, *mismatch, *gap_open, *gap_extend;
    char *target_name, *query_name, *target_region, *query_region;
} CsInputsArguments;

/* Their entries, for a command's own. Values are taken as file names, the only type that lets every
 * byte through. */
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

/* What is compared. Strings are not owned. */
typedef struct {
    const char *files[3];   /* target, query, NULL */
    const char *names[2];   /* of the records, NULL where the file has one */
    const char *regions[2]; /* in place of a name, or NULL */
    CsScoring scoring;
    gboolean may_be_many; /* the command takes --all-pairs, too */
} CsInputs;

/* The files are what is no option: two, not less, not more. */
gboolean cs_inputs_init(CsInputs *inputs, const CsInputsArguments *arguments, char *const *rest,
                        GError **error);

/* Loads the target (side 0) or the query (side 1). */
CsSequence *cs_inputs_load(const CsInputs *inputs, int side, GError **error);

/* Loads both: side by side where neither can keep the other waiting. */
gboolean cs_inputs_load_both(const CsInputs *inputs, CsSequence **target, CsSequence **query,
                             GError **error);

/* Of all that is swept; the most there can be where they overflow. */
gint64 cs_inputs_cells(gint64 target_length, gint64 query_length, CsStrand strand);

/* Tells a detail. */
void cs_inputs_tell(int side, const CsSequence *sequence);

/* Warns where the region was clipped, and where most bases match nothing: that may be protein or a
 * masked sequence. */
void cs_inputs_warn(int side, const CsSequence *sequence);

#endif
