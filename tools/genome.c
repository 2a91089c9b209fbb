/*
 * Order of the changes, which is part of what a seed means: the ancestor is made and becomes the
 * target; the query is its copy with substitutions and small indels, then the inversion, then the
 * large insertions and deletions; last come the Ns of the target, those of the query, and the
 * query's wanted length. Target and query draw from generators of their own.
 */
#include "genome.h"

#include <string.h>

/* xoshiro256** of Blackman and Vigna, seeded through their splitmix64. */
typedef struct {
    guint64 s[4];
} Random;

/* What each base of a genome is drawn with: chances in units of 2^-32. */
typedef struct {
    Random random;
    guint64 gc;
} Source;

enum {
    FAMILIES = 32
};

/* The consensus sequences of the interspersed repeats, one after the other. */
typedef struct {
    Genome consensus;
    gint64 start[FAMILIES];
    gint64 length[FAMILIES];
    guint64 divergence[FAMILIES];
} Families;

static void
families_clear(Families *families)
{
    genome_clear(&families->consensus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Families, families_clear)

static guint64
chance(double rate)
{
    return (guint64)(rate * 4294967296.0);
}

static guint64
rotate(guint64 x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static void
random_init(Random *random, guint64 seed)
{
    for (int k = 0; k < 4; k++) {
        seed += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        guint64 z = seed;
        z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
        random->s[k] = z ^ (z >> 31);
    }
}

static guint64
random_next(Random *random)
{
    guint64 *s = random->s;
    guint64 result = rotate(s[1] * 5, 7) * 9;
    guint64 t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* 0 <= result < bound, the modulo's bias below 2^-26. Not for MIN, which may draw twice. */
static gint64
random_below(Random *random, gint64 bound)
{
    g_assert(bound > 0);
    return (gint64)(random_next(random) % (guint64)bound);
}

/* A power law, P(length >= k) = 1/k, cut off at max: near what is seen between related genomes. */
static gint64
random_indel_length(Random *random, gint64 max)
{
    gint64 length;
    do {
        length = (G_GINT64_CONSTANT(1) << 32) / (gint64)(1 + (random_next(random) >> 32));
    } while (length > max);
    return length;
}

static gboolean
genome_reserve(Genome *genome, gint64 extra, GError **error)
{
    gint64 needed = genome->length + extra;
    if (needed <= genome->room)
        return TRUE;
    gint64 room = MAX(needed, genome->room + genome->room / 16);
    guint8 *codes = g_try_realloc(genome->codes, (gsize)room);
    if (codes == NULL) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOMEM,
                    "no memory for a sequence of %" G_GINT64_FORMAT " bases", needed);
        return FALSE;
    }
    genome->codes = codes;
    genome->room = room;
    return TRUE;
}

void
genome_clear(Genome *genome)
{
    g_clear_pointer(&genome->codes, g_free);
    genome->length = genome->room = 0;
}

/* The appending functions below expect the room to be there. */
static void
append(Genome *genome, guint8 code)
{
    genome->codes[genome->length++] = code;
}

static void
append_random(Genome *genome, Source *source, gint64 length)
{
    for (gint64 k = 0; k < length; k++) {
        guint64 r = random_next(&source->random);
        guint8 bit = (r >> 32) & 1;
        append(genome, (r & G_MAXUINT32) < source->gc ? GENOME_C + bit : GENOME_T * bit);
    }
}

/* Another base: the transition twice as often as the two transversions together. */
static guint8
substitute(guint8 code, guint64 r)
{
    static const guint8 flips[6] = {2, 2, 2, 2, 1, 3};
    return code ^ flips[r % 6];
}

static void
reverse_complement(guint8 *codes, gint64 length)
{
    for (gint64 a = 0, b = length - 1; a <= b; a++, b--) {
        guint8 code = codes[a];
        codes[a] = 3 - codes[b];
        codes[b] = 3 - code;
    }
}

static gboolean
families_init(Families *families, Source *source, gint64 genome_length, GError **error)
{
    gint64 longest = CLAMP(genome_length / 20, 20, 6000);
    for (int f = 0; f < FAMILIES; f++) {
        /* half of them short, as Alu, the others up to the length of L1 */
        gint64 length = f % 2 == 0 ? MIN(300, longest) : 1 + random_below(&source->random, longest);
        if (!genome_reserve(&families->consensus, length, error))
            return FALSE;
        families->start[f] = families->consensus.length;
        families->length[f] = length;
        families->divergence[f] = chance(0.02) + (guint64)random_below(&source->random, 1 << 30);
        append_random(&families->consensus, source, length);
    }
    return TRUE;
}

/* A diverged copy of a family's end, on either strand; returns its length. */
static gint64
append_repeat(Genome *genome, const Families *families, Source *source, gint64 longest)
{
    Random *random = &source->random;
    gint64 f = random_below(random, 1 + random_below(random, FAMILIES)); /* some are common */
    gint64 length = families->length[f];
    if (f % 2 != 0)
        length = 1 + random_below(random, length);
    const guint8 *from =
        families->consensus.codes + families->start[f] + families->length[f] - length;
    length = MIN(length, longest);
    for (gint64 k = 0; k < length; k++) {
        guint64 r = random_next(random);
        guint8 code = from[k];
        append(genome,
               (r & G_MAXUINT32) < families->divergence[f] ? substitute(code, r >> 32) : code);
    }
    if (random_below(random, 2) == 0)
        reverse_complement(genome->codes + genome->length - length, length);
    return length;
}

/* An array of a unit of 1 to 6 bases (a microsatellite) or of up to 60; returns its length. */
static gint64
append_tandem(Genome *genome, Source *source, gint64 longest)
{
    Random *random = &source->random;
    gint64 unit =
        random_below(random, 2) == 0 ? 1 + random_below(random, 6) : 7 + random_below(random, 54);
    gint64 length = unit * (5 + random_below(random, 36));
    length = MIN(length, longest);
    gint64 start = genome->length;
    append_random(genome, source, MIN(unit, length));
    for (gint64 k = unit; k < length; k++) {
        guint64 r = random_next(random);
        guint8 code = genome->codes[start + k - unit];
        append(genome, (r & G_MAXUINT32) < chance(0.01) ? substitute(code, r >> 32) : code);
    }
    return length;
}

static gboolean
make_ancestor(const GenomePlan *plan, Source *source, Genome *genome, GError **error)
{
    gint64 length = plan->length;
    g_auto(Families) families = {0};
    if (!genome_reserve(genome, length, error) || !families_init(&families, source, length, error))
        return FALSE;

    gint64 per_million_repeats = (gint64)(plan->repeats * 1e6);
    gint64 per_million_tandems = (gint64)(plan->tandems * 1e6);
    gint64 unique_max = CLAMP(length / 50, 1, 4000);
    gint64 in_repeats = 0, in_tandems = 0;
    while (genome->length < length) {
        gint64 done = genome->length, left = length - done;
        if (in_repeats < done * per_million_repeats / 1000000) {
            in_repeats += append_repeat(genome, &families, source, left);
        } else if (in_tandems < done * per_million_tandems / 1000000) {
            in_tandems += append_tandem(genome, source, left);
        } else {
            gint64 unique = 1 + random_below(&source->random, unique_max);
            append_random(genome, source, MIN(unique, left));
        }
    }
    return TRUE;
}

/* Half of the insertions repeat what stands before them, as slippage does. */
static gboolean
append_insertion(Genome *genome, Source *source, gint64 length, GError **error)
{
    if (!genome_reserve(genome, length, error))
        return FALSE;
    if (random_below(&source->random, 2) == 0 && genome->length >= length) {
        memcpy(genome->codes + genome->length, genome->codes + genome->length - length,
               (gsize)length);
        genome->length += length;
    } else {
        append_random(genome, source, length);
    }
    return TRUE;
}

static gboolean
derive(const GenomePlan *plan, Source *source, const Genome *ancestor, Genome *genome,
       GError **error)
{
    guint64 substitutions = chance(plan->substitutions);
    guint64 changes = substitutions + chance(plan->indels);
    if (!genome_reserve(genome, ancestor->length + ancestor->length / 64, error))
        return FALSE;
    for (gint64 i = 0; i < ancestor->length; i++) {
        guint64 r = random_next(&source->random);
        guint64 low = r & G_MAXUINT32, high = r >> 32;
        guint8 code = ancestor->codes[i];
        if (low < substitutions) {
            code = substitute(code, high);
        } else if (low < changes) {
            gint64 length = random_indel_length(&source->random, plan->indel_max);
            if (high % 2 == 0) {
                i += length - 1; /* with this base, length of them are deleted */
                continue;
            }
            if (!append_insertion(genome, source, length, error))
                return FALSE;
        }
        if (!genome_reserve(genome, 1, error))
            return FALSE;
        append(genome, code);
    }
    return TRUE;
}

/* In the middle third where it fits, so that the halves beside it are worth joining. */
static void
invert(Genome *genome, Random *random, gint64 length)
{
    length = MIN(length, genome->length);
    if (length == 0)
        return;
    gint64 third = genome->length / 3;
    gint64 start = third + random_below(random, MAX(third, 1));
    start = MIN(start, genome->length - length);
    reverse_complement(genome->codes + start, length);
}

static gboolean
insert_large(Genome *genome, Source *source, gint64 length, GError **error)
{
    gint64 old = genome->length;
    gint64 start = random_below(&source->random, old + 1);
    g_auto(Genome) inserted = {0};
    if (!genome_reserve(&inserted, length, error) || !genome_reserve(genome, length, error))
        return FALSE;
    append_random(&inserted, source, length);
    memmove(genome->codes + start + length, genome->codes + start, (gsize)(old - start));
    memcpy(genome->codes + start, inserted.codes, (gsize)length);
    genome->length = old + length;
    return TRUE;
}

static void
delete_large(Genome *genome, Random *random, gint64 length)
{
    length = MIN(length, genome->length);
    gint64 start = random_below(random, genome->length - length + 1);
    genome->length -= length;
    memmove(genome->codes + start, genome->codes + start + length, (gsize)(genome->length - start));
}

static gboolean
rearrange(const GenomePlan *plan, Source *source, Genome *genome, GError **error)
{
    invert(genome, &source->random, plan->inversion);
    if (plan->large_length == 0)
        return TRUE;
    for (gint64 k = 0; k < plan->large_insertions; k++) {
        if (!insert_large(genome, source, plan->large_length, error))
            return FALSE;
    }
    for (gint64 k = 0; k < plan->large_deletions; k++)
        delete_large(genome, &source->random, plan->large_length);
    return TRUE;
}

static gboolean
add_ns(const GenomePlan *plan, Random *random, Genome *genome, gint64 leading, GError **error)
{
    for (gint64 k = 0; k < plan->n_runs && plan->n_run_max > 0 && genome->length > 0; k++) {
        gint64 start = random_below(random, genome->length);
        gint64 length = 1 + random_below(random, plan->n_run_max);
        memset(genome->codes + start, GENOME_N, (gsize)MIN(length, genome->length - start));
    }
    if (leading == 0)
        return TRUE;
    if (!genome_reserve(genome, leading, error))
        return FALSE;
    memmove(genome->codes + leading, genome->codes, (gsize)genome->length);
    memset(genome->codes, GENOME_N, (gsize)leading);
    genome->length += leading;
    return TRUE;
}

static gboolean
set_length(Genome *genome, Source *source, gint64 length, GError **error)
{
    if (length == 0 || length <= genome->length) {
        genome->length = length == 0 ? genome->length : length;
        return TRUE;
    }
    gint64 missing = length - genome->length;
    if (!genome_reserve(genome, missing, error))
        return FALSE;
    append_random(genome, source, missing);
    return TRUE;
}

gboolean
genome_make_pair(const GenomePlan *plan, Genome *target, Genome *query, GError **error)
{
    Source target_source = {.gc = chance(plan->gc)}, query_source = {.gc = chance(plan->gc)};
    random_init(&target_source.random, (guint64)plan->seed);
    random_init(&query_source.random, ~(guint64)plan->seed);

    if (!make_ancestor(plan, &target_source, target, error))
        return FALSE;
    gboolean made = plan->unrelated ? make_ancestor(plan, &query_source, query, error)
                                    : derive(plan, &query_source, target, query, error);
    return made && rearrange(plan, &query_source, query, error) &&
           add_ns(plan, &target_source.random, target, plan->target_leading_n, error) &&
           add_ns(plan, &query_source.random, query, plan->query_leading_n, error) &&
           set_length(query, &query_source, plan->query_length, error);
}
