/*
 * A quick look at two sequences before the sweep: how many k-mers of the shorter one occur in the
 * longer one, on either strand. It decides nothing, but may lead to a warning.
 */
#ifndef CS_SKETCH_H
#define CS_SKETCH_H

#include <chromosweep/sequence.h>
#include <chromosweep/strand.h>

/*
 * k. It is odd, so that no k-mer is its own reverse complement; long enough that two random
 * chromosomes of 250 Mb share only one k-mer in ten thousand; and short enough that at 80% identity
 * one in a hundred is intact.
 */
#define CS_SKETCH_BASES 21

/* How many different k-mers are looked for, at most. */
#define CS_SKETCH_KMERS 20000

typedef struct {
    gint64 kmers;        /* k-mers looked for */
    gint64 plus;         /* k-mers found only on plus */
    gint64 minus;        /* k-mers found only on minus */
    gint64 both;         /* k-mers found on both strands, as in repeats */
    gint64 places;       /* occurrences of all these k-mers in the shorter sequence */
    gint64 places_found; /* occurrences there of the k-mers that were found */
} CsSketch;

/* Reads each sequence once. Two sequences of 250 million bases take about a second of one core. */
void cs_sketch_init(CsSketch *sketch, const CsSequence *target, const CsSequence *query);

typedef enum {
    CS_SKETCH_SILENT, /* nothing is clear enough */
    CS_SKETCH_PLUS,
    CS_SKETCH_MINUS,
    CS_SKETCH_UNRELATED,
} CsSketchVerdict;

CsSketchVerdict cs_sketch_judge(const CsSketch *sketch);

/* A warning for a sweep of this strand, one line; NULL if there is none. */
char *cs_sketch_warning(const CsSketch *sketch, const CsSequence *target, const CsSequence *query,
                        CsStrand strand);

#endif
