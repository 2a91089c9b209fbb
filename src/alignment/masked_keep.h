/*
 * The tiles of a masked matrix in a checkpoint (checkpoint/found_log.h): what leaves each, its best
 * cell, and what both were computed from. So a tile that was kept says itself whether it is still
 * what it was, whatever became of the others: it is if the same borders enter it, and the same
 * pairs are masked. A tile that is missing or damaged is computed again.
 *
 *     a record: | tile, masked pairs, best score, row, column | digest | sizes | row | column |
 *
 * The row below the tile and the column right of it are packed (checkpoint/bus_codec.h). The first
 * record says which tiles they are. Later records of a tile replace earlier ones; a file in which
 * those take more than half is written anew.
 */
#ifndef CS_MASKED_KEEP_H
#define CS_MASKED_KEEP_H

#include "alignment/mask.h"
#include "checkpoint/found_log.h"
#include "sweep/bus.h"

/* What the tiles are of. */
typedef struct {
    gint64 m, n, side;
    CsWidth width;
    CsMaskArea area;
    CsScore least;   /* best cells that score less were not looked for */
    CsScore highest; /* possible score */
} CsMaskedKind;

/* A digest of all that enters a tile. */
typedef struct {
    guint64 words[2];
} CsMaskedDigest;

typedef struct {
    gint64 pairs; /* masked in it */
    CsBest best;
    CsMaskedDigest entered;
} CsMaskedKept;

typedef struct _CsMaskedKeep CsMaskedKeep;

/* Whether there are tiles under that name, of the same matrix and for the same or a lower least score;
 * kind then gets their side and that score. */
gboolean cs_masked_keep_find(const CsCheckpoint *checkpoint, const char *name, CsMaskedKind *kind);

/* Opens what is kept under that name, or begins anew. Fails as writing does. Damage is reported to
 * the note function of the checkpoint. */
CsMaskedKeep *cs_masked_keep_new(const CsCheckpoint *checkpoint, const char *name,
                                 const CsMaskedKind *kind, GError **error);
void cs_masked_keep_free(CsMaskedKeep *keep);

/* Appends the numbers (gint64) of the tiles that are there. */
void cs_masked_keep_list(const CsMaskedKeep *keep, GArray *numbers);

/* Reads a tile; FALSE: it is not kept, or damaged. Then the buses hold nothing useful. */
gboolean cs_masked_keep_load(CsMaskedKeep *keep, gint64 tile, CsMaskedKept *kept, CsBus *row,
                             CsBus *column);

/* Appends a tile. */
gboolean cs_masked_keep_save(CsMaskedKeep *keep, gint64 tile, const CsMaskedKept *kept,
                             const CsBus *row, const CsBus *column, GError **error);

/* Writes the file anew if most of it is of no more use. */
gboolean cs_masked_keep_tidy(CsMaskedKeep *keep, GError **error);

/* Tiles that were there but damaged. */
gint64 cs_masked_keep_damaged(const CsMaskedKeep *keep);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsMaskedKeep, cs_masked_keep_free)

#endif
