/* Seeds in a keep: three numbers for each seed, then one number beside them all. */
#ifndef CS_KEPT_SEEDS_H
#define CS_KEPT_SEEDS_H

#include "lower_bound/seeds.h"
#include "lower_bound/survey.h"

/* Keeps the seeds and the number beside them. */
void cs_kept_seeds_save(const CsKeep *keep, const char *name, const CsSeed *seeds, gint64 count,
                        gint64 beside);

/*
 * The seeds of the survey's matrix that are kept under this name, in order of their rows. In a
 * chain each seed begins at or after the end of the seed before it. Free them with g_free(). NULL
 * if there are none.
 */
CsSeed *cs_kept_seeds_load(const CsSurvey *survey, const char *name, gboolean chain, gint64 *count,
                           gint64 *beside);

#endif
