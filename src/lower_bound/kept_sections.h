/*
 * The sections of the corridor (lower_bound.c) in a keep. The sections that have been swept are
 * kept every second, and once more when the sweep ends for whatever reason.
 */
#ifndef CS_KEPT_SECTIONS_H
#define CS_KEPT_SECTIONS_H

#include <pthread.h>

#include "sweep/types.h"
#include "system/keep.h"

typedef struct {
    gint64 row, rows;       /* rows above the section, and rows in it */
    gint64 column, columns; /* columns left of the section, and columns in it */
    CsScore high;           /* H at its corner; 0 is the score of the empty alignment */
    gboolean ends;          /* an alignment may end inside: the highest H is looked for */
    CsScore best;           /* the highest H if so, else `high` */
    CsScore exit;           /* H at its last cell */
    gint64 cells_computed;
    gboolean done;
    GError *failure;
} CsCorridorSection;

typedef struct {
    const CsKeep *keep;
    GArray *sections; /* of CsCorridorSection */
    pthread_mutex_t lock;
    gint64 next;      /* when to save next */
    gboolean unsaved; /* whether some sections are done but not saved */
} CsKeptSections;

/* Begins a sweep of the sections, and fills in the sections that were kept. match is the score of a
 * match. Returns how many cells were computed for the kept sections. */
gint64 cs_kept_sections_begin(CsKeptSections *kept, const CsKeep *keep, GArray *sections,
                              CsScore match);

/* Section k is done. May be called from any thread. */
void cs_kept_sections_add(CsKeptSections *kept, gint64 k);

void cs_kept_sections_end(CsKeptSections *kept);

#endif
