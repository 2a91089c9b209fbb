/*
 * The start of a hit's alignment, by the recurrence from its end backwards, and its path.
 *
 * Backwards, H(i, j) is the best score of an alignment from the pair of i and j to the end. Only
 * values above 0 count: if the last letters of an alignment with the score scored 0 or less, it would
 * score as much without them and end before, which contradicts CsHitEnd. So most cells are skipped, and
 * the work is that of an island around the alignment.
 *
 * The path takes the rectangle from start to end. H and E of every so many columns are kept in a
 * first pass; then block after block of columns is computed again from the last to the first, with the
 * directions of its cells. So memory grows with the square root of the columns.
 *
 * Here, too, a cell is skipped if H and the most that the letters after it gain are less than the score: then
 * no path with the score leads through its H, nor through its gaps, which are at most H. A path with the
 * score has no skipped cells, so its cells have the same ways as if all were computed.
 */
#include <math.h>
#include <string.h>

#include "search/hit_path.h"
#include "system/memory.h"
#include "system/stop.h"

#define DEAD (G_MININT64 / 2)

/* A column of live rows, as numbers from the end: first <= k < last. Outside of it all is DEAD. */
typedef struct {
    gint64 *h, *e;
    gint64 first, last;
    gint64 *query_gain; /* of each row: the most that the letters of the query before it gain */
    gint64 record_gain; /* the same of the record, before the column */
} Island;

/* The most that a letter gains with any; 0 if it is left unpaired. */
static gint64
most_gain(const CsPairScoring *s, gboolean of_query, guint8 letter)
{
    gint64 most = 0;
    for (guint other = 0; other < CS_LETTERS_MAX; other++)
        most = MAX(most, of_query ? s->pairs[letter][other] : s->pairs[other][letter]);
    return most;
}

/* The same of each letter. */
static void
most_gains(const CsPairScoring *s, gboolean of_query, gint64 gains[CS_LETTERS_MAX])
{
    for (guint8 letter = 0; letter < CS_LETTERS_MAX; letter++)
        gains[letter] = most_gain(s, of_query, letter);
}

static gboolean
island_init(Island *island, const CsHitEnd *end)
{
    gint64 of_query[CS_LETTERS_MAX], of_record[CS_LETTERS_MAX];
    most_gains(end->scoring, TRUE, of_query);
    most_gains(end->scoring, FALSE, of_record);
    *island = (Island){.h = cs_memory_try_new(gint64, end->rows),
                       .e = cs_memory_try_new(gint64, end->rows),
                       .query_gain = cs_memory_try_new(gint64, end->rows)};
    for (gint64 j = 0; j < end->columns; j++)
        island->record_gain += of_record[end->record[j]];
    gint64 gain = 0;
    for (gint64 i = 0; island->query_gain != NULL && i < end->rows; i++) {
        island->query_gain[i] = gain;
        gain += of_query[end->query[i]];
    }
    return island->h != NULL && island->e != NULL && island->query_gain != NULL;
}

static void
island_clear(Island *island)
{
    g_free(island->h);
    g_free(island->e);
    g_free(island->query_gain);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Island, island_clear)

/* Computes a column in place. Returns the smallest k, which is the largest row, whose H is the score;
 * -1 if there is none. */
static gint64
step_back(const CsHitEnd *end, Island *island, gint64 column)
{
    const CsPairScoring *s = end->scoring;
    const gint32 *const pairs = &s->pairs[0][end->record[end->columns - 1 - column]];
    gint64 f = DEAD, found = -1, first = end->rows, last = 0;
    /* H of the column before in the row before. Only the corner is alive there. */
    gint64 diagonal = column == 0 ? 0 : DEAD;
    island->record_gain -= most_gain(s, FALSE, end->record[end->columns - 1 - column]);
    for (gint64 k = column == 0 ? 0 : island->first; k < end->rows; k++) {
        const gboolean was_live = k < island->last;
        if (!was_live && diagonal == DEAD && f == DEAD)
            break;
        const gint64 left = was_live ? island->h[k] : DEAD;
        gint64 e = was_live ? MAX(island->e[k] - s->more, left - s->first) : DEAD;
        const guint8 letter = end->query[end->rows - 1 - k];
        gint64 h = diagonal + pairs[(gsize)letter * CS_LETTERS_MAX];
        h = MAX(h, MAX(e, f));
        diagonal = left;
        const gint64 most = MIN(island->query_gain[end->rows - 1 - k], island->record_gain);
        const gboolean lives = h > 0 && h + most >= end->score;
        f = lives ? MAX(f - s->more, h - s->first) : DEAD;
        island->h[k] = lives ? h : DEAD;
        island->e[k] = lives ? e : DEAD;
        if (!lives)
            continue;
        first = MIN(first, k);
        last = k + 1;
        if (h == end->score && found < 0)
            found = k;
    }
    island->first = first;
    island->last = last;
    return found;
}

gboolean
cs_hit_start(const CsHitEnd *end, gint64 *row, gint64 *column)
{
    g_auto(Island) island = {0};
    gint64 k = -1, n = 0;
    const gboolean good = island_init(&island, end);
    for (; good && k < 0 && n < end->columns && !cs_is_stopped(end->stop); n++)
        k = step_back(end, &island, n);
    *row = end->rows - k;
    *column = end->columns + 1 - n;
    g_assert(!good || k >= 0 || cs_is_stopped(end->stop)); /* else the end is wrong */
    return good;
}

/* How a cell is reached: in the lowest two bits H, and whether gaps go on before it. */
enum {
    BY_PAIR = 0,
    BY_QUERY = 1,  /* F: an unpaired letter of the query */
    BY_RECORD = 2, /* E: an unpaired letter of the record */
    BY_ALL = 3,
    QUERY_GOES_ON = 4,
    RECORD_GOES_ON = 8,
};

/* Rows whose cells may be live, from 0, which is above the first row. All others are DEAD. */
typedef struct {
    gint64 first, last; /* none if first > last */
} Live;

typedef struct {
    const CsHitEnd *end;
    const guint8 *query, *record; /* from the start on */
    gint64 rows, columns, block;  /* columns of a block */
    gint64 *h, *e;                /* of a column; h[0] is above the first row */
    Live live;                    /* of it */
    gint64 *query_gain;           /* after each row: the most that the letters of the query gain */
    gint64 *record_gain;          /* the same of the record, after each column */
    gint64 *kept;                 /* H and E before each block, */
    Live *kept_live;              /* where they are live */
    guint8 *ways;                 /* of a block, column by column */
} Rectangle;

static void
rectangle_clear(Rectangle *r)
{
    g_free(r->h);
    g_free(r->e);
    g_free(r->query_gain);
    g_free(r->record_gain);
    g_free(r->kept);
    g_free(r->kept_live);
    g_free(r->ways);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rectangle, rectangle_clear)

/* Columns of a block, of so many in all. */
static gint64
block_of(gint64 columns)
{
    return (gint64)ceil(4 * sqrt((double)columns));
}

static gint64
blocks_of(gint64 columns)
{
    return (columns + block_of(columns) - 1) / block_of(columns);
}

/* gains[k]: the most that the letters from k on gain; NULL without memory. */
static gint64 *
sum_gains(const CsPairScoring *scoring, gboolean of_query, const guint8 *letters, gint64 n)
{
    gint64 most[CS_LETTERS_MAX], *gains = cs_memory_try_new(gint64, n + 1);
    if (gains == NULL)
        return NULL;
    most_gains(scoring, of_query, most);
    gains[n] = 0;
    for (gint64 k = n; k-- > 0;)
        gains[k] = gains[k + 1] + most[letters[k]];
    return gains;
}

static gboolean
rectangle_init(Rectangle *r, const CsHitEnd *end, gint64 row, gint64 column)
{
    r->end = end;
    r->query = end->query + row - 1;
    r->record = end->record + column - 1;
    r->rows = end->rows + 1 - row;
    r->columns = end->columns + 1 - column;
    r->block = block_of(r->columns);
    r->h = cs_memory_try_new(gint64, r->rows + 1);
    r->e = cs_memory_try_new(gint64, r->rows + 1);
    r->query_gain = sum_gains(end->scoring, TRUE, r->query, r->rows);
    r->record_gain = sum_gains(end->scoring, FALSE, r->record, r->columns);
    r->kept = cs_memory_try_new(gint64, 2 * (r->rows + 1) * blocks_of(r->columns));
    r->kept_live = cs_memory_try_new(Live, blocks_of(r->columns));
    r->ways = cs_memory_try_new(guint8, r->rows * r->block);
    return r->h != NULL && r->e != NULL && r->query_gain != NULL && r->record_gain != NULL &&
           r->kept != NULL && r->kept_live != NULL && r->ways != NULL;
}

/* Before the first column: the alignment begins with a pair. */
static void
begin(Rectangle *r)
{
    r->h[0] = 0;
    r->e[0] = DEAD;
    r->live = (Live){0, 0};
}

/* The next column, in place. */
static void
step(Rectangle *r, gint64 column, guint8 *ways)
{
    const CsPairScoring *s = r->end->scoring;
    const guint8 letter = r->record[column];
    const Live before = r->live;
    Live live = {r->rows + 1, 0};
    gint64 above = DEAD, diagonal = DEAD, f = DEAD; /* H above, and left of that */
    for (gint64 i = before.first; i <= r->rows; i++) {
        const gboolean was_live = i <= before.last;
        if (!was_live && diagonal == DEAD && above == DEAD)
            break;
        const gint64 left = was_live ? r->h[i] : DEAD;
        if (i == 0) {
            r->h[0] = r->e[0] = DEAD;
            diagonal = left;
            continue;
        }
        const gint64 e_more = (was_live ? r->e[i] : DEAD) - s->more, e_first = left - s->first;
        const gint64 f_more = f - s->more, f_first = above - s->first;
        const gint64 pair = diagonal + s->pairs[r->query[i - 1]][letter];
        const gint64 e = MAX(e_more, e_first);
        f = MAX(f_more, f_first);
        const gint64 h = MAX(pair, MAX(e, f));
        if (ways != NULL)
            ways[i - 1] = (guint8)((h == pair ? BY_PAIR
                                    : h == f  ? BY_QUERY
                                              : BY_RECORD) |
                                   (f_more > f_first ? QUERY_GOES_ON : 0) |
                                   (e_more > e_first ? RECORD_GOES_ON : 0));
        const gint64 most = MIN(r->query_gain[i], r->record_gain[column + 1]);
        const gboolean lives = h + most >= r->end->score;
        diagonal = left;
        above = lives ? h : DEAD;
        f = lives ? f : DEAD;
        r->h[i] = above;
        r->e[i] = lives ? e : DEAD;
        if (!lives)
            continue;
        live.first = MIN(live.first, i);
        live.last = i;
    }
    r->live = live;
}

static gint64 *
kept_of(const Rectangle *r, gint64 block)
{
    return r->kept + 2 * (r->rows + 1) * block;
}

/* Copies the live rows of a column. */
static void
copy_live(const Live *live, gint64 *to, const gint64 *from)
{
    if (live->first <= live->last)
        memcpy(to + live->first, from + live->first,
               (gsize)(live->last + 1 - live->first) * sizeof *to);
}

/* Keeps H and E before each block. */
static void
keep_blocks(Rectangle *r)
{
    begin(r);
    for (gint64 j = 0; j < r->columns && !cs_is_stopped(r->end->stop); j++) {
        if (j % r->block == 0) {
            gint64 *kept = kept_of(r, j / r->block);
            r->kept_live[j / r->block] = r->live;
            copy_live(&r->live, kept, r->h);
            copy_live(&r->live, kept + r->rows + 1, r->e);
        }
        step(r, j, NULL);
    }
}

static void
compute_ways(Rectangle *r, gint64 block)
{
    const gint64 from = block * r->block, to = MIN(r->columns, from + r->block);
    const gint64 *kept = kept_of(r, block);
    r->live = r->kept_live[block];
    copy_live(&r->live, r->h, kept);
    copy_live(&r->live, r->e, kept + r->rows + 1);
    for (gint64 j = from; j < to && !cs_is_stopped(r->end->stop); j++)
        step(r, j, r->ways + (j - from) * r->rows);
}

/* Walks back from the end to the start. */
static void
walk(Rectangle *r, GString *path)
{
    gint64 i = r->rows, j = r->columns, block = -1;
    guint8 way = BY_PAIR; /* in a gap: which */
    while (i > 0 && j > 0) {
        if ((j - 1) / r->block != block) {
            block = (j - 1) / r->block;
            compute_ways(r, block);
            if (cs_is_stopped(r->end->stop))
                return;
        }
        const guint8 here = r->ways[(j - 1 - block * r->block) * r->rows + i - 1];
        if (way == BY_PAIR)
            way = here & BY_ALL;
        if (way == BY_PAIR) {
            g_string_append_c(path, 'M');
            i--;
            j--;
        } else if (way == BY_QUERY) {
            g_string_append_c(path, 'I');
            way = here & QUERY_GOES_ON ? BY_QUERY : BY_PAIR;
            i--;
        } else {
            g_string_append_c(path, 'D');
            way = here & RECORD_GOES_ON ? BY_RECORD : BY_PAIR;
            j--;
        }
    }
    g_assert(i == 0 && j == 0); /* an alignment begins with a pair */
}

gboolean
cs_hit_path(const CsHitEnd *end, gint64 row, gint64 column, GString *path)
{
    g_auto(Rectangle) rectangle = {0};
    if (!rectangle_init(&rectangle, end, row, column))
        return FALSE;
    keep_blocks(&rectangle);
    if (cs_is_stopped(end->stop))
        return TRUE;
    const gsize before = path->len;
    walk(&rectangle, path);
    for (gsize k = before, other = path->len; k + 1 < other; k++) {
        const char last = path->str[--other];
        path->str[other] = path->str[k];
        path->str[k] = last;
    }
    return TRUE;
}

/* The letters of a record in an alignment that scores more than 0: a pair for each letter of the query,
 * and as many unpaired ones as these can pay. */
static gint64
most_columns(const CsPairScoring *scoring, gint64 rows, gint64 longest)
{
    const double gain = (double)MAX(scoring->highest, 0) * (double)rows;
    const double unpaired = scoring->more > 0 ? gain / (double)scoring->more : (double)longest;
    return (gint64)MIN((double)longest, (double)rows + unpaired);
}

gint64
cs_hit_path_bytes(const CsPairScoring *scoring, gint64 rows, gint64 longest)
{
    const gint64 columns = most_columns(scoring, rows, longest);
    if (rows == 0 || columns == 0)
        return 0;
    /* A string's room doubles. */
    return (2 * (rows + 1) * (blocks_of(columns) + 1) + rows + columns + 2) *
               (gint64)sizeof(gint64) +
           blocks_of(columns) * (gint64)sizeof(Live) + rows * block_of(columns) +
           2 * (rows + columns);
}
