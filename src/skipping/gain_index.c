/* Sorts columns by their k-mers: counts the columns of each k-mer, then puts each column in its
 * place. */
#include "skipping/gain_index.h"

#include <string.h>

#include "sequence/view.h"
#include "system/memory.h"
#include "system/stop.h"

enum {
    MOST_PARTS = 16,
    ASK_STOP = 1 << 20, /* columns */
    LEAST_FREQUENT = 32,
};

/*
 * A k-mer is frequent if it occurs so many times in a window, on average. At 0.25, every fifth
 * window has one. Such k-mers are few, but in a genome with repeats they have most of the
 * occurrences. In a simulated pair of 250 Mb, as similar as human and chimpanzee, 4% are frequent.
 */
#define FREQUENT 0.25

/* An index that is made. */
typedef struct {
    CsGainIndex *index;
    gint64 kmer, kmers, n, parts;
    const guint8 *columns;
    const gint *stop;
    gboolean counted;
} Making;

/* A CsParallelFunc: counts the columns of some k-mers, or puts them in their places once they are
 * counted. Each call looks at all columns. */
static void
sort_part(gint64 part, gpointer data)
{
    const Making *making = data;
    const gint64 kmer = making->kmer, n = making->n;
    const gint64 first = making->kmers * part / making->parts;
    const guint32 count = (guint32)(making->kmers * (part + 1) / making->parts - first);
    const guint32 mask = (guint32)(making->kmers - 1);
    guint32 *starts = making->index->starts;
    gint64 length = 0; /* of unambiguous bases */
    guint32 word = 0;
    for (gint64 column = 0; column < n; column++) {
        const guint8 code = making->columns[n - 1 - column];
        length = code == CS_COLUMN_AMBIGUOUS ? 0 : length + 1;
        word = (word << 2 | (code & 3)) & mask;
        if (column % ASK_STOP == 0 && cs_is_stopped(making->stop))
            return;
        if (length < kmer || word - (guint32)first >= count)
            continue;
        const guint32 place = starts[word]++;
        if (making->counted)
            making->index->columns[place] = (guint32)(column + 1 - kmer);
    }
}

gboolean
cs_gain_index_init(CsGainIndex *index, const CsGainRule *rule, const guint8 *columns, gint64 n,
                   CsCrew *crew, const gint *stop)
{
    const gint64 kmers = (gint64)1 << 2 * rule->kmer;
    const double window = (double)(2 * rule->window + rule->block);
    Making making = {.index = index,
                     .kmer = rule->kmer,
                     .kmers = kmers,
                     .n = n,
                     .parts = MIN(MOST_PARTS, cs_crew_size(crew)),
                     .columns = columns,
                     .stop = stop};
    *index =
        (CsGainIndex){.starts = cs_memory_try_new(guint32, kmers + 1),
                      .columns = cs_memory_try_new(guint32, n),
                      .frequent = MAX(LEAST_FREQUENT, (gint64)(FREQUENT * (double)n / window))};
    if (index->starts == NULL || index->columns == NULL)
        return FALSE;
    memset(index->starts, 0, ((gsize)kmers + 1) * sizeof(guint32));
    making.parts = MAX(1, making.parts);
    cs_crew_run(crew, making.parts, sort_part, &making);
    guint32 before = 0;
    for (gint64 k = 0; k <= kmers; k++) {
        const guint32 count = index->starts[k];
        index->starts[k] = before;
        before += count;
    }
    making.counted = TRUE;
    cs_crew_run(crew, making.parts, sort_part, &making);
    /* Now each k-mer's start has moved to its end, which is where the next one starts. */
    memmove(index->starts + 1, index->starts, (gsize)kmers * sizeof(guint32));
    index->starts[0] = 0;
    return TRUE;
}

void
cs_gain_index_clear(CsGainIndex *index)
{
    g_clear_pointer(&index->starts, g_free);
    g_clear_pointer(&index->columns, g_free);
}
