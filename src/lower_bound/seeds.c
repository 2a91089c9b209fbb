/*
 * Maximal exact matches between two sequences.
 *
 * The index is a hash table. An entry is a k-mer of the columns and its place. The entries of a
 * bucket are next to each other. Two passes over the columns fill the table: one counts, one
 * places. A third pass, over the buckets, removes frequent k-mers. Then each k-mer of the rows is
 * looked up, and each hit is extended to a maximal match. Several k-mers may hit the same match;
 * only the first of them that is not frequent reports it.
 *
 * Invariants:
 * 1. The order of entries in a bucket depends on the threads, the result does not: the seeds of
 *    each stretch are sorted, and those that are kept are the first in a total order.
 * 2. Each base of a match is compared once to find its start and once to find its end, however many
 *    k-mers it has. So the work of a stretch is at most `most` times the bases looked at.
 */
#include <stdlib.h>
#include <string.h>

#include <chromosweep/error.h>

#include "lower_bound/seeds.h"
#include "sequence/kmer.h"
#include "sweep/grid.h"
#include "system/memory.h"
#include "system/parallel.h"

enum {
    BATCH = 64, /* k-mers looked up at the same time, so that their waits for memory overlap */
    INDEX_STRETCH = 1 << 13,  /* k-mers */
    BUCKET_STRETCH = 1 << 16, /* buckets */
    FEWEST_SEEDS = 64,        /* room of a stretch that has a seed */
    FEWEST_BUCKET_BITS = 10,  /* of the number of buckets */
    MOST_BUCKET_BITS = 28,
    SHORTEST = 12, /* bases of a seed, by cs_seeds_rule() */
    LONGEST = 23,
};

/* Ends the entries of a bucket that lost some. No real entry has this value, because there are
 * fewer places. */
#define NO_ENTRY G_MAXUINT64
#define MOST_ENTRIES (G_GINT64_CONSTANT(1) << 31)

/* Reads the bases of a view, forwards or backwards. Two bases match if they are equal, below 4. */
typedef struct {
    const guint8 *first;
    gint64 step;
    guint8 flip; /* an ambiguous base stays at 4 or above */
} Reader;

struct _CsSeedsIndex {
    CsView columns;
    Reader column_reader;
    CsSeedsRule rule;
    gint64 places; /* k-mers of the columns that may be in the index */
    guint bucket_bits;
    guint32 *starts;   /* of each bucket's entries, and one more for the end */
    guint64 *entries;  /* k-mer << 32 | place */
    guint32 *frequent; /* one bit per place: whether its k-mer was removed */
    gboolean placing;  /* the second pass */
};

/* The seeds of a stretch of rows. */
typedef struct {
    CsSeed *seeds;
    guint count, room;
    gboolean failed; /* memory was short: some are missing */
} Found;

/* A search for the k-mers of rows. */
typedef struct {
    const CsSeedsIndex *index;
    CsView rows;
    Reader row_reader;
    Found *found; /* of each stretch of rows */
} LookUp;

/* The shortest seeds are three bases shorter than the longest matches expected by chance. The chain
 * leaves chance matches out, and less similar sequences have few longer seeds. */
CsSeedsRule
cs_seeds_rule(gint64 m, gint64 n)
{
    double pairs = (double)MAX(m, 1) * (double)MAX(n, 1);
    guint bases = 0;
    for (; pairs >= 4; pairs /= 4)
        bases++;
    const guint shortest = CLAMP(bases, SHORTEST + 3, LONGEST + 3) - 3, step = (shortest + 1) / 3;
    return (CsSeedsRule){.bases = shortest + 1 - step,
                         .step = (guint)MAX(step, n / MOST_ENTRIES + 1),
                         .most = 8,
                         .kept = CS_SEEDS_STRETCH / 32};
}

static Reader
reader_of(const CsView *view)
{
    return (Reader){.first = view->codes + (view->reversed ? MAX(view->length, 1) - 1 : 0),
                    .step = view->reversed ? -1 : 1,
                    .flip = view->complement ? 3 : 0};
}

static inline guint8
read_base(const Reader *reader, gint64 k)
{
    return reader->first[k * reader->step] ^ reader->flip;
}

static inline gboolean
bases_match(const LookUp *look_up, gint64 row, gint64 column)
{
    guint8 base = read_base(&look_up->row_reader, row);
    return base < CS_CODE_AMBIGUOUS && base == read_base(&look_up->index->column_reader, column);
}

static inline guint32
bucket_of(const CsSeedsIndex *index, guint32 kmer)
{
    return (kmer * 0x9e3779b1u) >> (32 - index->bucket_bits);
}

/* Counts or places the k-mers of some places. */
static void
index_kmers(gint64 stretch, gpointer data)
{
    CsSeedsIndex *index = data;
    const gint64 step = index->rule.step, bases = index->rule.bases;
    const gint64 from = stretch * INDEX_STRETCH, to = MIN(from + INDEX_STRETCH, index->places);
    const gint64 end = (to - 1) * step + bases;
    const guint64 mask = cs_kmer_mask(index->rule.bases);
    guint64 kmer = 0;
    gint64 run = 0, place = from, wanted = from * step + bases - 1;
    for (gint64 j = from * step; j < end; j++) {
        guint8 base = read_base(&index->column_reader, j);
        run = base < CS_CODE_AMBIGUOUS ? run + 1 : 0;
        kmer = (kmer << 2 | (base & 3)) & mask;
        if (j != wanted)
            continue;
        if (run >= bases) {
            guint32 *start = &index->starts[bucket_of(index, (guint32)kmer)];
            if (index->placing)
                index->entries[__atomic_sub_fetch(start, 1, __ATOMIC_RELAXED)] =
                    kmer << 32 | (guint64)place;
            else
                __atomic_fetch_add(start, 1, __ATOMIC_RELAXED);
        }
        place++;
        wanted += step;
    }
}

static int
compare_entries(const void *a, const void *b)
{
    const guint64 first = *(const guint64 *)a, second = *(const guint64 *)b;
    return (first > second) - (first < second);
}

/* Removes the frequent k-mers from some buckets. */
static void
thin_buckets(gint64 stretch, gpointer data)
{
    CsSeedsIndex *index = data;
    const gint64 buckets = G_GINT64_CONSTANT(1) << index->bucket_bits;
    for (gint64 b = stretch * BUCKET_STRETCH; b < MIN(buckets, (stretch + 1) * BUCKET_STRETCH);
         b++) {
        guint64 *entries = index->entries + index->starts[b];
        const gsize count = index->starts[b + 1] - index->starts[b];
        gsize kept = 0;
        if (count <= index->rule.most)
            continue;
        qsort(entries, count, sizeof *entries, compare_entries);
        for (gsize k = 0, end; k < count; k = end) {
            for (end = k + 1; end < count && entries[end] >> 32 == entries[k] >> 32;)
                end++;
            for (; end - k <= index->rule.most && k < end; k++)
                entries[kept++] = entries[k];
            for (; k < end; k++) {
                const guint32 place = (guint32)entries[k];
                __atomic_fetch_or(&index->frequent[place >> 5], 1u << (place & 31),
                                  __ATOMIC_RELAXED);
            }
        }
        if (kept < count)
            entries[kept] = NO_ENTRY;
    }
}

static int
compare_places(const void *a, const void *b)
{
    const CsSeed *first = a, *second = b;
    if (first->row != second->row)
        return first->row < second->row ? -1 : 1;
    return (first->column > second->column) - (first->column < second->column);
}

static int
compare_lengths(const void *a, const void *b)
{
    const CsSeed *first = a, *second = b;
    if (first->length != second->length)
        return first->length > second->length ? -1 : 1;
    return compare_places(a, b);
}

static void
keep_longest(Found *found, guint kept)
{
    if (found->count <= kept)
        return;
    qsort(found->seeds, found->count, sizeof(CsSeed), compare_lengths);
    found->count = kept;
}

/* Makes room for exactly so many seeds. */
static void
resize(Found *found, guint room)
{
    CsSeed *seeds = cs_memory_try_resize(found->seeds, MAX(room, 1), sizeof(CsSeed));
    if (seeds == NULL) {
        found->failed = TRUE;
        return;
    }
    found->seeds = seeds;
    found->room = room;
}

/* Adds a seed. When there are twice as many as are kept, only the longest stay. */
static void
add_seed(Found *found, guint kept, CsSeed seed)
{
    if (found->count >= 2 * kept)
        keep_longest(found, kept);
    if (found->count == found->room && !found->failed)
        resize(found, MIN(MAX(2 * found->room, FEWEST_SEEDS), 2 * kept));
    if (found->count < found->room)
        found->seeds[found->count++] = seed;
}

/* Extends a k-mer that both sequences have after this row and column to a seed, unless an earlier
 * k-mer finds the same one. */
static void
stretch_kmer(const LookUp *look_up, gint64 row, gint64 column, Found *found)
{
    const CsSeedsIndex *index = look_up->index;
    const gint64 step = index->rule.step, m = look_up->rows.length, n = index->columns.length;
    gint64 before = 0, length = index->rule.bases;
    while (before < row && before < column &&
           bases_match(look_up, row - before - 1, column - before - 1)) {
        before++;
        guint32 place = (guint32)((column - before) / step);
        if (before % step == 0 && !(index->frequent[place >> 5] >> (place & 31) & 1))
            return;
    }
    while (row + length < m && column + length < n &&
           bases_match(look_up, row + length, column + length))
        length++;
    const CsSeed seed = {row - before, column - before, before + length};
    if (seed.length < index->rule.bases + step - 1)
        return;
    add_seed(found, index->rule.kept, seed);
}

/* Looks up several k-mers of the rows at a time: each stage prefetches memory for the next. */
static void
look_kmers_up(const LookUp *look_up, const guint32 *kmers, const gint64 *rows, guint n,
              Found *found)
{
    const CsSeedsIndex *index = look_up->index;
    guint32 from[BATCH], to[BATCH];
    for (guint k = 0; k < n; k++) {
        const guint32 bucket = bucket_of(index, kmers[k]);
        from[k] = index->starts[bucket];
        to[k] = index->starts[bucket + 1];
        if (from[k] < to[k])
            __builtin_prefetch(&index->entries[from[k]]);
    }
    struct {
        gint64 row, column;
    } hits[BATCH];
    guint n_hits = 0;
    for (guint k = 0; k < n; k++)
        for (guint32 e = from[k]; e < to[k] && index->entries[e] != NO_ENTRY; e++) {
            if (index->entries[e] >> 32 != kmers[k])
                continue;
            gint64 column = (gint64)(index->entries[e] & G_MAXUINT32) * index->rule.step;
            __builtin_prefetch(index->column_reader.first + column * index->column_reader.step);
            hits[n_hits].row = rows[k];
            hits[n_hits++].column = column;
            if (n_hits < BATCH)
                continue;
            for (guint h = 0; h < n_hits; h++)
                stretch_kmer(look_up, hits[h].row, hits[h].column, found);
            n_hits = 0;
        }
    for (guint h = 0; h < n_hits; h++)
        stretch_kmer(look_up, hits[h].row, hits[h].column, found);
}

static void
find_in_stretch(gint64 stretch, gpointer data)
{
    const LookUp *look_up = data;
    const CsSeedsIndex *index = look_up->index;
    const gint64 bases = index->rule.bases, from = stretch * CS_SEEDS_STRETCH;
    const gint64 end = MIN(from + CS_SEEDS_STRETCH + bases - 1, look_up->rows.length);
    const guint64 mask = cs_kmer_mask(index->rule.bases);
    guint32 kmers[BATCH];
    gint64 rows[BATCH], run = 0;
    guint64 kmer = 0;
    guint n = 0;
    Found *found = &look_up->found[stretch];
    for (gint64 i = from; i < end; i++) {
        guint8 base = read_base(&look_up->row_reader, i);
        run = base < CS_CODE_AMBIGUOUS ? run + 1 : 0;
        kmer = (kmer << 2 | (base & 3)) & mask;
        if (run < bases)
            continue;
        rows[n] = i - bases + 1;
        kmers[n++] = (guint32)kmer;
        __builtin_prefetch(&index->starts[bucket_of(index, (guint32)kmer)]);
        if (n == BATCH) {
            look_kmers_up(look_up, kmers, rows, n, found);
            n = 0;
        }
    }
    look_kmers_up(look_up, kmers, rows, n, found);
    keep_longest(found, index->rule.kept);
    if (found->count > 0)
        qsort(found->seeds, found->count, sizeof(CsSeed), compare_places);
    if (found->count < found->room)
        resize(found, found->count);
}

static guint
bucket_bits_of(gint64 places)
{
    guint bits = FEWEST_BUCKET_BITS;
    while (bits < MOST_BUCKET_BITS && places >> bits > 0)
        bits++;
    return bits;
}

static gint64
places_of(gint64 n, const CsSeedsRule *rule)
{
    return n < rule->bases ? 0 : (n - rule->bases) / rule->step + 1;
}

/* Fails if memory is short. cs_seeds_index_free() frees what was allocated. */
static gboolean
index_allocate(CsSeedsIndex *index, GError **error)
{
    index->places = places_of(index->columns.length, &index->rule);
    index->bucket_bits = bucket_bits_of(index->places);
    index->starts = cs_memory_try_new(guint32, ((gsize)1 << index->bucket_bits) + 1);
    index->entries = cs_memory_try_new(guint64, index->places + 1);
    index->frequent = cs_memory_try_new(guint32, index->places / 32 + 1);
    if (index->starts != NULL && index->entries != NULL && index->frequent != NULL)
        return TRUE;
    g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                "not enough memory for an index of %" G_GINT64_FORMAT " k-mers", index->places);
    return FALSE;
}

static gboolean
index_fill(CsSeedsIndex *index, guint threads, const gint *stop)
{
    const gint64 buckets = G_GINT64_CONSTANT(1) << index->bucket_bits;
    const gint64 stretches = cs_divide_up(index->places, INDEX_STRETCH);
    if (!cs_parallel_run(stretches, threads, stop, index_kmers, index))
        return FALSE;
    for (gint64 b = 0, sum = 0; b <= buckets; b++)
        index->starts[b] = (guint32)(sum += index->starts[b]);
    index->placing = TRUE;
    return cs_parallel_run(stretches, threads, stop, index_kmers, index) &&
           cs_parallel_run(cs_divide_up(buckets, BUCKET_STRETCH), threads, stop, thin_buckets,
                           index);
}

void
cs_seeds_index_free(CsSeedsIndex *index)
{
    if (index == NULL)
        return;
    g_free(index->starts);
    g_free(index->entries);
    g_free(index->frequent);
    g_free(index);
}

static void
set_stopped(GError **error)
{
    g_set_error_literal(error, CS_ERROR, CS_ERROR_STOPPED, "stopped while looking for seeds");
}

CsSeedsIndex *
cs_seeds_index_new(const CsView *columns, const CsSeedsRule *rule, guint threads, const gint *stop,
                   GError **error)
{
    g_assert(rule->bases >= 1 && rule->bases <= CS_SEEDS_LONGEST_KMER);
    g_assert(rule->step >= 1 && rule->most >= 1 && rule->kept >= 1);
    g_assert(columns->length / rule->step < MOST_ENTRIES);
    g_autoptr(CsSeedsIndex) index = g_new(CsSeedsIndex, 1);
    *index =
        (CsSeedsIndex){.columns = *columns, .column_reader = reader_of(columns), .rule = *rule};
    if (!index_allocate(index, error))
        return NULL;
    if (!index_fill(index, threads, stop)) {
        set_stopped(error);
        return NULL;
    }
    return g_steal_pointer(&index);
}

/* Adds a stretch's seeds, which are sorted, to those before them. Few seeds begin before the stretch that
 * found them. */
static void
join_sorted(CsSeed *seeds, gint64 count, const CsSeed *more, gint64 more_count)
{
    gint64 from = count, to = count + more_count;
    while (more_count > 0) {
        const gboolean later =
            from == 0 || compare_places(&seeds[from - 1], &more[more_count - 1]) <= 0;
        seeds[--to] = later ? more[--more_count] : seeds[--from];
    }
}

/* Joins the seeds of all stretches, sorted. NULL if memory is short, or was for one of the stretches. */
static CsSeed *
join_stretches(const Found *found, gint64 stretches, gint64 *count)
{
    gint64 total = 0, at = 0;
    gboolean failed = FALSE;
    for (gint64 k = 0; k < stretches; k++) {
        total += found[k].count;
        failed = failed || found[k].failed;
    }
    CsSeed *seeds = failed ? NULL : cs_memory_try_new(CsSeed, total + 1);
    for (gint64 k = 0; seeds != NULL && k < stretches; at += found[k].count, k++)
        join_sorted(seeds, at, found[k].seeds, found[k].count);
    *count = total;
    return seeds;
}

/* Turns seeds found with the rows reverse-complemented into seeds of the columns'
 * reverse complement. */
static void
turn_seeds(CsSeed *seeds, gint64 count, gint64 m, gint64 n)
{
    for (gint64 k = 0; k < count; k++) {
        seeds[k].row = m - seeds[k].row - seeds[k].length;
        seeds[k].column = n - seeds[k].column - seeds[k].length;
    }
}

CsSeed *
cs_seeds_look_up(const CsSeedsIndex *index, const CsView *rows, gboolean other_strand,
                 guint threads, const gint *stop, gint64 *count, GError **error)
{
    LookUp look_up = {.index = index, .rows = *rows};
    if (other_strand) { /* the columns are in the index, so the rows are turned instead */
        look_up.rows.reversed = !rows->reversed;
        look_up.rows.complement = !rows->complement;
    }
    look_up.row_reader = reader_of(&look_up.rows);
    const gint64 stretches = cs_divide_up(rows->length, CS_SEEDS_STRETCH);
    g_autofree Found *found = look_up.found = cs_memory_try_new(Found, stretches + 1);
    const gboolean done =
        found != NULL && cs_parallel_run(stretches, threads, stop, find_in_stretch, &look_up);
    gint64 total = 0;
    g_autofree CsSeed *seeds = found != NULL ? join_stretches(found, stretches, &total) : NULL;
    for (gint64 k = 0; found != NULL && k < stretches; k++)
        g_free(found[k].seeds);
    /* Sorting takes as much memory again. */
    const gsize sorting = other_strand ? (gsize)total * sizeof *seeds : 0;
    if (seeds == NULL || !cs_memory_has_room(sorting)) {
        g_set_error(error, CS_ERROR, CS_ERROR_DEVICE,
                    "not enough memory for the seeds of %" G_GINT64_FORMAT " rows", rows->length);
        return NULL;
    }
    if (!done) {
        set_stopped(error);
        return NULL;
    }
    if (other_strand) {
        turn_seeds(seeds, total, rows->length, index->columns.length);
        qsort(seeds, (gsize)total, sizeof *seeds, compare_places);
    }
    *count = total;
    return g_steal_pointer(&seeds);
}

guint64
cs_seeds_index_memory(gint64 m, gint64 n)
{
    const CsSeedsRule rule = cs_seeds_rule(m, n);
    const gint64 places = places_of(n, &rule);
    return ((guint64)sizeof(guint32) << bucket_bits_of(places)) +
           (guint64)places * sizeof(guint64) + (guint64)places / 8;
}

guint64
cs_seeds_memory(gint64 m, gint64 n, guint threads, gint64 *most_seeds)
{
    const CsSeedsRule rule = cs_seeds_rule(m, n);
    const guint64 seeds = (guint64)cs_divide_up(m, CS_SEEDS_STRETCH) * rule.kept;
    if (most_seeds != NULL)
        *most_seeds = (gint64)seeds;
    /* The seeds of each stretch, and joined or sorted; of those at hand, twice as many are
     * sorted. */
    return cs_seeds_index_memory(m, n) + 2 * seeds * sizeof(CsSeed) +
           (guint64)threads * 4 * rule.kept * sizeof(CsSeed);
}
