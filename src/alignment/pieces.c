/* One walk along the path, which remembers its last high or low. */
#include "alignment/pieces.h"

static CsPlace
place_of(const CsPathIter *iter, CsScore score)
{
    return (CsPlace){iter->run, iter->done, iter->i, iter->j, score};
}

GArray *
cs_pieces_find(const CsPath *path, const CsRectangle *matrix, CsScore max_drop)
{
    GArray *pieces = g_array_new(FALSE, FALSE, sizeof(CsPiece));
    CsPathIter iter;
    CsPathStretch stretch;
    cs_path_iter_init(&iter, path, matrix);
    CsPlace low = place_of(&iter, 0), high = low, here = low;
    gboolean within = TRUE; /* a piece; else the next one may begin at `low` */
    while (cs_path_iter_next(&iter, &stretch)) {
        here = place_of(&iter, here.score + cs_path_stretch_score(&stretch, &matrix->scoring));
        if (!within && here.score <= low.score)
            low = here;
        if (!within && here.score - low.score > max_drop) {
            within = TRUE;
            high = here;
        }
        if (within && here.score > high.score)
            high = here;
        if (within && high.score - here.score > max_drop) {
            const CsPiece piece = {low, high};
            g_array_append_val(pieces, piece);
            within = FALSE;
            low = here;
        }
    }
    const CsPiece last = {low, high};
    if (within)
        g_array_append_val(pieces, last);
    return pieces;
}

gboolean
cs_pieces_cut(const CsPath *path, const CsPiece *piece, CsPath *part, GError **error)
{
    const CsPlace *from = &piece->from, *to = &piece->to;
    cs_path_init(part, to->i, to->j);
    /* A place that ends a run may stand as the start of the next. */
    for (gsize k = to->run + 1; k-- > from->run;) {
        const gint64 end = k == to->run ? to->done : cs_path_length(path, k);
        const gint64 begin = k == from->run ? from->done : 0;
        if (end > begin && !cs_path_step_back(part, cs_path_kind(path, k), end - begin, error))
            return FALSE;
    }
    cs_path_turn(part);
    return TRUE;
}
