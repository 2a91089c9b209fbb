/*
 * Evenly spaced k-mers of the shorter sequence are looked for at every place of the longer one. A
 * k-mer and its reverse complement have one key, the smaller of the two numbers, so one lookup
 * finds both.
 *
 * Each different k-mer counts once. For the strand, only k-mers found in one direction alone count:
 * a tandem array has a handful of k-mers however long it is, and interspersed repeats occur in both
 * directions.
 */
#include "lower_bound/sketch.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sequence/bases.h"
#include "sequence/sequence_private.h"

#define KMER_MASK ((G_GUINT64_CONSTANT(1) << 2 * CS_SKETCH_BASES) - 1)

/* The filter before the table has this many bits per k-mer, or up to twice as many: at most 512
 * KiB. */
#define FILTER_BITS_A_KMER 128

/*
 * A strand counts as similar if it has this many k-mers, this share of all, and this many times
 * those of the other strand. A chance repeat is some 5 kb long and gives fewer k-mers.
 */
#define STRAND_KMERS 60
#define STRAND_SHARE 0.005
#define STRAND_TIMES 4

/*
 * Sequences are unrelated if fewer than this share of at least this many k-mers occur. At 80%
 * identity, where the default scoring finds long alignments, it is 20 times that share.
 */
#define UNRELATED_SHARE 0.0005
#define UNRELATED_KMERS 5000

/* A bitmap in which each k-mer sets one bit. */
typedef struct {
    guint64 *bits;
    guint shift; /* right shift that leaves the number of a bit from a hash */
} Filter;

/* Reads the k-mers of a sequence. */
typedef struct {
    const CsSequence *sequence;
    gint64 next;      /* base */
    gint64 run;       /* bases since the last ambiguous one */
    guint64 forward;  /* the last bases, */
    guint64 backward; /* and their reverse complement */
} Reader;

/* The key of a k-mer and whether it is the k-mer's reverse complement. */
typedef struct {
    guint64 key;
    gboolean turned;
} Place;

/* A k-mer to look for. The table's key is a pointer to the first member. */
typedef struct {
    guint64 key;
    gint64 places; /* where it occurs in the shorter sequence */
    gboolean turned;
    gboolean seen[2]; /* in the longer one: as it is, and as its reverse complement */
} Kmer;

/* Reads the next k-mer; FALSE at the end. */
static inline gboolean
read_kmer(Reader *reader, Place *place)
{
    const guint8 *codes = reader->sequence->codes;
    while (reader->next < reader->sequence->length) {
        const guint64 code = codes[reader->next++];
        if (code == CS_CODE_AMBIGUOUS) {
            reader->run = 0;
            continue;
        }
        reader->forward = (reader->forward << 2 | code) & KMER_MASK;
        reader->backward = reader->backward >> 2 | (3 - code) << 2 * (CS_SKETCH_BASES - 1);
        if (++reader->run < CS_SKETCH_BASES)
            continue;
        place->turned = reader->backward < reader->forward;
        place->key = place->turned ? reader->backward : reader->forward;
        return TRUE;
    }
    return FALSE;
}

static inline guint64
filter_bit(const Filter *filter, guint64 key)
{
    return XXH3_64bits(&key, sizeof key) >> filter->shift;
}

/* Fills the table from the shorter sequence. `kmers` holds the entries. */
static void
choose_kmers(const CsSequence *sequence, Kmer *kmers, GHashTable *table, const Filter *filter)
{
    const gint64 bases = sequence->length - sequence->ambiguous;
    const gint64 distance = MAX(1, (bases + CS_SKETCH_KMERS - 1) / CS_SKETCH_KMERS);
    Reader reader = {.sequence = sequence};
    Place place;
    gint64 wait = 0;
    guint count = 0;
    while (read_kmer(&reader, &place)) {
        if (wait-- > 0)
            continue;
        wait = distance - 1;
        Kmer *kmer = g_hash_table_lookup(table, &place.key);
        if (kmer != NULL) {
            kmer->places++;
            continue;
        }
        g_assert(count < CS_SKETCH_KMERS);
        kmers[count] = (Kmer){.key = place.key, .places = 1, .turned = place.turned};
        g_hash_table_add(table, &kmers[count++]);
        const guint64 bit = filter_bit(filter, place.key);
        filter->bits[bit / 64] |= G_GUINT64_CONSTANT(1) << bit % 64;
    }
}

static void
look_for_kmers(const CsSequence *sequence, GHashTable *table, const Filter *filter)
{
    Reader reader = {.sequence = sequence};
    Place place;
    while (read_kmer(&reader, &place)) {
        const guint64 bit = filter_bit(filter, place.key);
        if ((filter->bits[bit / 64] >> bit % 64 & 1) == 0)
            continue;
        Kmer *kmer = g_hash_table_lookup(table, &place.key);
        if (kmer != NULL)
            kmer->seen[kmer->turned != place.turned] = TRUE;
    }
}

void
cs_sketch_init(CsSketch *sketch, const CsSequence *target, const CsSequence *query)
{
    const gboolean target_longer = target->length >= query->length;
    const CsSequence *shorter = target_longer ? query : target;
    const CsSequence *longer = target_longer ? target : query;
    *sketch = (CsSketch){0};
    if (shorter->length < CS_SKETCH_BASES)
        return;
    const gint64 most = MIN(shorter->length, CS_SKETCH_KMERS);
    const guint bits = g_bit_storage((gulong)most * FILTER_BITS_A_KMER);
    g_autofree guint64 *cleared = g_new0(guint64, (gsize)1 << (bits - 6));
    const Filter filter = {cleared, 64 - bits};
    g_autofree Kmer *kmers = g_new(Kmer, most);
    g_autoptr(GHashTable) table = g_hash_table_new(g_int64_hash, g_int64_equal);
    choose_kmers(shorter, kmers, table, &filter);
    look_for_kmers(longer, table, &filter);
    sketch->kmers = g_hash_table_size(table);
    for (gint64 k = 0; k < sketch->kmers; k++) {
        const gboolean plus = kmers[k].seen[0], minus = kmers[k].seen[1];
        sketch->plus += plus && !minus;
        sketch->minus += minus && !plus;
        sketch->both += plus && minus;
        sketch->places += kmers[k].places;
        sketch->places_found += plus || minus ? kmers[k].places : 0;
    }
}

static gboolean
stands_out(const CsSketch *sketch, gint64 strand, gint64 other)
{
    return strand >= STRAND_KMERS && (double)strand >= STRAND_SHARE * (double)sketch->kmers &&
           strand >= STRAND_TIMES * other;
}

CsSketchVerdict
cs_sketch_judge(const CsSketch *sketch)
{
    if (stands_out(sketch, sketch->plus, sketch->minus))
        return CS_SKETCH_PLUS;
    if (stands_out(sketch, sketch->minus, sketch->plus))
        return CS_SKETCH_MINUS;
    if (sketch->kmers >= UNRELATED_KMERS &&
        (double)sketch->places_found < UNRELATED_SHARE * (double)sketch->places)
        return CS_SKETCH_UNRELATED;
    return CS_SKETCH_SILENT;
}

static double
percent(const CsSketch *sketch, gint64 kmers)
{
    return 100.0 * (double)kmers / (double)sketch->kmers;
}

/* "target chr1 and query chr2". */
static char *
both_names(const CsSequence *target, const CsSequence *query)
{
    return g_strdup_printf("target%s%s and query%s%s", target->name[0] != '\0' ? " " : "",
                           target->name, query->name[0] != '\0' ? " " : "", query->name);
}

char *
cs_sketch_warning(const CsSketch *sketch, const CsSequence *target, const CsSequence *query,
                  CsStrand strand)
{
    const CsSketchVerdict verdict = cs_sketch_judge(sketch);
    g_autofree char *names = both_names(target, query);
    if (verdict == CS_SKETCH_UNRELATED)
        return g_strdup_printf("%s look unrelated: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                               " %d-mers of the shorter one occur in the longer one, on either "
                               "strand",
                               names, sketch->places_found, sketch->places, CS_SKETCH_BASES);
    const gboolean minus = verdict == CS_SKETCH_MINUS;
    if (minus ? strand != CS_STRAND_PLUS : verdict != CS_SKETCH_PLUS || strand != CS_STRAND_MINUS)
        return NULL;
    return g_strdup_printf(
        "%s match mostly on the %s strand: %.1f%% of their %d-mers, against %.1f%% on the %s "
        "strand, which is the one compared%s",
        names, minus ? "minus" : "plus", percent(sketch, minus ? sketch->minus : sketch->plus),
        CS_SKETCH_BASES, percent(sketch, minus ? sketch->plus : sketch->minus),
        minus ? "plus" : "minus", minus ? "; is the query reverse-complemented?" : "");
}
