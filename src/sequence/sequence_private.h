/* The members of a sequence, for modules that make sequences or read their codes. */
#ifndef CS_SEQUENCE_PRIVATE_H
#define CS_SEQUENCE_PRIVATE_H

#include <chromosweep/sequence.h>

struct _CsSequence {
    gatomicrefcount references;
    char *file; /* NULL when made in memory */
    char *name;
    gint64 offset; /* bases of the record before the region; 0 without a region */
    gint64 length;
    gint64 record_length; /* bases of the whole record */
    gint64 clipped;       /* bases that the region asked for past the record's end */
    gint64 ambiguous;
    gboolean indexed; /* read with the file's index */
    guint8 *codes;    /* one for each of `length` bases (bases.h); for g_free() */
};

/* Takes over the content's file, name and codes (from g_malloc). Its reference count is ignored. */
CsSequence *cs_sequence_new_take(const CsSequence *content);

/* A circular record as a sequence that has all its bases twice. Its record_length is still that of
 * the record. CS_ERROR_DEVICE if there is not enough memory. */
CsSequence *cs_sequence_new_doubled(const CsSequence *sequence, GError **error);

#endif
