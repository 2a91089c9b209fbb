/*
 * Sections of the strip that do not wait for each other (gain_strip.h).
 *
 *     own bands    |   section    |     Each is computed from a line some bands below its own, as if nothing
 *                  |   above      |     were known there: relative to the highest gain on that line. In
 *     ------------ |..............|--   the bands of this overlap the best path stands out again. How high
 *     of the       |  overlap     |     the section lies is known once the line has been counted.
 *     section below+--------------+
 */
#ifndef CS_GAIN_SECTION_H
#define CS_GAIN_SECTION_H

#include "skipping/gain_strip.h"

typedef struct {
    gint64 first, own, last; /* bands first .. last, of which first .. own are its own */
} CsGainSection;

/* What is kept of one of its bands: values after the line above it. */
typedef struct {
    CsGainSpan blocks;
    gint32 *gains;  /* of each block that lies in the strip, else G_MAXINT32 */
    gint32 highest; /* the highest gain near the chain */
    gint32
        entered; /* what was reached below the band, wherever nothing was computed there: a guess */
} CsGainSectionLine;

/* A section that has been computed. All values are relative to `base`, whole points. */
typedef struct {
    const CsGainSection *section;
    CsGainSectionLine *lines; /* of each band, the first one's first; NULL if there was no memory */
    gint32 *memory;
    CsGainSpan top; /* the columns of its first line */
    gint32 *h, *f;  /* of each */
    CsScore base;
    gint64 cells;
} CsGainSectionValues;

/* What all sections need. */
typedef struct {
    CsGainStripShape shape;
    const CsGainRule *rule;
    const CsGainBases *bases;
    const CsScoring *scoring;
    gint64 steps;
    gint32 lower;            /* so much less is reached beside the strip, it is guessed */
    const CsGainSpan *strip; /* `steps` spans of each band */
    const CsGainSpan *chain; /* of each band, from its top on the left to its bottom on the right */
    gint64 near;             /* columns at either end of these that the best path may need */
} CsGainSectionShape;

/* Computes a section. It is left out (lines is NULL) if there is not enough memory. */
void cs_gain_section_compute(CsGainSectionValues *values, const CsGainSection *section,
                             const CsGainSectionShape *shape);
void cs_gain_section_clear(CsGainSectionValues *values);

/*
 * Before band k, from the last one up: raises the base until it covers all that enters the band, as known
 * after the line below. The section begins with that line of its last band. Returns whether others
 * than the best path raised it: then the section's gains are higher than need be.
 */
gboolean cs_gain_section_raise(CsGainSectionValues *values, const CsGainSectionShape *shape,
                               gint64 k, const CsGainReach *below);

/* After that: lowers the gains of the line above band k, where the section has them. Returns the
 * blocks. *best becomes the gain of the best path there. */
CsGainSpan cs_gain_section_lower(const CsGainSectionValues *values, const CsGainRule *rule,
                                 gint64 k, CsGainReach *line, gint32 *best);

#endif
