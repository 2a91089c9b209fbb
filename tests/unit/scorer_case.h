/* Sequences for tests of scorers on a GPU. */
#ifndef SCORER_CASE_H
#define SCORER_CASE_H

#include <chromosweep/device.h>

#include "scores/scorer_class.h"

enum {
    LONGEST = 1 << 18, /* of a record that the GPU takes */
};

/* Skips the test if there is none. */
static inline gboolean
has_gpu(void)
{
    if (cs_device_describe("gpu", NULL, NULL) != NULL)
        return TRUE;
    g_test_skip("no GPU");
    return FALSE;
}

static inline CsScorerSequence
random_sequence(GRand *rand, gint64 length, guint letters)
{
    guint8 *codes = g_malloc(MAX((gsize)length, 1));
    for (gint64 k = 0; k < length; k++)
        codes[k] = (guint8)g_rand_int_range(rand, 0, (gint32)letters);
    return (CsScorerSequence){codes, length};
}

/* Begins like another one, with letters changed, left out and added, so that paths are long. */
static inline CsScorerSequence
similar_sequence(GRand *rand, const CsScorerSequence *other, gint64 length, guint letters)
{
    CsScorerSequence sequence = random_sequence(rand, length, letters);
    guint8 *codes = (guint8 *)sequence.letters;
    gint64 i = 0;
    for (gint64 k = 0; k < length && i < other->length; k++, i++) {
        const gint lot = g_rand_int_range(rand, 0, 30);
        codes[k] = lot == 0 ? codes[k] : other->letters[i];
        i += lot == 1 ? g_rand_int_range(rand, 1, 5) : lot == 2 && i > 3 ? -2 : 0;
    }
    return sequence;
}

static inline void
sequences_clear(CsScorerSequence *sequences, guint count)
{
    for (guint k = 0; k < count; k++)
        g_free((gpointer)sequences[k].letters);
}

#endif
