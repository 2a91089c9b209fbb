/* Tile scores as a table. */
#ifndef CS_TILES_TSV_H
#define CS_TILES_TSV_H

#include <chromosweep/sequence.h>
#include <chromosweep/tiles.h>

/* The line with the column names. It begins with #, as in our other tables. */
#define CS_TILES_TSV_HEADER                                                                        \
    "#target_start\ttarget_end\tquery_start\tquery_end\tplus_score\tminus_score\n"

/* A line for each tile of row r. These tiles share one piece of the target. */
char *cs_tiles_tsv_row(const CsTiles *tiles, gint64 r, const CsSequence *target,
                       const CsSequence *query);

#endif
