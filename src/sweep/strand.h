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

/* The base of the target (query) in the row or column of a cell, 1-based in the whole record; 0 if
 * the cell's score is 0. */
static inline gint64
cs_placement_target(const CsPlacement *placement, const CsBest *cell)
{
    gint64 base = placement->transposed ? cell->j : cell->i;
    return cell->score > 0 ? placement->target_offset + base : 0;
}

static inline gint64
cs_placement_query(const CsPlacement *placement, CsStrand strand, const CsBest *cell)
{
    gint64 base = placement->transposed ? cell->i : cell->j;
    if (strand == CS_STRAND_MINUS)
        base = placement->query_length - base + 1;
    return cell->score > 0 ? placement->query_offset + base : 0;
}

/* Bases of both records, first to last on the forward strand; 0: not known. */
typedef struct {
    gint64 target_start, target_end;
    gint64 query_start, query_end;
} CsLocation;

/* What lies between two cells of the sweep of a strand. One of score 0 is not known. */
static inline CsLocation
cs_placement_locate(const CsPlacement *placement, CsStrand strand, const CsBest *first,
                    const CsBest *last)
{
    const gint64 from = cs_placement_query(placement, strand, first);
    const gint64 to = cs_placement_query(placement, strand, last);
    return (CsLocation){.target_start = cs_placement_target(placement, first),
                        .target_end = cs_placement_target(placement, last),
                        .query_start = strand == CS_STRAND_MINUS ? to : from,
                        .query_end = strand == CS_STRAND_MINUS ? from : to};
}

#endif
