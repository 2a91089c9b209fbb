/* Sequences in memory. They never change once made, so threads can share them without locks. */
#include <string.h>

#include <chromosweep/error.h>

#include "sequence/bases.h"
#include "sequence/sequence_private.h"
#include "sequence/view.h"
#include "system/display.h"
#include "system/memory.h"

CsSequence *
cs_sequence_new_take(const CsSequence *content)
{
    g_assert(content->name != NULL && content->length >= 0);
    g_assert(content->codes != NULL || content->length == 0);
    g_assert(content->ambiguous >= 0 && content->ambiguous <= content->length);
    g_assert(content->offset >= 0 && content->offset <= content->record_length - content->length);

    CsSequence *sequence = g_memdup2(content, sizeof *content);
    g_atomic_ref_count_init(&sequence->references);
    return sequence;
}

CsSequence *
cs_sequence_new(const char *name, const char *bases, gint64 length, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);
    g_return_val_if_fail(bases != NULL || length == 0, NULL);
    g_return_val_if_fail(length >= -1, NULL);
    g_return_val_if_fail(error == NULL || *error == NULL, NULL);

    if (length < 0)
        length = (gint64)strlen(bases);
    g_autofree guint8 *codes = cs_memory_try((gsize)length, 1);
    if (codes == NULL && length > 0) {
        g_autofree char *shown = cs_display_name(name);
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "sequence \"%s\": cannot allocate %" G_GINT64_FORMAT " bytes", shown, length);
        return NULL;
    }
    gint64 ambiguous;
    if (!cs_bases_encode((const guint8 *)bases, length, codes, &ambiguous)) {
        gint64 bad = 0;
        while (codes[bad] != CS_CODE_INVALID)
            bad++;
        g_autofree char *shown = cs_display_name(name);
        g_autofree char *byte = cs_display_byte((guint8)bases[bad]);
        g_set_error(error, CS_ERROR, CS_ERROR_CONTENT,
                    "sequence \"%s\": %s at offset %" G_GINT64_FORMAT " is not a nucleotide code",
                    shown, byte, bad);
        return NULL;
    }
    const CsSequence content = {
        .name = g_strdup(name),
        .length = length,
        .record_length = length,
        .ambiguous = ambiguous,
        .codes = g_steal_pointer(&codes),
    };
    return cs_sequence_new_take(&content);
}

CsSequence *
cs_sequence_new_doubled(const CsSequence *sequence, GError **error)
{
    const gsize length = (gsize)sequence->length;
    guint8 *codes = cs_memory_try(2 * length, 1);
    if (codes == NULL && length > 0) {
        g_autofree char *shown = cs_display_name(sequence->name);
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "sequence \"%s\": cannot allocate %" G_GSIZE_FORMAT " bytes for both copies",
                    shown, 2 * length);
        return NULL;
    }
    memcpy(codes, sequence->codes, length);
    memcpy(codes + length, sequence->codes, length);
    CsSequence *doubled = g_memdup2(sequence, sizeof *sequence);
    g_atomic_ref_count_init(&doubled->references);
    doubled->file = g_strdup(sequence->file);
    doubled->name = g_strdup(sequence->name);
    doubled->length *= 2;
    doubled->ambiguous *= 2;
    doubled->codes = codes;
    return doubled;
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
cs_sequence_get_offset(const CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, 0);
    return sequence->offset;
}

gint64
cs_sequence_get_record_length(const CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, 0);
    return sequence->record_length;
}

gint64
cs_sequence_get_clipped(const CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, 0);
    return sequence->clipped;
}

gint64
cs_sequence_get_ambiguous(const CsSequence *sequence)
{
    g_return_val_if_fail(sequence != NULL, 0);
    return sequence->ambiguous;
}

gboolean
cs_sequence_is_indexed(const CsSequence *sequence)
{
    return sequence->indexed;
}

void
cs_sequence_read(const CsSequence *sequence, gint64 from, gint64 count, CsStrand strand,
                 char *bases)
{
    static const char letters[] = "ACGTN";
    g_return_if_fail(sequence != NULL && from >= 0 && count >= 0);
    g_return_if_fail(from <= sequence->length - count);
    CsView view = cs_view_of(sequence);
    view.reversed = view.complement = strand == CS_STRAND_MINUS;
    view = cs_view_slice(&view, from, count);
    cs_view_read(&view, CS_CODE_AMBIGUOUS, (guint8 *)bases);
    for (gint64 k = 0; k < count; k++)
        bases[k] = letters[(guint8)bases[k]];
}
