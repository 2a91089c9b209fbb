/* The options of identity, and of plan identity: from the command line to a job. */
#ifndef CS_IDENTITY_ARGUMENTS_H
#define CS_IDENTITY_ARGUMENTS_H

#include "command/clusters.h"
#include "command/records_arguments.h"
#include "formats/identity_format.h"

/* The command line as GOption returns it: every value as it was typed. */
typedef struct {
    CsRecordsArguments records;
    char *over, *min_identity, *clusters, *cluster_rule;
} CsIdentityArguments;

/* What to do. The strings belong to the arguments. */
typedef struct {
    CsRecordsJob records;
    CsIdentityOptions options;
    CsIdentityFormat format;
    CsColumns columns;
    const char *clusters; /* the file; NULL: none are wanted */
    CsClusterRule rule;
} CsIdentityJob;

gboolean cs_identity_arguments_parse(CsIdentityArguments *arguments, int argc, char **argv,
                                     GError **error);
gboolean cs_identity_arguments_job(const CsIdentityArguments *arguments, CsIdentityJob *job,
                                   GError **error);
void cs_identity_arguments_clear(CsIdentityArguments *arguments);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsIdentityArguments, cs_identity_arguments_clear)

#endif
