/*
 * Simulated chromosomes: an ancestor with repeats, and a copy of it with the changes of evolution.
 *
 * The same plan makes the same bases on every machine: the generator is our own (GLib's depends
 * on G_RANDOM_VERSION), and chances are integer thresholds, so no result hangs on a libm's last
 * digit.
 */
#ifndef CS_TOOLS_GENOME_H
#define CS_TOOLS_GENOME_H

#include <glib.h>

/* The most bases that a plan may ask for, far from where sums could overflow. */
#define GENOME_MAX_LENGTH G_GINT64_CONSTANT(100000000000)

enum {
    GENOME_A = 0,
    GENOME_C = 1,
    GENOME_G = 2,
    GENOME_T = 3, /* the complement of c is 3 - c, its transition c ^ 2 */
    GENOME_N = 4,
};

/* One code a base. */
typedef struct {
    guint8 *codes;
    gint64 length;
    gint64 room;
} Genome;

/* What to make; rates are from 0 to 1, lengths and counts not negative. */
typedef struct {
    gint64 seed;
    gint64 length; /* of the target without its leading Ns, at least 1 */
    double gc;
    double repeats; /* share of bases in interspersed repeats */
    double tandems; /* share of bases in tandem arrays */
    gboolean unrelated;
    double substitutions; /* chance at each base */
    double indels;        /* likewise, of an insertion or a deletion */
    gint64 indel_max;     /* P(length >= k) = 1/k up to here, at least 1 */
    gint64 inversion;     /* bases of the query's one inversion, 0 for none */
    gint64 large_insertions;
    gint64 large_deletions;
    gint64 large_length; /* of each of them */
    gint64 n_runs;       /* inside each sequence */
    gint64 n_run_max;    /* bases of the longest one */
    gint64 target_leading_n;
    gint64 query_leading_n;
    gint64 query_length; /* cut or filled up with random bases to this; 0 leaves it */
} GenomePlan;

/*
 * Fills two empty genomes. Memory: about one byte a base. FALSE with error set (of G_FILE_ERROR)
 * when memory runs out.
 */
gboolean genome_make_pair(const GenomePlan *plan, Genome *target, Genome *query, GError **error);

void genome_clear(Genome *genome);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Genome, genome_clear)

#endif
