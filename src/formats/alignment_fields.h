/* The fields of an alignment: one table for text, TSV and JSON. */
#ifndef CS_ALIGNMENT_FIELDS_H
#define CS_ALIGNMENT_FIELDS_H

#include "formats/alignment_format.h"
#include "formats/fields.h"

/* What the fields are read from. An unknown number is -1. Nothing in it is owned. */
typedef struct {
    const char *files[2];
    const CsSequence *sequences[2];
    CsScoring scoring;
    gboolean found; /* there is an alignment */
    CsAlignmentSummary summary;
    double identity, identity_gap_compressed;
    gint64 secondary; /* of a set: whether it mostly repeats better ones, 1 or 0 */
    const char *cigar;
} CsAlignmentReport;

/* part: a part of the story, or all of it; NULL: there is no alignment. cigar: that of the part, or
 * NULL. */
void cs_alignment_report_init(CsAlignmentReport *report, const CsAlignmentStory *story,
                              const CsAlignment *part, const char *cigar);

/* Of a CsAlignmentReport. */
extern const CsField cs_alignment_fields[];

#endif
