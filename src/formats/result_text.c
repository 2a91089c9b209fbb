/* A result as text for people: each line has a label, and a text with values of fields. */
#include "formats/format.h"
#include "formats/names.h"
#include "formats/result_fields.h"

/* {COLUMN} in the line stands for the value of that field. */
static void
append_line(GString *text, const CsResult *result, const char *label, const char *line)
{
    cs_fields_line(text, cs_result_fields, result, label, line);
}

static gboolean
has_both_strands(const CsResult *result)
{
    return result->found.strands[CS_STRAND_PLUS].computed &&
           result->found.strands[CS_STRAND_MINUS].computed;
}

/* Where the alignment lies on one side. */
static void
append_place(GString *text, const CsResult *result, const char *side, gint64 start, gint64 end)
{
    g_autofree char *label = g_strconcat("in ", side, NULL);
    g_autofree char *line = start == 0 ? g_strdup_printf("ends at {%s_end}", side)
                            : end == 0 ? g_strdup_printf("starts at {%s_start}", side)
                                       : g_strdup_printf("{%s_start}-{%s_end}", side, side);
    append_line(text, result, label, line);
}

static void
append_alignment(GString *text, const CsResult *result)
{
    const CsCompareResult *found = &result->found;
    if (found->below > 0) {
        append_line(text, result, "score", "below {score_below}");
    } else if (found->score > 0) {
        append_line(text, result, "score", "{score}");
        append_place(text, result, "target", found->target_start, found->target_end);
        append_place(text, result, "query", found->query_start, found->query_end);
    } else {
        append_line(text, result, "score", "{score}: no bases match, so there is no alignment");
    }
}

static void
append_sequence(GString *text, const CsResult *result, guint side)
{
    static const char *const sides[] = {"target", "query"};
    g_autofree char *shown = cs_names_sequence(result->files[side], result->sequences[side]);
    g_string_append_printf(text, "%-12s%s\n", sides[side], shown);
}

/* The speed is that of the sweeps, without lower bounds. The time of computing is of all runs with
 * this checkpoint, the other times of this run. */
static void
append_work(GString *text, const CsResult *result)
{
    append_line(text, result, "cells",
                result->found.cells_corridor > 0
                    ? "{cells} ({cells_computed} computed, including reruns; {cells_corridor} of "
                      "these before the sweep)"
                    : "{cells} ({cells_computed} computed, including reruns)");
    append_line(text, result, "seconds",
                result->found.cells_resumed > 0
                    ? "{seconds} of computing in all runs; this run took {seconds_total}"
                    : "{seconds} of computing; {seconds_total} with loading");
    append_line(text, result, "speed", "{gcups} GCUPS");
    append_line(text, result, "engine",
                result->found.device != NULL ? "{engine}, {device}"
                : result->found.threads == 1 ? "{engine}, {threads} thread"
                                             : "{engine}, {threads} threads");
}

/* Whether the program looked for what it may skip. A resumed sweep knows its lower bound and looks
 * for bounds alone. */
static gboolean
has_sought(const CsStageSeconds *stages)
{
    return stages->seeds + stages->bounds > 0;
}

/* What was skipped on a strand. The strand is named if both were swept. */
static void
append_skip(GString *text, const CsResult *result, CsStrand n)
{
    const CsStrandResult *strand = &result->found.strands[n];
    const gboolean both = has_both_strands(result);
    g_autofree char *on = g_strdup_printf("on %s", cs_names_strand(n));
    const char *what = NULL;
    if (strand->skip == CS_SKIP_NONE && has_sought(&strand->stages)) {
        g_autofree char *line = g_strdup_printf("nothing%s%s; skipping would save little time",
                                                both ? " " : "", both ? on : "");
        append_line(text, result, "skipped", line);
        return;
    }
    if (strand->skip != CS_SKIP_BEST && strand->skip != CS_SKIP_BOUNDS)
        return;
    if (strand->below >
        0) /* no cell that reaches this is skipped, and lower scores do not matter */
        what = n == CS_STRAND_PLUS ? "cells that cannot reach {plus_score_below}"
                                   : "cells that cannot reach {minus_score_below}";
    else if (strand->lower_bound > 0)
        what = n == CS_STRAND_PLUS ? "cells that cannot reach {plus_lower_bound}, the score of an "
                                     "alignment found first"
                                   : "cells that cannot reach {minus_lower_bound}, the score of an "
                                     "alignment found first";
    else
        what = strand->skip == CS_SKIP_BOUNDS
                   ? "cells that cannot reach the best score so far, using bounds"
                   : "cells that cannot reach the best score so far";
    g_autofree char *line = g_strconcat(both ? on : "", both ? ": " : "", what, NULL);
    append_line(text, result, "skipped", line);
}

/* A strand's score, or below what it is. */
static const char *
score_of(const CsResult *result, CsStrand n)
{
    const gboolean below = result->found.strands[n].below > 0;
    return n == CS_STRAND_PLUS ? (below ? "below {plus_score_below}" : "{plus_score}")
                               : (below ? "below {minus_score_below}" : "{minus_score}");
}

static void
append_strand(GString *text, const CsResult *result)
{
    g_autofree char *line =
        g_strdup_printf("{strand} (scores: %s on +, %s on -)", score_of(result, CS_STRAND_PLUS),
                        score_of(result, CS_STRAND_MINUS));
    append_line(text, result, "strand", has_both_strands(result) ? line : "{strand}");
}

static char *
format_result(const CsResult *result, const CsColumns *columns)
{
    GString *text = g_string_new(NULL);
    append_alignment(text, result);
    append_sequence(text, result, 0);
    append_sequence(text, result, 1);
    append_strand(text, result);
    append_line(text, result, "scoring", "match adds {match}, mismatch costs {mismatch}");
    append_line(text, result, "gaps",
                "k bases cost open + k * extend: {first_gap} for the first, {gap_extend} for each "
                "further one");
    append_work(text, result);
    append_skip(text, result, CS_STRAND_PLUS);
    append_skip(text, result, CS_STRAND_MINUS);
    if (has_sought(&result->found.stages))
        append_line(text, result, "stages",
                    "{seconds_before} seconds before the sweep: seeds {seconds_seeds}, chain "
                    "{seconds_chain}, "
                    "corridor {seconds_corridor}, bounds {seconds_bounds}");
    if (result->found.cells_resumed > 0)
        append_line(text, result, "resumed", "after {cells_resumed} cells");
    return g_string_free(text, FALSE);
}

const CsResultFormat cs_result_text = {.is_of_one = TRUE, .result = format_result};
