/*
 * What skipping costs and saves: bench_skip TARGET.fa QUERY.fa THRESHOLD [HEIGHT WIDTH DEPTH
 * THREADS]. THRESHOLD is a score that some alignment has. Tells the cells computed, as a part of
 * all, and seconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bounds.h"
#include "sweep.h"

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsSequence) target = cs_sequence_load(argv[1], NULL, &error);
    g_autoptr(CsSequence) query = cs_sequence_load(argv[2], NULL, &error);
    CsView rows = cs_view_of(target), columns = cs_view_of(query);
    CsRectangle rectangle = {
        .rows = rows, .columns = columns, .scoring = CS_SCORING_DEFAULT, .kind = CS_KIND_LOCAL};
    rectangle.threshold = g_ascii_strtoll(argv[3], NULL, 10);
    guint threads = argc > 7 ? atoi(argv[7]) : 2;
    CsSweepOptions options = {.engine = cs_engine_find("simd", &error),
                              .engine_options = {.threads = threads}};
    if (argc > 6)
        options.shape = (CsGridShape){
            .block_height = atoi(argv[4]), .block_width = atoi(argv[5]), .depth = atoi(argv[6])};
    gint64 t0 = g_get_monotonic_time();
    g_autoptr(CsBounds) bounds =
        cs_bounds_new(&rows, &columns, &rectangle.scoring, threads, NULL, &error);
    gint64 t1 = g_get_monotonic_time();
    g_autoptr(CsGrid) grid = cs_sweep_plan(&rectangle, &options);
    g_autofree CsScore *rb = cs_bounds_of_rows(bounds, grid, 0),
                       *cb = cs_bounds_of_columns(bounds, grid, 0);
    rectangle.row_bounds = rb;
    rectangle.column_bounds = cb;
    CsSweepState state;
    if (!cs_sweep_run(&rectangle, grid, &options, &state, &error))
        return fprintf(stderr, "%s\n", error->message), 1;
    printf("%dx%d depth %d: bounds %.2f s, sweep %.2f s, %.3f%% computed, %.1f GCUPS of those, "
           "score %ld at %ld,%ld; diagonals %ld\n",
           (int)grid->block_height, (int)grid->block_width, (int)grid->depth, (t1 - t0) / 1e6,
           state.seconds, 100.0 * state.cells_computed / state.cells,
           state.cells_computed / state.seconds / 1e9, (long)state.best.score, (long)state.best.i,
           (long)state.best.j, (long)cs_grid_diagonals(grid));
    return 0;
}
