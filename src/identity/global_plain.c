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
#include "identity/global_number.h"
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

/* A piece of the path: from one cell to another, which are given as letters before them. */
typedef struct {
    gint64 row, column, last_row, last_column;
    /* Whether it begins and ends within a gap that goes on along the record. */
    gboolean from_gap, to_gap;
    gboolean first; /* it may begin with unpaired letters of the query */
} Piece;

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
    const gboolean good = fits_64(query, record) ? trace_64(query, record, beyond, steps)
                                                 : trace_128(query, record, beyond, steps);
    if (good && !cs_is_stopped(query->stop))
        append_cigar(query, record, steps, cigar);
    return good;
}
