/* The scorer of a GPU: which kernel computes what (score_kernel.h). */
#include <string.h>

#include "cuda/cuda_passes.h"
#include "cuda/cuda_scores.h"
#include "cuda/score_kernel.h"

struct _CsScorer {
    CsCudaTapes tapes;
    gboolean two_records[CS_SCORER_SLOTS]; /* of the slots: in a tape; otherwise two sequences */
    gint32 exact_top;                      /* the highest score that is exact */
    gint32 first;                          /* cost of a gap's first letter */
    gboolean any_gains;                    /* some are below minus that */
    guint32 minus_first, minus_more;
    CsCudaBuffer pairs;
};

/* See score_kernel.cu. Without a gain above 0 every score is 0, for which no GPU is needed. */
static gboolean
accepts(const CsScorerScoring *scoring)
{
    return scoring->highest > 0 && scoring->lowest >= G_MININT16 && scoring->more >= 0 &&
           scoring->first >= scoring->more && scoring->first < G_MAXINT16 &&
           scoring->highest < G_MAXINT16 - scoring->first && scoring->letters < CS_LETTERS_MAX;
}

static void
scorer_free(CsScorer *scorer)
{
    cs_cuda_tapes_clear(&scorer->tapes);
    cs_cuda_buffer_clear(&scorer->pairs);
    g_free(scorer);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsScorer, scorer_free)

static guint32
both_halves(gint64 value)
{
    return (guint32)(value & 0xffff) * 0x10001u;
}

static gboolean
make_pairs(CsScorer *scorer, const CsScorerScoring *scoring, GError **error)
{
    gint16 pairs[CS_LETTERS_MAX * CS_TAPE_PAIR_LETTERS];
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        for (guint b = 0; b < CS_LETTERS_MAX; b++)
            pairs[a * CS_TAPE_PAIR_LETTERS + b] = (gint16)scoring->pairs[a][b];
    return cs_cuda_buffer_reserve(&scorer->pairs, sizeof pairs, error) &&
           cs_cuda_tapes_upload(&scorer->tapes, scorer->pairs.start, pairs, sizeof pairs, error) &&
           cs_cuda_tapes_wait(&scorer->tapes, error);
}

static CsScorer *
scorer_open(const char *device, const CsScorerScoring *scoring, GError **error)
{
    g_autoptr(CsScorer) scorer = g_new0(CsScorer, 1);
    scorer->exact_top = (gint32)(G_MAXINT16 - scoring->highest - scoring->first);
    scorer->first = (gint32)scoring->first;
    /* Rows behind the end of a query gain -1. */
    scorer->any_gains = MIN(scoring->lowest, -1) < -scoring->first;
    scorer->minus_first = both_halves(-scoring->first);
    scorer->minus_more = both_halves(-scoring->more);
    return cs_cuda_tapes_open(&scorer->tapes, device, scoring->letters, error) &&
                   make_pairs(scorer, scoring, error)
               ? g_steal_pointer(&scorer)
               : NULL;
}

static const char *
describe(const CsScorer *scorer)
{
    return cs_cuda_tapes_describe(&scorer->tapes);
}

static gboolean
load(CsScorer *scorer, const CsScorerSequence *records, guint count, guint threads, GError **error)
{
    return cs_cuda_tapes_load(&scorer->tapes, records, count, threads, error);
}

/* The forms that the device can run. */
static GArray *
list_forms(const CsScorer *scorer, gboolean two_records)
{
    GArray *forms = g_array_new(FALSE, FALSE, sizeof(CsCudaForm));
    for (const CsScoreKernel *kernel = cs_score_kernels; kernel->tape.rows > 0; kernel++)
        if (kernel->tape.two_records == two_records && kernel->any_gains == scorer->any_gains)
            cs_cuda_forms_add(forms, &scorer->tapes, &kernel->tape, two_records ? 8.5 : 6.6);
    return forms;
}

/* Uploads the sequences, computes them and fetches the scores. */
static gboolean
submit_sequences(CsScorer *scorer, CsCudaSlot *slot, const CsScorerSequence *one,
                 const CsScorerSequence *other, GError **error)
{
    CsCudaTapes *tapes = &scorer->tapes;
    const gsize score_bytes = other == NULL ? sizeof(gint16) : sizeof(guint32);
    const gint64 rows = MAX(one->length, other != NULL ? other->length : 0);
    g_autoptr(GArray) forms = list_forms(scorer, other == NULL);
    const CsCudaPasses passes = cs_cuda_passes_plan(forms, rows);
    CsTapeLaunch launch;
    if (!cs_cuda_tapes_begin(tapes, slot, one, other, score_bytes, &launch, error))
        return FALSE;
    launch.pairs = scorer->pairs.start;
    launch.minus_first = scorer->minus_first;
    launch.minus_more = scorer->minus_more;
    launch.first = scorer->first;
    return cs_cuda_passes_start(&passes, tapes, sizeof(CsScoreCell), &launch, error) &&
           cs_cuda_tapes_fetch(tapes, slot, score_bytes, error);
}

static gboolean
submit(CsScorer *scorer, const CsScorerSequence *one, const CsScorerSequence *other, GError **error)
{
    CsCudaTapes *tapes = &scorer->tapes;
    const gint64 longest = MAX(one->length, other != NULL ? other->length : 0);
    CsCudaSlot *slot = cs_cuda_tapes_next_slot(tapes, longest, error);
    if (slot == NULL)
        return FALSE;
    scorer->two_records[slot - tapes->slots] = other == NULL;
    return (!slot->known || submit_sequences(scorer, slot, one, other, error)) &&
           cs_cuda_tapes_submit(tapes, slot, error);
}

/* -1 if the score may be wrong. */
static inline gint32
trusted(const CsScorer *scorer, gint16 score)
{
    return score <= scorer->exact_top ? score : -1;
}

static gboolean
collect(CsScorer *scorer, gint32 *one, gint32 *other, GError **error)
{
    const CsCudaTapes *tapes = &scorer->tapes;
    const CsCudaSlot *slot = cs_cuda_tapes_collect(&scorer->tapes, error);
    if (slot == NULL)
        return FALSE;
    const guint count = slot->known ? tapes->count : 0;
    if (scorer->two_records[slot - tapes->slots]) {
        const gint16 *scores = slot->fetched.start;
        for (guint k = 0; k < count; k++)
            one[k] = trusted(scorer, scores[k]);
    } else {
        const guint32 *words = slot->fetched.start;
        for (guint k = 0; k < count; k++) {
            one[k] = trusted(scorer, (gint16)words[k]);
            other[k] = trusted(scorer, (gint16)(words[k] >> 16));
        }
    }
    for (guint k = 0; k < cs_cuda_tapes_unknown(tapes, slot); k++) {
        const guint number = cs_cuda_tapes_unknown_at(tapes, slot, k);
        one[number] = -1;
        if (other != NULL)
            other[number] = -1;
    }
    return TRUE;
}

const CsScorerClass cs_cuda_scorer = {
    .accepts = accepts,
    .open = scorer_open,
    .describe = describe,
    .load = load,
    .submit = submit,
    .collect = collect,
    .free = scorer_free,
};
