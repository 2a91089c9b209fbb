/* The result of a comparison, from its final state. */
#include "compare/comparison.h"

CsStrandResult
cs_compare_result_of(const CsComparison *comparison, CsStrand strand, const CsBest *best)
{
    const CsLocation where =
        cs_placement_locate(&comparison->placement, strand, &comparison->starts[strand], best);
    return (CsStrandResult){
        .computed = TRUE,
        .score = best->score,
        .target_start = where.target_start,
        .target_end = where.target_end,
        .query_start = where.query_start,
        .query_end = where.query_end,
        .stages = comparison->stages[strand],
    };
}

/* How a strand was swept. */
static void
add_work(CsCompareResult *result, CsStrand strand, const CsStrandWork *work)
{
    CsStrandResult *one = &result->strands[strand];
    if (!one->computed)
        return;
    one->skip = work->skip;
    one->lower_bound = work->lower_bound;
    one->cells_computed =
        work->cells_computed >= 0 ? work->cells_computed + work->cells_corridor : -1;
    one->seconds = work->seconds;
    result->stages.all += one->stages.all;
    result->stages.seeds += one->stages.seeds;
    result->stages.chain += one->stages.chain;
    result->stages.corridor += one->stages.corridor;
    result->stages.bounds += one->stages.bounds;
}

/* All that is known of this strand is that it scores less. */
static void
leave_below(CsStrandResult *strand, CsScore below)
{
    strand->below = below;
    strand->score = 0;
    strand->target_start = strand->target_end = strand->query_start = strand->query_end = 0;
}

void
cs_compare_result_hide(CsCompareResult *result, CsScore least)
{
    const CsScore wanted = MAX(least, result->strands[result->strand].score);
    for (CsStrand strand = CS_STRAND_PLUS; strand <= CS_STRAND_MINUS; strand++) {
        CsStrandResult *one = &result->strands[strand];
        if (one->computed && one->score < wanted)
            leave_below(one, wanted);
    }
    result->below = result->strands[result->strand].below;
    if (result->below > 0) {
        result->score = 0;
        result->target_start = result->target_end = 0;
        result->query_start = result->query_end = 0;
    }
}

/* With both strands, the final state is that of minus. */
CsCompareResult
cs_compare_result(const CsComparison *comparison)
{
    const CsState *state = &comparison->state;
    const CsStrand strand = comparison->options->strand;
    const CsBest *best = &state->staircase.best;
    const CsStrandWork *work = state->work;
    const gint64 corridors =
        work[CS_STRAND_PLUS].cells_corridor + work[CS_STRAND_MINUS].cells_corridor;
    CsCompareResult result = {
        .cells = comparison->cells,
        .cells_computed = state->cells_computed + corridors,
        .seconds = state->seconds,
        .engine = state->engine,
        .threads = state->threads,
        .device = state->device,
        .cells_resumed = comparison->cells_resumed,
        .strand = strand,
        .cells_corridor = corridors,
    };
    if (strand == CS_STRAND_BOTH) {
        result.strands[CS_STRAND_PLUS] =
            cs_compare_result_of(comparison, CS_STRAND_PLUS, &state->plus);
        result.strand = cs_strand_better(&state->plus, best);
    }
    const CsStrand last = strand == CS_STRAND_PLUS ? CS_STRAND_PLUS : CS_STRAND_MINUS;
    result.strands[last] = cs_compare_result_of(comparison, last, best);
    for (CsStrand k = CS_STRAND_PLUS; k <= CS_STRAND_MINUS; k++)
        add_work(&result, k, &work[k]);
    const CsStrandResult *chosen = &result.strands[result.strand];
    result.score = chosen->score;
    result.target_start = chosen->target_start;
    result.target_end = chosen->target_end;
    result.query_start = chosen->query_start;
    result.query_end = chosen->query_end;
    result.skip = chosen->skip;
    result.lower_bound = chosen->lower_bound;
    const CsScore least = comparison->options->min_score;
    /* A part of a set has a floor of its own, and looks at the score itself. */
    if (comparison->floor <= least)
        cs_compare_result_hide(&result, least);
    return result;
}
