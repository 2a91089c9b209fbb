/*
 * What the files of a masked matrix know of it.
 *
 *     masked_matrix.c   which tiles there are, what is masked, and which groups they form
 *     masked_batch.c    tiles are computed, and what leaves them is passed on
 *     masked_saved.c    tiles in the checkpoint
 *     masked_trace.c    the walk back through tiles
 *     masked_traces.c   many of them at the same time, and how far they are in the checkpoint
 */
#ifndef CS_MASKED_INSIDE_H
#define CS_MASKED_INSIDE_H

#include "alignment/masked_keep.h"
#include "alignment/masked_matrix.h"
#include "alignment/walk.h"
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

/* How far an alignment is traced back. */
typedef struct {
    CsBest end;
    CsNode node;
    gboolean complete; /* it starts at the node */
    gboolean kept;     /* an earlier run has traced a part of it */
    CsPath path;       /* from the end to the node; turned if it is complete */
} CsMaskedTrace;

struct _CsMaskedMatrix {
    CsMaskedOptions options;
    CsRectangle whole;
    CsWidth width;
    gint64 m, n, side;
    gint64 rows, columns;  /* of tiles */
    GHashTable *squares;   /* the tiles that can matter: CsMaskedSquare, by number */
    GPtrArray *all;        /* the same, in any order */
    GPtrArray **waiting;   /* of each diagonal of tiles: those that changed; or NULL */
    gint64 *firsts;        /* of each section: none wait on its diagonals before */
    gint64 section;        /* diagonals of a section; there is one for each thread, or one */
    guint grouped, groups; /* how many tiles have a group; how many groups */
    CsCrew *crew;
    gint64 cells;
    CsMaskedKeep *keep; /* or NULL */
    gint64 saved;       /* when, on the monotonic clock */
    GArray *traces;    /* of CsMaskedTrace: those that an earlier run began; NULL: not loaded yet */
    gboolean begun;    /* the tiles that can matter are known */
    double area, left; /* cells of all tiles, and of those that changed */
    gint millionths;   /* atomic: the share of the others */
    gint stop, save;   /* atomic: asked to */
};

/* Rows and columns of a tile. */
typedef struct {
    gint64 above, height, left_of, width;
} CsMaskedPlace;

CsMaskedPlace cs_masked_place(const CsMaskedMatrix *matrix, gint64 row, gint64 column);

/* The tile of a place, or NULL: it cannot matter. */
CsMaskedSquare *cs_masked_square(const CsMaskedMatrix *matrix, gint64 row, gint64 column);

CsMaskedPlace cs_masked_place_of(const CsMaskedMatrix *matrix, const CsMaskedSquare *square);

/* The tile of that place, which from now on can matter. */
CsMaskedSquare *cs_masked_add(CsMaskedMatrix *matrix, gint64 row, gint64 column, GError **error);

/* Adds the tiles that so high a score enters from this one that they can matter. */
gboolean cs_masked_add_entered(CsMaskedMatrix *matrix, const CsMaskedSquare *square,
                               GError **error);

/* The tile has to be computed, or need not be. */
void cs_masked_set_changed(CsMaskedMatrix *matrix, CsMaskedSquare *square);
void cs_masked_set_done(CsMaskedMatrix *matrix, CsMaskedSquare *square);

/* H of a tile's last cell. */
CsScore cs_masked_last(const CsMaskedSquare *square);

/* A copy of so many cells of a bus; zeros without one. */
CsBus *cs_masked_copy(const CsMaskedMatrix *matrix, const CsBus *bus, gint64 from, gint64 count,
                      GError **error);

/* The borders that enter a tile, from the first of its columns and rows on. */
gboolean cs_masked_enter(const CsMaskedMatrix *matrix, const CsMaskedPlace *place,
                         CsMaskedPart *part, GError **error);

/* What is masked in all of the matrix, and by these runs. */
CsMask cs_masked_mask(const CsMaskedMatrix *matrix, const GArray *runs);

CsMaskedTile cs_masked_kernel(const CsMaskedMatrix *matrix, const CsMaskedSquare *square);

/* How many sections the diagonals of tiles are cut into. */
gint64 cs_masked_sections(const CsMaskedMatrix *matrix);

/* Computes some tiles that changed. */
gboolean cs_masked_compute(CsMaskedMatrix *matrix, GError **error);

/* What tiles are kept as, and a digest of what enters one. */
CsMaskedKind cs_masked_kind(const CsMaskedMatrix *matrix);
CsMaskedDigest cs_masked_digest(const CsMaskedPart *part);

/* Opens what is kept. Tiles that cannot be kept only cost time. */
void cs_masked_open_keep(CsMaskedMatrix *matrix);

/* Loads all tiles that were kept. Pairs of all alignments were masked before. */
gboolean cs_masked_load(CsMaskedMatrix *matrix, GError **error);

/* Which tiles lead to marks: reads what an earlier run found, or keeps it, which saves time and
 * nothing else. */
gboolean cs_masked_load_zone(const CsMaskedMatrix *matrix, GArray *numbers);
void cs_masked_save_zone(const CsMaskedMatrix *matrix, GArray *numbers);

/* Whether it is time to save. */
gboolean cs_masked_save_is_due(const CsMaskedMatrix *matrix);

/* Goes on with a trace, until it is complete, or until it is to stop or to be saved. After CS_ERROR_STOPPED,
 * too, it is as it was at the border of a tile. */
gboolean cs_masked_walk(const CsMaskedMatrix *matrix, CsMaskedTrace *trace, GError **error);

/* Traces alignments on all threads; those that are not complete were stopped. */
gboolean cs_masked_traces_run(CsMaskedMatrix *matrix, CsMaskedTrace *traces, guint count,
                              GError **error);
void cs_masked_traces_free(GArray *traces);

static inline void
cs_masked_part_clear(CsMaskedPart *part)
{
    g_clear_pointer(&part->row, cs_bus_free);
    g_clear_pointer(&part->column, cs_bus_free);
}

typedef CsMaskedPart CsMaskedOwned;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsMaskedOwned, cs_masked_part_clear)

#endif
