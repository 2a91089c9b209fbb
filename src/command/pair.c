/* The two sequences of a command and their scoring. */
#include <string.h>

#include <chromosweep/error.h>

#include "command/arguments.h"
#include "command/pair.h"
#include "command/voice.h"

static const char *const sides[] = {"target", "query"};

void
cs_pair_arguments_clear(CsPairArguments *a)
{
    char *values[] = {a->match,       a->mismatch,   a->gap_open,      a->gap_extend,
                      a->target_name, a->query_name, a->target_region, a->query_region};
    for (guint k = 0; k < G_N_ELEMENTS(values); k++)
        g_free(values[k]);
}

static gboolean
parse_scoring(const CsPairArguments *a, CsScoring *scoring, GError **error)
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
take_files(CsPair *pair, char *const *rest, GError **error)
{
    guint count = rest != NULL ? g_strv_length((char **)rest) : 0;
    if (count != 2)
        return cs_arguments_usage(error, "two files are needed, TARGET.fa and QUERY.fa; %u given",
                                  count);
    for (guint k = 0; k < 2; k++) {
        pair->files[k] = rest[k];
        if (rest[k][0] == '\0')
            return cs_arguments_usage(error, "a file's name is empty");
    }
    if (strcmp(rest[0], "-") == 0 && strcmp(rest[1], "-") == 0)
        return cs_arguments_usage(error, "only one of the two files can be -, standard input");
    return TRUE;
}

gboolean
cs_pair_init(CsPair *pair, const CsPairArguments *a, char *const *rest, GError **error)
{
    *pair = (CsPair){.names = {a->target_name, a->query_name},
                     .regions = {a->target_region, a->query_region},
                     .scoring = CS_SCORING_DEFAULT};
    for (guint k = 0; k < 2; k++)
        if (pair->names[k] != NULL && pair->regions[k] != NULL)
            return cs_arguments_usage(error, "--%s-name and --%s-region exclude each other",
                                      sides[k], sides[k]);
    return parse_scoring(a, &pair->scoring, error) && take_files(pair, rest, error);
}

CsSequence *
cs_pair_load(const CsPair *pair, int side, GError **error)
{
    const char *file = pair->files[side], *name = pair->names[side], *region = pair->regions[side];
    GError *failure = NULL;
    CsSequence *sequence = region != NULL ? cs_sequence_load_region(file, region, &failure)
                                          : cs_sequence_load(file, name, &failure);
    if (sequence != NULL)
        return sequence;
    /* The library knows what is wrong but not the commands' options. */
    if (name == NULL && cs_error_get_detail(failure) == CS_DETAIL_RECORDS) {
        g_autofree char *message = g_steal_pointer(&failure->message);
        failure->message = g_strdup_printf("%s (--%s-name)", message, sides[side]);
    }
    g_propagate_error(error, failure);
    return NULL;
}

typedef struct {
    const CsPair *pair;
    CsSequence *query;
    GError *error;
} Loading;

static gpointer
load_query(gpointer data)
{
    Loading *loading = data;
    loading->query = cs_pair_load(loading->pair, 1, &loading->error);
    return NULL;
}

static gboolean
is_file(const char *name)
{
    return strcmp(name, "-") != 0 && g_file_test(name, G_FILE_TEST_IS_REGULAR);
}

/* A pipe, a terminal or the like. */
static gboolean
is_stream(const char *name)
{
    return strcmp(name, "-") == 0 || (g_file_test(name, G_FILE_TEST_EXISTS) && !is_file(name) &&
                                      !g_file_test(name, G_FILE_TEST_IS_DIR));
}

gboolean
cs_pair_load_both(const CsPair *pair, CsSequence **target, CsSequence **query, GError **error)
{
    Loading loading = {.pair = pair};
    GThread *thread = NULL;
    /* A pipe may never end, and the other file may be wrong: that one comes first. */
    const gboolean query_first = is_stream(pair->files[0]) && !is_stream(pair->files[1]);
    if (query_first)
        load_query(&loading);
    else if (is_file(pair->files[0]) && is_file(pair->files[1]))
        thread = g_thread_try_new("query", load_query, &loading, NULL);
    *target = query_first && loading.query == NULL ? NULL : cs_pair_load(pair, 0, error);
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

const char *
cs_pair_strand_name(CsStrand strand)
{
    return strand == CS_STRAND_BOTH ? "both" : strand == CS_STRAND_MINUS ? "-" : "+";
}

CsStrand
cs_pair_strand_of(const char *name)
{
    return strcmp(name, "both") == 0 ? CS_STRAND_BOTH
           : strcmp(name, "-") == 0  ? CS_STRAND_MINUS
                                     : CS_STRAND_PLUS;
}

gint64
cs_pair_cells(gint64 target_length, gint64 query_length, CsStrand strand)
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
cs_pair_tell(int side, const CsSequence *sequence)
{
    const gboolean part =
        cs_sequence_get_length(sequence) < cs_sequence_get_record_length(sequence);
    cs_say(CS_SAY_DETAIL,
           "%s %s: %" G_GINT64_FORMAT " letters, %" G_GINT64_FORMAT
           " of them ambiguous, which match nothing%s",
           sides[side], shown_name(sequence), cs_sequence_get_length(sequence),
           cs_sequence_get_ambiguous(sequence),
           cs_sequence_is_indexed(sequence) ? "; read by the file's index"
           : part                           ? "; all of the file was read, without a fresh index"
                                            : "");
}

void
cs_pair_warn(int side, const CsSequence *sequence)
{
    if (cs_sequence_get_ambiguous(sequence) <= cs_sequence_get_length(sequence) / 2)
        return;
    cs_say(CS_SAY_WARNING,
           "%s %s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
           " letters are N or other ambiguous ones, which match nothing",
           sides[side], shown_name(sequence), cs_sequence_get_ambiguous(sequence),
           cs_sequence_get_length(sequence));
}
