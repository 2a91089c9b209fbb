/*
 * Measures what skipping costs and saves: bench_skip TARGET.fa QUERY.fa THRESHOLD [HEIGHT WIDTH
 * DEPTH THREADS]. THRESHOLD is the score of some alignment, or "find" to find a lower bound first;
 * then DEPTH 0 ends before the sweep. Without a shape, the blocks are those of a comparison; as
 * there, the longer sequence lies along the rows. Prints the share of cells computed, and the
 * seconds, of the clock and of all CPUs together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lower_bound/lower_bound.h"
#include "cpu/simd.h"
#include "skipping/bounds.h"
#include "sweep/sweep.h"

static double
cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static gboolean
find_bound(const CsSurvey *survey, CsScore *threshold, GError **error)
{
    const double before = cpu_seconds();
    const gint64 m = survey->rows.length, n = survey->columns.length;
    g_auto(CsLowerBoundSearch) search = {0};
    g_autoptr(CsSeedsIndex) index = NULL;
    if (!cs_lower_bound_find_seeds(&search, survey, &index, error))
        return FALSE;
    g_clear_pointer(&index, cs_seeds_index_free);
    if (!cs_lower_bound_find_chain(&search, survey, error) ||
        !cs_lower_bound_sweep(&search, survey, error))
        return FALSE;
    const CsLowerBound bound = search.bound;
    printf("lower bound %" G_GINT64_FORMAT ": seeds %.2f s, chain %.2f s, corridor %.2f s, CPUs "
           "%.2f s; %" G_GINT64_FORMAT " seeds, %" G_GINT64_FORMAT " in the chain, %.3f%% of all "
           "cells; at most %.0f MB\n",
           bound.score, bound.seconds_seeds, bound.seconds_chain, bound.seconds_corridor,
           cpu_seconds() - before, bound.seeds, bound.chain, 100.0 * bound.cells_computed / m / n,
           cs_lower_bound_memory(m, n, survey->threads) / 1e6);
    fflush(stdout);
    *threshold = bound.score;
    return TRUE;
}

int
main(int argc, char **argv)
{
    if (argc < 4)
        return fprintf(stderr, "usage: bench_skip TARGET.fa QUERY.fa THRESHOLD|find "
                               "[HEIGHT WIDTH DEPTH THREADS]\n"),
               2;
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) target = cs_sequence_load(argv[1], NULL, &error);
    g_autoptr(CsSequence) query = target != NULL ? cs_sequence_load(argv[2], NULL, &error) : NULL;
    if (query == NULL)
        return fprintf(stderr, "%s\n", error->message), 1;
    const gboolean transposed = cs_sequence_get_length(query) > cs_sequence_get_length(target);
    CsView rows = cs_view_of(transposed ? query : target);
    CsView columns = cs_view_of(transposed ? target : query);
    CsRectangle rectangle = {.rows = rows,
                             .columns = columns,
                             .scoring = CS_SCORING_DEFAULT,
                             .tie_order = transposed ? CS_TIE_COLUMN_FIRST : CS_TIE_ROW_FIRST,
                             .skipping = TRUE};
    guint threads = argc > 7 ? atoi(argv[7]) : 2;
    const CsSurvey survey = {
        .rows = rows, .columns = columns, .scoring = rectangle.scoring, .threads = threads};
    rectangle.threshold = g_ascii_strtoll(argv[3], NULL, 10);
    if (strcmp(argv[3], "find") == 0 && !find_bound(&survey, &rectangle.threshold, &error))
        return fprintf(stderr, "%s\n", error->message), 1;
    if (argc > 6 && atoi(argv[6]) == 0)
        return 0;
    CsSweepOptions options = {.engine = &cs_simd_engine, .engine_options = {.threads = threads}};
    if (argc > 6)
        options.shape = (CsGridShape){
            .block_height = atoi(argv[4]), .block_width = atoi(argv[5]), .depth = atoi(argv[6])};
    gint64 t0 = g_get_monotonic_time();
    double bounds_cpu = -cpu_seconds();
    g_autoptr(CsBounds) bounds = cs_bounds_new(&survey, &error);
    gint64 t1 = g_get_monotonic_time();
    bounds_cpu += cpu_seconds();
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    g_autofree CsScore *rb = cs_bounds_of_rows(bounds, grid, 0),
                       *cb = cs_bounds_of_columns(bounds, grid, 0);
    rectangle.row_bounds = rb;
    rectangle.column_bounds = cb;
    rectangle.bounds_table = bounds->table;
    CsSweepState state;
    double sweep_cpu = -cpu_seconds();
    if (!cs_sweep_run(&rectangle, grid, &options, &state, &error))
        return fprintf(stderr, "%s\n", error->message), 1;
    printf("%dx%d depth %d: bounds %.2f s (CPUs %.2f s), sweep %.2f s (CPUs %.2f s), %.3f%% "
           "computed, %.1f GCUPS "
           "of those, "
           "score %ld at row %ld, column %ld; diagonals %ld\n",
           (int)grid->block_height, (int)grid->block_width, (int)grid->depth, (t1 - t0) / 1e6,
           bounds_cpu, state.seconds, sweep_cpu + cpu_seconds(),
           100.0 * state.cells_computed / state.cells, state.cells_computed / state.seconds / 1e9,
           (long)state.best.score, (long)state.best.i, (long)state.best.j,
           (long)cs_grid_diagonals(grid));
    return 0;
}
