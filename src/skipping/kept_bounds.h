/* Bounds in a keep (system/keep.h). */
#ifndef CS_KEPT_BOUNDS_H
#define CS_KEPT_BOUNDS_H

#include "skipping/bounds.h"

void cs_kept_bounds_save(const CsKeep *keep, const CsBounds *bounds);

/* The bounds of the survey's matrix that are kept; NULL if there are none. */
CsBounds *cs_kept_bounds_load(const CsSurvey *survey);

#endif
