/* One walk along the path, which breaks its stretches of pairs at the origins. */
#include "alignment/origins.h"

typedef struct {
    const CsPlacement *placement;
    CsStrand strand;
    gint64 target_length, query_length;
    GArray *pieces;
    CsOriginPiece now; /* its score is 0 as long as it has no pair */
    gboolean any;
} Walk;

/* Bases of whole copies before one, which counts from 1. */
static gint64
copies_before(gint64 base, gint64 length)
{
    return (base - 1) / length * length;
}

static void
end_piece(Walk *walk)
{
    if (walk->any && walk->now.piece.to.score > walk->now.piece.from.score)
        g_array_append_val(walk->pieces, walk->now);
    walk->any = FALSE;
}

/* How many pairs from a place on have their bases in the same copies as the first of them. */
static gint64
take_pairs(Walk *walk, const CsPlace *from, gint64 left)
{
    const CsBest first = {1, from->i + 1, from->j + 1};
    const gint64 target = cs_placement_target(walk->placement, &first);
    const gint64 query = cs_placement_query(walk->placement, walk->strand, &first);
    const gint64 before_target = copies_before(target, walk->target_length);
    const gint64 before_query = copies_before(query, walk->query_length);
    const gint64 in_target = before_target + walk->target_length + 1 - target;
    const gint64 in_query = walk->strand == CS_STRAND_MINUS
                                ? query - before_query
                                : before_query + walk->query_length + 1 - query;
    if (!walk->any || before_target != walk->now.target || before_query != walk->now.query) {
        end_piece(walk);
        walk->now = (CsOriginPiece){{*from, *from}, before_target, before_query};
        walk->any = TRUE;
    }
    return MIN(left, MIN(in_target, in_query));
}

GArray *
cs_origins_find(const CsPath *path, const CsRectangle *matrix, const CsPlacement *placement,
                CsStrand strand, gint64 target_length, gint64 query_length)
{
    Walk walk = {.placement = placement,
                 .strand = strand,
                 .target_length = target_length,
                 .query_length = query_length,
                 .pieces = g_array_new(FALSE, FALSE, sizeof(CsOriginPiece))};
    CsPathIter iter;
    CsPathStretch stretch;
    CsScore score = 0;
    cs_path_iter_init(&iter, path, matrix);
    CsPlace here = {0, 0, iter.i, iter.j, 0};
    while (cs_path_iter_next(&iter, &stretch)) {
        gint64 left = stretch.kind == CS_PATH_PAIRS ? stretch.length : 0;
        while (left > 0) {
            const gint64 count = take_pairs(&walk, &here, left);
            const CsPathStretch part = {stretch.kind, stretch.match, count};
            here = (CsPlace){here.run, here.done + count, here.i + count, here.j + count,
                             here.score + cs_path_stretch_score(&part, &matrix->scoring)};
            walk.now.piece.to = here;
            left -= count;
        }
        score += cs_path_stretch_score(&stretch, &matrix->scoring);
        here = (CsPlace){iter.run, iter.done, iter.i, iter.j, score};
    }
    end_piece(&walk);
    return walk.pieces;
}
