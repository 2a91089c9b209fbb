/* Seeds as a keep holds them: three numbers each, then one more. */
#ifndef CS_KEPT_SEEDS_H
#define CS_KEPT_SEEDS_H

#include "lower_bound/seeds.h"
#include "lower_bound/survey.h"

/* Keeps seeds and a number beside them. */
void cs_kept_seeds_save(const CsKeep *keep, const char *name, const CsSeed *seeds, gint64 count,
                        gint64 beside);

/* The seeds of the survey's matrix that are kept under a name, for g_free(), in order of their rows;
 * of a chain each begins where the one before has ended, or later. NULL where there are none. */
CsSeed *cs_kept_seeds_load(const CsSurvey *survey, const char *name, gboolean chain, gint64 *count,
                           gint64 *beside);

#endif
