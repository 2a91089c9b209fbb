/*
 * Strands: their names, how a sweep of one reads the query, and where a cell as swept lies on the
 * forward strands of both records.
 */
#ifndef CS_STRAND_H
#define CS_STRAND_H

#include <chromosweep/strand.h>

#include "sequence/view.h"
#include "sweep/types.h"

/* "+", "-" and "both", as formats have them. */
static inline const char *
cs_strand_name(CsStrand strand)
{
    return strand == CS_STRAND_BOTH ? "both" : strand == CS_STRAND_MINUS ? "-" : "+";
}

/* FALSE if it is not the name of a strand. */
static inline gboolean
cs_strand_read(const char *name, CsStrand *strand)
{
    for (*strand = CS_STRAND_PLUS; *strand <= CS_STRAND_BOTH; ++*strand)
        if (g_strcmp0(name, cs_strand_name(*strand)) == 0)
            return TRUE;
    return FALSE;
}

/* The query as a sweep of plus or minus reads it. */
static inline CsView
cs_strand_view(const CsSequence *query, CsStrand strand)
{
    CsView view = cs_view_of(query);
    view.reversed = view.complement = strand == CS_STRAND_MINUS;
    return view;
}

/* The strand whose best is the result. */
static inline CsStrand
cs_strand_better(const CsBest *plus, const CsBest *minus)
{
    return minus->score > plus->score ? CS_STRAND_MINUS : CS_STRAND_PLUS;
}

typedef struct {
    gboolean transposed;  /* the query lies along the rows */
    gint64 target_offset; /* bases of the record before the first */
    gint64 query_offset;
    gint64 query_length;
} CsPlacement;

/* The end in the target (query), 1-based in the whole record; 0 if the score is 0. */
static inline gint64
cs_placement_target(const CsPlacement *placement, const CsBest *best)
{
    gint64 end = placement->transposed ? best->j : best->i;
    return best->score > 0 ? placement->target_offset + end : 0;
}

static inline gint64
cs_placement_query(const CsPlacement *placement, CsStrand strand, const CsBest *best)
{
    gint64 end = placement->transposed ? best->i : best->j;
    if (strand == CS_STRAND_MINUS)
        end = placement->query_length - end + 1;
    return best->score > 0 ? placement->query_offset + end : 0;
}

#endif
