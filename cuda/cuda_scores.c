/* The scorer of a GPU: which kernel computes what (score_kernel.h). */
#include <string.h>

#include "cuda/cuda_passes.h"
#include "cuda/cuda_scores.h"
#include "cuda/score_kernel.h"

struct _CsScorer {
    CsCudaTapes tapes;
    guint counts[CS_SCORER_SLOTS]; /* sequences of the slots */
    gint32 exact_top;              /* the highest score that is exact */
    guint32 minus_first, minus_more;
    CsCudaBuffer pairs;
};

/* See score_kernel.cu. Without a gain above 0 every score is 0, for which no GPU is needed. */
static gboolean
accepts(const CsScorerScoring *scoring)
{
    return scoring->highest > 0 && scoring->lowest >= G_MININT16 && scoring->more >= 0 &&
           scoring->first >= scoring->more && scoring->first + scoring->more <= -G_MININT16 &&
           scoring->highest < G_MAXINT16 && scoring->letters < CS_LETTER_NONE;
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
            pairs[a * CS_TAPE_PAIR_LETTERS + b] =
                a == CS_LETTER_NONE ? G_MININT16 : (gint16)scoring->pairs[a][b];
    return cs_cuda_buffer_reserve(&scorer->pairs, sizeof pairs, error) &&
           cs_cuda_tapes_upload(&scorer->tapes, scorer->pairs.start, pairs, sizeof pairs, error) &&
           cs_cuda_tapes_wait(&scorer->tapes, error);
}

static CsScorer *
scorer_open(const char *device, const CsScorerScoring *scoring, GError **error)
{
    g_autoptr(CsScorer) scorer = g_new0(CsScorer, 1);
    scorer->exact_top = (gint32)(G_MAXINT16 - scoring->highest);
    scorer->minus_first = both_halves(-scoring->first);
    scorer->minus_more = both_halves(-scoring->more);
    return cs_cuda_tapes_open(&scorer->tapes, device, scoring->letters, CS_SCORE_NONES, error) &&
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
    /* Fitted to what 22 forms took on an H100, to 3%, and one to 6%. */
    static const CsCudaCosts costs[] = {{10, 13, 3, 2, 0.5, 67, 1, 7}, {12, 1, 16, 2, 2, 0, 1, 7}};
    GArray *forms = g_array_new(FALSE, FALSE, sizeof(CsCudaForm));
    for (const CsTapeKernel *kernel = cs_score_kernels; kernel->rows > 0; kernel++)
        if (kernel->two_records == two_records)
            cs_cuda_forms_add(forms, &scorer->tapes, kernel, &costs[two_records]);
    return forms;
}

/* Uploads the letters of both halves, computes them and fetches the scores. */
static gboolean
start(CsScorer *scorer, CsCudaSlot *slot, const CsCudaPasses *passes, const CsScorerSequence *one,
      const CsScorerSequence *other, guint count, gint64 stripes, GError **error)
{
    CsCudaTapes *tapes = &scorer->tapes;
    const gsize score_bytes = count * sizeof(gint16);
    CsTapeLaunch launch;
    if (!cs_cuda_tapes_begin(tapes, slot, one, other, score_bytes, &launch, error))
        return FALSE;
    launch.pairs = scorer->pairs.start;
    launch.minus_first = scorer->minus_first;
    launch.minus_more = scorer->minus_more;
    launch.found_step = tapes->count + 1;
    for (guint half = 0; stripes > 0 && half < 2; half++) {
        launch.query_rows[half] = (gint32)(stripes * passes->form.kernel->rows);
        launch.stripes[half] = launch.queries[half] + launch.query_rows[half];
    }
    return cs_cuda_passes_start(passes, tapes, sizeof(CsScoreCell), &launch, error) &&
           cs_cuda_tapes_fetch(tapes, slot, score_bytes, error);
}

/* One query with two records at a time. */
static gboolean
start_alone(CsScorer *scorer, CsCudaSlot *slot, const CsScorerSequence *query, GError **error)
{
    g_autoptr(GArray) forms = list_forms(scorer, TRUE);
    const CsCudaPasses passes = cs_cuda_passes_plan(forms, query->length);
    return start(scorer, slot, &passes, query, NULL, 1, 0, error);
}

/* Two halves of queries with one record at a time. */
static gboolean
start_set(CsScorer *scorer, CsCudaSlot *slot, const CsScorerSequence *queries, guint count,
          GError **error)
{
    CsCudaStripes stripes;
    cs_cuda_stripes_init(&stripes, queries, count);
    g_autoptr(GArray) forms = list_forms(scorer, FALSE);
    const CsCudaPasses passes = cs_cuda_passes_plan_stripes(forms, &stripes);
    if (passes.count == 0)
        return start(scorer, slot, &passes, &queries[0], &queries[1], count, 0, error);
    const gint64 rows = passes.form.kernel->rows, lanes = passes.form.lanes;
    const gint64 laid = cs_cuda_stripes_count(&stripes, rows, lanes);
    const gint64 bytes = laid * (rows + 1) + CS_CUDA_STRIPES_PAD;
    g_autofree guint8 *halves = g_malloc(2 * (gsize)bytes);
    for (guint half = 0; half < 2; half++)
        cs_cuda_stripes_lay(&stripes, half, rows, lanes, laid, halves + half * bytes);
    const CsScorerSequence one = {halves, bytes}, other = {halves + bytes, bytes};
    /* What is uploaded from memory of this kind is copied before the call returns. */
    return start(scorer, slot, &passes, &one, &other, count, laid, error);
}

static gboolean
submit(CsScorer *scorer, const CsScorerSequence *sequences, guint count, GError **error)
{
    CsCudaTapes *tapes = &scorer->tapes;
    CsCudaSlot *slot = cs_cuda_tapes_next_slot(tapes, sequences[0].length, error);
    if (slot == NULL)
        return FALSE;
    scorer->counts[slot - tapes->slots] = count;
    return (!slot->known || (count == 1 ? start_alone(scorer, slot, sequences, error)
                                        : start_set(scorer, slot, sequences, count, error))) &&
           cs_cuda_tapes_submit(tapes, slot, error);
}

/* Copies scores; -1 if one may be wrong. */
static void
copy_exact(gint32 *restrict to, const gint16 *restrict from, guint count, gint32 exact_top)
{
    for (guint k = 0; k < count; k++)
        to[k] = from[k] <= exact_top ? from[k] : -1;
}

static gboolean
collect(CsScorer *scorer, gint32 *const *scores, GError **error)
{
    const CsCudaTapes *tapes = &scorer->tapes;
    const CsCudaSlot *slot = cs_cuda_tapes_collect(&scorer->tapes, error);
    if (slot == NULL)
        return FALSE;
    const guint count = slot->known ? tapes->count : 0;
    const guint unknown = cs_cuda_tapes_unknown(tapes, slot);
    for (guint k = 0; k < scorer->counts[slot - tapes->slots]; k++) {
        const gint16 *found = (const gint16 *)slot->fetched.start + k * (tapes->count + (gsize)1);
        copy_exact(scores[k], found, count, scorer->exact_top);
        for (guint l = 0; l < unknown; l++)
            scores[k][cs_cuda_tapes_unknown_at(tapes, slot, l)] = -1;
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
