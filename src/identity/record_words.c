/* Counts words: see record_words.h. */
#include "identity/record_words.h"
#include "system/memory.h"
#include "system/parallel.h"

enum {
    ALIGNMENT = 16,
    RECORDS_AT_ONCE = 256, /* a task */
};

typedef struct {
    const CsRecordWords *words;
    const CsIdentitySide *side;
    guint8 *to;
} Counting;

static void
count_some(gint64 task, gpointer data)
{
    const Counting *counting = data;
    const gint64 end = MIN((task + 1) * RECORDS_AT_ONCE, counting->side->count);
    for (gint64 k = task * RECORDS_AT_ONCE; k < end; k++)
        cs_identity_filter_count(&counting->words->filter, cs_identity_letters(counting->side, k),
                                 counting->side->records[k].length,
                                 counting->to + counting->words->bytes * (gsize)k);
}

static guint
sides_of(const CsIdentityInputs *inputs)
{
    return inputs->one_file ? 1 : 2;
}

gint64
cs_record_words_bytes(const CsIdentityFilter *filter, const CsIdentityInputs *inputs)
{
    gint64 bytes = 0;
    for (guint k = 0; k < sides_of(inputs); k++)
        bytes += inputs->sides[k].count * (gint64)cs_identity_filter_bytes(filter);
    return bytes;
}

gboolean
cs_record_words_init(CsRecordWords *words, const CsIdentityFilter *filter,
                     const CsIdentityInputs *inputs, guint threads, const gint *stop)
{
    *words = (CsRecordWords){.filter = *filter, .bytes = cs_identity_filter_bytes(filter)};
    for (guint k = 0; words->bytes > 0 && k < sides_of(inputs); k++) {
        const CsIdentitySide *side = &inputs->sides[k];
        words->memory[k] = cs_memory_try(words->bytes * (gsize)side->count + ALIGNMENT, 1);
        if (words->memory[k] == NULL)
            return FALSE;
        const gsize skipped = -(gsize)words->memory[k] % ALIGNMENT;
        words->words[k] = (guint8 *)words->memory[k] + skipped;
        Counting counting = {words, side, words->words[k]};
        const gint64 tasks = (side->count + RECORDS_AT_ONCE - 1) / RECORDS_AT_ONCE;
        if (!cs_parallel_run(tasks, threads, stop, count_some, &counting))
            return FALSE;
    }
    if (inputs->one_file)
        words->words[1] = words->words[0];
    return TRUE;
}

void
cs_record_words_clear(CsRecordWords *words)
{
    g_clear_pointer(&words->memory[0], g_free);
    g_clear_pointer(&words->memory[1], g_free);
}

gboolean
cs_record_words_pass(const CsRecordWords *words, const CsIdentityInputs *inputs, gint64 row,
                     gint64 column)
{
    const gint64 m = inputs->rows->records[row].length;
    const gint64 n = inputs->columns->records[column].length;
    return cs_identity_filter_lengths(&words->filter, m, n) &&
           (words->bytes == 0 ||
            cs_identity_filter_words(&words->filter, m, words->words[0] + words->bytes * (gsize)row,
                                     n, words->words[1] + words->bytes * (gsize)column));
}
