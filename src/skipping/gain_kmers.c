/* Looks up the k-mers of a few bands in the index of the columns. */
#include "skipping/gain_kmers.h"

#include <string.h>

#include <chromosweep/error.h>

#include "system/memory.h"

void
cs_gain_bases_clear(CsGainBases *bases)
{
    g_clear_pointer(&bases->rows, g_free);
    g_clear_pointer(&bases->columns, g_free);
    cs_gain_index_clear(&bases->index);
}

/* A view's bases, the last one first. */
static guint8 *
read_backwards(const CsView *view, guint8 ambiguous)
{
    CsView backwards = *view;
    guint8 *codes = cs_memory_try_new(guint8, view->length + 1);
    backwards.reversed = !view->reversed;
    if (codes != NULL)
        cs_view_read(&backwards, ambiguous, codes);
    return codes;
}

gboolean
cs_gain_bases_init(CsGainBases *bases, const CsGainRule *rule, const CsSurvey *survey, CsCrew *crew,
                   GError **error)
{
    *bases = (CsGainBases){.m = survey->rows.length, .n = survey->columns.length};
    bases->rows = read_backwards(&survey->rows, CS_ROW_AMBIGUOUS);
    bases->columns = read_backwards(&survey->columns, CS_COLUMN_AMBIGUOUS);
    if (bases->rows != NULL && bases->columns != NULL &&
        cs_gain_index_init(&bases->index, rule, bases->columns, bases->n, crew, survey->stop))
        return TRUE;
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory to count gains along diagonals");
    return FALSE;
}

static guint8
row_at(const CsGainBases *bases, gint64 row)
{
    return bases->rows[bases->m - 1 - row];
}

/* The k-mer that begins at a row. FALSE if one of its bases is ambiguous. */
static gboolean
word_at(const CsGainBases *bases, gint64 kmer, gint64 row, guint32 *word)
{
    *word = 0;
    for (gint64 k = 0; k < kmer; k++) {
        const guint8 code = row_at(bases, row + k);
        if (code == CS_ROW_AMBIGUOUS)
            return FALSE;
        *word = *word << 2 | code;
    }
    return TRUE;
}

/* The first of some ascending columns that is `lowest` or more. */
static gint64
find_column(const guint32 *columns, gint64 count, gint64 lowest)
{
    gint64 from = 0;
    while (count > 0) {
        const gint64 half = count / 2;
        if (columns[from + half] < lowest) {
            from += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return from;
}

/* The blocks from .. to - 1 for which a k-mer on some diagonal counts as one that occurs. */
typedef struct {
    gint64 from, to;
} Blocks;

static Blocks
blocks_around(const CsGainRule *rule, gint64 m, const CsGainBand *band, gint64 diagonal)
{
    const gint64 lowest = MAX(-m, diagonal - rule->window), highest = diagonal + rule->window;
    Blocks blocks = {MAX(cs_gain_block_of(rule, m, lowest), band->from),
                     MIN(cs_gain_block_of(rule, m, MAX(-m, highest)) + 1, band->to)};
    if (band->lowest <= band->highest && diagonal >= band->lowest)
        blocks.from = MAX(blocks.from, cs_gain_block_of(rule, m, band->lowest));
    if (band->lowest <= band->highest && diagonal <= band->highest)
        blocks.to = MIN(blocks.to, cs_gain_block_of(rule, m, band->highest) + 1);
    return highest >= -m ? blocks : (Blocks){0};
}

/* Counts the k-mer that begins at a row, once for each block in whose window it occurs. So far
 * `missing` holds the k-mers that are present, as differences from block to block. */
static void
count_kmer(const CsGainRule *rule, const CsGainBases *bases, CsGainBand *band, gint64 row,
           const guint32 *columns, gint64 count)
{
    const gint64 m = bases->m;
    const gint64 first = row + cs_gain_block_start(rule, m, band->from) - rule->window;
    const gint64 last = row + cs_gain_block_start(rule, m, band->to) + rule->window;
    gint64 beyond = band->from; /* blocks before this one have been counted */
    for (gint64 k = find_column(columns, count, first); k < count && columns[k] <= last; k++) {
        const Blocks blocks = blocks_around(rule, m, band, (gint64)columns[k] - row);
        const gint64 from = MAX(blocks.from, beyond);
        if (from >= blocks.to)
            continue;
        band->missing[from - band->from]++;
        if (blocks.to < band->to)
            band->missing[blocks.to - band->from]--;
        beyond = blocks.to;
    }
}

/* Turns these differences into numbers of missing k-mers. */
static void
sum_up(CsGainBand *band, gint32 kmers)
{
    guint16 present = 0;
    for (gint64 k = 0; k < band->to - band->from; k++) {
        present = (guint16)(present + band->missing[k]);
        band->missing[k] = (guint16)(kmers - present);
    }
}

static gint32
count_ambiguous(const CsGainBases *bases, gint64 from, gint64 to)
{
    gint32 count = 0;
    for (gint64 row = from; row < to; row++)
        count += row_at(bases, row) == CS_ROW_AMBIGUOUS;
    return count;
}

typedef struct {
    const CsGainRule *rule;
    const CsGainBases *bases;
    gint64 last;
    CsGainBand *bands;
} Work;

/* A CsParallelFunc. */
static void
count_band(gint64 number, gpointer data)
{
    const Work *work = data;
    const CsGainRule *rule = work->rule;
    const CsGainBases *bases = work->bases;
    CsGainBand *band = &work->bands[number];
    const gint64 start = (work->last - number) * rule->band;
    const gint64 end = MIN(bases->m, start + rule->band);
    gint32 kmers = 0;
    memset(band->missing, 0, (gsize)(band->to - band->from) * sizeof(guint16));
    for (gint64 row = start; row + rule->kmer <= end; row += rule->kmer) {
        guint32 word;
        gint64 count;
        if (!word_at(bases, rule->kmer, row, &word))
            continue;
        const guint32 *columns = cs_gain_index_find(&bases->index, word, &count);
        if (count >= bases->index.frequent)
            continue;
        kmers++;
        count_kmer(rule, bases, band, row, columns, count);
    }
    sum_up(band, kmers);
    band->ambiguous = count_ambiguous(bases, start, end);
}

void
cs_gain_kmers_count(const CsGainRule *rule, const CsGainBases *bases, CsCrew *crew, gint64 last,
                    gint64 count, CsGainBand *bands)
{
    Work work = {rule, bases, last, bands};
    cs_crew_run(crew, count, count_band, &work);
}
