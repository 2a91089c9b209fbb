/*
 * What of a tile is done before all of it is: the numbers of its first pairs, where their paths are divided, and how far
 * the sweep has come that is under way. Saved every so often, so that tiles that take hours need not begin again.
 *
 * A tile is computed from its beginning again, with the same pairs in the same order. Those that the part has are
 * taken from there. What does not agree with it is computed, so a part can only save time.
 */
#ifndef CS_PART_H
#define CS_PART_H

#include "identity/global_pairs.h"

/* Where parts are kept. Its functions may be called by any thread, for a tile from one at a time. */
typedef struct {
    gint64 interval; /* microseconds until a part is saved again */
    gint64 cells;    /* about how many are computed between saves at least */
    gint64 *resumed; /* (nullable): atomic; cells that are taken from a part are added */
    /* The bytes of a tile's part, for g_free(); NULL: there are none. */
    guint8 *(*load)(gint64 tile, gsize *size, gpointer data);
    /* Keeps them, in place of earlier ones; takes the bytes. done: cells that need not be computed again. */
    void (*save)(gint64 tile, gint64 done, guint8 *bytes, gsize size, gpointer data);
    gpointer data;
} CsPartKeeper;

typedef struct _CsPart CsPart;

/* The part of a tile, as far as it was kept. */
CsPart *cs_part_new(const CsPartKeeper *keeper, gint64 tile);
void cs_part_free(CsPart *part);

/* Does what cs_global_pairs() does, for a row of the tile and records among these letters. Without a part, too. */
gboolean cs_part_pairs(CsPart *part, gint64 row, const guint8 *letters, const CsGlobalQuery *query,
                       const CsLaneRecord *records, gint64 count, CsGlobalFound *found);

/* Likewise cs_global_path(), of a record of the row whose numbers were found. */
gboolean cs_part_path(CsPart *part, gint64 row, const guint8 *letters, const CsGlobalQuery *query,
                      const CsLaneRecord *record, const CsGlobalFound *found, GString *cigar);

/* Saves what is not saved, before a tile is given up. */
void cs_part_save(CsPart *part);

/* The time that earlier runs took for it. */
gint64 cs_part_microseconds(const CsPart *part);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsPart, cs_part_free)

#endif
