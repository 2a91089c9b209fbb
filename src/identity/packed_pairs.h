/*
 * Pairs as bytes, in memory and in logs: rows follow each other, and in a row the columns. A number
 * takes 7 bits a byte, the lowest first, and all bytes but the last have the highest bit.
 *
 *     for each row of the tile: how many pairs are kept; for each of them: columns skipped since
 *     the last one, the score (2s, or -2s-1 if s < 0), matches, columns of the alignment less the
 *     matches; with alignments also the length of the CIGAR, and the CIGAR
 */
#ifndef CS_PACKED_PAIRS_H
#define CS_PACKED_PAIRS_H

#include <glib.h>

typedef struct {
    guint8 *bytes;
    gsize size, room;
    gboolean failed; /* not enough memory; what follows is lost */
} CsPackedPairs;

void cs_packed_pairs_clear(CsPackedPairs *packed);

/* The bytes, for g_free(), in no more memory than they need. Nothing is left. */
guint8 *cs_packed_pairs_steal(CsPackedPairs *packed);

/* How many bytes a number takes. */
gint64 cs_packed_pairs_number_bytes(guint64 number);

void cs_packed_pairs_add_number(CsPackedPairs *packed, guint64 number);
void cs_packed_pairs_add_score(CsPackedPairs *packed, gint64 score);
void cs_packed_pairs_add_text(CsPackedPairs *packed, const char *text, gsize length);

/* What is left to read. */
typedef struct {
    const guint8 *next, *end;
} CsPackedReader;

/* FALSE: the bytes end, or are none of these. */
gboolean cs_packed_reader_number(CsPackedReader *reader, guint64 *number);
gboolean cs_packed_reader_score(CsPackedReader *reader, gint64 *score);

/* Where the text is, which has no NUL. */
gboolean cs_packed_reader_text(CsPackedReader *reader, const char **text, gsize *length);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CsPackedPairs, cs_packed_pairs_clear)

#endif
