/* A sequence's inside, for the modules that make one or read its codes. */
#ifndef CS_SEQUENCE_PRIVATE_H
#define CS_SEQUENCE_PRIVATE_H

#include <chromosweep/sequence.h>

struct _CsSequence {
    gatomicrefcount references;
    char *file; /* NULL when made in memory */
    char *name;
    gint64 offset; /* bases of the record before the first of these */
    gint64 length;
    gint64 record_length; /* of the record that these are a part or all of */
    gint64 clipped;       /* bases that the region asked for past the record's end */
    gint64 ambiguous;
    gboolean indexed; /* read by the file's index */
    guint8 *codes;    /* length of them (bases.h), g_free() */
};

/* Takes over the content's file, name and codes (from g_malloc); its references do not count. */
CsSequence *cs_sequence_new_take(const CsSequence *content);

#endif
