/*
 * The recurrence with whole numbers (global_number.h), cell by cell.
 *
 * No alignment's number is further from 0 than (rows + columns + 1) * most * W^2, with `most` the largest
 * score or cost. If that is at most 2^59, numbers of 64 bits hold all sums, those from DEAD included,
 * which stay below all others. Otherwise those of 128 bits do: lengths are below 2^31 and scores at most
 * 2^30, so that none is beyond 2^124.
 *
 * If the best number is known, a path is looked for only on the diagonals that it can visit. Let the shorter
 * sequence have `least` letters and the longer one `extra` more. The path from corner to corner visits the
 * diagonals between the corners. If it goes d > 0 diagonals beyond them, it comes back, has at most least - d
 * pairs, at least extra + 2 * d unpaired letters and gaps along both sequences, so that its number is at most
 *
 *     (least - d) * most - (extra + 2 * d) * more - 2 * (first - more)
 *
 * with `most` the highest number of a pair. Where this is below the best number, no best path comes. So all
 * cells of best paths keep their numbers, and all others get none that are higher: each direction that
 * a best path takes is compared as in the whole matrix.
 */
#include "identity/global_plain.h"
#include "identity/global_way.h"
#include "system/memory.h"
#include "system/stop.h"

#define MOST_64 ((gint64)1 << 59)

const guint32 cs_global_protein_matching =
    (((guint32)1 << 27) - 1) &
    ~((guint32)1 << 1 | (guint32)1 << 9 | (guint32)1 << 23 | (guint32)1 << 25);
const guint32 cs_global_nucleotide_matching = 15;

/* How a cell is reached: in the lowest two bits H, and whether gaps go on before it. */
enum {
    BY_PAIR = 0,
    BY_QUERY = 1,  /* F: an unpaired letter of the query */
    BY_RECORD = 2, /* E: an unpaired letter of the record */
    BY_ALL = 3,
    QUERY_GOES_ON = 4,
    RECORD_GOES_ON = 8,
};

#define PATH_CELLS ((gint64)1 << 22) /* whose directions are kept at a time */
#define LONG_CELLS ((gint64)1 << 18) /* likewise, of paths that lanes divide */

/* A piece of the path: from one cell to another, which are given as letters before them. */
typedef struct {
    gint64 row, column, last_row, last_column;
    /* Whether it begins and ends within a gap that goes on along the record. */
    gboolean from_gap, to_gap;
    gboolean first; /* it may begin with unpaired letters of the query */
} Piece;

/* Divides pieces with all lanes, and the record along their rows (global_long.h). */
typedef struct {
    CsGlobalWay way;
    CsGlobalNumber number;
    const CsGlobalLongKernel *kernel; /* NULL: none holds the numbers */
    gint64 *u, *s, *h_from, *s_from;  /* of the letters of the query */
} Divider;

static void
divider_clear(Divider *divider)
{
    g_free(divider->u);
    g_free(divider->s);
    g_free(divider->h_from);
    g_free(divider->s_from);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Divider, divider_clear)

/* FALSE: there is not enough memory. */
static gboolean
divider_init(Divider *divider, const CsGlobalQuery *query, const CsLaneRecord *record)
{
    const gint64 cells = query->path_cells > 0 ? query->path_cells : PATH_CELLS;
    if ((query->rows + 1) * record->length <= cells)
        return TRUE; /* one piece */
    cs_global_way_init(&divider->way, query);
    divider->number = cs_global_way_number(&divider->way, record->length);
    divider->kernel = cs_global_way_long(&divider->way, record->length, TRUE);
    if (divider->kernel == NULL)
        return TRUE;
    divider->u = cs_memory_try_new(gint64, query->rows);
    divider->s = cs_memory_try_new(gint64, query->rows);
    divider->h_from = cs_memory_try_new(gint64, query->rows);
    divider->s_from = cs_memory_try_new(gint64, query->rows);
    return divider->u != NULL && divider->s != NULL && divider->h_from != NULL &&
           divider->s_from != NULL;
}

/* What keeps the division of a piece; NULL: nothing does. */
static const CsGlobalDivisions *
divisions_of(const CsGlobalQuery *query, const Piece *piece)
{
    const CsGlobalDivisions *divisions = query->divisions;
    const gint64 rows = piece->last_row - piece->row, columns = piece->last_column - piece->column;
    return divisions != NULL && rows * columns >= divisions->cells ? divisions : NULL;
}

/* Takes where the path leaves a column of a piece if that is known. */
static gboolean
is_divided(const CsGlobalQuery *query, const Piece *piece, gint64 *middle, gint64 *from)
{
    const CsGlobalDivisions *divisions = divisions_of(query, piece);
    return divisions != NULL &&
           divisions->find(piece->column, piece->last_column, middle, from, divisions->data) &&
           *middle > piece->column && *middle < piece->last_column && *from >= 0 &&
           *from / 2 <= piece->last_row - piece->row;
}

/* Keeps it, unless a stop has left it unknown. */
static void
keep_division(const CsGlobalQuery *query, const Piece *piece, gint64 middle, gint64 from)
{
    const CsGlobalDivisions *divisions = divisions_of(query, piece);
    if (divisions != NULL && !cs_is_stopped(query->stop))
        divisions->add(piece->column, piece->last_column, middle, from, divisions->data);
}

/* Finds where the path of a piece leaves a column near its middle. FALSE: that is left to the plain recurrence. A sweep
 * that is saved has its middle where all kernels have it. */
static gboolean
divider_find(const Divider *divider, const CsLaneRecord *record, const Piece *piece, gint64 lowest,
             gint64 highest, gint64 *middle, gint64 *from)
{
    const CsGlobalQuery *query = divider->way.query;
    const gint64 corner = piece->column - piece->row;
    CsGlobalLongGains gains;
    CsGlobalLong job = {.query = record->letters + piece->column,
                        .record = query->query + piece->row,
                        .rows = piece->last_column - piece->column,
                        .columns = piece->last_row - piece->row,
                        .from_gap = piece->from_gap,
                        .lowest = lowest - corner,
                        .highest = highest - corner,
                        .u = divider->u,
                        .s = divider->s,
                        .h_from = divider->h_from,
                        .s_from = divider->s_from};
    if (divider->kernel == NULL || job.columns == 0)
        return FALSE;
    const gint64 strip = (gint64)divider->kernel->lanes * CS_GLOBAL_LONG_ROWS;
    const gint64 half = job.rows / 2, even = half - half % CS_GLOBAL_SWEEP_ROWS;
    const CsGlobalDivisions *divisions = even > 0 ? divisions_of(query, piece) : NULL;
    job.middle = (even > 0 ? even : half) / strip;
    if (job.middle == 0)
        return FALSE;
    if (divisions != NULL)
        job.sweep =
            divisions->sweep(piece->column, piece->last_column, job.columns, divisions->data);
    job.open = (gint64)cs_global_way_open(&divider->way, &divider->number);
    cs_global_way_fill(&divider->way, &divider->number, divider->kernel, TRUE, &job, &gains);
    if (!cs_global_long(divider->kernel, &job, query))
        return FALSE;
    *middle = piece->column + job.middle * strip;
    *from = (piece->to_gap ? job.s_from : job.h_from)[job.columns - 1];
    return TRUE;
}

static CsGlobalNumber
number_of(const CsGlobalQuery *query, const CsLaneRecord *record)
{
    return (CsGlobalNumber){CS_GLOBAL_PAIRS, MIN(query->rows, record->length) + 1};
}

static CsGlobalFound
found_of(const CsGlobalQuery *query, const CsLaneRecord *record, CsWide value)
{
    const CsGlobalNumber number = number_of(query, record);
    const gint64 pairs = cs_global_take(&number, &value), matches = cs_global_take(&number, &value);
    return (CsGlobalFound){(gint64)value, matches, query->rows + record->length - pairs};
}

/* How many diagonals beyond those between the corners a path may visit. */
static gint64
diagonals_beyond(const CsGlobalQuery *query, const CsLaneRecord *record, const CsGlobalFound *found)
{
    const CsPairScoring *s = query->scoring;
    const CsGlobalNumber number = number_of(query, record);
    const CsWide unit = cs_global_unit(&number), weight = number.weight;
    const gint64 least = MIN(query->rows, record->length);
    const gint64 extra = MAX(query->rows, record->length) - least;
    const CsWide most = cs_global_pair(&number, s->highest, TRUE);
    const CsWide loss = most + 2 * s->more * unit; /* of each */
    if (found == NULL || loss <= 0)
        return least;
    const CsWide best = (found->score * weight + found->matches) * weight + query->rows +
                        record->length - found->columns;
    const CsWide spare =
        least * most - extra * (s->more * unit) - 2 * (s->first - s->more) * unit - best;
    return spare <= 0 ? 0 : (gint64)MIN(spare / loss, least);
}

#define VALUE gint64
#define OF_WIDTH(name) name##_64
#define DEAD (-((gint64)1 << 61))
#include "identity/global_plain_inside.h"
#undef VALUE
#undef OF_WIDTH
#undef DEAD

#define VALUE CsWide
#define OF_WIDTH(name) name##_128
#define DEAD (-((CsWide)1 << 126))
#include "identity/global_plain_inside.h"

static gboolean
fits_64(const CsGlobalQuery *query, const CsLaneRecord *record)
{
    const CsPairScoring *s = query->scoring;
    const CsGlobalNumber number = number_of(query, record);
    const gint64 most = MAX(MAX(s->first, s->highest), -(gint64)s->lowest);
    return (query->rows + record->length + 1) * most * cs_global_unit(&number) <= MOST_64;
}

gboolean
cs_global_plain(const CsGlobalQuery *query, const CsLaneRecord *record, CsGlobalFound *found)
{
    return fits_64(query, record) ? find_64(query, record, found) : find_128(query, record, found);
}

/* Turns the steps, which are read from the end, into a CIGAR. */
static void
append_cigar(const CsGlobalQuery *query, const CsLaneRecord *record, const GString *steps,
             GString *cigar)
{
    gint64 i = 0, j = 0, run = 0;
    char last = 0;
    for (gsize k = steps->len; k-- > 0;) {
        char kind = steps->str[k];
        if (kind == 'M') {
            kind = cs_global_is_match(query, query->query[i], record->letters[j]) ? '=' : 'X';
        }
        i += kind != 'D';
        j += kind != 'I';
        if (run > 0 && kind != last) {
            g_string_append_printf(cigar, "%" G_GINT64_FORMAT "%c", run, last);
            run = 0;
        }
        last = kind;
        run++;
    }
    g_string_append_printf(cigar, "%" G_GINT64_FORMAT "%c", run, last);
}

gboolean
cs_global_path(const CsGlobalQuery *query, const CsLaneRecord *record, const CsGlobalFound *found,
               GString *cigar)
{
    const gint64 beyond = diagonals_beyond(query, record, found);
    g_autoptr(GString) steps = g_string_new(NULL);
    g_auto(Divider) divider = {.kernel = NULL};
    const gboolean good =
        divider_init(&divider, query, record) &&
        (fits_64(query, record) ? trace_64(query, record, beyond, &divider, steps)
                                : trace_128(query, record, beyond, &divider, steps));
    if (good && !cs_is_stopped(query->stop))
        append_cigar(query, record, steps, cigar);
    return good;
}
