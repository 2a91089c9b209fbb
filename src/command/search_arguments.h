/* The options of search, and of plan search: from the command line to a job. */
#ifndef CS_SEARCH_ARGUMENTS_H
#define CS_SEARCH_ARGUMENTS_H

#include <chromosweep/search.h>

#include "command/help.h"
#include "command/progress.h"
#include "command/run_job.h"
#include "formats/search_format.h"

/* The command line as GOption returns it: every value as it was typed. */
typedef struct {
    char *number, *min_score, *max_evalue, *type, *matrix, *strand;
    char *match, *mismatch, *gap_open, *gap_extend;
    char *format, *columns, *output, *threads, *device, *progress, *log_file;
    char *checkpoint, *checkpoint_interval, *max_time;
    CsHelpArguments help;
    gboolean align, quiet, verbose, no_resume, cleanup;
    char **files;
    char *command_line;
} CsSearchArguments;

/* What to do. The strings belong to the arguments. */
typedef struct {
    CsSearchOptions options;
    const char *files[2]; /* queries and database */
    CsSearchFormat format;
    CsColumns columns;
    CsProgressForm progress;
    double max_time; /* seconds from start; 0: no limit */
    gint64 start;    /* of the program, on the monotonic clock */
    CsRunJob places; /* the files, for those who check that none is another */
} CsSearchJob;

gboolean cs_search_arguments_parse(CsSearchArguments *arguments, int argc, char **argv,
                                   GError **error);
gboolean cs_search_arguments_job(const CsSearchArguments *arguments, CsSearchJob *job,
                                 GError **error);
void cs_search_arguments_clear(CsSearchArguments *arguments);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsSearchArguments, cs_search_arguments_clear)

#endif
