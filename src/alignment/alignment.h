/* The alignment that the library returns: a path, and the two sequences. */
#ifndef CS_ALIGNMENT_H
#define CS_ALIGNMENT_H

#include <chromosweep/alignment.h>

#include "alignment/path.h"
#include "sweep/strand.h"

/*
 * Makes an alignment from a path through the matrix of a strand. Takes the path over, and keeps a
 * reference to the sequences. Fails with CS_ERROR_FAILED if the path, scored anew, does not have
 * this score; the path is then still the caller's.
 */
CsAlignment *cs_alignment_new(const CsSequence *target, const CsSequence *query, CsStrand strand,
                              const CsPlacement *placement, const CsRectangle *matrix, CsPath *path,
                              CsScore score, GError **error);

/* One of several sequences, which were joined. */
typedef struct {
    const CsSequence *sequence;
    gint64 before; /* bases of the joined sequence before its own */
    guint place;   /* its number among them, from 0 */
} CsAlignmentRecord;

/* Tells the places of its records among several. */
void cs_alignment_place(CsAlignment *alignment, guint target, guint query);

/* Makes an alignment of joined sequences one of the records in which it lies. */
void cs_alignment_move(CsAlignment *alignment, const CsAlignmentRecord *target,
                       const CsAlignmentRecord *query);

/* Its path, and whether that lies in a matrix with the query along the rows. */
const CsPath *cs_alignment_get_path(const CsAlignment *alignment, gboolean *transposed);

/* The lengths of the records that are circular; else 0. */
void cs_alignment_get_periods(const CsAlignment *alignment, gint64 *target, gint64 *query);

/* Moves the alignment by so many bases, to another copy of a circular record. */
void cs_alignment_turn(CsAlignment *alignment, gint64 target, gint64 query);

#endif
