/*
 * The scorer of global alignments on a GPU: which kernel computes what, and what its values mean
 * (global_kernel.cu).
 *
 * A value is one number: the score, with the cost of a gap's further letters added for each letter of
 * both sequences, then the matches, then the pairs, as digits of base W:
 *
 *     value = score * W^2 + matches * W + pairs        three digits
 *     value = score * W + matches                      two digits
 *
 * W is above the matches and the pairs of an alignment, so the highest value is that of the best score,
 * of those with the most matches, and of those with the most pairs, which has the fewest columns.
 * Since values add up like scores, the recurrence finds it.
 *
 * Two digits are enough without columns, or if these follow: gaps are linear, all matches gain the
 * same, and all other pairs the same, which is not what two unpaired letters cost. Then what the
 * score has beside its matches tells how many other pairs there are.
 *
 * Which pairs of sequences are exact. Let n be the shorter length, which neither matches nor pairs
 * exceed; W is above it. Values stay within n times the highest gain, and down to -4 times the cost of
 * opening a gap (global_kernel.cu). Both together are to fit. 32 bits are taken if all records fit; else 32
 * bits that move with the values, if these fit there; else 64, and records for which these are too few
 * are not known.
 */
#include "cuda/cuda_global.h"
#include "cuda/cuda_passes.h"
#include "cuda/global_kernel.h"

enum {
    PAIRS = CS_LETTERS_MAX * CS_TAPE_PAIR_LETTERS,
};

/* What a value is made of, for sequences of which one has at most `reach` letters. */
typedef struct {
    CsGlobalWidth width;
    gint64 reach;
    gint64 score, match, pair; /* what one of each is worth */
} Weights;

struct _CsGlobalScorer {
    CsCudaTapes tapes;
    gint32 pairs[CS_LETTERS_MAX][CS_LETTERS_MAX];
    gint64 highest; /* of pairs, with what both letters cost in a gap; at least 0 */
    guint32 matching;
    gint64 more, open; /* what each letter of a gap costs, and a gap besides */
    gboolean three_digits;
    /* If columns follow: what a match and another pair gain, with what both letters cost in a gap. */
    gboolean columns_follow;
    gint64 match_gain, other_gain;
    /* Of the slots. */
    Weights weights[CS_SCORER_SLOTS];
    gint64 rows[CS_SCORER_SLOTS];
    gint64 gains[CS_SCORER_SLOTS][PAIRS];
    CsCudaBuffer device_gains[CS_SCORER_SLOTS];
};

static void
scorer_free(CsGlobalScorer *scorer)
{
    cs_cuda_tapes_clear(&scorer->tapes);
    for (guint k = 0; k < CS_SCORER_SLOTS; k++)
        cs_cuda_buffer_clear(&scorer->device_gains[k]);
    g_free(scorer);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsGlobalScorer, scorer_free)

static gboolean
is_match(guint32 matching, guint a, guint b)
{
    return a == b && (matching >> a & 1) != 0;
}

/* Whether all matches gain the same, and all other pairs. */
static gboolean
is_uniform(CsGlobalScorer *scorer, guint letters)
{
    gint64 *const gains[] = {&scorer->other_gain, &scorer->match_gain};
    gboolean seen[] = {FALSE, FALSE};
    for (guint a = 0; a < letters; a++)
        for (guint b = 0; b < letters; b++) {
            const gboolean match = is_match(scorer->matching, a, b);
            const gint64 gain = scorer->pairs[a][b] + 2 * scorer->more;
            if (seen[match] && *gains[match] != gain)
                return FALSE;
            *gains[match] = gain;
            seen[match] = TRUE;
        }
    return TRUE;
}

static void
read_scoring(CsGlobalScorer *scorer, const CsGlobalScoring *scoring)
{
    scorer->matching = scoring->matching;
    scorer->more = scoring->more;
    scorer->open = scoring->first - scoring->more;
    for (guint a = 0; a < scoring->letters; a++)
        for (guint b = 0; b < scoring->letters; b++) {
            scorer->pairs[a][b] = scoring->pairs[a][b];
            scorer->highest = MAX(scorer->highest, scoring->pairs[a][b] + 2 * scoring->more);
        }
    scorer->columns_follow =
        is_uniform(scorer, scoring->letters) && scorer->open == 0 && scorer->other_gain != 0;
    scorer->three_digits = scoring->columns && !scorer->columns_follow;
}

static CsGlobalScorer *
scorer_open(const char *device, const CsGlobalScoring *scoring, GError **error)
{
    g_autoptr(CsGlobalScorer) scorer = g_new0(CsGlobalScorer, 1);
    read_scoring(scorer, scoring);
    return cs_cuda_tapes_open(&scorer->tapes, device, scoring->letters, CS_GLOBAL_NONES, error)
               ? g_steal_pointer(&scorer)
               : NULL;
}

static const char *
describe(const CsGlobalScorer *scorer)
{
    return cs_cuda_tapes_describe(&scorer->tapes);
}

static gboolean
load(CsGlobalScorer *scorer, const CsScorerSequence *records, guint count, guint threads,
     GError **error)
{
    return cs_cuda_tapes_load(&scorer->tapes, records, count, threads, error);
}

/* Sequences of which one has at most `reach` letters, which is below 2^25. */
static Weights
weights_of(const CsGlobalScorer *scorer, gint64 reach, CsGlobalWidth width)
{
    Weights weights = {width, reach, reach + 1, 1, 0};
    if (scorer->three_digits) {
        weights.match = weights.score;
        weights.score *= weights.match;
        weights.pair = 1;
    }
    return weights;
}

/* Whether values stay near enough to a base that moves (global_kernel.cu). */
static gboolean
is_near(gint64 gain, gint64 open)
{
    gint64 step, all;
    return !__builtin_add_overflow(gain, open, &step) &&
           !__builtin_mul_overflow(step, CS_GLOBAL_STEPS, &all) && all <= G_MAXINT32;
}

/* See above. */
static gboolean
fits(const CsGlobalScorer *scorer, const Weights *weights)
{
    gint64 gain, open, high, low, all;
    return !__builtin_mul_overflow(scorer->highest, weights->score, &gain) &&
           !__builtin_add_overflow(gain, weights->match + weights->pair, &gain) &&
           !__builtin_mul_overflow(gain, weights->reach, &high) &&
           !__builtin_mul_overflow(scorer->open, weights->score, &open) &&
           !__builtin_mul_overflow(open, 4, &low) && !__builtin_add_overflow(high, low, &all) &&
           all <= (weights->width == CS_GLOBAL_32 ? G_MAXINT32 : G_MAXINT64) &&
           (weights->width != CS_GLOBAL_MOVING || is_near(gain, open));
}

/* The weights for sequences of which one has at most `reach` letters; for fewer, if 64 bits do not hold
 * so many. */
static Weights
choose_weights(const CsGlobalScorer *scorer, gint64 reach)
{
    for (CsGlobalWidth width = CS_GLOBAL_32; width < CS_GLOBAL_64; width++) {
        const Weights narrow = weights_of(scorer, reach, width);
        if (fits(scorer, &narrow))
            return narrow;
    }
    gint64 low = 0, high = reach + 1; /* 0 letters fit, or none do */
    while (high - low > 1) {
        const gint64 middle = low + (high - low) / 2;
        const Weights weights = weights_of(scorer, middle, CS_GLOBAL_64);
        if (fits(scorer, &weights))
            low = middle;
        else
            high = middle;
    }
    return weights_of(scorer, low, CS_GLOBAL_64);
}

/* What pairs gain. None gains less than two gaps cost: there is a better alignment without. */
static void
make_gains(const CsGlobalScorer *scorer, const Weights *weights, gint64 *gains)
{
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        for (guint b = 0; b < CS_LETTERS_MAX; b++) {
            const gint64 gain = scorer->pairs[a][b] + 2 * scorer->more;
            gint64 *to = &gains[a * CS_TAPE_PAIR_LETTERS + b];
            *to = -2 * scorer->open * weights->score;
            if (gain >= -2 * scorer->open)
                *to = gain * weights->score + weights->pair +
                      (is_match(scorer->matching, a, b) ? weights->match : 0);
        }
}

/* The forms that the device can run. */
static GArray *
list_forms(const CsGlobalScorer *scorer, CsGlobalWidth width)
{
    /* Instructions for a row of a step: counted in those for compute capability 9.0, not measured. */
    static const double rows[][2] = {{2.25, 4.25}, {2.3, 4.35}, {10.5, 17.5}};
    const gboolean affine = scorer->open > 0;
    const CsCudaCosts costs = {rows[width][affine], 36, 2, 15, 0, 0, 1.12, 14};
    GArray *forms = g_array_new(FALSE, FALSE, sizeof(CsCudaForm));
    for (const CsGlobalKernel *kernel = cs_global_tape_kernels; kernel->tape.rows > 0; kernel++)
        if (kernel->width == width && kernel->affine == affine)
            cs_cuda_forms_add(forms, &scorer->tapes, &kernel->tape, &costs);
    return forms;
}

/* Of what is found. */
static gsize
value_bytes(const Weights *weights)
{
    return weights->width == CS_GLOBAL_32 ? sizeof(gint32) : sizeof(gint64);
}

static gsize
cell_bytes(const CsGlobalScorer *scorer, const Weights *weights)
{
    const gsize bytes = weights->width == CS_GLOBAL_64 ? sizeof(gint64) : sizeof(gint32);
    return scorer->open > 0 ? 2 * bytes : bytes;
}

/* Uploads the sequence, computes it and fetches the values. */
static gboolean
submit_sequence(CsGlobalScorer *scorer, CsCudaSlot *slot, const CsScorerSequence *sequence,
                GError **error)
{
    CsCudaTapes *tapes = &scorer->tapes;
    const gsize k = (gsize)(slot - tapes->slots);
    const Weights *weights = &scorer->weights[k];
    CsCudaBuffer *gains = &scorer->device_gains[k];
    g_autoptr(GArray) forms = list_forms(scorer, weights->width);
    const CsCudaPasses passes = cs_cuda_passes_plan(forms, sequence->length);
    CsTapeLaunch launch;
    make_gains(scorer, weights, scorer->gains[k]);
    if (!cs_cuda_tapes_begin(tapes, slot, sequence, NULL, value_bytes(weights), &launch, error) ||
        !cs_cuda_buffer_reserve(gains, sizeof scorer->gains[k], error) ||
        !cs_cuda_tapes_upload(tapes, gains->start, scorer->gains[k], sizeof scorer->gains[k],
                              error))
        return FALSE;
    launch.pairs = gains->start;
    launch.minus_open = -scorer->open * weights->score;
    return cs_cuda_passes_start(&passes, tapes, cell_bytes(scorer, weights), &launch, error) &&
           cs_cuda_tapes_fetch(tapes, slot, value_bytes(weights), error);
}

static gboolean
submit(CsGlobalScorer *scorer, const CsScorerSequence *sequence, GError **error)
{
    CsCudaTapes *tapes = &scorer->tapes;
    CsCudaSlot *slot = cs_cuda_tapes_next_slot(tapes, sequence->length, error);
    if (slot == NULL)
        return FALSE;
    const gsize k = (gsize)(slot - tapes->slots);
    scorer->rows[k] = sequence->length;
    if (slot->known)
        scorer->weights[k] = choose_weights(scorer, MIN(sequence->length, tapes->longest));
    slot->known = slot->known && scorer->weights[k].reach > 0;
    return (!slot->known || submit_sequence(scorer, slot, sequence, error)) &&
           cs_cuda_tapes_submit(tapes, slot, error);
}

/* What a value means for sequences of these lengths. */
static CsGlobalNumbers
numbers_of(const CsGlobalScorer *scorer, const Weights *weights, gint64 rows, gint64 length,
           gint64 value)
{
    if (MIN(rows, length) > weights->reach)
        return (CsGlobalNumbers){0, -1, -1};
    const gint64 digits = (value % weights->score + weights->score) % weights->score;
    const gint64 score = (value - digits) / weights->score, matches = digits / weights->match;
    gint64 pairs = -1;
    if (scorer->three_digits)
        pairs = digits % weights->match;
    else if (scorer->columns_follow)
        pairs = matches + (score - matches * scorer->match_gain) / scorer->other_gain;
    return (CsGlobalNumbers){score - (rows + length) * scorer->more, matches,
                             pairs >= 0 ? rows + length - pairs : -1};
}

static gboolean
collect(CsGlobalScorer *scorer, CsGlobalNumbers *numbers, GError **error)
{
    const CsCudaTapes *tapes = &scorer->tapes;
    const CsCudaSlot *slot = cs_cuda_tapes_collect(&scorer->tapes, error);
    if (slot == NULL)
        return FALSE;
    const gsize k = (gsize)(slot - tapes->slots);
    const Weights *weights = &scorer->weights[k];
    for (guint l = 0; slot->known && l < tapes->loaded; l++) {
        const CsTapeRecord *record = &tapes->places[l];
        const gint64 value = weights->width != CS_GLOBAL_32
                                 ? ((const gint64 *)slot->fetched.start)[record->number]
                                 : ((const gint32 *)slot->fetched.start)[record->number];
        numbers[record->number] =
            numbers_of(scorer, weights, scorer->rows[k], record->length, value);
    }
    for (guint l = 0; l < cs_cuda_tapes_unknown(tapes, slot); l++)
        numbers[cs_cuda_tapes_unknown_at(tapes, slot, l)] = (CsGlobalNumbers){0, -1, -1};
    return TRUE;
}

const CsGlobalScorerClass cs_cuda_global_scorer = {
    .open = scorer_open,
    .describe = describe,
    .load = load,
    .submit = submit,
    .collect = collect,
    .free = scorer_free,
};
