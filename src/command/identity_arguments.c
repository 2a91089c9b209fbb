/* The options of identity: from the command line to a job. */
#include <string.h>

#include <chromosweep/chromosweep.h>

#include "command/arguments.h"
#include "command/identity_arguments.h"
#include "command/places.h"

void
cs_identity_arguments_clear(CsIdentityArguments *a)
{
    cs_records_arguments_clear(&a->records);
    g_free(a->over);
    g_free(a->min_identity);
    g_free(a->clusters);
    g_free(a->cluster_rule);
}

gboolean
cs_identity_arguments_parse(CsIdentityArguments *a, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        {"identity", 0, 0, G_OPTION_ARG_FILENAME, &a->over, NULL, NULL},
        {"min-identity", 0, 0, G_OPTION_ARG_FILENAME, &a->min_identity, NULL, NULL},
        {"clusters", 0, 0, G_OPTION_ARG_FILENAME, &a->clusters, NULL, NULL},
        {"cluster-rule", 0, 0, G_OPTION_ARG_FILENAME, &a->cluster_rule, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    return cs_records_arguments_parse(&a->records, entries, argc, argv, error);
}

/* Reads "0.97" or "97%". A percentage is parsed as one number, 97e-2. Dividing by 100 would round twice:
 * 99.9% would differ from 0.999. */
static gboolean
parse_min_identity(const char *text, double *least, GError **error)
{
    if (text == NULL)
        return TRUE;
    const gboolean percent = g_str_has_suffix(text, "%");
    const gsize length = strlen(text) - (percent ? 1 : 0);
    const gboolean plain = length > 0 && strspn(text, "0123456789.") == length;
    g_autofree char *bare = g_strndup(text, length);
    g_autofree char *number = g_strconcat(bare, percent ? "e-2" : "", NULL);
    char *end = number;
    *least = plain ? g_ascii_strtod(number, &end) : -1;
    return (plain && *end == '\0' && *least >= 0 && *least <= 1) ||
           cs_arguments_usage(error,
                              "--min-identity must be from 0 to 1, such as 0.97, or from 0%% to "
                              "100%%, such as 97%%, not '%s'",
                              text);
}

static gboolean
parse_over(const char *text, CsIdentityOver *over, GError **error)
{
    guint place = *over;
    if (!cs_arguments_choice("--identity", text, cs_identity_over_names, &place, error))
        return FALSE;
    *over = (CsIdentityOver)place;
    return TRUE;
}

static gboolean
parse_format(const CsIdentityArguments *arguments, CsIdentityJob *job, GError **error)
{
    const CsRecordsArguments *a = &arguments->records;
    guint place;
    if (!cs_records_arguments_format(a, cs_identity_format_names, cs_identity_format_endings,
                                     &place, error))
        return FALSE;
    job->format = (CsIdentityFormat)place;
    const gboolean matrix = job->format >= CS_IDENTITY_FORMAT_PHYLIP;
    if (matrix && job->records.files[1] != NULL)
        return cs_arguments_usage(error, "--format %s is a matrix of the records of one file",
                                  cs_identity_format_names[place]);
    if (matrix && job->options.min_identity > 0)
        return cs_arguments_usage(
            error, "--format %s needs every pair, and --min-identity leaves some out",
            cs_identity_format_names[place]);
    if (matrix && a->align)
        return cs_arguments_usage(error, "--format %s has no alignments, so --align is of no use",
                                  cs_identity_format_names[place]);
    const char *list = a->columns != NULL ? a->columns
                       : a->align         ? cs_identity_aligned_columns
                                          : CS_COLUMNS_DEFAULT;
    return cs_arguments_columns(&cs_identity_columns, list, &job->columns, error);
}

static gboolean
is_standard(const char *output)
{
    return output == NULL || strcmp(output, "-") == 0;
}

static gboolean
parse_clusters(const CsIdentityArguments *a, CsIdentityJob *job, GError **error)
{
    const char *output = a->records.output;
    guint place = CS_CLUSTER_SINGLE;
    if (!cs_arguments_choice("--cluster-rule", a->cluster_rule, cs_cluster_rule_names, &place,
                             error))
        return FALSE;
    job->rule = (CsClusterRule)place;
    job->clusters = a->clusters;
    if (a->clusters == NULL)
        return a->cluster_rule == NULL ||
               cs_arguments_usage(error, "--cluster-rule needs --clusters");
    if (a->clusters[0] == '\0')
        return cs_arguments_usage(error, "the name of the file of clusters is empty");
    if (job->records.files[1] != NULL)
        return cs_arguments_usage(error, "--clusters are those of the records of one file");
    if (a->min_identity == NULL)
        return cs_arguments_usage(error, "--clusters needs --min-identity");
    return !(is_standard(a->clusters)
                 ? is_standard(output)
                 : output != NULL && (strcmp(output, a->clusters) == 0 ||
                                      cs_places_are_same(output, a->clusters))) ||
           cs_arguments_usage(error, "--output and --clusters are the same file");
}

gboolean
cs_identity_arguments_job(const CsIdentityArguments *a, CsIdentityJob *job, GError **error)
{
    static const char wanted[] = "one file, or two, FILE.fa and SECOND.fa";
    const CsIdentityOptions defaults = CS_IDENTITY_OPTIONS_INIT;
    *job = (CsIdentityJob){.records = CS_RECORDS_JOB_OF(defaults), .options = defaults};
    if (!cs_records_arguments_job(&a->records, 1, wanted, NULL, &job->records, error) ||
        !parse_over(a->over, &job->options.over, error) ||
        !parse_min_identity(a->min_identity, &job->options.min_identity, error))
        return FALSE;
    CS_RECORDS_JOB_FILL(&job->options, &job->records);
    job->options.align = a->records.align;
    return parse_format(a, job, error) && parse_clusters(a, job, error);
}
