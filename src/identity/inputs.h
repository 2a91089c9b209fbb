/* What a run of cs_identity() compares: the records of one or two files, and how letters score. */
#ifndef CS_IDENTITY_INPUTS_H
#define CS_IDENTITY_INPUTS_H

#include <chromosweep/identity.h>

#include "search/letter_scoring.h"

/* A file. Letters are codes of search/alphabet.h. */
typedef struct {
    CsRecordChunk *chunk; /* holds names and letters */
    CsIdentityRecord *records;
    gint64 count, letters, longest;
} CsIdentitySide;

typedef struct {
    CsAlphabet alphabet;
    gboolean one_file;
    CsIdentitySide sides[2];    /* of one file only the first */
    const CsIdentitySide *rows; /* the first file */
    const CsIdentitySide *columns;
    CsLetterScoring scoring;
} CsIdentityInputs;

/* Reads the files; second may be NULL. The inputs are zeroes before. Errors are those of
 * cs_identity(). */
gboolean cs_identity_inputs_init(CsIdentityInputs *inputs, const char *first, const char *second,
                                 const CsIdentityOptions *options, GError **error);

/* Fills a side, which takes the chunk. FALSE: not enough memory. */
gboolean cs_identity_side_take(CsIdentitySide *side, CsRecordChunk *chunk, GError **error);

/* Which sides are rows and columns. */
void cs_identity_inputs_arrange(CsIdentityInputs *inputs, gboolean one_file);

void cs_identity_inputs_clear(CsIdentityInputs *inputs);

/* Letters of record k. */
static inline const guint8 *
cs_identity_letters(const CsIdentitySide *side, gint64 k)
{
    return side->chunk->letters + side->chunk->records[k].letters;
}

#endif
