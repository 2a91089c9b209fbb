/* A sequence's inside, for the modules that make one or read its codes. */
#ifndef CS_SEQUENCE_PRIVATE_H
#define CS_SEQUENCE_PRIVATE_H

#include <chromosweep/sequence.h>

/* One byte a base. The complement of a base c is 3 - c. */
enum {
    CS_CODE_A = 0,
    CS_CODE_C = 1,
    CS_CODE_G = 2,
    CS_CODE_T = 3,
    CS_CODE_AMBIGUOUS = 4, /* matches nothing, not even itself */
    CS_CODE_INVALID = 255, /* in cs_letter_codes: not a nucleotide letter */
};

/* The code of each byte as a letter, CS_CODE_INVALID where it is not an IUPAC nucleotide letter. */
extern const guint8 cs_letter_codes[256];

struct _CsSequence {
    gatomicrefcount references;
    char *file; /* NULL when made in memory */
    char *name;
    gint64 offset; /* letters of the record before the first of these */
    gint64 length;
    gint64 record_length; /* of the record that these are a part or all of */
    gint64 ambiguous;
    gboolean indexed; /* read by the file's index */
    guint8 *codes;    /* length of them, g_free() */
};

/* Takes over the content's file, name and codes (from g_malloc); its references do not count. */
CsSequence *cs_sequence_new_take(const CsSequence *content);

/*
 * Letters to codes, and how many of them are ambiguous. FALSE where one is no letter: the codes and
 * the count mean nothing then.
 */
gboolean cs_letters_encode(const guint8 *letters, gint64 length, guint8 *codes, gint64 *ambiguous);

#endif
