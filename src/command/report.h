/* A comparison's result as text for people, as TSV or as JSON. */
#ifndef CS_REPORT_H
#define CS_REPORT_H

#include <jansson.h>

#include <chromosweep/compare.h>

typedef enum {
    CS_REPORT_TEXT,
    CS_REPORT_TSV,
    CS_REPORT_JSON,
} CsReportFormat;

/* What a report tells; nothing in it is owned. */
typedef struct {
    const char *target_file; /* as it was given */
    const char *query_file;
    const CsSequence *target;
    const CsSequence *query;
    const CsScoring *scoring;
    const CsCompareResult *result;
    double seconds_total; /* loading included */
} CsReport;

/*
 * A region as --target-region takes it, "name:from-to", with the name in braces where it has a
 * colon or begins with a brace; NULL where from is 0, for a whole record.
 */
char *cs_report_region(const char *name, gint64 from, gint64 to);

/* The same of a sequence. */
char *cs_report_region_of(const CsSequence *sequence);

/* A mode for JSON; null for CS_SKIP_AUTO: of an earlier version's checkpoint it is not known. */
json_t *cs_report_skip_json(CsSkipMode skip);

/* The line that tells of a sequence; side is "target" or "query". */
void cs_report_append_sequence(GString *text, const char *side, const char *file,
                               const CsSequence *sequence);

/* The whole report, its final newline included. Reals have a point whatever the locale. */
char *cs_report_format(const CsReport *report, CsReportFormat format);

#endif
