/* The options of search, and of plan search: from the command line to a job. */
#ifndef CS_SEARCH_ARGUMENTS_H
#define CS_SEARCH_ARGUMENTS_H

#include <chromosweep/search.h>

#include "command/records_arguments.h"
#include "formats/search_format.h"

/* The command line as GOption returns it: every value as it was typed. */
typedef struct {
    CsRecordsArguments records;
    char *number, *min_score, *max_evalue, *strand;
} CsSearchArguments;

/* What to do. The strings belong to the arguments. */
typedef struct {
    CsRecordsJob records;
    CsSearchOptions options;
    CsSearchFormat format;
    CsColumns columns;
} CsSearchJob;

gboolean cs_search_arguments_parse(CsSearchArguments *arguments, int argc, char **argv,
                                   GError **error);
gboolean cs_search_arguments_job(const CsSearchArguments *arguments, CsSearchJob *job,
                                 GError **error);
void cs_search_arguments_clear(CsSearchArguments *arguments);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsSearchArguments, cs_search_arguments_clear)

#endif
