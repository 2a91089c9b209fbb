/*
 * Which seed is worth most to one that follows on the same or a lower diagonal (chain.c).
 *
 * Seed i may be followed that way by what begins at column c of row r if it ends at column c or before,
 * and on diagonal c - r or above. So at row r its columns are
 *
 *     from where it ends:           to its diagonal, which moves right with each row:
 *     a wall                        a slope
 *
 *          |    i          \             Of several seeds at a column the worthiest counts. So the
 *          +-----------+    \            columns of a row are cut by walls and slopes, and each part
 *          |            \    \           has one seed, or none.
 *          |    | k      \    \
 *
 * A seed enters at a point, at the row where it ends. If another seed is worth more there, it is so
 * everywhere. As rows pass, a slope comes to the next wall. Then either the slope ends there or the wall
 * does, whichever belongs to the seed that is worth less. So there are at most twice as many meetings
 * as seeds, and all takes O(n log n).
 */
#ifndef CS_CHAIN_FRONT_H
#define CS_CHAIN_FRONT_H

#include "lower_bound/place_set.h"

/* A wall or a slope. */
typedef struct {
    gint64 at;            /* its column, or its diagonal */
    gint64 value;         /* of the seed of the part on its right */
    gint32 seed;          /* -1: none */
    gint32 before, after; /* its neighbours at the row at hand; -1: none */
} CsChainEdge;

/* A seed and its places among all seeds, by where they end and by diagonals. */
typedef struct {
    gint32 seed;
    gint32 column, diagonal;
    gint64 value;    /* by which seeds are compared */
    gint64 row, end; /* where it ends; `end` is the column */
} CsChainEntry;

/* A slope comes to a wall. */
typedef struct {
    gint64 row;
    gint32 slope;
} CsChainMeeting;

typedef struct {
    gint32 count;    /* places of columns, and of diagonals */
    gint64 last_row; /* meetings below it do not matter */
    CsPlaceSet walls, slopes;
    CsChainEdge *edges; /* walls by the places of their columns, then slopes, then the left end */
    gint32 active;      /* slopes */
    CsChainMeeting *meetings; /* a heap, the next one first; some are out of date */
    gint32 pending;
} CsChainFront;

/* For so many seeds, as far as a row. FALSE if there is not enough memory. */
gboolean cs_chain_front_init(CsChainFront *front, gint32 count, gint64 last_row);
void cs_chain_front_clear(CsChainFront *front);

/* Goes on to a row, which is not above the last one. */
void cs_chain_front_go_to(CsChainFront *front, gint64 row);

/* A seed enters, at the row where it ends. Seeds at equal columns or diagonals have equal places. */
void cs_chain_front_enter(CsChainFront *front, const CsChainEntry *entry);

/* The edge left of the worthiest seed, if there is one, that ends at the place of a column or before
 * (-1: there is none), on a diagonal at this place or above. */
const CsChainEdge *cs_chain_front_find(const CsChainFront *front, gint64 row, gint32 column,
                                       gint32 diagonal);

/* The bytes that this takes for each seed. */
#define CS_CHAIN_FRONT_BYTES                                                                       \
    (2 * sizeof(CsChainEdge) + 2 * sizeof(CsChainMeeting) + 2 * CS_PLACE_SET_BYTES)

#endif
