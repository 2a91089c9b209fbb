/* Messages of far comparisons: see far_message.h. */
#include <string.h>

#include <xxhash.h>

#include "compare/far_message.h"
#include "ranks/bulk.h"
#include "sequence/sequence_private.h"

/* The numbers of a sequence. */
typedef struct {
    gint64 offset, length, record_length, clipped, ambiguous, indexed;
} Numbers;

static Numbers
numbers_of(const CsSequence *s)
{
    return (Numbers){s->offset, s->length, s->record_length, s->clipped, s->ambiguous, s->indexed};
}

void
cs_far_key(const CsSequence *sequence, char key[CS_FAR_KEY])
{
    const Numbers numbers = numbers_of(sequence);
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, &numbers, sizeof numbers);
    XXH3_128bits_update(state, sequence->name, strlen(sequence->name) + 1);
    if (sequence->file != NULL)
        XXH3_128bits_update(state, sequence->file, strlen(sequence->file) + 1);
    if (sequence->length > 0)
        XXH3_128bits_update(state, sequence->codes, (gsize)sequence->length);
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    g_snprintf(key, CS_FAR_KEY, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
               (guint64)hash.high64, (guint64)hash.low64);
}

void
cs_far_put_sequence(GString *message, const CsSequence *sequence)
{
    const Numbers numbers = numbers_of(sequence);
    CS_MESSAGE_PUT(message, numbers);
    cs_message_put_text(message, sequence->name);
    cs_message_put_text(message, sequence->file);
}

CsSequence *
cs_far_receive_sequence(guint from, CsMessageIn *message, GError **failure)
{
    Numbers numbers;
    CS_MESSAGE_GET(message, numbers);
    g_autofree char *name = cs_message_get_text(message);
    g_autofree char *file = cs_message_get_text(message);
    if (*failure == NULL)
        (void)cs_message_check(message, failure);
    g_autofree guint8 *codes = cs_bulk_receive(from, numbers.length, failure);
    if (*failure != NULL)
        return NULL;
    const CsSequence content = {.file = g_steal_pointer(&file),
                                .name = g_steal_pointer(&name),
                                .offset = numbers.offset,
                                .length = numbers.length,
                                .record_length = numbers.record_length,
                                .clipped = numbers.clipped,
                                .ambiguous = numbers.ambiguous,
                                .indexed = numbers.indexed != 0,
                                .codes = g_steal_pointer(&codes)};
    return cs_sequence_new_take(&content);
}

void
cs_far_put_options(GString *message, const CsCompareOptions *options)
{
    CS_MESSAGE_PUT(message, *options);
    cs_message_put_text(message, options->engine);
    cs_message_put_text(message, options->device);
    cs_message_put_text(message, options->checkpoint);
    cs_message_put_text(message, options->memo);
}

void
cs_far_get_options(CsMessageIn *message, CsCompareOptions *options, char *texts[4])
{
    CS_MESSAGE_GET(message, *options);
    for (guint k = 0; k < 4; k++)
        texts[k] = cs_message_get_text(message);
    options->engine = texts[0];
    options->device = texts[1];
    options->checkpoint = texts[2];
    options->memo = texts[3];
    options->progress = NULL;
    options->note = NULL;
    options->control = NULL;
}

void
cs_far_put_result(GString *message, const CsCompareResult *result)
{
    CS_MESSAGE_PUT(message, *result);
    cs_message_put_text(message, result->engine);
    cs_message_put_text(message, result->device);
}

void
cs_far_get_result(CsMessageIn *message, CsCompareResult *result)
{
    CS_MESSAGE_GET(message, *result);
    g_autofree char *engine = cs_message_get_text(message);
    g_autofree char *device = cs_message_get_text(message);
    result->engine = g_intern_string(engine);
    result->device = g_intern_string(device);
}
