/* How far the stages after the sweeps have come: see found_trace.h, docs/formats.md. */
#include <string.h>

#include "checkpoint/checkpoint_private.h"
#include "checkpoint/found.h"
#include "checkpoint/found_state.h"
#include "checkpoint/found_trace.h"

enum {
    A_BEST = 3,                 /* numbers */
    PROOF_NUMBERS = 2 * A_BEST, /* the best cell of plus, and that of minus */
};

/* The most of a stage that counts as done before it is complete. */
#define NEARLY_DONE 0.999

const char *
cs_found_trace_name(CsStrand strand)
{
    return strand == CS_STRAND_MINUS ? "minus-trace" : "plus-trace";
}

gboolean
cs_found_has_rows(const char *directory, CsStrand strand)
{
    g_autofree char *file =
        cs_found_file_name(strand == CS_STRAND_MINUS ? "minus-rows" : "plus-rows");
    g_autofree char *path = g_build_filename(directory, file, NULL);
    return g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

double
cs_found_traced(const char *directory, const CsFingerprintRecord *record, CsStrand strand,
                const CsBest *end)
{
    gint64 count = 0;
    if (end->score == 0)
        return 1;
    g_autofree gint64 *numbers =
        cs_found_read(directory, record, cs_found_trace_name(strand), &count);
    if (numbers == NULL || count < CS_FOUND_TRACE_RUNS ||
        numbers[CS_FOUND_TRACE_SCORE] != end->score || numbers[CS_FOUND_TRACE_END_I] != end->i ||
        numbers[CS_FOUND_TRACE_END_J] != end->j)
        return 0;
    if (numbers[CS_FOUND_TRACE_COMPLETE] != 0)
        return 1;
    const double left = (double)numbers[CS_FOUND_TRACE_NODE_I] / (double)end->i;
    return CLAMP(1 - left, 0, NEARLY_DONE);
}

/* The best cell of each strand of a state that covers all cells; 0 for one that is not compared. */
static void
fill_proof(const CsFingerprintRecord *record, const CsState *state, gint64 *numbers)
{
    const CsBest *best = &state->staircase.best, *plus = &state->plus;
    memset(numbers, 0, PROOF_NUMBERS * sizeof *numbers);
    if (record->strand == CS_STRAND_BOTH)
        memcpy(numbers, (gint64[]){plus->score, plus->i, plus->j}, A_BEST * sizeof *numbers);
    memcpy(numbers + (state->under_way == CS_STRAND_MINUS ? A_BEST : 0),
           (gint64[]){best->score, best->i, best->j}, A_BEST * sizeof *numbers);
}

static gboolean
is_proved(const char *directory, const CsFingerprintRecord *record, const CsState *state)
{
    gint64 count = 0, wanted[PROOF_NUMBERS];
    g_autofree gint64 *numbers = cs_found_read(directory, record, CS_FOUND_PROVED, &count);
    fill_proof(record, state, wanted);
    return numbers != NULL && count == PROOF_NUMBERS && memcmp(numbers, wanted, sizeof wanted) == 0;
}

/* How much of the proof of that state's scores is done. */
static double
share_proved(const char *directory, const CsFingerprintRecord *record, const CsState *state)
{
    const gint64 cells = cs_fingerprint_record_cells(record);
    g_auto(CsStateHead) head = {0};
    if (is_proved(directory, record, state))
        return 1;
    if (cells == 0 || !cs_found_state_read_head(directory, record, CS_FOUND_PROOF, &head))
        return 0;
    const CsState *proof = &head.state;
    /* The worse of two strands is proved to be below the better one. */
    if (proof->threshold != MAX(state->plus.score, state->staircase.best.score))
        return 0; /* of another score; it will not be used */
    return MIN((double)proof->cells / (double)cells, NEARLY_DONE);
}

CsFoundLater
cs_found_later(const char *directory, const CsFingerprintRecord *record, const CsState *state)
{
    const gboolean both = record->strand == CS_STRAND_BOTH;
    if (state->cells < cs_fingerprint_record_cells(record) ||
        (both && state->under_way == CS_STRAND_PLUS))
        return (CsFoundLater){0};
    const CsBest *best = &state->staircase.best, *plus = &state->plus;
    const gboolean plus_wins = both && cs_strand_better(plus, best) == CS_STRAND_PLUS;
    double share = cs_found_traced(directory, record, state->under_way, best);
    /* Only the better of two strands is traced, or both if they score the same. */
    const gboolean equal = both && plus->score == best->score && !state->best_start;
    if (plus_wins) {
        const double of_plus = cs_found_traced(directory, record, CS_STRAND_PLUS, plus);
        share = equal ? (share + of_plus) / 2 : of_plus;
    }
    if (MAX(plus->score, best->score) < state->min_score) /* then none is */
        share = 1;
    return (CsFoundLater){share, share_proved(directory, record, state)};
}

CsFoundLater
cs_found_later_of(const CsCheckpoint *checkpoint, const CsState *state)
{
    return cs_found_later(checkpoint->directory, checkpoint->record, state);
}

gboolean
cs_found_prove(const CsCheckpoint *checkpoint, const CsState *state, GError **error)
{
    gint64 numbers[PROOF_NUMBERS];
    fill_proof(checkpoint->record, state, numbers);
    return cs_found_save(checkpoint, CS_FOUND_PROVED, numbers, PROOF_NUMBERS, error);
}
