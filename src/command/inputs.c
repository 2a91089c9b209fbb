/* The two sequences of a command and their scoring. */
#include <string.h>

#include <chromosweep/error.h>

#include "command/arguments.h"
#include "command/inputs.h"
#include "command/messages.h"
#include "formats/names.h"

static const char *const sides[] = {"target", "query"};

void
cs_inputs_arguments_clear(CsInputsArguments *a)
{
    char *values[] = {a->match,       a->mismatch,   a->gap_open,      a->gap_extend,
                      a->target_name, a->query_name, a->target_region, a->query_region};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
}

static gboolean
parse_scoring(const CsInputsArguments *a, CsScoring *scoring, GError **error)
{
    return cs_arguments_number("--match", a->match, 1, G_MAXINT64, &scoring->match, error) &&
           cs_arguments_number("--mismatch", a->mismatch, 0, G_MAXINT64, &scoring->mismatch,
                               error) &&
           cs_arguments_number("--gap-open", a->gap_open, 0, G_MAXINT64, &scoring->gap_open,
                               error) &&
           cs_arguments_number("--gap-extend", a->gap_extend, 0, G_MAXINT64, &scoring->gap_extend,
                               error);
}

static gboolean
take_files(CsInputs *inputs, char *const *rest, GError **error)
{
    guint count = rest != NULL ? g_strv_length((char **)rest) : 0;
    if (count != 2)
        return cs_arguments_usage(error, "expected two files, TARGET.fa and QUERY.fa, got %u",
                                  count);
    for (guint k = 0; k < 2; k++) {
        inputs->files[k] = rest[k];
        if (rest[k][0] == '\0')
            return cs_arguments_usage(error, "a file name is empty");
    }
    if (strcmp(rest[0], "-") == 0 && strcmp(rest[1], "-") == 0)
        return cs_arguments_usage(error, "only one file can be '-' (standard input)");
    return TRUE;
}

gboolean
cs_inputs_init(CsInputs *inputs, const CsInputsArguments *a, char *const *rest, GError **error)
{
    *inputs = (CsInputs){.names = {a->target_name, a->query_name},
                         .regions = {a->target_region, a->query_region},
                         .scoring = CS_SCORING_DEFAULT};
    for (guint k = 0; k < 2; k++)
        if (inputs->names[k] != NULL && inputs->regions[k] != NULL)
            return cs_arguments_usage(error, "--%s-name and --%s-region cannot be used together",
                                      sides[k], sides[k]);
    return parse_scoring(a, &inputs->scoring, error) && take_files(inputs, rest, error);
}

CsSequence *
cs_inputs_load(const CsInputs *inputs, int side, GError **error)
{
    const char *file = inputs->files[side], *name = inputs->names[side],
               *region = inputs->regions[side];
    GError *failure = NULL;
    CsSequence *sequence = region != NULL ? cs_sequence_load_region(file, region, &failure)
                                          : cs_sequence_load(file, name, &failure);
    if (sequence != NULL)
        return sequence;
    /* The library knows what is wrong, but not the options of the command. */
    if (cs_error_get_detail(failure) == CS_DETAIL_RECORDS) {
        g_autofree char *message = g_steal_pointer(&failure->message);
        failure->message =
            g_strdup_printf("%s (--%s-name)%s", message, sides[side],
                            inputs->may_be_many ? ", or compare all with --all-pairs" : "");
    }
    g_propagate_error(error, failure);
    return NULL;
}

typedef struct {
    const CsInputs *inputs;
    CsSequence *query;
    GError *error;
} Loading;

static gpointer
load_query(gpointer data)
{
    Loading *loading = data;
    loading->query = cs_inputs_load(loading->inputs, 1, &loading->error);
    return NULL;
}

static gboolean
is_file(const char *name)
{
    return strcmp(name, "-") != 0 && g_file_test(name, G_FILE_TEST_IS_REGULAR);
}

gboolean
cs_inputs_are_files(const CsInputs *inputs)
{
    return is_file(inputs->files[0]) && is_file(inputs->files[1]);
}

/* A pipe, a terminal or the like. */
static gboolean
is_stream(const char *name)
{
    return strcmp(name, "-") == 0 || (g_file_test(name, G_FILE_TEST_EXISTS) && !is_file(name) &&
                                      !g_file_test(name, G_FILE_TEST_IS_DIR));
}

gboolean
cs_inputs_load_both(const CsInputs *inputs, CsSequence **target, CsSequence **query, GError **error)
{
    Loading loading = {.inputs = inputs};
    GThread *thread = NULL;
    /* A pipe may never end, so the other file, which may be wrong, is loaded first. */
    const gboolean query_first = is_stream(inputs->files[0]) && !is_stream(inputs->files[1]);
    if (query_first)
        load_query(&loading);
    else if (is_file(inputs->files[0]) && is_file(inputs->files[1]))
        thread = g_thread_try_new("query", load_query, &loading, NULL);
    *target = query_first && loading.query == NULL ? NULL : cs_inputs_load(inputs, 0, error);
    if (thread != NULL)
        g_thread_join(thread);
    else if (*target != NULL && !query_first)
        load_query(&loading);
    if (*target != NULL && loading.query != NULL) {
        *query = loading.query;
        return TRUE;
    }
    if (*target != NULL || (query_first && loading.query == NULL))
        g_propagate_error(error, g_steal_pointer(&loading.error));
    g_clear_error(&loading.error);
    g_clear_pointer(&loading.query, cs_sequence_unref);
    return FALSE;
}

gint64
cs_inputs_cells(gint64 target_length, gint64 query_length, CsStrand strand)
{
    const gint64 sweeps = strand == CS_STRAND_BOTH ? 2 : 1;
    gint64 cells;
    return __builtin_mul_overflow(target_length, query_length, &cells) ||
                   __builtin_mul_overflow(cells, sweeps, &cells)
               ? G_MAXINT64
               : cells;
}

static const char *
shown_name(const CsSequence *sequence)
{
    const char *name = cs_sequence_get_name(sequence);
    return name[0] != '\0' ? name : "(no name)";
}

void
cs_inputs_tell(int side, const CsSequence *sequence)
{
    const gboolean part =
        cs_sequence_get_length(sequence) < cs_sequence_get_record_length(sequence);
    cs_message(CS_MESSAGE_DETAIL,
               "%s %s: %" G_GINT64_FORMAT " bases, %" G_GINT64_FORMAT
               " of them ambiguous (they match nothing)%s",
               sides[side], shown_name(sequence), cs_sequence_get_length(sequence),
               cs_sequence_get_ambiguous(sequence),
               cs_sequence_is_indexed(sequence) ? "; read with the .fai index"
               : part ? "; read the whole file, because it has no up-to-date .fai index"
                      : "");
}

/* Warns as samtools faidx does when it truncates a sequence. */
static void
warn_of_clipping(int side, const CsSequence *sequence)
{
    if (cs_sequence_get_clipped(sequence) == 0)
        return;
    const gint64 from = cs_sequence_get_offset(sequence) + 1;
    const gint64 to = cs_sequence_get_record_length(sequence);
    g_autofree char *region = cs_names_region(cs_sequence_get_name(sequence), from, to);
    cs_message(CS_MESSAGE_WARNING,
               "%s %s: the region ends past the end of the record, which has %" G_GINT64_FORMAT
               " bases; it is clipped to %s",
               sides[side], shown_name(sequence), to, region);
}

void
cs_inputs_warn(int side, const CsSequence *sequence)
{
    warn_of_clipping(side, sequence);
    if (cs_sequence_get_ambiguous(sequence) <= cs_sequence_get_length(sequence) / 2)
        return;
    cs_message(CS_MESSAGE_WARNING,
               "%s %s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
               " bases are N or other ambiguous codes, which match nothing",
               sides[side], shown_name(sequence), cs_sequence_get_ambiguous(sequence),
               cs_sequence_get_length(sequence));
}
