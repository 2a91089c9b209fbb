/* Dot plots: the best local alignment inside each tile of the matrix. */
#ifndef CHROMOSWEEP_TILES_H
#define CHROMOSWEEP_TILES_H

#include <glib.h>

#include <chromosweep/control.h>
#include <chromosweep/export.h>
#include <chromosweep/scoring.h>
#include <chromosweep/sequence.h>

G_BEGIN_DECLS

/**
 * CsTileOptions:
 * @scoring: match, mismatch and gaps
 * @target_tile: bases of the target that a tile spans, at least 1; the last tile may have fewer
 * @query_tile: bases of the query, likewise
 * @engine: (nullable): an engine of the CPU; %NULL or "auto" is the best one that works here
 * @threads: CPU threads; 0 takes cs_threads_granted()
 * @progress: (nullable): called as in cs_compare(), without a score
 * @progress_data: passed to @progress
 * @control: (nullable): asked whether to stop, as often as @progress is called; there is nothing to
 *   save
 * @control_data: passed to @control
 *
 * Initialise with %CS_TILE_OPTIONS_INIT, so that later members get their defaults.
 */
typedef struct {
    CsScoring scoring;
    gint64 target_tile;
    gint64 query_tile;
    const char *engine;
    guint threads;
    CsProgressFunc progress;
    gpointer progress_data;
    CsControlFunc control;
    gpointer control_data;
} CsTileOptions;

#define CS_TILE_OPTIONS_INIT                                                                       \
    {                                                                                              \
        CS_SCORING_DEFAULT, 1000, 1000, NULL, 0, NULL, NULL, NULL, NULL                            \
    }

/**
 * CsTiles:
 * @target_tile: as in the options
 * @query_tile: likewise
 * @rows: tiles along the target: its length divided by @target_tile, rounded up
 * @columns: tiles along the query, likewise
 * @plus: scores on plus: @rows * @columns, row by row
 * @minus: scores on minus, with the reverse complement of each query tile; here too, column 0 has
 *   the query's first bases
 * @cells: cells computed, of both strands
 * @seconds: time taken
 * @engine: (transfer none): the engine that computed
 * @threads: CPU threads used
 *
 * Tile (r, c) has bases r * @target_tile + 1 .. (r + 1) * @target_tile of the target and bases
 * c * @query_tile + 1 .. (c + 1) * @query_tile of the query, both counted from 1.
 */
typedef struct {
    gint64 target_tile;
    gint64 query_tile;
    gint64 rows;
    gint64 columns;
    gint64 *plus;
    gint64 *minus;
    gint64 cells;
    double seconds;
    const char *engine;
    guint threads;
} CsTiles;

/**
 * cs_tiles_new:
 * @target: along the rows
 * @query: along the columns
 * @options: (nullable): %NULL is %CS_TILE_OPTIONS_INIT
 * @error: CS_ERROR_USAGE if the scoring or another option makes no sense or scores could overflow;
 *   CS_ERROR_DEVICE if the engine does not run on the CPU or does not work here, or if there is not
 *   enough memory; CS_ERROR_STOPPED if @progress or @control asked to stop
 *
 * Finds, for each tile and strand, the exact score of the best local alignment that lies wholly
 * inside the tile. An alignment longer than a tile gives each tile the score of its best part
 * there, so nothing smears from one tile into the next. Runs on the CPU. Memory: 16 bytes per tile,
 * and for each thread 18 bytes per base of a tile and at most half a megabyte more.
 *
 * Returns: (transfer full) (nullable): the scores, or %NULL with @error set
 */
CS_API CsTiles *cs_tiles_new(const CsSequence *target, const CsSequence *query,
                             const CsTileOptions *options, GError **error);
CS_API void cs_tiles_free(CsTiles *tiles);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsTiles, cs_tiles_free)

G_END_DECLS

#endif
