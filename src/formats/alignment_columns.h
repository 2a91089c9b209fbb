/* The columns of an alignment with their bases, from left to right along the target. */
#ifndef CS_ALIGNMENT_COLUMNS_H
#define CS_ALIGNMENT_COLUMNS_H

#include "formats/alignment_format.h"

typedef struct {
    const CsSequence *records[2]; /* target and query */
    CsStrand strand;
    CsAlignmentIter iter;
    CsAlignmentRun left; /* what is left of the current run */
    gint64 target,
        query; /* compared bases before them, the query's on the strand that is aligned */
} CsAlignmentColumns;

/* Of a part of the story. */
void cs_alignment_columns_init(CsAlignmentColumns *columns, const CsAlignmentStory *story,
                               const CsAlignment *part);

void cs_alignment_columns_clear(CsAlignmentColumns *columns);

/*
 * Reads the next columns, at most `most`, all from one run: its op, and the bases of both sides, with
 * '-' where there is no base. No NUL follows. Returns the number of columns; 0 after the last.
 */
gint64 cs_alignment_columns_next(CsAlignmentColumns *columns, gint64 most, char *op, char *target,
                                 char *query);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsAlignmentColumns, cs_alignment_columns_clear)

#endif
