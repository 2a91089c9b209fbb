/* The words of all records, for filters (filter.h). */
#ifndef CS_RECORD_WORDS_H
#define CS_RECORD_WORDS_H

#include "identity/filter.h"
#include "identity/inputs.h"

typedef struct {
    CsIdentityFilter filter;
    gsize bytes; /* of a record; 0: words are not used */
    gpointer memory[2];
    guint8 *words[2]; /* of the records of each side, one after the other; aligned */
} CsRecordWords;

/* The bytes that the words of the inputs take. */
gint64 cs_record_words_bytes(const CsIdentityFilter *filter, const CsIdentityInputs *inputs);

/* Counts them, on threads. FALSE: not enough memory, or *stop became nonzero. */
gboolean cs_record_words_init(CsRecordWords *words, const CsIdentityFilter *filter,
                              const CsIdentityInputs *inputs, guint threads, const gint *stop);

void cs_record_words_clear(CsRecordWords *words);

/* Whether a pair can reach the identity, by lengths and words. */
gboolean cs_record_words_pass(const CsRecordWords *words, const CsIdentityInputs *inputs,
                              gint64 row, gint64 column);

#endif
