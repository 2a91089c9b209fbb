/*
 * The plain recurrence with numbers of type VALUE, which global_plain.c includes twice.
 *
 * A path is found in linear memory (after Hirschberg 1975, and Myers and Miller 1988): beside its value,
 * each cell carries where the path to it leaves the middle column, so that one pass divides the problem
 * into two. Since each cell takes the direction that the walk from the end would take, the
 * parts join to the very path that one walk over all directions would find: a part's cells have no
 * values that are higher, relative to its start, than in the whole matrix, so no direction that is
 * preferred becomes as good as the one taken there.
 */
typedef struct {
    const CsGlobalQuery *query;
    const CsLaneRecord *record;
    VALUE pairs[CS_LETTERS_MAX][CS_LETTERS_MAX]; /* [record][query] */
    VALUE first, more;
    VALUE *h, *e; /* of a column; [0] is above the first row */
    /* Where the paths leave the middle column: twice the row, and 1 if in a gap along the record. */
    gint64 *h_from, *e_from;
    guint8 *ways; /* of path_cells cells, or of a column if that has more */
    gint64 path_cells;
    const Divider *divider; /* of paths */
    gint64 lowest,
        highest; /* diagonals, column - row, whose cells are computed; the others are DEAD */
} OF_WIDTH(Work);

static void
OF_WIDTH(work_clear)(OF_WIDTH(Work) * work)
{
    g_free(work->h);
    g_free(work->e);
    g_free(work->h_from);
    g_free(work->e_from);
    g_free(work->ways);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(OF_WIDTH(Work), OF_WIDTH(work_clear))

static gboolean
OF_WIDTH(work_init)(OF_WIDTH(Work) * work, const CsGlobalQuery *query, const CsLaneRecord *record,
                    const Divider *divider)
{
    const CsPairScoring *s = query->scoring;
    const CsGlobalNumber number = number_of(query, record);
    const VALUE unit = (VALUE)cs_global_unit(&number);
    work->query = query;
    work->record = record;
    work->first = s->first * unit;
    work->more = s->more * unit;
    for (guint a = 0; a < CS_LETTERS_MAX; a++)
        for (guint b = 0; b < CS_LETTERS_MAX; b++)
            work->pairs[b][a] =
                (VALUE)cs_global_pair(&number, s->pairs[a][b], cs_global_is_match(query, a, b));
    const gint64 count = query->rows + 1;
    work->h = cs_memory_try_new(VALUE, count);
    work->e = cs_memory_try_new(VALUE, count);
    if (divider != NULL) {
        work->divider = divider;
        work->h_from = cs_memory_try_new(gint64, count);
        work->e_from = cs_memory_try_new(gint64, count);
        work->path_cells = query->path_cells > 0     ? query->path_cells
                           : divider->kernel != NULL ? LONG_CELLS
                                                     : PATH_CELLS;
        work->ways =
            cs_memory_try_new(guint8, MAX(count, MIN(count * record->length, work->path_cells)));
    }
    return work->h != NULL && work->e != NULL &&
           (divider == NULL ||
            (work->h_from != NULL && work->e_from != NULL && work->ways != NULL));
}

/* The column before a piece. */
static void
OF_WIDTH(begin)(OF_WIDTH(Work) * work, const Piece *piece)
{
    const gint64 rows = piece->last_row - piece->row;
    const gint64 border = piece->first ? MIN(rows, -work->lowest) : 0;
    for (gint64 i = 0; i <= rows; i++)
        work->h[i] = work->e[i] = DEAD;
    if (piece->from_gap)
        work->e[0] = 0;
    else
        work->h[0] = 0;
    for (gint64 i = 1; i <= border; i++)
        work->h[i] = -work->first - (i - 1) * work->more;
}

/* Computes a column of a piece in place. Its rows begin and end one further with each column, unless the
 * piece does: the cell before the first one was computed in the last column, and the last one is still DEAD. With `ways`, the directions of its cells are kept there; with
 * `carry`, they take along where their paths leave the middle column. */
static inline __attribute__((always_inline)) void
OF_WIDTH(step)(OF_WIDTH(Work) * work, const Piece *piece, gint64 column, guint8 *ways,
               gboolean carry)
{
    const gint64 begin = MAX(0, column + 1 - work->highest - piece->row);
    const gint64 end = MIN(piece->last_row, column + 1 - work->lowest) - piece->row;
    const guint8 *query = work->query->query + piece->row;
    const VALUE *pairs = work->pairs[work->record->letters[column]];
    const VALUE first = work->first, more = work->more;
    VALUE *h = work->h, *e = work->e;
    VALUE diagonal = begin > 0 ? h[begin - 1] : DEAD, f = DEAD, above = DEAD;
    gint64 diagonal_from = carry && begin > 0 ? work->h_from[begin - 1] : 0;
    gint64 f_from = 0, above_from = 0;
    for (gint64 i = begin; i <= end; i++) {
        const VALUE e_more = e[i] - more, e_first = h[i] - first;
        const VALUE f_more = f - more, f_first = above - first;
        const VALUE pair = i > 0 ? diagonal + pairs[query[i - 1]] : DEAD;
        const VALUE e_best = MAX(e_more, e_first);
        VALUE best = MAX(pair, e_best);
        diagonal = h[i];
        f = MAX(f_more, f_first);
        best = MAX(best, f);
        e[i] = e_best;
        h[i] = above = best;
        if (ways != NULL)
            ways[i] = (guint8)((best == pair ? BY_PAIR
                                : best == f  ? BY_QUERY
                                             : BY_RECORD) |
                               (f_more > f_first ? QUERY_GOES_ON : 0) |
                               (e_more > e_first ? RECORD_GOES_ON : 0));
        if (carry) {
            const gint64 e_now = e_more > e_first ? work->e_from[i] : work->h_from[i];
            f_from = f_more > f_first ? f_from : above_from;
            above_from = best == pair ? diagonal_from : best == f ? f_from : e_now;
            diagonal_from = work->h_from[i];
            work->e_from[i] = e_now;
            work->h_from[i] = above_from;
        }
    }
}

static gboolean
OF_WIDTH(find)(const CsGlobalQuery *query, const CsLaneRecord *record, CsGlobalFound *found)
{
    g_auto(OF_WIDTH(Work)) work = {.lowest = -query->rows, .highest = record->length};
    const Piece whole = {.last_row = query->rows, .last_column = record->length, .first = TRUE};
    if (!OF_WIDTH(work_init)(&work, query, record, NULL))
        return FALSE;
    OF_WIDTH(begin)(&work, &whole);
    for (gint64 j = 0; j < record->length && !cs_is_stopped(query->stop); j++)
        OF_WIDTH(step)(&work, &whole, j, NULL, FALSE);
    *found = found_of(query, record, work.h[query->rows]);
    return TRUE;
}

/* Walks back over the directions of a piece. */
static void
OF_WIDTH(walk)(OF_WIDTH(Work) * work, const Piece *piece, GString *steps)
{
    const gint64 count = piece->last_row - piece->row + 1;
    OF_WIDTH(begin)(work, piece);
    for (gint64 j = piece->column; j < piece->last_column && !cs_is_stopped(work->query->stop); j++)
        OF_WIDTH(step)(work, piece, j, work->ways + (j - piece->column) * count, FALSE);
    if (cs_is_stopped(work->query->stop))
        return;
    gint64 i = count - 1, j = piece->last_column - piece->column;
    guint8 way = piece->to_gap ? BY_RECORD : BY_PAIR; /* in a gap: which */
    while (j > 0) {
        const guint8 here = work->ways[(j - 1) * count + i];
        if (way == BY_PAIR)
            way = here & BY_ALL;
        if (way == BY_PAIR) {
            g_string_append_c(steps, 'M');
            i--;
            j--;
        } else if (way == BY_QUERY) {
            g_string_append_c(steps, 'I');
            way = here & QUERY_GOES_ON ? BY_QUERY : BY_PAIR;
            i--;
        } else {
            g_string_append_c(steps, 'D');
            way = here & RECORD_GOES_ON ? BY_RECORD : BY_PAIR;
            j--;
        }
    }
    g_assert(i == 0 || piece->first);
    for (; i > 0; i--)
        g_string_append_c(steps, 'I');
}

/* Finds where the path leaves the middle column. */
static gint64
OF_WIDTH(find_middle)(OF_WIDTH(Work) * work, const Piece *piece, gint64 middle)
{
    const gint64 rows = piece->last_row - piece->row;
    OF_WIDTH(begin)(work, piece);
    for (gint64 j = piece->column; j < middle && !cs_is_stopped(work->query->stop); j++)
        OF_WIDTH(step)(work, piece, j, NULL, FALSE);
    for (gint64 i = 0; i <= rows; i++) {
        work->h_from[i] = 2 * i;
        work->e_from[i] = 2 * i + 1;
    }
    for (gint64 j = middle; j < piece->last_column && !cs_is_stopped(work->query->stop); j++)
        OF_WIDTH(step)(work, piece, j, NULL, TRUE);
    return piece->to_gap ? work->e_from[rows] : work->h_from[rows];
}

/* Divides a piece where the path leaves a column near the middle. */
static Piece
OF_WIDTH(divide)(OF_WIDTH(Work) * work, Piece *piece)
{
    gint64 middle, from;
    if (!is_divided(work->query, piece, &middle, &from)) {
        middle = piece->column + (piece->last_column - piece->column) / 2;
        if (!divider_find(work->divider, work->record, piece, work->lowest, work->highest, &middle,
                          &from))
            from = OF_WIDTH(find_middle)(work, piece, middle);
        keep_division(work->query, piece, middle, from);
    }
    const Piece before = {.row = piece->row,
                          .column = piece->column,
                          .last_row = piece->row + from / 2,
                          .last_column = middle,
                          .from_gap = piece->from_gap,
                          .to_gap = from % 2 == 1,
                          .first = piece->first};
    piece->row = before.last_row;
    piece->column = middle;
    piece->from_gap = before.to_gap;
    piece->first = FALSE;
    return before;
}

/* Appends the steps of a piece, from its last one to its first. */
static void
OF_WIDTH(trace_piece)(OF_WIDTH(Work) * work, Piece piece, GString *steps)
{
    const gint64 columns = piece.last_column - piece.column;
    if (columns == 1 || (piece.last_row - piece.row + 1) * columns <= work->path_cells) {
        OF_WIDTH(walk)(work, &piece, steps);
        return;
    }
    const Piece before = OF_WIDTH(divide)(work, &piece);
    if (cs_is_stopped(work->query->stop))
        return;
    OF_WIDTH(trace_piece)(work, piece, steps);
    OF_WIDTH(trace_piece)(work, before, steps);
}

static gboolean
OF_WIDTH(trace)(const CsGlobalQuery *query, const CsLaneRecord *record, gint64 beyond,
                const Divider *divider, GString *steps)
{
    const gint64 corner = record->length - query->rows; /* its diagonal */
    g_auto(OF_WIDTH(Work))
        work = {.lowest = MIN(0, corner) - beyond, .highest = MAX(0, corner) + beyond};
    const Piece whole = {.last_row = query->rows, .last_column = record->length, .first = TRUE};
    if (!OF_WIDTH(work_init)(&work, query, record, divider))
        return FALSE;
    OF_WIDTH(trace_piece)(&work, whole, steps);
    return TRUE;
}
