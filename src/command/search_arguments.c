/* The options of search: from the command line to a job. */
#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/run_arguments.h"
#include "command/search_arguments.h"

void
cs_search_arguments_clear(CsSearchArguments *a)
{
    cs_records_arguments_clear(&a->records);
    g_free(a->number);
    g_free(a->min_score);
    g_free(a->max_evalue);
    g_free(a->strand);
}

gboolean
cs_search_arguments_parse(CsSearchArguments *a, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        {"number", 'n', 0, G_OPTION_ARG_FILENAME, &a->number, NULL, NULL},
        {"min-score", 0, 0, G_OPTION_ARG_FILENAME, &a->min_score, NULL, NULL},
        {"max-evalue", 0, 0, G_OPTION_ARG_FILENAME, &a->max_evalue, NULL, NULL},
        {"strand", 0, 0, G_OPTION_ARG_FILENAME, &a->strand, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    return cs_records_arguments_parse(&a->records, entries, argc, argv, error);
}

static gboolean
parse_evalue(const char *text, double *evalue, GError **error)
{
    char *end;
    if (text == NULL)
        return TRUE;
    *evalue = g_ascii_strtod(text, &end);
    return (end > text && *end == '\0' && *evalue >= 0 && *evalue <= G_MAXDOUBLE) ||
           cs_arguments_usage(error, "--max-evalue must be a number such as 10 or 1e-3, not '%s'",
                              text);
}

static gboolean
parse_format(const CsRecordsArguments *a, CsSearchJob *job, GError **error)
{
    static const char *const endings[] = {"", ".tsv", ".json", ""};
    guint place;
    if (!cs_records_arguments_format(a, cs_search_format_names, endings, &place, error))
        return FALSE;
    job->format = (CsSearchFormat)place;
    job->options.align = a->align || job->format == CS_SEARCH_FORMAT_BLAST6;
    const char *list = a->columns != NULL ? a->columns
                       : a->align         ? cs_search_aligned_columns
                                          : CS_COLUMNS_DEFAULT;
    return cs_arguments_columns(&cs_search_columns, list, &job->columns, error);
}

gboolean
cs_search_arguments_job(const CsSearchArguments *a, CsSearchJob *job, GError **error)
{
    static const char wanted[] = "two files, QUERIES.fa and DATABASE.fa";
    CsSearchOptions options = CS_SEARCH_OPTIONS_INIT;
    *job = (CsSearchJob){.records = CS_RECORDS_JOB_OF(options)};
    if (!cs_records_arguments_job(&a->records, 2, wanted, a->strand != NULL ? "--strand" : NULL,
                                  &job->records, error) ||
        !cs_arguments_number("--number", a->number, 1, G_MAXINT32, &options.number, error) ||
        !cs_arguments_number("--min-score", a->min_score, 0, G_MAXINT64, &options.min_score,
                             error) ||
        !parse_evalue(a->max_evalue, &options.max_evalue, error) ||
        !cs_run_arguments_strand(a->strand, &options.strand, error))
        return FALSE;
    CS_RECORDS_JOB_FILL(&options, &job->records);
    job->options = options;
    return parse_format(&a->records, job, error);
}
