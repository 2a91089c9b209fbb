/* The fields of an alignment but for its path: one table that text, TSV and JSON are made from. */
#ifndef CS_ALIGNMENT_FIELDS_H
#define CS_ALIGNMENT_FIELDS_H

#include "formats/alignment_format.h"
#include "formats/fields.h"

/* What the fields are read from. Numbers that are not known are -1. Nothing in it is owned. */
typedef struct {
    const char *files[2];
    const CsSequence *sequences[2];
    CsScoring scoring;
    gboolean found; /* there is an alignment */
    CsAlignmentSummary summary;
    double identity, identity_gap_compressed;
    const char *cigar;
} CsAlignmentReport;

/* Of a part of the story, or of all of it; NULL: there is none. cigar: its own, or NULL. */
void cs_alignment_report_init(CsAlignmentReport *report, const CsAlignmentStory *story,
                              const CsAlignment *part, const char *cigar);

/* Of a CsAlignmentReport. */
extern const CsField cs_alignment_fields[];

#endif
