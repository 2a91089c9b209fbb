/* The matrix coarsely: the best local alignment inside each of its tiles, for dot plots. */
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
 * @progress: (nullable): called as in cs_compare(); a score is not told
 * @progress_data: handed to @progress
 * @control: (nullable): whether to stop, asked as often as @progress; there is nothing to save
 * @control_data: handed to @control
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
 * @rows: tiles along the target: its length over @target_tile, rounded up
 * @columns: tiles along the query
 * @plus: @rows times @columns scores, a row after the other
 * @minus: likewise, of the query's tiles reverse-complemented; column 0 is at the query's first
 * bases here too
 * @cells: of both strands
 * @seconds: that it took
 * @engine: (transfer none): the engine that computed it
 * @threads: CPU threads that it used
 *
 * Tile (r, c) is bases r * @target_tile + 1 ... (r + 1) * @target_tile of the target against
 * bases c * @query_tile + 1 ... (c + 1) * @query_tile of the query, both counted from 1.
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
 * @error: CS_ERROR_USAGE when the scoring or another option makes no sense or scores could
 * overflow, CS_ERROR_DEVICE when the engine is none of the CPU or does not work here, or there is
 * too little memory, CS_ERROR_STOPPED when @progress or @control asked to stop
 *
 * For each tile, the score of the best local alignment that lies wholly inside it (exact), on each
 * strand: an alignment that is longer than a tile counts in each tile with what is best there, and
 * nothing smears from one tile into the next. Runs on the CPU. Memory: 16 bytes a tile, and for
 * each thread 18 for each base that a tile spans, at most half a megabyte more.
 *
 * Returns: (transfer full) (nullable): the scores, or %NULL with @error set
 */
CS_API CsTiles *cs_tiles_new(const CsSequence *target, const CsSequence *query,
                             const CsTileOptions *options, GError **error);
CS_API void cs_tiles_free(CsTiles *tiles);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CsTiles, cs_tiles_free)

G_END_DECLS

#endif
