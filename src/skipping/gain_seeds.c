/* Looks up the seeds of a few bands: a table of the seeds, past which the columns are streamed. */
#include "skipping/gain_seeds.h"

#include <string.h>

#include <chromosweep/error.h>

#include "system/memory.h"
#include "system/stop.h"

enum {
    NO_SEED = -1,
    FILTER_BITS = 3,    /* log2 of the bits of the filter per head of a list */
    MOST_PARTS = 16,    /* each streams past columns of its neighbours, too */
    AT_ONCE = 256,      /* k-mers that are looked up together */
    ASK_STOP = 1 << 20, /* columns */
};

/* A seed of the rows. */
typedef struct {
    guint32 word; /* its bases */
    gint32 next;  /* with the same hash, or NO_SEED */
} Seed;

typedef struct {
    const CsGainRule *rule;
    const CsGainBases *bases;
    const gint *stop;
    gint64 first, count; /* bands */
    gint64 blocks, parts;
    CsGainBand *bands; /* while they are counted, `missing` has differences: present ones */
    Seed *seeds;
    gint32 *beyond; /* of each part and seed: the first block that it has not been counted for */
    guint bits;     /* log2 of the heads */
    gint32 *heads;  /* of lists of seeds */
    guint8 *filter; /* a bit for each hash of a few bits more; most words of the columns end here */
    gint32 *present; /* of each band: how many seeds it has */
} Table;

static gboolean
fail(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_DEVICE,
                        "not enough memory to count gains along diagonals");
    return FALSE;
}

void
cs_gain_bases_clear(CsGainBases *bases)
{
    g_clear_pointer(&bases->rows, g_free);
    g_clear_pointer(&bases->columns, g_free);
    cs_gain_common_clear(&bases->common);
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
cs_gain_bases_init(CsGainBases *bases, const CsGainRule *rule, const CsSurvey *survey,
                   GError **error)
{
    *bases = (CsGainBases){.m = survey->rows.length, .n = survey->columns.length};
    bases->rows = read_backwards(&survey->rows, CS_ROW_AMBIGUOUS);
    bases->columns = read_backwards(&survey->columns, CS_COLUMN_AMBIGUOUS);
    if (bases->rows == NULL || bases->columns == NULL)
        return fail(error);
    return cs_gain_common_init(&bases->common, rule, bases->columns, bases->n) || fail(error);
}

static guint8
row_at(const CsGainBases *bases, gint64 row)
{
    return bases->rows[bases->m - 1 - row];
}

static void
set_filter(Table *table, guint32 word)
{
    const guint32 hash = cs_gain_hash(word, table->bits + FILTER_BITS);
    table->filter[hash >> 3] |= (guint8)(1 << (hash & 7));
}

static gboolean
passes_filter(const Table *table, guint32 word)
{
    const guint32 hash = cs_gain_hash(word, table->bits + FILTER_BITS);
    return table->filter[hash >> 3] >> (hash & 7) & 1;
}

/* The word of the k bases from a row on. FALSE if one of them is ambiguous. */
static gboolean
word_at(const Table *table, gint64 row, guint32 *word)
{
    const gint64 kmer = table->rule->kmer;
    *word = 0;
    for (gint64 k = 0; k < kmer; k++) {
        const guint8 code = row_at(table->bases, row + k);
        if (code == CS_ROW_AMBIGUOUS)
            return FALSE;
        *word = *word << 2 | code;
    }
    return TRUE;
}

/* Enters the seeds of the bands. */
static void
enter_seeds(Table *table)
{
    const CsGainRule *rule = table->rule;
    const gint64 m = table->bases->m;
    memset(table->heads, NO_SEED, sizeof(gint32) << table->bits);
    memset(table->filter, 0, ((gsize)1 << (table->bits + FILTER_BITS)) / 8);
    for (gint64 k = 0; k < table->count * rule->seeds; k++) {
        const gint64 row = table->first * rule->band + k * rule->kmer;
        guint32 word;
        if (row + rule->kmer > m || !word_at(table, row, &word) ||
            cs_gain_common_has(&table->bases->common, word))
            continue;
        gint32 *head = &table->heads[cs_gain_hash(word, table->bits)];
        table->seeds[k] = (Seed){.word = word, .next = *head};
        *head = (gint32)k;
        set_filter(table, word);
        table->present[k / rule->seeds]++;
    }
}

/* The blocks first .. end - 1, which a thread counts for. */
typedef struct {
    gint64 first, end;
    gint32 *beyond;
} Part;

/* Counts a seed that occurs in the columns: for each block in whose window it is for the first
 * time. Occurrences come from left to right. */
static void
count_occurrence(const Table *table, const Part *part, gint64 k, gint64 column)
{
    const CsGainRule *rule = table->rule;
    const gint64 m = table->bases->m;
    CsGainBand *band = &table->bands[k / rule->seeds];
    const gint64 diagonal = column - table->first * rule->band - k * rule->kmer;
    const gint64 lowest = MAX(-m, diagonal - rule->window), highest = diagonal + rule->window;
    gint64 from = MAX(cs_gain_block_of(rule, m, lowest), part->beyond[k]);
    gint64 to = MIN(cs_gain_block_of(rule, m, highest) + 1, part->end);
    if (band->lowest <= band->highest && diagonal >= band->lowest)
        from = MAX(from, cs_gain_block_of(rule, m, band->lowest));
    if (band->lowest <= band->highest && diagonal <= band->highest)
        to = MIN(to, cs_gain_block_of(rule, m, band->highest) + 1);
    if (highest < -m || from >= to)
        return;
    part->beyond[k] = (gint32)to;
    band->missing[from]++;
    if (to < part->end)
        band->missing[to]--;
}

/* K-mers that may be seeds. All are in memory far apart, so they are fetched ahead, step by step. */
typedef struct {
    gint64 columns[AT_ONCE];
    guint32 words[AT_ONCE];
    gint32 seeds[AT_ONCE]; /* the head of each one's list */
    gint count;
} Batch;

static void
look_up(const Table *table, const Part *part, Batch *batch)
{
    for (gint b = 0; b < batch->count; b++) {
        batch->seeds[b] = table->heads[cs_gain_hash(batch->words[b], table->bits)];
        if (batch->seeds[b] == NO_SEED)
            continue;
        __builtin_prefetch(&table->seeds[batch->seeds[b]]);
        __builtin_prefetch(&part->beyond[batch->seeds[b]], 1);
    }
    for (gint b = 0; b < batch->count; b++)
        for (gint32 k = batch->seeds[b]; k != NO_SEED; k = table->seeds[k].next)
            if (table->seeds[k].word == batch->words[b])
                count_occurrence(table, part, k, batch->columns[b]);
    batch->count = 0;
}

/* Streams past the table those columns that are in a window of the part somewhere in the bands. */
static void
stream_columns(const Table *table, const Part *part)
{
    const CsGainRule *rule = table->rule;
    const gint64 kmer = rule->kmer, m = table->bases->m, n = table->bases->n;
    const gint64 row = table->first * rule->band, end = MIN(m, row + table->count * rule->band);
    const gint64 lowest = cs_gain_block_start(rule, m, part->first) - rule->window;
    const gint64 highest = cs_gain_block_start(rule, m, part->end) + rule->window;
    const guint32 mask = ((guint32)1 << (2 * kmer)) - 1;
    Batch batch = {.count = 0};
    gint64 length = 0; /* of unambiguous bases */
    guint32 word = 0;
    for (gint64 column = MAX(0, row + lowest); column < MIN(n, end + highest + kmer); column++) {
        if (column % ASK_STOP == 0 && cs_is_stopped(table->stop))
            return;
        const guint8 code = table->bases->columns[n - 1 - column];
        length = code == CS_COLUMN_AMBIGUOUS ? 0 : length + 1;
        word = (word << 2 | (code & 3)) & mask;
        if (length < kmer || !passes_filter(table, word))
            continue;
        __builtin_prefetch(&table->heads[cs_gain_hash(word, table->bits)]);
        batch.columns[batch.count] = column + 1 - kmer;
        batch.words[batch.count++] = word;
        if (batch.count == AT_ONCE)
            look_up(table, part, &batch);
    }
    look_up(table, part, &batch);
}

/* Turns differences into what is missing. */
static void
sum_up(const Part *part, CsGainBand *band, gint32 seeds)
{
    guint16 present = 0;
    for (gint64 k = part->first; k < part->end; k++) {
        present = (guint16)(present + band->missing[k]);
        band->missing[k] = (guint16)(seeds - present);
    }
}

static gint32
count_ambiguous(const CsGainBases *bases, gint64 from, gint64 to)
{
    gint32 count = 0;
    for (gint64 row = from; row < MIN(to, bases->m); row++)
        count += row_at(bases, row) == CS_ROW_AMBIGUOUS;
    return count;
}

/* The first block of a part. All parts have as many columns. */
static gint64
part_start(const Table *table, gint64 number)
{
    const CsGainBases *bases = table->bases;
    const CsGainRule *rule = table->rule;
    const gint64 middle = table->first * rule->band + table->count * rule->band / 2;
    const gint64 diagonal = bases->n * number / table->parts - middle;
    if (number == table->parts)
        return table->blocks;
    return number > 0 ? cs_gain_block_of(rule, bases->m, MAX(diagonal, -bases->m)) : 0;
}

/* A CsParallelFunc: counts for a part of the blocks. */
static void
count_part(gint64 number, gpointer data)
{
    const Table *table = data;
    const gint64 seeds = table->count * table->rule->seeds;
    const Part part = {part_start(table, number), part_start(table, number + 1),
                       table->beyond + number * seeds};
    for (gint64 k = 0; k < seeds; k++)
        part.beyond[k] = (gint32)part.first;
    for (gint64 k = 0; k < table->count; k++)
        memset(table->bands[k].missing + part.first, 0,
               (gsize)(part.end - part.first) * sizeof(guint16));
    stream_columns(table, &part);
    for (gint64 k = 0; k < table->count; k++)
        sum_up(&part, &table->bands[k], table->present[k]);
}

gboolean
cs_gain_seeds_count(const CsGainRule *rule, const CsGainBases *bases, CsCrew *crew,
                    const gint *stop, gint64 first, gint64 count, CsGainBand *bands, GError **error)
{
    const gint64 most = count * rule->seeds;
    const gint64 blocks = cs_gain_block_of(rule, bases->m, bases->n) + 1;
    const gint64 parts = CLAMP(cs_crew_size(crew), 1, MIN(blocks, MOST_PARTS));
    guint bits = 4;
    while (((gint64)1 << bits) < 2 * most)
        bits++;
    g_autofree Seed *seeds = cs_memory_try_new(Seed, most);
    g_autofree gint32 *beyond = cs_memory_try_new(gint32, parts * most);
    g_autofree gint32 *heads = cs_memory_try_new(gint32, (gsize)1 << bits);
    g_autofree guint8 *filter = cs_memory_try_new(guint8, (gsize)1 << (bits + FILTER_BITS - 3));
    g_autofree gint32 *present = g_new0(gint32, count);
    if (seeds == NULL || beyond == NULL || heads == NULL || filter == NULL)
        return fail(error);
    Table table = {.rule = rule,
                   .bases = bases,
                   .stop = stop,
                   .first = first,
                   .count = count,
                   .blocks = blocks,
                   .parts = parts,
                   .bands = bands,
                   .seeds = seeds,
                   .beyond = beyond,
                   .bits = bits,
                   .heads = heads,
                   .filter = filter,
                   .present = present};
    enter_seeds(&table);
    cs_crew_run(crew, parts, count_part, &table);
    for (gint64 k = 0; k < count; k++) {
        const gint64 row = (first + k) * rule->band;
        bands[k].ambiguous = count_ambiguous(bases, row, row + rule->band);
    }
    return TRUE;
}
