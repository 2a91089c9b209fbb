/*
 * A glance at two sequences before the sweep: how many k-mers of the shorter one stand in the longer
 * one, as they are and reverse-complemented. It decides nothing; a warning may come of it.
 */
#ifndef CS_SKETCH_H
#define CS_SKETCH_H

#include <chromosweep/sequence.h>
#include <chromosweep/strand.h>

/*
 * Bases of a k-mer. Odd, so that none is its own reverse complement; long enough that two random
 * chromosomes of 250 Mb share one in ten thousand, and short enough that at 80% identity one in a
 * hundred is whole.
 */
#define CS_SKETCH_BASES 21

/* Different k-mers that are looked for, at most. */
#define CS_SKETCH_KMERS 20000

typedef struct {
    gint64 kmers;        /* that were looked for */
    gint64 plus;         /* of these: found as they stand alone, */
    gint64 minus;        /* as their reverse complement alone, */
    gint64 both;         /* and as both, as repeats are */
    gint64 places;       /* of the shorter sequence where they stand, a repeat's all, */
    gint64 places_found; /* and those of them that were found */
} CsSketch;

/* Reads each sequence once: about a second of one core for two of 250 million bases. */
void cs_sketch_init(CsSketch *sketch, const CsSequence *target, const CsSequence *query);

typedef enum {
    CS_SKETCH_SILENT, /* nothing that could be said with confidence */
    CS_SKETCH_PLUS,
    CS_SKETCH_MINUS,
    CS_SKETCH_UNRELATED,
} CsSketchVerdict;

CsSketchVerdict cs_sketch_judge(const CsSketch *sketch);

/* What should be said before this strand is swept, one line; NULL: nothing. */
char *cs_sketch_warning(const CsSketch *sketch, const CsSequence *target, const CsSequence *query,
                        CsStrand strand);

#endif
