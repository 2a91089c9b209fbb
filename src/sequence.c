/* Sequences in memory. They never change once made, so threads share them without locks. */
#include <string.h>

#include <chromosweep/error.h>

#include "display.h"
#include "sequence_private.h"
#include "view.h"

#define INVALID_16 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
#define INVALID_64 INVALID_16, INVALID_16, INVALID_16, INVALID_16

/* '@' and A to O, then P to Z and what follows; U is T. */
#define AT_TO_O 255, 0, 4, 1, 4, 255, 255, 2, 4, 255, 255, 4, 255, 4, 4, 255
#define P_TO_Z 255, 255, 4, 4, 3, 3, 4, 4, 255, 4, 255, 255, 255, 255, 255, 255

const guint8 cs_letter_codes[256] = {
    INVALID_64,         /* controls, digits, punctuation */
    AT_TO_O,    P_TO_Z, /* upper case */
    AT_TO_O,    P_TO_Z, /* lower case */
    INVALID_64,         /* not ASCII */
    INVALID_64,
};

CsSequence *
cs_sequence_new_take(char *file, char *name, guint8 *codes, gint64 length, gint64 ambiguous)
{
    g_assert(name != NULL && length >= 0 && ambiguous >= 0 && ambiguous <= length);
    g_assert(codes != NULL || length == 0);

    CsSequence *sequence = g_new(CsSequence, 1);
    g_atomic_ref_count_init(&sequence->references);
    sequence->file = file;
    sequence->name = name;
    sequence->length = length;
    sequence->ambiguous = ambiguous;
    sequence->codes = codes;
    return sequence;
}

CsSequence *
cs_sequence_new(const char *name, const char *letters, gint64 length, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);
    g_return_val_if_fail(letters != NULL || length == 0, NULL);
    g_return_val_if_fail(length >= -1, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    if (length < 0)
        length = (gint64)strlen(letters);
    g_autofree guint8 *codes = g_try_malloc((gsize)length);
    if (codes == NULL && length > 0) {
        g_autofree char *shown = cs_display_name(name);
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "sequence \"%s\": cannot allocate %" G_GINT64_FORMAT " bytes", shown, length);
        return NULL;
    }
    gint64 ambiguous = 0;
    for (gint64 k = 0; k < length; k++) {
        guint8 letter = (guint8)letters[k];
        codes[k] = cs_letter_codes[letter];
        if (codes[k] == CS_CODE_INVALID) {
            g_autofree char *shown = cs_display_name(name);
            g_autofree char *byte = cs_display_byte(letter);
            g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                        "sequence \"%s\": %s at offset %" G_GINT64_FORMAT
                        " is not a nucleotide letter",
                        shown, byte, k);
            return NULL;
        }
        ambiguous += codes[k] == CS_CODE_AMBIGUOUS;
    }
    return cs_sequence_new_take(NULL, g_strdup(name), g_steal_pointer(&codes), length, ambiguous);
}

CsSequence *
cs_sequence_reverse_complement(const CsSequence *sequence, GError **error)
{
    g_return_val_if_fail(sequence != NULL, NULL);
    g_autofree guint8 *codes = g_try_malloc((gsize)sequence->length);
    if (codes == NULL && sequence->length > 0) {
        g_autofree char *shown = cs_display_name(sequence->name);
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "sequence \"%s\": too little memory for its other strand", shown);
        return NULL;
    }
    CsView other = cs_view_of(sequence);
    other.reversed = other.complement = TRUE;
    cs_view_read(&other, CS_CODE_AMBIGUOUS, codes);
    return cs_sequence_new_take(g_strdup(sequence->file), g_strdup(sequence->name),
                                g_steal_pointer(&codes), sequence->length, sequence->ambiguous);
}

CsSequence *
cs_sequence_ref(CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, NULL);
    g_atomic_ref_count_inc(&sequence->references);
    return sequence;
}

void
cs_sequence_unref(CsSequence *sequence)
{
    g_return_if_fail(sequence != NULL);
    if (!g_atomic_ref_count_dec(&sequence->references))
        return;
    g_free(sequence->file);
    g_free(sequence->name);
    g_free(sequence->codes);
    g_free(sequence);
}

const char *
cs_sequence_get_file(const CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, NULL);
    return sequence->file;
}

const char *
cs_sequence_get_name(const CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, NULL);
    return sequence->name;
}

gint64
cs_sequence_get_length(const CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, 0);
    return sequence->length;
}

gint64
cs_sequence_get_ambiguous(const CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, 0);
    return sequence->ambiguous;
}
