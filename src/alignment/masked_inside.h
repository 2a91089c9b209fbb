/*
 * What masked_matrix.c, which computes the tiles of a masked matrix, and masked_trace.c, which walks
 * back through them, both know of it.
 */
#ifndef CS_MASKED_INSIDE_H
#define CS_MASKED_INSIDE_H

#include "alignment/masked_keep.h"
#include "alignment/masked_matrix.h"
#include "system/parallel.h"

typedef struct {
    gint64 number, row, column; /* of all tiles, and its place among them */
    CsBus *bottom, *right;      /* what leaves it */
    GArray *runs;               /* masked, of CsMaskRun; or NULL */
    CsBest best;
    gboolean changed;                                     /* what it is computed from */
    gboolean row_changed, column_changed, corner_changed; /* of its borders, when last computed */
    gint64 pairs;                                         /* masked ones */
    CsMaskedDigest entered;                               /* what it was computed from */
    gboolean unsaved;
    gboolean leads; /* to a mark; else it matters only as long as a high score enters */
    guint group;    /* of tiles that touch each other, from 0 */
} CsMaskedSquare;

struct _CsMaskedMatrix {
    CsMaskedOptions options;
    CsRectangle whole;
    CsWidth width;
    gint64 m, n, side;
    gint64 rows, columns;  /* of tiles */
    GHashTable *squares;   /* the tiles that can matter: CsMaskedSquare, by number */
    GPtrArray *all;        /* the same, in any order */
    GPtrArray **waiting;   /* of each diagonal of tiles: those that changed; or NULL */
    gint64 first;          /* none wait on diagonals before */
    guint grouped, groups; /* how many tiles have a group; how many groups */
    CsCrew *crew;
    gint64 cells;
    CsMaskedKeep *keep; /* or NULL */
    gint64 saved;       /* when, on the monotonic clock */
    gboolean begun;     /* the tiles that can matter are known */
    double area, left;  /* cells of all tiles, and of those that changed */
    gint millionths;    /* atomic: the share of the others */
    gint stop, save;    /* atomic: asked to */
};

/* Rows and columns of a tile. */
typedef struct {
    gint64 above, height, left_of, width;
} CsMaskedPlace;

CsMaskedPlace cs_masked_place(const CsMaskedMatrix *matrix, gint64 row, gint64 column);

/* The tile of a place, or NULL: it cannot matter. */
CsMaskedSquare *cs_masked_square(const CsMaskedMatrix *matrix, gint64 row, gint64 column);

/* A copy of so many cells of a bus; zeros without one. */
CsBus *cs_masked_copy(const CsMaskedMatrix *matrix, const CsBus *bus, gint64 from, gint64 count,
                      GError **error);

/* The borders that enter a tile, from the first of its columns and rows on. */
gboolean cs_masked_enter(const CsMaskedMatrix *matrix, const CsMaskedPlace *place,
                         CsMaskedPart *part, GError **error);

CsMaskedTile cs_masked_kernel(const CsMaskedMatrix *matrix, const CsMaskedSquare *square);

/* Walks back from an end. The path was initialised there, and is still to be turned. */
gboolean cs_masked_walk(const CsMaskedMatrix *matrix, const CsBest *end, CsPath *path,
                        GError **error);

static inline void
cs_masked_part_clear(CsMaskedPart *part)
{
    g_clear_pointer(&part->row, cs_bus_free);
    g_clear_pointer(&part->column, cs_bus_free);
}

typedef CsMaskedPart CsMaskedOwned;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsMaskedOwned, cs_masked_part_clear)

#endif
